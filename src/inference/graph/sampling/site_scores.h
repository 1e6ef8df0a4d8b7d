// Scores of factors where one or two variables are free and the others as they are.  Internal to
// inference/.
//
// A *site* is a variable with two states or more; sites have an order of their own, so that those
// that are updated together stand together.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

using Site = std::uint32_t;

class SiteScores {
 public:
  // site_of : [variables]; kNoSite for one state
  static constexpr Site kNoSite = 0xffffffff;
  SiteScores(const FactorGraph& graph, std::span<const Site> site_of);

  // Reads the graph's numbers again, where they have changed.
  void refresh();

  struct Place {
    Site site;
    std::uint64_t stride;
  };
  // The sites of a scope.
  std::span<const Place> places(Factor f) const {
    return std::span(places_).subspan(begin_[f], begin_[f + 1] - begin_[f]);
  }

  // x: [sites], changed and restored on the way.
  double score(Factor f, std::span<State> x) const;
  // out[s] += theta_f where x[u] = s
  void add(Factor f, Site u, std::size_t states, std::span<State> x, double* out) const;
  // out[s * states_v + t] += theta_f where x[u] = s, x[v] = t
  void add(Factor f, Site u, std::size_t states_u, Site v, std::size_t states_v, std::span<State> x,
           double* out) const;

 private:
  struct Free {
    std::uint64_t base = 0, stride_u = 0, stride_v = 0;
  };
  Free free_at(Factor f, Site u, Site v, std::span<const State> x) const;

  const FactorGraph& graph_;
  std::vector<Site> site_of_;
  std::vector<std::size_t> begin_{0};  // [factors + 1]
  std::vector<Place> places_;
  std::vector<std::shared_ptr<std::vector<double>>> made_;  // tables of other potentials
  std::vector<Factor> made_of_;                             // for each, a factor that has it
  std::vector<const double*> table_;                        // [factors]; null: too large
};

}  // namespace croft
