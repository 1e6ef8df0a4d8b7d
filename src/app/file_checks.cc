#include "app/file_checks.h"

#include <algorithm>
#include <filesystem>

#include "croft/core/error.h"

namespace croft {

void check_files(std::span<const std::string> inputs, const std::string& output) {
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!input.empty() && (input == output || std::filesystem::equivalent(input, output, none))) {
      throw UsageError("--output ", output, " would replace the input ", input,
                       "; give the model another name");
    }
  }
  if (std::ranges::count(inputs, "-") > 1) {
    throw UsageError("standard input (-) is named twice; it can be read only once");
  }
}

}  // namespace croft
