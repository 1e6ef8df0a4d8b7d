#include "optimize/stochastic/perceptron.h"

#include <fmt/format.h>

#include <vector>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "optimize/stochastic/averaged_weights.h"
#include "optimize/stochastic/pass_method.h"
#include "optimize/stochastic/sample_order.h"

namespace croft {
namespace {

// (SG.20); with `votes` also a list of what w was.
class Perceptron final : public PassMethod {
 public:
  Perceptron(SampleFunction& f, std::span<double> w, const PerceptronOptions& options,
             VotedPerceptron* votes)
      : PassMethod(f, w),
        f_(f),
        options_(options),
        gradient_(f.dimension()),
        weights_(w, options.kind == PerceptronKind::averaged),
        votes_(votes) {
    if (votes_ == nullptr) return;
    *votes_ = {};
    votes_->start.assign(w.begin(), w.end());
    votes_->votes.assign(1, 0);
  }

 private:
  PassFigures run(std::size_t pass) override {
    PassFigures figures{.step = options_.step};
    draw_order(options_.seed, pass, f_.samples(), order_);
    for (const std::uint32_t n : order_) {
      const auto sample = f_.evaluate_sparse(n, weights_.current(), gradient_, 0);
      figures.losses += sample.value;
      if (sample.active) {
        weights_.add(-options_.step, gradient_);
        figures.squared_updates += options_.step * options_.step * gradient_.squared_norm();
        if (votes_ != nullptr) keep_update();
      }
      weights_.end_sample();
      if (votes_ != nullptr) ++votes_->votes.back();
    }
    weights_.publish();
    return figures;
  }

  void keep_update() {
    for (const auto& [k, g] : gradient_.entries()) {
      if (g == 0) continue;
      votes_->coordinate.push_back(k);
      votes_->change.push_back(-options_.step * g);
    }
    votes_->update_end.push_back(votes_->change.size());
    votes_->votes.push_back(0);
  }

  void archive_method(StateArchive& state) override {
    state(weights_);
    if (votes_ != nullptr) state(*votes_);
  }

  SampleFunction& f_;
  const PerceptronOptions& options_;
  SparseVector gradient_;
  AveragedWeights weights_;
  VotedPerceptron* votes_;
  std::vector<std::uint32_t> order_;
};

// (SG.22)
class PassAveragePerceptron final : public PassMethod {
 public:
  PassAveragePerceptron(SampleFunction& f, std::span<double> w, const PerceptronOptions& options)
      : PassMethod(f, w), f_(f), step_(options.step), w_(w), gradient_(w.size()) {}

 private:
  PassFigures run(std::size_t) override {
    PassFigures figures{.step = step_ / static_cast<double>(f_.samples())};
    figures.losses = f_.evaluate(w_, gradient_);
    figures.squared_updates = figures.step * figures.step * dot(gradient_, gradient_);
    axpy(-figures.step, gradient_, w_);
    return figures;
  }
  void archive_method(StateArchive&) override {}

  SampleFunction& f_;
  const double step_;
  std::span<double> w_;
  std::vector<double> gradient_;
};

void check(const SampleFunction& f, const Regulariser& regulariser, std::span<const double> w,
           const PerceptronOptions& options) {
  options.validate();
  check_no_penalty(regulariser, "the perceptron");
  check_samples(f, w);
}

}  // namespace

std::string_view perceptron_kind_name(PerceptronKind kind) {
  switch (kind) {
    case PerceptronKind::plain:
      return "plain";
    case PerceptronKind::averaged:
      return "averaged";
    case PerceptronKind::pass_average:
      break;
  }
  return "pass_average";
}

void PerceptronOptions::validate() const {
  check_positive("step", step);
  stop.validate();
}

void VotedPerceptron::archive(StateArchive& state) {
  state(start);
  state(update_end);
  state(coordinate);
  state(change);
  state(votes);
}

OptimizeResult perceptron(SampleFunction& f, const Regulariser& regulariser, std::span<double> w,
                          const PerceptronOptions& options, const IterationCallback& callback,
                          Checkpointer* checkpoints) {
  check(f, regulariser, w, options);
  if (options.kind == PerceptronKind::pass_average) {
    PassAveragePerceptron run(f, w, options);
    return minimize(run, options.stop, callback, checkpoints);
  }
  Perceptron run(f, w, options, nullptr);
  return minimize(run, options.stop, callback, checkpoints);
}

OptimizeResult voted_perceptron(SampleFunction& f, const Regulariser& regulariser,
                                std::span<double> w, const PerceptronOptions& options,
                                VotedPerceptron& result, const IterationCallback& callback,
                                Checkpointer* checkpoints) {
  check(f, regulariser, w, options);
  if (options.kind != PerceptronKind::plain) {
    throw UsageError(
        fmt::format("kind is {}; the weights that vote are those of the plain "
                    "perceptron: kind must be plain",
                    perceptron_kind_name(options.kind)));
  }
  Perceptron run(f, w, options, &result);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
