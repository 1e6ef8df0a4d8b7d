#include "data/settings/name_pattern.h"

#include <span>

namespace croft {

NamePattern::NamePattern(std::string_view pattern) : pieces_(1) {
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] == '*') {
      pieces_.emplace_back();
      continue;
    }
    const bool escape = pattern[k] == '\\' && k + 1 < pattern.size() &&
                        (pattern[k + 1] == '*' || pattern[k + 1] == '\\');
    pieces_.back() += pattern[escape ? ++k : k];
  }
}

// Whether the name is the pieces in order, with any text between them.
bool NamePattern::matches(std::string_view name) const {
  if (pieces_.size() == 1) return name == pieces_[0];
  if (!name.starts_with(pieces_.front())) return false;
  name.remove_prefix(pieces_.front().size());
  for (const std::string& piece : std::span(pieces_).subspan(1, pieces_.size() - 2)) {
    const std::size_t at = name.find(piece);  // the first place leaves most for the others
    if (at == name.npos) return false;
    name.remove_prefix(at + piece.size());
  }
  return name.ends_with(pieces_.back());
}

}  // namespace croft
