#include "train/boosting/regression_tree_fit.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "croft/core/error.h"
#include "train/boosting/tree_kernels.h"

namespace croft {
namespace {

// Histograms that are kept for children to be subtracted from; beyond, they are summed again.
constexpr std::size_t kHistogramBytes = std::size_t{256} << 20;
// Of what a leaf is worth: gains below are rounding.
constexpr double kLeastRelativeGain = 1e-10;

}  // namespace

void TreeFitOptions::validate() const {
  const auto require = [](bool right, const Message& what) {
    if (!right) throw UsageError(what);
  };
  require(leaves >= 1 && leaves <= kMostLeaves, Message("--leaves is from 1 to ", kMostLeaves));
  require(std::isfinite(l2) && l2 >= 0, "--l2 is a number of 0 or more");
  require(std::isfinite(min_child_weight) && min_child_weight >= 0,
          "--min-child-weight is a number of 0 or more");
  require(min_child_count >= 1, "--min-child-count is 1 or more");
  require(std::isfinite(min_gain) && min_gain >= 0, "--min-gain is a number of 0 or more");
  require(feature_share > 0 && feature_share <= 1, "--feature-share is above 0 and not above 1");
}

std::uint32_t FittedTree::leaf(const BinnedFeatures& features, std::size_t row) const {
  if (nodes.empty()) return 0;
  std::int32_t at = 0;
  do {
    const Node& node = nodes[static_cast<std::size_t>(at)];
    const std::uint32_t bin = features.bin_at(node.feature, row);
    const bool left = bin == BinnedFeatures::kAbsent
                          ? node.absent_left
                          : bin - features.first_bin(node.feature) < node.cut;
    at = left ? node.left : node.right;
  } while (at >= 0);
  return static_cast<std::uint32_t>(~at);
}

TreeFitter::TreeFitter(const BinnedFeatures& features, std::size_t width)
    : features_(features),
      width_(width),
      stride_(TreeGradient::stride(width)),
      work_(features.parts()) {
  for (std::size_t part = 0; part < work_.size(); ++part) {
    const std::size_t bins = features.part_end(part) - features.part_begin(part);
    work_[part].head.resize(bins);
    work_[part].sums.resize(bins * cell());
    work_[part].left.resize(3 * cell());
  }
  columns_ = stride_ == 1 && features.has_columns();
  for (std::size_t part = 0; columns_ && part < work_.size(); ++part) {
    work_[part].column.resize(BinnedFeatures::kNoBin + 1);
  }
}

double TreeFitter::mass(const double* sums) const {
  return stride_ == 1 ? sums[1] : tree_kernels::sum(sums + stride_, stride_);
}

double TreeFitter::score(const double* sums) const {
  if (stride_ > 1) return tree_kernels::score(sums, stride_, options_.l2);
  return sums[0] * sums[0] / std::max(sums[1] + options_.l2, kLeastCurvature);
}

double TreeFitter::score_of_rest(const double* total, const double* sums) const {
  if (stride_ > 1) return tree_kernels::score_of_rest(total, sums, stride_, options_.l2);
  const double g = total[0] - sums[0], h = total[1] - sums[1];
  return g * g / std::max(h + options_.l2, kLeastCurvature);
}

bool TreeFitter::may_split(const Leaf& leaf) const {
  return leaf.depth < options_.depth && leaf.end - leaf.begin >= 2 * options_.min_child_count &&
         mass(leaf.total.data()) >= 2 * options_.min_child_weight;
}

void TreeFitter::for_parts(const ThreadPool::Task& task) {
  if (pool_ != nullptr) {
    pool_->run(work_.size(), task);
  } else {
    for (std::size_t part = 0; part < work_.size(); ++part) task(part, 0);
  }
}

// Cuts between the bins [from, to) of one feature.
//   left  : [3 * 2 * stride] scratch; the sums of all these bins first
//   count : of their positions
//   offer : (twice the gain and the leaf's score, cut, absent_left)
template <class Offer>
void TreeFitter::try_feature(const Leaf& leaf, const Histogram& histogram, std::size_t from,
                             std::size_t to, double* left, std::size_t count,
                             const Offer& offer) const {
  const double* const total = leaf.total.data();
  const double all = mass(total), least = options_.min_child_weight;
  const std::size_t positions = leaf.end - leaf.begin, few = options_.min_child_count;
  const std::size_t absent = positions - count;
  const double* const present = left;
  const double present_mass = mass(present);
  const auto allowed = [&](std::size_t n, double h) {  // one side; the other is the rest
    return n >= few && positions - n >= few && h >= least && all - h >= least;
  };
  if (absent > 0 && allowed(count, present_mass)) {
    offer(score(present) + score_of_rest(total, present), 0, true);
  }
  double* const prefix = left + cell();
  std::fill_n(prefix, cell(), 0.0);
  double* const suffix = prefix + cell();
  const std::uint32_t first = features_.first_bin(features_.feature_of(histogram.bin[from]));
  std::size_t before = 0;
  for (std::size_t k = from; k + 1 < to; ++k) {
    const double* const own = histogram.sums.data() + k * cell();
    for (std::size_t c = 0; c < cell(); ++c) {
      prefix[c] += own[c];
      suffix[c] = present[c] - prefix[c];
    }
    before += histogram.count[k];
    const double prefix_mass = mass(prefix);
    const std::uint32_t cut = histogram.bin[k] - first + 1;
    if (absent > 0 && allowed(count - before, present_mass - prefix_mass)) {
      offer(score(suffix) + score_of_rest(total, suffix), cut, true);
    }
    if (allowed(before, prefix_mass)) {
      // Where no position lacks it, one that does goes with most of the others.
      const bool with_most = absent == 0 && 2 * before >= count;
      offer(score(prefix) + score_of_rest(total, prefix), cut, with_most);
    }
  }
}

// The same of one output, without loops over outputs.
template <class Offer>
void TreeFitter::try_feature_of_one(const Leaf& leaf, const Histogram& histogram, std::size_t from,
                                    std::size_t to, const double* present, std::size_t count,
                                    const Offer& offer) const {
  const double total_g = leaf.total[0], total_h = leaf.total[1], l2 = options_.l2;
  const double present_g = present[0], present_h = present[1], least = options_.min_child_weight;
  const std::size_t positions = leaf.end - leaf.begin, few = options_.min_child_count;
  const std::size_t absent = positions - count;
  const auto allowed = [&](std::size_t n, double h) {
    return n >= few && positions - n >= few && h >= least && total_h - h >= least;
  };
  const auto worth = [&](double g, double h) { return g * g / std::max(h + l2, kLeastCurvature); };
  const auto scores = [&](double g, double h) {
    return worth(g, h) + worth(total_g - g, total_h - h);
  };
  if (absent > 0 && allowed(count, present_h)) offer(scores(present_g, present_h), 0, true);
  const std::uint32_t first = features_.first_bin(features_.feature_of(histogram.bin[from]));
  double g = 0, h = 0;
  std::size_t before = 0;
  for (std::size_t k = from; k + 1 < to; ++k) {
    g += histogram.sums[2 * k];
    h += histogram.sums[2 * k + 1];
    before += histogram.count[k];
    const std::uint32_t cut = histogram.bin[k] - first + 1;
    if (absent > 0 && allowed(count - before, present_h - h)) {
      offer(scores(present_g - g, present_h - h), cut, true);
    }
    if (allowed(before, h)) offer(scores(g, h), cut, absent == 0 && 2 * before >= count);
  }
}

// The best test of a part's features.  Features that can never be tested below leave the histogram.
void TreeFitter::search(const Leaf& leaf, Histogram& histogram, std::size_t part, Split& best) {
  best = {};
  const double* const total = leaf.total.data();
  const double all = mass(total), own_score = score(total), least = options_.min_child_weight;
  const std::size_t positions = leaf.end - leaf.begin, few = options_.min_child_count;
  const double needed = std::max(options_.min_gain, kLeastRelativeGain * own_score);
  std::size_t kept = 0;
  for (std::size_t from = 0, to = 0; from < histogram.bin.size(); from = to) {
    const std::uint32_t feature = features_.feature_of(histogram.bin[from]);
    const std::uint32_t end = features_.first_bin(feature + 1);
    double* const present = work_[part].left.data();
    std::copy_n(histogram.sums.data() + from * cell(), cell(), present);
    std::size_t count = histogram.count[from];
    for (to = from + 1; to < histogram.bin.size() && histogram.bin[to] < end; ++to) {
      for (std::size_t c = 0; c < cell(); ++c) present[c] += histogram.sums[to * cell() + c];
      count += histogram.count[to];
    }
    const double weight = mass(present);
    if (count < few || weight < least) continue;
    if (to - from == 1 && (positions - count < few || all - weight < least)) continue;
    const auto offer = [&](double scores, std::uint32_t cut, bool absent_left) {
      const double gain = 0.5 * (scores - own_score);
      if (!(gain > needed) || (best.found && !(gain > best.gain))) return;
      best = {gain, feature, cut, absent_left, true};
    };
    if (stride_ == 1) {
      try_feature_of_one(leaf, histogram, from, to, present, count, offer);
    } else {
      try_feature(leaf, histogram, from, to, present, count, offer);
    }
    for (std::size_t k = from; k < to; ++k, ++kept) {
      if (kept == k) continue;
      histogram.bin[kept] = histogram.bin[k];
      histogram.count[kept] = histogram.count[k];
      std::copy_n(histogram.sums.data() + k * cell(), cell(),
                  histogram.sums.data() + kept * cell());
    }
  }
  histogram.bin.resize(kept);
  histogram.count.resize(kept);
  histogram.sums.resize(kept * cell());
}

void TreeFitter::choose(Leaf& leaf, std::span<const Split> of_parts) {
  leaf.best = {};
  for (const Split& split : of_parts) {
    if (split.found && (!leaf.best.found || split.gain > leaf.best.gain)) leaf.best = split;
  }
}

void TreeFitter::add_total(Leaf& leaf) const {
  leaf.total.assign(cell(), 0.0);
  for (std::size_t k = leaf.begin; k < leaf.end; ++k) {
    const float* const own = gradient_ + order_[k] * cell();
    if (stride_ == 1) {
      leaf.total[0] += double{own[0]};
      leaf.total[1] += double{own[1]};
    } else {
      tree_kernels::add(own, cell(), leaf.total.data());
    }
  }
}

// Of two children, given their parent's.
void TreeFitter::share_total(Leaf& small, Leaf& large, std::vector<double> parent) const {
  add_total(small);
  for (std::size_t c = 0; c < cell(); ++c) parent[c] -= small.total[c];
  large.total = std::move(parent);
}

// The leaf of the largest gain; leaves_.size(): none gains.
std::size_t TreeFitter::best_leaf() const {
  std::size_t best = leaves_.size();
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    if (!leaves_[k].best.found) continue;
    if (best == leaves_.size() || leaves_[k].best.gain > leaves_[best].best.gain) best = k;
  }
  return best;
}

