#include "app/convert/convert.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/chain_model.h"
#include "model/kinds/hmm_to_chain.h"
#include "model/kinds/model_file.h"
#include "train/generative/naive_bayes_conversion.h"

namespace croft {
namespace {

// The same sections under another kind.
ContainerWriter with_kind(const Container& container, std::string_view kind) {
  ContainerWriter out;
  for (const Container::Entry& entry : container.entries()) {
    if (entry.name == "meta") {
      Json meta = parse_json(container.text("meta"));
      meta["kind"] = kind;
      out.add("meta", meta.dump(1, InvalidUtf8::replace));
      continue;
    }
    const std::span<const std::byte> bytes = container.section(entry.name);
    using Kind = ContainerWriter::Kind;
    out.add(entry.name, {bytes.begin(), bytes.end()},
            entry.required ? Kind::required
            : entry.bulk   ? Kind::bulk
                           : Kind::small);
  }
  return out;
}

// A line for each; the model that `make` gets is of kind `from`.
constexpr std::array kConversions = {
    Conversion{"hmm", "chain",
               "p(y|x); of attributes, as far as the model knows them (docs/hmm.md)",
               [](const SequenceModel& model) {
                 return hmm_to_chain(dynamic_cast<const HmmModel&>(model));
               }},
    Conversion{"pool", "chain", "everything; the experts stay in the training record",
               [](const SequenceModel& model) {
                 return with_kind(model.container(), name_of(ChainKind::chain));
               }},
    Conversion{"naive-bayes", "maxent",
               "p(y|x); of bernoulli attributes, where their values are 0 and 1",
               [](const SequenceModel& model) {
                 return naive_bayes_to_maxent(dynamic_cast<const NaiveBayesModel&>(model));
               }},
};

[[noreturn]] void fail_none(const SequenceModel& model, std::string_view to) {
  std::string all;
  for (const Conversion& each : kConversions) {
    all += (all.empty() ? "" : ", ") + std::string(each.from) + " to " + std::string(each.to);
  }
  if (model.kind() == "joint-maxent") {
    throw UsageError(model.container().name() + ": a model of kind " + std::string(model.kind()) +
                     " is a log-linear model already, and there is nothing to convert it to; the "
                     "conversions are: " +
                     all);
  }
  throw UsageError(model.container().name() + ": no conversion from a model of kind " +
                   model.kind() + (to.empty() ? "" : " to " + std::string(to)) +
                   "; there are: " + all);
}

const Conversion& find_conversion(const SequenceModel& model, std::string_view to) {
  std::vector<const Conversion*> fits;
  for (const Conversion& each : kConversions) {
    if (each.from == model.kind() && (to.empty() || each.to == to)) fits.push_back(&each);
  }
  if (fits.empty()) fail_none(model, to);
  if (fits.size() == 1) return *fits.front();
  std::string kinds;
  for (const Conversion* each : fits) kinds += (kinds.empty() ? "" : ", ") + std::string(each->to);
  throw UsageError(model.container().name(), ": a model of kind ", model.kind(), " converts to ",
                   kinds, "; choose one with --to");
}

}  // namespace

std::span<const Conversion> conversions() { return kConversions; }

const Conversion& convert_model(const std::string& input, std::string_view to,
                                const std::string& output) {
  std::error_code none;
  if (input == output || std::filesystem::equivalent(input, output, none)) {
    throw UsageError("--output ", output, " would replace the input; give it another name");
  }
  const auto model = open_model(input);
  model->container().verify();
  if (model->calibrator()) {
    throw UsageError(input +
                     " is calibrated, and a conversion keeps the probabilities of a model "
                     "that is not; convert the model that it was made from, and calibrate that");
  }
  const Conversion& conversion = find_conversion(*model, to);
  conversion.make(*model).write(output);
  return conversion;
}

}  // namespace croft
