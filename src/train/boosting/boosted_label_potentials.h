// The likelihood of labels that stand by themselves, and its derivatives by their scores: what
// PotentialFunction computes of sequences of one position, without the sequences.
// docs/math/boosting.md (TB.2), (TB.3).
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "croft/core/parallel.h"
#include "features/chain_data.h"
#include "train/boosting/boosted_potentials.h"

namespace croft {

// In double.  An exponential a position and label.
class LabelPotentialFunction final : public PotentialObjective {
 public:
  // Keeps references.  Labels of the data are below `labels`; sequences have one position each.
  //   width : as PotentialGradient has it
  LabelPotentialFunction(const ChainData& data, std::size_t labels, std::size_t width,
                         ThreadPool& pool);
  using PotentialObjective::evaluate;
  double evaluate(const Potentials& potentials, PotentialGradient::Part part,
                  PotentialGradient& out) override;

 private:
  struct Worker {
    std::vector<double> expected, known;  // [L] probabilities, and those given what is known
    double value = 0;
  };
  double evaluate_position(std::size_t p, std::span<const double> score, Worker& worker,
                           PotentialGradient& out) const;

  const ChainData& data_;
  std::size_t labels_, width_;
  ThreadPool& pool_;
  std::vector<Worker> workers_;
};

}  // namespace croft
