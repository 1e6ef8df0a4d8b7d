#include "features/chain_data.h"

#include <algorithm>

namespace croft {
namespace {

template <class T>
void append_range(const std::vector<T>& from, std::uint64_t first, std::uint64_t last,
                  std::vector<T>& to) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
            from.begin() + static_cast<std::ptrdiff_t>(last));
}

}  // namespace

void AttributeLists::append(const AttributeLists& from, std::uint64_t first, std::uint64_t last) {
  if (!from.value.empty() && value.empty()) value.assign(id.size(), 1.0);
  append_range(from.id, from.begin[first], from.begin[last], id);
  if (!from.value.empty()) {
    append_range(from.value, from.begin[first], from.begin[last], value);
  } else if (!value.empty()) {
    value.resize(id.size(), 1.0);
  }
  const std::uint64_t shift = begin.back() - from.begin[first];  // modulo 2^64
  for (std::uint64_t p = first; p < last; ++p) begin.push_back(from.begin[p + 1] + shift);
}

void ChainData::append(const ChainData& from, std::size_t n) {
  const std::uint64_t first = from.sequence_begin[n], last = from.sequence_begin[n + 1];
  append_range(from.label, first, last, label);
  sequence_begin.push_back(label.size());
  node.append(from.node, first, last);
  if (from.has_edges()) edge.append(from.edge, first, last);
  weight.push_back(from.sequence_weight(n));
  if (!from.first_line.empty()) first_line.push_back(from.first_line[n]);
}

void ChainData::append(const ChainData& from) {
  const bool weighted = !weight.empty() || !from.weight.empty();
  if (weighted && weight.empty()) weight.assign(sequences(), 1.0);
  for (std::size_t n = 0; n < from.sequences(); ++n) append(from, n);
  if (!weighted) weight.clear();
}

ChainData ChainData::split_off(std::size_t n) {
  ChainData tail;
  tail.label_sets = label_sets;
  const std::uint64_t positions = sequence_begin[n];
  for (std::size_t k = n; k < sequences(); ++k) tail.append(*this, k);
  if (weight.empty()) tail.weight.clear();
  for (AttributeLists* lists : {&node, &edge}) {
    if (lists->positions() == 0) continue;
    lists->begin.resize(positions + 1);
    lists->id.resize(lists->begin.back());
    if (!lists->value.empty()) lists->value.resize(lists->id.size());
  }
  label.resize(positions);
  sequence_begin.resize(n + 1);
  if (!weight.empty()) weight.resize(n);
  if (!first_line.empty()) first_line.resize(n);
  return tail;
}

// All hashes first, then the look-ups a few strings behind the prefetches: the table misses the
// cache.
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

std::vector<std::string_view> labels_in(std::string_view item, const PartialLabels& how,
                                        const Location& where) {
  std::vector<std::string_view> names;
  if (item == how.any) return names;
  for (std::size_t begin = 0; begin <= item.size();) {
    const std::size_t end = std::min(item.find(how.separator, begin), item.size());
    names.push_back(item.substr(begin, end - begin));
    if (names.back().empty()) {
      throw InputError(where, "an empty label in a set of labels", item,
                       std::string("write A") + how.separator + "B for one of A and B; where " +
                           in_quotes(std::string(1, how.separator)) +
                           " belongs to a label, choose another separator");
    }
    if (names.back() == how.any) {
      throw InputError(where, "a set of labels with " + in_quotes(how.any) + ", which is any label",
                       item, "write " + in_quotes(how.any) + " alone, or leave it out of the set");
    }
    begin = end + 1;
  }
  return names;
}

// What the item says, as a number for ChainData::label.
Label ChainEncoder::known_label(std::string_view item, const Location& where) {
  if (!partial) return label_names.insert(item);
  if (item == partial->any) return kAnyLabel;
  if (item.find(partial->separator) == std::string_view::npos) return label_names.insert(item);
  std::vector<Label> set;
  for (const std::string_view name : labels_in(item, *partial, where)) {
    set.push_back(label_names.insert(name));
  }
  std::ranges::sort(set);
  if (std::ranges::adjacent_find(set) != set.end()) {
    throw InputError(where, "one label twice in a set of labels", item, "name each label once");
  }
  LabelSets& sets = data.label_sets;
  const auto number = static_cast<Label>(kLabelSetBit + sets.size());
  const auto [entry, is_new] = set_number_.emplace(std::move(set), number);
  if (is_new) {
    sets.label.insert(sets.label.end(), entry->first.begin(), entry->first.end());
    sets.begin.push_back(static_cast<std::uint32_t>(sets.label.size()));
  }
  return entry->second;
}

// Fills known_.  One position is one line of the input in every format that has labels.
void ChainEncoder::encode_labels(const TextSequence& sequence, std::string_view file) {
  known_.assign(sequence.length(), kAnyLabel);
  if (partial && !sequence.has_labels()) return;
  Location where{std::string(file)};
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    where.line = sequence.line_of(t);
    known_[t] = known_label(sequence.labels.item(t), where);
  }
}

void ChainEncoder::add(const TextSequence& sequence, std::string_view file) {
  const std::size_t length = sequence.length();
  if (length == 0) return;
  if (data.positions() + length >= kUnknown || node_names.size() >= kUnknown - 1) {
    throw Error(
        "the data has more than 4,294,967,294 positions or attributes; train on a part of it");
  }
  encode_labels(sequence, file);  // may throw: nothing has been appended yet
  encode(sequence.node, node_names, data.node);
  if (sequence.edge.lists() > 0) {
    if (!data.has_edges()) data.edge.begin.assign(data.positions() + 1, 0);
    encode(sequence.edge, edge_names, data.edge);
  } else if (data.has_edges()) {
    data.edge.begin.insert(data.edge.begin.end(), length, data.edge.id.size());
  }
  data.label.insert(data.label.end(), known_.begin(), known_.end());
  data.sequence_begin.push_back(data.label.size());
  if (sequence.weight != 1 && data.weight.empty()) data.weight.assign(data.first_line.size(), 1.0);
  if (sequence.weight != 1 || !data.weight.empty()) data.weight.push_back(sequence.weight);
  data.first_line.push_back(static_cast<std::uint32_t>(sequence.first_line));
}

void ChainEncoder::add_positions(const TextSequence& sequence, std::string_view file) {
  TextSequence one;
  const auto copy = [](const StringLists& from, std::size_t list, StringLists& to) {
    for (std::size_t k = from.list_begin(list); k < from.list_end(list); ++k) {
      to.append(from.item(k), from.value(k));
    }
    to.end_list();
  };
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    one.clear();
    copy(sequence.node, t, one.node);
    if (sequence.has_labels()) {
      one.labels.append(sequence.labels.item(t));
      one.labels.end_list();
    }
    one.weight = sequence.weight;
    one.first_line = sequence.line_of(t);
    add(one, file);
  }
}

}  // namespace croft
