// One slice of a dynamic Bayesian network as a clique tree of dense tables, made once: the quick
// way of slice_step.h.  Internal to inference/.
//
// The numbers are linear.  Where some product of them might not fit a double, run() says so: what
// is wanted must then come from elsewhere.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "croft/inference/graph_result.h"
#include "croft/structure/slice_network.h"
#include "inference/graph/exact/clique_table.h"
#include "inference/graph/exact/clique_tree.h"

namespace croft {

// What a slice is summed with.  Tables are over the interface, in its order.
struct SliceGiven {
  const SliceEvidence& evidence;
  const Table* before = nullptr;  // p(interface of the slice before | its past); none: the first
  const Table* after = nullptr;   // p(later evidence | interface of this slice), up to a factor
};

// What is wanted of it; each may be left out.  `before` and `marginals` are of sums.
struct SliceWanted {
  VariableMarginals* marginals = nullptr;  // [n][states]
  Table* after = nullptr;   // p(interface of this slice | evidence until now), up to a factor
  Table* before = nullptr;  // p(evidence from now on | interface before), up to a factor
  bool largest = false;     // max for sum
  std::vector<State>* best = nullptr;  // of `largest`: the best states [graph.variables()]
};

class SliceKernel {
 public:
  //   graph : the slice's n variables, then those of the interface before, `before`
  //   order : of the graph with a factor over `before` and one over `after`, these last
  // nullptr where the tables are more than `most` numbers.
  static std::unique_ptr<SliceKernel> make(const FactorGraph& graph,
                                           const std::vector<Variable>& order,
                                           const std::vector<Variable>& before,
                                           const std::vector<Variable>& after, double most);

  // log of the sum, or of the largest product; -inf where all are 0, and nothing is set then.
  // None where the numbers may not fit.
  std::optional<double> run(const SliceGiven& given, const SliceWanted& wanted);

 private:
  using Places = std::vector<std::uint32_t>;  // of each joint state of a clique, in another table
  struct Own {                                // a variable of a clique
    Variable variable = 0;
    std::uint64_t stride = 1;
    std::uint32_t states = 1;
  };
  struct Part {
    Table factors;            // of the clique; log Z of its constants in the offset
    std::vector<Own> own;     // those that are eliminated here
    Places up, up_in_parent;  // of the separator, in this clique and in the parent
    std::size_t parent = Clique::kNone;
    std::uint64_t separator_states = 1;
    bool leads_to_before = false;  // it, or a clique below, has the interface before
  };
  struct Frame {  // a set of variables that some clique has
    std::size_t clique = Clique::kNone;
    Places places;
    std::uint64_t states = 1;
  };
  class Maker;

  void load(std::size_t c);
  bool multiply(std::size_t c, const Table& by, const Places& places);
  bool add_evidence(std::size_t c, const SliceEvidence& evidence);
  bool collect(const SliceGiven& given, bool largest, bool& possible);
  bool send_up(std::size_t c, bool largest, bool& possible);
  bool distribute(bool all);
  void set_marginals(VariableMarginals& out) const;
  void descend(std::vector<State>& x) const;
  void sum_to(std::size_t c, const Places& places, bool largest, LargeVector<double>& out) const;

  std::vector<Part> parts_;  // children before parents
  Frame before_, after_;
  double constant_ = 0;
  std::size_t variables_ = 0;           // of the graph
  std::vector<std::size_t> home_;       // [variables] the clique
  std::vector<std::size_t> own_place_;  // [variables] in its `own`

  // Of a run.
  std::vector<LargeVector<double>> work_;  // [cliques] the product of what has come
  std::vector<double> lowest_;             // [cliques] log of its smallest number > 0, at least
  std::vector<Table> up_;                  // [cliques]
  Table down_;
  double log_total_ = 0;
};

}  // namespace croft
