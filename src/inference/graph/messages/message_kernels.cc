// Compiled once for each SIMD target.
#include "inference/graph/messages/message_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/graph/messages/message_kernels.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void product(const double* HWY_RESTRICT own, const double* HWY_RESTRICT messages, std::size_t slots,
             std::size_t skip, std::size_t states, double* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t x = 0;
  const auto at = [&](std::size_t slot) { return messages + slot * states; };
  for (; x + lanes <= states; x += lanes) {
    auto all = hn::LoadU(d, own + x);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (slot != skip) all = hn::Mul(all, hn::LoadU(d, at(slot) + x));
    }
    hn::StoreU(all, d, out + x);
  }
  for (; x < states; ++x) {
    double all = own[x];
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if (slot != skip) all *= at(slot)[x];
    }
    out[x] = all;
  }
}

double scale(double* HWY_RESTRICT numbers, std::size_t states, double smallest, bool& low) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  auto highs = hn::Zero(d);
  std::size_t x = 0;
  for (; x + lanes <= states; x += lanes) highs = hn::Max(highs, hn::LoadU(d, numbers + x));
  double high = hn::GetLane(hn::MaxOfLanes(d, highs));
  for (; x < states; ++x) high = numbers[x] > high ? numbers[x] : high;
  if (high == 0) return 0;
  const double factor = 1 / high;
  const auto factors = hn::Set(d, factor);
  auto lows = hn::Set(d, 1.0);  // of those that are not 0
  for (x = 0; x + lanes <= states; x += lanes) {
    const auto scaled = hn::Mul(hn::LoadU(d, numbers + x), factors);
    lows = hn::Min(lows, hn::IfThenElse(hn::Gt(scaled, hn::Zero(d)), scaled, lows));
    hn::StoreU(scaled, d, numbers + x);
  }
  bool any = hn::GetLane(hn::MinOfLanes(d, lows)) < smallest;
  for (; x < states; ++x) {
    numbers[x] *= factor;
    any |= (numbers[x] < smallest) & (numbers[x] > 0);
  }
  if (any) low = true;
  return high;
}

double difference(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, std::size_t states) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  auto highs = hn::Zero(d);
  std::size_t x = 0;
  for (; x + lanes <= states; x += lanes) {
    highs = hn::Max(highs, hn::Abs(hn::Sub(hn::LoadU(d, a + x), hn::LoadU(d, b + x))));
  }
  double high = hn::GetLane(hn::MaxOfLanes(d, highs));
  for (; x < states; ++x) {
    const double each = a[x] > b[x] ? a[x] - b[x] : b[x] - a[x];
    high = each > high ? each : high;
  }
  return high;
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(product);
HWY_EXPORT(scale);
HWY_EXPORT(difference);

void product_of_messages(const double* own, const double* messages, std::size_t slots,
                         std::size_t skip, std::size_t states, double* out) {
  HWY_DYNAMIC_DISPATCH(product)(own, messages, slots, skip, states, out);
}
double scale_message(double* numbers, std::size_t states, double smallest, bool& low) {
  return HWY_DYNAMIC_DISPATCH(scale)(numbers, states, smallest, low);
}
double largest_difference(const double* a, const double* b, std::size_t states) {
  return HWY_DYNAMIC_DISPATCH(difference)(a, b, states);
}

}  // namespace croft
#endif
