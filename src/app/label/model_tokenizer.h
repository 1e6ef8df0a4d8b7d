// Texts cut into tokens by a model that labels their characters: for scripts without spaces.
#pragma once
#include <memory>
#include <string_view>

#include "data/text_tokenizer.h"

namespace croft {

class SequenceModel;
struct InnerModel;

// As tokenizer_named(), and model:FILE, a chain of characters whose chunks are the tokens; a
// character that is in none is one by itself.  Blanks end a token.  Throws Error for a file that is
// no model, UsageError for one whose data is not one character a row, or whose labels have names.
std::shared_ptr<const TextTokenizer> text_tokenizer(std::string_view name);

// The model that `name` (model:FILE) names, for the file of another one; null: it names none.
// Throws as the above.
std::shared_ptr<const InnerModel> kept_segmenter(std::string_view name);

// By which the model's training cut texts; null: nobody said.  The model must outlive it.
std::shared_ptr<const TextTokenizer> tokenizer_of(const SequenceModel& model);

// What a training record has in the place of a segmenter's name, which the file of the model has.
inline constexpr std::string_view kKeptSegmenter = "model";

// The features of a segmenter: characters around a boundary, pairs and triples of them, and whether
// they are letters, digits or marks (Wapiti's language).
extern const std::string_view kSegmenterTemplate;

}  // namespace croft
