// Which options of train go with which kind of model.
#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace croft::cli {

// Throw UsageError for an option that was given and is none of `used`, or is one of `unused` (names
// without dashes).  --label-scheme goes with --format spans, whatever the kind.
void refuse_other_options(const CLI::App& verb, std::string_view kind,
                          std::span<const std::string_view> used);
void refuse_options(const CLI::App& verb, std::string_view kind,
                    std::span<const std::string_view> unused);

// Options of all kinds that a trainer of sequences in the common formats reads.
inline constexpr auto kDataOptions =
    std::to_array<std::string_view>({"help", "model", "DATA", "output", "format", "weights",
                                     "features", "min-count", "threads", "seed", "log", "quiet"});
// Those of objectives and of the optimizers that see a function and its gradient; the trainer
// refuses what the optimizer at hand has no use for.
inline constexpr auto kMethodOptions = std::to_array<std::string_view>(
    {"objective",      "optimizer",      "l1",         "l2",
     "max-iterations", "tolerance",      "window",     "gradient-tolerance",
     "target",         "history",        "sgd-passes", "step",
     "schedule",       "decay",          "batch",      "average-from",
     "precision",      "aggressiveness", "variance",   "gamma"});

// Lists of options, one after the other.
template <std::size_t... N>
constexpr auto joined(const std::array<std::string_view, N>&... lists) {
  std::array<std::string_view, (N + ...)> all{};
  auto end = all.begin();
  ((end = std::copy(lists.begin(), lists.end(), end)), ...);
  return all;
}

}  // namespace croft::cli
