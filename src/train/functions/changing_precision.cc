#include "train/functions/changing_precision.h"

namespace croft {

double ChangingPrecision::evaluate(std::span<const double> w, std::span<double> gradient) {
  choose();
  return now_->evaluate(w, gradient);
}

double ChangingPrecision::evaluate(std::span<const double> w, std::span<double> gradient,
                                   std::size_t first, Matrix<float>& d_state) {
  choose();
  return now_->evaluate(w, gradient, first, d_state);
}

// By the last evaluation: its count depends on the weights and no number of threads.
void ChangingPrecision::choose() {
  if (!wide_ || now_->slow_share() <= kMostSlow) return;
  widen();
}

bool ChangingPrecision::refine() {
  if (is_wide()) return false;
  widen();
  return true;
}

void ChangingPrecision::widen() {
  now_.reset();  // two at a time would take more memory
  now_ = wide_();
  wide_ = nullptr;
}

void ChangingPrecision::archive(StateArchive& state) {
  bool wide = is_wide();
  state(wide);
  if (wide && !is_wide()) widen();
  now_->archive(state);
}

}  // namespace croft
