// Texts cut into tokens by a model that labels their characters: for scripts without spaces.
#pragma once
#include <memory>
#include <string_view>

#include "data/text_tokenizer.h"

namespace croft {

// As tokenizer_named(), and model:FILE, a chain of characters whose chunks are the tokens; a
// character that is in none is one by itself.  Blanks end a token.  Throws Error for a file that is
// no model, UsageError for one whose data is not one character a row.
std::shared_ptr<const TextTokenizer> text_tokenizer(std::string_view name);

// The features of a segmenter: characters around a boundary, pairs and triples of them, and whether
// they are letters, digits or marks (Wapiti's language).
extern const std::string_view kSegmenterTemplate;

}  // namespace croft
