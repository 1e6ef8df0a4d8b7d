#include "app/explain/reason_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/inspect/inspect.h"
#include "core/unicode.h"

namespace croft {
namespace {

constexpr std::size_t kNarrowest = 12, kLongestLabel = 20;  // columns

}  // namespace

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += decode(text, at).size) ++count;
  return count;
}

std::string shown(std::string_view text, std::size_t limit) {
  std::string out = escaped(text);
  if (characters(out) <= limit) return out;
  std::size_t at = 0;
  for (std::size_t n = 1; n < limit; ++n) at += decode(out, at).size;
  return out.substr(0, at) + "…";
}

ReasonTable::ReasonTable(std::string_view label, std::string_view other, std::string& out)
    : out_(out) {
  const std::string left = shown(label, kLongestLabel), right = shown(other, kLongestLabel);
  width_ = std::max({kNarrowest, characters(left) + 2, characters(right) + 2});
  append_row("difference", left, right, "");
}

std::string ReasonTable::number(double value) {
  if (std::isinf(value)) return value > 0 ? "decides" : "forbidden";
  return value == 0 ? "0" : fmt::format("{:+.4f}", value);
}

void ReasonTable::append_row(std::string_view difference, std::string_view label,
                             std::string_view other, std::string_view what) {
  for (const std::string_view cell : {difference, label, other}) {
    out_.append(width_ - std::min(width_, characters(cell)), ' ').append(cell);
  }
  if (!what.empty()) out_ += "  " + shown(what, kTerminalColumns - 2 - 3 * width_);
  out_ += '\n';
}

}  // namespace croft
