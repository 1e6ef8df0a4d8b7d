#include "app/convert/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "app/label/documents.h"
#include "app/label/sequence_source.h"
#include "app/label/tagger.h"
#include "app/search/trials.h"
#include "app/train/data_fit.h"
#include "app/train/data_groups.h"
#include "app/train/feature_kit_file.h"
#include "app/train/file_shares.h"
#include "app/train/retrain.h"
#include "app/train/train_request.h"
#include "croft/core/error.h"
#include "croft/core/parallel.h"
#include "data/attributes.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

// A sequence for the model that has posteriors, and for the one that will use them.
struct Pair {
  TextSequence observed, features;
  std::string file;
  std::vector<std::string> words;  // of `elsewhere`
};

using Posteriors = std::vector<LabelShares>;  // [positions]

// --- what is written

// Attributes of one sequence that are made here, whose names the data must not have: the values
// would add up.
class Lines {
 public:
  //   elsewhere : whose attributes are written, too; may be null
  Lines(const Pair& pair, const SequenceModel& model, const Elsewhere* elsewhere)
      : pair_(pair), model_(model), prefix_(model.kind() + "="), elsewhere_(elsewhere) {}

  // The attributes of the data, then those of each of `made` for the position.
  template <class Made>
  std::string text(const Made& made) const {
    std::string out;
    const TextSequence& text = pair_.features;
    if (text.weight_given) fmt::format_to(std::back_inserter(out), "@weight:{}\n", text.weight);
    for (std::size_t t = 0; t < text.length(); ++t) {
      if (text.has_labels()) out += escape_attribute(text.labels.item(t));
      for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
        check_name(text.node.item(k));
        append(text.node.item(k), text.node.value(k), out);
      }
      made(t, [&](std::string_view name, double value) { append(name, value, out); });
      out += '\n';
    }
    return out + '\n';
  }

 private:
  static void append(std::string_view name, double value, std::string& out) {
    out += '\t' + escape_attribute(name);
    if (value != 1) fmt::format_to(std::back_inserter(out), ":{:.6g}", value);
  }
  bool is_posterior(std::string_view name) const {
    if (!name.starts_with(prefix_)) return false;
    Label y = 0;
    while (y < model_.labels() && model_.label(y) != name.substr(prefix_.size())) ++y;
    return y < model_.labels();
  }
  void check_name(std::string_view name) const {
    if (is_posterior(name)) fail(name, "a posterior of this model");
    if (elsewhere_ != nullptr && elsewhere_->makes(name)) fail(name, "what a word is elsewhere");
  }
  [[noreturn]] void fail(std::string_view name, std::string_view what) const {
    throw InputError(
        {pair_.file, pair_.features.first_line},
        Message("an attribute with the name of ", what, " in the sequence that begins here"), name,
        "rename it: of two with one name the values would add up");
  }

  const Pair& pair_;
  const SequenceModel& model_;
  std::string prefix_;
  const Elsewhere* elsewhere_;
};

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
  //   files : the data of the request, where it is read twice; empty: it is read here
  PairReader(const StackRequest& request, const SequenceModel& model, Labels labels,
             std::span<const RepeatableFile> files = {})
      : request_(request),
        files_(files),
        model_(model),
        observed_(model.extractor()),
        form_(model),
        features_(feature_extractor(request, observed_.config())),
        labels_(labels) {}

  // At most `positions` of them, or a few more; false at the end.
  bool next(std::size_t positions, std::vector<Pair>& out) {
    out.clear();
    for (std::size_t read = 0; read < positions;) {
      if (!source_) {
        if (file_ == request_.data.size()) break;
        LineReader lines =
            files_.empty() ? form_.lines(request_.data[file_], false) : files_[file_].lines();
        source_.emplace(std::move(lines), model_, labels_, form_.spans(), form_.columns());
        ++file_;
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
      if (request_.elsewhere) take_words(pair);
      read += pair.observed.length();
    }
    return !out.empty();
  }

 private:
  void take_words(Pair& pair) const {
    for (std::size_t t = 0; t < sequence_.rows.rows(); ++t) {
      pair.words.emplace_back(sequence_.rows.cell(t, *request_.elsewhere));
    }
  }

  const StackRequest& request_;
  std::span<const RepeatableFile> files_;
  const SequenceModel& model_;
  const Extractor& observed_;
  DataForm form_;
  Extractor features_;
  Labels labels_;
  std::size_t file_ = 0;
  std::optional<SequenceSource> source_;
  InputSequence sequence_;
  Extractor::Scratch scratch_;
};

