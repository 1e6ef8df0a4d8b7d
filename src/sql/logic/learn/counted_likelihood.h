// The pseudo-likelihood of a world as a function of the weights of clauses, by what each atom's
// change does to their counts (ML.12).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/optimize/function.h"
#include "sql/logic/learn/clause_objectives.h"

namespace croft {

class CountedPseudoLikelihood : public BatchFunction {
 public:
  //   rows  : of the units that are there
  //   units : their number
  CountedPseudoLikelihood(ChangeRows rows, std::size_t units);

  std::size_t dimension() const override { return units_; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override;

  // One more unit.
  //   d : [atoms] of its clause
  void add(std::span<const double> d);
  void remove_last();

  // Where gains() are asked for.
  void stand_at(std::span<const double> w);
  // How much one more unit alone, at its best weight, lowers the value with its penalty (ML.18).
  // Atoms with the same probability and the same d are counted together.
  double gain(std::span<const double> d, double l2);

 private:
  // So many atoms whose change has the probability p, and what the weight multiplies.
  struct Effect {
    double p, factor, count;
  };
  static double gain_of(const std::vector<Effect>& effects, double l2);

  ChangeRows rows_;
  std::size_t units_, base_units_;
  std::vector<std::vector<double>> more_;  // [units that were added][atoms]
  std::vector<double> p_;                  // [atoms] of the change
  std::vector<std::uint32_t> class_;       // [atoms] of equal p
  std::vector<double> p_of_;               // [classes]
  std::vector<double> counts_;             // [classes][2 kDenseDifference + 1]
};

}  // namespace croft
