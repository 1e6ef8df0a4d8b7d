#include "inference/graph/messages/convergent_propagation.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "inference/graph/messages/hidden_rise.h"
#include "inference/graph/messages/message_engine.h"

namespace croft {
namespace {

std::vector<double> shares_of(std::vector<double> logs) {
  double sum = 0;
  for (double& each : logs) sum += each = std::exp(each);
  for (double& each : logs) each /= sum;
  return logs;
}

class DoubleLoop {
 public:
  explicit DoubleLoop(const FactorGraph& graph)
      : graph_(graph), layout_(graph), engine_(layout_, {}), to_factor_(layout_.numbers(), 0) {
    contradiction_ = engine_.contradiction();
    for (Variable v = 0; v < graph.variables(); ++v) {
      std::vector<double>& own = own_.emplace_back(graph.states(v), 0.0);
      engine_.add_logarithms(
          v, [](Factor) { return true; }, own);
      belief_.push_back(own);
      if (!make_relative(belief_.back())) contradiction_ = true;
    }
    before_ = belief_;
  }

  // The largest change of a belief by an outer iteration, or of what the last inner one has sent.
  double iterate(const DoubleLoopOptions& options) {
    before_ = belief_;
    double change = 0;  // of the last inner one: what is on its way has not arrived
    for (std::size_t k = 0; k < options.inner_iterations && !contradiction_; ++k) {
      change = 0;
      for (Variable v = 0; v < graph_.variables() && !contradiction_; ++v) {
        change = std::max(change, update(v));
      }
      if (change <= options.tolerance / 10) break;
    }
    for (Variable v = 0; v < graph_.variables(); ++v) {
      change = std::max(change, distance(belief_[v], before_[v]));
      change = std::max(change, hidden_rise(belief_[v], before_[v], std::log(options.tolerance)));
    }
    return change;
  }

  double bethe();
  bool contradiction() const { return contradiction_; }
  bool is_forest() const { return layout_.core().empty(); }
  VariableMarginals beliefs() const {
    VariableMarginals all;
    for (const std::vector<double>& b : belief_) all.push_back(shares_of(b));
    return all;
  }

 private:
  static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    const std::vector<double> p = shares_of(a), q = shares_of(b);
    double most = 0;
    for (std::size_t x = 0; x < p.size(); ++x) most = std::max(most, std::abs(p[x] - q[x]));
    return most;
  }

  // What factor f sends to the variable of `edge`, from to_factor_.
  std::vector<double> message(Factor f, std::size_t edge);
  double update(Variable v);

  const FactorGraph& graph_;
  MessageLayout layout_;
  MessageEngine<LogSum> engine_;
  std::vector<double> to_factor_;  // n, [layout.numbers()]
  std::vector<double> in_, out_, sent_;
  VariableMarginals own_, belief_, before_;  // logarithms
  bool contradiction_ = false;
};

std::vector<double> DoubleLoop::message(Factor f, std::size_t edge) {
  in_.clear();
  std::size_t at = 0;
  for (std::size_t e = layout_.edge_begin(f); e < layout_.edge_end(f); ++e) {
    if (e == edge) at = in_.size();
    const double* n = to_factor_.data() + layout_.place(e);
    in_.insert(in_.end(), n, n + layout_.states(e));
  }
  out_.resize(in_.size());
  engine_.send(f, in_.data(), out_.data());
  const auto begin = out_.begin() + static_cast<std::ptrdiff_t>(at);
  return {begin, begin + static_cast<std::ptrdiff_t>(layout_.states(edge))};
}

// All factors of v get the same belief of it: log b = (theta + sum_f log m_f + (d - 1) log b') / d,
// n_f = b / m_f.
double DoubleLoop::update(Variable v) {
  const auto factors = layout_.factors_of(v);
  if (factors.empty()) return 0;
  const auto degree = static_cast<double>(factors.size());
  std::vector<std::vector<double>> messages;
  std::vector<std::size_t> edges;
  std::vector<double> b = own_[v];
  for (std::size_t x = 0; x < b.size(); ++x) {
    if (degree > 1) b[x] += (degree - 1) * before_[v][x];
  }
  for (const Factor f : factors) {
    std::size_t edge = layout_.edge_begin(f);
    while (layout_.variable(edge) != v) ++edge;
    std::vector<double>& m = messages.emplace_back(message(f, edge));
    edges.push_back(edge);
    if (!make_relative(m)) {
      contradiction_ = true;
      return 0;
    }
    for (std::size_t x = 0; x < b.size(); ++x) b[x] += m[x];
  }
  for (double& each : b) each /= degree;
  if (!make_relative(b)) {
    contradiction_ = true;
    return 0;
  }
  // A belief may stay as it is although other variables wait for what v sends.
  double change = distance(b, belief_[v]);
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto n = std::span(to_factor_).subspan(layout_.place(edges[k]), b.size());
    sent_.assign(n.begin(), n.end());
    for (std::size_t x = 0; x < b.size(); ++x) {
      messages[k][x] = b[x] == -kInf ? -kInf : b[x] - messages[k][x];
    }
    make_relative(messages[k]);
    change = std::max(change, distance(messages[k], sent_));
    std::ranges::copy(messages[k], n.begin());
  }
  belief_[v] = std::move(b);
  return change;
}

