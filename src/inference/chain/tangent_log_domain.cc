// The tangent in the log domain: slow, and safe for every finite score.
#include <algorithm>
#include <cmath>

#include "inference/chain/tangent_recursion.h"

#include "core/infinity.h"

namespace croft {
namespace {

// Log-weights to weights that sum to 1; none, where all are -inf.
void normalise(double* w, std::size_t count) {
  const double high = *std::max_element(w, w + count);
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    w[k] = high == kMinusInfinity ? 0 : std::exp(w[k] - high);
    sum += w[k];
  }
  for (std::size_t k = 0; sum > 0 && k < count; ++k) w[k] /= sum;
}

struct LogDomainTangent {
  const ChainScores<double>& scores;
  const EdgeDirection* edges;
  TangentWorkspace::Tables& tables;
  const std::size_t labels = scores.labels();

  // kernel[i][j] = p(y_t = j | y_{t-1} = i, x)
  void make_kernel(std::size_t t) {
    for (Label i = 0; i < labels; ++i) {
      double* row = tables.kernel.row(i);
      for (Label j = 0; j < labels; ++j) {
        row[j] = scores.edge(t, i, j) + scores.state(t, j) + tables.log_domain.beta(t, j);
      }
      normalise(row, labels);
    }
  }
  // back[j][i] = p(y_{t-1} = i | y_t = j, x)
  void make_back(std::size_t t) {
    for (Label j = 0; j < labels; ++j) {
      double* row = tables.back.row(j);
      for (Label i = 0; i < labels; ++i) {
        row[i] = tables.log_domain.alpha(t - 1, i) + scores.edge(t, i, j);
      }
      normalise(row, labels);
    }
  }
  // p(y_{t-1} = i, y_t = j | x) times the direction of the edge.
  double moved(std::size_t t, Label i, Label j) const {
    const double p = tables.mu(t - 1, i) * tables.kernel(i, j);
    return edges == nullptr || p == 0 ? 0 : p * edges->at(scores, t, i, j);
  }
  // Takes from `row` its sum, mu by mu; returns the sum.
  double centre(std::size_t t, double* row) const {
    double sum = 0;
    for (std::size_t j = 0; j < labels; ++j) sum += row[j];
    for (std::size_t j = 0; j < labels; ++j) row[j] -= tables.mu(t, j) * sum;
    return sum;
  }

  // (V.16); returns E[S].
  double forward() {
    CompensatedSum expected;
    for (std::size_t t = 0; t < scores.length(); ++t) {
      double* change = tables.change.row(t);
      std::copy_n(tables.source.row(t), labels, change);
      if (t > 0) {
        make_kernel(t);
        for (Label i = 0; i < labels; ++i) {
          for (Label j = 0; j < labels; ++j) {
            change[j] += tables.kernel(i, j) * tables.change(t - 1, i) + moved(t, i, j);
          }
        }
      }
      expected.add(centre(t, change));
    }
    return expected.value();
  }

  // (V.17) and (V.18).
  void backward(const TangentOutput& out) {
    double *behind = tables.row.row(0), *from_here = tables.row.row(1), *next = tables.row.row(2);
    std::fill_n(behind, labels, 0.0);
    for (std::size_t t = scores.length(); t-- > 0;) {
      std::copy_n(tables.source.row(t), labels, from_here);
      centre(t, from_here);
      for (std::size_t j = 0; j < labels; ++j) from_here[j] += behind[j];
      if (t > 0) {
        make_kernel(t);
        make_back(t);
        std::fill_n(next, labels, 0.0);
        for (Label i = 0; i < labels; ++i) {
          for (Label j = 0; j < labels; ++j) {
            next[i] += tables.back(j, i) * from_here[j] + moved(t, i, j);
          }
        }
        const double mean = centre(t - 1, next);
        write_pairs(t, from_here, mean, out);  // while change of t - 1 is M alone
      }
      for (std::size_t j = 0; j < labels; ++j) tables.change(t, j) += behind[j];
      std::swap(behind, next);
    }
  }

  void write_pairs(std::size_t t, const double* from_here, double mean,
                   const TangentOutput& out) const {
    const std::size_t stride = scores.state.stride();
    double* overlay = scores.has_overlay(t) && out.overlay != nullptr
                          ? out.overlay + scores.overlay_of[t] * labels * stride
                          : nullptr;
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) {
        const double p = tables.mu(t - 1, i) * tables.kernel(i, j);
        const double value =
            out.scale * (tables.kernel(i, j) * tables.change(t - 1, i) +
                         tables.back(j, i) * from_here[j] + moved(t, i, j) - p * mean);
        if (overlay != nullptr) overlay[i * stride + j] = value;
        if (out.transition == nullptr) continue;
        const std::uint32_t cell = scores.transitions->cell(i, j);
        if (cell != TransitionScores<double>::kNoCell) out.transition[cell] += value;
      }
      if (overlay != nullptr)
        std::fill(overlay + i * stride + labels, overlay + (i + 1) * stride, 0);
    }
  }
};

}  // namespace

double log_domain_tangent(const ChainScores<double>& scores, const EdgeDirection* edges,
                          TangentWorkspace::Tables& tables, const TangentOutput& out) {
  const std::size_t labels = scores.labels();
  tables.change.assign(scores.length(), labels, 0.0);
  tables.row.reshape(4, labels);
  tables.kernel.reshape(labels, labels);
  tables.back.reshape(labels, labels);
  LogDomainTangent tangent{scores, edges, tables};
  const double expected = tangent.forward();
  tangent.backward(out);
  return expected;
}

}  // namespace croft
