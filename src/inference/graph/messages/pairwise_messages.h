// Messages with a weight for each edge, in a graph of pairs.  Internal to inference/.
//
//   M_uv(x_v) = log sum_{x_u} exp(theta_uv / rho_uv + b_u(x_u) - M_vu(x_u))            (GV.7)
//   b_v       = theta_v + sum_u rho_uv M_uv
//
// All in logarithms.  -inf in b is a proof that no allowed assignment has that state.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

class PairwiseMessages {
 public:
  struct Edge {
    Variable end[2];
    std::size_t table;       // [states of end[0]][states of end[1]]
    std::size_t message[2];  // to either end
    bool potts = false;      // one score where the ends are equal, and one where they are not
  };

  // Throws UsageError for a factor of three variables or more.
  explicit PairwiseMessages(const FactorGraph& graph);

  std::size_t variables() const { return states_.size(); }
  std::size_t states(Variable v) const { return states_[v]; }
  std::span<const Edge> edges() const { return edges_; }
  // Of a factor of two variables: which edge it is part of.
  static constexpr std::uint32_t kNoEdge = 0xffffffff;
  std::span<const std::uint32_t> edge_of_factor() const { return edge_of_factor_; }  // [factors]
  double constant() const { return constant_; }  // scores of no variable
  bool contradiction() const { return empty_; }

  void set_weights(std::vector<double> weights);  // rho [edges], > 0
  std::span<const double> weights() const { return weights_; }

  // Both messages of all edges; returns the largest change of a belief.
  double sweep(double damping);

  std::vector<double> belief(Variable v) const;          // [states]
  std::vector<double> edge_belief(std::size_t e) const;  // [states of end[0]][states of end[1]]
  double mutual_information(std::size_t e) const;
  // (GV.8): <theta> + sum of entropies - sum rho I, of the beliefs.
  double free_energy() const;

  // The same scores, moved between factors by the messages: own + tables add up to theta for any
  // messages, but that states whose b is -inf are forbidden.
  double own_score(Variable v, State x) const { return log_belief_[at_[v] + x]; }
  double edge_score(std::size_t e, State a, State b) const {  // over rho
    const Edge& edge = edges_[e];
    return divided_[edge.table + a * states_[edge.end[1]] + b] - finite(edge.message[0] + a) -
           finite(edge.message[1] + b);
  }

 private:
  double finite(std::size_t k) const;
  void send(std::size_t e, std::size_t to, double damping);
  void sum_table(const Edge& edge, std::size_t to);
  void sum_potts(const Edge& edge);
  void find_beliefs();

  std::vector<std::size_t> states_, at_;  // [variables], [variables + 1]
  std::vector<double> own_;               // theta_v
  std::vector<double> log_belief_;        // b_v
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> edge_of_factor_;
  std::vector<double> tables_, divided_;  // theta_e, and over rho_e
  std::vector<double> messages_, weights_;
  std::vector<double> scratch_, before_, sums_, powers_;
  double constant_ = 0;
  bool empty_ = false;
};

}  // namespace croft
