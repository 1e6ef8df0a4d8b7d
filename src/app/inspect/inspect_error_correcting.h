// What is in an error-correcting model.  docs/inspect.md defines every line and field.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "model/kinds/error_correcting_model.h"

namespace croft {
class Json;

// Kind, sizes, the words of the labels, training record, sections of the file.
std::string format_summary(const ErrorCorrectingModel& model);
Json summary_json(const ErrorCorrectingModel& model);

// For each bit the n weights most for 1, largest first, and the n most for 0.  Equal ones: in the
// order of the attributes' bytes.
std::string format_top(const ErrorCorrectingModel& model, std::size_t n);
Json top_json(const ErrorCorrectingModel& model, std::size_t n);

// Every weight of the file, one a line, handed to `write` in pieces; bits from 1:
//   transition TAB attribute TAB bit TAB from TAB to TAB weight
//   node TAB attribute TAB bit TAB weight of 1 less that of 0
void write_weights(const ErrorCorrectingModel& model,
                   const std::function<void(std::string_view)>& write);

}  // namespace croft
