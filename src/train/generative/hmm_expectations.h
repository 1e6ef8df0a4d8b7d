// The E-step of Baum-Welch: the likelihood of what is known, and the counts that it leads to
// expect. docs/math/hidden_markov.md section 4.
//
// Sequences with every label known are counted once.  Of the others the sums of
// inference/chain_sum.h are taken on the model's own scores, with -inf at each state that what is
// known excludes (C.14).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "croft/core/compensated_sum.h"
#include "croft/core/parallel.h"
#include "croft/inference/chain_sum.h"
#include "model/kinds/hmm_parameters.h"
#include "train/functions/waves.h"
#include "train/generative/hmm_counts.h"

namespace croft {

class HmmExpectations {
 public:
  // Keeps references to layout and pool, and a copy of the sequences with unknown labels.
  HmmExpectations(const ChainData& data, const HmmLayout& layout, ThreadPool& pool);

  bool any_hidden() const { return hidden_.sequences() > 0; }

  // sum_n q_n log p(x_n, what is known of y_n), and the expected counts given both (HM.10); `out`
  // is overwritten.  -inf, and `out` undefined, where a sequence has probability 0. The same for
  // any number of threads and of helpers, to the last bit.  Cost O(P L^2 + occurrences L), the
  // first of which helpers share out.
  double evaluate(const HmmParameters& p, HmmCounts& out);

 private:
  struct Worker {
    std::vector<ChainScores<double>> scores;  // [kChainLanes]
    BatchWorkspace<double> sums;
    CompensatedSum value;
    std::vector<double> transition;  // [cells]
    std::vector<double> row;         // [L]
  };
  void keep_hidden(const ChainData& data);
  void score(const HmmParameters& p, std::size_t n, Worker& worker, ChainScores<double>& out) const;
  void sum_task(const HmmParameters& p, const Wave& wave, std::size_t task, Worker& worker);
  void sum_group(const HmmParameters& p, const Wave& wave, std::span<const std::uint32_t> group,
                 Worker& worker);
  template <class Visit>
  void for_rows(const Wave& wave, std::size_t task, const Visit& visit);
  void add_ends(const Wave& wave, HmmCounts& out) const;
  void add_emissions(const Wave& wave, HmmCounts& out);

  const HmmLayout& layout_;
  ThreadPool& pool_;
  HmmCounts known_;   // of the sequences with every label known
  ChainData hidden_;  // the others
  Waves waves_;
  std::vector<Worker> workers_;
  TransitionScores<double> transitions_;
  std::size_t stride_;
  AlignedVector<double> expected_;  // [positions of a wave][stride] weight times marginals
};

}  // namespace croft
