// Elimination as a list of products of two tables, made once for all graphs of a structure; log Z
// forwards, its derivatives by all factors' scores backwards.  Internal to inference/.
//
//   tau = sum_v a b                    for each variable v in its order                      (GX.7)
//   bar a += bar tau b,  bar b += bar tau a       from the last to the first (GX.8)
//
// docs/math/graph_exact.md section 7.  The numbers are linear; what might not fit a double is left
// to the junction tree.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/exact/contraction.h"

namespace croft {

// The smallest product of numbers, relative to the largest, that leaves digits to spare.
inline constexpr double kLeastProduct = -650;  // its logarithm

// A factor's scores as numbers relative to the largest, at a place of the leaves' tables.
struct PlanLeaf {
  std::uint64_t first = 0;
  double lowest = 0;  // logarithm of the smallest
};

struct PlanWorkspace {
  AlignedVector<double> value, bar;     // of the plan's tables
  std::vector<double> lowest, scaling;  // [steps]
};

class EliminationPlan {
 public:
  // Of variables' states and factors' scopes alone.  nullptr where its tables are more than `most`
  // numbers.
  static std::unique_ptr<const EliminationPlan> make(const FactorGraph& graph,
                                                     std::span<const Variable> order, double most);

  // log Z but for the leaves' offsets; -inf where the numbers may not fit a double.
  //   leaf : [factors];  leaves : their tables
  double forward(std::span<const PlanLeaf> leaf, const double* leaves, PlanWorkspace& work) const;
  // After it: adds d log Z / d number to `bar`, which lies like `leaves`.
  void backward(std::span<const PlanLeaf> leaf, const double* leaves, double* bar,
                PlanWorkspace& work) const;

 private:
  // Tables: factors, then what the steps give, then the number 1.
  using Table = std::uint32_t;
  static constexpr Table kOne = 0xffffffff;
  struct Step {
    Table a = 0, b = 0;
    std::uint64_t first = 0, size = 1;  // of what it gives, in the workspace
    bool scaled = false;                // by its largest number
    bool root = false;                  // the last of its part of the graph
    Contraction forward, to_a, to_b;    // to_a: from (bar out, b)
  };
  struct Scoped {
    Table table = 0;
    std::vector<Variable> scope;  // of variables with two states or more; the last is fastest
  };
  class Maker;

  std::size_t factors_ = 0;
  double constant_ = 0;            // logarithm of the states of variables that no factor has
  std::vector<Factor> constants_;  // factors of no variable with two states
  std::vector<Step> steps_;
  std::vector<ContractionLoop> loops_;
  std::uint64_t numbers_ = 0;  // of all steps' tables
};

}  // namespace croft
