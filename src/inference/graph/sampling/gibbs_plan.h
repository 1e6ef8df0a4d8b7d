// What Gibbs sampling knows of a graph before it starts.  Internal to gibbs.h.
//
// Sites stand by colour, then by shape (states of their own, strides of their neighbours), then by
// number: neighbours of sites in a row are then mostly in a row themselves, and one vector
// instruction serves many.  docs/math/graph_sampling.md section 2.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"
#include "inference/graph/sampling/gibbs_kernels.h"
#include "inference/graph/sampling/single_site.h"

namespace croft {

struct GibbsPlan {
  GibbsPlan(const FactorGraph& graph, double temperature);

  const FactorGraph& graph;
  double temperature;
  FactorLists factors;
  std::vector<Variable> variable;  // [sites]
  std::vector<Site> site_of;       // [variables]; SiteScores::kNoSite for one state
  std::vector<GibbsRun> runs;
  std::vector<std::uint32_t> run_of;  // [sites]
  // Runs [r, next r) that can be updated at the same time as others of their colour.
  struct Block {
    std::uint32_t first_run, last_run;
    std::uint32_t colour;
  };
  std::vector<Block> blocks;  // by colour
  std::vector<std::uint32_t> neighbour, stride;
  std::vector<std::uint32_t> table;       // [sites] places in thresholds
  std::vector<std::uint32_t> thresholds;  // shared by sites with the same conditional
  std::optional<SiteScores> scores;       // always there
  bool zeros = false;                     // -inf in a factor of two variables or more

  std::size_t sites() const { return variable.size(); }
  std::size_t states(Site s) const { return graph.states(variable[s]); }
  RunArrays arrays(const GibbsRun& run) const {
    return {thresholds.data(), table.data() + run.first, neighbour.data() + run.neighbour,
            stride.data() + run.stride};
  }
  // Draws x[s] by the scores of its factors; u in [0, 1).
  State draw(Site s, std::span<State> x, double u, std::vector<double>& scratch) const;
};

// Index of the state that u in [0, 1) falls on, of weights exp((score - their largest) / t).
std::size_t draw_by_scores(std::span<double> scores, double temperature, double u);

}  // namespace croft
