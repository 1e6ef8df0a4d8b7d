// Some samples evaluated at the same w, by several workers, and read in their order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/parallel.h"
#include "croft/optimize/function.h"

namespace croft {

struct EvaluatedSample {
  std::vector<Run> runs;       // of its support
  std::span<double> gradient;  // [size of the support]; not written where !active
  double value = 0;
  bool active = false;
};

class SampleBatch {
 public:
  // Needs a worker of f for each thread where `most` > 1.
  SampleBatch(SampleFunction& f, ThreadPool& pool, std::size_t most)
      : f_(f), pool_(pool), samples_(most), storage_(most) {}

  // Evaluates the samples at w.  Before that, prepare(runs) is called for each support, in order:
  // it may change w there.  Valid until the next call.
  template <class Prepare>
  std::span<const EvaluatedSample> evaluate(std::span<const std::uint32_t> which,
                                            std::span<const double> w, const Prepare& prepare) {
    if (which.size() == 1) {
      read_support(0, which[0], 0);
      prepare(samples_[0].runs);
      evaluate_one(0, which[0], w, 0);
    } else {
      pool_.run(which.size(),
                [&](std::size_t k, std::size_t worker) { read_support(k, which[k], worker); });
      for (std::size_t k = 0; k < which.size(); ++k) prepare(samples_[k].runs);
      evaluate_again(which, w);
    }
    return std::span<const EvaluatedSample>(samples_).first(which.size());
  }

  // The same samples at another w.
  std::span<const EvaluatedSample> evaluate_again(std::span<const std::uint32_t> which,
                                                  std::span<const double> w) {
    pool_.run(which.size(),
              [&](std::size_t k, std::size_t worker) { evaluate_one(k, which[k], w, worker); });
    return std::span<const EvaluatedSample>(samples_).first(which.size());
  }

 private:
  // Copied, as what f returns is valid until the worker's next call only.
  void read_support(std::size_t k, std::size_t n, std::size_t worker) {
    EvaluatedSample& sample = samples_[k];
    const std::span<const Run> runs = f_.support(n, worker);
    sample.runs.assign(runs.begin(), runs.end());
    std::size_t size = 0;
    for (const Run& run : runs) size += run.length;
    if (storage_[k].size() < size) storage_[k].resize(size);
    sample.gradient = std::span(storage_[k]).first(size);
  }
  void evaluate_one(std::size_t k, std::size_t n, std::span<const double> w, std::size_t worker) {
    const SampleFunction::Sample found = f_.evaluate_sample(n, w, samples_[k].gradient, worker);
    samples_[k].value = found.value;
    samples_[k].active = found.active;
  }

  SampleFunction& f_;
  ThreadPool& pool_;
  std::vector<EvaluatedSample> samples_;
  std::vector<AlignedVector<double>> storage_;
};

}  // namespace croft
