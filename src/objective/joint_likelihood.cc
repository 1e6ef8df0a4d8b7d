#include "objective/joint_likelihood.h"

#include <algorithm>

#include "objective/softmax_row.h"

namespace croft {

// theta = M s, with padding -inf.
template <class Real>
Real* JointLikelihood<Real>::spread(const Real* s, Label example, Matrix<Real>& theta) const {
  const std::size_t labels = examples_.parts.labels();
  theta.reshape(1, labels);
  Real* row = theta.row(0);
  std::fill_n(row, labels, Real{0});
  std::fill(row + labels, row + theta.stride(), ChainScores<Real>::kForbidden);
  examples_.parts.spread(s, examples_.windows, example, row);
  return row;
}

template <class Real>
void JointLikelihood<Real>::collect(const Real* d_theta, Label example, std::size_t stride,
                                    Real* out) const {
  examples_.parts.collect(d_theta, examples_.windows, example, out);
  std::fill(out + examples_.parts.cells(), out + stride, Real{0});
}

template <class Real>
void JointLikelihood<Real>::operator()(std::span<const ChainScores<Real>> scores,
                                       std::span<const Gold> gold, std::span<const double> weight,
                                       std::span<const ChainGradient<Real>> out,
                                       std::span<double> value) {
  p_.reshape(1, examples_.parts.labels());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    SoftmaxLoss loss;
    const std::size_t stride = scores[k].state.stride();
    for (std::size_t t = 0; t < scores[k].length(); ++t) {
      const Label example = gold[k].known[t], y = examples_.label[example];
      const Real* theta = spread(scores[k].state.row(t), example, theta_);
      const Real scale = static_cast<Real>(weight[k]);
      if (!softmax_row(ScoreRows<Real>{theta}, y, p_.stride(), scale, p_.row(0), loss)) break;
      p_(0, y) -= scale;
      collect(p_.row(0), example, stride, out[k].state + t * stride);
    }
    value[k] = weight[k] * loss.value();
  }
}

template <class Real>
void JointLikelihood<Real>::curvature(const ChainScores<Real>& scores,
                                      const ChainScores<Real>& tangent, const Gold& gold,
                                      double weight, const ChainGradient<Real>& out) {
  const std::size_t labels = examples_.parts.labels(), stride = scores.state.stride();
  p_.reshape(1, labels);
  for (std::size_t t = 0; t < scores.length(); ++t) {
    const Label example = gold.known[t];
    const Real* theta = spread(scores.state.row(t), example, theta_);
    SoftmaxLoss loss;
    softmax_row(ScoreRows<Real>{theta}, examples_.label[example], p_.stride(), Real{1}, p_.row(0),
                loss);
    Real* u = spread(tangent.state.row(t), example, direction_);
    Real mean = 0;
    for (std::size_t y = 0; y < labels; ++y) mean += p_(0, y) * u[y];
    for (std::size_t y = 0; y < labels; ++y) {
      u[y] = static_cast<Real>(weight) * p_(0, y) * (u[y] - mean);
    }
    collect(u, example, stride, out.state + t * stride);
  }
}

template class JointLikelihood<float>;
template class JointLikelihood<double>;

}  // namespace croft
