// Weights that shrink at every step but are brought up to date only when they are looked at.
//
// Between two visits to a run, its coordinates do nothing but decay, by the same factors as all
// others; so two numbers, here and there, say what became of them.
// docs/math/stochastic_optimisation.md section 3
#pragma once
#include <span>
#include <vector>

#include "croft/core/state_archive.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft {

class LazyWeights {
 public:
  enum class Kind { plain, averaged, cumulative_l1 };
  // Keeps references to both.
  LazyWeights(const SampleLayout& layout, std::span<double> w, Kind kind);

  // Brings the coordinates of these runs up to date.
  void visit(std::span<const Run> runs);
  // After a step of all samples: the decay of all weights (SG.4), the penalty that is due from
  // each (SG.6), and whether the iterate counts in the average (SG.7).
  void end_step(double decay, double l1_step, bool counts);
  // Brings all coordinates up to date.
  void settle();
  // As made: no debts, an empty average.
  void clear();

  // Past iterates count `factor` times as much from here on as they did; after settle().
  void discount(double factor);
  bool has_average() const { return count_ > 0; }
  void write_average(std::span<double> out) const;  // after settle()
  void archive(StateArchive& state);                // after settle()

 private:
  void visit_plain(const Run& run);
  void visit_averaged(const Run& run);
  void visit_l1(const Run& run);
  void forget_times();

  const SampleLayout& layout_;
  std::span<double> w_;
  const Kind kind_;
  double decay_ = 1;                  // P: product of all decays since settle()
  double decay_sum_ = 0;              // C: sum of P over the steps that count
  double penalty_ = 0;                // u, in units of P
  double count_ = 0;                  // iterates in the sum
  std::vector<double> decay_at_;      // P at the last visit, by `begin`
  std::vector<double> decay_sum_at_;  // C at the last visit, by `begin`
  std::vector<double> sum_;           // of the iterates, for each coordinate
  std::vector<double> paid_;          // q: the penalty received, in units of P
};

}  // namespace croft
