// A question to a Markov logic network: probabilities of atoms, the most probable world, log Z.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "croft/app/infer.h"
#include "sql/logic/grounder.h"

namespace croft {
class Json;

// Which predicates are open.  Those of a query are, and those of which the evidence says nothing;
// not those that are declared closed (*P), nor those whose facts the evidence has.  Facts with a
// probability say nothing for certain.
//   open, closed : names of predicates for which it is said otherwise.  Throws UsageError for a
//                  name that the network does not have or that is in both, and for a query that is
//                  closed.
std::vector<bool> open_predicates(const LogicNetwork& network, const LogicEvidence& evidence,
                                  const std::vector<AtomPattern>& queries,
                                  const std::vector<std::string>& open = {},
                                  const std::vector<std::string>& closed = {});

struct AtomAnswer {
  std::string atom;        // Smokes(Anna)
  double probability = 0;  // of marginals; of map 0 or 1
  bool known = false;      // by the evidence
  // Standard error of a probability that draws estimate; NaN if it is unknown.
  std::optional<double> standard_error = {};
};

struct LogicAnswer {
  InferResult result;  // of the ground graph: method, kind, convergence, notes
  // In the order of queries and constants; of the tasks marginals and map.
  std::vector<AtomAnswer> atoms;
  std::optional<double> log_partition;  // of all ground clauses (ML.1)
  std::optional<double> cost;           // of map (ML.8)
  std::optional<double> clause_cost;    // of map: the part that the evidence has not decided
  std::size_t ground_atoms = 0, clauses = 0;
};

Json to_json(const LogicAnswer& answer);  // what croft logic --json prints

// Grounds once, and answers any number of questions.
class GroundNetwork {
 public:
  // Keeps the space by reference.  Throws what ground() does, and Error where hard rules contradict
  // each other; it names a small set of them.
  //   queries : whose atoms are asked for; empty: all open ones
  //   task    : lazy grounding answers this one alone, map by any method, marginals by mc-sat
  GroundNetwork(const AtomSpace& space, const std::vector<AtomPattern>& queries,
                const GroundOptions& options = {}, Grounding grounding = Grounding::full,
                GraphTask task = GraphTask::map);

  // Hard rules that contradict each other in any other way are named, too, where a search of a
  // second or so finds that; else answers that do not show a world have a warning.
  // The tasks partition, marginals and map.  Throws what infer() does, and Error where no world
  // keeps all hard rules.
  LogicAnswer answer(const InferRequest& request, const InferCalls& calls = {}) const;

  const ClauseStore& store() const { return store_; }
  const AtomSpace& space() const { return space_; }
  bool is_lazy() const { return lazy_for_.has_value(); }
  const FactorGraph& graph() const;  // made when it is first asked for, by one thread

 private:
  InferResult infer_on_clauses(const InferRequest& request, const InferCalls& calls) const;
  void add_atoms(const AtomPattern& pattern);
  void check_count(std::uint32_t predicate, const std::vector<std::uint32_t>& given) const;
  void check_hard_rules(const std::function<bool()>& in_time);
  [[noreturn]] void fail_hard_rules(std::vector<std::size_t> rules) const;

  const AtomSpace& space_;
  const GroundOptions options_;
  std::optional<GraphTask> lazy_for_;
  ClauseStore store_;
  std::vector<Message> warnings_;
  bool may_have_no_world_ = false;   // a search for one that keeps all hard rules gave up
  std::vector<std::uint64_t> keys_;  // that are asked for
  mutable std::optional<FactorGraph> graph_;
};

}  // namespace croft
