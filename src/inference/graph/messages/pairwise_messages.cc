#include "inference/graph/messages/pairwise_messages.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/chain/semirings.h"
#include "inference/graph/messages/shared_scores.h"

namespace croft {
namespace {

void to_probabilities(std::vector<double>& p) {
  const double high = *std::ranges::max_element(p);
  double sum = 0;
  for (double& each : p) sum += each = std::exp(each - high);
  for (double& each : p) each /= sum;
}

}  // namespace

PairwiseMessages::PairwiseMessages(const FactorGraph& graph)
    : at_(1, 0), edge_of_factor_(graph.factors(), kNoEdge) {
  for (Variable v = 0; v < graph.variables(); ++v) {
    states_.push_back(graph.states(v));
    at_.push_back(at_.back() + graph.states(v));
  }
  own_.assign(at_.back(), 0);
  std::map<std::pair<Variable, Variable>, std::uint32_t> seen;
  std::size_t messages = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (scope.size() > 2) {
      throw UsageError("factor " + std::to_string(f) + " has " + std::to_string(scope.size()) +
                       " variables; tree-reweighted and fractional propagation take factors of at "
                       "most two");
    }
    const std::vector<double> table = graph.table(f);
    if (scope.empty()) constant_ += table[0];
    if (scope.size() == 1) {
      for (std::size_t x = 0; x < table.size(); ++x) own_[at_[scope[0]] + x] += table[x];
    }
    if (scope.size() < 2) continue;
    const auto [found, is_new] = seen.try_emplace(std::minmax(scope[0], scope[1]),
                                                  static_cast<std::uint32_t>(edges_.size()));
    edge_of_factor_[f] = found->second;
    if (is_new) {
      const std::size_t a = states_[scope[0]], b = states_[scope[1]];
      edges_.push_back({{scope[0], scope[1]}, tables_.size(), {messages, messages + a}});
      messages += a + b;
      tables_.insert(tables_.end(), table.begin(), table.end());
      continue;
    }
    const Edge& edge = edges_[found->second];
    const std::size_t a = states_[edge.end[0]], b = states_[edge.end[1]];
    const bool turned = edge.end[0] != scope[0];
    for (std::size_t i = 0; i < a; ++i) {
      for (std::size_t j = 0; j < b; ++j) {
        tables_[edge.table + i * b + j] += table[turned ? j * a + i : i * b + j];
      }
    }
  }
  for (Edge& edge : edges_) {
    const std::size_t a = states_[edge.end[0]], b = states_[edge.end[1]];
    edge.potts = a == b && is_potts(std::span(tables_).subspan(edge.table, a * b), a);
  }
  messages_.assign(messages, 0);
  empty_ = constant_ == -kInf;
  set_weights(std::vector<double>(edges_.size(), 1));
}

void PairwiseMessages::set_weights(std::vector<double> weights) {
  weights_ = std::move(weights);
  divided_ = tables_;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const std::size_t size = states_[edges_[e].end[0]] * states_[edges_[e].end[1]];
    for (std::size_t k = 0; k < size; ++k) divided_[edges_[e].table + k] /= weights_[e];
  }
  find_beliefs();
}

double PairwiseMessages::finite(std::size_t k) const {
  return messages_[k] == -kInf ? 0 : messages_[k];
}

void PairwiseMessages::find_beliefs() {
  log_belief_ = own_;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    for (const int k : {0, 1}) {
      const Variable v = edges_[e].end[k];
      for (std::size_t x = 0; x < states_[v]; ++x) {
        log_belief_[at_[v] + x] += weights_[e] * messages_[edges_[e].message[k] + x];
      }
    }
  }
  for (Variable v = 0; v < variables(); ++v) {
    const auto b = std::span(log_belief_).subspan(at_[v], states_[v]);
    if (*std::ranges::max_element(b) == -kInf) empty_ = true;
  }
}

// sums_[y] = log sum_x exp(table + scratch_[x]), of the edge's end `to`.
void PairwiseMessages::sum_table(const Edge& edge, std::size_t to) {
  const std::size_t row = to == 0 ? 1 : states_[edge.end[1]];  // a step of x_u, and of x_v
  const std::size_t col = to == 0 ? states_[edge.end[1]] : 1;
  for (std::size_t y = 0; y < sums_.size(); ++y) {
    const double* const table = divided_.data() + edge.table + y * col;
    double high = -kInf, sum = 0;
    for (std::size_t x = 0; x < scratch_.size(); ++x) {
      high = std::max(high, table[x * row] + scratch_[x]);
    }
    if (high > -kInf) {
      for (std::size_t x = 0; x < scratch_.size(); ++x) {
        sum += std::exp(table[x * row] + scratch_[x] - high);
      }
      high += std::log(sum);
    }
    sums_[y] = high;
  }
}

