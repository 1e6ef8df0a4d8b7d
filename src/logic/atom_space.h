// All ground atoms of a network over the constants of an evidence, as numbers, and what is known of
// them.  Nothing is kept of an atom of which nothing is known: 10^15 of them take no memory.
//
//   key(P, c_1 … c_k) = first(P) + sum_i stride(P, i) c_i                                   (ML.9)
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "logic/evidence.h"
#include "logic/key_map.h"
#include "logic/network.h"

namespace croft {

class AtomSpace {
 public:
  // Keeps both by reference.  Throws InputError where there are more than 2^62 atoms.
  //   open : [predicates] whose atoms are unknown where the evidence says nothing; the others' are
  //          false then
  AtomSpace(const LogicNetwork& network, const LogicEvidence& evidence, std::vector<bool> open);

  std::size_t constants(std::uint32_t type) const { return evidence_.types[type].size(); }
  std::uint64_t first(std::uint32_t predicate) const { return first_[predicate]; }
  std::uint64_t stride(std::uint32_t predicate, std::size_t argument) const {
    return strides_[predicate][argument];
  }
  std::uint64_t atoms(std::uint32_t predicate) const {
    return first_[predicate + 1] - first_[predicate];
  }
  std::uint64_t key(std::uint32_t predicate, std::span<const std::uint32_t> constants) const;
  bool is_open(std::uint32_t predicate) const { return open_[predicate]; }
  Truth truth(std::uint32_t predicate, std::uint64_t key) const {
    const std::uint32_t known = known_.find(key);
    if (known != KeyMap::kNone) return static_cast<Truth>(static_cast<int>(known) - 1);
    return open_[predicate] ? Truth::unknown : Truth::no;
  }
  // A function's value, by its number in the type; kNoNumber: none is known.
  std::uint32_t value(std::uint32_t function, std::span<const std::uint32_t> constants) const;

  std::uint32_t predicate_of(std::uint64_t key) const;
  std::vector<std::uint32_t> constants_of(std::uint64_t key) const;
  std::string name(std::uint64_t key) const;  // Friends(Anna,Bob)

  const LogicNetwork& network() const { return network_; }
  const LogicEvidence& evidence() const { return evidence_; }

 private:
  void count_atoms();

  const LogicNetwork& network_;
  const LogicEvidence& evidence_;
  std::vector<bool> open_;
  std::vector<std::uint64_t> first_;                   // [predicates + 1]
  std::vector<std::vector<std::uint64_t>> strides_;    // [predicates][arguments]
  KeyMap known_;                                       // truth + 1
  std::vector<std::vector<std::uint64_t>> f_strides_;  // [functions][arguments]
  std::vector<KeyMap> values_;                         // [functions]
};

}  // namespace croft
