#include "croft/features/chain_data.h"

#include "croft/core/error.h"

namespace croft {

// All hashes first, then the look-ups a few strings behind the prefetches: the table misses the cache.
void ChainEncoder::encode(const StringLists& lists, StringTable& names, AttributeLists& out) {
  constexpr std::size_t kAhead = 8;
  hashes_.resize(lists.items());
  for (std::size_t k = 0; k < lists.items(); ++k) hashes_[k] = hash_string(lists.item(k));
  for (std::size_t k = 0; k < std::min(kAhead, lists.items()); ++k) names.prefetch(hashes_[k]);
  const std::size_t offset = out.id.size();
  for (std::size_t k = 0; k < lists.items(); ++k) {
    if (k + kAhead < lists.items()) names.prefetch(hashes_[k + kAhead]);
    out.id.push_back(names.insert(lists.item(k), hashes_[k]));
  }
  if (!lists.all_values_are_one() && out.value.empty()) out.value.assign(offset, 1.0);
  if (!lists.all_values_are_one() || !out.value.empty()) {
    for (std::size_t k = 0; k < lists.items(); ++k) out.value.push_back(lists.value(k));
  }
  for (std::size_t p = 0; p < lists.lists(); ++p) out.begin.push_back(offset + lists.list_end(p));
}

void ChainEncoder::add(const TextSequence& sequence) {
  const std::size_t length = sequence.length();
  if (length == 0) return;
  if (data.positions() + length >= kUnknown || node_names.size() >= kUnknown - 1) {
    throw Error("the data has more than 4,294,967,294 positions or attributes; train on a part of it");
  }
  encode(sequence.node, node_names, data.node);
  if (sequence.edge.lists() > 0) {
    if (!data.has_edges()) data.edge.begin.assign(data.positions() + 1, 0);
    encode(sequence.edge, edge_names, data.edge);
  } else if (data.has_edges()) {
    data.edge.begin.insert(data.edge.begin.end(), length, data.edge.id.size());
  }
  for (std::size_t t = 0; t < length; ++t) {
    data.label.push_back(label_names.insert(sequence.labels.item(t)));
  }
  data.sequence_begin.push_back(data.label.size());
  if (sequence.weight != 1 && data.weight.empty()) data.weight.assign(data.first_line.size(), 1.0);
  if (sequence.weight != 1 || !data.weight.empty()) data.weight.push_back(sequence.weight);
  data.first_line.push_back(static_cast<std::uint32_t>(sequence.first_line));
}

}  // namespace croft
