// Gibbs draws of one variable at a time, at any temperature.  Internal to inference/.
#pragma once
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/sampling/site_scores.h"

namespace croft {

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
