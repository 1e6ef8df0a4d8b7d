// What is in a general CRF.  docs/inspect.md defines every line and field.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "model/kinds/graph_model.h"

namespace croft {
class Json;

// Kind, sizes, domains, templates with their queries, training record, sections of the file.
std::string format_summary(const GraphModel& model);
Json summary_json(const GraphModel& model);

// Of each template the n largest weights, largest first, and the n smallest, smallest first.  Equal
// ones: in the order of the features' bytes, then of the cells.
std::string format_top(const GraphModel& model, std::size_t n);
Json top_json(const GraphModel& model, std::size_t n);

// Every weight of the file, one a line, handed to `write` in pieces:
//   clique TAB template TAB feature TAB cell TAB weight
// By template, then by the feature's bytes, then by cell: the labels of the clique's variables with
// a comma between them, "same", or "distance D".
void write_weights(const GraphModel& model, const std::function<void(std::string_view)>& write);

}  // namespace croft
