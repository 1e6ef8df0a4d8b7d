#include "train/functions/row_preconditioner.h"

#include <algorithm>
#include <cmath>

namespace croft {
namespace {

// Solves (B.30) for s by fixed-point iteration.
//   h    : sum_p v^2 mu (1 - mu) of the row's features
//   rest : the same of all labels that are no features of the row
//   s    : [features] overwritten
// Returns sum s, the rest included.
double solve_row(std::span<const double> h, double rest, std::span<double> s) {
  constexpr int kIterations = 8;
  std::ranges::copy(h, s.begin());
  double total = rest, others = rest;
  for (const double each : h) total += each;
  for (int k = 0; k < kIterations && total > 0; ++k) {
    double sum = 0;
    const auto next = [&](double before, double own) {
      const double now = own + std::min(before * before / total, 0.9 * before);
      sum += now;
      return now;
    };
    for (std::size_t j = 0; j < h.size(); ++j) s[j] = next(s[j], h[j]);
    others = next(others, rest);
    total = sum;
  }
  return total;
}

}  // namespace

RowPreconditioner::RowPreconditioner(const ChainData& data, const ChainLayout& layout,
                                     ChainFunction& f, double l2, std::span<const double> w,
                                     Ranks& ranks)
    : layout_(layout),
      scale_(layout.dimension(), 1.0 / std::sqrt(l2)),
      direction_(layout.dimension()),
      turn_(layout.node.rows()) {
  const std::size_t positions = data.positions(), labels = layout.labels;
  Matrix<float> variance(positions, labels);
  std::vector<double>& h = direction_;  // of each feature, until its row is set
  f.evaluate(w, h, 0, variance);
  std::ranges::fill(h, 0.0);
  // Sums of q v^2 mu (1 - mu), which is at most q v^2 / 4, and over labels at most q v^2.
  double largest = 1;
  for (const double v : data.node.value) largest = std::max(largest, std::abs(v));
  largest = largest_of_all(ranks, largest);
  const auto cuts = wave_cuts(data.sequence_begin, labels, data.has_edges());
  const double most = wave_limits(data, cuts, ranks).all * largest;
  ExactSum exact(most);
  exact.begin_block(most);
  // |dL/dstate| is mu or 1 - mu, times the weight q: q mu (1 - mu).
  std::vector<double> total(positions), row_total(layout.node.rows());
  double sum = 0;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const double q = data.sequence_weight(n);
    for (std::uint64_t p = data.sequence_begin[n]; p < data.sequence_begin[n + 1]; ++p) {
      for (float& d : variance[p]) {
        const double mu = std::min(std::abs(double{d}) / q, 1.0);
        d = static_cast<float>(q * mu * (1 - mu));
        total[p] += d;
      }
      exact.add(total[p], sum);
    }
  }
  const RowLayout& node = layout.node;
  for (std::size_t p = 0; p < positions; ++p) {
    for (std::uint64_t k = data.node.begin[p]; k < data.node.begin[p + 1]; ++k) {
      const std::uint32_t a = data.node.id[k];
      const double value = data.node.value.empty() ? 1.0 : data.node.value[k];
      exact.add(value * value * total[p], row_total[a]);
      for (std::size_t c = 0; c < node.length(a); ++c) {
        exact.add(value * value * variance(p, node.cell_of(a, c)), h[node.begin[a] + c]);
      }
    }
  }
  ranks.sum(std::span(&sum, 1));
  ranks.sum(row_total);
  ranks.sum(h);
  std::vector<double> own;
  for (std::size_t a = 0; a < node.rows(); ++a) {
    own.assign(h.begin() + static_cast<std::ptrdiff_t>(node.begin[a]),
               h.begin() + static_cast<std::ptrdiff_t>(node.begin[a + 1]));
    double rest = row_total[a];
    for (const double each : own) rest -= each;
    set_row(a, own, std::max(rest, 0.0), l2);
  }
  const auto all_positions = static_cast<double>(sum_of_all(ranks, positions));
  set_tied(data, exact, 2 * sum / all_positions, l2, ranks);
}

