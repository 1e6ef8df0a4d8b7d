// What the verbs that answer by inference on a factor graph have in common.
#pragma once
#include "core/option_values.h"
#include "croft/app/infer.h"

namespace croft::cli {

// Of --task, --method, --memory, --time, --tolerance, --max-iterations, --set, --seed, --threads.
// Throws UsageError for a setting that is not NAME=VALUE.
//   task : without --task
InferRequest infer_request(const OptionValues& values, GraphTask task);

}  // namespace croft::cli
