// Sums by blocks of histories, compiled once for each SIMD target.
#include "inference/chain/history_sums.h"

#include <algorithm>
#include <cmath>

#include "croft/core/compensated_sum.h"
#include "croft/inference/history_chain.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "inference/chain/history_sums.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"
#include "inference/chain/exp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace croft {
namespace HWY_NAMESPACE {

// Some numbers of a row, in the order of a list.
template <class T>
struct ListedNumbers {
  const T* row;
  const Label* list;
  T operator[](std::size_t k) const { return row[list[k]]; }
};

// The recursions of chain_scaled.cc, every value checked and every row brought to sum 1 at once.
template <class T>
struct HistoryRecursion {
  const HistoryBlocks& blocks;
  typename HistorySums<T>::Tables& w;
  const ChainScores<T>& base;
  const LabelHistories& histories = blocks.histories;
  const std::size_t length = base.length(), row_length = padded(histories.size());
  CompensatedSum log_z{};

  T* at(AlignedVector<T>& table, std::size_t t) const { return table.data() + t * w.stride; }
  static const T* limit(const Matrix<T>& limits, std::size_t t) {
    return limits.row(std::min(t, limits.rows() - 1));
  }

  // exp(state - its largest) at t, for each history by its last label.
  void load_emission(std::size_t t) {
    const RowTag<T> d;
    const T* state = base.state.row(t);
    const T high = row_max(state, base.state.stride());
    log_z.add(double{high});
    exp_row(state, high, base.state.stride(), w.row.data());
    T* out = at(w.emission, t);
    for (const HistoryBlocks::LabelRun& run : blocks.label_runs) {
      for (std::size_t c = 0; c < kLanePadding; c += hn::Lanes(d)) {
        hn::StoreU(hn::Set(d, w.row[run.label]), d,
                   out + run.first + c);  // too much is overwritten next
      }
    }
    std::fill(out + histories.size(), out + w.stride, T{0});
  }

  // False: a value might have underflowed.
  bool forward() {
    const RowTag<T> d;
    const hn::RebindToSigned<decltype(d)> di;
    double product = 1;  // of the normalisers since log_z last took their logarithm
    for (std::size_t t = 0; t < length; ++t) {
      load_emission(t);
      T *alpha = at(w.alpha, t), *emission = at(w.emission, t);
      if (t > 0) step_forward(at(w.alpha, t - 1));
      const T* least = limit(w.reached, t);
      auto total = hn::Zero(d);
      auto wrong = hn::Lt(total, total);
      for (std::size_t c = 0; c < row_length; c += hn::Lanes(d)) {
        const auto low = hn::Load(d, least + c), e = hn::Load(d, emission + c);
        const auto v =
            t == 0
                ? hn::IfThenElseZero(hn::Gt(low, hn::Zero(d)), e)
                : hn::Mul(hn::GatherIndex(d, w.sums.data(), hn::Load(di, w.place.data() + c)), e);
        wrong = hn::Or(wrong, hn::Lt(v, low));
        total = hn::Add(total, v);
        hn::Store(v, d, alpha + c);
      }
      const T norm = hn::GetLane(hn::SumOfLanes(d, total));
      if (!hn::AllFalse(d, wrong) || !(norm > 0)) return false;
      scale_row(alpha, row_length, T{1} / norm);
      if (t > 0) log_z.add(w.shift);
      product *= double{norm};
      if (product < 1e-20 || product > 1e20) {
        log_z.add(std::log(product));
        product = 1;
      }
    }
    log_z.add(std::log(product));
    return true;
  }

