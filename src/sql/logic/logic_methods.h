// Methods that answer from ground clauses; those of graphs are in infer_methods().
#pragma once
#include <functional>
#include <span>
#include <string>

#include "croft/app/infer.h"
#include "logic/clause_store.h"
#include "sql/logic/grounder.h"

namespace croft {

struct LogicProblem {
  const ClauseStore& store;
  const InferRequest& request;
  GraphCallback progress;           // never empty; false when time is over, too
  const AtomSpace* lazy = nullptr;  // draws that ground as they go, with these options
  GroundOptions grounding = {};
};

// A row: its name, what it answers and looks at, and what does it.  `run` fills in assignment or
// marginals [atoms], and what they are worth.
struct LogicMethod {
  InferMethod row;  // without a run of its own
  void (*run)(const LogicProblem& problem, InferResult& result);
};
std::span<const LogicMethod> logic_methods();
const LogicMethod* logic_method_named(std::string_view name);  // nullptr
std::string describe_logic_methods();                          // names and summaries, in lines

// What `auto` takes: nullptr where an exact method for graphs fits.
//   graph  : of the store
//   reason : why, for the user
const LogicMethod* choose_logic_method(const LogicProblem& problem, const FactorGraph& graph,
                                       Message& reason);

// What a world is worth that a walk has found: exact where no clause costs anything, or where
// branch and bound on the graph, which has some thousand nodes, proves it; that may find a better
// one, and else a bound.  Graphs of more than 50,000 factors are left alone.
//   result : of a walk; its assignment, kind, bound and notes
void prove_world(const LogicProblem& problem, const FactorGraph& graph, InferResult& result);

}  // namespace croft
