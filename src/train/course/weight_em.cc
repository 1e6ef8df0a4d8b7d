#include "train/course/weight_em.h"

#include <algorithm>
#include <cmath>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/optimize/regulariser.h"

namespace croft {

void check_m_steps(Method method) {
  if (method == Method::lbfgs || method == Method::owlqn) return;
  throw UsageError("--em-iterations: M steps are by --optimizer lbfgs or owlqn, not by ",
                   info(method).name);
}

bool WeightEm::iterate() {
  const std::vector<double> before(w_.begin(), w_.end());
  const Iteration kept = now_;
  step_beside();
  const StoppingRule inner{.max_iterations = steps_.iterations,
                           .tolerance = 0,
                           .gradient_tolerance = steps_.gradient_tolerance * 0.1};
  evaluations_ += optimise({.method = steps_.method,
                            .settings = steps_.settings,
                            .regulariser = steps_.regulariser,
                            .stop = inner,
                            .seed = steps_.seed,
                            .pool = steps_.pool,
                            .batch = [&]() -> BatchFunction& { return expected(); }},
                           w_, {}, nullptr)
                      .evaluations;
  take_expectations();
  now_.number = kept.number + 1;
  if (now_.objective < kept.objective) return true;
  // Q could be lowered no further, or by less than rounding makes of L.
  std::ranges::copy(before, w_.begin());
  undo_beside();
  now_ = kept;
  now_.evaluations = evaluations_;
  return false;
}

void WeightEm::archive(StateArchive& state) {
  state(w_, now_, evaluations_);
  archive_beside(state);
  if (!state.reading()) return;
  // Expectations are of w alone; taking them anew is no evaluation of the training.
  const Iteration kept = now_;
  take_expectations();
  now_ = kept;
  now_.w = w_;
  evaluations_ = kept.evaluations;
}

void WeightEm::take_expectations() {
  const std::span<const double> w(w_);
  const double data_term = expect(w, gradient_);
  ++evaluations_;
  const Regulariser& r = steps_.regulariser;
  add_l2_gradient(r, w, gradient_);
  if (r.l1 > 0) pseudo_gradient(r, 0, w, gradient_, gradient_);
  now_.objective = data_term + penalty(r, penalised_absolute(r, 0, w), penalised_square(r, 0, w));
  now_.gradient_norm = std::sqrt(dot(gradient_, gradient_));
  now_.weight_norm = std::sqrt(dot(w, w));
  now_.active = count_nonzero(w);
  now_.evaluations = evaluations_;
  now_.step = 1;
  now_.w = w_;
}

}  // namespace croft
