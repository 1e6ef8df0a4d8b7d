// Compiled once for each SIMD target.
#include "train/boosting/tree_kernels.h"

#include "train/boosting/regression_tree_fit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/boosting/tree_kernels.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;

void add_floats(const float* row, std::size_t n, double* sum) {
  const Tag d;
  const hn::Rebind<float, Tag> f;
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    const auto value = hn::PromoteTo(d, hn::LoadU(f, row + k));
    hn::StoreU(hn::Add(hn::LoadU(d, sum + k), value), d, sum + k);
  }
}

void add_doubles(const double* from, std::size_t n, double* sum) {
  const Tag d;
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    hn::StoreU(hn::Add(hn::LoadU(d, sum + k), hn::LoadU(d, from + k)), d, sum + k);
  }
}

void subtract_doubles(const double* from, std::size_t n, double* sum) {
  const Tag d;
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    hn::StoreU(hn::Sub(hn::LoadU(d, sum + k), hn::LoadU(d, from + k)), d, sum + k);
  }
}

template <class V>
HWY_INLINE V worth(V g, V h, double l2) {
  const Tag d;
  const auto curvature = hn::Max(hn::Add(h, hn::Set(d, l2)), hn::Set(d, kLeastCurvature));
  return hn::Div(hn::Mul(g, g), curvature);
}

double score_all(const double* sums, std::size_t n, double l2) {
  const Tag d;
  auto total = hn::Zero(d);
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    total = hn::Add(total, worth(hn::LoadU(d, sums + k), hn::LoadU(d, sums + n + k), l2));
  }
  return hn::GetLane(hn::SumOfLanes(d, total));
}

double score_rest(const double* all, const double* sums, std::size_t n, double l2) {
  const Tag d;
  auto total = hn::Zero(d);
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    const auto g = hn::Sub(hn::LoadU(d, all + k), hn::LoadU(d, sums + k));
    const auto h = hn::Sub(hn::LoadU(d, all + n + k), hn::LoadU(d, sums + n + k));
    total = hn::Add(total, worth(g, h, l2));
  }
  return hn::GetLane(hn::SumOfLanes(d, total));
}

double sum_all(const double* numbers, std::size_t n) {
  const Tag d;
  auto total = hn::Zero(d);
  for (std::size_t k = 0; k < n; k += hn::Lanes(d))
    total = hn::Add(total, hn::LoadU(d, numbers + k));
  return hn::GetLane(hn::SumOfLanes(d, total));
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {
HWY_EXPORT(add_floats);
HWY_EXPORT(add_doubles);
HWY_EXPORT(subtract_doubles);
HWY_EXPORT(score_all);
HWY_EXPORT(score_rest);
HWY_EXPORT(sum_all);
}  // namespace croft

namespace croft::tree_kernels {

void add(const float* row, std::size_t n, double* sum) {
  HWY_DYNAMIC_DISPATCH(add_floats)(row, n, sum);
}
void add(const double* from, std::size_t n, double* sum) {
  HWY_DYNAMIC_DISPATCH(add_doubles)(from, n, sum);
}
void subtract(const double* from, std::size_t n, double* sum) {
  HWY_DYNAMIC_DISPATCH(subtract_doubles)(from, n, sum);
}
double score(const double* sums, std::size_t n, double l2) {
  return HWY_DYNAMIC_DISPATCH(score_all)(sums, n, l2);
}
double score_of_rest(const double* total, const double* sums, std::size_t n, double l2) {
  return HWY_DYNAMIC_DISPATCH(score_rest)(total, sums, n, l2);
}
double sum(const double* numbers, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(sum_all)(numbers, n);
}

}  // namespace croft::tree_kernels
#endif
