// Edge scores of a chain, tied: one table for all positions of all sequences.
//
// There are two forms.  What the recursions need of them is computed once for many sequences.
//   dense  : a number for each of the L^2 edges.
//   sparse : the edges that are listed, over a background for all others, which is either
//            0 (no feature: the edge is free) or -inf (the edge is forbidden): two different
//            things.
// Nothing of the sparse form grows with L^2.  docs/math/large_label_sets.md.
// A dense table can know which of its edges share a score: its sums then cost less.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "croft/core/matrix.h"

namespace croft {

using Label = std::uint32_t;

// The score of every edge that a sparse table does not list.
enum class Background { zero, forbidden };

struct Edge {
  Label from, to;
  auto operator<=>(const Edge&) const = default;
};

// The listed edges of a sparse table, grouped by one of their ends.
template <class Real>
struct EdgeLists {
  std::vector<std::uint32_t> begin;  // [L + 1]: those of label k are [begin[k], begin[k + 1])
  std::vector<Label> other;          // the other end, increasing within a group
  std::vector<Real> log;             // score
  std::vector<Real> factor;          // exp(score - shift)
  std::vector<Real> correction;      // factor - background_factor()
  std::vector<std::uint32_t> cell;   // where its derivative goes in ChainGradient::transition
  std::vector<Real> smallest;  // [L] the smallest factor of a group; infinite for an empty one

  std::size_t size() const { return other.size(); }
};

struct EdgeSharing;  // croft/structure/edge_sharing.h

template <class Real>
class TransitionScores {
 public:
  static constexpr Real kForbidden = -std::numeric_limits<Real>::infinity();
  static constexpr std::uint32_t kNoCell = 0xFFFFFFFF;

  TransitionScores() = default;
  explicit TransitionScores(std::size_t labels) { assign(Matrix<Real>(labels, labels, Real{0})); }

  // Dense; log_scores: [L][L], from row i to column j.  Cost O(L^2) exponentials.
  void assign(Matrix<Real> log_scores);
  // The same, where edges share scores; sharing: of labels() labels, or null.  Sums over chains
  // without overlays then cost what EdgeSharing says.  They may add the derivatives of edges that
  // share a score to the cell of any one of these edges: only the sum over them means something.
  void assign(Matrix<Real> log_scores, std::shared_ptr<const EdgeSharing> sharing);
  // Sparse; edges increasing (by from, then to), each once; log[k] is the score of edges[k], which
  // may be -inf.  Cost O(L + edges).
  void assign(std::size_t labels, Background background, std::span<const Edge> edges,
              std::span<const Real> log);

  std::size_t labels() const { return labels_; }
  bool sparse() const { return sparse_; }

  // One edge.  Sparse: O(log of the edges that leave i), O(1) up to kFewLabels labels.
  Real at(Label i, Label j) const;
  Real factor(Label i, Label j) const;         // exp(at(i, j) - shift())
  std::uint32_t cell(Label i, Label j) const;  // index of its derivative, or kNoCell
  // Numbers in ChainGradient::transition.  Dense: L * padded(L), row-major; sparse: one a listed
  // edge.
  std::size_t cells() const;

  double shift() const { return shift_; }    // the largest score; 0 when none is finite
  double spread() const { return spread_; }  // largest - smallest finite score
  bool any_forbidden() const { return any_forbidden_; }

  // Dense form only.
  const Matrix<Real>& log() const { return log_; }          // padding -inf
  const Matrix<Real>& factors() const { return factors_; }  // exp(log - shift); padding 0
  const Matrix<Real>& factors_transposed() const { return factors_transposed_; }
  const Matrix<Real>& allowed() const { return allowed_; }  // 1 where log > -inf, else 0
  const Matrix<Real>& allowed_transposed() const { return allowed_transposed_; }

  // Dense form; null where nothing is known to be shared.
  const std::shared_ptr<const EdgeSharing>& sharing() const { return sharing_; }
  // [from_classes * to_classes] exp(log - shift) of each pair of classes, row-major; and that of
  // sharing by list.
  const std::vector<Real>& class_factors() const { return class_factors_; }

  // Sparse form, and where edges share scores by list.
  Background background() const { return background_; }
  Real background_log() const { return background_ == Background::zero ? Real{0} : kForbidden; }
  Real background_factor() const { return background_factor_; }  // exp(background_log() - shift)
  const EdgeLists<Real>& leaving() const { return leaving_; }    // by from; cell[k] = k
  const EdgeLists<Real>& arriving() const { return arriving_; }  // by to

 private:
  void set_range(double low, double high);
  void set_dense_range();  // of log_
  void set_factors();      // of log_ and shift_
  void set_shared_factors();
  void set_lists(std::span<const Edge> edges, std::span<const Real> log);

  std::size_t labels_ = 0;
  bool sparse_ = false;
  double shift_ = 0, spread_ = 0;
  bool any_forbidden_ = false;
  Matrix<Real> log_, factors_, factors_transposed_, allowed_, allowed_transposed_;
  Background background_ = Background::zero;
  Real background_factor_ = 1;
  EdgeLists<Real> leaving_, arriving_;
  std::shared_ptr<const EdgeSharing> sharing_;
  std::vector<Real> class_factors_;
  static constexpr std::size_t kFewLabels = 128;
  std::vector<std::uint32_t> cell_of_;  // sparse, [L][L], for a few labels only
};

// The same scores in the other precision.
template <class To, class From>
TransitionScores<To> convert(const TransitionScores<From>& from);

}  // namespace croft
