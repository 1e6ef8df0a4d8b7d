// Names in a drawing.
#pragma once
#include <string>
#include <string_view>

namespace croft {

// As it may stand in a document: no character that XML does not have, and none that means
// something.
std::string svg_escaped(std::string_view text);
// The first `most` characters, and … where there are more.
std::string svg_shortened(std::string_view text, std::size_t most);

}  // namespace croft
