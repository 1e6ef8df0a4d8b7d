#include "cli/train_boosted.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "cli/common.h"
#include "cli/json_log.h"
#include "cli/kind_options.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"

namespace croft::cli {
namespace {

using json = Json;

constexpr auto kOwn = std::to_array<std::string_view>(
    {"rounds", "shrinkage", "depth", "leaves", "min-child-weight", "min-child-count", "min-gain",
     "row-share", "feature-share", "trim", "bins", "trees", "pair-trees"});
// What is read, and how.
constexpr auto kShared =
    std::to_array<std::string_view>({"help",      "help-all",   "model",      "DATA",
                                     "output",    "format",     "template",   "template-language",
                                     "kit",       "boundaries", "partial",    "partial-separator",
                                     "weights",   "holdout",    "early-stop", "l2",
                                     "tolerance", "checkpoint", "resume",     "checkpoint-interval",
                                     "seed",      "threads",    "log",        "quiet"});
// Of texts and tables.
constexpr auto kTexts = std::to_array<std::string_view>(
    {"class-weights", "analyzer",  "ngrams",    "keep-case",     "stop-words",
     "term-weights",  "sublinear", "norm",      "min-documents", "max-documents",
     "max-terms",     "hash-bits", "delimiter", "label",         "numeric",
     "categorical",   "ignore",    "missing",   "standardise",   "standardize"});
constexpr auto kSegments = std::to_array<std::string_view>(
    {"segment-template", "gazetteer", "max-length", "text-attribute", "label-scheme"});
constexpr auto kUsed = joined(kOwn, kShared, kTexts);
constexpr auto kUsedOfSegments = joined(kOwn, kShared, kSegments);

// Lines on stderr, JSON lines in a log.
class BoostingReport {
 public:
  BoostingReport(const std::string& log, bool quiet) : quiet_(quiet), log_(log) {}

  void data_read(const TrainData& data) {
    if (quiet_) return;
    std::string text = fmt::format("{} sequences, {} positions, {} labels, {} attributes",
                                   data.sequences, data.positions, data.labels, data.attributes);
    if (data.holdout_sequences > 0) text += fmt::format("; {} held out", data.holdout_sequences);
    if (data.partial_positions > 0) {
      text += fmt::format("; {} without a single label", data.partial_positions);
    }
    if (data.default_features) {
      text += "\nno --template given: using the default features for words";
    }
    std::fprintf(stderr, "%s (read in %.1f s)\n", text.c_str(), seconds());
  }

  void round(const BoostingProgress& now) {
    json line = {{"event", "iteration"},       {"iteration", now.round},
                 {"objective", now.objective}, {"gradient_norm", now.gradient_norm},
                 {"trees", now.trees},         {"active_features", now.leaves},
                 {"seconds", seconds()}};
    if (now.holdout) {
      line["holdout_accuracy"] = now.holdout->token_accuracy;
      if (now.holdout->chunk_f1) line["holdout_f1"] = *now.holdout->chunk_f1;
    }
    log_.write(line);
    if (quiet_ || (now.round % 10 != 0 && Clock::now() - last_ < std::chrono::seconds(2))) return;
    last_ = Clock::now();
    std::fprintf(stderr, "round %zu of %zu  objective %.2f  leaves %zu%s  %.1f s\n", now.round,
                 now.max_rounds, now.objective, now.leaves, holdout_text(now.holdout).c_str(),
                 seconds());
  }

