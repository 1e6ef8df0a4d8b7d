// The expected and the empirical counts of a chain's features, for iterative scaling.
//
//   empirical_k   = sum_n q_n f_k(x_n, y_n)
//   expected_k(T) = sum over the sequences n of total T of  q_n sum_y p(y | x_n) f_k(x_n, y)
//
// A sequence's total is the largest sum of its features over all labellings that the model is
// normalised over: the best score when every weight is 1, by Viterbi, exactly.  Labellings whose
// features sum to less are what the slack feature is for.  docs/math/batch_optimisation.md
// section 7.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "optimize/batch/iterative_scaling.h"
#include "train/functions/chain_batch_function.h"

namespace croft {

class ChainExpectations final : public ExpectationFunction {
 public:
  // Sequences go into at most `groups` groups, each with one total, the largest of its sequences:
  // one for each total where there are few enough, otherwise by equal ratios.  Generalised
  // iterative scaling needs 1; for the improved one kGroups, whose totals differ by a fifth where
  // sequences have 1 to 80 positions, lose about a tenth of a step. Keeps a reference to the layout
  // and the pool, and a copy of the data, cut by group.  Throws UsageError for attribute values
  // below 0, for labels that are not fully known and for groups that are not from 1 to kMostGroups;
  // Error as ChainBatchFunction does. Cost: a Viterbi search over all sequences, and two
  // evaluations.  Memory: that of a ChainBatchFunction<double> and its data; for each group a
  // scorer's copy of the weights; and 10 bytes for each weight and group in which its attribute
  // occurs.
  static constexpr std::size_t kGroups = 24, kMostGroups = 65536;
  ChainExpectations(const ChainData& data, const ChainLayout& layout, ThreadPool& pool,
                    std::size_t groups);
  ~ChainExpectations() override;

  std::size_t dimension() const override { return layout_.dimension(); }
  // The likelihood (C.9): value and gradient as ChainBatchFunction's, up to rounding.
  double evaluate(std::span<const double> w, std::span<double> gradient) override;
  std::span<const double> empirical() const override { return empirical_; }
  const ExpectedCounts& expected() const override { return counts_; }
  void archive(StateArchive& state) override;

 private:
  struct Group;  // sequences with one total
  void list_counts();

  const ChainLayout& layout_;
  ThreadPool& pool_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<double> empirical_;    // [dimension]
  AlignedVector<double> part_;       // [dimension] one group's expected counts
  std::vector<std::uint64_t> next_;  // [dimension] scratch: where a weight's next count goes
  ExpectedCounts counts_;
};

// [sequences] the largest sum of features of each, as above; -inf where no labelling is allowed.
// Requires attribute values >= 0.
std::vector<double> largest_totals(const ChainData& data, const ChainLayout& layout,
                                   ThreadPool& pool);

}  // namespace croft
