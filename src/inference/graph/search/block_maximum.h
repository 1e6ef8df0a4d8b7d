// The best states of a block of variables, or states drawn for it, while all others stay as they
// are: bucket elimination without any structure that has to be built for each block.  Internal to
// inference/; docs/math/graph_map.md section 11.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"

namespace croft {

class BlockMaximum {
 public:
  // Keeps both by reference.
  BlockMaximum(const FactorGraph& graph, const FactorLists& lists);

  enum class Outcome { done, none, stopped };  // none: no states are allowed, or too much memory
  // Sets the states of the block in x.
  //   block       : in the order of elimination
  //   temperature : 0: the best states, equal ones by `random`; else drawn from
  //                 exp(score / temperature)
  //   memory      : bytes of all tables at most
  //   goes_on     : asked every few milliseconds; false stops, and x stays as it is
  Outcome run(std::span<const Variable> block, double temperature, double memory, Random& random,
              const std::function<bool()>& goes_on, std::span<State> x);
  // By how much the score of the factors around the block has risen; +inf where they did not allow
  // the states before.
  double rise() const { return rise_; }
  double work() const { return work_; }  // joint states that it has gone through

 private:
  using Place = std::uint32_t;  // in the block
  // Scores of places that increase; the first one is eliminated first, and its states are side by
  // side.
  struct Function {
    std::uint32_t scope, width;  // of it in scopes_
    std::uint32_t next;          // of the same bucket
    std::size_t values;          // in values_
    std::uint64_t joint;
  };

  bool plan(std::span<const Variable> block, double memory);
  std::uint32_t add_function(std::span<const Place> scope);
  void fill(std::uint32_t function, Factor f, std::span<const State> x);
  bool eliminate(Place k, const std::function<bool()>& goes_on);
  void add_rows(Place k, std::size_t chunk);
  void reduce(std::size_t states, std::size_t chunk, double* out) const;
  void choose(Place k, Random& random, std::span<State> x);
  double around(std::span<const State> x) const;
  std::span<const Place> scope_of(const Function& f) const {
    return std::span(scopes_).subspan(f.scope, f.width);
  }

  const FactorGraph& graph_;
  const FactorLists& lists_;
  std::span<const Variable> block_;
  double temperature_ = 0, rise_ = 0, work_ = 0, since_ = 0;
  std::vector<Place> place_;  // [variables]; kNowhere: not in the block
  std::vector<Factor> factors_;
  std::vector<Function> functions_;     // those of factors_ first
  std::vector<std::uint32_t> bucket_;   // [places] the first function of each
  std::vector<std::uint32_t> message_;  // [places] the function that its elimination makes
  std::vector<Place> scopes_, union_;
  std::vector<double> values_, sums_;
  std::vector<State> at_;
  // Describes the functions in a bucket, while it is eliminated.
  struct Row {
    const double* base;
    std::vector<std::size_t> strides;  // [message's scope]
    std::vector<std::size_t> offsets;  // [chunk]
  };
  std::vector<Row> rows_;
  std::size_t used_ = 0;  // of rows_
};

}  // namespace croft
