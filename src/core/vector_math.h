// Long vectors: dot products and updates whose result does not depend on the number of threads.
//
// A vector is cut into fixed blocks; a block's sum is taken by SIMD lanes in a fixed order, the
// blocks' sums are added in order.  Same SIMD target, same bits.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "croft/core/parallel.h"

namespace croft {

inline constexpr std::size_t kVectorBlock = 16384;  // numbers; half a second-level cache, or less
inline constexpr std::size_t kVectorChunk = 2048;   // numbers; a few such fit a first-level cache

// body(begin, end) over fixed blocks of [0, size), in parallel.
void for_blocks(ThreadPool& pool, std::size_t size,
                const std::function<void(std::size_t begin, std::size_t end)>& body);
// Sum over blocks, in order, of body(begin, end).
double sum_blocks(ThreadPool& pool, std::size_t size,
                  const std::function<double(std::size_t begin, std::size_t end)>& body);
// Several sums in one pass: body adds its block's share to `sums`, which it finds at 0.
// Overwrites `totals`; sums.size() == totals.size().
void sum_blocks(
    ThreadPool& pool, std::size_t size, std::span<double> totals,
    const std::function<void(std::size_t begin, std::size_t end, std::span<double> sums)>& body);

// Of a vector that all partners of a pool have: the numbers whose blocks this process looks at.
struct OwnBlocks {
  // All of them where the vector is shorter than `from`, otherwise a part, whole blocks in the
  // order of the partners.
  OwnBlocks(Ranks& partners, std::size_t size, std::size_t from);
  std::size_t length() const { return end - begin; }
  bool all() const { return length() == size; }
  Ranks& partners;
  std::size_t size, begin, end;
};
// As above, to the last bit, on all partners; body is called for own blocks alone.
void sum_blocks(
    ThreadPool& pool, const OwnBlocks& own, std::span<double> totals,
    const std::function<void(std::size_t begin, std::size_t end, std::span<double> sums)>& body);
double sum_blocks(ThreadPool& pool, const OwnBlocks& own,
                  const std::function<double(std::size_t begin, std::size_t end)>& body);
// Each has written its own numbers of the vector; now all have all.
void join_blocks(const OwnBlocks& own, std::span<float> vector);

// body(begin, end) over the chunks of one block, in order: what a body reads again and again
// within a chunk stays in the first-level cache.
template <class Body>
void for_chunks(std::size_t begin, std::size_t end, const Body& body) {
  for (; begin < end; begin += kVectorChunk) body(begin, std::min(begin + kVectorChunk, end));
}

// Kernels on one block (SIMD, run-time dispatch).  All spans have the same size.
// Products and sums are in double.
double dot(std::span<const double> a, std::span<const double> b);
double dot(std::span<const float> a, std::span<const float> b);
double dot(std::span<const double> a, std::span<const float> b);
// x . b, y . b and v . b in one pass over b.
std::array<double, 3> dots(std::span<const float> x, std::span<const float> y,
                           std::span<const double> v, std::span<const float> b);
void axpy(double scale, std::span<const double> x, std::span<double> y);  // y += scale * x
void axpy(double scale, std::span<const float> x, std::span<double> y);
// y += sum_k scale[k] x[k], in one pass over y: the same bits as one axpy after the other.
//   x : of y.size() numbers each
void axpy(const std::array<double, 4>& scale, const std::array<const float*, 4>& x,
          std::span<double> y);
double sum_abs(std::span<const double> a);
std::size_t count_nonzero(std::span<const double> a);

}  // namespace croft
