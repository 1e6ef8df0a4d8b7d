// croft infer on dynamic Bayesian networks: streams of evidence, unrolled networks.
#pragma once
#include <span>

#include "core/option_row.h"
#include "core/option_values.h"
#include "croft/data/graph_file.h"

namespace croft::cli {

std::span<const OptionRow> slice_options();

// Answers --stream, whose network of two slices `file` is.  Throws UsageError for options of other
// questions.
void answer_stream(const OptionValues& values, const GraphFile& file);
// With --unroll, the plain network of so many slices; else the file itself.
GraphFile unrolled_as_asked(const OptionValues& values, GraphFile file);

}  // namespace croft::cli
