#include "features/kit/brown_clustering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/matrix.h"

namespace croft {
namespace {

constexpr std::size_t kPending = std::size_t{1} << 22;  // pairs that are sorted together
constexpr std::uint32_t kNone = 0xFFFFFFFF;

// n log n, in a table for the counts that are frequent.
class Entropy {
 public:
  explicit Entropy(std::uint64_t largest) {
    table_.resize(std::min<std::uint64_t>(largest, std::uint64_t{1} << 20) + 1);
    for (std::size_t n = 2; n < table_.size(); ++n) table_[n] = of(n);
  }
  double operator()(std::uint64_t n) const { return n < table_.size() ? table_[n] : of(n); }

 private:
  static double of(std::uint64_t n) {
    return static_cast<double>(n) * std::log(static_cast<double>(n));
  }
  std::vector<double> table_;
};

// The tables of the window.  Everything is in units of N * (WC.1), N the number of pairs: with
// f(n) = n log n, N * quality = sum_ab f(c_ab) - sum_a f(l_a) - sum_b f(r_b) + f(N), and a merge
// loses a sum of g(m, n) = f(m) + f(n) - f(m + n), which is 0 where m or n is (WC.2).
class Window {
 public:
  Window(std::size_t slots, std::uint64_t pairs)
      : f_(pairs),
        out_(slots, slots, 0),
        in_(slots, slots, 0),
        shared_(slots, slots, 0.0),
        loss_(slots, slots, 0.0),
        left_(slots, 0),
        right_(slots, 0),
        used_(slots, false),
        row_(slots) {}

  struct Neighbour {
    std::uint32_t slot;
    std::uint64_t count;
  };
  // A new cluster in a free slot, with its pairs with the others and (slot `k`) with itself.
  void add(std::uint32_t k, const std::vector<Neighbour>& followers,
           const std::vector<Neighbour>& predecessors, std::uint64_t self);
  // The two to merge: first < second.
  struct Pair {
    std::uint32_t first, second;
  };
  Pair best() const;
  // Returns the slot that has both from now on; the other one is free.
  std::uint32_t merge(Pair pair);
  double quality() const;

 private:
  double g(std::uint64_t m, std::uint64_t n) const {
    return m == 0 || n == 0 ? 0 : f_(m) + f_(n) - f_(m + n);
  }
  double& at(Matrix<double>& table, std::uint32_t a, std::uint32_t b) {
    return a < b ? table(a, b) : table(b, a);
  }
  double own_terms(std::uint32_t a, std::uint32_t b) const;
  void refresh(std::uint32_t a);
  void merge_columns(const Matrix<std::uint32_t>& of, std::uint32_t a, std::uint32_t b);
  void grow_row(const Matrix<std::uint32_t>& of, const Matrix<std::uint32_t>& others,
                std::uint32_t a, std::uint32_t b);
  std::size_t neighbours(std::uint32_t a) const;

  Entropy f_;
  Matrix<std::uint32_t> out_, in_;  // c_ab, and its transpose
  Matrix<double> shared_;  // [a][b], a < b: sum over all x of g(c_ax, c_bx) + g(c_xa, c_xb)
  Matrix<double> loss_;    // likewise: what merging a and b loses
  std::vector<std::uint64_t> left_, right_;  // l_a, r_a
  std::vector<bool> used_;
  std::vector<double> row_;  // scratch
  std::uint64_t total_ = 0;
  std::uint32_t end_ = 0;  // behind the last slot that was ever used
};

// What is to be added to shared_[a][b] for the loss: the four counts between a and b become one,
// and so do the totals.
double Window::own_terms(std::uint32_t a, std::uint32_t b) const {
  const std::uint64_t aa = out_(a, a), ab = out_(a, b), ba = out_(b, a), bb = out_(b, b);
  const double counted = g(aa, ba) + g(aa, ab) + g(ab, bb) + g(ba, bb);
  const double block = f_(aa) + f_(ab) + f_(ba) + f_(bb) - f_(aa + ab + ba + bb);
  return block - counted - g(left_[a], left_[b]) - g(right_[a], right_[b]);
}

// The losses of a with all others, from shared_.
void Window::refresh(std::uint32_t a) {
  for (std::uint32_t d = 0; d < end_; ++d) {
    if (d == a || !used_[d]) continue;
    at(loss_, a, d) = at(shared_, a, d) + own_terms(std::min(a, d), std::max(a, d));
  }
}

void Window::add(std::uint32_t k, const std::vector<Neighbour>& followers,
                 const std::vector<Neighbour>& predecessors, std::uint64_t self) {
  used_[k] = true;
  end_ = std::max(end_, k + 1);
  const auto count = [&](std::uint32_t a, std::uint32_t b, std::uint64_t n) {
    out_(a, b) = static_cast<std::uint32_t>(n);
    in_(b, a) = static_cast<std::uint32_t>(n);
    left_[a] += n;
    right_[b] += n;
    total_ += n;
  };
  if (self > 0) count(k, k, self);
  for (const Neighbour& x : followers) count(k, x.slot, x.count);
  for (const Neighbour& x : predecessors) count(x.slot, k, x.count);
  // Others share k as a neighbour.
  for (const auto* list : {&followers, &predecessors}) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      for (std::size_t j = i + 1; j < list->size(); ++j) {
        const Neighbour &d = (*list)[i], &e = (*list)[j];
        at(shared_, d.slot, e.slot) += g(d.count, e.count);
        at(loss_, d.slot, e.slot) += g(d.count, e.count);
      }
    }
  }
  // k shares its neighbours with others.
  std::fill(row_.begin(), row_.begin() + end_, 0.0);
  for (std::uint32_t x = 0; x < end_; ++x) {
    const std::uint32_t forth = out_(k, x), back = in_(k, x);
    for (std::uint32_t d = 0; forth > 0 && d < end_; ++d) row_[d] += g(forth, in_(x, d));
    for (std::uint32_t d = 0; back > 0 && d < end_; ++d) row_[d] += g(back, out_(x, d));
  }
  for (std::uint32_t d = 0; d < end_; ++d) {
    if (d != k && used_[d]) at(shared_, k, d) = row_[d];
  }
  refresh(k);
  // Their totals have changed.
  for (const Neighbour& x : followers) refresh(x.slot);
  for (const Neighbour& x : predecessors) refresh(x.slot);
}

