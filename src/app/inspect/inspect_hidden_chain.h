// What is in a chain with hidden states.  docs/inspect.md defines every line and field.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "model/kinds/hidden_chain_model.h"

namespace croft {
class Json;

// Kind, sizes, labels with their states, training record, sections of the file.
std::string format_summary(const HiddenChainModel& model);
Json summary_json(const HiddenChainModel& model);

// For each state the n node weights most in favour, largest first, and the n most against; then the
// transitions between states likewise.  Equal ones: in the order of the names' bytes.
std::string format_top(const HiddenChainModel& model, std::size_t n);
Json top_json(const HiddenChainModel& model, std::size_t n);

// Every weight of the file, one a line as of a chain (docs/inspect.md), with states in the place of
// labels; handed to `write` in pieces.
void write_weights(const HiddenChainModel& model,
                   const std::function<void(std::string_view)>& write);

}  // namespace croft
