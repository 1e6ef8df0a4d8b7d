// What is in a hidden Markov model: its summary, and what is likeliest in it.
//
// docs/inspect.md defines every line and field.
#pragma once
#include <cstddef>
#include <string>

#include "model/kinds/hmm_model.h"

namespace croft {
class Json;

// Kind, sizes, labels, tracks, training record, sections of the file.
Json summary_json(const HmmModel& model);
std::string format_summary(const HmmModel& model);

// The n likeliest starts, ends, transitions of each label, and values of each label and track, with
// their probabilities, the largest first; equal ones by label, or by the bytes of the value.  Those
// of probability 0 are left out.  Cost O(values L).
Json top_json(const HmmModel& model, std::size_t n);
std::string format_top(const HmmModel& model, std::size_t n);

}  // namespace croft
