// One chain of Gibbs sampling, and what it counts.  Internal to gibbs.h.
#pragma once
#include <span>
#include <vector>

#include "croft/core/parallel.h"
#include "croft/core/random.h"
#include "croft/inference/gibbs.h"
#include "inference/graph/sampling/gibbs_forest.h"
#include "inference/graph/sampling/gibbs_plan.h"

namespace croft {

// Where the counts of a site's states begin.  Two states need one count: that of state 1.
std::vector<std::size_t> count_begins(const GibbsPlan& plan);

class GibbsChain {
 public:
  // number : of the chain;  start : an allowed assignment [variables], or empty: random states
  GibbsChain(const GibbsPlan& plan, const std::vector<std::vector<GibbsForest>>& rounds,
             const GibbsOptions& options, std::size_t number, std::span<const State> start);

  // pool : for the blocks of a colour; null: this thread alone
  void sweep(std::size_t count, bool counted, ThreadPool* pool);
  std::vector<std::uint32_t> take_counts();  // since the last call
  std::vector<State> assignment() const;

 private:
  // Random numbers of a block of sites: what a block draws depends on nothing else.
  class Bits {
   public:
    explicit Bits(std::uint64_t seed);
    const std::uint32_t* take(std::size_t count);  // count <= kBuffer
    double uniform();

   private:
    static constexpr std::size_t kBuffer = 4096;
    StreamStates streams_;
    std::size_t at_ = kBuffer;
    std::vector<std::uint32_t> buffer_;
  };

  void sweep_colours(bool counted, ThreadPool* pool);
  void update_block(const GibbsPlan::Block& block, Bits& bits, bool counted);
  void update_site(Site s);
  void sweep_sites();
  void sweep_forests();
  void count_run(const GibbsRun& run);

  const GibbsPlan& plan_;
  const std::vector<std::vector<GibbsForest>>& rounds_;
  GibbsScan scan_;
  std::vector<std::size_t> count_begin_;
  std::vector<State> x_;               // [sites]
  std::vector<std::uint32_t> counts_;  // [counts]
  std::vector<Bits> bits_;             // [blocks]
  Random random_;
  std::size_t sweeps_ = 0;
  std::vector<double> scratch_;
  GibbsForest::Scratch forest_scratch_;
};

}  // namespace croft
