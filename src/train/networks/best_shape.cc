// The shape of the best score, by dynamic programming over sets of variables (Silander & Myllymaki
// 2006): the last variable of the best network on W is a sink, whose parents are chosen freely.
#include <algorithm>
#include <bit>
#include <cmath>

#include "croft/core/error.h"
#include "train/networks/learn_structure.h"

namespace croft {
namespace {

using Set = std::uint32_t;  // a bit for each variable

class BestShape {
 public:
  BestShape(const CaseTable& cases, const ShapeOptions& options)
      : cases_(cases),
        score_(options.score, cases.cases()),
        variables_(cases.variables()),
        most_(options.max_parents.value_or(variables_)) {}

  Parents find() {
    of_set_.resize(std::size_t{1} << variables_);
    score_sets(0, 0, JointCells(cases_), 1);
    choose_parents();
    return follow(choose_sinks());
  }

 private:
  std::size_t size() const { return of_set_.size(); }

  // g of `set` and of all that have further variables from `next` on.
  void score_sets(Set set, Variable next, const JointCells& cells, double joint) {
    counts_.assign(cells.cells, 0);
    for (std::size_t r = 0; r < cells.cell.size(); ++r) {
      counts_[cells.cell[r]] += cases_.weights()[r];
    }
    of_set_[set] = score_.of(counts_, joint);
    for (Variable v = next; v < variables_; ++v) {
      JointCells finer = cells;
      finer.refine(cases_, v);
      score_sets(set | Set{1} << v, v + 1, finer, joint * static_cast<double>(cases_.states(v)));
    }
  }

  double family(Variable v, Set parents) const {
    if (static_cast<std::size_t>(std::popcount(parents)) > most_) return -HUGE_VAL;
    return of_set_[parents | Set{1} << v] - of_set_[parents];
  }

  // A subset of the variables other than v, with their bits moved together.
  static std::size_t packed(Variable v, Set set) {
    const Set low = (Set{1} << v) - 1;
    return (set & low) | ((set & ~low) >> 1);
  }
  static Set unpacked(Variable v, std::size_t index) {
    const Set low = (Set{1} << v) - 1, all = static_cast<Set>(index);
    return (all & low) | ((all & ~low) << 1);
  }

  // The best score of v with parents from each set.  One parent more must gain more than rounding
  // may: constants and copies of other parents gain nothing.
  void choose_parents() {
    of_choice_.resize(variables_);
    const double least = 1e-12 * (1 + std::abs(of_set_.back()));
    for (Variable v = 0; v < variables_; ++v) {
      std::vector<double>& best = of_choice_[v];
      best.resize(size() / 2);
      for (std::size_t k = 0; k < best.size(); ++k) {
        best[k] = -HUGE_VAL;
        for (Set rest = static_cast<Set>(k); rest != 0; rest &= rest - 1) {
          best[k] = std::max(best[k], best[k & ~(rest & -rest)]);
        }
        const double own = family(v, unpacked(v, k));
        if (k == 0 || own > best[k] + least) best[k] = own;
      }
    }
  }

  std::vector<std::uint8_t> choose_sinks() const {
    std::vector<double> best(size(), 0);
    std::vector<std::uint8_t> sink(size(), 0);
    for (Set set = 1; set < size(); ++set) {
      best[set] = -HUGE_VAL;
      for (Set rest = set; rest != 0; rest &= rest - 1) {
        const auto v = static_cast<Variable>(std::countr_zero(rest));
        const Set others = set & ~(Set{1} << v);
        const double with_v_last = best[others] + of_choice_[v][packed(v, others)];
        if (with_v_last > best[set]) {
          best[set] = with_v_last;
          sink[set] = static_cast<std::uint8_t>(v);
        }
      }
    }
    return sink;
  }

  Parents follow(const std::vector<std::uint8_t>& sink) const {
    Parents parents(variables_);
    for (Set set = static_cast<Set>(size() - 1); set != 0; set &= ~(Set{1} << sink[set])) {
      const Variable v = sink[set];
      Set from = set & ~(Set{1} << v);
      const double best = of_choice_[v][packed(v, from)];
      for (Set rest = from; rest != 0; rest &= rest - 1) {
        const Set fewer = from & ~(rest & -rest);
        if (of_choice_[v][packed(v, fewer)] == best) from = fewer;  // it is not needed
      }
      for (Set rest = from; rest != 0; rest &= rest - 1) {
        parents[v].push_back(static_cast<Variable>(std::countr_zero(rest)));
      }
    }
    return parents;
  }

  const CaseTable& cases_;
  const SetScore score_;
  const std::size_t variables_, most_;
  std::vector<double> of_set_;                  // [2^variables]
  std::vector<std::vector<double>> of_choice_;  // [variables][2^(variables - 1)]
  std::vector<std::uint32_t> counts_;
};

}  // namespace

LearntShape best_shape(const CaseTable& cases, const ShapeOptions& options) {
  if (cases.variables() > kMostExactVariables) {
    throw UsageError("the method exact goes through all sets of variables: ", kMostExactVariables,
                     " variables at most, and there are ", cases.variables(),
                     "; take hill-climbing");
  }
  LearntShape found;
  found.parents = BestShape(cases, options).find();
  return found;
}

}  // namespace croft
