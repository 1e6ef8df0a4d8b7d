// What the methods that go from sample to sample have in common: an iteration is a pass.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "croft/core/ranks.h"
#include "croft/optimize/function.h"
#include "croft/optimize/optimizer.h"
#include "optimize/checks.h"

namespace croft {

// What a pass over the samples came to.
struct PassFigures {
  double losses = 0;           // sum of f_n(w), each at the w that the sample met
  double squared_updates = 0;  // sum of |change of w|^2 over the samples; online methods only
  double step = 0;             // of the pass's end, for Iteration
};

class PassMethod : public Optimizer {
 public:
  const Iteration& now() const final { return now_; }
  // One pass.  False, with w as it was before, where the pass ran to infinity.
  bool iterate() final;
  std::string_view stuck() const final;
  void archive(StateArchive& state) final;

 protected:
  // A method that minimises F: what it reports is F and its gradient after every `exact_every`-th
  // pass (between two of them: the last), or where that is 0 the losses met and the move of w.
  // Evaluates f at w.  Both throw UsageError where w has not f.dimension() numbers, or there is no
  // sample.
  PassMethod(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
             std::size_t exact_every);
  // An online method: it reports the losses met and |updates|.  Evaluates all samples at w.
  //   ranks : processes that have other samples: what is reported is of all
  PassMethod(SampleFunction& f, std::span<double> w, Ranks& ranks = no_other_ranks());

  // Goes through the samples; w is then what a model is made of.
  //   pass : counts from 1
  virtual PassFigures run(std::size_t pass) = 0;
  virtual void archive_method(StateArchive& state) = 0;  // all that run() depends on but w

  // From the figures of this process's samples to those of all.
  PassFigures of_all(PassFigures here) const;

  SampleFunction& f_;
  const Regulariser regulariser_;
  std::span<double> w_;
  Ranks& ranks_;
  std::vector<std::uint32_t> order_;  // of the samples, in a pass

 private:
  void measure_exactly();
  void measure_samples();
  void measure_weights();
  bool finite() const;

  const bool online_;
  const std::size_t exact_every_;
  std::vector<double> before_, gradient_;
  Iteration now_;
};

// Throws UsageError where a method cannot take this penalty.
//   method : as in "… cannot minimise"
void check_no_l1(const Regulariser& regulariser, std::string_view method);
void check_no_penalty(const Regulariser& regulariser, std::string_view method);
// Throws UsageError where more than `workers` may call f at once.
void check_workers(const SampleFunction& f, std::size_t workers);

// Sum of f_n(w) over some samples, plus their share of R(w): an estimate of F to compare steps by.
double sample_objective(SampleFunction& f, const Regulariser& regulariser,
                        std::span<const std::uint32_t> samples, std::span<const double> w);

}  // namespace croft
