#include "croft/inference/chain_posterior.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/infinity.h"
#include "inference/chain/chain_fallback.h"

namespace croft {
namespace {

// A conditional probability smaller than this adds less than 5e-19 nats to an entropy.
constexpr double kNegligible = 1e-20;

// The posterior in the tables of a scaled path.
template <class T>
struct ScaledTables {
  const ChainScores<T>& scores;
  const ForwardBackwardWorkspace<T>& work;
  const T* state;
  const TransitionScores<T>& tied = *scores.transitions;
  const std::size_t labels = scores.labels();

  double marginal(std::size_t t, Label j) const { return state[t * scores.state.stride() + j]; }

  // Dense transitions: exp(edge(t; i, j) - shift), j = 0, 1, …
  const T* factor_row(std::size_t t, Label i) const {
    return scores.has_overlay(t) ? work.edge_factor.row(scores.overlay_of[t] * labels + i)
                                 : tied.factors().row(i);
  }

  // w[j] = p(y_t = j | y_{t-1} = i, x), up to a factor.
  void successors(std::size_t t, Label i, double* w) const {
    const T* suffix = work.suffix.row(t);
    if (!tied.sparse()) {
      const T* factor = factor_row(t, i);
      for (std::size_t j = 0; j < labels; ++j) w[j] = double{factor[j]} * double{suffix[j]};
      return;
    }
    const double background = tied.background_factor();
    for (std::size_t j = 0; j < labels; ++j) w[j] = background * double{suffix[j]};
    const EdgeLists<T>& lists = tied.leaving();
    for (std::uint32_t k = lists.begin[i]; k < lists.begin[i + 1]; ++k) {
      w[lists.other[k]] = double{lists.factor[k]} * double{suffix[lists.other[k]]};
    }
  }

  // w[i] = p(y_{t-1} = i | y_t = j, x), up to a factor; from alpha alone.
  void predecessors(std::size_t t, Label j, double* w) const {
    const T* alpha = work.alpha.row(t - 1);
    if (!tied.sparse()) {
      const bool overlay = scores.has_overlay(t);
      const T* column = overlay ? factor_row(t, 0) + j : tied.factors_transposed().row(j);
      const std::size_t step = overlay ? scores.state.stride() : 1;
      for (std::size_t i = 0; i < labels; ++i) w[i] = double{alpha[i]} * double{column[i * step]};
      return;
    }
    const double background = tied.background_factor();
    for (std::size_t i = 0; i < labels; ++i) w[i] = background * double{alpha[i]};
    const EdgeLists<T>& lists = tied.arriving();
    for (std::uint32_t k = lists.begin[j]; k < lists.begin[j + 1]; ++k) {
      w[lists.other[k]] = double{lists.factor[k]} * double{alpha[lists.other[k]]};
    }
  }
  // w[j] = p(y_{T-1} = j | x), up to a factor.
  void last(double* w) const {
    const T* alpha = work.alpha.row(scores.length() - 1);
    std::copy(alpha, alpha + labels, w);
  }

  void joint(std::size_t t, Matrix<double>& out) const {
    for (Label i = 0; i < labels; ++i) {
      successors(t, i, out.row(i));
      for (double& p : out[i]) p *= double{work.alpha(t - 1, i)};
    }
  }

  // (Q.7): from p(y_{t-1} = from[k], what was asked before | x) to the same of `to` at t.
  void advance(std::size_t t, std::span<const Label> from, double* now, std::span<const Label> to,
               double* next) const {
    for (std::size_t k = 0; k < from.size(); ++k) {  // the sum of i's successors is p / alpha
      const double p = marginal(t - 1, from[k]);
      now[k] = p > 0 ? now[k] / p * double{work.alpha(t - 1, from[k])} : 0;
    }
    std::fill(next, next + to.size(), 0.0);
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (now[k] == 0) continue;
      const T* row = tied.sparse() ? nullptr : factor_row(t, from[k]);
      for (std::size_t m = 0; m < to.size(); ++m) {
        const T factor = row != nullptr ? row[to[m]] : tied.factor(from[k], to[m]);
        next[m] += now[k] * double{factor};
      }
    }
    for (std::size_t m = 0; m < to.size(); ++m) next[m] *= double{work.suffix(t, to[m])};
  }
};

// The same in the log domain.
template <class T>
struct LogTables {
  const ChainScores<T>& scores;
  const LogDomainWorkspace& work;
  const T* state;
  const std::size_t labels = scores.labels();

  double marginal(std::size_t t, Label j) const { return state[t * scores.state.stride() + j]; }

  // Log-weights to weights, the largest being 1.  Returns the logarithm taken off.
  static double exponentiate(std::span<double> w) {
    const double high = *std::max_element(w.begin(), w.end());
    for (double& x : w) x = high == kMinusInfinity ? 0 : std::exp(x - high);
    return high;
  }
  double log_successor(std::size_t t, Label i, Label j) const {
    return scores.edge(t, i, j) + double{scores.state(t, j)} + work.beta(t, j);
  }