// Ties are those within rounding: the first of them in order of slots.
Window::Pair Window::best() const {
  constexpr double kTie = 1e-7;
  Pair best{kNone, kNone};
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t a = 0; a < end_; ++a) {
    if (!used_[a]) continue;
    const double* const row = loss_.row(a);
    for (std::uint32_t b = a + 1; b < end_; ++b) {
      if (row[b] < least - kTie && used_[b]) {
        least = row[b];
        best = {a, b};
      }
    }
  }
  return best;
}

std::size_t Window::neighbours(std::uint32_t a) const {
  std::size_t found = 0;
  for (std::uint32_t x = 0; x < end_; ++x) found += (out_(a, x) > 0) + (in_(a, x) > 0);
  return found;
}

// Columns a and b of a table (rows of its transpose `of`) become one: what pairs of other clusters
// share in them.  Nothing changes for pairs of which neither has b.
void Window::merge_columns(const Matrix<std::uint32_t>& of, std::uint32_t a, std::uint32_t b) {
  struct Member {
    std::uint32_t slot;
    std::uint64_t u, v;  // its counts with a and b
    double own;
  };
  std::vector<Member> with_b, only_a;
  for (std::uint32_t d = 0; d < end_; ++d) {
    if (d == a || d == b || !used_[d]) continue;
    const std::uint64_t u = of(a, d), v = of(b, d);
    if (u + v == 0) continue;
    (v > 0 ? with_b : only_a).push_back({d, u, v, f_(u + v) - f_(u) - f_(v)});
  }
  const auto change = [&](const Member& d, const Member& e) {
    const double gained = d.own + e.own + f_(d.u + e.u) + f_(d.v + e.v) - f_(d.u + d.v + e.u + e.v);
    at(shared_, d.slot, e.slot) += gained;
    at(loss_, d.slot, e.slot) += gained;
  };
  for (std::size_t i = 0; i < with_b.size(); ++i) {
    for (std::size_t j = i + 1; j < with_b.size(); ++j) change(with_b[i], with_b[j]);
    for (const Member& e : only_a) change(with_b[i], e);
  }
}

// row_[d] += what a shares more with d once it has b's counts, over the neighbours x of b that are
// neither a nor b.
void Window::grow_row(const Matrix<std::uint32_t>& of, const Matrix<std::uint32_t>& others,
                      std::uint32_t a, std::uint32_t b) {
  for (std::uint32_t x = 0; x < end_; ++x) {
    const std::uint64_t more = of(b, x), before = of(a, x);
    if (more == 0 || x == a || x == b) continue;
    const std::uint64_t after = before + more;
    const double own = f_(after) - f_(before);
    const std::uint32_t* const column = others.row(x);
    for (std::uint32_t d = 0; d < end_; ++d) {
      const std::uint64_t n = column[d];
      if (n > 0) row_[d] += own - f_(after + n) + f_(before + n);
    }
  }
}