// Fills out[n] for the pairs whose numbers are in `which`.
//   known : whose numbers the labels get
void label_pairs(const SequenceModel& known, const SequenceModel& model,
                 std::span<const Pair> pairs, std::span<const std::size_t> which, ThreadPool& pool,
                 std::vector<Posteriors>& out) {
  const TagPlan plan(model);
  const std::vector<Label> number = numbers_in(known, model);
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
    take_shares(tagging.marginals, number, out[which[k]]);
  });
}

// --- all of the data at once

// The data of a jackknife, or of documents: read whole.
class WholeData {
 public:
  WholeData(const StackRequest& request, const SequenceModel& model, const StackCalls& calls)
      : request_(request), model_(model), calls_(calls), pool_(request.threads) {
    const DataForm data(model);
    for (const std::string& path : request.data) {
      if (data.is_foreign()) {
        files_.emplace_back(data.lines(path, false));
      } else {
        files_.emplace_back(path);
      }
    }
    const BlockForm form = form_of(model.extractor().config(), data.spans().has_value());
    for (const RepeatableFile& file : files_) {
      LineReader lines = file.lines();
      append_blocks(lines, form, blocks_);
    }
    const Labels labels = request.jackknife > 0 ? Labels::required : Labels::optional;
    PairReader(request, model, labels, files_)
        .next(std::numeric_limits<std::size_t>::max(), pairs_);
    if (pairs_.size() != blocks_.blocks.size()) {
      throw Error("the data has ", blocks_.blocks.size(), " sequences, and ", pairs_.size(),
                  " were read: leave the files alone while they are read");
    }
    groups_ = members_of(group_by(request.group_by, blocks_, form), pairs_.size());
  }

  void run() {
    posteriors_.resize(pairs_.size());
    if (request_.jackknife > 0) {
      jackknife();
    } else {
      std::vector<std::size_t> all(pairs_.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      label_pairs(model_, model_, pairs_, all, pool_, posteriors_);
    }
    std::vector<std::string> text(pairs_.size());
    std::vector<Elsewhere> elsewhere(pool_.threads(), Elsewhere(model_));
    pool_.run(groups_.size(), [&](std::size_t g, std::size_t worker) {
      write_group(groups_[g], elsewhere[worker], text);
    });
    for (const std::string& lines : text) calls_.write(lines);
  }

 private:
  void jackknife() {
    const std::size_t parts = request_.jackknife;
    if (parts == 1) {
      throw UsageError("a jackknife of 1 part leaves nothing to train on; take 2 parts or more");
    }
    if (groups_.size() < parts) {
      throw UsageError("--jackknife ", parts, " is more than the ", groups_.size(),
                       request_.group_by.empty() ? Message(" sequences of the data")
                                                 : Message(" groups of the data"));
    }
    const bool may_divide = request_.group_by.empty() && !request_.contiguous;
    const auto mark = may_divide ? document_mark(blocks_) : std::nullopt;
    if (mark) calls_.warn(ungrouped_warning(*mark, "in several parts"));
    const WorkFolder folder;
    for (std::size_t part = 0; part < parts; ++part) {
      std::vector<std::size_t> own, others;
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        const std::size_t of = request_.contiguous ? g * parts / groups_.size() : g % parts;
        std::vector<std::size_t>& to = of == part ? own : others;
        to.insert(to.end(), groups_[g].begin(), groups_[g].end());
      }
      std::ranges::sort(others);
      const RetrainRequest how{folder.file("data"), folder.file("model"), request_.options,
                               pool_.threads()};
      write_text(how.data, blocks_.text(others));
      label_pairs(model_, *retrain(model_, how), pairs_, own, pool_, posteriors_);
      if (calls_.progress) calls_.progress(part + 1, parts);
    }
  }

