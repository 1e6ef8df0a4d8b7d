// The log-linear scorer of a chain for one sequence at a time, on weights that change all the time.
//
// As LinearScorer (C.10), but nothing is copied: it reads the weights where the optimiser has them,
// and its transpose is the gradient of a sequence's own weights alone.  For that the weights stand
// in another order, its *space*:
//   [ rich node rows, padded to whole SIMD vectors | short node rows | tied rows | edge rows |
//   grams ]
// Padding, and cells of a rich row that are no features, have a gradient of 0: they stay 0.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/optimize/function.h"
#include "croft/structure/chain.h"
#include "model/chain_layout.h"
#include "model/linear_scorer.h"
#include "optimize/stochastic/online_methods.h"

namespace croft {

class SampleScorer {
 public:
  // Both are kept by reference; data.node.id and data.edge.id are ids of the layout.
  // Memory: some 10 bytes for each attribute of each position.
  SampleScorer(const ChainData& data, const ChainLayout& layout);

  std::size_t dimension() const { return dimension_; }
  // From the order of the layout to the space, and back.
  void expand(std::span<const double> w, std::span<double> space) const;
  void compress(std::span<const double> space, std::span<double> w) const;
  VotedPerceptron compress(VotedPerceptron vote) const;

  // The runs of the space that sequence n has anything to do with.
  void support(std::size_t n, std::vector<Run>& runs) const;

  // theta of sequence n; `transitions` are those of transitions() at the same weights.
  void score(std::size_t n, std::span<const double> space,
             const TransitionScores<double>& transitions, ChainScores<double>& out) const;
  void transitions(std::span<const double> space, TransitionScores<double>& out) const;
  // The weights that transitions() depends on.
  std::span<const double> tied(std::span<const double> space) const {
    return space.subspan(first_tied_, first_edge_ - first_tied_);
  }
  std::span<const double> grams(std::span<const double> space) const {
    return space.subspan(first_gram_, layout_.grams());
  }

  // g = A(x)' dL/dtheta, in the order of support(n).
  //   transition : [transitions.cells()]
  //   gram       : [grams] dL/dweight
  void gradient(std::size_t n, const ChainGradient<double>& d, std::size_t stride,
                std::span<const double> transition, std::span<const double> gram,
                const TransitionScores<double>& transitions, std::span<double> out) const;
  // The same, added to `out`, by way of what is not 0 of dL/dtheta.
  void gradient(std::size_t n, const ChainGradient<double>& d, std::size_t stride,
                std::span<const double> transition, std::span<const double> gram,
                const TransitionScores<double>& transitions, SparseVector& out) const;

 private:
  void list_attributes();
  void add_state(std::uint64_t position, Label label, double d, SparseVector& out) const;
  void add_overlay(std::uint64_t position, const double* d, std::size_t stride,
                   SparseVector& out) const;
  void add_edges(std::size_t n, const double* d_overlay, std::size_t stride, double* out) const;
  std::uint64_t row_begin(std::uint32_t a) const {  // in the space, of a node attribute
    return a < rich_ ? a * stride_ : short_shift_ + layout_.node.begin[a];
  }

  const ChainData& data_;
  const ChainLayout& layout_;
  TransitionScorer<double> transition_scorer_;
  std::size_t rich_, stride_;
  std::size_t first_short_, first_tied_, first_edge_, first_gram_, dimension_;
  std::uint64_t short_shift_ = 0;   // from a place in the layout's w to one in the space
  std::vector<std::uint8_t> mask_;  // [rich][stride / 8] which cells of a rich row are features
  AlignedVector<double> zero_;      // [stride] 0 for labels, -inf for padding
  // The distinct node attributes of each sequence, rich ones first, and where in it they occur.
  std::vector<std::uint64_t> first_;  // [N + 1] into attribute_
  std::vector<std::uint32_t> attribute_;
  std::vector<std::uint64_t> place_end_;  // of each, into place_
  std::vector<std::uint32_t> place_;      // position in the sequence
  std::vector<double> value_;             // parallel to place_; empty while all are 1
  // The same of edge attributes.
  std::vector<std::uint64_t> edge_first_;
  std::vector<std::uint32_t> edge_attribute_;
};

}  // namespace croft
