#include "app/convert/stack.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <memory>
#include <optional>

#include "app/label/sequence_source.h"
#include "app/label/tagger.h"
#include "app/train/feature_kit_file.h"
#include "app/train/kind_requests.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/parallel.h"
#include "data/attributes.h"
#include "model/kinds/hmm_model.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

// A sequence for the model that has posteriors, and for the one that will use them.
struct Pair {
  TextSequence observed, features;
  std::string file;
};

// Attribute lines of a sequence, with the posteriors of `tagging` under the names of `model`.
// Throws InputError where the data has an attribute of such a name: the two would add up.
void append_lines(const TextSequence& text, std::string_view file, const Tagging& tagging,
                  const SequenceModel& model, std::string& out) {
  const std::string prefix = model.kind() + "=";
  if (text.weight_given) fmt::format_to(std::back_inserter(out), "@weight:{}\n", text.weight);
  for (std::size_t t = 0; t < text.length(); ++t) {
    if (text.has_labels()) out += escape_attribute(text.labels.item(t));
    const auto append = [&](std::string_view name, double value) {
      out += '\t' + escape_attribute(name);
      if (value != 1) fmt::format_to(std::back_inserter(out), ":{:.6g}", value);
    };
    for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
      const std::string_view name = text.node.item(k);
      for (Label j = 0; name.starts_with(prefix) && j < model.labels(); ++j) {
        if (name.substr(prefix.size()) != model.label(j)) continue;
        throw InputError({std::string(file), text.first_line},
                         "an attribute with the name of a posterior of this model in the sequence "
                         "that begins here",
                         name, "rename it: of two with one name the values would add up");
      }
      append(name, text.node.value(k));
    }
    for (Label j = 0; j < model.labels(); ++j) {
      const double p = tagging.marginals(t, j);
      if (p >= kSmallestPosterior) append(prefix + model.label(j), p);
    }
    out += '\n';
  }
  out += '\n';
}

// What is written for training and for prediction must be scaled alike, and nothing keeps the
// scale.
void check_is_fitted(const ExtractionConfig& config, const StackRequest& request) {
  if (!config.kit || !config.kit->needs_fit()) return;
  throw UsageError(request.kit +
                   ": numbers of this kit are learnt of the training data; give them `cuts`, or "
                   "value = \"raw\", or name the kit in `croft train` on what this command writes");
}

Extractor feature_extractor(const StackRequest& request, const ExtractionConfig& of_model) {
  if (of_model.format != InputFormat::columns && of_model.format != InputFormat::attributes) {
    throw UsageError(request.model + ": only models of columns or attribute lines can be stacked");
  }
  if (of_model.format == InputFormat::attributes) {
    if (!request.template_path.empty()) {
      throw UsageError(
          "--template goes with columns; attribute lines hold the features themselves");
    }
    ExtractionConfig config;
    config.format = InputFormat::attributes;
    if (!request.kit.empty()) config.kit = read_feature_kit(request.kit);
    check_is_fitted(config, request);
    return Extractor(config);
  }
  TrainRequest train;
  train.template_path = request.template_path;
  train.kit = request.kit;
  ExtractionConfig config = make_extraction(train, nullptr);
  config.columns = of_model.columns;
  config.more_columns = of_model.more_columns;
  check_is_fitted(config, request);
  Extractor extractor(config);
  for (std::size_t k = 0; k < extractor.templates().size(); ++k) {
    if (!extractor.templates().on_edges(k) || extractor.templates().is_constant(k)) continue;
    throw UsageError(request.template_path + ": the template " +
                     in_quotes(extractor.templates().line(k)) +
                     " observes edges, and attribute lines have attributes of positions only");
  }
  return extractor;
}

// Reads pairs in batches.
class PairReader {
 public:
  PairReader(const StackRequest& request, const SequenceModel& model, Labels labels)
      : request_(request),
        observed_(model.extractor()),
        spans_(spans_for(model)),
        features_(feature_extractor(request, observed_.config())),
        labels_(labels) {}

  // At most `positions` of them, or a few more; false at the end.
  bool next(std::size_t positions, std::vector<Pair>& out) {
    out.clear();
    for (std::size_t read = 0; read < positions;) {
      if (!source_) {
        if (file_ == request_.data.size()) break;
        source_.emplace(request_.data[file_++], observed_, labels_, spans_);
      }
      if (!source_->next(sequence_)) {
        source_.reset();
        continue;
      }
      Pair& pair = out.emplace_back();
      pair.file = source_->name();
      // Of attribute lines as they are, before the model adds its own (START, STOP).
      if (observed_.config().format == InputFormat::attributes) {
        source_->parse(sequence_);
        pair.features = sequence_.text;
      }
      source_->extract(sequence_, scratch_);
      pair.observed = sequence_.text;
      if (observed_.config().format == InputFormat::columns) {
        features_.extract(sequence_.rows, source_->labelled(), scratch_, pair.features);
      }
      read += pair.observed.length();
    }
    return !out.empty();
  }

