#include "optimize/stochastic/sample_methods.h"

#include <algorithm>
#include <vector>

#include "core/vector_math.h"
#include "optimize/checks.h"
#include "optimize/stochastic/sample_layout.h"

namespace croft {
namespace {

// Directions in the place of gradients, figures in the place of losses.  Nobody else may see it:
// what is drawn is new at every call.
class DrawnSamples final : public SampleFunction {
 public:
  DrawnSamples(DirectionFunction& f, std::uint64_t seed)
      : f_(f), seed_(Random(seed).next()), turn_(f.samples(), 0) {}

  std::size_t dimension() const override { return f_.dimension(); }
  std::size_t samples() const override { return f_.samples(); }
  std::size_t workers() const override { return f_.workers(); }
  std::span<const Run> support(std::size_t n, std::size_t worker) override {
    return f_.support(n, worker);
  }
  Sample evaluate_sample(std::size_t n, std::span<const double> w, std::span<double> gradient,
                         std::size_t worker) override {
    Random random = random_of(n, turn_[n]++);
    const DirectionFunction::Drawn drawn = f_.draw(n, w, random, gradient, worker);
    return {drawn.figure, drawn.active};
  }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    std::ranges::fill(gradient, 0.0);
    double figures = 0;
    for (std::size_t n = 0; n < samples(); ++n) {
      figures += draw(n, w, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
        for (std::size_t k = 0; k < length; ++k) gradient[begin + k] += direction_[at + k];
      });
    }
    return figures;
  }
  void archive(StateArchive& state) override {
    state(turn_);
    f_.archive(state);
  }

  double mean_square(std::span<const double> w, std::size_t most) {
    const std::size_t count = std::min(most, samples());
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      // Spread over all of them.
      draw(k * samples() / count, w, [&](std::uint64_t, std::uint32_t length, std::size_t at) {
        const auto part = std::span<const double>(direction_).subspan(at, length);
        sum += dot(part, part);
      });
    }
    return sum / static_cast<double>(count);
  }

 private:
  Random random_of(std::size_t n, std::uint64_t turn) const {
    return Random(Random(seed_ + n).next() + turn);
  }
  // visit(begin, length, at) the runs of what is drawn, if anything is.
  template <class Visit>
  double draw(std::size_t n, std::span<const double> w, const Visit& visit) {
    const std::span<const Run> found = f_.support(n, 0);
    runs_.assign(found.begin(), found.end());
    std::size_t size = 0;
    for (const Run& run : runs_) size += run.length;
    if (direction_.size() < size) direction_.resize(size);
    const Sample sample = evaluate_sample(n, w, std::span(direction_).first(size), 0);
    if (sample.active) for_runs(runs_, visit);
    return sample.value;
  }

  DirectionFunction& f_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> turn_;  // [samples] how often each was drawn
  std::vector<Run> runs_;
  std::vector<double> direction_;
};

SgdOptions steps_of(const StochasticApproximationOptions& options) {
  SgdOptions steps;
  steps.schedule = options.schedule;
  steps.step = options.step;
  steps.decay = options.decay;
  steps.batch = options.batch;
  steps.average_from = options.average_from;
  steps.average_power = 0;  // directions are mostly noise, which all iterates average best
  steps.exact_every = 0;
  steps.seed = options.seed;
  steps.stop = options.stop;
  return steps;
}

}  // namespace

void StochasticApproximationOptions::validate() const {
  steps_of(*this).validate();
  check_at_least_one("calibration_samples", calibration_samples);
}

OptimizeResult stochastic_approximation(DirectionFunction& f, const Regulariser& regulariser,
                                        std::span<double> w,
                                        const StochasticApproximationOptions& options,
                                        ThreadPool& pool, const IterationCallback& callback,
                                        Checkpointer* checkpoints) {
  options.validate();
  DrawnSamples samples(f, options.seed);
  SgdOptions steps = steps_of(options);
  if (!steps.step && f.samples() > 0 && w.size() == f.dimension()) {
    const double square = samples.mean_square(w, options.calibration_samples);
    steps.step = square > 0 ? 1 / (static_cast<double>(options.batch) * square) : 1.0;
  }
  return sgd(samples, regulariser, w, steps, pool, callback, checkpoints);
}

}  // namespace croft
