// croft train --model segment: its options, and the call.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/train/train_segment.h"
#include "cli/common.h"

namespace croft::cli {

struct SegmentCommand {
  std::string segment_template, text_attribute, chunks = "auto";
  std::vector<std::string> gazetteers, longest;
};

void add_segment_options(CLI::App& verb, SegmentCommand& command);

// Of all options of the verb, those that a training of segments takes notice of, and those that
// nothing else does: names without dashes.
std::span<const std::string_view> segment_option_names();
std::span<const std::string_view> segment_only_option_names();

// What the command line says of segments, without what kinds have in common.  Throws UsageError
// where the log would overwrite one of the files.
SegmentRequest segment_request(const SegmentCommand& command, const std::string& log);

// Trains; `shared` has what the kinds have in common.  Returns the exit status.
int run_segment(const SegmentCommand& command, const TrainRequest& shared, const std::string& log,
                bool quiet);

}  // namespace croft::cli
