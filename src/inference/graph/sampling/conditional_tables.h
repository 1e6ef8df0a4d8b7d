// p(x_v | its neighbours) as tables of thresholds, one for all variables with the same.  Internal
// to gibbs.h.
//
// A variable has a table where it and its neighbours have few joint states.  Two variables share
// one where their factors have the same numbers in the same roles, whatever the file said twice.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

class ConditionalTables {
 public:
  ConditionalTables(const FactorGraph& graph, const FactorLists& factors, double temperature);

  bool has(Variable v) const { return shape_[v] != 0; }
  // The same number: the same states and strides of neighbours.  0: no table.
  std::uint32_t shape(Variable v) const { return shape_[v]; }
  std::span<const Variable> neighbours(Variable v) const {  // increasing
    return std::span(neighbour_).subspan(begin_[v], begin_[v + 1] - begin_[v]);
  }
  // Where the row of a joint state of the neighbours stands: place(v) + sum of stride x state.
  std::uint32_t place(Variable v) const { return place_[v]; }
  std::span<const std::uint32_t> strides(Variable v) const { return strides_[shape_[v]]; }

  std::vector<std::uint32_t> take_thresholds() { return std::move(thresholds_); }
  std::span<const std::uint32_t> thresholds() const { return thresholds_; }

 private:
  bool find_neighbours(Variable v);
  void add(Variable v);
  std::uint32_t make_table(Variable v);
  void make_row(Variable v, std::span<const State> others);

  const FactorGraph& graph_;
  const FactorLists& factors_;
  double temperature_;
  std::vector<std::size_t> begin_{0};
  std::vector<Variable> neighbour_;
  std::vector<std::uint32_t> shape_, place_;
  std::vector<std::vector<std::uint32_t>> strides_{{}};  // [shapes]
  std::vector<std::uint32_t> thresholds_;
  std::vector<PotentialId> same_;  // [potentials] the first with the same numbers
  std::map<std::vector<std::uint32_t>, std::uint32_t> shapes_, tables_;
  std::vector<double> scores_;  // scratch
};

}  // namespace croft
