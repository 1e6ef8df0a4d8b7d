#include "app/train/train_joint.h"

#include "app/file_checks.h"
#include "core/atomic_file.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"

namespace croft {
namespace {

JointTemplates read_templates(const std::string& path) {
  LineReader lines(path);
  std::string text;
  for (std::string_view line; lines.next(line);) text.append(line).append("\n");
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
    throw UsageError("--label-classes " + path + ": no joint template has %y[class]; leave it out");
  }
  LineReader lines(path);
  return read_label_class_file(lines);
}

Json training_record(const TrainRequest& request, const TrainOptions& options,
                     const JointTraining& training, const TrainResult& result) {
  return {{"objective", info(options.objective).name},
          {"optimizer", info(training.method(options)).name},
          {"l1", options.regulariser.l1},
          {"l2", options.regulariser.l2},
          {"features", options.features == FeatureSet::all ? "all" : "observed"},
          {"min_count", options.min_count},
          {"precision", training.precision(options) == Precision::single ? "single" : "double"},
          {"seed", request.seed},
          {"sequences", training.sequences()},
          {"positions", training.positions()},
          {"attributes", training.attributes()},
          {"weights", result.dimension},
          {"nonzero_weights", result.active},
          {"iterations", result.optimization.iterations},
          {"evaluations", result.optimization.evaluations},
          {"objective_value", result.optimization.objective},
          {"gradient_norm", result.optimization.gradient_norm},
          {"stop", stop_reason_name(result.optimization.reason)}};
}

}  // namespace

ExtractionConfig joint_extraction(const JointTemplates& templates, const std::string& name) {
  ExtractionConfig config;
  config.template_text = templates.extraction();
  config.template_name = name;
  config.language = TemplateLanguage::wapiti;
  return config;
}

TrainedModel train_joint_on(const TrainRequest& asked, const JointTemplates& templates,
                            const LabelClasses& classes, TrainingInput& input,
                            const TrainWatcher& watcher) {
  const TrainRequest request = with_defaults(asked);
  TrainOptions options = request.options;
  options.features = request.features.value_or(FeatureSet::observed);
  JointTraining training(input.extractor(), templates, classes);
  training.method(options);  // one that joint features have not is refused before the data is read
  input.read([&](TextSequence& sequence, const std::string&) { training.add(sequence); });
  if (watcher.data_read) {
    watcher.data_read({training.sequences(), training.positions(), training.labels(),
                       training.attributes(), 0, 0, options.features, false});
  }
  TrainedModel trained;
  trained.result = training.run(options, [&](const TrainProgress& progress) {
    return !watcher.iteration || watcher.iteration(progress);
  });
  Json record = training_record(request, options, training, trained.result);
  input.describe(record);
  trained.model = training.model(record);
  return trained;
}

TrainResult train_joint(const JointRequest& request, const TrainWatcher& watcher) {
  std::vector<std::string> inputs = request.train.data;
  inputs.insert(inputs.end(), {request.template_path, request.classes_path, request.train.weights});
  check_files(inputs, request.train.output);
  // Created and removed: what forbids writing the model is known before the work, not after it.
  AtomicFile{request.train.output};
  try {
    const JointTemplates templates = read_templates(request.template_path);
    const LabelClasses classes = read_classes(request.classes_path, templates);
    const auto files = [&] {
      try {
        return open_training_files(request.train,
                                   joint_extraction(templates, request.template_path), watcher);
      } catch (const InputError& error) {
        templates.fail_as_window(error, request.template_path);
        throw;
      }
    }();
    const TrainedModel trained = train_joint_on(request.train, templates, classes, *files, watcher);
    trained.model.write(request.train.output);
    return trained.result;
  } catch (const Interrupted& reason) {
    throw Interrupted(std::string(reason.what()) + "; there is no model to keep yet");
  }
}

}  // namespace croft
