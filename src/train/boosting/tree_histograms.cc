// The histograms of TreeFitter: docs/math/boosting.md section 4.
#include <algorithm>

#include "croft/core/random.h"
#include "train/boosting/regression_tree_fit.h"
#include "train/boosting/tree_kernels.h"

namespace croft {
namespace {

double uniform_of(std::uint64_t seed, std::uint64_t number) {
  return Random(seed + 0x9E3779B97F4A7C15u * (number + 1)).uniform();
}

}  // namespace

bool TreeFitter::draws(std::uint32_t feature) const {
  return options_.feature_share >= 1 ||
         uniform_of(seed_, features_.attribute(feature)) < options_.feature_share;
}

// The bins of a leaf's rows into the sums at hand.
void TreeFitter::sum_rows(const Leaf& leaf, std::size_t part) {
  PartWork& work = work_[part];
  if (++work.epoch == 0) {  // after 2^32 of them
    std::ranges::fill(work.head, Head());
    work.epoch = 1;
  }
  const std::uint32_t first = features_.part_begin(part), epoch = work.epoch;
  Head* const head = work.head.data();
  double* const sums = work.sums.data();
  for (std::size_t k = leaf.begin; k < leaf.end; ++k) {
    const std::uint32_t row = order_[k];
    const float* const own = gradient_ + row * cell();
    for (const std::uint32_t bin : features_.row(part, row)) {
      const std::size_t b = bin - first;
      double* const at = sums + b * cell();
      if (head[b].epoch != epoch) {
        head[b] = {epoch, 0};
        std::fill_n(at, cell(), 0.0);
      }
      ++head[b].count;
      if (stride_ == 1) {
        at[0] += double{own[0]};
        at[1] += double{own[1]};
      } else {
        tree_kernels::add(own, cell(), at);
      }
    }
  }
}

// g and h of a leaf's rows side by side, for sum_column().
void TreeFitter::gather(const Leaf& leaf) {
  gathered_.resize(2 * (leaf.end - leaf.begin));
  for (std::size_t k = leaf.begin, at = 0; k < leaf.end; ++k, at += 2) {
    std::copy_n(gradient_ + 2 * std::size_t{order_[k]}, 2, gathered_.data() + at);
  }
}

// The rows' bins of one feature; a few lines of cache, however many bins all features have.
void TreeFitter::sum_column(const Leaf& leaf, std::uint32_t feature, std::vector<Sum>& sums) const {
  const std::uint8_t* const column = features_.column(feature).data();
  const std::uint32_t* const row = order_.data() + leaf.begin;
  const float* const own = gathered_.data();
  Sum* const out = sums.data();
  const std::size_t rows = leaf.end - leaf.begin;
  for (std::size_t k = 0; k < rows; ++k) {
    Sum& sum = out[column[row[k]]];
    sum.g += double{own[2 * k]};
    sum.h += double{own[2 * k + 1]};
    ++sum.count;
  }
}

// The histogram of a leaf, but for features that the tree may not test.
void TreeFitter::list_columns(const Leaf& leaf, std::size_t part, Histogram& out) {
  std::vector<Sum>& sums = work_[part].column;
  const std::uint32_t end = features_.part_end(part);
  out = {};
  for (std::uint32_t first = features_.part_begin(part); first < end;) {
    const std::uint32_t feature = features_.feature_of(first);
    const std::uint32_t next = features_.first_bin(feature + 1);
    if (draws(feature)) {
      sum_column(leaf, feature, sums);
      for (std::uint32_t bin = first; bin < next; ++bin) {
        const Sum& sum = sums[bin - first];
        if (sum.count == 0) continue;
        out.bin.push_back(bin);
        out.count.push_back(sum.count);
        out.sums.insert(out.sums.end(), {sum.g, sum.h});
      }
      std::ranges::fill(sums, Sum());
    }
    first = next;
  }
}

// As share_parent(), of columns.
void TreeFitter::share_columns(Histogram& parent, const Leaf& small_leaf, std::size_t part,
                               Histogram& small) {
  std::vector<Sum>& sums = work_[part].column;
  const std::size_t bins = parent.bin.size();
  small.bin.resize(bins);
  small.count.resize(bins);
  small.sums.resize(2 * bins);
  std::size_t kept = 0, own = 0;
  for (std::size_t k = 0; k < bins;) {
    const std::uint32_t feature = features_.feature_of(parent.bin[k]);
    const std::uint32_t first = features_.first_bin(feature),
                        end = features_.first_bin(feature + 1);
    sum_column(small_leaf, feature, sums);
    for (; k < bins && parent.bin[k] < end; ++k) {
      const Sum sum = sums[parent.bin[k] - first];
      const std::uint32_t count = parent.count[k] - sum.count;
      if (sum.count > 0) {
        small.bin[own] = parent.bin[k];
        small.count[own] = sum.count;
        small.sums[2 * own] = sum.g;
        small.sums[2 * own + 1] = sum.h;
        ++own;
      }
      if (count == 0) continue;
      parent.bin[kept] = parent.bin[k];
      parent.count[kept] = count;
      parent.sums[2 * kept] = parent.sums[2 * k] - sum.g;
      parent.sums[2 * kept + 1] = parent.sums[2 * k + 1] - sum.h;
      ++kept;
    }
    std::ranges::fill(sums, Sum());
  }
  for (auto [histogram, size] : {std::pair(&parent, kept), std::pair(&small, own)}) {
    histogram->bin.resize(size);
    histogram->count.resize(size);
    histogram->sums.resize(2 * size);
  }
}

// What was summed, but for features that the tree may not test.
void TreeFitter::list_root(std::size_t part, Histogram& out) {
  const PartWork& work = work_[part];
  const std::uint32_t first = features_.part_begin(part);
  out = {};
  std::uint32_t feature = BinnedFeatures::kAbsent;
  bool drawn = true;
  for (std::size_t b = 0; b < work.head.size(); ++b) {
    if (work.head[b].epoch != work.epoch) continue;
    const auto bin = static_cast<std::uint32_t>(first + b);
    if (features_.feature_of(bin) != feature) {
      feature = features_.feature_of(bin);
      drawn = draws(feature);
    }
    if (!drawn) continue;
    out.bin.push_back(bin);
    out.count.push_back(work.head[b].count);
    const double* const sums = work.sums.data() + b * cell();
    out.sums.insert(out.sums.end(), sums, sums + cell());
  }
}

// What was summed of the smaller child, of the bins that the parent lists; the parent becomes the
// larger one.
void TreeFitter::share_parent(Histogram& parent, std::size_t part, Histogram& small) {
  const PartWork& work = work_[part];
  const std::uint32_t first = features_.part_begin(part);
  small = {};
  std::size_t kept = 0;
  for (std::size_t k = 0; k < parent.bin.size(); ++k) {
    const std::size_t b = parent.bin[k] - first;
    double* const rest = parent.sums.data() + k * cell();
    std::uint32_t count = parent.count[k];
    if (work.head[b].epoch == work.epoch) {
      const double* const sums = work.sums.data() + b * cell();
      small.bin.push_back(parent.bin[k]);
      small.count.push_back(work.head[b].count);
      small.sums.insert(small.sums.end(), sums, sums + cell());
      count -= work.head[b].count;
      if (count == 0) continue;
      if (stride_ == 1) {
        rest[0] -= sums[0];
        rest[1] -= sums[1];
      } else {
        tree_kernels::subtract(sums, cell(), rest);
      }
    } else if (count == 0) {
      continue;
    }
    parent.bin[kept] = parent.bin[k];
    parent.count[kept] = count;
    if (kept != k) std::copy_n(rest, cell(), parent.sums.data() + kept * cell());
    ++kept;
  }
  parent.bin.resize(kept);
  parent.count.resize(kept);
  parent.sums.resize(kept * cell());
}

std::size_t TreeFitter::bytes_of(std::span<const Histogram> parts) const {
  std::size_t bins = 0;
  for (const Histogram& part : parts) bins += part.bin.size();
  return bins * (2 * sizeof(std::uint32_t) + cell() * sizeof(double));
}

}  // namespace croft
