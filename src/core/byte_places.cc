#include "core/byte_places.h"

#include <bit>

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/byte_places.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `out` has room for `size` numbers.  Returns how many were written.
std::size_t places_of(const char* text, std::size_t size, char a, char b, std::uint16_t* out) {
  const hn::CappedTag<std::uint8_t, 64> d;  // a mask of as many bits as a word has
  const std::size_t lanes = hn::Lanes(d);
  const auto first = hn::Set(d, static_cast<std::uint8_t>(a));
  const auto second = hn::Set(d, static_cast<std::uint8_t>(b));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text);
  std::size_t count = 0;
  // The places from `begin` on in the vector at `at`.
  const auto look = [&](std::size_t at, std::size_t begin) HWY_ATTR {
    const auto v = hn::LoadU(d, bytes + at);
    std::uint64_t word = 0;
    hn::StoreMaskBits(d, hn::Or(hn::Eq(v, first), hn::Eq(v, second)),
                      reinterpret_cast<std::uint8_t*>(&word));
    for (word = word >> (begin - at) << (begin - at); word != 0; word &= word - 1) {
      out[count++] =
          static_cast<std::uint16_t>(at + static_cast<std::size_t>(std::countr_zero(word)));
    }
  };
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) look(i, i);
  if (i == size) return count;
  if (size >= lanes) {  // the last vector overlaps the one before it
    look(size - lanes, i);
    return count;
  }
  for (; i < size; ++i) {
    if (text[i] == a || text[i] == b) out[count++] = static_cast<std::uint16_t>(i);
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(places_of);

std::size_t find_bytes(std::string_view text, char a, char b, std::uint16_t* out) {
  return HWY_DYNAMIC_DISPATCH(places_of)(text.data(), text.size(), a, b, out);
}

}  // namespace croft
#endif
