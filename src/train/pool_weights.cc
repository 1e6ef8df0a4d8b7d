#include "train/pool_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/shared_tasks.h"
#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/optimize/lbfgs.h"

namespace croft {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"free", "dirichlet", "uniform", "unit"};

// f(softmax(u)) less the log of the Dirichlet density, up to a constant                     (LP.7)
class OnSimplex final : public BatchFunction {
 public:
  OnSimplex(PoolFunction& f, double alpha) : f_(f), alpha_(alpha), a_(f.dimension()) {}

  std::size_t dimension() const override { return f_.dimension(); }
  double evaluate(std::span<const double> u, std::span<double> gradient) override {
    softmax(u, a_);
    double value = f_.evaluate(a_, gradient);
    for (std::size_t i = 0; i < a_.size(); ++i) {
      value -= (alpha_ - 1) * std::log(a_[i]);
      gradient[i] -= (alpha_ - 1) / a_[i];
    }
    const double mean = dot(a_, gradient);
    for (std::size_t i = 0; i < a_.size(); ++i) gradient[i] = a_[i] * (gradient[i] - mean);
    return value;
  }

  static void softmax(std::span<const double> u, std::span<double> a) {
    const double most = std::ranges::max(u);
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += a[i] = std::exp(u[i] - most);
    for (double& each : a) each = std::max(each / sum, 1e-300);
  }

 private:
  PoolFunction& f_;
  double alpha_;
  std::vector<double> a_;
};

}  // namespace

PoolFunction::PoolFunction(const ChainData& data, std::size_t first, std::size_t last,
                           std::span<const ChainExpert> experts, const ChainConstraint* constraint,
                           ThreadPool& pool)
    : data_(data),
      first_(first),
      last_(last),
      labels_(experts.empty() ? 0 : experts[0].labels),
      experts_(experts),
      pool_(pool),
      states_(experts.size()),
      workers_(pool.threads()) {
  if (constraint != nullptr) constraint_ = *constraint;
  const std::uint64_t begin = data.sequence_begin[first], end = data.sequence_begin[last];
  for (auto& of_expert : states_) of_expert.resize((end - begin) * labels_);
  for (const ChainExpert& each : experts) tables_.push_back(expert_transitions(each));
  pool_.run(last - first, [&](std::size_t k, std::size_t) {
    const std::size_t n = first + k;
    Matrix<double> state;
    for (std::size_t i = 0; i < experts_.size(); ++i) {
      state.assign(data_.gold(n).length(), labels_, 0);
      add_expert_states(experts_[i], data_, n, 1, state);
      double* out = states_[i].data() + (data_.sequence_begin[n] - begin) * labels_;
      for (std::size_t t = 0; t < state.rows(); ++t) {
        std::copy_n(state.row(t), labels_, out + t * labels_);
      }
    }
  });
}

std::span<const double> PoolFunction::state_of(std::size_t expert, std::size_t n) const {
  const std::uint64_t begin = data_.sequence_begin[first_];
  return std::span(states_[expert])
      .subspan((data_.sequence_begin[n] - begin) * labels_,
               (data_.sequence_begin[n + 1] - data_.sequence_begin[n]) * labels_);
}

void PoolFunction::set_transitions(std::span<const double> a, TransitionScores<double>& out) const {
  Matrix<double> sum(labels_, labels_, 0.0);
  for (std::size_t e = 0; e < experts_.size(); ++e) {
    for (Label i = 0; i < labels_; ++i) {
      for (Label j = 0; j < labels_; ++j) sum(i, j) += a[e] * tables_[e](i, j);
    }
  }
  out.assign(std::move(sum));
  if (constraint_) out = masked(out, *constraint_);
}

// Of positions where an expert knows an edge attribute.
void PoolFunction::add_overlays(std::size_t n, std::span<const double> a,
                                ChainScores<double>& out) const {
  if (!data_.has_edges()) return;
  const std::uint64_t first = data_.sequence_begin[n];
  for (std::size_t t = 1; t < out.length(); ++t) {
    const std::uint64_t from = data_.edge.begin[first + t], to = data_.edge.begin[first + t + 1];
    if (from == to) continue;
    double* overlay = out.add_overlay(t);
    const std::size_t stride = out.overlay.stride();
    for (std::size_t e = 0; e < experts_.size(); ++e) {
      const RowLayout& rows = experts_[e].edge;
      for (std::uint64_t k = from; k < to; ++k) {
        const std::uint32_t r = data_.edge.id[k];
        if (r >= rows.rows()) continue;
        const double value = a[e] * (data_.edge.value.empty() ? 1.0 : data_.edge.value[k]);
        for (std::uint64_t w = rows.begin[r]; w < rows.begin[r + 1]; ++w) {
          const std::uint32_t cell = rows.cell[w - rows.begin[0]];
          overlay[cell / labels_ * stride + cell % labels_] += value * experts_[e].weights[w];
        }
      }
    }
  }
}

