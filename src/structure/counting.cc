#include "structure/counting.h"

namespace croft {

std::size_t Counting::number(std::size_t count) const {
  if (from_.back() + 1 == from_.size()) return std::min(count, from_.size() - 1);
  const auto next = std::ranges::upper_bound(from_, count);
  return static_cast<std::size_t>(next - from_.begin()) - 1;
}

std::size_t Counting::count(const FactorGraph& graph, std::span<const Variable> scope,
                            std::span<const State> at) const {
  std::size_t sum = 0, place = 0;
  for (std::size_t k = 0; k < at.size(); ++k) {
    sum += counts(place, at[k]);
    if (!alike_) place += graph.states(scope[k]);
  }
  return sum;
}

CountingSlice add_slice(const FactorGraph& from, Factor f, const std::vector<bool>& keeps,
                        std::span<const State> known, FactorGraph& to) {
  const PotentialId id = from.potential_of(f);
  const Potential& p = from.potential(id);
  const Counting counting(from, id);
  const auto scope = from.scope(f);
  const auto bytes = from.counted(id);
  CountedStates counted{{}, p.alike};
  if (p.alike) counted.counts.assign(bytes.begin(), bytes.end());
  std::size_t place = 0, seen = 0;
  for (std::size_t k = 0; k < scope.size(); ++k) {
    const std::size_t states = from.states(scope[k]);
    if (!keeps[k]) {
      seen += counting.counts(place, known[scope[k]]);
    } else if (!p.alike) {
      counted.counts.insert(counted.counts.end(),
                            bytes.begin() + static_cast<std::ptrdiff_t>(place),
                            bytes.begin() + static_cast<std::ptrdiff_t>(place + states));
    }
    place += states;
  }
  if (counting.is_parity()) return {to.add_parity(p.odd != (seen % 2 == 1), counted), 0};
  const std::size_t first = counting.number(seen);
  std::vector<std::uint64_t> begin{0};
  for (const std::uint64_t each : from.ranges(id).subspan(first + 1)) begin.push_back(each - seen);
  return {to.add_counts(begin, from.numbers(id).subspan(first), counted), first};
}

}  // namespace croft
