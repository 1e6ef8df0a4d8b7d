// Tables of text that people read.
#pragma once
#include <string>
#include <vector>

namespace croft {

// Columns as wide as their widest cell; the last one is left as it is.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

}  // namespace croft
