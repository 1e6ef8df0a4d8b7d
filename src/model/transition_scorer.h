// From the weights of the transitions to their scores.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/structure/transitions.h"
#include "model/chain_layout.h"

namespace croft {

// Which transitions have a weight, or may occur at all, is found out once.
template <class Real>
class TransitionScorer {
 public:
  // What suits many chains that are done together, or one chain after the other: a search in one
  // chain of few labels is faster with a table, however few of its entries are listed.
  enum class Use { together, one_by_one };
  explicit TransitionScorer(const ChainLayout& layout, Use use = Use::together);

  // What the layout's constraint forbids is -inf; several tied rows add up.
  //   tied : the weights of all tied rows, in the order of w
  // Cost O(weights) and that of out.assign().
  void assign(const RowLayout& rows, std::span<const double> tied,
              TransitionScores<Real>& out) const;

 private:
  void list(const ChainLayout& layout);

  std::size_t labels_;
  // The transitions that have a weight; or, where a constraint forbids some, those it allows.
  static constexpr std::uint32_t kNoWeight = 0xFFFFFFFF;
  std::vector<Edge> listed_;              // increasing
  std::vector<std::uint32_t> weight_of_;  // of each: its place in a tied row, or kNoWeight
  bool masked_ = false;                   // the others are forbidden, and not 0
  bool sparse_ = false;                   // the others are in no table
};

}  // namespace croft
