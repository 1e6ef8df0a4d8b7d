// What training sees of an objective over segmentations: (scores, gold) -> value and dL/dtheta.
//
// docs/math/segments.md section 8 has their formulas; each is convex where gold is complete, but
// for the marginal likelihood.  Weight is > 0; dL/dtheta is multiplied by it, as is the value.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "croft/inference/segment_sum.h"
#include "croft/inference/segment_tangent.h"
#include "croft/inference/segment_viterbi.h"
#include "croft/structure/gold.h"
#include "croft/structure/segment_labels.h"
#include "croft/structure/segments.h"
#include "objective/chain_objectives.h"
#include "objective/label_cost.h"

namespace croft {

// What the data says of a segmentation: all of it, or something of its column labels.
struct SegmentGold {
  std::span<const Segment> segments;  // from 0 to T, where is_complete
  bool is_complete = true;
  Gold columns;  // [T], where not

  SegmentGold() = default;
  SegmentGold(std::span<const Segment> all) : segments(all) {}
  SegmentGold(const std::vector<Segment>& all) : segments(all) {}
  SegmentGold(const Gold& known) : is_complete(false), columns(known) {}
};

// One object a thread: it owns the scratch.
template <class Real>
class SegmentObjective {
 public:
  virtual ~SegmentObjective() = default;
  // Writes dL/dtheta to out (segment and overlay overwritten, transition added to) and returns L in
  // nats; +inf, with `out` unspecified, where L is not finite.
  virtual double operator()(const SegmentScores<Real>& scores, const SegmentGold& gold,
                            double weight, const SegmentGradient<Real>& out) = 0;
  // Counts on: sums that took another path than the scaled one in Real.
  virtual std::size_t slow() const { return 0; }
  // Whether dL/dtheta of the last call was anything but 0; true wherever that is not known for
  // free.
  virtual bool moved() const { return true; }
};

// One with second derivatives.
template <class Real>
class CurvedSegmentObjective : public SegmentObjective<Real> {
 public:
  // out = weight (d^2 L / dtheta dtheta) tangent, laid out as dL/dtheta (transition is added to).
  //   tangent : as the direction of marginals_tangent() (inference/segment_tangent.h)
  virtual void curvature(const SegmentScores<Real>& scores, const SegmentScores<Real>& tangent,
                         const SegmentGold& gold, double weight,
                         const SegmentGradient<Real>& out) = 0;
};

// log Z(theta), whatever the labels: what data without labels says of the weights (U.1).
template <class Real>
class SegmentLogPartition final : public CurvedSegmentObjective<Real> {
 public:
  // -inf where no segmentation is allowed.
  double operator()(const SegmentScores<Real>& scores, const SegmentGold& gold, double weight,
                    const SegmentGradient<Real>& out) override;
  void curvature(const SegmentScores<Real>& scores, const SegmentScores<Real>& tangent,
                 const SegmentGold& gold, double weight, const SegmentGradient<Real>& out) override;
  std::size_t slow() const override { return slow_; }

 private:
  SegmentWorkspace<Real> work_;
  SegmentTangentWorkspace tangent_;
  std::size_t slow_ = 0;
};

// log Z(theta) - theta(gold); with partial gold log Z(theta) - log Z(theta restricted): (SM.19),
// (SM.20).  One forward-backward, two where gold is partial.
template <class Real>
class SegmentLikelihood final : public SegmentObjective<Real> {
 public:
  // Kept by reference; needed for partial gold only.
  explicit SegmentLikelihood(const SegmentLabels& labels) : labels_(labels) {}
  double operator()(const SegmentScores<Real>& scores, const SegmentGold& gold, double weight,
                    const SegmentGradient<Real>& out) override;
  std::size_t slow() const override { return slow_; }

 private:
  const SegmentLabels& labels_;
  SegmentWorkspace<Real> work_;
  SegmentScores<Real> restricted_;
  Matrix<Real> segment_, overlay_;  // derivatives of the restricted sum
  std::size_t slow_ = 0;
};

// Adds what the column labels of each segment cost: theta + Delta, (SM.21).
class SegmentCostAugmenter {
 public:
  // Both are kept by reference.  cost: of column labels, from the gold one to the predicted one.
  SegmentCostAugmenter(const SegmentLabels& labels, const LabelCost& cost)
      : labels_(labels), cost_(cost) {}
  // out = scores with the costs added.  O(T (cells + columns)).
  template <class Real>
  void operator()(const SegmentScores<Real>& scores, const SegmentGold& gold,
                  SegmentScores<Real>& out);
  // What `predicted` costs, by the last call's gold.
  double cost(std::span<const Segment> predicted) const;

