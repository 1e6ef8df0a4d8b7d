// The name that somebody may have meant.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace croft {

// The name that becomes `text` with the fewest bytes changed, inserted or deleted, or neighbours
// swapped (Levenshtein's distance); of several, the first.  A name that begins with the text, of
// three bytes and more, counts as one byte away; dashes before them and capitals (ASCII) do not
// count.  Empty: more than a third of the longer one would have to change, or the text has over 64
// bytes.
// Cost O(|text| |name|) for each name.
std::string closest_name(std::string_view text, const std::vector<std::string_view>& names);

// ` (did you mean "name"?)`, to stand behind what is not known; or nothing.
std::string did_you_mean(std::string_view text, const std::vector<std::string_view>& names);

}  // namespace croft
