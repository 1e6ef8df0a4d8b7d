#include "inference/graph/sampling/gibbs_kernels.h"

#include <cstring>

#include "croft/core/random.h"

// The part up to HWY_ONCE is compiled once for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/graph/sampling/gibbs_kernels.cc"
#include "hwy/foreach_target.h"  // must precede highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int k, class V>
HWY_INLINE V rotate_left(V v) {
  return hn::Or(hn::ShiftLeft<k>(v), hn::ShiftRight<64 - k>(v));
}

void fill(StreamStates& streams, std::uint32_t* out, std::size_t count) {
  const hn::CappedTag<std::uint64_t, kRandomStreams> d;
  const auto two_numbers = hn::Set(d, 0x7fffffff7fffffffu);
  std::uint64_t lane[kRandomStreams];
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t part = 0; part < kRandomStreams; part += lanes) {
    auto s0 = hn::LoadU(d, &streams[0][part]), s1 = hn::LoadU(d, &streams[1][part]);
    auto s2 = hn::LoadU(d, &streams[2][part]), s3 = hn::LoadU(d, &streams[3][part]);
    for (std::size_t i = 0; i < count; i += 2 * kRandomStreams) {
      const auto drawn = hn::Add(rotate_left<23>(hn::Add(s0, s3)), s0);
      const auto t = hn::ShiftLeft<17>(s1);
      s2 = hn::Xor(s2, s0);
      s3 = hn::Xor(s3, s1);
      s1 = hn::Xor(s1, s2);
      s0 = hn::Xor(s0, s3);
      s2 = hn::Xor(s2, t);
      s3 = rotate_left<45>(s3);
      hn::StoreU(hn::And(hn::ShiftRight<1>(drawn), two_numbers), d, lane);
      std::memcpy(out + i + 2 * part, lane, lanes * sizeof(std::uint64_t));
    }
    hn::StoreU(s0, d, &streams[0][part]);
    hn::StoreU(s1, d, &streams[1][part]);
    hn::StoreU(s2, d, &streams[2][part]);
    hn::StoreU(s3, d, &streams[3][part]);
  }
}

// Site i and as many after it as a vector of at most kLanes has.
template <std::size_t kLanes>
HWY_INLINE std::size_t update_vectors(const GibbsRun& run, const RunArrays& a, std::size_t i,
                                      const std::uint32_t* random, std::uint32_t* x) {
  const hn::CappedTag<std::uint32_t, kLanes> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d), count = run.count;
  for (; i + lanes <= count; i += lanes) {
    auto row = hn::LoadU(d, a.table + i);
    for (std::size_t k = 0; k < run.neighbours; ++k) {
      const auto other =
          run.side_by_side
              ? hn::LoadU(d, x + a.neighbour[k] + i)
              : hn::GatherIndex(d, x, hn::BitCast(di, hn::LoadU(d, a.neighbour + k * count + i)));
      row = hn::Add(row, hn::Mul(other, hn::Set(d, a.stride[k])));
    }
    const auto drawn = hn::LoadU(d, random + i);
    const auto one = hn::Set(d, 1u);
    auto state = hn::Set(d, run.states - 1);
    for (std::uint32_t t = 0; t + 1 < run.states; ++t) {
      const auto threshold =
          hn::GatherIndex(d, a.thresholds, hn::BitCast(di, hn::Add(row, hn::Set(d, t))));
      state = hn::Sub(state, hn::IfThenElseZero(hn::Lt(drawn, threshold), one));
    }
    hn::StoreU(state, d, x + run.first + i);
  }
  return i;
}

void update(const GibbsRun& run, const RunArrays& a, const std::uint32_t* random,
            std::uint32_t* x) {
  std::size_t i = update_vectors<16>(run, a, 0, random, x);
  i = update_vectors<8>(run, a, i, random, x);
  i = update_vectors<4>(run, a, i, random, x);
  for (; i < run.count; ++i) {
    std::uint32_t row = a.table[i];
    for (std::size_t k = 0; k < run.neighbours; ++k) {
      const std::uint32_t at = run.side_by_side ? a.neighbour[k] + static_cast<std::uint32_t>(i)
                                                : a.neighbour[k * run.count + i];
      row += a.stride[k] * x[at];
    }
    std::uint32_t state = 0;
    for (std::uint32_t s = 0; s + 1 < run.states; ++s) {
      state += random[i] >= a.thresholds[row + s] ? 1 : 0;
    }
    x[run.first + i] = state;
  }
}

void add(const std::uint32_t* x, std::size_t count, std::uint32_t* sum) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += x[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {

HWY_EXPORT(fill);
HWY_EXPORT(update);
HWY_EXPORT(add);

StreamStates seeded_streams(std::uint64_t seed) {
  StreamStates streams;
  Random random(seed);
  for (auto& word : streams) {
    for (std::uint64_t& stream : word) stream = random.next();
  }
  return streams;
}

void fill_random(StreamStates& streams, std::uint32_t* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(fill)(streams, out, count);
}
void update_run(const GibbsRun& run, const RunArrays& arrays, const std::uint32_t* random,
                std::uint32_t* x) {
  HWY_DYNAMIC_DISPATCH(update)(run, arrays, random, x);
}
void add_states(const std::uint32_t* x, std::size_t count, std::uint32_t* sum) {
  HWY_DYNAMIC_DISPATCH(add)(x, count, sum);
}

}  // namespace croft
#endif