  void successors(std::size_t t, Label i, double* w) const {
    for (Label j = 0; j < labels; ++j) w[j] = log_successor(t, i, j);
    exponentiate({w, labels});
  }
  void predecessors(std::size_t t, Label j, double* w) const {
    for (Label i = 0; i < labels; ++i) w[i] = work.alpha(t - 1, i) + scores.edge(t, i, j);
    exponentiate({w, labels});
  }
  void last(double* w) const {
    const double* alpha = work.alpha.row(scores.length() - 1);
    std::copy(alpha, alpha + labels, w);
    exponentiate({w, labels});
  }

  void joint(std::size_t t, Matrix<double>& out) const {
    double high = kMinusInfinity;
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) {
        out(i, j) = work.alpha(t - 1, i) + log_successor(t, i, j);
        high = std::max(high, out(i, j));
      }
    }
    for (Label i = 0; i < labels; ++i) {
      for (double& p : out[i]) p = std::exp(p - high);
    }
  }

  void advance(std::size_t t, std::span<const Label> from, const double* now,
               std::span<const Label> to, double* next) const {
    std::fill(next, next + to.size(), 0.0);
    const double norm = log_norm(t);
    for (std::size_t k = 0; k < from.size(); ++k) {
      const double beta = work.beta(t - 1, from[k]);
      if (now[k] == 0 || beta == kMinusInfinity) continue;
      for (std::size_t m = 0; m < to.size(); ++m) {
        next[m] += now[k] * std::exp(log_successor(t, from[k], to[m]) - norm - beta);
      }
    }
  }
  // What (C.4) gives for t - 1 less what the table holds there, whose maximum is 0.
  double log_norm(std::size_t t) const {
    const auto beta = work.beta[t - 1];
    const Label top = static_cast<Label>(std::max_element(beta.begin(), beta.end()) - beta.begin());
    std::vector<double> w(labels);
    for (Label j = 0; j < labels; ++j) w[j] = log_successor(t, top, j);
    const double high = exponentiate(w);
    double sum = 0;
    for (const double x : w) sum += x;
    return high + std::log(sum);
  }
};

// visit(tables of the path that computed the workspace).
template <class Visit>
auto with_tables(const ChainScores<double>& scores, const ForwardBackwardWorkspace<double>& work,
                 const double* state, const Visit& visit) {
  if (work.path == ChainPath::log_domain) {
    return visit(LogTables<double>{scores, work.fallback->log_domain, state});
  }
  return visit(ScaledTables<double>{scores, work, state});
}
template <class Visit>
auto with_tables(const ChainScores<float>& scores, const ForwardBackwardWorkspace<float>& work,
                 const float* state, const Visit& visit) {
  if (work.path == ChainPath::scaled) return visit(ScaledTables<float>{scores, work, state});
  const auto& other = *work.fallback;
  return with_tables(other.scores, other.wide, other.state.row(0), visit);
}
template <class Real, class Visit>
auto with_tables(const ChainPosterior<Real>& posterior, const Visit& visit) {
  return with_tables(posterior.scores, posterior.work, posterior.state, visit);
}

template <class Real>
bool possible(const ForwardBackwardWorkspace<Real>& work) {
  return work.log_z.value() > kMinusInfinity;
}

// out += the joint distribution at t; `joint` is scratch.
template <class Tables>
void add_joint(const Tables& tables, std::size_t t, Matrix<double>& joint, Matrix<double>& out) {
  tables.joint(t, joint);
  double sum = 0;
  for (std::size_t i = 0; i < tables.labels; ++i) {
    for (const double p : joint[i]) sum += p;
  }
  for (std::size_t i = 0; i < tables.labels; ++i) {
    for (std::size_t j = 0; j < tables.labels; ++j) out(i, j) += joint(i, j) / sum;
  }
}

// An index with a probability proportional to its weight.
Label draw(std::span<const double> weights, Random& random) {
  double total = 0;
  for (const double w : weights) total += w;
  assert(total > 0);
  double rest = random.uniform() * total;
  Label last = 0;
  for (Label k = 0; k < weights.size(); ++k) {
    if (weights[k] == 0) continue;
    last = k;
    rest -= weights[k];
    if (rest < 0) break;
  }
  return last;  // the last of positive weight, should rounding leave a rest
}

// -sum_k q_k log q_k for q = weights / their sum.
double entropy_of(std::span<const double> weights) {
  double total = 0, sum = 0;
  for (const double w : weights) total += w;
  for (const double w : weights) {
    const double q = w / total;
    if (q > kNegligible) sum -= q * std::log(q);
  }
  return sum;
}

}  // namespace

