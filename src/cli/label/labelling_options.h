// Options that say which labelling is chosen, and what limits it: of predict and evaluate.
#pragma once
#include <span>

#include "app/label/label_graph.h"
#include "app/label/tag_plan.h"
#include "core/option_row.h"
#include "core/option_values.h"

namespace croft::cli {

// explain has these two as well.
OptionRow constrain_row();
OptionRow penalties_row();
// --decode, --decoder, --constrain, --penalties, --rule, --limit.
std::span<const OptionRow> labelling_options();

// As the options, --costs, --threshold and --chunks say.
TagRequest read_labelling(const OptionValues& values, const SequenceModel& model);
// Throws UsageError for a --decode that graphs alone have, and a --limit without a search.
void check_labelling_options(const OptionValues& values);

// --decode of a model of kind graph; others are for sequences, and throw UsageError.
GraphDecode graph_decode_of(const OptionValues& values);
// Throws UsageError: the option's value has no meaning for such a model.
[[noreturn]] void fail_other_kind(const OptionValues& values, std::string_view option,
                                  std::string_view instead);

}  // namespace croft::cli
