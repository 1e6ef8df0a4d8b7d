// Ground clauses with weights, each once, and what their weights are made of.
//
//   score(x) = base  -  sum_k weight_k [clause k is false in x],    -inf where a hard one is (ML.6)
//
// Atoms are numbered as they come.  A clause of three literals takes 70 bytes or so, all in.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"
#include "logic/key_map.h"

namespace croft {

inline constexpr double kHardWeight = std::numeric_limits<double>::infinity();

// Atoms of which at least `least` and at most one are true.
struct AtomBlock {
  std::span<const std::uint32_t> atoms;
  bool exactly_one = true;  // else at most one
};

class ClauseStore {
 public:
  // The number of an atom, new or not.
  std::uint32_t atom(std::uint64_t key);
  // A new one that stands for a part of a formula.
  std::uint32_t helper_atom();
  std::uint32_t find_atom(std::uint64_t key) const { return numbers_.find(key); }
  std::size_t atoms() const { return keys_.size(); }
  std::uint64_t key(std::uint32_t atom) const { return keys_[atom]; }  // KeyMap::kFree: helper

  // Literals are 2 * atom, and 1 more where negated, in any order; they are sorted in place.  What
  // is there already gets the weight, too; a soft !A is an A of the opposite weight.  A clause that
  // is always true is left out; false: the clause is empty (always false), and a hard one is left
  // out for the caller to report.
  //   unit   : whose weight it is; kNoUnit: nobody's
  //   weight : factor times the unit's weight, or kHardWeight
  static constexpr std::uint32_t kNoUnit = 0xffffffff;
  bool add(std::vector<std::uint32_t>& literals, double weight, std::uint32_t unit = kNoUnit,
           double factor = 1);
  void add_block(std::span<const std::uint32_t> atoms, bool exactly_one);
  // What all worlds score, and the most that the weights allow: the cost of a world is the most
  // minus its score.
  void add_base(double score, double most) {
    base_ += score;
    most_ += most;
  }

  std::size_t clauses() const { return weights_.size(); }
  std::span<const std::uint32_t> literals(std::size_t clause) const {
    return std::span(literals_).subspan(begin_[clause], begin_[clause + 1] - begin_[clause]);
  }
  double weight(std::size_t clause) const { return weights_[clause]; }  // kHardWeight, or any sign
  bool is_hard(std::size_t clause) const { return weights_[clause] == kHardWeight; }
  std::size_t blocks() const { return block_exactly_.size(); }
  AtomBlock block(std::size_t number) const;
  double base() const { return base_; }
  double most() const { return most_; }
  std::size_t merged() const { return merged_; }  // additions that met an equal clause

  // What a clause's weight is the sum of.
  struct Share {
    std::uint32_t unit, next;  // next: of the clause; kNoUnit at the end
    double factor;
  };
  // visit(unit, factor), the last addition first.
  template <class Visit>
  void for_shares(std::size_t clause, const Visit& visit) const {
    for (std::uint32_t i = share_[clause]; i != kNoUnit; i = shares_[i].next) {
      visit(shares_[i].unit, shares_[i].factor);
    }
  }

  // Other weights of the units; hard clauses stay hard.  base() and most() are those of the old
  // ones.
  void reweigh(std::span<const double> units);

  // Of a soft clause; its shares stay.
  void set_weight(std::size_t clause, double weight) { weights_[clause] = weight; }

  // score(x) of the values of all atoms [atoms()].
  double score(std::span<const std::uint8_t> values) const;
  double cost(std::span<const std::uint8_t> values) const {
    return std::max(0., most_ - score(values));  // less is what sums have lost
  }
  // Of cost(), what the clauses that are here cost: weights of false ones, and the absolute ones of
  // negative ones that are true.  Other programs call this the cost; it depends on which groundings
  // the evidence has decided.
  double clause_cost(std::span<const std::uint8_t> values) const;
  std::size_t bytes() const;  // that it has taken

 private:
  bool holds(std::size_t clause, std::span<const std::uint8_t> values) const;
  std::size_t slot_of(std::span<const std::uint32_t> literals, std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> keys_;  // [atoms]
  KeyMap numbers_;
  std::vector<std::uint64_t> begin_{0};  // [clauses + 1]
  std::vector<std::uint32_t> literals_;
  std::vector<double> weights_;       // [clauses]
  std::vector<std::uint32_t> share_;  // [clauses] the last one
  std::vector<Share> shares_;
  std::vector<std::uint32_t> slots_;  // of clauses, at most half full
  std::vector<std::uint64_t> block_begin_{0};
  std::vector<std::uint32_t> block_atoms_;
  std::vector<std::uint8_t> block_exactly_;
  double base_ = 0, most_ = 0;
  std::size_t merged_ = 0;
};

// p(x) as a factor graph: a variable of two states for each atom, a factor for each clause and each
// block, in their order.  The graph's log Z is without store.base().
//   all : clauses of weight 0, too, so that the factors of clauses have their numbers
FactorGraph graph_of(const ClauseStore& store, bool all = false);

}  // namespace croft
