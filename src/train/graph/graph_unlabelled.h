// The data term of a general CRF's training beside data without labels.
//
//   F(w) = f(w) + h H(w) + g G(w) + p P(w) docs/math/unlabelled.md
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/functions/unlabelled_function.h"
#include "train/graph/graph_log_partition.h"
#include "train/weight_prior.h"

namespace croft {

// Data without labels, with rows of the training's data.
struct UnlabelledGraphs {
  std::vector<GraphInstance> instances;  // each with a hidden variable
  UnlabelledTerms terms;
};

class GraphWithUnlabelled final : public BatchFunction {
 public:
  // Keeps references.
  //   prior : null, or whose variables this function is of; `labelled` is of weights
  GraphWithUnlabelled(BatchFunction& labelled, GraphLogPartition& log_partition,
                      const UnlabelledTerms& terms, const WeightPrior* prior)
      : f_(labelled), part_(log_partition, terms), prior_(prior) {}

  std::size_t dimension() const override { return f_.dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override;
  std::string warning() const { return part_.warning(); }
  void archive(StateArchive& state) override {
    f_.archive(state);
    part_.archive(state);
  }

 private:
  BatchFunction& f_;
  UnlabelledPart part_;
  const WeightPrior* prior_;
  std::vector<double> weights_;  // with a prior
};

// The instances that have a hidden variable, as they are.
std::vector<GraphInstance> with_hidden(std::span<const GraphInstance> instances);
// Throws UsageError for templates whose cliques score something that is not trained: the entropy is
// that of weights times counts.
void check_entropy(const CliqueSchema& schema);

}  // namespace croft
