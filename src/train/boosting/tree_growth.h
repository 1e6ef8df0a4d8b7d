// The trees of a round: one for each output, fitted to its gradient.  docs/math/boosting.md
// sections 3 and 5.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "croft/core/parallel.h"
#include "features/kit/binned_features.h"
#include "train/boosting/boosting.h"
#include "train/boosting/regression_tree_fit.h"

namespace croft {

// A number for two numbers: seeds of draws.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

// Rows with a large gradient; the others together have no more than the share alpha of all.
//   gradient : g and h of rows, of `width` outputs
void trim_rows(std::span<const std::uint32_t> rows, double alpha, const float* gradient,
               std::size_t width, std::vector<std::uint32_t>& out);

// The tree of the first of two labels as that of both: what the one gains the other loses.
void mirror(FittedTree& tree);

class TreeGrowth {
 public:
  // Keeps references.
  //   width    : outputs of a tree
  //   together : all threads at one tree, and not one at each
  TreeGrowth(const BinnedFeatures& features, std::size_t width, bool together, ThreadPool& pool);

  // done(k, tree, leaf_of) for each of `count` trees, in any order and on any thread; leaf_of is of
  // all rows, and may be swapped with another vector.
  //   rows     : that trees are fitted to, increasing; at least one
  //   gradient : of tree k
  //   seed     : of the round; output k's draws depend on it and on first_seed + k
  using Done =
      std::function<void(std::size_t k, FittedTree& tree, std::vector<std::uint16_t>& leaf_of)>;
  void grow(std::size_t count, std::span<const std::uint32_t> rows,
            const std::function<const float*(std::size_t k)>& gradient,
            const BoostingOptions& options, std::uint64_t seed, std::size_t first_seed,
            const Done& done);

 private:
  struct Worker {
    std::unique_ptr<TreeFitter> fitter;
    std::vector<std::uint32_t> grown;
    std::vector<std::uint16_t> leaf_of;
    FittedTree tree;
  };
  const BinnedFeatures& features_;
  std::size_t width_;
  bool together_;
  ThreadPool& pool_;
  std::vector<Worker> workers_;
};

}  // namespace croft
