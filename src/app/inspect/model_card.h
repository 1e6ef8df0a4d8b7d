// What a colleague wants to know of a model, on a page: croft card.
#pragma once
#include <string>
#include <string_view>

#include "core/json.h"
#include "model/kinds/sequence_model.h"

namespace croft {

struct CardRequest {
  std::string data;     // a file of labelled data to score it on; empty: no scores
  std::string notes;    // what its author says: lines of Markdown
  std::size_t top = 5;  // of the features of each label
  std::size_t threads = 1;
};

// Everything of it: {"model", "kind", "labels", "training", "reproduce", "calibration", "scores",
// "errors", "features"}.  Throws InputError for bad data.
//   path : of the model, for its name
Json model_card(const SequenceModel& model, const std::string& path, const CardRequest& request);

enum class CardFormat { markdown, html };
std::string format_card(const Json& card, CardFormat format);

}  // namespace croft