void TreeFitter::search_root(Leaf& root) {
  root.parts.resize(work_.size());
  std::vector<Split> best(work_.size());
  if (columns_) gather(root);
  for_parts([&](std::size_t part, std::size_t) {
    if (columns_) {
      list_columns(root, part, root.parts[part]);
    } else {
      sum_rows(root, part);
      list_root(part, root.parts[part]);
    }
    search(root, root.parts[part], part, best[part]);
  });
  choose(root, best);
}

void TreeFitter::search_children(Leaf& small, Leaf& large, std::vector<Histogram>& parent) {
  const bool of_small = may_split(small), of_large = may_split(large);
  if (!of_small && !of_large) return;
  std::vector<Split> best(work_.size()), best_large(work_.size());
  small.parts.resize(work_.size());
  if (columns_) gather(small);
  for_parts([&](std::size_t part, std::size_t) {
    if (columns_) {
      share_columns(parent[part], small, part, small.parts[part]);
    } else {
      sum_rows(small, part);
      share_parent(parent[part], part, small.parts[part]);
    }
    if (of_small) search(small, small.parts[part], part, best[part]);
    if (of_large) search(large, parent[part], part, best_large[part]);
  });
  choose(small, best);
  choose(large, best_large);
  if (of_large) large.parts = std::move(parent);
  if (!of_small) small.parts.clear();
}

