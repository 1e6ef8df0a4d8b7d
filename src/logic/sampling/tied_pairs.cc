#include "logic/sampling/tied_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>

namespace croft {
namespace {

constexpr double kLeastTie = 1;             // that counts: the strength of a pair
constexpr std::size_t kMostWork = 1 << 28;  // literals looked at for clauses that pairs share
constexpr std::size_t kPairWork = 64;

struct Tie {
  std::uint32_t first = 0, second = 0;
  std::array<double, 4> weight{};  // by the signs of the literals

  // How much more they are tied one way than the other way; as much both ways, they are equal or
  // opposite in a slice, too, and move there.
  double strength() const {
    double most = 0;
    for (std::size_t signs = 0; signs < 4; ++signs) {
      most = std::max(most, weight[signs] - weight[3 - signs]);  // not a number: both are hard
    }
    return most;
  }
};

// Each pair once, the strongest ones first.
std::vector<Tie> ties_of(const UndecidedClauses& clauses) {
  std::vector<Tie> all, out;
  for (std::size_t i = 0; i < clauses.clauses(); ++i) {
    const auto literals = clauses.of(i);
    if (literals.size() != 2 || clauses.weights[i] < 0) continue;
    const auto [low, high] = std::minmax(literals[0], literals[1]);
    if (clauses.block_of[low / 2] != UndecidedClauses::kNoBlock ||
        clauses.block_of[high / 2] != UndecidedClauses::kNoBlock) {
      continue;
    }
    Tie tie{.first = low / 2, .second = high / 2};
    tie.weight[2 * (low & 1) + (high & 1)] = clauses.weights[i];
    all.push_back(tie);
  }
  std::ranges::sort(all, {}, [](const Tie& tie) { return std::tie(tie.first, tie.second); });
  for (const Tie& each : all) {
    const bool is_new =
        out.empty() || out.back().first != each.first || out.back().second != each.second;
    if (is_new) out.push_back({.first = each.first, .second = each.second});
    for (std::size_t signs = 0; signs < 4; ++signs) out.back().weight[signs] += each.weight[signs];
  }
  std::erase_if(out, [](const Tie& tie) { return tie.strength() < kLeastTie; });
  std::ranges::stable_sort(out, std::greater<>(), &Tie::strength);
  return out;
}

}  // namespace

TiedPairs::TiedPairs(const UndecidedClauses& clauses) : clauses_(clauses) {
  std::size_t work = 0;
  for (const Tie& tie : ties_of(clauses)) {
    if (work > kMostWork) break;
    Pair& pair = pairs_.emplace_back(Pair{.first = tie.first, .second = tie.second});
    work += add_shared(pair);
  }
}

// Returns how many literals it has looked at.
std::size_t TiedPairs::add_shared(Pair& pair) {
  std::size_t work = 0;
  pair.begin = shared_.size();
  for (const std::uint32_t literal : {2 * pair.first, 2 * pair.first + 1}) {
    for (const std::uint32_t clause : clauses_.uses(literal)) {
      const auto literals = clauses_.of(clause);
      work += literals.size();
      const auto other =
          std::ranges::find(literals, pair.second, [](std::uint32_t each) { return each / 2; });
      if (other == literals.end()) continue;
      shared_.push_back({clause, (literal & 1) != 0, (*other & 1) != 0});
    }
  }
  pair.end = shared_.size();
  return work;
}

// Costs are w where no literal is true, and so the gain of both is the sum of their gains but for
// the clauses that they share.
double TiedPairs::gain_of_both(const GroundWalk& walk, const Pair& pair, double first,
                               double second) const {
  double gain = first + second;
  const bool a = walk.values()[pair.first] != 0, b = walk.values()[pair.second] != 0;
  for (std::uint64_t i = pair.begin; i < pair.end; ++i) {
    const SharedClause& each = shared_[i];
    const auto held = static_cast<int>(walk.true_literals(each.clause));
    const int by_first = a != each.first_negated ? -1 : 1;
    const int by_second = b != each.second_negated ? -1 : 1;
    const auto is_false = [](int literals) { return literals == 0 ? 1 : 0; };
    const int times = is_false(held + by_first + by_second) - is_false(held + by_first) -
                      is_false(held + by_second) + is_false(held);
    if (times != 0) gain += times * walk.cost_of(each.clause);
  }
  return gain;
}

void TiedPairs::sweep(GroundWalk& walk, Random& random, const StepCheck& goes_on) const {
  StepWork work(goes_on);
  for (const Pair& pair : pairs_) {
    work.add(kPairWork + (pair.end - pair.begin));
    const double first = walk.gain(pair.first), second = walk.gain(pair.second);
    // As they are, the first one changed, the second one, both.
    const std::array gains{0., first, second, gain_of_both(walk, pair, first, second)};
    const double least = *std::ranges::min_element(gains);
    std::array<double, 4> weight{};
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += weight[i] = std::exp(least - gains[i]);
    double left = random.uniform() * sum;
    std::size_t drawn = 0;
    while (drawn < 3 && left >= weight[drawn]) left -= weight[drawn++];
    if ((drawn & 1) != 0) walk.flip(pair.first);
    if ((drawn & 2) != 0) walk.flip(pair.second);
  }
  walk.clear_changes();
}

}  // namespace croft