 private:
  const SegmentLabels& labels_;
  const LabelCost& cost_;
  std::vector<Label> columns_;
  Matrix<double> row_;     // [T][columns] the cost of each column label
  Matrix<double> inside_;  // [T + 1][L] sums of the costs of inside[y] up to t
};

// log Z(theta + Delta) - theta(gold): softmax-margin, (SM.21).
template <class Real>
class SegmentSoftmaxMargin final : public SegmentObjective<Real> {
 public:
  SegmentSoftmaxMargin(const SegmentLabels& labels, const LabelCost& cost)
      : augment_(labels, cost), likelihood_(labels) {}
  double operator()(const SegmentScores<Real>& scores, const SegmentGold& gold, double weight,
                    const SegmentGradient<Real>& out) override;
  std::size_t slow() const override { return likelihood_.slow(); }

 private:
  SegmentCostAugmenter augment_;
  SegmentScores<Real> augmented_;
  SegmentLikelihood<Real> likelihood_;
};

// - sum_t log p(column label of t | x), (SM.22): what decoding position by position wants.  Linear
// in T: one more pass forward and one backward, in double.  Partial gold is possible.
template <class Real>
class SegmentMarginalLikelihood final : public SegmentObjective<Real> {
 public:
  explicit SegmentMarginalLikelihood(const SegmentLabels& labels) : labels_(labels) {}
  double operator()(const SegmentScores<Real>& scores, const SegmentGold& gold, double weight,
                    const SegmentGradient<Real>& out) override;
  std::size_t slow() const override { return slow_; }

 private:
  struct Pass;
  const SegmentLabels& labels_;
  std::shared_ptr<Pass> pass_;  // made when first needed
  std::size_t slow_ = 0;
};

// Blocks of b neighbouring gold segments: the span of each, segmented freely given the labels of
// the segments beside it, (SM.25).  b = 1 is the pseudo-likelihood, b = all of them the likelihood;
// b = 2, each counting 1, the per-edge one.  Gold must be complete.
template <class Real>
class SegmentCompositeLikelihood final : public SegmentObjective<Real> {
 public:
  // Throws UsageError for a block of 0 segments.
  SegmentCompositeLikelihood(const SegmentLabels& labels, std::size_t block,
                             BlockCount count = BlockCount::positions);
  double operator()(const SegmentScores<Real>& scores, const SegmentGold& gold, double weight,
                    const SegmentGradient<Real>& out) override;
  std::size_t slow() const override { return likelihood_.slow(); }

 private:
  struct Block;  // which gold segments, and where their span begins and ends
  void cut(const SegmentScores<Real>& scores, const Block& block);
  void paste(const SegmentScores<Real>& scores, const Block& block,
             const SegmentGradient<Real>& out);

  std::size_t block_;
  BlockCount count_;
  SegmentLikelihood<Real> likelihood_;
  SegmentScores<Real> scores_;             // of a block
  std::vector<std::size_t> overlay_from_;  // the overlay of the sequence that each of its is
  std::vector<Segment> gold_;
  Matrix<Real> segment_, overlay_;  // derivatives
};

// Every factor normalised on its own, (SM.27): an upper bound of the likelihood's loss.  Gold must
// be complete.
template <class Real>
class SegmentPiecewise final : public SegmentObjective<Real> {
 public:
  double operator()(const SegmentScores<Real>& scores, const SegmentGold& gold, double weight,
                    const SegmentGradient<Real>& out) override;
};

// max (theta + Delta) - theta(gold), (SM.28): max-margin, and without a cost the perceptron.  Gold
// must be complete.  One Viterbi.
template <class Real>
class SegmentHinge final : public SegmentObjective<Real> {
 public:
  SegmentHinge() = default;
  SegmentHinge(const SegmentLabels& labels, const LabelCost& cost)
      : augment_(std::in_place, labels, cost) {}
  double operator()(const SegmentScores<Real>& scores, const SegmentGold& gold, double weight,
                    const SegmentGradient<Real>& out) override;
  bool moved() const override { return moved_; }
  // The segmentation that attains the maximum; gold where L = 0.
  std::span<const Segment> best() const { return segments_; }

 private:
  std::optional<SegmentCostAugmenter> augment_;
  SegmentScores<Real> augmented_;
  SegmentBest best_;
  std::vector<Segment> segments_;
  bool moved_ = false;
};

}  // namespace croft