  // out = a^T m, up to a whole vector; a has n numbers, m n rows of padded(columns).  Most tables
  // have few rows and columns: what vec_mat() does for long sums takes longer than they do.
  template <class A>
  static HWY_INLINE void multiply(const A& a, std::size_t n, const T* HWY_RESTRICT m,
                                  std::size_t columns, T* HWY_RESTRICT out) {
    const RowTag<T> d;
    const std::size_t lanes = hn::Lanes(d), stride = padded(columns);
    std::size_t c = 0;
    for (; c + 2 * lanes <= stride; c += 2 * lanes) {
      auto first = hn::Zero(d), second = hn::Zero(d);
      for (std::size_t i = 0; i < n; ++i) {
        const auto factor = hn::Set(d, a[i]);
        first = hn::MulAdd(factor, hn::Load(d, m + i * stride + c), first);
        second = hn::MulAdd(factor, hn::Load(d, m + i * stride + c + lanes), second);
      }
      hn::StoreU(first, d, out + c);
      hn::StoreU(second, d, out + c + lanes);
    }
    if (c == stride) return;
    auto even = hn::Zero(d), odd = hn::Zero(d);
    std::size_t i = 0;
    for (; i + 2 <= n; i += 2) {
      even = hn::MulAdd(hn::Set(d, a[i]), hn::Load(d, m + i * stride + c), even);
      odd = hn::MulAdd(hn::Set(d, a[i + 1]), hn::Load(d, m + (i + 1) * stride + c), odd);
    }
    if (i < n) even = hn::MulAdd(hn::Set(d, a[i]), hn::Load(d, m + i * stride + c), even);
    hn::StoreU(hn::Add(even, odd), d, out + c);
  }

  void step_forward(const T* alpha) {
    for (const HistoryBlock& b : blocks.all) {
      multiply(alpha + b.first, b.sources(), w.forward.data() + b.forward, b.targets,
               w.sums.data() + b.sums);
    }
  }

  void step_backward(const T* suffix) {
    T* beta = w.beta.data();
    for (const HistoryBlock& b : blocks.all) {
      // Zeros behind the last source: the next block's are written over them.
      multiply(ListedNumbers<T>{suffix, blocks.target.data() + b.target}, b.targets,
               w.backward.data() + b.backward, b.sources(), beta + b.first);
    }
  }

  bool backward(T* mu) {
    const RowTag<T> d;
    T *beta = w.beta.data(), *marginal = w.marginal.data();
    std::fill(beta, beta + histories.size(), T{1});
    std::fill(beta + histories.size(), beta + w.stride, T{0});
    for (std::size_t t = length; t-- > 0;) {
      const T *alpha = at(w.alpha, t), *emission = at(w.emission, t);
      const T* least = limit(w.completed, length - 1 - t);
      T* suffix = at(w.suffix, t);
      auto mass = hn::Zero(d), total = hn::Zero(d);
      auto wrong = hn::Lt(mass, mass);
      for (std::size_t c = 0; c < row_length; c += hn::Lanes(d)) {
        const auto b = hn::Load(d, beta + c), low = hn::Load(d, least + c);
        const auto m = hn::Mul(hn::Load(d, alpha + c), b);
        const auto s = hn::Mul(hn::Load(d, emission + c), b);
        wrong = hn::Or(wrong, hn::Or(hn::Lt(b, low), hn::Lt(s, low)));
        hn::Store(m, d, marginal + c);
        hn::Store(s, d, suffix + c);
        mass = hn::Add(mass, m);
        total = hn::Add(total, s);
      }
      const T z = hn::GetLane(hn::SumOfLanes(d, mass));
      const T sum = hn::GetLane(hn::SumOfLanes(d, total));
      if (!hn::AllFalse(d, wrong) || !(z > ScaledLimits<T>::kSmallest) || !(sum > 0)) return false;
      write_marginals(t, T{1} / z, mu);
      if (t + 1 < length) scale_row(at(w.suffix, t + 1), row_length, T{1} / z);
      if (t == 0) break;
      scale_row(suffix, row_length, T{1} / sum);
      // From here on 0 where nothing follows, which no block writes.
      if (t + 1 == length) std::fill(beta, beta + w.stride, T{0});
      step_backward(suffix);
    }
    return true;
  }

  void write_marginals(std::size_t t, T scale, T* mu) const {
    T* out = mu + t * base.state.stride();
    for (std::size_t j = 0; j < histories.labels; ++j) {
      T even = 0, odd = 0;
      const std::size_t end = histories.label_begin[j + 1];
      std::size_t s = histories.label_begin[j];
      for (; s + 2 <= end; s += 2) {
        even += w.marginal[s];
        odd += w.marginal[s + 1];
      }
      if (s < end) even += w.marginal[s];
      out[j] = (even + odd) * scale;
    }
    std::fill(out + histories.labels, out + base.state.stride(), T{0});
  }

