// SIMD kernels of products of sparse vectors.  Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace croft {

// Products of a vector with kTile others, which stand as columns: tile is [attributes][kTile].
inline constexpr std::size_t kTile = 64;
struct SparseTerm {
  std::uint32_t attribute;
  float value;
};
// out[q] = sum over x of value * tile[attribute * kTile + q], q < kTile.
void tile_products(std::span<const SparseTerm> x, const float* tile, float* out);

// out[q] = exp(-gamma (own + norm[q] - 2 out[q]))
void rbf_of_products(double gamma, float own, std::span<const float> norm, std::span<float> out);
// out[q] = (scale out[q] + offset)^degree, degree >= 1
void power_of_products(float scale, float offset, unsigned degree, std::span<float> out);

}  // namespace croft
