// In which order to eliminate the variables of a factor graph, and what that costs.
//
// Eliminating a variable joins all that share a factor with it; their joint states are what the
// step costs.  To find the best order is NP-hard; greedy rules with random ties and restarts come
// near it.  Koller & Friedman (2009) section 9.4; docs/math/graph_exact.md section 2.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "croft/core/error.h"
#include "croft/inference/graph_result.h"
#include "croft/structure/factor_graph.h"

namespace croft {

// The next variable is the one that has least of this.
enum class EliminationRule {
  min_fill,           // pairs of neighbours that are not neighbours yet
  weighted_min_fill,  // the same, each with the product of its states
  min_weight,         // joint states of it and its neighbours
  min_degree          // neighbours
};
EliminationRule elimination_rule(std::string_view name);  // throws UsageError that lists the names

struct EliminationOrder {
  std::vector<Variable> order;  // of all variables with two states or more, but those that stay
  double log2_largest = 0;      // joint states of the largest clique
  double log2_total = 0;        // of all maximal cliques together
};

struct EliminationOptions {
  // Empty: all rules, the cheapest order wins.
  std::vector<EliminationRule> rules = {};
  // Tries of each rule, >= 1.  Eight differ in ties alone; each later one draws among variables
  // that cost about the least, mostly from somewhere on in the best order so far.  An order takes
  // the place of another only where it takes neither more joint states nor more memory.
  std::size_t restarts = 8;
  std::uint64_t seed = 1;
  // A try ends at a clique of more joint states (2^62 at 1e9 a second: a century and a half).
  double most_log2_states = 62;
  std::vector<Variable> last = {};  // eliminated after all others
  bool keep_last = false;           // they stay: the order, and what it costs, ends before them
  // Called every few milliseconds, with millions of steps as the iteration; false ends the search.
  GraphCallback progress = {};
};

// Every order that was tried has a clique that is too large; or a factor is too large, or the
// graph's width proves it for all orders.
class TooWide : public Error {
 public:
  explicit TooWide(double log2_states);
  // The size of the smallest of these cliques: elimination in any of the orders has as many joint
  // states or more.
  double log2_states() const { return log2_states_; }

 private:
  double log2_states_;
};

// The order with the fewest joint states in all.  Stops trying when the tries have cost more than
// the elimination itself would.  Throws TooWide where no try comes to its end, and Interrupted
// where `progress` has ended the search before the first did.
EliminationOrder find_elimination_order(const FactorGraph& graph,
                                        const EliminationOptions& options = {});

// What an order costs; for orders from elsewhere.  Throws UsageError unless it has each variable of
// two states or more once.
EliminationOrder cost_of_order(const FactorGraph& graph, std::vector<Variable> order);

}  // namespace croft
