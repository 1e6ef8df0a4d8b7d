// What a factor graph with known states is trained by: a value and its derivatives by the graph's
// numbers.
//
//   (theta, y) -> L(theta, y), dL/dtheta           theta = graph.numbers()                  (GC.4)
//
// An objective is made for one graph, and may keep what does not change with its numbers: a
// junction tree, lists of places, chains of samples.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/core/state_archive.h"
#include "croft/inference/belief_propagation.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/oracles/max_oracle.h"
#include "inference/graph/oracles/sum_oracle.h"
#include "structure/picked_graph.h"

namespace croft {

class GraphObjective {
 public:
  virtual ~GraphObjective() = default;
  // L at the graph's present numbers; adds dL/d(number) to `gradient` [graph.numbers().size()].
  // +inf, and nothing added, where what is known is not allowed.
  virtual double evaluate(std::span<double> gradient) = 0;
  // Whether the inference of the last evaluation converged; exact one does.
  virtual bool converged() const { return true; }
  virtual void archive(StateArchive&) {}  // what the next evaluation depends on besides the graph
};
// Keeps the graph and the states by reference; numbers may change, nothing else must.
//   known : [variables]; kUnobserved: hidden
using GraphObjectiveMaker = std::function<std::unique_ptr<GraphObjective>(
    const FactorGraph& graph, std::span<const State> known)>;

// What a factor graph with known states can be trained by where there is no value: a direction in
// the shape of the graph's numbers, drawn by chance.
class GraphDirection {
 public:
  virtual ~GraphDirection() = default;
  // Adds the direction at the graph's present numbers to `out` [graph.numbers().size()]: what
  // stands for d(-log p)/d(number).  Returns a figure for the log.
  virtual double draw(Random& random, std::span<double> out) = 0;
  virtual void archive(StateArchive&) {}  // what is kept between draws
};
// Keeps the graph and the states by reference; numbers may change, nothing else must.
//   known : [variables]; kUnobserved: hidden
using GraphDirectionMaker = std::function<std::unique_ptr<GraphDirection>(
    const FactorGraph& graph, std::span<const State> known)>;

// Perceptron and max-margin objectives of a factor graph.
//
//   L = max_y (theta(y) + cost * #{v : y_v != known_v}) - theta(known)                      (GC.7)
//
// Hidden variables have the states that are best, given the known ones (latent structured
// perceptron), and cost nothing.  dL/dtheta: the counts of the best y less those of the known one;
// where the search is not exact it is whatever the search found, and L may be below 0.

// The graph, and behind its numbers those of a factor of costs for each known variable: what each
// state of it costs.  Throws UsageError for a cost that is no number >= 0.
FactorGraph with_costs(const FactorGraph& graph, std::span<const State> known, double cost);

class GraphHinge final : public GraphObjective {
 public:
  //   cost : of each variable that is wrong; 0: the perceptron's
  GraphHinge(const FactorGraph& graph, std::span<const State> known, double cost,
             const MaxOracleMaker& make_best);
  double evaluate(std::span<double> gradient) override;
  bool converged() const override { return exact_; }

 private:
  const FactorGraph& graph_;
  std::vector<State> known_;
  FactorGraph augmented_;  // with costs
  std::unique_ptr<MaxOracle> best_, best_hidden_;
  std::optional<PickedGraph> rest_;
  bool exact_ = true;
};

inline GraphObjectiveMaker graph_hinge(double cost, MaxOracleMaker make_best) {
  return [=](const FactorGraph& graph, std::span<const State> known) {
    return std::make_unique<GraphHinge>(graph, known, cost, make_best);
  };
}

// The likelihood of a factor graph, exactly or by an approximation of log Z; hidden variables are
// summed over.
//
//   L = log Z(theta) - log Z(theta, restricted to what is known)                           (GC.5)
//
// Where all is known the second is the score of the known states.  With Bethe's log Z it is the
// surrogate likelihood of Sutton & McCallum (2012), (5.27); with an upper bound it is convex, and
// above the exact one.
class GraphLikelihood final : public GraphObjective {
 public:
  GraphLikelihood(const FactorGraph& graph, std::span<const State> known,
                  const SumOracleMaker& make_sums);
  double evaluate(std::span<double> gradient) override;
  bool converged() const override;
  void archive(StateArchive& state) override;

