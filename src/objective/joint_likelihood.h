// The conditional likelihood of one label under joint features f(x, y).
//
//   L(s, y)  = weight (log sum_j exp theta_j - theta_y),     theta = M s                    (JF.4)
//   dL/ds    = weight M' (p - 1[y]),     d^2 L/ds ds = weight M' (diag p - p p') M
//
// The scores that it sees are of cells, groups of labels; M (structure/label_parts.h) makes scores
// of labels of them, position by position, and depends on what stands near the position.  So `gold`
// holds, in the place of a label, the number of the position among the examples.
#pragma once
#include <vector>

#include "croft/objective/chain_objective.h"
#include "structure/label_parts.h"

namespace croft {

// Of P positions, what the likelihood needs beside scores of cells.
struct JointExamples {
  LabelParts parts;
  std::vector<Label> label;  // [P] the true one
  WindowLists windows;       // [P]
};

template <class Real>
class JointLikelihood final : public CurvedChainObjective<Real> {
 public:
  // Kept by reference.
  explicit JointLikelihood(const JointExamples& examples) : examples_(examples) {}

  // gold.known[t]: number of an example.  Positions do not depend on each other: edge scores, if
  // any, are ignored, and their derivatives left alone.  Cost O(L + cells) a position.
  using ChainObjective<Real>::operator();
  void operator()(std::span<const ChainScores<Real>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<Real>> out,
                  std::span<double> value) override;
  void curvature(const ChainScores<Real>& scores, const ChainScores<Real>& tangent,
                 const Gold& gold, double weight, const ChainGradient<Real>& out) override;

 private:
  Real* spread(const Real* s, Label example, Matrix<Real>& theta) const;
  void collect(const Real* d_theta, Label example, std::size_t stride, Real* out) const;

  const JointExamples& examples_;
  Matrix<Real> theta_, p_, direction_;  // [1][L]
};

}  // namespace croft
