// EM for a general CRF with hidden variables.  docs/math/latent_and_generative_graphs.md section 1.
//
//   Q(w; v) = log Z(w) - <theta(w), c_v> + const_v >= L(w),   Q(v; v) = L(v)               (LG.2)
//
// The E step takes c_v, the expected counts given what is known, at the present weights v; the M
// step lowers Q + penalty by some iterations of L-BFGS (OWL-QN with l1).  With exact sums the
// objective, the marginal likelihood L + penalty, never rises.
// Dempster, Laird & Rubin (1977); Neal & Hinton (1998).
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "croft/optimize/optimizer.h"
#include "inference/graph/oracles/sum_oracle.h"
#include "objective/graph/graph_objective.h"
#include "structure/picked_graph.h"
#include "train/course/weight_em.h"
#include "train/graph/graph_methods.h"

namespace croft {

// Q of a graph.  Keeps graph, states and `expect` by reference.
class ExpectedLikelihood final : public GraphObjective {
 public:
  //   expect : while it is true, an evaluation takes the expectations anew, at the graph's present
  //            numbers, where Q is L with its derivative; it must be so at the first one
  ExpectedLikelihood(const FactorGraph& graph, std::span<const State> known, const bool& expect,
                     const SumOracleMaker& make_sums);
  double evaluate(std::span<double> gradient) override;
  bool converged() const override;

 private:
  bool take_expectations();  // false where what is known is not allowed

  const FactorGraph& graph_;
  std::span<const State> known_;
  const bool& expect_;
  std::unique_ptr<SumOracle> free_, clamped_;
  std::optional<PickedGraph> rest_;  // of the hidden variables, where there are some
  std::vector<double> sums_;         // by the numbers of rest_
  std::vector<double> counts_;       // c_v; of known variables alone they never change
  double constant_ = 0;              // <theta(v), c_v> - log Z(v | known)
};

struct GraphEmOptions {
  std::size_t m_iterations = 5;  // of L-BFGS, in each M step; >= 1
  void validate() const;         // throws UsageError
};

// Minimises as train_graph() does, by EM: problem.stop is of E steps, problem.method is lbfgs or
// owlqn and has the M steps.  Throws UsageError for other methods, for objectives that have no two
// sums (likelihood, bethe, mean-field have), and where nothing is hidden.
OptimizeResult train_graph_em(const GraphProblem& problem, const GraphEmOptions& options,
                              std::span<double> w, const IterationCallback& callback,
                              Checkpointer* checkpoints = nullptr);

// E and M steps in turn, for weights alone (graph_em.h) and for weights beside something else that
// is estimated (measured_field.h).  Internal to train/.
// Of the objectives that EM goes with.  Throws UsageError for others.
SumOracleMaker em_sums(const GraphProblem& problem);

// Throws UsageError for options and optimisers that EM does not go with.
void check_em(const GraphProblem& problem, const GraphEmOptions& options);

// What is estimated beside the weights.
class EmCompanion {
 public:
  virtual ~EmCompanion() = default;
  virtual void score() = 0;  // into the graphs, for the expectations that are taken next
  virtual void step() = 0;   // one, by the last expectations
  virtual void undo() = 0;   // back to before the last step
  virtual void archive(StateArchive& state) = 0;
};

class GraphEm final : public WeightEm {
 public:
  // Keeps all but `make` by reference.
  //   make      : objectives of Q, which while `expect` is true take expectations anew, and are L
  //   companion : may be null
  GraphEm(const GraphProblem& problem, const GraphEmOptions& options, std::span<double> w,
          const std::function<GraphObjectiveMaker(const bool& expect)>& make,
          EmCompanion* companion = nullptr);

 private:
  BatchFunction& expected() override { return f_; }
  double expect(std::span<const double> w, std::span<double> gradient) override;
  void step_beside() override {
    if (companion_ != nullptr) companion_->step();
  }
  void undo_beside() override {
    if (companion_ != nullptr) companion_->undo();
  }
  void archive_beside(StateArchive& state) override {
    if (companion_ != nullptr) companion_->archive(state);
  }

  EmCompanion* companion_;
  bool expect_ = true;
  GraphFunction f_;
};

}  // namespace croft