  // R targets of a block from k on, a vector of sources from c on: (C.6) summed over the positions
  // [begin, end).
  template <int R>
  HWY_INLINE void pair_tile(const HistoryBlock& b, std::size_t begin, std::size_t end,
                            std::size_t k, std::size_t c) const {
    const RowTag<T> d;
    hn::Vec<RowTag<T>> sum[R];
    for (auto& v : sum) v = hn::Zero(d);
    const Label* target = blocks.target.data() + b.target + k;
    for (std::size_t t = begin; t < end; ++t) {
      const auto a = hn::LoadU(d, at(w.alpha, t - 1) + b.first + c);
      const T* suffix = at(w.suffix, t);
      for (int r = 0; r < R; ++r) sum[r] = hn::MulAdd(hn::Set(d, suffix[target[r]]), a, sum[r]);
    }
    for (int r = 0; r < R; ++r) {
      const std::size_t slot = b.backward + (k + r) * padded(b.sources()) + c;
      hn::Store(hn::Mul(sum[r], hn::Load(d, w.backward.data() + slot)), d, w.pairs.data() + slot);
    }
  }

  void add_pairs(double* d_state, double* d_gram) const {
    constexpr std::size_t kRun = 256;  // positions summed in T before the sum goes on in double
    const std::size_t lanes = hn::Lanes(RowTag<T>());
    for (std::size_t t = 1; t < length; t += kRun) {
      const std::size_t end = std::min(length, t + kRun);
      for (const HistoryBlock& b : blocks.all) {
        for (std::size_t c = 0; c < b.sources(); c += lanes) {
          std::size_t k = 0;
          for (; k + 8 <= b.targets; k += 8) pair_tile<8>(b, t, end, k, c);
          for (; k + 2 <= b.targets; k += 2) pair_tile<2>(b, t, end, k, c);
          if (k < b.targets) pair_tile<1>(b, t, end, k, c);
        }
        add_targets(b, d_state);
      }
      for (const HistoryBlocks::GramEdge& each : blocks.gram_edges) {
        d_gram[each.gram] += double{w.pairs[each.backward]};
      }
    }
  }

  void add_targets(const HistoryBlock& b, double* d_state) const {
    const RowTag<T> d;
    const std::size_t row = padded(b.sources());
    for (std::size_t k = 0; k < b.targets; ++k) {
      const T* from = w.pairs.data() + b.backward + k * row;
      auto sum = hn::Load(d, from);
      for (std::size_t c = hn::Lanes(d); c < row; c += hn::Lanes(d)) {
        sum = hn::Add(sum, hn::Load(d, from + c));
      }
      d_state[blocks.target[b.target + k]] += double{hn::GetLane(hn::SumOfLanes(d, sum))};
    }
  }
};

// w.forward from scores to exp(score - shift); padding: -inf.
template <class T>
HWY_INLINE void exp_forward(const HistoryBlocks& blocks, typename HistorySums<T>::Tables& w) {
  const RowTag<T> d;
  const auto none = hn::Set(d, ChainScores<T>::kForbidden);
  auto high = none, low = hn::Neg(none);
  for (std::size_t c = 0; c < blocks.forward; c += hn::Lanes(d)) {
    const auto v = hn::Load(d, w.forward.data() + c);
    high = hn::Max(high, v);
    low = hn::Min(low, hn::IfThenElse(hn::Eq(v, none), low, v));
  }
  const T top = hn::GetLane(hn::MaxOfLanes(d, high)), bottom = hn::GetLane(hn::MinOfLanes(d, low));
  w.shift = double{top};
  w.safe = blocks.all.empty() || double{top} - double{bottom} <= ScaledLimits<T>::kSpread;
  if (w.safe) exp_row(w.forward.data(), top, blocks.forward, w.forward.data());
}

template <class T>
HWY_INLINE bool sums_of(const HistoryBlocks& blocks, typename HistorySums<T>::Tables& w,
                        const ChainScores<T>& base, T* mu, double* d_state, double* d_gram,
                        double& log_z) {
  HistoryRecursion<T> recursion{blocks, w, base};
  if (!recursion.forward() || !recursion.backward(mu)) return false;
  recursion.add_pairs(d_state, d_gram);
  log_z = recursion.log_z.value();
  return true;
}

void exp_float(const HistoryBlocks& blocks, HistorySums<float>::Tables& w) {
  exp_forward<float>(blocks, w);
}
void exp_double(const HistoryBlocks& blocks, HistorySums<double>::Tables& w) {
  exp_forward<double>(blocks, w);
}
bool sums_float(const HistoryBlocks& blocks, HistorySums<float>::Tables& w,
                const ChainScores<float>& base, float* mu, double* d_state, double* d_gram,
                double& log_z) {
  return sums_of<float>(blocks, w, base, mu, d_state, d_gram, log_z);
}
bool sums_double(const HistoryBlocks& blocks, HistorySums<double>::Tables& w,
                 const ChainScores<double>& base, double* mu, double* d_state, double* d_gram,
                 double& log_z) {
  return sums_of<double>(blocks, w, base, mu, d_state, d_gram, log_z);
}

}  // namespace HWY_NAMESPACE
}  // namespace croft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croft {
namespace {

HWY_EXPORT(exp_float);
HWY_EXPORT(exp_double);
HWY_EXPORT(sums_float);
HWY_EXPORT(sums_double);

// Rows of `all`, each made by step(row before, row), until one is as the row before; none where
// that takes too long.
template <class Step>
std::vector<std::vector<bool>> until_same(std::vector<bool> first, const Step& step) {
  constexpr std::size_t kMostRows = 64;
  std::vector<std::vector<bool>> rows = {std::move(first)};
  while (rows.size() < kMostRows) {
    std::vector<bool> next(rows.back().size());
    step(rows.back(), next);
    if (next == rows.back()) return rows;
    rows.push_back(std::move(next));
  }
  return {};
}

template <class Real>
Matrix<Real> limits(const std::vector<std::vector<bool>>& rows, std::size_t stride) {
  Matrix<Real> out(rows.size(), stride, Real{0});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t s = 0; s < rows[r].size(); ++s) {
      if (rows[r][s]) out(r, s) = ScaledLimits<Real>::kSmallest;
    }
  }
  return out;
}

}  // namespace

