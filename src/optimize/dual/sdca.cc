#include "optimize/dual/dual_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "optimize/dual/dual_variables.h"
#include "optimize/stochastic/weight_tree.h"

namespace croft {
namespace {

// Of the line search, whose argument is the step g, from 0 to 1.
constexpr double kLeastTrial = 0.01;
constexpr std::size_t kMaxTrials = 12;
constexpr double kPrecision = 1e-2;  // relative; more does not pay: the next step corrects it

// mu is kept in Storage.
template <class Storage>
class Sdca final : public DualMethod {
 public:
  Sdca(DualProblem& problem, const SdcaOptions& options)
      : DualMethod(problem),
        options_(options),
        mu_(problem),
        entropy_(problem.samples()),
        gaps_(problem.samples()),
        delta_(most_parts(problem)) {
    std::vector<double> wide(most_parts(problem));
    for (std::size_t n = 0; n < problem.samples(); ++n) {
      const std::span<double> gold = std::span(wide).first(mu_[n].size());
      problem.gold(n, gold);
      std::ranges::transform(gold, mu_[n].begin(),
                             [](double p) { return static_cast<Storage>(p); });
    }
    evaluate(0);
  }

  bool iterate() override {
    const std::size_t pass = now_.number + 1;
    Random random = random_of_pass(options_.seed, pass);
    steps_ = 0;
    for (std::size_t k = 0; k < options_.passes * problem_.samples(); ++k) step(draw(random));
    evaluate(pass);
    return true;
  }

  void archive_method(StateArchive& state) override { state(mu_, entropy_, gaps_); }

 private:
  std::size_t draw(Random& random) const {
    const bool uniform = random.uniform() < options_.uniform || !(gaps_.total() > 0);
    return uniform ? static_cast<std::size_t>(random.below(problem_.samples()))
                   : gaps_.find(random.uniform() * gaps_.total());
  }

  // mu_n <- (1 - g) mu_n + g p(.|x_n; w) (D.8), with the best g.
  void step(std::size_t n) {
    const std::span<Storage> mu = mu_[n];
    const std::span<Storage> delta = std::span(delta_).first(mu.size());
    const double c = problem_.weight(n);
    const LogLossView view = problem_.look(n, mu, delta);
    const double gap = view.log_partition - entropy_[n] - view.expected;
    const double length = c / problem_.l2() * problem_.aim(n, std::span<const Storage>(delta));
    if (!(gap > 0)) {
      gaps_.set(n, 0);
      return;
    }
    const double g = search(n, delta, view.slope, length, gap);
    problem_.move(-c / problem_.l2() * g);
    for (std::size_t k = 0; k < mu.size(); ++k) mu[k] += static_cast<Storage>(g) * delta[k];
    steps_ += g;
    // About what is left: as if w had stood still, of which another sum would tell the rest.
    gaps_.set(n, c * gap * (1 - g) * (1 - g));
  }

  // The g of the largest  H(mu + g delta) + g slope - g^2 length / 2  (D.9); sets the entropy
  // there. At g = 0 it rises, at g = 1 it falls.  Near g = 0 its slope is about 2 gap - g (2 gap +
  // length), where the search begins.
  double search(std::size_t n, std::span<const Storage> delta, double slope, double length,
                double gap) {
    double low = 0, high = 1, g = 1;  // 1 where w does not depend on n
    if (length > 0) g = std::clamp(2 * gap / (2 * gap + length), kLeastTrial, 1 - kLeastTrial);
    for (std::size_t k = 1;; ++k) {
      const EntropyPoint h = problem_.entropy(n, std::span<const Storage>(mu_[n]), delta, g);
      entropy_[n] = h.value;
      const double rise = h.slope + slope - g * length;
      (rise > 0 ? low : high) = g;
      double next = g - rise / (h.curvature - length);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (k == kMaxTrials || g == 1 || std::abs(next - g) <= kPrecision * g) return g;
      g = next;
    }
  }

  void evaluate(std::size_t number) {
    DualValue value;
    for (std::size_t n = 0; n < problem_.samples(); ++n) {
      const std::span<Storage> mu = mu_[n];
      const LogLossView view = problem_.look(n, mu, std::span(delta_).first(mu.size()));
      const ExampleValue at = {
          .loss = std::max(0.0, view.log_partition - view.gold),
          .gap = std::max(0.0, view.log_partition - entropy_[n] - view.expected)};
      gaps_.set(n, problem_.weight(n) * at.gap);
      value.add(problem_.weight(n), at, at.gap);
    }
    const double steps = steps_ / static_cast<double>(options_.passes * problem_.samples());
    now_ = value.at(problem_, number, (options_.passes + 1) * number + 1, steps);
  }

  const SdcaOptions& options_;
  PartVectors<Storage> mu_;
  std::vector<double> entropy_;  // of mu
  WeightTree gaps_;
  std::vector<Storage> delta_;  // scratch
  double steps_ = 0;            // sum of g in this iteration
};

}  // namespace

void SdcaOptions::validate() const {
  if (!(uniform >= 0 && uniform <= 1)) {
    throw UsageError(fmt::format("uniform is {}; it must be from 0 to 1", uniform));
  }
  check_at_least_one("passes", passes);
  stop.validate();
}

OptimizeResult sdca(DualProblem& problem, const SdcaOptions& options,
                    const IterationCallback& callback, Checkpointer* checkpoints) {
  options.validate();
  check_loss(problem, DualLoss::log_loss, "SDCA");
  check_exact_parts(problem, "SDCA");
  if (all_parts(problem) > SdcaOptions::kManyParts) {
    Sdca<float> run(problem, options);
    return minimize(run, options.stop, callback, checkpoints);
  }
  Sdca<double> run(problem, options);
  return minimize(run, options.stop, callback, checkpoints);
}

}  // namespace croft