void PoolFunction::set_scores(std::size_t n, std::span<const double> a,
                              ChainScores<double>& out) const {
  out.reset(data_.gold(n).length(), transitions_);
  for (std::size_t e = 0; e < experts_.size(); ++e) {
    const std::span<const double> state = state_of(e, n);
    for (std::size_t t = 0; t < out.length(); ++t) {
      for (std::size_t j = 0; j < labels_; ++j) out.state(t, j) += a[e] * state[t * labels_ + j];
    }
  }
  if (constraint_) apply(*constraint_, out);
  add_overlays(n, a, out);
}

// gradient_e += <dL/dtheta, theta_e> but for the transitions.
void PoolFunction::add_inner_products(std::size_t n, Worker& w) const {
  const std::size_t length = w.scores.length();
  for (std::size_t e = 0; e < experts_.size(); ++e) {
    const std::span<const double> state = state_of(e, n);
    double sum = 0;
    for (std::size_t t = 0; t < length; ++t) {
      const double* d = w.d_state.row(t);
      for (std::size_t j = 0; j < labels_; ++j) sum += d[j] * state[t * labels_ + j];
    }
    w.gradient[e] += sum;
  }
  if (w.scores.overlay.rows() == 0) return;
  const std::uint64_t first = data_.sequence_begin[n];
  for (std::size_t t = 1; t < length; ++t) {
    if (!w.scores.has_overlay(t)) continue;
    const double* d = w.d_overlay.row(w.scores.overlay_of[t] * labels_);
    const std::size_t stride = w.d_overlay.stride();
    for (std::size_t e = 0; e < experts_.size(); ++e) {
      const RowLayout& rows = experts_[e].edge;
      for (auto k = data_.edge.begin[first + t]; k < data_.edge.begin[first + t + 1]; ++k) {
        const std::uint32_t r = data_.edge.id[k];
        if (r >= rows.rows()) continue;
        const double value = data_.edge.value.empty() ? 1.0 : data_.edge.value[k];
        for (std::uint64_t x = rows.begin[r]; x < rows.begin[r + 1]; ++x) {
          const std::uint32_t cell = rows.cell[x - rows.begin[0]];
          w.gradient[e] +=
              value * experts_[e].weights[x] * d[cell / labels_ * stride + cell % labels_];
        }
      }
    }
  }
}

double PoolFunction::evaluate(std::span<const double> a, std::span<double> gradient) {
  set_transitions(a, transitions_);
  std::ranges::fill(gradient, 0.0);
  std::vector<double> d_transition(transitions_.cells(), 0.0);
  CompensatedSum value;
  const std::size_t count = gradient.size();
  run_shared(
      pool_, last_ - first_,
      [&](std::size_t k) { return static_cast<double>(data_.gold(first_ + k).length()); },
      [&](std::size_t k, std::size_t worker, std::vector<double>& result) {
        const std::size_t n = first_ + k;
        Worker& w = workers_[worker];
        set_scores(n, a, w.scores);
        w.d_state.reshape(w.scores.length(), labels_);
        w.d_overlay.reshape(w.scores.overlay.rows(), labels_);
        w.d_transition.assign(transitions_.cells(), 0.0);
        w.gradient.assign(count, 0.0);
        const double own = w.objective(
            w.scores, data_.gold(n), data_.sequence_weight(n),
            {w.d_state.row(0), w.scores.overlay.rows() > 0 ? w.d_overlay.row(0) : nullptr,
             w.d_transition.data()});
        if (std::isfinite(own)) add_inner_products(n, w);
        result = w.gradient;
        result.insert(result.end(), w.d_transition.begin(), w.d_transition.end());
        result.push_back(own);
      },
      [&](std::size_t, std::size_t, std::span<const double> result) {
        value.add(result.back());
        for (std::size_t e = 0; e < count; ++e) gradient[e] += result[e];
        for (std::size_t c = 0; c < d_transition.size(); ++c) d_transition[c] += result[count + c];
      });
  for (std::size_t e = 0; e < gradient.size(); ++e) {
    for (Label i = 0; i < labels_; ++i) {
      for (Label j = 0; j < labels_; ++j) {
        const std::uint32_t cell = transitions_.cell(i, j);
        if (cell == TransitionScores<double>::kNoCell) continue;
        gradient[e] += d_transition[cell] * tables_[e](i, j);
      }
    }
  }
  return value.value();
}

