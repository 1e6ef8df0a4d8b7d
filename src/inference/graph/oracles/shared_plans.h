// Elimination orders and plans, once for all graphs of a structure.  Internal to inference/.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "croft/inference/elimination_order.h"
#include "inference/graph/exact/elimination_plan.h"
#include "inference/graph/oracles/sum_oracle.h"

namespace croft {

// What sums of one graph need beside the plan; taken while they are computed, and given back.
struct SumsWorkspace {
  PlanWorkspace plan;
  std::vector<PlanLeaf> leaf;         // [factors]
  AlignedVector<double> leaves, bar;  // numbers of the leaves
  std::vector<double> offset;         // [leaves]
  std::vector<PlanLeaf> of_leaf;      // [leaves]
};

// May be used by several threads.
class SharedPlans {
 public:
  // most : numbers that the tables of a plan may have
  explicit SharedPlans(double most) : most_(most) {}

  struct Structure {
    EliminationOrder order;
    std::unique_ptr<const EliminationPlan> plan;  // nullptr: too large
  };
  // Graphs whose variables have the same states, and factors the same scopes, share one.
  std::shared_ptr<const Structure> of(const FactorGraph& graph);

  std::unique_ptr<SumsWorkspace> take();
  void give_back(std::unique_ptr<SumsWorkspace> workspace);

 private:
  struct Entry {
    std::once_flag made;
    Structure structure;
  };
  double most_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<SumsWorkspace>> workspaces_;
};

// No cycles: belief propagation is exact.
bool is_forest(const FactorGraph& graph);
// Variables' states and factors' scopes, as bytes.
std::string structure_of(const FactorGraph& graph);

// Exact sums by a structure's plan.
//   otherwise : makes what is asked where the plan's numbers might not fit doubles, for -inf, say
std::unique_ptr<SumOracle> planned_sums(const FactorGraph& graph,
                                        std::shared_ptr<SharedPlans> plans,
                                        std::shared_ptr<const SharedPlans::Structure> structure,
                                        std::function<std::unique_ptr<SumOracle>()> otherwise);

// One inference for many equal graphs: samples of one Markov random field have the same log Z.
//
// A template without inputs gives every instance the same graph with the same numbers; only what
// is known differs, and enters by counts.  The sums of such graphs are taken once for each setting
// of the numbers, by the first that asks.

// As `make`, with the same results to the last bit: what `make` makes must depend on the graph
// and its state alone.  Graphs of the same shape share the last sums; of those whose numbers keep
// differing each soon goes its own way.  The maker may be called, and the oracles used, by several
// threads. Memory: for each shape its description, and twice its numbers.
SumOracleMaker shared_sums(SumOracleMaker make);

}  // namespace croft