  void write_group(std::span<const std::size_t> group, Elsewhere& elsewhere,
                   std::vector<std::string>& text) const {
    const bool any = request_.elsewhere.has_value();
    elsewhere.clear();
    for (const std::size_t n : group) {
      for (std::size_t t = 0; any && t < posteriors_[n].size(); ++t) {
        elsewhere.add(pairs_[n].words[t], posteriors_[n][t]);
      }
    }
    for (const std::size_t n : group) {
      const Lines lines(pairs_[n], model_, any ? &elsewhere : nullptr);
      text[n] = lines.text([&](std::size_t t, const auto& append) {
        const LabelShares& own = posteriors_[n][t];
        for (const auto& [y, p] : own) append(model_.kind() + "=" + model_.label(y), p);
        if (any) elsewhere.visit(pairs_[n].words[t], own, append);
      });
    }
  }

  const StackRequest& request_;
  const SequenceModel& model_;
  const StackCalls& calls_;
  ThreadPool pool_;
  std::vector<RepeatableFile> files_;
  DataBlocks blocks_;
  std::vector<Pair> pairs_;                       // [sequences]
  std::vector<std::vector<std::size_t>> groups_;  // their sequences
  std::vector<Posteriors> posteriors_;            // [sequences]
};

void check(const StackRequest& request, const SequenceModel& model) {
  if (!model.has_probabilities()) {
    throw UsageError(request.model + ": a vote has no probabilities to be features");
  }
  if (request.jackknife > 0 && model.calibrator()) {
    throw UsageError(request.model,
                     " is calibrated, and the models that --jackknife trains would not be; name "
                     "the model that it was made from");
  }
  if (!request.elsewhere) return;
  const ExtractionConfig& config = model.extractor().config();
  if (config.format != InputFormat::columns) {
    throw UsageError("--elsewhere looks at the words of columns, and ", request.model,
                     " is of attribute lines");
  }
  if (*request.elsewhere >= config.columns) {
    throw UsageError("--elsewhere ", *request.elsewhere, ": the data has ", config.columns,
                     config.columns == 1 ? Message(" column") : Message(" columns"),
                     " besides the labels, and the first is 0");
  }
  if (request.group_by.empty()) {
    throw UsageError(
        "--elsewhere looks through documents: say by --group-by what makes sequences a document");
  }
}

}  // namespace

void stack(const StackRequest& request, const StackCalls& calls) {
  const auto model = open_model(request.model);
  check(request, *model);
  if (request.jackknife > 0 || request.elsewhere) {
    WholeData(request, *model, calls).run();
    return;
  }
  ThreadPool pool(request.threads);
  PairReader reader(request, *model, Labels::optional);
  constexpr std::size_t kBatch = 20'000;  // positions
  std::vector<Pair> pairs;
  while (reader.next(kBatch, pairs)) {
    std::vector<std::size_t> which(pairs.size());
    std::iota(which.begin(), which.end(), std::size_t{0});
    std::vector<Posteriors> posteriors(pairs.size());
    label_pairs(*model, *model, pairs, which, pool, posteriors);
    std::vector<std::string> text(pairs.size());
    pool.run(pairs.size(), [&](std::size_t n, std::size_t) {
      text[n] = Lines(pairs[n], *model, nullptr).text([&](std::size_t t, const auto& append) {
        for (const auto& [y, p] : posteriors[n][t])
          append(model->kind() + "=" + model->label(y), p);
      });
    });
    for (const std::string& lines : text) calls.write(lines);
  }
}

}  // namespace croft
