#include "logic/atom_space.h"

#include <algorithm>
#include <utility>

namespace croft {
namespace {

// Of arguments, the last one changes fastest.  Their product is within bounds.
std::vector<std::uint64_t> strides_of(const std::vector<std::uint32_t>& types,
                                      const std::vector<NameTable>& constants) {
  std::vector<std::uint64_t> strides(types.size());
  std::uint64_t count = 1;
  for (std::size_t i = types.size(); i-- > 0;) {
    strides[i] = count;
    count *= constants[types[i]].size();
  }
  return strides;
}

std::uint64_t key_of(const std::vector<std::uint64_t>& strides,
                     std::span<const std::uint32_t> constants) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < constants.size(); ++i) key += strides[i] * constants[i];
  return key;
}

}  // namespace

AtomSpace::AtomSpace(const LogicNetwork& network, const LogicEvidence& evidence,
                     std::vector<bool> open)
    : network_(network), evidence_(evidence), open_(std::move(open)), first_{0} {
  count_atoms();
  for (std::uint32_t p = 0; p < network.predicates.size(); ++p) {
    strides_.push_back(strides_of(network.predicates[p].types, evidence.types));
    const LogicFacts& facts = evidence.predicates[p];
    for (std::size_t i = 0; i < facts.truth.size(); ++i) {
      known_.insert(first_[p] + key_of(strides_[p], facts.tuples[i]),
                    static_cast<std::uint32_t>(static_cast<int>(facts.truth[i]) + 1));
    }
  }
  values_.resize(network.functions.size());
  for (std::uint32_t f = 0; f < network.functions.size(); ++f) {
    f_strides_.push_back(strides_of(network.functions[f].types, evidence.types));
    const FunctionValues& values = evidence.functions[f];
    for (std::size_t i = 0; i < values.value.size(); ++i) {
      values_[f].insert(key_of(f_strides_[f], values.tuples[i]), values.value[i]);
    }
  }
}

// Before anything is filled.
void AtomSpace::count_atoms() {
  for (std::uint32_t p = 0; p < network_.predicates.size(); ++p) {
    const LogicPredicate& predicate = network_.predicates[p];
    const std::uint64_t count = count_tuples(predicate.types, evidence_.types,
                                             network_.predicate_names[p], predicate.where);
    if (count > kMostAtoms - first_.back()) {
      throw InputError(predicate.where, "more than 2^62 ground atoms, up to this predicate",
                       network_.predicate_names[p], "leave out constants or predicates");
    }
    first_.push_back(first_.back() + count);
  }
  for (std::uint32_t f = 0; f < network_.functions.size(); ++f) {
    const LogicFunction& function = network_.functions[f];
    count_tuples(function.types, evidence_.types, network_.function_names[f], function.where);
  }
}

std::uint64_t AtomSpace::key(std::uint32_t predicate,
                             std::span<const std::uint32_t> constants) const {
  return first_[predicate] + key_of(strides_[predicate], constants);
}

std::uint32_t AtomSpace::value(std::uint32_t function,
                               std::span<const std::uint32_t> constants) const {
  return values_[function].find(key_of(f_strides_[function], constants));
}

std::uint32_t AtomSpace::predicate_of(std::uint64_t key) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), key);
  return static_cast<std::uint32_t>(after - first_.begin() - 1);
}

std::vector<std::uint32_t> AtomSpace::constants_of(std::uint64_t key) const {
  const std::uint32_t predicate = predicate_of(key);
  std::uint64_t rest = key - first_[predicate];
  std::vector<std::uint32_t> out;
  for (const std::uint64_t stride : strides_[predicate]) {
    out.push_back(static_cast<std::uint32_t>(rest / stride));
    rest %= stride;
  }
  return out;
}

std::string AtomSpace::name(std::uint64_t key) const {
  const std::uint32_t predicate = predicate_of(key);
  const std::vector<std::uint32_t> constants = constants_of(key);
  std::string out = network_.predicate_names[predicate];
  for (std::size_t i = 0; i < constants.size(); ++i) {
    out += i == 0 ? '(' : ',';
    out += evidence_.types[network_.predicates[predicate].types[i]][constants[i]];
  }
  return constants.empty() ? out : out + ')';
}

}  // namespace croft
