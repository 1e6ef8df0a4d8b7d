#include "train/boosting/tree_growth.h"

#include <bit>
#include <cmath>

#include "croft/core/random.h"

namespace croft {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return Random(a * 0x9E3779B97F4A7C15u + b + 1).next();
}

void trim_rows(std::span<const std::uint32_t> rows, double alpha, const float* gradient,
               std::size_t width, std::vector<std::uint32_t>& out) {
  out.assign(rows.begin(), rows.end());
  if (alpha <= 0) return;
  constexpr int kShift = 18;  // 5 bits of the fraction: 32 steps of an order of magnitude
  const std::size_t cell = 2 * TreeGradient::stride(width);
  const auto size_of = [&](std::uint32_t row) {
    double size = 0;
    for (std::size_t k = 0; k < width; ++k) size += std::abs(double{gradient[row * cell + k]});
    return size;
  };
  const auto step = [&](std::uint32_t row) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(size_of(row))) >> kShift;
  };
  std::vector<double> sums(std::size_t{1} << (31 - kShift));
  double total = 0;
  for (const std::uint32_t row : rows) {
    sums[step(row)] += size_of(row);
    total += size_of(row);
  }
  if (!(total > 0)) return;
  std::size_t cut = 0;
  for (double below = sums[0]; below <= alpha * total; below += sums[cut]) ++cut;
  std::erase_if(out, [&](std::uint32_t row) { return step(row) < cut; });
}

void mirror(FittedTree& tree) {
  std::vector<double> values;
  for (const double value : tree.value) values.insert(values.end(), {value, -value});
  tree.value = std::move(values);
  tree.width = 2;
}

TreeGrowth::TreeGrowth(const BinnedFeatures& features, std::size_t width, bool together,
                       ThreadPool& pool)
    : features_(features),
      width_(width),
      together_(together),
      pool_(pool),
      workers_(together ? 1 : pool.threads()) {
  for (Worker& worker : workers_) {
    worker.fitter = std::make_unique<TreeFitter>(features, width);
  }
}

void TreeGrowth::grow(std::size_t count, std::span<const std::uint32_t> rows,
                      const std::function<const float*(std::size_t k)>& gradient,
                      const BoostingOptions& options, std::uint64_t seed, std::size_t first_seed,
                      const Done& done) {
  const auto fit = [&](std::size_t k, std::size_t w) {
    Worker& worker = workers_[w];
    const float* const own = gradient(k);
    trim_rows(rows, options.trim, own, width_, worker.grown);
    worker.leaf_of.resize(features_.rows());
    worker.fitter->fit(worker.grown, rows, {own}, options.tree, mix(seed, first_seed + k),
                       together_ ? &pool_ : nullptr, worker.tree, worker.leaf_of);
    done(k, worker.tree, worker.leaf_of);
  };
  if (together_) {
    for (std::size_t k = 0; k < count; ++k) fit(k, 0);
  } else {
    pool_.run(count, fit);
  }
}

}  // namespace croft