// The same in O(states).  What the others of a state add up to is summed from both sides, and that
// of the highest one relative to the second: nothing cancels, and nothing underflows that a sum
// over the table would keep.
void PairwiseMessages::sum_potts(const Edge& edge) {
  const double equal = divided_[edge.table], unequal = divided_[edge.table + 1];
  const std::size_t states = scratch_.size();
  const auto top = static_cast<std::size_t>(std::ranges::max_element(scratch_) - scratch_.begin());
  const double high = scratch_[top];
  double second = -kInf, others_of_top = 0, before = 0, after = 0;
  for (std::size_t x = 0; x < states; ++x) {
    if (x != top) second = std::max(second, scratch_[x]);
  }
  for (std::size_t x = 0; x < states && second > -kInf; ++x) {
    if (x != top) others_of_top += std::exp(scratch_[x] - second);
  }
  powers_.resize(states);
  for (std::size_t x = states; x-- > 0 && high > -kInf;) {
    sums_[x] = after;
    after += powers_[x] = std::exp(scratch_[x] - high);
  }
  for (std::size_t x = 0; x < states; ++x) {
    const double others = high == -kInf ? -kInf
                          : x == top    ? second + std::log(others_of_top)
                                        : high + std::log(before + sums_[x]);
    if (high > -kInf) before += powers_[x];
    sums_[x] = LogSum::plus(equal + scratch_[x], unequal + others);
  }
}

// From the other end of edge e to end[to].
void PairwiseMessages::send(std::size_t e, std::size_t to, double damping) {
  const Edge& edge = edges_[e];
  const Variable u = edge.end[1 - to], v = edge.end[to];
  const std::size_t from_states = states_[u], to_states = states_[v];
  scratch_.resize(from_states);
  for (std::size_t x = 0; x < from_states; ++x) {
    const double b = log_belief_[at_[u] + x];
    scratch_[x] = b == -kInf ? b : b - messages_[edge.message[1 - to] + x];
  }
  sums_.resize(to_states);
  if (edge.potts) {
    sum_potts(edge);
  } else {
    sum_table(edge, to);
  }
  const double highest = *std::ranges::max_element(sums_);
  if (highest == -kInf) {
    empty_ = true;
    return;
  }
  for (std::size_t y = 0; y < to_states; ++y) {
    double& message = messages_[edge.message[to] + y];
    double& b = log_belief_[at_[v] + y];
    if (sums_[y] == -kInf) {
      message = b = -kInf;
    } else if (b > -kInf) {
      const double now = damping * message + (1 - damping) * (sums_[y] - highest);
      b += weights_[e] * (now - message);
      message = now;
    }
  }
}

double PairwiseMessages::sweep(double damping) {
  before_.clear();
  for (Variable v = 0; v < variables() && !empty_; ++v) {
    const std::vector<double> p = belief(v);
    before_.insert(before_.end(), p.begin(), p.end());
  }
  for (std::size_t e = 0; e < edges_.size() && !empty_; ++e) {
    send(e, 0, damping);
    if (!empty_) send(e, 1, damping);
  }
  // There and back: so that a chain takes few sweeps in either direction.
  for (std::size_t e = edges_.size(); e-- > 0 && !empty_;) {
    send(e, 1, damping);
    if (!empty_) send(e, 0, damping);
  }
  if (empty_) return 0;
  find_beliefs();  // without what the sums have rounded
  double change = 0;
  for (Variable v = 0; v < variables() && !empty_; ++v) {
    const std::vector<double> p = belief(v);
    for (std::size_t x = 0; x < p.size(); ++x) {
      change = std::max(change, std::abs(p[x] - before_[at_[v] + x]));
    }
  }
  return change / (1 - damping);
}

std::vector<double> PairwiseMessages::belief(Variable v) const {
  std::vector<double> p(log_belief_.begin() + static_cast<std::ptrdiff_t>(at_[v]),
                        log_belief_.begin() + static_cast<std::ptrdiff_t>(at_[v + 1]));
  to_probabilities(p);
  return p;
}

std::vector<double> PairwiseMessages::edge_belief(std::size_t e) const {
  const Edge& edge = edges_[e];
  const std::size_t a = states_[edge.end[0]], b = states_[edge.end[1]];
  std::vector<double> p(a * b, -kInf);
  for (State i = 0; i < a; ++i) {
    for (State j = 0; j < b; ++j) {
      const double own = own_score(edge.end[0], i) + own_score(edge.end[1], j);
      if (own > -kInf) p[i * b + j] = own + edge_score(e, i, j);
    }
  }
  to_probabilities(p);
  return p;
}

double PairwiseMessages::mutual_information(std::size_t e) const {
  const std::vector<double> p = edge_belief(e);
  const std::size_t a = states_[edges_[e].end[0]], b = states_[edges_[e].end[1]];
  std::vector<double> first(a, 0), second(b, 0);
  for (std::size_t k = 0; k < p.size(); ++k) {
    first[k / b] += p[k];
    second[k % b] += p[k];
  }
  double information = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (p[k] == 0) continue;  // the product of two small numbers may be 0: one after the other
    information += p[k] * (std::log(p[k] / first[k / b]) - std::log(second[k % b]));
  }
  return information;
}

double PairwiseMessages::free_energy() const {
  double sum = constant_;
  for (Variable v = 0; v < variables(); ++v) {
    const std::vector<double> p = belief(v);
    for (std::size_t x = 0; x < p.size(); ++x) {
      if (p[x] > 0) sum += p[x] * (own_[at_[v] + x] - std::log(p[x]));
    }
  }
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const std::vector<double> p = edge_belief(e);
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (p[k] > 0) sum += p[k] * tables_[edges_[e].table + k];
    }
    sum -= weights_[e] * mutual_information(e);
  }
  return sum;
}

}  // namespace croft
