// The best assignment by exact changes of many variables at a time, in any factor graph.
//
// All variables but some blocks stay as they are, and the junction tree finds the best states of
// each block, given the others.  Where nothing better is found for long, the blocks become wider,
// and at last the search goes on from elsewhere: from the best assignment with blocks drawn at
// random, or from what annealing finds.  docs/math/graph_map.md section 11.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/inference/map_result.h"
#include "inference/graph/search/block_maximum.h"
#include "inference/graph/search/free_blocks.h"

namespace croft {

struct BlockOptions {
  // Joint states of a block's clique at most, in the beginning and at last: logarithms to base 2.
  double first_width = 10, most_width = 20;
  double memory = double(1ull << 30);  // bytes of one block's tables at most
  std::size_t patience = 6;            // rounds without anything better before a change, >= 1
  std::uint64_t seed = 1;
  void validate() const;  // throws UsageError
};

// Rounds of blocks from one assignment.
class BlockDescent {
 public:
  enum class Round { better, same, stopped };

  // Keeps the graph by reference.
  //   summed : variables that are summed out where there is room for that beside a few others; some
  //            of them are part of the assignment where there is not.  The blocks are at least as
  //            wide as these sums.
  BlockDescent(const FactorGraph& graph, const BlockOptions& options,
               std::span<const Variable> summed = {});

  // From here, and with narrow blocks first.
  //   level : how often blocks of the first width become wider before
  void begin(std::span<const State> states, std::size_t level = 0);
  // How many times blocks have become wider.
  std::size_t level() const { return level_; }
  // From here, with blocks as wide as they are now.
  //   idle, most : rounds without anything better, or at all, until it is idle
  void go_on_from(std::span<const State> states, std::size_t idle, std::size_t most);
  void widen();
  // Each of some blocks at its best states, given the others.  Never worse than before.
  //   goes_on : asked every few milliseconds; false stops the round
  Round round(const std::function<bool()>& goes_on);
  // Each of some blocks in states that are drawn from exp(score / temperature), given the others;
  // what is allowed stays so.
  Round shake(double temperature, const std::function<bool()>& goes_on);
  std::span<const State> states() const { return x_; }
  // True if blocks of this width have found nothing for as long as the patience is.
  bool idle() const { return idle_ >= patience_ || rounds_ >= most_rounds_; }
  bool widest() const { return width_ >= options_.most_width; }
  // Whether the blocks of a round were all variables: the states are the best.
  bool solved() const { return solved_; }
  // The variables of `summed` that are summed out.
  const std::vector<Variable>& summed() const { return blocks_.summed(); }
  // Joint states that it has gone through.
  double work() const { return work_; }

 private:
  struct Drawn {  // blocks that were drawn before
    double width = 0;
    std::vector<std::vector<FreeBlock>> blocks;
  };
  const std::vector<FreeBlock>& draw(Drawn& before, double width);
  Round solve(const FreeBlock& block, double temperature, std::size_t& at_best,
              const std::function<bool()>& goes_on);
  Round solve_by_trees(const FreeBlock& block, double temperature, std::size_t& at_best,
                       const std::function<bool()>& goes_on);

  const FactorGraph& graph_;
  const BlockOptions options_;
  const FactorLists lists_;
  const bool by_trees_;
  BlockMaximum maximum_;
  const double room_;  // beside sums, for two variables at least
  const FreeBlocks blocks_;
  const std::size_t most_kept_;
  Drawn drawn_, shaken_;
  Random random_;
  std::vector<State> x_;
  double width_ = 0, work_ = 0;
  std::size_t level_ = 0;
  std::size_t idle_ = 0, rounds_ = 0;  // from where it began or went on
  std::size_t patience_ = 0, most_rounds_ = 0;
  bool solved_ = false;
};

// Both assignments differ in parts that no factor joins: each part as it is in the better one.
// Scores at least what both do, if `a` is allowed.
std::vector<State> better_parts(const FactorGraph& graph, const FactorLists& lists,
                                std::span<const State> a, std::span<const State> b);

struct BlockSearchOptions : BlockOptions {
  std::size_t max_iterations = 0;       // rounds; 0: no limit
  std::size_t restarts = 5;             // from other assignments, after the first start
  std::size_t annealing_sweeps = 1000;  // of each first assignment, >= 1
  void validate() const;                // throws UsageError
};

// Rounds of blocks without an end.
class BlockWalk {
 public:
  // Keeps the graph by reference.
  //   summed : of BlockDescent
  BlockWalk(const FactorGraph& graph, const BlockSearchOptions& options,
            std::span<const Variable> summed = {});

  void begin(std::span<const State> states);
  // A round; where rounds find nothing, from blocks drawn around `best`, with wider blocks, or from
  // another start, which comes from `best`, or by annealing.  stopped: goes_on was false.
  BlockDescent::Round step(std::span<const State> best, const std::function<bool()>& goes_on);
  const BlockDescent& at() const { return descent_; }
  // True if the widest blocks have found nothing: the next step is from another start.
  bool exhausted() const { return left_ && descent_.widest() && fruitless_ >= shakes(); }
  std::size_t restarts() const { return restarts_; }
  double work() const { return descent_.work() + annealing_work_; }

 private:
  void set_shakes(std::size_t shakes);
  std::size_t shakes() const;
  std::size_t first_level() const;
  void join(std::span<const State> best);
  bool leave(std::span<const State> best, const std::function<bool()>& goes_on);
  bool restart(std::span<const State> best, const std::function<bool()>& goes_on);

  const FactorGraph& graph_;
  const FactorLists lists_;
  const BlockSearchOptions options_;
  BlockDescent descent_;
  const double range_;
  const bool by_parts_;
  // [levels] how many shakes without anything better there are before blocks become wider: fewer
  // where they have found nothing.
  std::vector<std::size_t> shakes_;
  Random seeds_;
  bool left_ = false;          // the rounds from the present start have come to an end
  std::size_t fruitless_ = 0;  // such ends without anything better, with blocks of this width
  std::size_t restarts_ = 0, turn_ = 0;
  double annealing_work_ = 0, best_ = -HUGE_VAL;
};

// Ends earlier where the blocks of a round were all variables, which is exact.
// convergence.iterations: rounds.
//   start : empty: what annealing finds
MapResult block_search(const FactorGraph& graph, const BlockSearchOptions& options = {},
                       std::span<const State> start = {}, const GraphCallback& callback = {});

}  // namespace croft
