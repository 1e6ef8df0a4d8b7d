#include "croft/optimize/arow.h"

#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/vector_math.h"
#include "optimize/pass_method.h"
#include "optimize/sample_layout.h"
#include "optimize/sample_order.h"

namespace croft {
namespace {

class Arow final : public PassMethod {
 public:
  Arow(SampleFunction& f, std::span<double> w, const ArowOptions& options)
      : PassMethod(f, w),
        f_(f),
        options_(options),
        w_(w),
        layout_(f),
        gradient_(layout_.largest()),
        spread_(layout_.largest()),
        variance_(w.size(), options.variance) {}

 private:
  PassFigures run(std::size_t pass) override {
    PassFigures figures;
    draw_order(options_.seed, pass, f_.samples(), order_);
    for (const std::uint32_t n : order_) {
      const std::span<double> g = std::span(gradient_).first(layout_.support_size(n));
      const SampleFunction::Sample sample = f_.evaluate_sample(n, w_, g, 0);
      figures.losses += sample.value;
      if (!sample.active || !(sample.value > 0)) continue;
      const std::span<const Run> runs = f_.support(n, 0);
      figures.step = sample.value / (options_.gamma + set_spread(runs, g));
      figures.squared_updates += update(runs, figures.step, g);
    }
    return figures;
  }

  // Gathers S g, and returns g' S g.
  double set_spread(std::span<const Run> runs, std::span<const double> g) {
    for_runs(runs, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
      const double* variance = variance_.data() + begin;
      double* spread = spread_.data() + at;
      for (std::size_t k = 0; k < length; ++k) spread[k] = variance[k] * g[at + k];
    });
    return dot(std::span<const double>(spread_).first(g.size()), g);
  }

  // (SG.26).  Returns |change of w|^2.
  double update(std::span<const Run> runs, double step, std::span<const double> g) {
    const double inverse = 1 / options_.gamma;
    for_runs(runs, [&](std::uint64_t begin, std::uint32_t length, std::size_t at) {
      double* w = w_.data() + begin;
      double* variance = variance_.data() + begin;
      const double* spread = spread_.data() + at;
      for (std::size_t k = 0; k < length; ++k) {
        w[k] -= step * spread[k];
        variance[k] /= 1 + inverse * spread[k] * g[at + k];
      }
    });
    const auto moved = std::span<const double>(spread_).first(g.size());
    return step * step * dot(moved, moved);
  }

  void archive_method(StateArchive& state) override { state(variance_); }

  SampleFunction& f_;
  const ArowOptions& options_;
  std::span<double> w_;
  SampleLayout layout_;
  AlignedVector<double> gradient_, spread_;  // of one sample: g, S g
  std::vector<double> variance_;             // the diagonal of S
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
