#include "app/convert/convert.h"

#include "app/file_checks.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/model_file.h"

namespace croft {

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

namespace {

const KindRow& conversion_of(const SequenceModel& model, std::string_view to) {
  const KindRow& row = kind_of(model);
  if (row.conversion.make != nullptr && (to.empty() || to == row.conversion.to)) return row;
  std::string all;
  for (const KindRow& each : kind_rows()) {
    if (each.conversion.make == nullptr) continue;
    all += (all.empty() ? "" : ", ") + std::string(each.name) + " to " +
           std::string(each.conversion.to);
  }
  if (row.conversion.to.empty() && !row.conversion.what.empty()) {
    throw UsageError(model.container().name() + ": a model of kind " + model.kind() + " " +
                     std::string(row.conversion.what) +
                     ", and there is nothing to convert it to; the conversions are: " + all);
  }
  throw UsageError(model.container().name() + ": no conversion from a model of kind " +
                   model.kind() + (to.empty() ? "" : " to " + std::string(to)) +
                   "; there are: " + all);
}

}  // namespace

const KindRow& convert_model(const std::string& input, std::string_view to,
                             const std::string& output) {
  if (same_file(input, output)) {
    throw UsageError("--output ", output, " would replace the input; give it another name");
  }
  const auto model = open_model(input);
  model->container().verify();
  if (model->calibrator()) {
    throw UsageError(input +
                     " is calibrated, and a conversion keeps the probabilities of a model "
                     "that is not; convert the model that it was made from, and calibrate that");
  }
  const KindRow& row = conversion_of(*model, to);
  row.conversion.make(*model).write(output);
  return row;
}

}  // namespace croft
