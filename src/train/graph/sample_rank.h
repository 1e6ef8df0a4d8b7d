// SampleRank: of two neighbouring assignments on a random walk the better one is to score higher.
//
//   x' from x by a change of one variable, or of two that share a factor                   (GC.13)
//   d = counts(worse) - counts(better)   where  theta(better) - theta(worse) < margin * (loss
//   difference), 0 where there is no difference
//
// An instance's weight multiplies d.  The step follows each proposal, and touches the features of a
// few factors only: no inference. Wick, Rohanimanesh, Bellare, Culotta & McCallum (2011).
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "model/graph_layout.h"
#include "optimize/stochastic/direction_function.h"

namespace croft {

// How wrong an assignment of an instance is, >= 0.
//   x : [variables of the instance]
using RankLoss = std::function<double(std::size_t number, const GraphInstance& instance,
                                      std::span<const State> x)>;

struct SampleRankOptions {
  RankLoss loss{};    // default: how many variables with known states have another one
  double margin = 1;  // for a loss that is less by 1; >= 0
  // Propose changes of two variables of a factor at once, besides those of one.
  bool pairs = false;
};

// A sample is a variable with two states or more (or a factor of two such, with `pairs`), and a
// draw of it a proposal: another state, all alike.  Walks accept by Metropolis' rule at the present
// weights, and start at random states.  The figure is by how much the margin is missed.
// One worker: walks belong to instances, not to samples.
class SampleRank final : public DirectionFunction {
 public:
  // Keeps the first four by reference; sets numbers of the instances' graphs.  Throws UsageError
  // for a negative margin.
  SampleRank(const CliqueSchema& schema, const CliqueRows& rows, const GraphLayout& layout,
             std::span<GraphInstance> instances, const SampleRankOptions& options,
             std::uint64_t seed);

  std::size_t dimension() const override { return layout_.dimension(); }
  std::size_t samples() const override { return sites_.size(); }
  std::size_t workers() const override { return 1; }
  std::span<const Run> support(std::size_t n, std::size_t worker) override;
  Drawn draw(std::size_t n, std::span<const double> w, Random& random, std::span<double> direction,
             std::size_t worker) override;
  void archive(StateArchive& state) override;

 private:
  struct Site {
    std::uint32_t instance;
    Variable first, second;  // equal: one variable
  };
  void find_around(const Site& site);
  double loss_at(const Site& site) const;
  double score_at(const Site& site, std::vector<std::uint64_t>& places);
  void add_difference(const GraphInstance& instance, double sign, std::span<double> out);

  const CliqueRows& rows_;
  const GraphLayout& layout_;
  std::span<GraphInstance> instances_;
  SampleRankOptions options_;
  GraphScorer scorer_;
  std::vector<FactorLists> lists_;     // [instances]
  std::vector<Site> sites_;            // [samples]
  std::vector<std::vector<State>> x_;  // [instances][variables] where the walks are
  std::vector<Factor> factors_;        // around a site, and their potentials
  std::vector<PotentialId> potentials_;
  std::vector<std::uint64_t> was_, is_;  // places of the factors' numbers, before and after
  std::vector<State> at_;
  std::vector<Run> support_;
  std::vector<double> d_numbers_, dense_;
};

}  // namespace croft
