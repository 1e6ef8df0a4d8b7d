#include "app/file_checks.h"

#include <algorithm>
#include <filesystem>

#include "croft/core/error.h"

namespace croft {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return a == b || std::filesystem::equivalent(a, b, none) ||
         std::filesystem::weakly_canonical(a, none) == std::filesystem::weakly_canonical(b, none);
}

void check_not_read(std::span<const std::string> inputs, std::string_view option,
                    const std::string& path, std::string_view what) {
  for (const std::string& input : inputs) {
    if (input.empty() || !same_file(input, path)) continue;
    throw UsageError(Message::option(option), " ", path, " would replace the input ", input,
                     "; give ", what, "another name");
  }
}

void check_files(std::span<const std::string> inputs, const std::string& output,
                 std::string_view what) {
  check_not_read(inputs, "output", output, what);
  if (std::ranges::count(inputs, "-") > 1) {
    throw UsageError("standard input (-) is named twice; it can be read only once");
  }
}

void check_written(std::initializer_list<WrittenFile> files) {
  for (const WrittenFile* a = files.begin(); a != files.end(); ++a) {
    for (const WrittenFile* b = files.begin(); b != a; ++b) {
      if (a->path.empty() || b->path.empty() || !same_file(a->path, b->path)) continue;
      throw UsageError(Message::option(b->option), " and ", Message::option(a->option),
                       " both write ", a->path, ": give them different names");
    }
  }
}

}  // namespace croft
