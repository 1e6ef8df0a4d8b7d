#include "croft/inference/chain_tangent.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/infinity.h"
#include "inference/chain/chain_fallback.h"
#include "inference/chain/chain_lanes.h"
#include "inference/chain/tangent_recursion.h"
#include "structure/copy_scores.h"

namespace croft {
namespace {

using Tables = TangentWorkspace::Tables;

// The scaled path may lose what has a posterior of 4e-44 T L (section 3.3 of chain.md): a condition
// that is likelier than this keeps its digits.
constexpr double kLikelyEnough = 1e-25;

Tables& tables_of(TangentWorkspace& work) {
  if (!work.tables) work.tables = std::make_shared<Tables>();
  return *work.tables;
}

bool same_scores(const TransitionScores<float>& a, const TransitionScores<float>& b) {
  if (a.labels() != b.labels() || a.sparse() != b.sparse()) return false;
  if (!a.sparse()) {
    for (std::size_t i = 0; i < a.labels(); ++i) {
      if (!std::ranges::equal(a.log()[i], b.log()[i])) return false;
    }
    return true;
  }
  return a.background() == b.background() && a.leaving().begin == b.leaving().begin &&
         a.leaving().other == b.leaving().other && a.leaving().log == b.leaving().log;
}

const ChainScores<double>& in_double(const ChainScores<double>& scores, Tables&) { return scores; }
const ChainScores<double>& in_double(const ChainScores<float>& scores, Tables& tables) {
  if (!same_scores(*scores.transitions, tables.narrow_transitions)) {
    tables.narrow_transitions = *scores.transitions;
    tables.transitions = convert<double>(*scores.transitions);
  }
  copy_tables(scores, tables.scores);
  tables.scores.transitions = &tables.transitions;
  return tables.scores;
}

void clear_padding(Matrix<double>& m) {
  for (std::size_t r = 0; r < m.rows(); ++r) {
    std::fill(m.row(r) + m.columns(), m.row(r) + m.stride(), 0.0);
  }
}

// The marginals, and the tables that go with them.  False: no labelling is allowed.
bool find_posterior(const ChainScores<double>& scores, TangentWorkspace& work) {
  Tables& tables = *work.tables;
  tables.mu.reshape(scores.length(), scores.labels());
  const double log_z = marginals(scores, 1, tables.sums, {tables.mu.row(0), nullptr, nullptr});
  work.path = ChainPath::scaled_double;
  if (log_z == kMinusInfinity) return false;
  if (tables.sums.path == ChainPath::log_domain) {
    work.path = ChainPath::log_domain;
    std::swap(tables.log_domain, tables.sums.fallback->log_domain);
  } else if (in_lanes(scores)) {
    clear_padding(tables.sums.alpha);
    clear_padding(tables.sums.suffix);
  }
  return true;
}

double product(double weight, double direction) { return weight == 0 ? 0 : weight * direction; }

template <class Real>
void lay_out_dense(const ChainScores<double>& scores, const ChainScores<Real>& direction,
                   const ForwardBackwardWorkspace<double>& sums, bool scaled,
                   EdgeDirection& edges) {
  const std::size_t labels = scores.labels();
  const TransitionScores<double>& tied = *scores.transitions;
  edges.tied.reshape(labels, labels);
  edges.weighted.assign(labels, labels, 0.0);
  edges.weighted_transposed.assign(labels, labels, 0.0);
  for (std::size_t i = 0; i < labels; ++i) {
    for (std::size_t j = 0; j < labels; ++j) {
      edges.tied(i, j) = direction.transitions->log()(i, j);
      edges.weighted(i, j) = edges.weighted_transposed(j, i) =
          product(tied.factors()(i, j), edges.tied(i, j));
    }
  }
  edges.overlay.reshape(scores.overlay.rows(), labels);
  edges.weighted_overlay.assign(scores.overlay.rows(), labels, 0.0);
  for (std::size_t r = 0; r < scores.overlay.rows(); ++r) {
    for (std::size_t j = 0; j < labels; ++j) {
      edges.overlay(r, j) = edges.tied(r % labels, j) + double{direction.overlay(r, j)};
      if (scaled)
        edges.weighted_overlay(r, j) = product(sums.edge_factor(r, j), edges.overlay(r, j));
    }
  }
}

template <class Real>
void lay_out_sparse(const TransitionScores<double>& tied, const TransitionScores<Real>& direction,
                    EdgeDirection& edges) {
  const EdgeLists<double>&leaving = tied.leaving(), &arriving = tied.arriving();
  edges.listed.assign(direction.leaving().log.begin(), direction.leaving().log.end());
  edges.weighted_leaving.resize(leaving.size());
  edges.weighted_arriving.resize(leaving.size());
  for (std::size_t k = 0; k < leaving.size(); ++k) {
    edges.weighted_leaving[k] = product(leaving.factor[k], edges.listed[k]);
    edges.weighted_arriving[k] = product(arriving.factor[k], edges.listed[arriving.cell[k]]);
  }
}

// The passes, and their results in Real.
template <class Real>
double run(const ChainScores<double>& scores, const EdgeDirection* edges, double scale,
           TangentWorkspace& work, const ChainGradient<Real>& out) {
  Tables& tables = *work.tables;
  const bool overlays = out.overlay != nullptr && scores.overlay.rows() > 0;
  double* overlay = nullptr;
  if constexpr (std::is_same_v<Real, double>) {
    if (overlays) overlay = out.overlay;
  } else if (overlays) {
    tables.overlay.reshape(scores.overlay.rows(), scores.labels());
    overlay = tables.overlay.row(0);
  }
  const auto tangent = work.path == ChainPath::log_domain ? log_domain_tangent : scaled_tangent;
  const double expected = tangent(scores, edges, tables, {scale, overlay, out.transition});
  const double* change = tables.change.row(0);
  for (std::size_t k = 0; k < scores.length() * scores.state.stride(); ++k) {
    out.state[k] = static_cast<Real>(scale * change[k]);
  }
  if constexpr (!std::is_same_v<Real, double>) {
    for (std::size_t k = 0; overlays && k < scores.overlay.rows() * scores.state.stride(); ++k) {
      out.overlay[k] = static_cast<Real>(overlay[k]);
    }
  }
  return expected;
}

template <class Real>
void clear(const ChainScores<Real>& scores, const ChainGradient<Real>& out) {
  std::fill_n(out.state, scores.length() * scores.state.stride(), Real{0});
  if (out.overlay == nullptr) return;
  std::fill_n(out.overlay, scores.overlay.rows() * scores.state.stride(), Real{0});
}

// source[t] = p(y_t = j | y_t in Y_t, x) and the sum of the log p(y_t in Y_t | x); NaN where one is
// too small for the scaled path.
double conditional_sources(const ChainScores<double>& scores, const Gold& gold, Tables& tables) {
  CompensatedSum sum;
  tables.source.assign(scores.length(), scores.labels(), 0.0);
  for (std::size_t t = 0; t < scores.length(); ++t) {
    if (gold.is_any(t)) continue;  // nothing is learnt: no source
    double p = 0;
    for (const Label j : gold.labels(t)) p += tables.mu(t, j);
    if (!(p >= kLikelyEnough)) return std::numeric_limits<double>::quiet_NaN();
    for (const Label j : gold.labels(t)) tables.source(t, j) = tables.mu(t, j) / p;
    sum.add(std::log(p));
  }
  return sum.value();
}

// The same from alpha and beta, whatever its size; -inf where a condition has probability 0.
double log_domain_sources(const ChainScores<double>& scores, const Gold& gold, Tables& tables) {
  const std::size_t labels = scores.labels();
  std::vector<double> log_mu(labels);
  const auto log_sum = [&](const auto& list) {
    double high = kMinusInfinity, sum = 0;
    for (const Label j : list) high = std::max(high, log_mu[j]);
    if (high == kMinusInfinity) return high;
    for (const Label j : list) sum += std::exp(log_mu[j] - high);
    return high + std::log(sum);
  };
  std::vector<Label> all(labels);
  for (Label j = 0; j < labels; ++j) all[j] = j;
  CompensatedSum sum;
  tables.source.assign(scores.length(), labels, 0.0);
  for (std::size_t t = 0; t < scores.length(); ++t) {
    if (gold.is_any(t)) continue;
    for (Label j = 0; j < labels; ++j) {
      log_mu[j] = tables.log_domain.alpha(t, j) + tables.log_domain.beta(t, j);
    }
    const double log_p = log_sum(gold.labels(t));
    if (log_p == kMinusInfinity) return log_p;
    for (const Label j : gold.labels(t)) tables.source(t, j) = std::exp(log_mu[j] - log_p);
    sum.add(log_p - log_sum(all));
  }
  return sum.value();
}

}  // namespace

template <class Real>
double marginals_tangent(const ChainScores<Real>& scores, const ChainScores<Real>& direction,
                         double scale, TangentWorkspace& work, const ChainGradient<Real>& out) {
  Tables& tables = tables_of(work);
  const ChainScores<double>& theta = in_double(scores, tables);
  if (!find_posterior(theta, work)) {
    clear(scores, out);
    return 0;
  }
  tables.source.assign(theta.length(), theta.labels(), 0.0);
  for (std::size_t t = 0; t < theta.length(); ++t) {
    const auto moved = direction.state[t];
    for (std::size_t j = 0; j < moved.size(); ++j) {
      tables.source(t, j) = product(tables.mu(t, j), double{moved[j]});
    }
  }
  if (theta.transitions->sparse()) {
    lay_out_sparse(*theta.transitions, *direction.transitions, tables.edges);
  } else {
    lay_out_dense(theta, direction, tables.sums, work.path != ChainPath::log_domain, tables.edges);
  }
  return run(theta, &tables.edges, scale, work, out);
}

template <class Real>
double log_marginals(const ChainScores<Real>& scores, const Gold& gold, double scale,
                     TangentWorkspace& work, const ChainGradient<Real>& out) {
  Tables& tables = tables_of(work);
  const ChainScores<double>& theta = in_double(scores, tables);
  if (!find_posterior(theta, work)) return kMinusInfinity;
  double value = std::numeric_limits<double>::quiet_NaN();
  if (work.path != ChainPath::log_domain) value = conditional_sources(theta, gold, tables);
  if (std::isnan(value)) {
    if (work.path != ChainPath::log_domain) {
      work.path = ChainPath::log_domain;
      const double log_z =
          log_domain_marginals(theta, 1, tables.log_domain, {tables.mu.row(0), nullptr, nullptr});
      if (!std::isfinite(log_z)) return log_z;  // its tables end where the sum does
    }
    value = log_domain_sources(theta, gold, tables);
    if (value == kMinusInfinity) return value;
  }
  run(theta, nullptr, scale, work, out);
  return value;
}

#define CROFT_INSTANTIATE(Real)                                                                   \
  template double marginals_tangent(const ChainScores<Real>&, const ChainScores<Real>&, double,   \
                                    TangentWorkspace&, const ChainGradient<Real>&);               \
  template double log_marginals(const ChainScores<Real>&, const Gold&, double, TangentWorkspace&, \
                                const ChainGradient<Real>&);
CROFT_INSTANTIATE(float)
CROFT_INSTANTIATE(double)
#undef CROFT_INSTANTIATE

}  // namespace croft
