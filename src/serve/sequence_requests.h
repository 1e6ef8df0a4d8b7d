// Requests about sequences and texts: which model, which data, and what of them.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "app/label/predict.h"
#include "app/label/tag_plan.h"
#include "serve/endpoints.h"

namespace croft::serve {

// Members that such requests have in common.
RequestField model_field();
RequestField data_field();
RequestField rows_field();
RequestField texts_field();

bool labels_sequences(const ServedModel& model);
bool labels_units(const ServedModel& model);
inline constexpr std::string_view kSequenceModel = "model that labels sequences";

// What a request needs from its reading to the last byte of its answer.
struct Work {
  ModelPointer model;
  std::string text;
  std::unique_ptr<const TagPlan> own;
  const TagPlan* plan = nullptr;
  PredictOptions options;

  SequenceSource source(Labels labels = Labels::optional) const {
    return {LineReader(text, "data"), *model->sequences, labels, model->spans};
  }
};

// Reads a request.  Throws RequestError: for a model that is none of the `wanted`, for data in none
// or several forms, and for sequences that are too long.
std::shared_ptr<Work> begin(const Call& call, bool (*wanted)(const ServedModel&),
                            std::string_view what);
// The same of a request whose data is elsewhere.
std::shared_ptr<Work> begin_without_data(const Call& call, bool (*wanted)(const ServedModel&),
                                         std::string_view what);

}  // namespace croft::serve
