// The objectives of a chain beside its likelihood: those that normalise pieces of it, the marginal
// likelihood, and those that weigh mistakes.  docs/math/chain_objectives.md has their derivations.
//
// L is +inf where the scores forbid the gold labelling, which must be complete unless a comment
// says otherwise.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "croft/inference/chain_tangent.h"
#include "croft/inference/chain_viterbi.h"
#include "croft/objective/likelihood.h"
#include "objective/label_cost.h"

namespace croft {

// What is computed chain by chain.
template <class Real>
class SingleChainObjective : public ChainObjective<Real> {
 public:
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) final {
    begin(scores);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      value[k] = one_chain(scores[k], gold[k], weight[k], out[k]);
    }
  }

 private:
  virtual void begin(std::span<const ChainScores<Real>>) {}  // of a call
  virtual double one_chain(const ChainScores<Real>& scores, const Gold& gold, double weight,
                           const ChainGradient<Real>& out) = 0;
};

// Local likelihood: each label given the one before it, what a maximum-entropy Markov model
// maximises (McCallum, Freitag & Pereira 2000).
//
//   L(theta, y) = - weight sum_t log p(y_t | y_{t-1}, x)                                    (MM.1)
//   p(y_t = j | y_{t-1} = i, x) ~ exp( state[t][j] + edge(t; i, j) )
//
// No forward-backward: O(T L).  Convex.  docs/math/single.md section 4.
template <class Real>
class LocalLikelihood final : public SingleChainObjective<Real> {
  double one_chain(const ChainScores<Real>& scores, const Gold& gold, double weight,
                   const ChainGradient<Real>& out) override;

  Matrix<Real> row_;  // [1][L] scratch
};

// Pseudo-likelihood (Besag 1975): each label given its true neighbours.
//
//   L(theta, y) = - weight sum_t log p(y_t | y_{t-1}, y_{t+1}, x)                           (V.1)
//   p(y_t = j | …) ~ exp( state[t][j] + edge(t; y_{t-1}, j) + edge(t+1; j, y_{t+1}) )
//
// No forward-backward: O(T L).  Convex.  Whether the scores forbid all other labellings does not
// matter.
template <class Real>
class PseudoLikelihood final : public SingleChainObjective<Real> {
  void begin(std::span<const ChainScores<Real>> scores) override;
  double one_chain(const ChainScores<Real>& scores, const Gold& gold, double weight,
                   const ChainGradient<Real>& out) override;
  // edge(t; i, .) and edge(t; ., j): rows of a table where t has no overlay, else scratch.
  const Real* row_from(const ChainScores<Real>& scores, std::size_t t, Label i);
  const Real* row_to(const ChainScores<Real>& scores, std::size_t t, Label j);

  Matrix<Real> columns_;  // [L][L] the tied scores, transposed; dense transitions
  Matrix<Real> rows_;     // [2][L] scratch
};

// Piecewise training (Sutton & McCallum 2005): every factor normalised on its own.
//
//   L(theta, y) = weight (   sum_t      ( lse_j state[t][j]          - state[t][y_t] )
//                          + sum_{t>=1} ( lse_{i,j} edge(t; i, j)    - edge(t; y_{t-1}, y_t) ) )
//                                                                                           (V.5)
// A piece is the row of state scores of a position, or the table of edge scores of two neighbours.
// No forward-backward: O(T L), and O(L^2) once for the tied table and once for each overlay.
// Convex, and an upper bound of the likelihood's loss.  Pieces do not see each other, so that
// nothing but a forbidden gold labelling makes L infinite.
template <class Real>
class Piecewise final : public ChainObjective<Real> {
 public:
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;

 private:
  double one_chain(const ChainScores<Real>& scores, std::span<const Label> y, double weight,
                   const ChainGradient<Real>& out);
  double overlay_piece(const ChainScores<Real>& scores, std::size_t t, Label i, Label j,
                       double weight, const ChainGradient<Real>& out);
  // Its distribution to the derivatives of the tied table.
  void add_tied_pieces(const TransitionScores<Real>& tied, double count, double* transition) const;

  double tied_sum_ = 0;   // of the factors of the tied table
  double tied_ = 0;       // lse of the tied table
  Matrix<double> piece_;  // [L][L] scratch
};

