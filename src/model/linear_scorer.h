// The log-linear scorer of a chain: theta = A(x) w, and its transpose g = A(x)^T dL/dtheta.
//
//   state[t][j] = sum_k v_k w[node attribute a_k of t, label j]                           (C.10)
//   edge(t; i, j) = sum_tied w[i, j] + sum_k v_k w[edge attribute b_k of t, pair (i, j)]
//
// w[i, j] may be one number for several pairs, and what the layout's constraint forbids is -inf.
//
// Forward: rich rows are kept padded in Real and added as vectors; short rows cell by cell.
// Transpose: for each attribute the positions where it occurs (postings); each weight is summed by
// one owner in data order (runs of 64 in Real, these in double), so that the result depends on no
// thread count and no copy of the gradient is needed.  Several such sums are added exactly
// (core/exact_sum.h).  docs/math/chain.md section 5.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/exact_sum.h"
#include "croft/core/parallel.h"
#include "croft/inference/history_chain.h"
#include "croft/structure/chain.h"
#include "croft/structure/edge_sharing.h"
#include "model/chain_layout.h"

namespace croft {

// From the weights of the transitions to their scores.

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
  void share(Use use);  // sets sharing_ where transitions that share weights make sums cheaper

  std::size_t labels_;
  // The transitions that have a weight; or, where a constraint forbids some, those it allows.
  static constexpr std::uint32_t kNoWeight = 0xFFFFFFFF;
  std::vector<Edge> listed_;              // increasing
  std::vector<std::uint32_t> weight_of_;  // of each: its place in a tied row, or kNoWeight
  bool masked_ = false;                   // the others are forbidden, and not 0
  bool sparse_ = false;                   // the others are in no table
  std::shared_ptr<const EdgeSharing> sharing_;
};

// A weight beside its cell: one cache miss for both.
template <class Real>
struct CellWeight {
  Real weight;
  std::uint32_t cell;
};

template <class Real>
class LinearScorer {
 public:
  explicit LinearScorer(const ChainLayout& layout);  // kept by reference

  // Takes a copy of the weights in Real.  Required before score().
  void set_weights(std::span<const double> w, ThreadPool& pool);

  // theta of sequence n.  The scores refer to transitions() of this scorer.  Thread-safe.
  // Where the layout has histories these are the base scores, which histories() lifts.
  void score(const ChainData& data, std::size_t n, ChainScores<Real>& out) const;

  const TransitionScores<Real>& transitions() const { return transitions_; }
  // Null for order 1.
  const HistoryScores<Real>* histories() const { return histories_ ? &*histories_ : nullptr; }
  // Those of the chain that inference walks.
  const TransitionScores<Real>& walked() const {
    return histories_ ? histories_->transitions() : transitions_;
  }

 private:
  const ChainLayout& layout_;
  Matrix<Real> rich_;                    // [rich][L]; padding 0
  std::vector<CellWeight<Real>> short_;  // of the poor and single rows, in the order of w
  std::vector<Real> edge_;               // weights of the edge rows, as in w
  AlignedVector<Real> zero_;  // [stride] 0 for labels, -inf for padding: where a state row starts
  TransitionScorer<Real> transition_scorer_;
  TransitionScores<Real> transitions_;
  std::optional<HistoryScores<Real>> histories_;
};

// The overlays of sequence n, added to its scores.
//   weights : of all edge rows, in the order of w
template <class Real>
void add_overlays(const ChainData& data, std::size_t n, const ChainLayout& layout,
                  std::span<const Real> weights, ChainScores<Real>& out);

// For each attribute the places where it occurs, in data order.
struct Postings {
  std::vector<std::uint32_t> attribute;  // those that occur, increasing
  std::vector<std::uint64_t> begin{0};   // [attributes + 1] into place
  std::vector<std::uint32_t> place;      // index of a row (or overlay) of dL/dtheta
  std::vector<double> value;             // parallel to place; empty while all are 1
};

// Postings of the lists at positions [first, last); place_of(p) is the place of position p.
Postings make_postings(const AttributeLists& lists, std::uint64_t first, std::uint64_t last,
                       std::size_t attributes, std::span<const std::uint32_t> place_of);

// The transpose of (C.10) applied to d: one addend for each weight that the postings touch.
//   d_state   : [places][stride] dL/dstate rows
//   d_overlay : [places][L][stride]
//   gradient  : [layout.dimension()] sums of `exact`
template <class Real>
void add_node_gradient(const ChainLayout& layout, const Postings& postings, const Real* d_state,
                       std::size_t stride, const ExactSum& exact, std::span<double> gradient,
                       ThreadPool& pool);
template <class Real>
void add_edge_gradient(const ChainLayout& layout, const Postings& postings, const Real* d_overlay,
                       std::size_t stride, const ExactSum& exact, std::span<double> gradient,
                       ThreadPool& pool);
// gradient of the tied rows (overwritten), from cells [transitions.cells()], the sum of
// dL/dtransition over the data: 0 where all transitions of a weight are forbidden.
template <class Real>
void set_tied_gradient(const ChainLayout& layout, const TransitionScores<Real>& transitions,
                       std::span<const double> cells, std::span<double> gradient);

}  // namespace croft
