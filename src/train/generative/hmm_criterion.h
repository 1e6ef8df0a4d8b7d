// What a hidden Markov model is trained for, beside the likelihood of all that is known: p(y|x),
// that and p(x|y), or p(y|x) and p(x) under weights that a prior holds together.
//
//   conditional        sum_n q_n log p(Y|x; theta)                                        (HM.13)
//   multi-conditional  sum_n q_n ( log p(Y|x; theta) + g log p(x|Y; theta) )              (HM.14)
//   hybrid             sum_n q_n ( log p(Y|x; theta) + log p(x; theta') )
//                      - (c/2) |w - w'|^2                                                 (HM.15)
//
// docs/math/hidden_markov.md section 7.
#pragma once
#include <cstddef>
#include <list>
#include <span>
#include <string_view>
#include <vector>

#include "croft/core/parallel.h"
#include "croft/optimize/function.h"
#include "features/chain_data.h"
#include "train/generative/hmm_estimate.h"
#include "train/generative/hmm_expectations.h"
#include "train/generative/hmm_weights.h"

namespace croft {

enum class HmmObjective { likelihood, conditional, multi_conditional, hybrid };
struct HmmObjectiveInfo {
  HmmObjective objective;
  std::string_view name, what;
};
std::span<const HmmObjectiveInfo> hmm_objectives();
std::string_view name_of(HmmObjective objective);
HmmObjective hmm_objective_named(std::string_view name);  // throws UsageError

struct HmmCriterionOptions {
  HmmObjective objective = HmmObjective::likelihood;
  double generative_weight = 1;  // g, >= 0
  double coupling = 1;           // c, >= 0
  void validate() const;         // throws UsageError naming the option
};

// The data without what is known of labels.
ChainData without_labels(const ChainData& data);

// Minus one of the three, minus the log of the prior of theta that smoothing stands for, as a
// function of w; of hybrid, of a and e end to end,
//   w = a + e / (2 sqrt(1 + c)),   w' = a - e / (2 sqrt(1 + c)),                           (HM.19)
// so that (c/2) |w - w'|^2 has a curvature below 1 for any c.  The same for any number of threads.
// Cost of an evaluation: of hybrid up to three times, otherwise twice that of
// HmmExpectations::evaluate().
class HmmCriterion final : public BatchFunction {
 public:
  // Keeps references to layout, pool and smoothing; the layout is of data without labels.
  //   p : an estimate, of which p_k(unknown | j) stays; has no probability 0
  HmmCriterion(const ChainData& data, const HmmLayout& layout, const HmmCriterionOptions& options,
               const HmmSmoothing& smoothing, const HmmParameters& p, ThreadPool& pool);

  std::size_t dimension() const override;
  double evaluate(std::span<const double> w, std::span<double> gradient) override;

  // What the priors add to it: of smoothing, and of hybrid (c/2) |w - w'|^2.
  double penalty(std::span<const double> w);
  std::vector<double> start(const HmmParameters& p) const;  // of hybrid theta' is theta there
  // theta at w; what p has of unknown values is left as it is.
  void set_probabilities(std::span<const double> w, HmmParameters& p) const;

 private:
  struct Term {
    HmmExpectations expectations;
    double times;  // how often log p of it counts
    bool second;   // under theta'
  };
  void add_term(const ChainData& data, double times, bool second, ThreadPool& pool);
  double evaluate_side(bool second, std::span<const double> w, std::span<double> gradient);
  // w, or with -1 in the place of 1 w'.
  std::vector<double> side(std::span<const double> w, double sign) const;

  const HmmLayout& layout_;
  const HmmSmoothing& smoothing_;
  HmmWeights weights_;
  HmmParameters p_;  // of the side that is evaluated
  double coupling_ = 0;
  bool two_ = false;  // there is w'
  std::list<Term> terms_;
  HmmCounts counts_, sum_;
};

}  // namespace croft
