// How the marginals of a factor graph change as its scores move along a direction: the product of
// log Z's second derivative with a vector, exactly, on the junction tree.
//
//   m(s) = log sum_e exp theta(e, s)      m'(s) = sum_e p(e|s) t(e, s)                     (U.12)
//   b(e, s) = b(s) p(e|s)                 b'(e, s) = b'(s) p(e|s) + b(s) p'(e|s)           (U.13)
//
// Internal to inference/.  docs/math/unlabelled.md section 6
#pragma once
#include <span>
#include <vector>

#include "croft/inference/elimination_order.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/exact/clique_tree.h"

namespace croft {

class TreeTangent {
 public:
  // Keeps the graph by reference; its numbers may change, its shape must not.
  TreeTangent(const FactorGraph& graph, const EliminationOrder& order)
      : graph_(graph), tree_(make_clique_tree(graph, order.order)) {}

  double bytes() const;  // that add() takes at most
  // Adds scale times the derivative along `direction` of each number's expected count.
  // Nothing where no assignment is allowed.
  //   direction : [graph.numbers().size()] finite; where a number is -inf it does not count
  //   out       : likewise
  // Time: some ten passes over the joint states of all cliques.
  void add(double scale, std::span<const double> direction, std::span<double> out) const;

 private:
  // Of a clique: p(e|s) and its derivative, then the belief and its derivative; over the separator
  // first the message up and its derivative, then the belief and its derivative.
  struct Tables {
    std::vector<double> value, tangent;      // [joint states of the clique]
    std::vector<double> message, d_message;  // [joint states of the separator]
  };
  void add_factors(const Clique& clique, std::span<const double> direction, Tables& to) const;
  bool send_up(const Clique& clique, Tables& of) const;
  void take_beliefs(const Clique& clique, const Tables* parent, Tables& of) const;
  void add_changes(const Clique& clique, const Tables& of, double scale,
                   std::span<double> out) const;

  const FactorGraph& graph_;
  CliqueTree tree_;
};

}  // namespace croft
