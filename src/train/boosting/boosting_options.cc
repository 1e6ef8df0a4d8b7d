#include <cmath>

#include "croft/core/error.h"
#include "train/boosting/boosting.h"

namespace croft {

void BoostingOptions::validate() const {
  const auto require = [](bool right, const Message& what) {
    if (!right) throw UsageError(what);
  };
  tree.validate();
  require(shrinkage > 0 && shrinkage <= 1, "--shrinkage is above 0 and not above 1");
  require(row_share > 0 && row_share <= 1, "--row-share is above 0 and not above 1");
  require(trim >= 0 && trim < 1, "--trim is 0 or more, and below 1");
  require(bins >= 2 && bins <= 256, "--bins is from 2 to 256");
  require(tolerance >= 0 && std::isfinite(tolerance), "--tolerance is a number of 0 or more");
}

// All but the number of rounds, threads, and the tolerance: more rounds go on from a checkpoint.
void BoostingOptions::archive(StateArchive& settings) const {
  const auto add = [&](auto value) { settings(value); };
  add(shrinkage);
  add(tree.leaves);
  add(tree.depth);
  add(tree.l2);
  add(tree.min_child_weight);
  add(tree.min_child_count);
  add(tree.min_gain);
  add(tree.feature_share);
  add(trees);
  add(pair_trees);
  add(row_share);
  add(trim);
  add(bins);
  add(early_stop);
  add(seed);
}

}  // namespace croft
