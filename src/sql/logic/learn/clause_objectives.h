// What weights of ground clauses are learnt by: the probability of a world that is known.
//
// Weights are those of units; a clause's weight is the sum of its shares (ClauseStore::for_shares).
// docs/math/markov_logic.md section 8.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "croft/inference/elimination_order.h"
#include "croft/optimize/function.h"
#include "logic/clause_store.h"
#include "sql/logic/learn/best_world.h"

namespace croft {

// Throws Error where the world breaks a hard clause or a mark.
void check_world(const ClauseStore& store, std::span<const std::uint8_t> world);

// - sum over atoms and marks of  log p(atom | all others), the other values of a mark together.
// Convex.
//   world : [atoms] keeps all hard clauses and marks; Error where it does not
//   units : weights
// Time per evaluation in proportion to the changes of a world by one atom, times their units.
std::unique_ptr<BatchFunction> clause_pseudo_likelihood(const ClauseStore& store,
                                                        std::span<const std::uint8_t> world,
                                                        std::size_t units);

// d_au of (ML.12) for the changes of single atoms, of a store without marks.
struct ChangeRows {
  std::vector<std::uint8_t> allowed;  // [atoms] the change breaks no hard clause
  std::vector<std::size_t> begin{0};  // [atoms + 1]
  std::vector<std::uint32_t> unit;    // of an atom in rising order
  std::vector<double> factor;
};
ChangeRows changes_of_atoms(const ClauseStore& store, std::span<const std::uint8_t> world,
                            std::size_t units);

// How much each of `more` units behind those of w, alone and at its best weight, lowers the
// negative log-pseudo-likelihood with its penalty; l2 > 0.
std::vector<double> pseudo_likelihood_gains(const ClauseStore& store,
                                            std::span<const std::uint8_t> world,
                                            std::span<const double> w, std::size_t more, double l2);

// - log p of worlds with these counts, by a junction tree:  log sum over x exp(- w.f(x)) + w.data.
// Convex.  Keeps the store by reference and changes its weights.  Throws Error where the tree takes
// more than `memory` bytes.
//   data : [units] f of the world, or its mean over worlds (false_counts)
class ClauseLikelihood : public BatchFunction {
 public:
  ClauseLikelihood(ClauseStore& store, std::vector<double> data, double memory);
  std::size_t dimension() const override { return data_.size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override;

  // log sum over x exp(- w.f(x)), and the mean of f.
  double log_partition(std::span<const double> w, std::span<double> mean);
  void set_data(std::vector<double> data) { data_ = std::move(data); }

 private:
  ClauseStore& store_;
  std::vector<double> data_;
  EliminationOrder order_;
};

// max over x of  cost(x) + w.(f(world) - f(x)),  the hinge of max-margin learning; cost(x) is the
// number of atoms that x has otherwise.  Convex where the best world is exact, which is asked of
// BestWorld; a search that misses it says less than it should.  Keeps the store by reference.
class ClauseHinge : public BatchFunction {
 public:
  // Throws Error where the world breaks a hard clause or a mark.
  ClauseHinge(const ClauseStore& store, std::span<const std::uint8_t> world, std::size_t units,
              double memory, std::uint64_t seed);
  std::size_t dimension() const override { return data_.size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override;
  bool is_exact() const { return best_.is_exact(); }

 private:
  std::vector<std::uint8_t> world_;
  std::vector<double> data_;  // [units]
  ClauseStore augmented_;     // with a clause for each atom, of a unit of its own
  BestWorld best_;
};

// Of several worlds: the sum.
class SumOfFunctions : public BatchFunction {
 public:
  explicit SumOfFunctions(std::vector<std::unique_ptr<BatchFunction>> parts);
  std::size_t dimension() const override { return parts_.front()->dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override;

 private:
  std::vector<std::unique_ptr<BatchFunction>> parts_;
  std::vector<double> part_;
};

// f(from + v) of v: a penalty on v is one on the distance from `from`.
//   fixed : [units] v has no slope along these, so that descents from 0 leave them there; empty:
//           none
class ShiftedFunction : public BatchFunction {
 public:
  ShiftedFunction(BatchFunction& function, std::vector<double> from,
                  std::span<const std::uint8_t> fixed)
      : function_(function), from_(std::move(from)), fixed_(fixed) {}
  std::size_t dimension() const override { return from_.size(); }
  double evaluate(std::span<const double> v, std::span<double> gradient) override;

 private:
  BatchFunction& function_;
  std::vector<double> from_, w_;
  std::span<const std::uint8_t> fixed_;
};

}  // namespace croft
