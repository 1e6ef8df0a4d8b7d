#include "logic/atom_space.h"

#include <algorithm>
#include <utility>

namespace croft {
namespace {

constexpr std::uint64_t kMostAtoms = std::uint64_t{1} << 62;

// Of arguments, the last one changes fastest; `count` becomes the number of tuples.
std::vector<std::uint64_t> strides_of(const std::vector<std::uint32_t>& types,
                                      const std::vector<NameTable>& constants,
                                      const std::string& name, std::uint64_t& count) {
  std::vector<std::uint64_t> strides(types.size());
  count = 1;
  for (std::size_t i = types.size(); i-- > 0;) {
    strides[i] = count;
    const std::uint64_t size = constants[types[i]].size();
    if (size != 0 && count > kMostAtoms / size) {
      throw Error(name, " has more than 2^62 ground atoms; leave out constants or arguments");
    }
    count *= size;
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
  for (std::uint32_t p = 0; p < network.predicates.size(); ++p) {
    std::uint64_t count = 0;
    strides_.push_back(
        strides_of(network.predicates[p].types, evidence.types, network.predicate_names[p], count));
    if (count > kMostAtoms - first_.back()) {
      throw Error("there are more than 2^62 ground atoms; leave out constants or predicates");
    }
    const LogicFacts& facts = evidence.predicates[p];
    for (std::size_t i = 0; i < facts.truth.size(); ++i) {
      known_.insert(first_.back() + key_of(strides_[p], facts.tuples[i]),
                    static_cast<std::uint32_t>(static_cast<int>(facts.truth[i]) + 1));
    }
    first_.push_back(first_.back() + count);
  }
  values_.resize(network.functions.size());
  for (std::uint32_t f = 0; f < network.functions.size(); ++f) {
    std::uint64_t count = 0;
    f_strides_.push_back(
        strides_of(network.functions[f].types, evidence.types, network.function_names[f], count));
    const FunctionValues& values = evidence.functions[f];
    for (std::size_t i = 0; i < values.value.size(); ++i) {
      values_[f].insert(key_of(f_strides_[f], values.tuples[i]), values.value[i]);
    }
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
