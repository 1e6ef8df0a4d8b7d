// A regression tree fitted to a functional gradient by histograms.  docs/math/boosting.md sections
// 3 and 4.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/parallel.h"
#include "features/kit/binned_features.h"

namespace croft {

struct TreeFitOptions {
  std::size_t leaves = 31;          // at most, >= 1
  std::size_t depth = 20;           // tests on a path at most; 0: one leaf
  double l2 = 1;                    // of a leaf's value, >= 0
  double min_child_weight = 1;      // sum of h, >= 0
  std::size_t min_child_count = 1;  // positions, >= 1
  double min_gain = 0;              // a test must gain more than this, >= 0
  double feature_share = 1;         // of the attributes that a tree may test, in (0, 1]
  void validate() const;            // throws UsageError naming the option
};

inline constexpr std::size_t kMostLeaves = 4096;
inline constexpr double kLargestLeaf = 10;        // |v|, (TB.5)
inline constexpr double kLeastCurvature = 1e-10;  // what H + l2 is at least

// Node 0 is the root; a child is a node after its parent, or a leaf.  No nodes: leaf 0 alone.
struct FittedTree {
  struct Node {
    std::uint32_t feature = 0;
    std::uint32_t cut = 0;  // the feature's first `cut` bins go to the left
    bool absent_left = true;
    std::int32_t left = 0, right = 0;  // >= 0: a node; otherwise leaf ~left
    double gain = 0;                   // (TB.6)
    std::uint32_t count = 0;           // positions that it was grown on
  };
  std::size_t width = 1;
  std::vector<Node> nodes;
  std::vector<double> value;  // [leaves][width] v_R of (TB.5)

  std::size_t leaves() const { return value.size() / width; }
  // The leaf of a row.
  std::uint32_t leaf(const BinnedFeatures& features, std::size_t row) const;
};

// g and h of rows, for one tree: [rows][2 * stride] floats, g of the outputs first, then h; padding
// 0.
struct TreeGradient {
  const float* data = nullptr;
  static std::size_t stride(std::size_t width) { return width == 1 ? 1 : padded(width); }
};

// One a thread: it owns the scratch.
class TreeFitter {
 public:
  // Keeps a reference.
  TreeFitter(const BinnedFeatures& features, std::size_t width);

  // grown : rows that tests are chosen on, increasing; at least one
  // all   : rows that have a gradient, increasing: those that leaves are summed over
  // seed  : of the choice of features
  // pool  : to work on the features' parts in parallel; null: the caller alone.  The tree is the
  //         same.
  // leaf_of : [rows] overwritten, of all rows
  void fit(std::span<const std::uint32_t> grown, std::span<const std::uint32_t> all,
           TreeGradient gradient, const TreeFitOptions& options, std::uint64_t seed,
           ThreadPool* pool, FittedTree& out, std::span<std::uint16_t> leaf_of);

 private:
  // Of one part of the features, by bin.  Bins that are listed, increasing.
  struct Histogram {
    std::vector<std::uint32_t> bin, count;
    std::vector<double> sums;  // [bins][2 * stride]
  };
  struct Split {
    double gain = 0;
    std::uint32_t feature = 0, cut = 0;
    bool absent_left = true;
    bool found = false;
  };
  struct Head {
    std::uint32_t epoch = 0, count = 0;
  };
  struct Sum {  // of a bin
    double g = 0, h = 0;
    std::uint32_t count = 0;
  };
  struct PartWork {  // sums of the rows at hand, valid where the epoch is the current one
    std::uint32_t epoch = 0;
    std::vector<Head> head;    // [bins of the part]
    std::vector<double> sums;  // [bins of the part][2 * stride]
    std::vector<double> left;  // [3 * 2 * stride] scratch
    std::vector<Sum> column;   // [256] of a column; 0 between uses
  };
  struct Leaf {
    std::size_t begin = 0, end = 0;  // into order_
    std::size_t depth = 0;
    std::int32_t parent = -1;  // node
    bool is_left = false;
    std::vector<double> total;  // [2 * stride]
    std::vector<Histogram> parts;
    Split best;
  };

  std::size_t cell() const { return 2 * stride_; }
  double mass(const double* sums) const;  // sum of h over outputs
  double score(const double* sums) const;
  double score_of_rest(const double* total, const double* sums) const;
  bool may_split(const Leaf& leaf) const;
  void sum_rows(const Leaf& leaf, std::size_t part);
  void gather(const Leaf& leaf);
  void sum_column(const Leaf& leaf, std::uint32_t feature, std::vector<Sum>& sums) const;
  void list_columns(const Leaf& leaf, std::size_t part, Histogram& out);
  void share_columns(Histogram& parent, const Leaf& small_leaf, std::size_t part, Histogram& small);
  void list_root(std::size_t part, Histogram& out);
  void share_parent(Histogram& parent, std::size_t part, Histogram& small);
  void search(const Leaf& leaf, Histogram& histogram, std::size_t part, Split& best);
  template <class Offer>
  void try_feature(const Leaf& leaf, const Histogram& histogram, std::size_t from, std::size_t to,
                   double* left, std::size_t count, const Offer& offer) const;
  template <class Offer>
  void try_feature_of_one(const Leaf& leaf, const Histogram& histogram, std::size_t from,
                          std::size_t to, const double* present, std::size_t count,
                          const Offer& offer) const;
  void search_root(Leaf& root);
  void search_children(Leaf& small, Leaf& large, std::vector<Histogram>& parent);
  void for_parts(const ThreadPool::Task& task);
  void choose(Leaf& leaf, std::span<const Split> of_parts);
  void add_total(Leaf& leaf) const;
  void share_total(Leaf& small, Leaf& large, std::vector<double> parent) const;
  std::size_t bytes_of(std::span<const Histogram> parts) const;
  std::size_t best_leaf() const;
  void route(const Split& split, std::uint16_t leaf, std::uint16_t other, std::size_t begin,
             std::size_t end, std::span<std::uint16_t> leaf_of) const;
  void split_leaf(std::size_t k, FittedTree& out, std::span<std::uint16_t> leaf_of);
  void set_values(std::span<const std::uint32_t> all, std::span<const std::uint16_t> leaf_of,
                  FittedTree& out) const;
  bool draws(std::uint32_t feature) const;

  const BinnedFeatures& features_;
  std::size_t width_, stride_;
  std::vector<PartWork> work_;  // [parts]
  // Of the tree being grown.
  const float* gradient_ = nullptr;
  TreeFitOptions options_;
  std::uint64_t seed_ = 0;
  ThreadPool* pool_ = nullptr;
  std::vector<std::uint32_t> order_, moved_;  // grown rows, those of a leaf together
  bool columns_ = false;                      // whether sums are taken column by column
  std::vector<float> gathered_;               // [rows of the leaf at hand][2], where they are
  std::vector<Leaf> leaves_;
};

}  // namespace croft