// Rows of leaf `leaf` that do not go where those without the feature go are of leaf `other` now.
void TreeFitter::route(const Split& split, std::uint16_t leaf, std::uint16_t other,
                       std::size_t begin, std::size_t end, std::span<std::uint16_t> leaf_of) const {
  const auto moves = [&](std::uint32_t cut_bin) {
    return (cut_bin < split.cut) != split.absent_left;
  };
  if (features_.has_columns()) {
    const std::uint8_t* const column = features_.column(split.feature).data();
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint8_t bin = column[order_[k]];
      if (bin != BinnedFeatures::kNoBin && moves(bin)) leaf_of[order_[k]] = other;
    }
    return;
  }
  if (features_.dense()) {
    const std::uint32_t first = features_.first_bin(split.feature);
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t bin = features_.bin_at(split.feature, order_[k]);
      if (bin != BinnedFeatures::kAbsent && moves(bin - first)) leaf_of[order_[k]] = other;
    }
    return;
  }
  const BinnedFeatures::Postings postings = features_.postings(split.feature);
  for (std::size_t k = 0; k < postings.row.size(); ++k) {
    std::uint16_t& at = leaf_of[postings.row[k]];
    if (at == leaf && moves(postings.bin[k])) at = other;
  }
}

void TreeFitter::split_leaf(std::size_t k, FittedTree& out, std::span<std::uint16_t> leaf_of) {
  const auto leaf = static_cast<std::uint16_t>(k);
  const auto other = static_cast<std::uint16_t>(leaves_.size());
  leaves_.emplace_back();
  Leaf &stays = leaves_[k], &moves = leaves_.back();
  const Split split = stays.best;
  stays.best = {};
  const auto node = static_cast<std::int32_t>(out.nodes.size());
  out.nodes.push_back({split.feature, split.cut, split.absent_left, ~std::int32_t{leaf},
                       ~std::int32_t{other}, split.gain,
                       static_cast<std::uint32_t>(stays.end - stays.begin)});
  if (!split.absent_left) std::swap(out.nodes.back().left, out.nodes.back().right);
  if (stays.parent >= 0) {
    FittedTree::Node& parent = out.nodes[static_cast<std::size_t>(stays.parent)];
    (stays.is_left ? parent.left : parent.right) = node;
  }
  route(split, leaf, other, stays.begin, stays.end, leaf_of);
  moved_.clear();
  std::size_t kept = stays.begin;
  for (std::size_t r = stays.begin; r < stays.end; ++r) {
    const std::uint32_t row = order_[r];
    if (leaf_of[row] == leaf) {
      order_[kept++] = row;
    } else {
      moved_.push_back(row);
    }
  }
  std::ranges::copy(moved_, order_.begin() + static_cast<std::ptrdiff_t>(kept));
  moves.begin = kept;
  moves.end = stays.end;
  stays.end = kept;
  moves.depth = ++stays.depth;
  moves.parent = stays.parent = node;
  stays.is_left = split.absent_left;
  moves.is_left = !split.absent_left;
}

