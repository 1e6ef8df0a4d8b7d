#include "app/label/label_names.h"

#include <algorithm>

#include "croft/core/error.h"
#include "data/settings/field_files.h"

namespace croft {
LabelNames::LabelNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (Label y = 0; y < names_.size(); ++y) numbers_.emplace(names_[y], y);
}

std::optional<Label> LabelNames::find(std::string_view name) const {
  const auto at = numbers_.find(name);
  return at == numbers_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<Label> LabelNames::matching(std::string_view pattern) const {
  const NamePattern wanted(pattern);
  std::vector<Label> found;
  for (Label y = 0; y < names_.size(); ++y) {
    if (wanted.matches(names_[y])) found.push_back(y);
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
