// Which options of train go with which kind of model.
#pragma once
#include <CLI/CLI.hpp>
#include <span>
#include <string_view>

namespace croft::cli {

// Throw UsageError for an option that was given and is none of `used`, or is one of `unused` (names
// without dashes).
void refuse_other_options(const CLI::App& verb, std::string_view kind,
                          std::span<const std::string_view> used);
void refuse_options(const CLI::App& verb, std::string_view kind,
                    std::span<const std::string_view> unused);

}  // namespace croft::cli
