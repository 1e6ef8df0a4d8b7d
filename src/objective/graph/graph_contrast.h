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
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "objective/graph/graph_direction.h"

namespace croft {

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
