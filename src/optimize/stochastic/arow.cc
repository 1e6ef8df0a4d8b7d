#include "optimize/stochastic/arow.h"

#include <vector>

#include "optimize/stochastic/pass_method.h"
#include "optimize/stochastic/sample_order.h"

namespace croft {
namespace {

class Arow final : public PassMethod {
 public:
  Arow(SampleFunction& f, std::span<double> w, const ArowOptions& options)
      : PassMethod(f, w),
        f_(f),
        options_(options),
        w_(w),
        gradient_(f.dimension()),
        variance_(w.size(), options.variance) {}

 private:
  PassFigures run(std::size_t pass) override {
    PassFigures figures;
    draw_order(options_.seed, pass, f_.samples(), order_);
    for (const std::uint32_t n : order_) {
      const SampleFunction::Sample sample = f_.evaluate_sparse(n, w_, gradient_, 0);
      figures.losses += sample.value;
      if (!sample.active || !(sample.value > 0)) continue;
      figures.step = sample.value / (options_.gamma + spread());
      figures.squared_updates += update(figures.step);
    }
    return figures;
  }

  // g' S g
  double spread() const {
    double sum = 0;
    for (const auto& [k, g] : gradient_.entries()) sum += variance_[k] * g * g;
    return sum;
  }

  // (SG.26).  Returns |change of w|^2.
  double update(double step) {
    const double inverse = 1 / options_.gamma;
    double squared = 0;
    for (const auto& [k, g] : gradient_.entries()) {
      const double spread = variance_[k] * g;
      w_[k] -= step * spread;
      variance_[k] /= 1 + inverse * spread * g;
      squared += spread * spread;
    }
    return step * step * squared;
  }

  void archive_method(StateArchive& state) override { state(variance_); }

  SampleFunction& f_;
  const ArowOptions& options_;
  std::span<double> w_;
  SparseVector gradient_;         // of one sample: g
  std::vector<double> variance_;  // the diagonal of S
  std::vector<std::uint32_t> order_;
};

}  // namespace

void ArowOptions::validate() const {
  check_positive("variance", variance);
  check_positive("gamma", gamma);
  stop.validate();
}

OptimizeResult arow(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                    const ArowOptions& options, const IterationCallback& callback,
                    Checkpointer* checkpoints) {
  options.validate();
  check_no_penalty(regulariser, "AROW");
  check_samples(f, w);
  Arow run(f, w, options);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
