// Texts in a drawing.
#pragma once
#include <string>
#include <string_view>

namespace croft {

// As it may stand in a document: no character that XML does not have, and none that means
// something.
std::string svg_escaped(std::string_view text);
// The first `most` characters, and … where there are more.
std::string svg_shortened(std::string_view text, std::size_t most);
// A text at a place, escaped; the style is a list of SVG's attributes.
std::string svg_text_at(double x, double y, std::string_view style, std::string_view text);

}  // namespace croft
