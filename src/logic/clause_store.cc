#include "logic/clause_store.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::uint32_t kFreeSlot = 0xffffffff;
constexpr std::size_t kMostListed =
    20;  // literals of a clause that is a table with one joint state
constexpr double kNothing = -std::numeric_limits<double>::infinity();

std::uint64_t hash_of(std::span<const std::uint32_t> literals) {
  std::uint64_t hash = 0x9e3779b97f4a7c15 ^ literals.size();
  for (const std::uint32_t each : literals) {
    hash = (std::rotl(hash, 29) ^ each) * 0xbf58476d1ce4e5b9;
  }
  return hash ^ hash >> 31;
}

template <class T>
std::size_t bytes_of(const std::vector<T>& vector) {
  return vector.capacity() * sizeof(T);
}

}  // namespace

std::uint32_t ClauseStore::atom(std::uint64_t key) {
  const std::uint32_t number = numbers_.insert(key, static_cast<std::uint32_t>(keys_.size()));
  if (number == keys_.size()) {
    if (number >= 0x7fffffff) throw Error("there are more than 2^31 ground atoms that matter");
    keys_.push_back(key);
  }
  return number;
}

std::uint32_t ClauseStore::helper_atom() {
  keys_.push_back(KeyMap::kFree);
  return static_cast<std::uint32_t>(keys_.size() - 1);
}

std::size_t ClauseStore::slot_of(std::span<const std::uint32_t> literals,
                                 std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != kFreeSlot && !std::ranges::equal(this->literals(slots_[slot]), literals)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void ClauseStore::grow() {
  slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), kFreeSlot);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < clauses(); ++i) {
    std::size_t slot = hash_of(literals(i)) & mask;
    while (slots_[slot] != kFreeSlot) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(i);
  }
}

bool ClauseStore::add(std::vector<std::uint32_t>& literals, double weight, std::uint32_t unit,
                      double factor) {
  std::sort(literals.begin(), literals.end());
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  for (std::size_t i = 0; i + 1 < literals.size(); ++i) {
    if ((literals[i] ^ 1) == literals[i + 1]) return true;
  }
  if (literals.empty()) {
    if (weight != kHardWeight) base_ -= weight;
    return false;
  }
  if (literals.size() == 1 && (literals[0] & 1) != 0 && weight != kHardWeight) {
    // -w [A is true]  =  -w + w [A is false]
    base_ -= weight;
    weight = -weight;
    factor = -factor;
    literals[0] ^= 1;
  }
  if (2 * (clauses() + 1) > slots_.size()) grow();
  const std::size_t slot = slot_of(literals, hash_of(literals));
  if (slots_[slot] == kFreeSlot) {
    if (clauses() >= kFreeSlot - 1) throw Error("there are more than 2^32 - 2 ground clauses");
    slots_[slot] = static_cast<std::uint32_t>(clauses());
    literals_.insert(literals_.end(), literals.begin(), literals.end());
    begin_.push_back(literals_.size());
    weights_.push_back(0);
    share_.push_back(kNoUnit);
  } else {
    ++merged_;
  }
  const std::uint32_t clause = slots_[slot];
  weights_[clause] += weight;
  if (unit == kNoUnit) return true;
  // Groundings of the same rule come one after the other.
  if (share_[clause] != kNoUnit && shares_[share_[clause]].unit == unit) {
    shares_[share_[clause]].factor += factor;
  } else {
    shares_.push_back({unit, share_[clause], factor});
    share_[clause] = static_cast<std::uint32_t>(shares_.size() - 1);
  }
  return true;
}

void ClauseStore::add_block(std::span<const std::uint32_t> atoms, bool exactly_one) {
  block_atoms_.insert(block_atoms_.end(), atoms.begin(), atoms.end());
  block_begin_.push_back(block_atoms_.size());
  block_exactly_.push_back(exactly_one);
}

AtomBlock ClauseStore::block(std::size_t number) const {
  return {std::span(block_atoms_)
              .subspan(block_begin_[number], block_begin_[number + 1] - block_begin_[number]),
          block_exactly_[number] != 0};
}

bool ClauseStore::holds(std::size_t clause, std::span<const std::uint8_t> values) const {
  return std::ranges::any_of(literals(clause), [&](std::uint32_t literal) {
    return (values[literal / 2] != 0) != ((literal & 1) != 0);
  });
}

void ClauseStore::reweigh(std::span<const double> units) {
  for (std::size_t i = 0; i < clauses(); ++i) {
    if (is_hard(i)) continue;
    weights_[i] = 0;
    for_shares(i, [&](std::uint32_t unit, double factor) { weights_[i] += factor * units[unit]; });
  }
}

double ClauseStore::clause_cost(std::span<const std::uint8_t> values) const {
  double cost = 0;
  for (std::size_t i = 0; i < clauses(); ++i) {
    if (holds(i, values) == (weights_[i] < 0)) cost += std::abs(weights_[i]);
  }
  return cost;
}

double ClauseStore::score(std::span<const std::uint8_t> values) const {
  double score = base_;
  for (std::size_t i = 0; i < clauses(); ++i) {
    if (!holds(i, values)) score -= weights_[i];
  }
  for (std::size_t i = 0; i < blocks(); ++i) {
    const AtomBlock each = block(i);
    const auto count =
        std::ranges::count_if(each.atoms, [&](std::uint32_t a) { return values[a] != 0; });
    if (count > 1 || (each.exactly_one && count == 0)) return kNothing;
  }
  return score;
}

std::size_t ClauseStore::bytes() const {
  return bytes_of(keys_) + numbers_.bytes() + bytes_of(begin_) + bytes_of(literals_) +
         bytes_of(weights_) + bytes_of(share_) + bytes_of(shares_) + bytes_of(slots_) +
         bytes_of(block_begin_) + bytes_of(block_atoms_) + bytes_of(block_exactly_);
}

FactorGraph graph_of(const ClauseStore& store, bool all) {
  FactorGraph graph;
  for (std::size_t i = 0; i < store.atoms(); ++i) graph.add_variable(2);
  // Clauses with the same signs and weight have one potential.
  std::map<std::pair<std::string, double>, PotentialId> potentials;
  std::string signs;  // bytes 0 and 1
  std::vector<Variable> scope;
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (store.weight(i) == 0 && !all) continue;
    signs.clear();
    scope.clear();
    for (const std::uint32_t literal : store.literals(i)) {
      signs.push_back(static_cast<char>(literal & 1));
      scope.push_back(literal / 2);
    }
    const double broken = store.is_hard(i) ? kNothing : -store.weight(i);
    const auto [place, is_new] = potentials.try_emplace({signs, broken}, 0);
    if (is_new && signs.size() <= kMostListed) {
      std::uint64_t state = 0;  // where every literal is false
      for (const char negated : signs) state = 2 * state + static_cast<std::uint64_t>(negated);
      place->second = graph.add_sparse(std::span(&state, 1), std::span(&broken, 1), 0);
    } else if (is_new) {
      CountedStates counted{.counts = {}, .alike = false};
      for (const char negated : signs) {
        counted.counts.push_back(negated == 0 ? 0 : 1);
        counted.counts.push_back(negated == 0 ? 1 : 0);
      }
      place->second = graph.add_between(1, signs.size(), broken, counted);
    }
    graph.add_factor(scope, place->second);
  }
  for (std::size_t i = 0; i < store.blocks(); ++i) {
    const AtomBlock block = store.block(i);
    graph.add_factor(block.atoms, graph.add_between(block.exactly_one ? 1 : 0, 1, kNothing));
  }
  return graph;
}

}  // namespace croft
