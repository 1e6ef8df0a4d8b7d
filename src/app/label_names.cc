#include "croft/app/label_names.h"

#include <algorithm>

#include "croft/core/error.h"

namespace croft {
namespace {

// What stands between the stars of a pattern, without its escapes.
std::vector<std::string> pieces_of(std::string_view pattern) {
  std::vector<std::string> pieces(1);
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] == '*') {
      pieces.emplace_back();
      continue;
    }
    const bool escape = pattern[k] == '\\' && k + 1 < pattern.size() &&
                        (pattern[k + 1] == '*' || pattern[k + 1] == '\\');
    pieces.back() += pattern[escape ? ++k : k];
  }
  return pieces;
}

// Whether the name is the pieces in order, with any text between them.
bool matches(std::span<const std::string> pieces, std::string_view name) {
  if (pieces.size() == 1) return name == pieces[0];
  if (!name.starts_with(pieces.front())) return false;
  name.remove_prefix(pieces.front().size());
  for (const std::string& piece : pieces.subspan(1, pieces.size() - 2)) {
    const std::size_t at = name.find(piece);  // the first place leaves most for the others
    if (at == name.npos) return false;
    name.remove_prefix(at + piece.size());
  }
  return name.ends_with(pieces.back());
}

}  // namespace

LabelNames::LabelNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (Label y = 0; y < names_.size(); ++y) numbers_.emplace(names_[y], y);
}

std::optional<Label> LabelNames::find(std::string_view name) const {
  const auto at = numbers_.find(name);
  return at == numbers_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<Label> LabelNames::matching(std::string_view pattern) const {
  const std::vector<std::string> pieces = pieces_of(pattern);
  std::vector<Label> found;
  for (Label y = 0; y < names_.size(); ++y) {
    if (matches(pieces, names_[y])) found.push_back(y);
  }
  return found;
}

std::string LabelNames::some() const {
  constexpr std::size_t kShown = 10;
  std::string text = "the labels are ";
  for (std::size_t y = 0; y < std::min(names_.size(), kShown); ++y) {
    text.append(y == 0 ? "" : ", ").append(in_quotes(names_[y], 30));
  }
  if (names_.size() > kShown) {
    text.append(" and ").append(std::to_string(names_.size() - kShown)).append(" more");
  }
  return text;
}

}  // namespace croft
