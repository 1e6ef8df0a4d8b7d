#include "app/train/retrain.h"

#include "app/convert/texts/text_readers.h"
#include "app/label/model_tokenizer.h"
#include "app/label/row_reader.h"
#include "app/train/recorded_options.h"
#include "app/train/requests.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "features/extraction.h"
#include "model/kinds/joint_model.h"
#include "model/kinds/mixture_model.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

Json training_record(const SequenceModel& model) {
  const std::string& name = model.container().name();
  const Json record = model.meta().value("training", Json::object());
  if (record.empty()) {
    throw UsageError(name, " does not say how it was trained; train it here");
  }
  if (record.contains("hidden_positions") || record.contains("partial_positions")) {
    throw UsageError(name,
                     " was trained on data whose labels are not all known; it needs one that was "
                     "trained on labelled data");
  }
  return record;
}

// Data of other programs has become columns or spans.
std::string format_here(const RecordedOption& each) {
  const TextFormat* const foreign =
      each.option == "format" ? find_text_format(each.value) : nullptr;
  if (foreign == nullptr || !foreign->trains) return each.value;
  return foreign->labels_tokens ? "columns" : kSpanFormat;
}

// Options of data of other programs, which has become columns or spans.
constexpr bool is_of_another_program(std::string_view option) {
  return option == "label-column" || option == "misaligned";
}

// As the model's training was called.
OptionValues values_of(const SequenceModel& model, const Json& record,
                       const RetrainRequest& request) {
  if (model.kind() == JointModel::kKind || model.kind() == MixtureModel::kKind) {
    throw UsageError(model.container().name(), " is of kind ", model.kind(),
                     ", whose training needs files that the model does not have; train models of "
                     "parts of the data by themselves");
  }
  OptionValues given(training_options()), values(training_options());
  for (const std::string& each : request.options) given.set_argument(each);
  const auto is_given = [&](std::string_view option) {
    return !option.empty() && given.given(option);
  };
  const std::string trained_on = record.value("format", std::string());
  for (const RecordedOption& each : recorded_options(model, record)) {
    if (each.is_file || is_given(each.option)) continue;
    if (!trained_on.empty() && is_of_another_program(each.option)) continue;
    if (is_given(values.row(each.option).excludes)) continue;
    values.set(each.option, format_here(each));
  }
  for (const std::string& each : request.options) values.set_argument(each);
  values.set("threads", std::to_string(request.threads));
  values.set("output", request.output);
  values.set("DATA", request.data);
  return values;
}

}  // namespace

std::shared_ptr<const SequenceModel> retrain(const SequenceModel& model,
                                             const RetrainRequest& request) {
  const Json record = training_record(model);
  const OptionValues values = values_of(model, record, request);
  const ExtractionConfig& extraction = model.extractor().config();
  const auto trainer = make_trainer(values, {}, [&](TrainRequest& train) {
    if (!extraction.template_text.empty()) {
      train.template_text = extraction.template_text;
      train.language = extraction.language;
    }
    train.kit_of_model = extraction.kit;
    if (extraction.segmenter && train.tokenizer.empty()) {
      train.tokenizer = kKeptSegmenter;
      train.segmenter = extraction.segmenter;
    }
    train.boundaries = train.boundaries || extraction.boundaries;
    if (!train.intercept && (extraction.intercept || train.options.kind == ChainKind::maxent)) {
      train.intercept = extraction.intercept;
      train.options.free_intercept = record.value("intercept", std::string()) == "unpenalised";
    }
  });
  TrainObserver nobody;
  train(*trainer, nobody);
  if (interruption) throw Interrupted("the trainings were interrupted");
  auto trained = open_model(request.output);
  const std::string difference = difference_in_training(model, *trained);
  if (difference.empty()) return trained;
  throw UsageError(
      "a model of a part of the data differs from ", model.container().name(), " in ", difference,
      ": give the options that this one was trained with, and no others; its file does "
      "not have them all");
}

}  // namespace croft