std::uint32_t Window::merge(Pair pair) {
  std::uint32_t a = pair.first, b = pair.second;
  if (neighbours(a) < neighbours(b)) std::swap(a, b);  // the work is that of b's neighbours
  merge_columns(in_, a, b);
  merge_columns(out_, a, b);
  // What a shares with d in the columns a and b, before and after, is said apart.
  const auto in_own_columns = [&](std::uint32_t d) {
    return g(out_(a, a), out_(d, a)) + g(out_(a, a), out_(a, d)) + g(out_(a, b), out_(d, b)) +
           g(out_(b, a), out_(b, d));
  };
  for (std::uint32_t d = 0; d < end_; ++d) {
    row_[d] = d == a || d == b || !used_[d] ? 0 : at(shared_, a, d) - in_own_columns(d);
  }
  grow_row(out_, in_, a, b);
  grow_row(in_, out_, a, b);

  for (std::uint32_t x = 0; x < end_; ++x) {
    if (x == a || x == b) continue;
    out_(a, x) += std::exchange(out_(b, x), 0);
    in_(a, x) += std::exchange(in_(b, x), 0);
    in_(x, a) = out_(a, x);
    out_(x, a) = in_(a, x);
    in_(x, b) = out_(x, b) = 0;
  }
  out_(a, a) += out_(a, b) + out_(b, a) + out_(b, b);
  in_(a, a) = out_(a, a);
  for (Matrix<std::uint32_t>* table : {&out_, &in_}) {
    (*table)(a, b) = (*table)(b, a) = (*table)(b, b) = 0;
  }
  left_[a] += std::exchange(left_[b], 0);
  right_[a] += std::exchange(right_[b], 0);
  used_[b] = false;
  for (std::uint32_t d = 0; d < end_; ++d) {
    if (d == a || !used_[d]) continue;
    at(shared_, a, d) = row_[d] + g(out_(a, a), out_(d, a)) + g(out_(a, a), out_(a, d));
  }
  refresh(a);
  return a;
}

double Window::quality() const {
  if (total_ == 0) return 0;
  double sum = f_(total_);
  for (std::uint32_t a = 0; a < end_; ++a) {
    sum -= f_(left_[a]) + f_(right_[a]);
    for (std::uint32_t b = 0; b < end_; ++b) sum += f_(out_(a, b));
  }
  return sum / static_cast<double>(total_);
}

// The pairs of each word with those before it in the order, and with itself.
struct WordPairs {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> followers, predecessors;  // word, count
  std::uint64_t self = 0;
};

std::vector<WordPairs> pairs_by_word(const BigramCounts::Kept& kept) {
  std::vector<WordPairs> by_word(kept.word.size());
  for (const auto& [first, second, count] : kept.pairs) {
    if (first == second) {
      by_word[first].self = count;
    } else if (first > second) {
      by_word[first].followers.emplace_back(second, count);
    } else {
      by_word[second].predecessors.emplace_back(first, count);
    }
  }
  return by_word;
}

