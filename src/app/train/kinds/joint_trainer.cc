// Maximum entropy with joint features of x and y.
#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "data/settings/field_files.h"
#include "train/course/report.h"

namespace croft {
namespace {

JointTemplates read_templates(const std::string& path) {
  LineReader lines(path);
  const std::string text = text_of(lines);
  return JointTemplates::parse(text, lines.name());
}

LabelClasses read_classes(const std::string& path, const JointTemplates& templates) {
  if (path.empty()) {
    if (templates.uses_classes()) {
      throw UsageError(
          "the joint templates have %y[class]; name the classes' file with "
          "--label-classes");
    }
    return {};
  }
  if (!templates.uses_classes()) {
    throw UsageError("--label-classes ", path, ": no joint template has %y[class]; leave it out");
  }
  LineReader lines(path);
  return read_label_class_file(lines);
}

TrainRequest with_joint_defaults(const TrainRequest& asked) {
  TrainRequest request = with_defaults(asked);
  if (!request.features) request.features = FeatureSet::observed;
  return request;
}

class JointTrainer final : public SequenceTrainer {
 public:
  explicit JointTrainer(const JointRequest& asked)
      : SequenceTrainer(with_joint_defaults(asked.train)), asked_(asked) {
    check_early_stop(request_);
    request_.check(request_.options.stop);
  }
  std::vector<std::string> own_files() const override {
    return {asked_.template_path, asked_.classes_path};
  }
  void open() override {
    templates_ = read_templates(asked_.template_path);
    classes_ = read_classes(asked_.classes_path, templates_);
  }
  ExtractionConfig extraction() const override {
    return joint_extraction(templates_, asked_.template_path);
  }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder*) override {
    result_ = joint_->run(
        options_, [&](const TrainProgress& now) { return observer.iteration(step_of(now)); },
        early_stop());
    result_.holdout.reset();  // what is kept is scored at the end
    return outcome_of(result_, options_.regulariser.l1);
  }

 private:
  bool scored_at_end() const override { return true; }
  Sharing sharing() const override { return Sharing::work; }
  Structure structure() const override { return Structure::joint; }
  std::unique_ptr<TrainingInput> open_input(TrainObserver& observer) const override {
    try {
      return SequenceTrainer::open_input(observer);
    } catch (const InputError& error) {
      templates_.fail_as_window(error, asked_.template_path);
      throw;
    }
  }
  SequenceTraining& begin(const Extractor& extractor) override {
    joint_.emplace(extractor, templates_, classes_);
    joint_->method(options_);  // one that joint features have not is refused before data is read
    return *joint_;
  }
  Json record() const override {
    Json record = common_record(joint_->method(options_), joint_->precision(options_), result_);
    record.erase("total_weight");  // its examples are positions
    return record;
  }
  ContainerWriter file(const Json& record) const override { return joint_->model(record); }

  JointRequest asked_;
  JointTemplates templates_;
  LabelClasses classes_;
  std::optional<JointTraining> joint_;
  TrainResult result_;
};

}  // namespace

ExtractionConfig joint_extraction(const JointTemplates& templates, const std::string& name) {
  ExtractionConfig config;
  config.template_text = templates.extraction();
  config.template_name = name;
  config.language = TemplateLanguage::wapiti;
  return config;
}

std::unique_ptr<SequenceTrainer> make_trainer(const JointRequest& request) {
  return std::make_unique<JointTrainer>(request);
}

}  // namespace croft