 private:
  const StackRequest& request_;
  const Extractor& observed_;
  std::optional<ChunkScheme> spans_;
  Extractor features_;
  Labels labels_;
  std::size_t file_ = 0;
  std::optional<SequenceSource> source_;
  InputSequence sequence_;
  Extractor::Scratch scratch_;
};

// Fills text[n] for the pairs whose numbers are in `which`.
void label_pairs(const SequenceModel& model, std::span<const Pair> pairs,
                 std::span<const std::size_t> which, ThreadPool& pool,
                 std::vector<std::string>& text) {
  const TagPlan plan(model);
  std::vector<Tagger> taggers;
  for (std::size_t k = 0; k < pool.threads(); ++k) taggers.emplace_back(plan);
  pool.run(which.size(), [&](std::size_t k, std::size_t worker) {
    const Pair& pair = pairs[which[k]];
    const Tagging& tagging = taggers[worker].tag(pair.observed, {.marginals = true});
    if (!tagging.outcome.found) {
      throw InputError({pair.file, pair.observed.first_line},
                       "the sequence that begins here has probability 0 under the model", "",
                       "train the model with --smoothing above 0");
    }
    append_lines(pair.features, pair.file, tagging, model, text[which[k]]);
  });
}

std::shared_ptr<const HmmModel> train_without(std::span<const Pair> pairs, std::size_t part,
                                              std::size_t parts, const HmmOptions& options,
                                              const Extractor& extractor) {
  HmmTraining training(extractor);
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    if (n % parts != part) training.add(pairs[n].observed, pairs[n].file);
  }
  training.run(options);
  return std::make_shared<const HmmModel>(Container::from_bytes(
      training.model(Json::object()).bytes(), "the model of the other parts"));
}

void stack_jackknifed(const StackRequest& request, const SequenceModel& model, ThreadPool& pool,
                      const std::function<void(std::string_view)>& write) {
  if (model.calibrator()) {
    throw UsageError(request.model,
                     " is calibrated, and the models that --jackknife trains would not be; name "
                     "the model that it was made from");
  }
  if (model.kind() != HmmModel::kKind) {
    throw UsageError("--jackknife trains models of kind hmm, and ", request.model, " is of kind ",
                     model.kind());
  }
  const auto record = model.meta().value("training", Json::object());
  if (record.contains("hidden_positions")) {
    throw UsageError("--jackknife: ", request.model,
                     " was trained on data whose labels are not all known; it needs one that was "
                     "trained on labelled data");
  }
  HmmOptions options = reading(model.container(), "meta", [&] { return hmm_options(record); });
  options.threads = request.threads;
  std::vector<Pair> pairs;
  PairReader(request, model, Labels::required).next(std::numeric_limits<std::size_t>::max(), pairs);
  if (pairs.size() < request.jackknife) {
    throw UsageError("--jackknife ", request.jackknife, " is more than the ", pairs.size(),
                     " sequences of the data");
  }
  std::vector<std::string> text(pairs.size());
  for (std::size_t part = 0; part < request.jackknife; ++part) {
    std::vector<std::size_t> which;
    for (std::size_t n = part; n < pairs.size(); n += request.jackknife) which.push_back(n);
    const auto others = train_without(pairs, part, request.jackknife, options, model.extractor());
    label_pairs(*others, pairs, which, pool, text);
  }
  for (const std::string& lines : text) write(lines);
}

}  // namespace

void stack(const StackRequest& request, const std::function<void(std::string_view)>& write) {
  const auto model = open_model(request.model);
  if (!model->has_probabilities()) {
    throw UsageError(request.model + ": a vote has no probabilities to be features");
  }
  ThreadPool pool(request.threads);
  if (request.jackknife > 0) {
    stack_jackknifed(request, *model, pool, write);
    return;
  }
  PairReader reader(request, *model, Labels::optional);
  constexpr std::size_t kBatch = 20'000;  // positions
  std::vector<Pair> pairs;
  while (reader.next(kBatch, pairs)) {
    std::vector<std::size_t> which(pairs.size());
    for (std::size_t n = 0; n < which.size(); ++n) which[n] = n;
    std::vector<std::string> text(pairs.size());
    label_pairs(*model, pairs, which, pool, text);
    for (const std::string& lines : text) write(lines);
  }
}

}  // namespace croft
