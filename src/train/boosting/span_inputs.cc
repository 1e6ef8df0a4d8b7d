#include "train/boosting/span_inputs.h"

#include "croft/core/error.h"

namespace croft {

// Of a row's list, equal lists having the same number; kNone: it is empty.
std::uint32_t SpanInputsBuilder::number_of(const AttributeLists& lists, std::size_t list) {
  Set set;
  for (std::uint64_t k = lists.begin[list]; k < lists.begin[list + 1]; ++k) {
    set.emplace_back(lists.id[k], lists.value.empty() ? 1.0 : lists.value[k]);
  }
  if (set.empty()) return SpanRows::kNone;
  const auto [at, is_new] =
      number_.try_emplace(std::move(set), static_cast<std::uint32_t>(sets_.size()));
  if (is_new) sets_.push_back(&at->first);
  return at->second;
}

std::uint32_t SpanInputsBuilder::input_of(const SpanRows::Key& key) {
  constexpr std::size_t kMost = 0xFFFFFFFE;
  const auto [at, is_new] = input_.try_emplace(key, static_cast<std::uint32_t>(inputs.size()));
  if (!is_new) return at->second;
  if (inputs.size() >= kMost) {
    throw Error(
        "there are more than 4,294,967,294 different segments; give a smaller --max-length");
  }
  AttributeLists& lists = inputs.lists;
  for (const std::uint32_t set : key) {
    if (set == SpanRows::kNone) continue;
    for (const auto& [id, value] : *sets_[set]) {
      if (value != 1 && lists.value.empty()) lists.value.assign(lists.id.size(), 1.0);
      lists.id.push_back(id);
      if (!lists.value.empty()) lists.value.push_back(value);
    }
  }
  lists.begin.push_back(lists.id.size());
  return at->second;
}

void SpanInputsBuilder::add(std::size_t length, std::span<const SegmentRow> rows,
                            const AttributeLists& lists, std::size_t first) {
  row_number_.clear();
  for (std::size_t r = 0; r < rows.size(); ++r) row_number_.push_back(number_of(lists, first + r));
  spans_.start(rows, row_number_, length, inputs.longest);
  inputs.begin.push_back(inputs.begin.back() + length * inputs.longest);
  inputs.input.resize(inputs.begin.back());
  std::uint32_t* const own = inputs.input.data() + inputs.begin[inputs.begin.size() - 2];
  spans_.visit([&](std::size_t s, std::size_t d, const SpanRows::Key& key) {
    own[s * inputs.longest + d - 1] = input_of(key);
  });
}

}  // namespace croft
