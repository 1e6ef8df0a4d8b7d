#include "features/conjunctions.h"

#include <algorithm>
#include <utility>

namespace croft {

std::string Conjunction::name() const {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " & ") + part;
  return text;
}

std::uint32_t ConjunctionIndex::add(std::span<const std::uint32_t> parts) {
  part_.insert(part_.end(), parts.begin(), parts.end());
  begin_.push_back(static_cast<std::uint32_t>(part_.size()));
  return static_cast<std::uint32_t>(size() - 1);
}

void ConjunctionIndex::finish() {
  const std::uint32_t attributes = part_.empty() ? 0 : *std::ranges::max_element(part_) + 1;
  std::vector<std::uint32_t> uses(attributes), key(size());
  for (const std::uint32_t a : part_) ++uses[a];
  keys_.assign(attributes + 1, 0);
  for (std::uint32_t c = 0; c < size(); ++c) {
    const auto parts = std::span(part_).subspan(begin_[c], begin_[c + 1] - begin_[c]);
    key[c] = *std::ranges::min_element(parts, {}, [&](std::uint32_t a) { return uses[a]; });
    ++keys_[key[c] + 1];
  }
  for (std::uint32_t a = 0; a < attributes; ++a) keys_[a + 1] += keys_[a];
  of_key_.resize(size());
  std::vector<std::uint32_t> next(keys_.begin(), keys_.end() - 1);
  for (std::uint32_t c = 0; c < size(); ++c) of_key_[next[key[c]]++] = c;
}

void ConjunctionIndex::find(std::span<const std::uint32_t> ids, std::span<const double> values,
                            Scratch& scratch, std::vector<Hit>& out) const {
  const std::size_t attributes = keys_.size() - 1, first = out.size();
  if (scratch.value.size() < attributes) scratch.value.resize(attributes, 0.0);
  scratch.present.clear();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] >= attributes) continue;
    scratch.present.push_back(ids[k]);
    scratch.value[ids[k]] += values.empty() ? 1.0 : values[k];
  }
  std::ranges::sort(scratch.present);
  const auto repeated = std::ranges::unique(scratch.present);
  scratch.present.erase(repeated.begin(), repeated.end());
  for (const std::uint32_t a : scratch.present) {
    for (std::uint32_t k = keys_[a]; k < keys_[a + 1]; ++k) {
      const std::uint32_t c = of_key_[k];
      double value = 1;
      for (std::uint32_t p = begin_[c]; p < begin_[c + 1] && value != 0; ++p) {
        value *= scratch.value[part_[p]];
      }
      if (value != 0) out.push_back({c, value});
    }
  }
  for (const std::uint32_t a : scratch.present) scratch.value[a] = 0;
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
            [](const Hit& a, const Hit& b) { return a.conjunction < b.conjunction; });
}

ConjunctionSet::ConjunctionSet(const std::vector<Conjunction>& conjunctions) {
  std::vector<std::uint32_t> ids;
  for (const Conjunction& each : conjunctions) {
    ids.clear();
    for (const std::string& part : each.parts) {
      if (part != kEdgePart) ids.push_back(parts_.insert(part));
    }
    index_.add(ids);
    names_.push_back(each.name());
  }
  index_.finish();
}

void ConjunctionSet::append(Scratch& scratch, StringLists& lists) const {
  if (empty()) return;
  scratch.ids.clear();
  scratch.values.clear();
  scratch.hits.clear();
  const std::size_t first = lists.lists() == 0 ? 0 : lists.list_end(lists.lists() - 1);
  for (std::size_t k = first; k < lists.items(); ++k) {
    scratch.ids.push_back(parts_.find(lists.item(k)));
    scratch.values.push_back(lists.value(k));
  }
  index_.find(scratch.ids, scratch.values, scratch.index, scratch.hits);
  for (const ConjunctionIndex::Hit& hit : scratch.hits) {
    lists.append(names_[hit.conjunction], hit.value);
  }
}

namespace {

// As Conjunction::name() makes them; parse_boundary_name() and parse_cell_name() read no such name.
constexpr std::string_view kPrefix{"\x01 & ", 4};

void append_list(const StringLists& from, std::size_t list, StringLists& to) {
  for (std::size_t k = from.list_begin(list); k < from.list_end(list); ++k) {
    to.append(from.item(k), from.value(k));
  }
}

}  // namespace

bool is_of_edge(const Conjunction& conjunction) { return conjunction.parts.front() == kEdgePart; }

Conjunction edge_conjunction(std::vector<std::string> parts) {
  parts.emplace_back(kEdgePart);
  std::ranges::sort(parts);
  return {std::move(parts)};
}

std::string edge_name(const Conjunction& conjunction) {
  return conjunction.name().substr(kPrefix.size());
}

bool has_edge_conjunctions(const TextSequence& sequence) {
  for (std::size_t k = 0; k < sequence.node.items(); ++k) {
    if (sequence.node.item(k).starts_with(kPrefix)) return true;
  }
  return false;
}

void take_edge_conjunctions(TextSequence& sequence) {
  StringLists node, edge;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    if (sequence.edge.lists() > 0) append_list(sequence.edge, t, edge);
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      const std::string_view item = sequence.node.item(k);
      if (!item.starts_with(kPrefix)) {
        node.append(item, sequence.node.value(k));
      } else if (t > 0) {
        edge.append(item.substr(kPrefix.size()), sequence.node.value(k));
      }
    }
    node.end_list();
    edge.end_list();
  }
  sequence.node = std::move(node);
  sequence.edge = std::move(edge);
}

}  // namespace croft