HistoryBlocks::HistoryBlocks(const LabelHistories& of) : histories(of), place(of.size()) {
  const std::vector<Edge>& edges = of.edges;
  std::vector<std::size_t> edge;  // the first of each block
  std::size_t end = 0;
  for (std::size_t e = 0; e < edges.size(); e = end) {
    const Label from = edges[e].from;
    end = e;
    while (end < edges.size() && edges[end].from == from) ++end;
    const auto followers = std::span(edges).subspan(e, end - e);
    if (!all.empty() && all.back().last == from &&
        std::ranges::equal(followers, std::span(edges).subspan(edge.back(), all.back().targets), {},
                           &Edge::to, &Edge::to)) {
      ++all.back().last;
      continue;
    }
    all.push_back({.first = from,
                   .last = from + 1,
                   .target = static_cast<std::uint32_t>(target.size()),
                   .targets = static_cast<std::uint32_t>(followers.size())});
    edge.push_back(e);
    for (const Edge& each : followers) target.push_back(each.to);
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    HistoryBlock& b = all[k];
    b.forward = forward;
    b.backward = backward;
    b.sums = sums;
    forward += b.sources() * padded(b.targets);
    backward += b.targets * padded(b.sources());
    sums += padded(b.targets);
    for (std::size_t i = 0; i < b.sources() * b.targets; ++i) {
      const std::uint32_t gram = of.edge_gram[edge[k] + i];
      if (gram == LabelHistories::kNone) continue;
      const std::size_t source = i / b.targets, to = i % b.targets;
      gram_edges.push_back({gram, b.forward + source * padded(b.targets) + to,
                            b.backward + to * padded(b.sources()) + source});
    }
  }
  std::ranges::fill(place, sums);
  for (const HistoryBlock& b : all) {
    for (std::size_t k = 0; k < b.targets; ++k) place[target[b.target + k]] = b.sums + k;
  }
  for (Label j = 0; j < of.labels; ++j) {
    for (Label s = of.label_begin[j]; s < of.label_begin[j + 1]; s += kLanePadding) {
      label_runs.push_back({j, s});
    }
  }
  std::vector<bool> starts(of.size());
  for (const Label s : of.starts) starts[s] = true;
  const auto sources_in = [](const HistoryBlock& b, const std::vector<bool>& row) {
    const auto first = row.begin() + b.first;
    return std::find(first, row.begin() + b.last, true) != row.begin() + b.last;
  };
  reached = until_same(starts, [&](const std::vector<bool>& from, std::vector<bool>& to) {
    for (const HistoryBlock& b : all) {
      if (!sources_in(b, from)) continue;
      for (std::size_t k = 0; k < b.targets; ++k) to[target[b.target + k]] = true;
    }
  });
  completed = until_same(std::vector<bool>(of.size(), true), [&](const std::vector<bool>& from,
                                                                 std::vector<bool>& to) {
    for (const HistoryBlock& b : all) {
      const auto followers = std::span(target).subspan(b.target, b.targets);
      const bool any = std::ranges::any_of(followers, [&](Label s) { return from[s]; });
      if (any) std::fill(to.begin() + b.first, to.begin() + b.last, true);
    }
  });
}

