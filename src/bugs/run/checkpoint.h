// The state of a run in a folder, from which it goes on to the same bytes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "bugs/graph.h"
#include "bugs/sampling.h"

namespace croft::bugs {

// Of the model and of the options that decide the draws: not of how many they are.
std::uint64_t run_fingerprint(const ModelGraph& graph, const std::vector<Arrays>& inits,
                              const BugsOptions& options);

class RunCheckpoint {
 public:
  // Creates the folder.  Throws UsageError where it has a checkpoint and `resume` is false, or is
  // not there and it is true; Error where it cannot be written to.
  RunCheckpoint(std::filesystem::path folder, bool resume, std::uint64_t fingerprint);

  // What was kept, if anything is there to go on from.  Throws Error for a file that is damaged or
  // of another run.
  std::optional<std::string> restore() const;
  // Replaces what was kept before.  Throws Error where it cannot be written.
  void keep(std::string_view state);
  void remove();  // the run has ended by itself

 private:
  std::filesystem::path path() const { return folder_ / "checkpoint"; }
  std::filesystem::path folder_;
  bool resume_;
  std::uint64_t fingerprint_;
};

}  // namespace croft::bugs
