// The best assignment by search in the tree of an elimination order, guided by mini-buckets.
// Internal to inference/; docs/math/graph_map.md section 10.
//
// Variables that do not depend on each other given those above are solved apart, what has been
// found out about a subtree is kept by its context, and what the mini-buckets know exactly is not
// searched: branch and bound in an AND/OR graph, Marinescu & Dechter (2009).
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "inference/graph/bounds/mini_buckets.h"
#include "inference/graph/reparametrisation.h"

namespace croft {

// What a search has left of a graph, as a graph of its own: mini-buckets go on from there. Internal
// to inference/.

// The states whose beliefs are not -inf, of the variables that have two or more of them, with the
// reparametrised scores, which make mini-buckets tight.  The scores of assignments are the same.
struct RestOfGraph {
  FactorGraph graph;
  std::vector<Variable> variables;         // of the other graph
  std::vector<std::vector<State>> states;  // [variables of the other graph]

  // An assignment of the other graph.
  std::vector<State> whole(const std::vector<State>& x) const;
};

// None where the tables had more than `most` entries together.
std::optional<RestOfGraph> rest_of(Reparametrisation& scores, double most);

// An elimination order in bounded time: find_elimination_order's where the graph is simple enough
// for it, else by the fewest neighbours; none where they are too many for mini-buckets to say much.
std::optional<std::vector<Variable>> order_for_mini_buckets(const FactorGraph& graph);

class MiniBucketSearch {
 public:
  explicit MiniBucketSearch(const MiniBuckets& buckets);

  enum class Outcome { none, found, stopped };
  // Looks for an assignment that scores more than `target`; found: the best one.  Where variables
  // are summed out it is one of the others, and its score the logarithm of the sum.
  //   goes_on : called at each node; false stops.  What is known by then helps the next call.
  Outcome run(double target, const std::function<bool()>& goes_on);
  // An assignment, [places]: the most promising state of each, from above; near the best one where
  // the bound is near.
  const std::vector<State>& guess();
  double best() const { return best_; }
  const std::vector<State>& states() const { return x_; }  // [places] of the best, or the guess

 private:
  using Place = MiniBuckets::Place;
  // Of a subtree: what no assignment of it exceeds, and whether one has it.
  struct Value {
    double score;
    bool reached;
  };
  struct Known {
    Place v = MiniBuckets::kNowhere;
    bool reached = false;
    std::uint64_t context = 0;
    double score = 0;
  };
  // Of a place on the present path.
  struct Level {
    std::vector<double> bounds;  // [states]
    std::vector<double> below;   // [states][children]
    std::vector<double> found;   // [children] by the last state that was solved
    std::vector<State> tries;    // states, the most promising first
  };

  Value solve(Place v, double bound, double target);
  // A state's value, all of its children solved for more than `target`.
  Value solve_state(Place v, State s, double target);
  Value sum(Place v);
  void expand(Place v);
  double crossing(Place v) const;
  // Where the values of `solve` come from.
  bool decode(Place v, double score);
  std::uint64_t context_number(Place v) const;
  Known& known(Place v, std::uint64_t context);
  void keep(const Known& what);

  const MiniBuckets& buckets_;
  const std::function<bool()>* goes_on_ = nullptr;
  bool stopped_ = false;
  double best_ = 0;
  std::vector<State> x_;            // [places]
  std::vector<Level> levels_;       // [places]
  std::vector<std::uint8_t> kept_;  // [places] whether a context can come back
  std::vector<Known> known_;        // by a hash of v and context; the last one stays
  std::size_t kept_since_ = 0;      // it has its size
};

}  // namespace croft
