// Maximum entropy with joint features of x and y.
#include "app/train/make_trainer.h"
#include "app/train/train_files.h"
#include "data/settings/field_files.h"
#include "train/course/report.h"

namespace croft {
namespace {

constexpr const char* kTemplateName = "the joint template";  // of text that stands in no file

JointTemplates read_templates(const JointRequest& request) {
  if (!request.template_text.empty()) {
    return JointTemplates::parse(request.template_text, kTemplateName);
  }
  LineReader lines(request.template_path);
  const std::string text = text_of(lines);
  return JointTemplates::parse(text, lines.name());
}

LabelClasses read_classes(const JointRequest& request, const JointTemplates& templates) {
  const std::string& path = request.classes_path;
  if (path.empty() && !request.classes.empty()) {
    if (templates.uses_classes()) return request.classes;
    throw UsageError("--label-classes: no joint template has %y[class]; leave it out");
  }
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
  JointTrainer(const JointRequest& asked, std::shared_ptr<const JointModel> init)
      : SequenceTrainer(with_joint_defaults(asked.train)), asked_(asked), init_(std::move(init)) {
    if (asked_.template_path.empty() && asked_.template_text.empty()) {
      throw UsageError("joint features come of --joint-template, and there is none");
    }
    check_early_stop(request_);
    holdout_fraction(request_.holdout);  // one that is out of range is refused
    request_.check(request_.options.stop);
  }
  std::vector<std::string> own_files() const override {
    return {asked_.template_path, asked_.classes_path};
  }
  void open() override {
    templates_ = read_templates(asked_);
    classes_ = read_classes(asked_, templates_);
    if (!init_) init_ = open_start<JointModel>(request_);
  }
  ExtractionConfig extraction() const override {
    ExtractionConfig config = joint_extraction(templates_, template_name());
    if (init_) config.form = init_->extractor().config().form;
    return config;
  }

  TrainOutcome fit(TrainObserver& observer, CheckpointFolder*) override {
    result_ = joint_->run(
        options_, [&](const TrainProgress& now) { return observer.iteration(step_of(now)); },
        early_stop());
    result_.holdout.reset();  // what is kept is scored at the end
    return outcome_of(result_, options_.regulariser.l1);
  }

 private:
  std::string template_name() const {
    return asked_.template_path.empty() ? std::string(kTemplateName) : asked_.template_path;
  }
  bool scored_at_end() const override { return true; }
  Sharing sharing() const override { return Sharing::work; }
  Structure structure() const override { return Structure::joint; }
  std::unique_ptr<TrainingInput> open_input(TrainObserver& observer) const override {
    try {
      return SequenceTrainer::open_input(observer);
    } catch (const InputError& error) {
      templates_.fail_as_window(error, template_name());
      throw;
    }
  }
  SequenceTraining& begin(const Extractor& extractor) override {
    joint_.emplace(extractor, templates_, classes_, init_.get());
    joint_->method(options_);  // one that joint features have not is refused before data is read
    return *joint_;
  }
  Json record() const override {
    Json record = common_record(joint_->method(options_), joint_->precision(options_), result_);
    record.erase("total_weight");  // its examples are positions
    return record;
  }
  ContainerWriter file(const Json& record) const override { return joint_->model(record); }

  const SequenceModel* start() const override { return init_.get(); }

  JointRequest asked_;
  std::shared_ptr<const JointModel> init_;
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

std::unique_ptr<SequenceTrainer> make_trainer(const JointRequest& request,
                                              std::shared_ptr<const JointModel> init) {
  return std::make_unique<JointTrainer>(request, std::move(init));
}

}  // namespace croft
