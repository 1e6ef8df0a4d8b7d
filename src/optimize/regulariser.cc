#include "croft/optimize/regulariser.h"

#include <fmt/format.h>

#include <cmath>

#include "croft/core/error.h"
#include "croft/core/vector_math.h"

namespace croft {

void Regulariser::validate() const {
  const auto check = [](const char* name, double value) {
    if (!(value >= 0) || std::isinf(value)) {
      throw UsageError(fmt::format("{} is {}; it must be a finite number >= 0", name, value));
    }
  };
  check("l1", l1);
  check("l2", l2);
}

void add_l2_gradient(const Regulariser& regulariser, std::span<const double> w,
                     std::span<double> gradient) {
  if (regulariser.l2 != 0) axpy(regulariser.l2, w, gradient);
}

void pseudo_gradient(std::span<const double> w, std::span<const double> gradient, double l1,
                     std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = pseudo_gradient(w[i], gradient[i], l1);
}

}  // namespace croft
