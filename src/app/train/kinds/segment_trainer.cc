// Segments, and not positions, that depend on their neighbours.
#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "train/course/report.h"

namespace croft {
namespace {

// with_defaults() of the optimiser that segments take where none is named.
TrainRequest with_segment_defaults(TrainRequest request) {
  TrainOptions& options = request.options;
  const bool from_weights = !request.init.empty() || !request.prior.empty(),
             by_default = !options.method;
  const Method method = segment_method(options, kFewPositions, from_weights);
  if (method != options.chosen_method(from_weights, kFewPositions)) options.method = method;
  request = with_defaults(std::move(request));
  check_segment_choice(request.options, from_weights, by_default);
  return request;
}

class SegmentTrainer final : public SequenceTrainer {
 public:
  SegmentTrainer(const SegmentRequest& asked, std::shared_ptr<const SegmentModel> init)
      : SequenceTrainer(with_segment_defaults(asked.train)),
        asked_(asked),
        names_method_(asked.train.options.method.has_value()),
        init_(std::move(init)) {
    asked_.train = request_;
    check_request(request_);
    check_segment_input(asked_, SegmentModel::kKind);
  }
  std::vector<std::string> own_files() const override { return segment_files(asked_); }
  void open() override {
    if (!init_) init_ = open_start<SegmentModel>(request_);
    segments_ = segment_options(asked_, init_.get());
  }
  DataRules rules() const override { return {.unlabelled = request_.unlabelled}; }
  ExtractionConfig extraction() const override {
    return segment_extraction(asked_, segments_, init_.get());
  }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder*) override {
    result_ = segment_->run(options_, scorer(), [&](const TrainProgress& now) {
      return observer.iteration(step_of(now));
    });
    if (const std::string& warning = result_.optimization.warning; !warning.empty()) {
      observer.warn(warning);
    }
    return outcome_of(result_, options_.regulariser.l1);
  }

 private:
  SequenceTraining& begin(const Extractor& extractor) override {
    if (extractor.config().format == InputFormat::columns) {
      segments_.templates.check_columns(extractor.config().columns);
    }
    segment_.emplace(extractor, segments_, init_);
    segment_->method(options_);  // one that segments have not is refused before the data is read
    return *segment_;
  }
  Json record() const override {
    Json record = common_record(segment_->method(options_), segment_->precision(options_), result_);
    record["segments"] = segment_->encoder().segments();
    add_unlabelled(options_.unlabelled, {{"sequences", segment_->unlabelled_sequences()}},
                   result_.self_training, record);
    return record;
  }
  ContainerWriter file(const Json& record) const override { return segment_->model(record); }

  const SequenceModel* start() const override { return init_.get(); }
  Sharing sharing() const override { return Sharing::work; }
  Structure structure() const override { return Structure::segments; }
  bool names_method() const override { return names_method_; }
  ChosenMethod chosen() const override {
    return names_method_ ? ChosenMethod{segment_->method(options_), ""}
                         : segment_->choose(options_);
  }

  SegmentRequest asked_;
  bool names_method_;
  std::shared_ptr<const SegmentModel> init_;
  SegmentOptions segments_;
  std::optional<SegmentTraining> segment_;
  TrainResult result_;
};

}  // namespace

std::unique_ptr<SequenceTrainer> make_trainer(const SegmentRequest& request,
                                              std::shared_ptr<const SegmentModel> init) {
  return std::make_unique<SegmentTrainer>(request, std::move(init));
}

}  // namespace croft
