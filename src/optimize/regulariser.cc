#include "croft/optimize/regulariser.h"

#include <fmt/format.h>

#include <cmath>

#include "core/vector_math.h"
#include "croft/core/error.h"

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

FreePart free_part(const Regulariser& regulariser, std::size_t begin, std::size_t size) {
  const std::size_t first = std::max<std::size_t>(regulariser.free.begin, begin);
  const std::size_t last =
      std::min<std::size_t>(regulariser.free.begin + regulariser.free.length, begin + size);
  if (first >= last) return {size, size};
  return {first - begin, last - begin};
}

double penalised_absolute(const Regulariser& regulariser, std::size_t begin,
                          std::span<const double> w) {
  const auto [from, to] = free_part(regulariser, begin, w.size());
  return sum_abs(w.first(from)) + sum_abs(w.subspan(to));
}

double penalised_square(const Regulariser& regulariser, std::size_t begin,
                        std::span<const double> w) {
  const auto [from, to] = free_part(regulariser, begin, w.size());
  return dot(w.first(from), w.first(from)) + dot(w.subspan(to), w.subspan(to));
}

double free_square(const Regulariser& regulariser, std::size_t begin, std::span<const double> w) {
  const auto [from, to] = free_part(regulariser, begin, w.size());
  const std::span<const double> part = w.subspan(from, to - from);
  return dot(part, part);
}

void add_l2_gradient(const Regulariser& regulariser, std::size_t begin, std::span<const double> w,
                     std::span<double> gradient) {
  if (regulariser.l2 == 0) return;
  const auto [from, to] = free_part(regulariser, begin, w.size());
  axpy(regulariser.l2, w.first(from), gradient.first(from));
  axpy(regulariser.l2, w.subspan(to), gradient.subspan(to));
}

void pseudo_gradient(const Regulariser& regulariser, std::size_t begin, std::span<const double> w,
                     std::span<const double> gradient, std::span<double> out) {
  const auto [from, to] = free_part(regulariser, begin, w.size());
  const double l1 = regulariser.l1;
  for (std::size_t i = 0; i < from; ++i) out[i] = pseudo_gradient(w[i], gradient[i], l1);
  for (std::size_t i = from; i < to; ++i) out[i] = gradient[i];
  for (std::size_t i = to; i < out.size(); ++i) out[i] = pseudo_gradient(w[i], gradient[i], l1);
}

void check_none_free(const Regulariser& regulariser, std::string_view method) {
  if (regulariser.free.length == 0) return;
  throw UsageError(
      fmt::format("{} penalises every weight, and {} are to be free of it; L-BFGS and the other "
                  "batch methods can leave them out",
                  method, regulariser.free.length));
}

}  // namespace croft
