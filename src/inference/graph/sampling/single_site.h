// Gibbs draws of one variable at a time, at any temperature.  Internal to inference/.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"

namespace croft {

// Scores of factors where one or two variables are free and the others as they are.  Internal to
// inference/.
//
// A *site* is a variable with two states or more; sites have an order of their own, so that those
// that are updated together stand together.
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

class SingleSite {
 public:
  explicit SingleSite(const FactorGraph& graph);

  // Each variable once, from p at the inverse temperature `beta` of factors of two variables or
  // more; those of one count with `beta_own`.
  void sweep(double beta, double beta_own, std::span<State> x, Random& random);
  // Scores of the factors of two variables or more (of one variable).
  double shared_score(std::span<State> x) const { return score(shared_, x); }
  double own_score(std::span<State> x) const { return score(own_, x); }
  // Of the factors of one variable.  [states]
  std::vector<double> own_scores(Variable v, std::span<State> x);
  double constant() const { return constant_; }  // of factors without a variable of two states

  // From scores of states: exp(score) is the weight.
  static State draw(std::span<const double> scores, Random& random);

 private:
  double score(const std::vector<Factor>& factors, std::span<State> x) const;

  const FactorGraph& graph_;
  FactorLists lists_;
  std::vector<Site> site_of_;
  SiteScores scores_;
  std::vector<Factor> shared_, own_;
  std::vector<bool> is_own_;  // [factors]
  double constant_ = 0;
  std::vector<double> sum_, part_;
};

}  // namespace croft