// B = D^1/2 (I - r r'/T) D^1/2 where D = l2 + diag(s), r = D^-1/2 s and T = sum s; hence
// C = D^-1/2 (I + turn q q'), q = r / |r|, 1 + turn = (1 - |r|^2/T)^-1/2.
void RowPreconditioner::set_row(std::size_t row, std::span<const double> h, double rest,
                                double l2) {
  constexpr double kMostTurn = 0.9999;
  const std::span<double> q =
      std::span(direction_).subspan(layout_.node.begin[row], layout_.node.length(row));
  const double total = solve_row(h, rest, q);
  double squared = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    const double root = std::sqrt(l2 + q[k]);
    scale_[layout_.node.begin[row] + k] = 1 / root;
    q[k] /= root;
    squared += q[k] * q[k];
  }
  if (!(squared > 0)) return;
  turn_[row] = 1 / std::sqrt(1 - std::min(squared / total, kMostTurn)) - 1;
  for (double& each : q) each /= std::sqrt(squared);
}

// Of transitions the gold counts are known; as much of each is uncertain as of labels.
void RowPreconditioner::set_tied(const ChainData& data, const ExactSum& exact, double uncertainty,
                                 double l2, Ranks& ranks) {
  const std::size_t labels = layout_.labels;
  std::vector<double> count(labels * labels);
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    for (std::uint64_t p = data.sequence_begin[n] + 1; p < data.sequence_begin[n + 1]; ++p) {
      if (!is_one_label(data.label[p]) || !is_one_label(data.label[p - 1])) continue;
      exact.add(data.sequence_weight(n), count[data.label[p - 1] * labels + data.label[p]]);
    }
  }
  ranks.sum(count);
  const RowLayout& tied = layout_.tied;
  std::vector<double> curvature(tied.rows() == 0 ? 0 : tied.length(0), l2);
  layout_.for_each_transition(
      [&](std::uint32_t k, std::uint32_t cell) { curvature[k] += uncertainty * count[cell]; });
  for (std::size_t row = 0; row < tied.rows(); ++row) {
    for (std::size_t k = 0; k < curvature.size(); ++k) {
      scale_[tied.begin[row] + k] = 1 / std::sqrt(curvature[k]);
    }
  }
}

// v += turn(turn_[row]) q (q.v) in each row.
template <class Turn>
void RowPreconditioner::turn_rows(std::span<double> v, const Turn& turn) const {
  for (std::size_t row = 0; row < turn_.size(); ++row) {
    if (turn_[row] == 0) continue;
    const std::uint64_t begin = layout_.node.begin[row], end = layout_.node.begin[row + 1];
    double product = 0;
    for (std::uint64_t k = begin; k < end; ++k) product += direction_[k] * v[k];
    product *= turn(turn_[row]);
    for (std::uint64_t k = begin; k < end; ++k) v[k] += product * direction_[k];
  }
}

void RowPreconditioner::to_weights(std::span<const double> u, std::span<double> w) const {
  std::ranges::copy(u, w.begin());
  turn_rows(w, [](double turn) { return turn; });
  for (std::size_t k = 0; k < w.size(); ++k) w[k] *= scale_[k];
}

void RowPreconditioner::to_variables(std::span<const double> w, std::span<double> u) const {
  for (std::size_t k = 0; k < w.size(); ++k) u[k] = w[k] / scale_[k];
  turn_rows(u, [](double turn) { return -turn / (1 + turn); });
}

void RowPreconditioner::transpose(std::span<double> gradient) const {
  for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] *= scale_[k];
  turn_rows(gradient, [](double turn) { return turn; });
}

double PreconditionedFunction::evaluate(std::span<const double> u, std::span<double> gradient) {
  preconditioner_.to_weights(u, w_);
  const double value = f_.evaluate(w_, gradient);
  double squared = 0, norm = 0;
  for (std::size_t k = 0; k < w_.size(); ++k) {
    gradient[k] += l2_ * w_[k];
    squared += w_[k] * w_[k];
    norm += gradient[k] * gradient[k];
  }
  gradient_norm_ = std::sqrt(norm);
  preconditioner_.transpose(gradient);
  return value + 0.5 * l2_ * squared;
}

}  // namespace croft
