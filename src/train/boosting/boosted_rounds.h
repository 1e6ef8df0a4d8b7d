// The trees of a boosted model, round by round.  docs/math/boosting.md (TB.1).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/optimize/optimizer.h"
#include "features/kit/binned_features.h"
#include "model/trees/tree_ensemble.h"
#include "train/boosting/regression_tree_fit.h"

namespace croft {

// Trees of the labels of positions, and a second family (of pairs of labels, or of segments) that
// a round fits after them.
class BoostedRounds {
 public:
  TreeArrays first, second;

  std::size_t size() const { return rounds_.size(); }
  void clear();
  // The round ends: all trees since the last one are its.
  void close(const Matrix<double>& transition);
  // To the model of so many rounds.
  void cut_back(std::size_t rounds, Matrix<double>& transition);
  std::size_t trees() const { return first.roots.size() + second.roots.size(); }
  // width : values of a leaf in the first family
  std::size_t leaves(std::size_t width) const {
    return first.values.size() / width + second.values.size();
  }
  // The first family, then the second one, whose attributes are `moved` further on.
  TreeArrays all(std::uint32_t moved = 0) const;

  void archive(StateArchive& state);

 private:
  struct Round {  // where it ends in the arrays, and the transitions after it
    std::size_t roots = 0, nodes = 0, values = 0;
    std::size_t second_roots = 0, second_nodes = 0, second_values = 0;
    std::vector<double> transition;
    void archive(StateArchive& state);
  };
  std::vector<Round> rounds_;
};

// Appends a fitted tree, its attributes being numbered as in the data.  Leaf values are rounded to
// float here, once: potentials and model file have the same.  Throws Error where there are more
// than 2^31 - 1 nodes or values.
void append_tree(const FittedTree& tree, std::uint32_t output, double shrinkage,
                 const BinnedFeatures& features, TreeArrays& to);

std::size_t tested_attributes(const TreeArrays& trees);

}  // namespace croft