// (TB.5)
void TreeFitter::set_values(std::span<const std::uint32_t> all,
                            std::span<const std::uint16_t> leaf_of, FittedTree& out) const {
  std::vector<double> sums(leaves_.size() * cell());
  for (const std::uint32_t row : all) {
    double* const at = sums.data() + leaf_of[row] * cell();
    const float* const own = gradient_ + row * cell();
    if (stride_ == 1) {
      at[0] += double{own[0]};
      at[1] += double{own[1]};
    } else {
      tree_kernels::add(own, cell(), at);
    }
  }
  out.value.resize(leaves_.size() * width_);
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    for (std::size_t y = 0; y < width_; ++y) {
      const double g = sums[k * cell() + y], h = sums[k * cell() + stride_ + y];
      out.value[k * width_ + y] =
          std::clamp(-g / std::max(h + options_.l2, kLeastCurvature), -kLargestLeaf, kLargestLeaf);
    }
  }
}

void TreeFitter::fit(std::span<const std::uint32_t> grown, std::span<const std::uint32_t> all,
                     TreeGradient gradient, const TreeFitOptions& options, std::uint64_t seed,
                     ThreadPool* pool, FittedTree& out, std::span<std::uint16_t> leaf_of) {
  assert(!grown.empty() && leaf_of.size() == features_.rows());
  gradient_ = gradient.data;
  options_ = options;
  seed_ = seed;
  pool_ = pool;
  order_.assign(grown.begin(), grown.end());
  out = {};
  out.width = width_;
  leaves_.assign(1, {});
  leaves_.reserve(options.leaves);
  leaves_[0].end = order_.size();
  std::ranges::fill(leaf_of, std::uint16_t{0});
  add_total(leaves_[0]);
  if (options.leaves > 1 && may_split(leaves_[0])) search_root(leaves_[0]);
  std::size_t bytes = bytes_of(leaves_[0].parts);  // of histograms that are kept
  while (leaves_.size() < options.leaves) {
    const std::size_t best = best_leaf();
    if (best == leaves_.size()) break;
    if (leaves_[best].parts.empty()) search_root(leaves_[best]);  // its histogram was let go
    std::vector<Histogram> parent = std::move(leaves_[best].parts);
    leaves_[best].parts.clear();
    bytes -= std::min(bytes, bytes_of(parent));
    split_leaf(best, out, leaf_of);
    Leaf &stays = leaves_[best], &moves = leaves_.back();
    const bool stays_smaller = stays.end - stays.begin < moves.end - moves.begin;
    Leaf &small = stays_smaller ? stays : moves, &large = stays_smaller ? moves : stays;
    share_total(small, large, std::vector<double>(stays.total));
    if (leaves_.size() == options.leaves) break;
    search_children(small, large, parent);
    bytes += bytes_of(small.parts) + bytes_of(large.parts);
    if (bytes <= kHistogramBytes) continue;
    bytes -= bytes_of(small.parts) + bytes_of(large.parts);
    small.parts.clear();
    large.parts.clear();
  }
  if (features_.dense() && grown.size() < leaf_of.size()) {
    std::vector<bool> is_grown(leaf_of.size());
    for (const std::uint32_t row : grown) is_grown[row] = true;
    for (std::size_t row = 0; row < leaf_of.size(); ++row) {
      if (!is_grown[row]) leaf_of[row] = static_cast<std::uint16_t>(out.leaf(features_, row));
    }
  }
  set_values(all, leaf_of, out);
}

}  // namespace croft