template <class Real>
void edge_marginals(const ChainPosterior<Real>& posterior, std::size_t t, Matrix<double>& out) {
  const std::size_t labels = posterior.scores.labels();
  out.assign(labels, labels, 0);
  if (!possible(posterior.work)) return;
  Matrix<double> joint(labels, labels);
  with_tables(posterior, [&](const auto& tables) { add_joint(tables, t, joint, out); });
}

template <class Real>
std::vector<double> expected_label_counts(const ChainPosterior<Real>& posterior) {
  const ChainScores<Real>& scores = posterior.scores;
  std::vector<double> counts(scores.labels(), 0.0);
  if (!possible(posterior.work)) return counts;
  for (std::size_t t = 0; t < scores.length(); ++t) {
    const Real* p = posterior.state + t * scores.state.stride();
    for (std::size_t j = 0; j < counts.size(); ++j) counts[j] += double{p[j]};
  }
  return counts;
}

template <class Real>
void expected_edge_counts(const ChainPosterior<Real>& posterior, Matrix<double>& out) {
  const std::size_t labels = posterior.scores.labels();
  out.assign(labels, labels, 0);
  if (!possible(posterior.work)) return;
  Matrix<double> joint(labels, labels);
  with_tables(posterior, [&](const auto& tables) {
    for (std::size_t t = 1; t < posterior.scores.length(); ++t) add_joint(tables, t, joint, out);
  });
}

template <class Real>
bool sample(const ChainScores<Real>& scores, const ForwardBackwardWorkspace<Real>& work,
            Random& random, std::span<Label> y) {
  if (!possible(work)) return false;
  if (scores.length() == 0) return true;
  std::vector<double> weights(scores.labels());
  with_tables(scores, work, static_cast<const Real*>(nullptr), [&](const auto& tables) {
    std::size_t t = scores.length() - 1;
    tables.last(weights.data());
    y[t] = draw(weights, random);
    for (; t > 0; --t) {
      tables.predecessors(t, y[t], weights.data());
      y[t - 1] = draw(weights, random);
    }
  });
  return true;
}

template <class Real>
double entropy(const ChainPosterior<Real>& posterior) {
  const std::size_t length = posterior.scores.length(), labels = posterior.scores.labels();
  if (!possible(posterior.work) || length == 0) return 0;
  return with_tables(posterior, [&](const auto& tables) {
    std::vector<double> weights(labels);
    for (Label j = 0; j < labels; ++j) weights[j] = tables.marginal(0, j);
    CompensatedSum sum(entropy_of(weights));
    for (std::size_t t = 1; t < length; ++t) {
      for (Label i = 0; i < labels; ++i) {
        const double p = tables.marginal(t - 1, i);
        if (p <= kNegligible) continue;
        tables.successors(t, i, weights.data());
        sum.add(p * entropy_of(weights));
      }
    }
    return sum.value();
  });
}

template <class Real>
double window_probability(const ChainPosterior<Real>& posterior, std::size_t first,
                          std::span<const std::span<const Label>> labels,
                          std::vector<double>& scratch) {
  if (!possible(posterior.work)) return 0;
  std::size_t largest = 0;
  for (const auto& list : labels) largest = std::max(largest, list.size());
  if (scratch.size() < 2 * largest) scratch.resize(2 * largest);
  return with_tables(posterior, [&](const auto& tables) {
    double *now = scratch.data(), *next = now + largest;
    for (std::size_t k = 0; k < labels[0].size(); ++k) {
      now[k] = tables.marginal(first, labels[0][k]);
    }
    for (std::size_t s = 1; s < labels.size(); ++s) {
      tables.advance(first + s, labels[s - 1], now, labels[s], next);
      std::swap(now, next);
    }
    double sum = 0;
    for (std::size_t k = 0; k < labels.back().size(); ++k) sum += now[k];
    return std::min(sum, 1.0);  // a certain window must not come out above 1 by rounding
  });
}

template void edge_marginals(const ChainPosterior<float>&, std::size_t, Matrix<double>&);
template void edge_marginals(const ChainPosterior<double>&, std::size_t, Matrix<double>&);
template std::vector<double> expected_label_counts(const ChainPosterior<float>&);
template std::vector<double> expected_label_counts(const ChainPosterior<double>&);
template void expected_edge_counts(const ChainPosterior<float>&, Matrix<double>&);
template void expected_edge_counts(const ChainPosterior<double>&, Matrix<double>&);
template bool sample(const ChainScores<float>&, const ForwardBackwardWorkspace<float>&, Random&,
                     std::span<Label>);
template bool sample(const ChainScores<double>&, const ForwardBackwardWorkspace<double>&, Random&,
                     std::span<Label>);
template double entropy(const ChainPosterior<float>&);
template double entropy(const ChainPosterior<double>&);
template double window_probability(const ChainPosterior<float>&, std::size_t,
                                   std::span<const std::span<const Label>>, std::vector<double>&);
template double window_probability(const ChainPosterior<double>&, std::size_t,
                                   std::span<const std::span<const Label>>, std::vector<double>&);

}  // namespace croft
