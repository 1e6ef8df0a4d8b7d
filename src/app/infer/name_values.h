// --set NAME=VALUE.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/option_values.h"
#include "croft/core/error.h"

namespace croft {

// Throws UsageError for one that is not NAME=VALUE.
inline std::vector<std::pair<std::string, std::string>> name_values(const OptionValues& values) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& each : values.list("set")) {
    const std::size_t equal = each.find('=');
    if (equal == each.npos) throw UsageError("--set takes NAME=VALUE, not ", in_quotes(each));
    out.emplace_back(each.substr(0, equal), each.substr(equal + 1));
  }
  return out;
}

}  // namespace croft