 private:
  const FactorGraph& graph_;
  std::span<const State> known_;
  std::unique_ptr<SumOracle> free_, clamped_;
  std::optional<PickedGraph> rest_;  // of the hidden variables, where there are some
  std::vector<double> sums_;         // by the numbers of rest_
};

inline GraphObjectiveMaker graph_likelihood(SumOracleMaker make_sums) {
  return [=](const FactorGraph& graph, std::span<const State> known) {
    return std::make_unique<GraphLikelihood>(graph, known, make_sums);
  };
}

// The likelihood of blocks of variables, each given all the others: composite likelihood.
//   blocks : of variables that are known, like all of their neighbours
// Throws UsageError for hidden variables.
class BlockLikelihood final : public GraphObjective {
 public:
  BlockLikelihood(const FactorGraph& graph, std::span<const State> known,
                  std::span<const std::vector<Variable>> blocks, const SumOracleMaker& make_sums);
  double evaluate(std::span<double> gradient) override;

 private:
  struct Block {
    PickedGraph part;
    std::vector<State> known;
    std::unique_ptr<SumOracle> sums;
  };
  const FactorGraph& graph_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<double> sums_;
};

// The blocks are forests: forest_parts(graph) (inference/mean_field.h), summed exactly.
GraphObjectiveMaker tree_block_likelihood();

// The surrogate likelihood that beliefs make of themselves.
//
//   L = -log ( prod_f b_f(y_f) / prod_s b_s(y_s)^(d_s - 1) )                                (GC.9)
//
// with d_s the number of factors that have variable s (Sutton & McCallum 2012, (5.28)).  Beliefs
// are a reparametrisation of the model, whatever the messages, so that this is log Z_B - theta(y)
// with log Z_B by the messages' normalisers.  At a fixed point of belief propagation that is
// Bethe's surrogate, and dL/dtheta = b - 1[y]; on trees both are the likelihood.  Stopped before,
// it is neither the free energy of its beliefs, nor is b - 1[y] more than a direction.
class BeliefProduct final : public GraphObjective {
 public:
  // Throws UsageError for hidden variables.
  BeliefProduct(const FactorGraph& graph, std::span<const State> known,
                const BeliefPropagationOptions& options = {});
  // Where a belief in what is known is too small for a number, L is Bethe's.
  double evaluate(std::span<double> gradient) override;
  bool converged() const override { return converged_; }

 private:
  const FactorGraph& graph_;
  std::span<const State> known_;
  BeliefPropagationOptions options_;
  bool converged_ = true;
};

inline GraphObjectiveMaker belief_product(const BeliefPropagationOptions& options = {}) {
  return [=](const FactorGraph& graph, std::span<const State> known) {
    return std::make_unique<BeliefProduct>(graph, known, options);
  };
}

// Likelihood by sampling: what the model draws against what is known.
//
//   d = counts(x') - counts(x),      x ~ p(. | known),  x' after k sweeps of Gibbs sampling (GC.11)
//
// From where the k sweeps start is what the methods differ in:
//   random : from anywhere; the second half of the sweeps is counted.  For k to infinity the
//   gradient
//            of the likelihood.
//   data   : from x: contrastive divergence CD-k (Hinton 2002).  The last sweep alone is counted.
//   last   : from where the chain of this graph was: persistent contrastive divergence, stochastic
//            maximum likelihood (Younes 1989; Tieleman 2008).  All sweeps are counted.
// docs/math/general_crf.md section 9
enum class ContrastStart { random, data, last };

struct ContrastOptions {
  ContrastStart start = ContrastStart::data;
  std::size_t sweeps = 1;  // k >= 1, of x'; a sweep draws each variable once, given all others
};

// x has the known states; hidden ones are drawn by k sweeps over them, which go on from where they
// were at the last draw (of a restricted Boltzmann machine one sweep is exact).  The figure is
// theta(x') - theta(x), which is 0 on average where the directions are.
// Time of a draw: k sweeps, of as many factor scores as variables' states have factors.
class GraphContrast final : public GraphDirection {
 public:
  // Throws UsageError for no sweeps.  draw() throws Error where no allowed assignment is found.
  GraphContrast(const FactorGraph& graph, std::span<const State> known,
                const ContrastOptions& options);
  ~GraphContrast() override;
  double draw(Random& random, std::span<double> out) override;
  void archive(StateArchive& state) override;

 private:
  class Sampler;
  void start_anywhere(std::span<const State> known, Random& random, std::vector<State>& x) const;

  const FactorGraph& graph_;
  std::span<const State> known_;
  ContrastOptions options_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<Variable> hidden_;
  std::vector<State> x_, chain_;  // [variables]; empty before the first draw
};

inline GraphDirectionMaker graph_contrast(const ContrastOptions& options) {
  return [=](const FactorGraph& graph, std::span<const State> known) {
    return std::make_unique<GraphContrast>(graph, known, options);
  };
}

}  // namespace croft
