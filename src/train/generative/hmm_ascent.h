// A hidden Markov model's training by the gradient, an iteration of L-BFGS in the place of an E and
// an M step.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "croft/optimize/optimizer.h"
#include "train/course/em.h"
#include "train/generative/hmm_criterion.h"

namespace croft {

class HmmAscent final : public EmSteps {
 public:
  // Keeps references; `start` is what training starts from.
  HmmAscent(HmmCriterion& criterion, const HmmParameters& start, ThreadPool& pool);

  void begin(std::size_t start) override;
  void maximise() override;
  EmValue expect() override;
  void archive(StateArchive& state) override;

  // Of the present weights; what p has of unknown values is left as it is.
  void set_probabilities(HmmParameters& p) const { criterion_.set_probabilities(w_, p); }

 private:
  HmmCriterion& criterion_;
  const HmmParameters& start_;
  ThreadPool& pool_;
  std::vector<double> w_;
  std::unique_ptr<Optimizer> method_;
};

}  // namespace croft