// Words, and what they were merged into; and the tree of the last merges.
class Members {
 public:
  explicit Members(std::size_t words) : parent_(words) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t find(std::uint32_t word) {
    while (parent_[word] != word) word = parent_[word] = parent_[parent_[word]];
    return word;
  }
  void join(std::uint32_t into, std::uint32_t from) { parent_[find(from)] = find(into); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

void BigramCounts::add(std::span<const std::string_view> sentence) {
  std::uint32_t last = kUnknown;
  for (const std::string_view token : sentence) {
    const std::uint32_t word = words_.insert(token);
    if (word == counts_.size()) counts_.push_back(0);
    ++counts_[word];
    if (last != kUnknown) pending_.push_back(std::uint64_t{last} << 32 | word);
    last = word;
  }
  tokens_ += sentence.size();
  if (pending_.size() >= kPending) compact();
}

void BigramCounts::compact() {
  std::ranges::sort(pending_);
  std::vector<Counted> merged;
  std::size_t old = 0;
  for (std::size_t k = 0; k < pending_.size();) {
    const std::uint64_t pair = pending_[k];
    std::size_t end = k + 1;
    while (end < pending_.size() && pending_[end] == pair) ++end;
    while (old < counted_.size() && counted_[old].pair < pair) merged.push_back(counted_[old++]);
    const bool known = old < counted_.size() && counted_[old].pair == pair;
    merged.push_back({pair, end - k + (known ? counted_[old++].count : 0)});
    k = end;
  }
  merged.insert(merged.end(), counted_.begin() + static_cast<std::ptrdiff_t>(old), counted_.end());
  counted_ = std::move(merged);
  pending_.clear();
}

BigramCounts::Kept BigramCounts::kept(std::uint64_t min_count) {
  compact();
  Kept kept;
  for (std::uint32_t word = 0; word < counts_.size(); ++word) {
    if (counts_[word] >= min_count) kept.word.push_back(word);
  }
  std::ranges::stable_sort(kept.word, std::greater<>(),
                           [&](std::uint32_t word) { return counts_[word]; });
  std::vector<std::uint32_t> place(counts_.size(), kNone);
  for (std::uint32_t k = 0; k < kept.word.size(); ++k) {
    place[kept.word[k]] = k;
    kept.count.push_back(counts_[kept.word[k]]);
  }
  for (const Counted& each : counted_) {
    const std::uint32_t first = place[each.pair >> 32], second = place[each.pair & 0xFFFFFFFF];
    if (first != kNone && second != kNone) kept.pairs.push_back({first, second, each.count});
  }
  std::ranges::sort(kept.pairs, {},
                    [](const Kept::Pair& pair) { return std::pair(pair.first, pair.second); });
  return kept;
}

BrownClustering brown_clusters(const BigramCounts::Kept& kept, const BrownOptions& options) {
  if (options.clusters == 0 || options.clusters > kMostBrownClusters) {
    throw UsageError("the number of clusters is not from 1 to " +
                     std::to_string(kMostBrownClusters));
  }
  std::uint64_t total = 0;
  for (const auto& pair : kept.pairs) total += pair.count;
  if (total > kNone) throw Error("more than 2^32 - 1 pairs of neighbours; take less text");
  const std::size_t words = kept.word.size();
  const std::size_t clusters = std::min(options.clusters, words);
  BrownClustering result;
  if (words == 0) {
    result.finished = true;
    return result;
  }
  const auto go_on = [&](std::size_t done) {
    return !options.progress || options.progress(done, words);
  };

  Window window(clusters + 1, total);
  Members members(words);
  std::vector<std::uint32_t> word_of(clusters + 1, kNone), slot_of(words, kNone);
  const std::vector<WordPairs> pairs = pairs_by_word(kept);
  std::uint32_t free_slot = 0;
  std::vector<std::uint64_t> sum(clusters + 1, 0);
  std::vector<Window::Neighbour> followers, predecessors;
  const auto by_cluster = [&](const auto& of_words, std::vector<Window::Neighbour>& out) {
    out.clear();
    for (const auto& [word, count] : of_words) sum[slot_of[members.find(word)]] += count;
    for (std::uint32_t slot = 0; slot < sum.size(); ++slot) {
      if (sum[slot] > 0) out.push_back({slot, std::exchange(sum[slot], 0)});
    }
  };
  const auto merge = [&](Window::Pair pair) {
    const std::uint32_t kept_slot = window.merge(pair);
    const std::uint32_t freed = kept_slot == pair.first ? pair.second : pair.first;
    members.join(word_of[kept_slot], word_of[freed]);
    const std::uint32_t root = members.find(word_of[kept_slot]);
    word_of[kept_slot] = root;
    slot_of[root] = kept_slot;
    return freed;
  };
  for (std::uint32_t word = 0; word < words; ++word) {
    by_cluster(pairs[word].followers, followers);
    by_cluster(pairs[word].predecessors, predecessors);
    window.add(free_slot, followers, predecessors, pairs[word].self);
    word_of[free_slot] = word;
    slot_of[word] = free_slot;
    if (word < clusters) {
      ++free_slot;
    } else {
      free_slot = merge(window.best());
    }
    if (word % 64 == 0 && !go_on(word)) return result;
  }
  result.quality = window.quality();

  // Clusters in the order of their most frequent words.
  std::vector<std::uint32_t> number(words, kNone);
  result.cluster.resize(words);
  for (std::uint32_t word = 0, next = 0; word < words; ++word) {
    std::uint32_t& cluster = number[members.find(word)];
    if (cluster == kNone) cluster = next++;
    result.cluster[word] = cluster;
  }
  // Down to one cluster: the later a merge, the nearer to the root is its bit.
  std::vector<std::vector<std::uint32_t>> below(clusters + 1);  // clusters of each slot
  for (std::uint32_t slot = 0; slot <= clusters; ++slot) {
    if (word_of[slot] != kNone && slot != free_slot)
      below[slot] = {number[members.find(word_of[slot])]};
  }
  result.paths.resize(clusters);
  for (std::size_t left = clusters; left > 1; --left) {
    const Window::Pair pair = window.best();
    const std::uint32_t into = window.merge(pair);
    const std::uint32_t from = into == pair.first ? pair.second : pair.first;
    for (const std::uint32_t c : below[pair.first]) result.paths[c] += '0';
    for (const std::uint32_t c : below[pair.second]) result.paths[c] += '1';
    below[into].insert(below[into].end(), below[from].begin(), below[from].end());
    below[from].clear();
    if (!go_on(words)) return {};
  }
  for (std::string& path : result.paths) std::ranges::reverse(path);
  result.finished = true;
  return result;
}

}  // namespace croft