// sum_f (log Z_f - sum_v <log n_vf>) + sum_v (<theta_v> + (d - 1) <log b_v>), by the beliefs.
double DoubleLoop::bethe() {
  CompensatedSum sum(engine_.constant());
  const auto mean = [](const std::vector<double>& p, const auto& of) {
    double total = 0;
    for (std::size_t x = 0; x < p.size(); ++x) {
      if (p[x] > 0) total += p[x] * of(x);
    }
    return total;
  };
  VariableMarginals all = beliefs();
  for (Factor f = 0; f < graph_.factors(); ++f) {
    const std::size_t begin = layout_.edge_begin(f), end = layout_.edge_end(f);
    if (begin == end) continue;
    std::vector<double> z = message(f, begin);
    for (std::size_t x = 0; x < z.size(); ++x) z[x] += to_factor_[layout_.place(begin) + x];
    const double high = *std::ranges::max_element(z);
    double scaled = 0;
    for (const double each : z) scaled += std::exp(each - high);
    sum.add(high + std::log(scaled));
    for (std::size_t e = begin; e < end; ++e) {
      const double* const n = to_factor_.data() + layout_.place(e);
      sum.add(-mean(all[layout_.variable(e)], [&](std::size_t x) { return n[x]; }));
    }
  }
  for (Variable v = 0; v < graph_.variables(); ++v) {
    const auto degree = static_cast<double>(layout_.factors_of(v).size());
    sum.add(mean(all[v],
                 [&](std::size_t x) { return own_[v][x] + (degree - 1) * std::log(all[v][x]); }));
  }
  return sum.value();
}

}  // namespace

void DoubleLoopOptions::validate() const {
  if (!(tolerance > 0 && tolerance < kInf)) throw UsageError("the tolerance must be positive");
  if (max_iterations == 0 || inner_iterations == 0) {
    throw UsageError("there must be at least one iteration, outer and inner");
  }
}

DoubleLoopResult convergent_propagation(const FactorGraph& graph, const DoubleLoopOptions& options,
                                        const GraphCallback& callback) {
  options.validate();
  DoubleLoop loop(graph);
  DoubleLoopResult result;
  Convergence& end = result.convergence;
  while (end.iterations < options.max_iterations && !end.converged && !loop.contradiction()) {
    end.residual = loop.iterate(options);
    ++end.iterations;
    end.converged = end.residual <= options.tolerance;
    if (!callback || loop.contradiction()) continue;
    GraphProgress progress;
    progress.iteration = end.iterations;
    progress.residual = end.residual;
    progress.value = loop.bethe();
    if (!callback(progress)) break;
  }
  result.contradiction = loop.contradiction();
  if ((loop.is_forest() && end.converged) || result.contradiction) result.kind = ResultKind::exact;
  if (result.contradiction) {
    end.converged = true;
    result.log_partition = -kInf;
    return result;
  }
  result.log_partition = loop.bethe();
  result.beliefs = loop.beliefs();
  return result;
}

}  // namespace croft
