// What every verb that writes a model asks of its file names.
#pragma once
#include <span>
#include <string>

namespace croft {

// Throws UsageError where `output` would replace one of `inputs` (empty ones are none), which may
// have another name for the same file, and where standard input (-) is read twice.
void check_files(std::span<const std::string> inputs, const std::string& output);

}  // namespace croft