  void done(const BoostingResult& result, const std::string& output) {
    json line = {{"event", "done"},
                 {"reason", result.stop},
                 {"objective", result.objective},
                 {"iterations", result.rounds},
                 {"trees", result.trees},
                 {"active_features", result.leaves},
                 {"seconds", seconds()}};
    if (result.stop == "early_stop") line["kept_iteration"] = result.rounds;
    log_.write(line);
    if (quiet_) return;
    std::fprintf(stderr,
                 "%s: %zu rounds, %.1f s\nobjective %.2f, %zu trees with %zu leaves, %zu of %zu "
                 "attributes tested%s\nwrote %s\n",
                 result.stop.c_str(), result.rounds, seconds(), result.objective, result.trees,
                 result.leaves, result.attributes, result.features,
                 holdout_text(result.holdout).c_str(), output.c_str());
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  static std::string holdout_text(const std::optional<HoldoutScore>& score) {
    if (!score) return "";
    return score->chunk_f1 ? fmt::format("  hold-out F1 {:.2f}", 100 * *score->chunk_f1)
                           : fmt::format("  hold-out accuracy {:.2f}", 100 * score->token_accuracy);
  }

  bool quiet_;
  JsonLog log_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace

void add_boosted_options(CLI::App& verb, BoostedCommand& c) {
  constexpr const char* kGroup =
      "Gradient tree boosting (--model boosted-chain, boosted-maxent, boosted-segment)";
  BoostingOptions& o = c.options;
  const auto number = [&](const char* name, auto& value, const CLI::Validator& range,
                          const char* what) {
    verb.add_option(name, value, what)->transform(range)->capture_default_str()->group(kGroup);
  };
  number("--rounds", o.rounds, whole_number(), "Rounds, each with a tree for every label");
  number("--shrinkage", o.shrinkage, finite_number(0),
         "The share of each tree that is added, above 0 and not above 1");
  number("--depth", o.tree.depth, whole_number(0),
         "Tests on the way to a leaf at most; 0: trees are constants");
  number("--leaves", o.tree.leaves, whole_number(1, kMostLeaves), "Leaves of a tree at most");
  number("--min-child-weight", o.tree.min_child_weight, finite_number(0),
         "Sum of second derivatives, p (1 - p) of each position, that a leaf has at least");
  number("--min-child-count", o.tree.min_child_count, whole_number(1),
         "Positions that a leaf has at least");
  number("--min-gain", o.tree.min_gain, finite_number(0),
         "A test must lower the objective by more than this, to second order");
  number("--row-share", o.row_share, finite_number(0),
         "Of the sequences, drawn anew for each round");
  number("--feature-share", o.tree.feature_share, finite_number(0),
         "Of the attributes, drawn anew for each tree");
  number("--trim", o.trim, finite_number(0),
         "Grow trees without the positions of the smallest gradients, which together have this "
         "share of the sum of all");
  number("--bins", o.bins, whole_number(2, 256), "Bins of a numeric attribute at most");
  add_choice<TreeSharing>(
      verb, "--trees", o.trees, {{"label", TreeSharing::label}, {"shared", TreeSharing::shared}},
      "label: a tree for each label a round; shared: one, whose leaves have a value for each")
      ->option_text("HOW=label")
      ->group(kGroup);
  verb.add_flag("--pair-trees", o.pair_trees,
                "boosted-chain: trees also for each pair of neighbouring labels that the data has")
      ->group(kGroup);
}

std::span<const std::string_view> boosted_option_names(std::string_view kind) {
  if (kind == kBoostedSegment) return kUsedOfSegments;
  return kUsed;
}
std::span<const std::string_view> boosted_only_option_names() { return kOwn; }

int run_boosted(const std::string& kind, const BoostedCommand& command,
                const SegmentRequest& segments, const TrainRequest& shared, const std::string& log,
                bool quiet) {
  BoostedRequest request{shared, kind, command.options, segments};
  BoostingOptions& options = request.options;
  if (shared.l2) options.tree.l2 = *shared.l2;
  if (shared.tolerance) options.tolerance = *shared.tolerance;
  options.early_stop = shared.options.early_stop;
  options.threads = shared.options.threads;
  request.train.l2 = request.train.tolerance = std::nullopt;
  options.validate();
  handle_interrupts();
  BoostingReport report(log, quiet);
  const BoostedWatcher watcher{.data_read = [&](const TrainData& data) { report.data_read(data); },
                               .reading = {},
                               .round =
                                   [&](const BoostingProgress& now) {
                                     report.round(now);
                                     return !interruption;
                                   }};
  const BoostingResult result = train_boosted(request, watcher);
  report.done(result, shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
