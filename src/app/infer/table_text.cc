#include "app/infer/table_text.h"

#include <algorithm>

#include "core/unicode.h"

namespace croft {

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k)
      widths[k] = std::max(widths[k], character_count(row[k]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      out += row[k];
      if (k + 1 < row.size()) out.append(widths[k] + 2 - character_count(row[k]), ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace croft