template <class Real>
HistorySums<Real>::HistorySums(std::shared_ptr<const HistoryBlocks> blocks)
    : blocks_(std::move(blocks)), tied_(blocks_->histories.size()) {
  const LabelHistories& h = blocks_->histories;
  Tables& w = tables_;
  w.stride = padded(h.size()) + kLanePadding;
  w.place.assign(w.stride, static_cast<Index>(blocks_->sums));
  std::ranges::transform(blocks_->place, w.place.begin(),
                         [](std::size_t at) { return static_cast<Index>(at); });
  w.target_score.assign(blocks_->sums, ChainScores<Real>::kForbidden);
  w.forward.resize(blocks_->forward);
  w.backward.assign(blocks_->backward, Real{0});
  w.pairs.resize(blocks_->backward);
  w.reached = limits<Real>(blocks_->reached, w.stride);
  w.completed = limits<Real>(blocks_->completed, w.stride);
  w.beta.resize(w.stride);
  w.marginal.resize(w.stride);
  w.sums.assign(blocks_->sums + 1, Real{0});
  w.row.resize(padded(h.labels));
}

template <class Real>
void HistorySums<Real>::assign(std::span<const double> pair, std::span<const double> gram) {
  Tables& w = tables_;
  bool any_forbidden = false;
  tied_scores(blocks_->histories, pair, gram, std::span(tied_));
  for (const HistoryBlock& b : blocks_->all) {
    for (std::size_t k = 0; k < b.targets; ++k) {
      w.target_score[b.sums + k] = tied_[blocks_->target[b.target + k]];
      any_forbidden |= w.target_score[b.sums + k] == ChainScores<Real>::kForbidden;
    }
    const std::size_t row = padded(b.targets);
    for (std::size_t i = 0; i < b.sources(); ++i) {
      std::copy_n(w.target_score.data() + b.sums, row, w.forward.data() + b.forward + i * row);
    }
  }
  for (const HistoryBlocks::GramEdge& each : blocks_->gram_edges) {
    w.forward[each.forward] += static_cast<Real>(gram[each.gram]);
  }
  if constexpr (sizeof(Real) == 4) {
    HWY_DYNAMIC_DISPATCH(exp_float)(*blocks_, w);
  } else {
    HWY_DYNAMIC_DISPATCH(exp_double)(*blocks_, w);
  }
  w.safe = w.safe && !any_forbidden;
  if (!w.safe) return;
  for (const HistoryBlock& b : blocks_->all) {
    const Real* from = w.forward.data() + b.forward;
    Real* to = w.backward.data() + b.backward;
    const std::size_t row = padded(b.targets), column = padded(b.sources());
    for (std::size_t i = 0; i < b.sources(); ++i) {
      for (std::size_t k = 0; k < b.targets; ++k) to[k * column + i] = from[i * row + k];
    }
  }
}

template <class Real>
std::optional<double> HistorySums<Real>::marginals(const ChainScores<Real>& base, Real* mu,
                                                   std::span<double> d_state,
                                                   std::span<double> d_gram) {
  Tables& w = tables_;
  if (!w.safe) return std::nullopt;
  const std::size_t size = base.length() * w.stride;
  for (auto* table : {&w.emission, &w.alpha, &w.suffix}) {
    if (table->size() < size)
      table->resize(size);  // the room behind rows is of zeros, and stays so
  }
  double log_z = 0;
  bool done;
  if constexpr (sizeof(Real) == 4) {
    done = HWY_DYNAMIC_DISPATCH(sums_float)(*blocks_, w, base, mu, d_state.data(), d_gram.data(),
                                            log_z);
  } else {
    done = HWY_DYNAMIC_DISPATCH(sums_double)(*blocks_, w, base, mu, d_state.data(), d_gram.data(),
                                             log_z);
  }
  return done ? std::optional(log_z) : std::nullopt;
}

template class HistorySums<float>;
template class HistorySums<double>;

}  // namespace croft
#endif
