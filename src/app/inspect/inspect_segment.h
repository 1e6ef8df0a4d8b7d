// What is in a segment model.  docs/inspect.md, "Segments".
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "model/kinds/segment_model.h"

namespace croft {
class Json;

// Kind, sizes, labels with their longest segments, templates, lists, training record, sections.
std::string format_summary(const SegmentModel& model);
// Of a summary, what segments are: labels with lengths and spelling, templates.
std::string segment_lines(const SegmentModel& model);
Json summary_json(const SegmentModel& model);

// Of positions, of segments, of the label before, and of transitions, the n weights most in favour,
// largest first, and the n most against, smallest first.  Equal ones: by string, then by label.
std::string format_top(const SegmentModel& model, std::size_t n);
Json top_json(const SegmentModel& model, std::size_t n);

// Every weight of the file, one a line, handed to `write` in pieces:
//   node TAB attribute TAB column label TAB weight
//   segment TAB string TAB label TAB weight
//   pair TAB string TAB label before TAB label TAB weight
//   transition TAB label before TAB label TAB weight
// In this order, by string and then by label.
void write_weights(const SegmentModel& model, const std::function<void(std::string_view)>& write);

}  // namespace croft
