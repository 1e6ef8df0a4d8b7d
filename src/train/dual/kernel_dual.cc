#include "train/dual/kernel_dual.h"

#include <algorithm>

#include "core/vector_math.h"

namespace croft {

KernelRowCache::KernelRowCache(const KernelProducts& products, const AttributeLists& lists,
                               std::size_t bytes)
    : products_(products),
      lists_(lists),
      slots_(
          std::max(kTogether, bytes / (sizeof(float) * std::max<std::size_t>(products.size(), 1)))),
      at_(products.size()),
      cached_(products.size()) {}

std::size_t KernelRowCache::take_slot(std::uint64_t position) {
  std::uint32_t slot;
  if (row_.size() < slots_) {
    slot = static_cast<std::uint32_t>(row_.size());
    row_.emplace_back(products_.size());
  } else {
    slot = used_.back().second;
    cached_[used_.back().first] = false;
    used_.pop_back();
  }
  used_.emplace_front(position, slot);
  at_[position] = used_.begin();
  cached_[position] = true;
  return slot;
}

std::span<const float* const> KernelRowCache::rows(std::span<const std::uint64_t> positions) {
  std::vector<std::uint64_t> missing;
  std::vector<float*> to;
  for (const std::uint64_t p : positions) {  // first: so that none of them makes room for another
    if (cached_[p]) used_.splice(used_.begin(), used_, at_[p]);
  }
  for (const std::uint64_t p : positions) {
    if (cached_[p]) continue;
    missing.push_back(p);
    to.push_back(row_[take_slot(p)].data());
  }
  if (!missing.empty()) products_.rows(lists_, missing, 0, products_.size(), to);
  found_.clear();
  for (const std::uint64_t p : positions) found_.push_back(row_[at_[p]->second].data());
  return found_;
}

KernelDualProblem::KernelDualProblem(const ChainData& data, const ChainLayout& layout,
                                     const KernelDualOptions& options)
    : ChainDual(data, layout, options.dual),
      kernel_(options.kernel),
      products_(options.kernel, data.node),
      cache_(products_, data.node, options.cache_bytes),
      coefficients_(data.positions(), layout.labels, 0.0),
      scores_(layout.labels, data.positions(), 0.0) {}

void KernelDualProblem::reset() {
  ChainDual::reset();
  coefficients_.assign(coefficients_.rows(), coefficients_.columns(), 0.0);
  scores_.assign(scores_.rows(), scores_.columns(), 0.0);
  current_ = kNobody;
}

// What follows concerns sequence n.
void KernelDualProblem::turn_to(std::size_t n) {
  if (n == current_) return;
  settle();
  current_ = n;
  has_block_ = false;
  const std::uint64_t first = data_.sequence_begin[n];
  waiting_.assign(length(n) * labels(), 0.0);
  state_.resize(waiting_.size());
  for (std::size_t t = 0; t < length(n); ++t) {
    for (std::size_t j = 0; j < labels(); ++j) {
      state_[t * labels() + j] = scores_(j, static_cast<std::size_t>(first) + t);
    }
  }
}

// Brings the scores of all positions up to date with the coefficients of the current sequence.
void KernelDualProblem::settle() {
  if (current_ == kNobody) return;
  std::vector<std::uint64_t> moved;
  const std::uint64_t first = data_.sequence_begin[current_];
  const auto change_at = [&](std::uint64_t p) {
    return std::span(waiting_).subspan(static_cast<std::size_t>(p - first) * labels(), labels());
  };
  for (std::uint64_t p = first; p < data_.sequence_begin[current_ + 1]; ++p) {
    if (std::ranges::any_of(change_at(p), [](double d) { return d != 0; })) moved.push_back(p);
  }
  for (std::size_t k = 0; k < moved.size(); k += KernelRowCache::kTogether) {
    const auto some =
        std::span(moved).subspan(k, std::min(KernelRowCache::kTogether, moved.size() - k));
    const std::span<const float* const> rows = cache_.rows(some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::span<const float> row(rows[i], products_.size());
      for (std::size_t j = 0; j < labels(); ++j) {
        if (change_at(some[i])[j] != 0) axpy(change_at(some[i])[j], row, scores_[j]);
      }
    }
  }
  current_ = kNobody;
}

void KernelDualProblem::add_node_scores(std::size_t n, std::span<double> state) {
  turn_to(n);
  for (std::size_t k = 0; k < state.size(); ++k) state[k] += state_[k];
}

// The kernel of the current sequence's positions with each other.
void KernelDualProblem::set_block() {
  if (has_block_) return;
  has_block_ = true;
  const std::size_t first = static_cast<std::size_t>(data_.sequence_begin[current_]);
  Matrix<float> block(length(current_), length(current_));
  std::vector<std::uint64_t> queries;
  std::vector<float*> to;
  for (std::size_t t = 0; t < block.rows(); ++t) {
    queries.push_back(first + t);
    to.push_back(block.row(t));
  }
  products_.rows(data_.node, queries, first, block.rows(), to);
  block_.reshape(block.rows(), block.rows());
  for (std::size_t t = 0; t < block.rows(); ++t) std::ranges::copy(block[t], block_.row(t));
}

double KernelDualProblem::aim_nodes(std::size_t n, std::span<const double> state,
                                    double /*least*/) {
  turn_to(n);
  set_block();
  aimed_.assign(state.begin(), state.end());
  moved_.assign(state.size(), 0.0);
  for (std::size_t s = 0; s < block_.rows(); ++s) {
    const std::span<const double> d = state.subspan(s * labels(), labels());
    if (std::ranges::all_of(d, [](double x) { return x == 0; })) continue;
    for (std::size_t t = 0; t < block_.rows(); ++t) {
      axpy(block_(s, t), d, std::span(moved_).subspan(t * labels(), labels()));
    }
  }
  return dot(aimed_, moved_);
}

void KernelDualProblem::move_nodes(double scale) {
  const std::uint64_t first = data_.sequence_begin[current_];
  for (std::size_t k = 0; k < aimed_.size(); ++k) {
    const double change = scale * aimed_[k];
    waiting_[k] += change;
    coefficients_(static_cast<std::size_t>(first) + k / labels(), k % labels()) += change;
    state_[k] += scale * moved_[k];
  }
}

double KernelDualProblem::extra_squared_norm() {
  settle();
  double sum = 0;
  for (std::size_t p = 0; p < coefficients_.rows(); ++p) {
    for (std::size_t j = 0; j < labels(); ++j) sum += coefficients_(p, j) * scores_(j, p);
  }
  return sum;
}

void KernelDualProblem::archive(StateArchive& state) {
  settle();
  ChainDual::archive(state);
  state(std::span(coefficients_.row(0), coefficients_.rows() * coefficients_.stride()),
        std::span(scores_.row(0), scores_.rows() * scores_.stride()));
}

KernelExpansion KernelDualProblem::expansion() const {
  KernelExpansion expansion;
  expansion.kernel = kernel_;
  expansion.w = w_;
  std::vector<std::size_t> support;
  for (std::size_t p = 0; p < coefficients_.rows(); ++p) {
    if (std::ranges::any_of(coefficients_[p], [](double c) { return c != 0; })) {
      support.push_back(p);
    }
  }
  expansion.coefficients.assign(support.size(), labels(), 0.0f);
  for (std::size_t s = 0; s < support.size(); ++s) {
    expansion.vectors.append(data_.node, support[s], support[s] + 1);
    std::ranges::transform(coefficients_[support[s]], expansion.coefficients.row(s),
                           [](double c) { return static_cast<float>(c); });
  }
  return expansion;
}

}  // namespace croft
