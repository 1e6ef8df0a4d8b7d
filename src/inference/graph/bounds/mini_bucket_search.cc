#include "inference/graph/bounds/mini_bucket_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/infinity.h"

namespace croft {
namespace {

constexpr std::size_t kFewestKnown = 1 << 11, kMostKnown = 1 << 20;  // 24 MB at most

std::uint64_t mixed(std::uint64_t a) {
  a = (a ^ (a >> 31)) * 0x9e3779b97f4a7c15;
  return a ^ (a >> 29);
}

std::uint64_t index_of(const MiniBuckets::Function& f, const std::vector<State>& x) {
  std::uint64_t index = 0;
  for (std::size_t k = 0; k < f.scope.size(); ++k) index += f.strides[k] * x[f.scope[k]];
  return index;
}

}  // namespace

MiniBucketSearch::MiniBucketSearch(const MiniBuckets& buckets)
    : buckets_(buckets),
      x_(buckets.places(), 0),
      levels_(buckets.places()),
      kept_(buckets.places(), 0),
      known_(kFewestKnown) {
  for (Place v = 0; v < buckets.places(); ++v) {
    double log2_states = 0;
    for (const Place u : buckets.context(v)) {
      log2_states += std::log2(static_cast<double>(buckets.states(u)));
    }
    // Where all above is in the context, it never comes back.
    const Place above = buckets.parent(v);
    const bool returns = above != MiniBuckets::kNowhere &&
                         buckets.context(v).size() <= buckets.context(above).size();
    kept_[v] = returns && log2_states < 60 && !buckets.exact_below(v);
  }
}

std::uint64_t MiniBucketSearch::context_number(Place v) const {
  std::uint64_t number = 0;
  for (const Place u : buckets_.context(v)) number = number * buckets_.states(u) + x_[u];
  return number;
}

MiniBucketSearch::Known& MiniBucketSearch::known(Place v, std::uint64_t context) {
  return known_[mixed(context * 0x2545f4914f6cdd1d + v) % known_.size()];
}

void MiniBucketSearch::keep(const Known& what) {
  if (++kept_since_ > known_.size() && known_.size() < kMostKnown) {
    kept_since_ = 0;
    const std::vector<Known> old = std::exchange(known_, std::vector<Known>(8 * known_.size()));
    for (const Known& each : old) {
      if (each.v != MiniBuckets::kNowhere) known(each.v, each.context) = each;
    }
  }
  known(what.v, what.context) = what;
}

double MiniBucketSearch::crossing(Place v) const {
  double sum = 0;
  for (const std::uint32_t id : buckets_.crossing(v)) {
    const auto& f = buckets_.functions()[id];
    sum += f.values[index_of(f, x_)];
  }
  return sum;
}

void MiniBucketSearch::expand(Place v) {
  Level& level = levels_[v];
  const std::size_t n = buckets_.states(v);
  const auto& children = buckets_.children(v);
  level.bounds.resize(n);
  level.below.resize(n * children.size());
  level.found.resize(children.size());
  level.tries.resize(n);
  std::ranges::fill(level.bounds, 0.0);
  x_[v] = 0;
  for (const std::uint32_t id : buckets_.factors_at(v)) {
    const auto& f = buckets_.functions()[id];
    const double* row = f.values.data() + index_of(f, x_);
    for (std::size_t s = 0; s < n; ++s) level.bounds[s] += row[s];
  }
  for (std::size_t c = 0; c < children.size(); ++c) {
    double above = 0;  // of messages that go past v
    double* below = level.below.data() + c * n;
    std::fill_n(below, n, 0.0);
    for (const std::uint32_t id : buckets_.crossing(children[c])) {
      const auto& f = buckets_.functions()[id];
      const double* row = f.values.data() + index_of(f, x_);
      if (f.scope.empty() || f.scope.back() != v) {
        above += *row;
      } else {
        for (std::size_t s = 0; s < n; ++s) below[s] += row[s];
      }
    }
    for (std::size_t s = 0; s < n; ++s) {
      below[s] += above;
      level.bounds[s] += below[s];
    }
  }
  std::iota(level.tries.begin(), level.tries.end(), State{0});
  std::ranges::stable_sort(level.tries, std::greater<>(), [&](State s) { return level.bounds[s]; });
}

MiniBucketSearch::Value MiniBucketSearch::solve_state(Place v, State s, double target) {
  Level& level = levels_[v];
  const auto& children = buckets_.children(v);
  const std::size_t n = buckets_.states(v);
  Value value{level.bounds[s], true};
  for (std::size_t c = 0; c < children.size(); ++c) {
    const double bound = level.below[c * n + s];
    x_[v] = s;
    const Value of_child = solve(children[c], bound, target - (value.score - bound));
    if (stopped_) return {kInf, false};
    level.found[c] = of_child.score;
    value.score += of_child.score - bound;
    value.reached = value.reached && of_child.reached;
    if (value.score <= target) return {value.score, value.reached && c + 1 == children.size()};
  }
  return value;
}

// Exact where more than `target`.
MiniBucketSearch::Value MiniBucketSearch::solve(Place v, double bound, double target) {
  if (buckets_.exact_below(v)) return {bound, true};
  if (bound <= target) return {bound, false};
  if (!(*goes_on_)()) stopped_ = true;
  if (stopped_) return {kInf, false};
  const std::uint64_t context = kept_[v] ? context_number(v) : 0;
  if (kept_[v]) {
    const Known& seen = known(v, context);
    if (seen.v == v && seen.context == context && (seen.reached || seen.score <= target)) {
      return {seen.score, seen.reached};
    }
  }
  expand(v);
  double reached = -kInf, most = -kInf;  // by an assignment; that none exceeds
  for (const State s : levels_[v].tries) {
    const double limit = std::max(target, reached);
    if (levels_[v].bounds[s] <= limit) {
      most = std::max(most, levels_[v].bounds[s]);
      break;
    }
    const Value value = solve_state(v, s, limit);
    if (stopped_) return {kInf, false};
    most = std::max(most, value.score);
    if (value.reached) reached = std::max(reached, value.score);
  }
  const Value value{std::max(most, reached), reached >= most};
  if (kept_[v]) keep({v, value.reached, context, value.score});
  return value;
}

// Goes down again where a value is reached; what has been found out makes that quick.
bool MiniBucketSearch::decode(Place v, double score) {
  expand(v);
  const double slack = 1e-9 * std::max(1.0, std::abs(score));
  const Level& level = levels_[v];
  for (const State s : level.tries) {
    if (level.bounds[s] < score - slack) break;
    const Value value = solve_state(v, s, score - 2 * slack);
    if (stopped_) return false;
    if (!value.reached || value.score < score - slack) continue;
    x_[v] = s;
    const auto& children = buckets_.children(v);
    for (std::size_t c = 0; c < children.size(); ++c) {
      if (!decode(children[c], level.found[c])) return false;
    }
    return true;
  }
  return false;
}

const std::vector<State>& MiniBucketSearch::guess() {
  for (std::size_t v = x_.size(); v-- > 0;) {
    expand(static_cast<Place>(v));
    x_[v] = levels_[v].tries[0];
  }
  return x_;
}

MiniBucketSearch::Outcome MiniBucketSearch::run(double target,
                                                const std::function<bool()>& goes_on) {
  goes_on_ = &goes_on;
  stopped_ = false;
  double sum = buckets_.bound();
  bool reached = true;
  std::vector<double> scores;
  for (const Place root : buckets_.roots()) {
    if (sum <= target) return Outcome::none;
    const double bound = crossing(root);
    const Value value = solve(root, bound, target - (sum - bound));
    if (stopped_) return Outcome::stopped;
    sum += value.score - bound;
    reached = reached && value.reached;
    scores.push_back(value.score);
  }
  if (sum <= target || !reached) return Outcome::none;
  for (std::size_t r = 0; r < scores.size(); ++r) {
    if (!decode(buckets_.roots()[r], scores[r])) return Outcome::stopped;
  }
  best_ = sum;
  return Outcome::found;
}

}  // namespace croft