// Piecewise training on a transition with its observations, the pieces of Sutton & McCallum (2005):
// factors are Psi_t(y_t, y_{t-1}, x_t).
//
//   L(theta, y) = weight (   lse_j state[0][j] - state[0][y_0]
//                          + sum_{t>=1} ( lse_{i,j} (edge(t; i, j) + state[t][j])
//                                         - edge(t; y_{t-1}, y_t) - state[t][y_t] ) )      (V.5b)
//
// With a tied table the sum over i is the same for all positions: O(T L), and O(L^2) once for the
// table and once for each overlay.  Convex, and an upper bound of the likelihood's loss.
template <class Real>
class ObservedPieces final : public ChainObjective<Real> {
 public:
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;

 private:
  void set_enter(const TransitionScores<Real>& tied);
  double one_chain(const ChainScores<Real>& scores, std::span<const Label> y, double weight,
                   const ChainGradient<Real>& out);
  double overlay_piece(const ChainScores<Real>& scores, std::size_t t, Label i, Label j,
                       double weight, const ChainGradient<Real>& out);
  void add_tied_pieces(const TransitionScores<Real>& tied, double* transition) const;

  Matrix<Real> enter_;         // [1][L] lse_i edge(i, j) of the tied table
  std::vector<double> sums_;   // [L] the same as a sum of factors
  std::vector<double> share_;  // [L] of the tied pieces: weight p(j)
  Matrix<double> piece_;       // [L][L] scratch
};

// What the blocks of a sequence count together.
enum class BlockCount {
  positions,  // as many as there are positions, whatever b: c of (V.3)
  blocks      // one each: c = 1
};

// Composite likelihood (Lindsay 1988): blocks of neighbouring labels given the labels around them.
//
//   L(theta, y) = - weight c sum_s log p(y_s … y_{s+b-1} | y_{s-1}, y_{s+b}, x)             (V.3)
//
// over all T - b + 1 blocks of b neighbours, with c = T / (b (T - b + 1)): all blocks together
// count as many positions as the chain has.  b = 1 is the pseudo-likelihood, b >= T the likelihood.
// Per-edge pseudo-likelihood has b = 2 and c = 1: a term for each edge, as in graphs.  Convex.
// Cost: a forward-backward for each block, O(T b L^2).
template <class Real>
class CompositeLikelihood final : public SingleChainObjective<Real> {
 public:
  // Throws UsageError for a block of 0 labels.
  explicit CompositeLikelihood(std::size_t block, BlockCount count = BlockCount::positions);
  std::size_t slow() const override { return likelihood_.slow(); }

 private:
  double one_chain(const ChainScores<Real>& scores, const Gold& gold, double weight,
                   const ChainGradient<Real>& out) override;
  // The block that begins at `first`, as a chain of its own, number `lane` of the next call.
  void cut(const ChainScores<Real>& scores, std::span<const Label> y, std::size_t first,
           std::size_t lane, double weight, double* transition);
  // The derivatives of that chain's scores to those of the whole one.
  void paste(const ChainScores<Real>& scores, std::span<const Label> y, std::size_t first,
             std::size_t lane, const ChainGradient<Real>& out);

  std::size_t block_;
  BlockCount count_;
  ChainLikelihood<Real> likelihood_;
  // Blocks, kChainLanes at a time.
  std::vector<ChainScores<Real>> scores_;
  std::vector<Matrix<Real>> state_, overlay_;  // derivatives
  std::vector<Gold> gold_;
  std::vector<double> weight_, value_;
  std::vector<ChainGradient<Real>> out_;
  Matrix<Real> row_;  // [1][L] scratch
};

// Marginal likelihood (Kakade, Teh & Roweis 2002): each label alone, summed over all others.
//
//   L(theta, Y) = - weight sum_t log p(y_t in Y_t | x)                                      (V.7)
//   dL/dtheta   = - weight sum_t ( mu given y_t in Y_t  -  mu )                             (V.8)
//
// What decoding by marginals wants: positions that are right, not whole labellings.  Y_t is what is
// known of t: a label, a set, or nothing, which adds nothing.  Not convex.  L is +inf where the
// scores forbid every label that some position may have.  Cost: two forward-backwards in double,
// whatever T is.
template <class Real>
class MarginalLikelihood final : public SingleChainObjective<Real> {
 public:
  std::size_t slow() const override { return slow_; }

