// Gradient tree boosting of chains, of labels each by itself, and of segments.
#include <fmt/format.h>

#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "core/words/counted.h"
#include "train/boosting/boosted_chain.h"
#include "train/boosting/boosted_segments.h"
#include "train/course/report.h"

namespace croft {
namespace {

// What the other kinds' trainer is told of the same request.
TrainRequest shared_request(const BoostedRequest& request) {
  TrainRequest shared = request.train;
  // Trees need no constant beside their own.
  if (!shared.intercept) shared.intercept = false;
  shared.features = FeatureSet::all;
  shared.options.kind = request.kind == kBoostedMaxent ? ChainKind::maxent : ChainKind::chain;
  shared.options.early_stop = request.options.early_stop;
  return with_defaults(shared);
}

Json tree_record(const BoostingOptions& options, const BoostingResult& result) {
  return {{"trees", result.sharing == TreeSharing::shared ? "shared" : "label"},
          {"shrinkage", options.shrinkage},
          {"depth", options.tree.depth},
          {"leaves", options.tree.leaves},
          {"l2", options.tree.l2},
          {"min_child_weight", options.tree.min_child_weight},
          {"min_child_count", options.tree.min_child_count},
          {"min_gain", options.tree.min_gain},
          {"row_share", options.row_share},
          {"feature_share", options.tree.feature_share},
          {"trim", options.trim},
          {"bins", options.bins},
          {"pair_trees", options.pair_trees}};
}

TrainStep step_of(const BoostingProgress& now) {
  return {.text = fmt::format("round {} of {}  objective {:.2f}  leaves {}", now.round,
                              now.max_rounds, now.objective, now.leaves),
          .number = now.round,
          .most = now.max_rounds,
          .objective = now.objective,
          .further = {{"evaluations", now.round + 1, Shown::program},
                      {"gradient_norm", now.gradient_norm},
                      {"weight_norm", 0.0, Shown::program},
                      {"trees", now.trees},
                      {"active_features", now.leaves},
                      {"step", 0.0, Shown::program}},
          .holdout = now.holdout};
}

TrainOutcome outcome_of(const BoostingResult& result) {
  TrainOutcome outcome{
      .reason = result.stop,
      .converged = result.stop == "converged",
      .iterations = result.rounds,
      .objective = result.objective,
      .further = {{"message", result.stop, Shown::program},
                  {"trees", result.trees},
                  {"leaves", result.leaves, Shown::program},
                  {"active_features", result.leaves, Shown::log}},
      .holdout = result.holdout,
      .head = fmt::format("{}: {}", result.stop, counted(result.rounds, "round")),
      .tail = fmt::format("\nobjective {:.2f}, {} with {}, {} of {} tested", result.objective,
                          counted(result.trees, "tree"), counted(result.leaves, "leaf", "leaves"),
                          result.attributes, counted(result.features, "attribute"))};
  if (result.holdout) outcome.tail += "  " + holdout_text(*result.holdout);
  if (result.stop == "early_stop") {
    outcome.further.push_back({"kept_iteration", result.rounds, Shown::log});
  }
  return outcome;
}

class BoostedTrainer final : public SequenceTrainer {
 public:
  explicit BoostedTrainer(const BoostedRequest& asked)
      : SequenceTrainer(shared_request(asked)), asked_(asked) {
    check_request(request_);
    asked_.options.validate();
    asked_.segments.train = request_;
    if (of_segments()) check_segment_input(asked_.segments, asked_.kind);
  }
  std::vector<std::string> own_files() const override {
    return of_segments() ? segment_files(asked_.segments) : std::vector<std::string>();
  }
  StoppingRule stopping() const override {
    return {.max_iterations = asked_.options.rounds, .tolerance = 0};
  }
  void open() override {
    if (!of_segments()) return;
    segments_ = segment_options(asked_.segments);
    if (segments_->own_templates || !asked_.segments.segment_template.empty()) return;
    // A number, and not an attribute for each length: trees find ranges.
    segments_->templates = SegmentTemplates::parse("U1:%value[length]\n", "the default");
  }
  ExtractionConfig extraction() const override {
    return segments_ ? segment_extraction(asked_.segments, *segments_)
                     : make_extraction(request_, nullptr);
  }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder* checkpoints) override {
    BoostingOptions options = asked_.options;
    options.seed = request_.seed;
    options.label_weights = options_.label_weights;
    options.checkpoints = checkpoints;
    result_ = boosting_->run(options, scorer(), [&](const BoostingProgress& now) {
      return observer.iteration(step_of(now));
    });
    return outcome_of(result_);
  }

 private:
  bool of_segments() const { return asked_.kind == kBoostedSegment; }
  SequenceTraining& begin(const Extractor& extractor) override {
    if (segments_ && extractor.config().format == InputFormat::columns) {
      segments_->templates.check_columns(extractor.config().columns);
    }
    if (segments_) {
      boosting_ = std::make_unique<BoostedSegments>(extractor, *segments_);
    } else {
      boosting_ = std::make_unique<BoostedChain>(extractor, asked_.kind);
    }
    return *boosting_;
  }
  Json record() const override {
    Json record = tree_record(asked_.options, result_);
    record.update({{"objective", "likelihood"},
                   {"seed", request_.seed},
                   {"sequences", boosting_->sequences()},
                   {"positions", boosting_->positions()},
                   {"attributes", boosting_->attributes()},
                   {"attributes_offered", result_.features},
                   {"attributes_tested", result_.attributes},
                   {"rounds", result_.rounds},
                   {"tree_count", result_.trees},
                   {"leaf_count", result_.leaves},
                   {"objective_value", result_.objective},
                   {"stop", result_.stop}});
    if (result_.holdout) {
      record["holdout_accuracy"] = result_.holdout->token_accuracy;
      if (result_.holdout->chunk_f1) record["holdout_f1"] = *result_.holdout->chunk_f1;
    }
    if (const std::size_t partial = boosting_->partial_positions()) {
      record["partial_positions"] = partial;
    }
    if (!request_.weights.empty()) record["weights"] = "file";
    add_class_weights(request_.class_weights, record);
    return record;
  }
  ContainerWriter file(const Json& record) const override { return boosting_->model(record); }

  BoostedRequest asked_;
  std::optional<SegmentOptions> segments_;
  std::unique_ptr<Boosting> boosting_;
  BoostingResult result_;
};

}  // namespace

std::unique_ptr<SequenceTrainer> make_trainer(const BoostedRequest& request) {
  return std::make_unique<BoostedTrainer>(request);
}

}  // namespace croft