// KL(p || p_i) = E_p[theta - theta_i] - log Z + log Z_i: the expectations are those of a log Z,
// which the derivative of log Z at a has.
std::vector<double> PoolFunction::divergences(std::span<const double> a) {
  const std::size_t count = experts_.size();
  std::vector<double> expected(count), log_z(count + 1), single(count);
  TransitionScores<double> own;
  const auto sum_up = [&](std::span<const double> at, std::span<double> out) {
    set_transitions(at, transitions_);
    double sum = 0;
    ForwardBackwardWorkspace<double> work;
    ChainScores<double> scores;
    Worker& w = workers_[0];
    std::vector<double> d_transition(transitions_.cells(), 0.0);
    if (!out.empty()) w.gradient.assign(count, 0.0);
    for (std::size_t n = first_; n < last_; ++n) {
      set_scores(n, at, w.scores);
      if (out.empty()) {
        sum += log_partition(w.scores, work);
        continue;
      }
      w.d_state.reshape(w.scores.length(), labels_);
      w.d_overlay.reshape(w.scores.overlay.rows(), labels_);
      sum += marginals<double>(
          w.scores, 1, work,
          {w.d_state.row(0), w.scores.overlay.rows() > 0 ? w.d_overlay.row(0) : nullptr,
           d_transition.data()});
      add_inner_products(n, w);
    }
    for (std::size_t e = 0; !out.empty() && e < count; ++e) {
      out[e] = w.gradient[e];
      for (Label i = 0; i < labels_; ++i) {
        for (Label j = 0; j < labels_; ++j) {
          const std::uint32_t cell = transitions_.cell(i, j);
          if (cell != TransitionScores<double>::kNoCell) {
            out[e] += d_transition[cell] * tables_[e](i, j);
          }
        }
      }
    }
    return sum;
  };
  const double pooled = sum_up(a, expected);  // expected[i] = E_p[theta_i]
  const double mean = dot(a, expected);
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::fill(single, 0.0);
    single[i] = 1;
    out[i] = std::max(0.0, mean - expected[i] - pooled + sum_up(single, {}));
  }
  return out;
}

PoolWeights pool_weights_named(std::string_view name) {
  const auto at = std::ranges::find(kNames, name);
  if (at != kNames.end()) return static_cast<PoolWeights>(at - kNames.begin());
  throw UsageError("--pool-weights ", name, " is none of free, dirichlet, uniform and unit");
}

std::string_view name_of(PoolWeights weights) { return kNames[static_cast<std::size_t>(weights)]; }

void PoolWeightOptions::validate() const {
  if (!(alpha > 0 && std::isfinite(alpha))) {
    throw UsageError("--dirichlet must be above 0; above 1 it draws to equal weights");
  }
  stop.validate();
}

PoolFit fit_pool_weights(PoolFunction& f, const PoolWeightOptions& options, ThreadPool& pool,
                         const IterationCallback& callback, Checkpointer* checkpoints) {
  options.validate();
  const std::size_t count = f.dimension();
  const double equal = 1 / static_cast<double>(count);
  PoolFit fit;
  fit.weights.assign(count, options.weights == PoolWeights::unit ? 1.0 : equal);
  LbfgsOptions lbfgs_options;
  lbfgs_options.stop = options.stop;
  if (options.weights == PoolWeights::free) {
    fit.optimization = lbfgs(f, {}, fit.weights, lbfgs_options, pool, callback, checkpoints);
  } else if (options.weights == PoolWeights::dirichlet) {
    OnSimplex g(f, options.alpha);
    std::vector<double> u(count, 0.0);
    const auto see = [&](const Iteration& now) {
      Iteration shown = now;
      OnSimplex::softmax(now.w, fit.weights);
      shown.w = fit.weights;
      return !callback || callback(shown);
    };
    fit.optimization = lbfgs(g, {}, u, lbfgs_options, pool, see, checkpoints);
    OnSimplex::softmax(u, fit.weights);
  }
  std::vector<double> gradient(count);
  fit.loss = f.evaluate(fit.weights, gradient);
  return fit;
}

}  // namespace croft