 private:
  double one_chain(const ChainScores<Real>& scores, const Gold& gold, double weight,
                   const ChainGradient<Real>& out) override;

  TangentWorkspace work_;
  std::size_t slow_ = 0;
};

// theta + Delta(gold, .): scores that favour costly mistakes, what softmax-margin sums over and
// max-margin searches.  Where gold is partial Delta is position_cost().  One a thread: it owns the
// scratch.
class CostAugmenter {
 public:
  // Both are kept by reference.
  //   label_of : [states], not decreasing; of chains whose labels are states that each stand for a
  //              label of the cost (structure/label_histories.h).  Empty: they are the labels.
  explicit CostAugmenter(const LabelCost& cost, std::span<const Label> label_of = {})
      : cost_(&cost), label_of_(label_of) {}

  // out = scores with the cost added to the states; its storage is reused.  O(T L), with set-valued
  // gold times the size of the sets.
  template <class Real>
  void operator()(const ChainScores<Real>& scores, const Gold& gold, ChainScores<Real>& out);
  // Delta(gold, predicted) at t; both as they stand in the chain.
  double of_label(Label gold, Label predicted) const {
    return label_of_.empty() ? (*cost_)(gold, predicted)
                             : (*cost_)(label_of_[gold], label_of_[predicted]);
  }

 private:
  const LabelCost* cost_;
  std::span<const Label> label_of_;
  std::vector<double> row_;     // [labels of the cost]
  std::vector<Label> fitting_;  // scratch
};

// Softmax-margin (Gimpel & Smith 2010): the likelihood under scores that favour costly mistakes.
//
//   L(theta, y) = weight (log sum_y' exp( theta(y') + sum_t Delta(y_t, y'_t) ) - theta(y))   (C.15)
//
// Added to the scores, the cost must be overcome by the gold labelling: training moves the decision
// away from the mistakes that cost most.  L >= that of the likelihood; equal to it where the cost
// is 0.  Cost: T L more.  Gold may be partial.
template <class Real>
class SoftmaxMargin final : public CurvedChainObjective<Real> {
 public:
  // As the constructor of CostAugmenter.
  explicit SoftmaxMargin(const LabelCost& cost, std::span<const Label> label_of = {})
      : augment_(cost, label_of) {}

  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;
  // That of the likelihood at theta + Delta.
  void curvature(const ChainScores<Real>& scores, const ChainScores<Real>& tangent,
                 const Gold& gold, double weight, const ChainGradient<Real>& out) override;
  std::size_t slow() const override { return likelihood_.slow(); }

 private:
  CostAugmenter augment_;
  ChainLikelihood<Real> likelihood_;
  std::vector<ChainScores<Real>> augmented_;  // grows, never shrinks
};

// The structured hinge: max-margin with margin rescaling (Taskar, Guestrin & Koller 2003), and the
// perceptron (Collins 2002), which is the hinge without a cost.
//
//   L(theta, y) = weight ( max_y' ( theta(y') + sum_t Delta(y_t, y'_t) ) - theta(y) )       (V.10)
//   dL/dtheta   = weight ( 1[y^] - 1[y] )  for one y^ that attains the maximum              (V.11)
//
// L >= 0, convex, with a subgradient where several labellings attain the maximum: viterbi() says
// which is taken.  Cost: one Viterbi.
template <class Real>
class ChainHinge final : public SingleChainObjective<Real> {
 public:
  // The perceptron.
  ChainHinge() = default;
  // Max-margin; as the constructor of CostAugmenter.
  explicit ChainHinge(const LabelCost& cost, std::span<const Label> label_of = {})
      : augment_(std::in_place, cost, label_of) {}

  bool moved() const override { return moved_; }
  // y^ of the last chain of the last call; the gold labelling where L = 0.
  std::span<const Label> best() const { return best_; }

 private:
  void begin(std::span<const ChainScores<Real>>) override { moved_ = false; }
  double one_chain(const ChainScores<Real>& scores, const Gold& gold, double weight,
                   const ChainGradient<Real>& out) override;

  std::optional<CostAugmenter> augment_;
  ChainScores<Real> augmented_;
  ViterbiWorkspace<Real> work_;
  std::vector<Label> best_;
  bool moved_ = false;
};

}  // namespace croft
