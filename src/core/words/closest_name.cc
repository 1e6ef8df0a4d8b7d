#include "core/words/closest_name.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "croft/core/error.h"

namespace croft {
namespace {

// Number of bytes to change, insert or delete, and of neighbours to swap.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last,
      row(b.size() + 1);  // of the prefixes i - 2, i - 1 and i of a
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      row[k] = std::min({last[k] + 1, row[k - 1] + 1, last[k - 1] + (a[i - 1] != b[k - 1])});
      const bool swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (swapped) row[k] = std::min(row[k], before[k - 2] + 1);
    }
  }
  return row[b.size()];
}

// The letters alone: dashes before an option are right in any case, and capitals are no mistake.
std::string compared(std::string_view text) {
  std::string out(text.substr(std::min(text.find_first_not_of('-'), text.size())));
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

std::string closest_name(std::string_view text, const std::vector<std::string_view>& names) {
  constexpr std::size_t kLongest = 64;  // bytes; the distance costs their square
  if (text.size() > kLongest) return "";
  const std::string word = compared(text);
  std::size_t fewest = kLongest + 1;
  std::string_view closest;
  for (const std::string_view name : names) {
    if (name.size() > kLongest) continue;
    const std::string other = compared(name);
    const bool begun = word.size() >= 3 && other.starts_with(word);
    const std::size_t changes = edit_distance(word, other);
    const bool near = begun || 3 * changes <= std::max(word.size(), other.size());
    const std::size_t distance = begun ? std::min<std::size_t>(changes, 1) : changes;
    if (!near || distance >= fewest) continue;
    fewest = distance;
    closest = name;
  }
  return std::string(closest);
}

std::string did_you_mean(std::string_view text, const std::vector<std::string_view>& names) {
  const std::string closest = closest_name(text, names);
  return closest.empty() ? "" : " (did you mean " + in_quotes(closest) + "?)";
}

}  // namespace croft
