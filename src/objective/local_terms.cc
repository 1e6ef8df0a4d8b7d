#include "croft/objective/local_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/structure/factor_numbers.h"

namespace croft {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kMostOutcomes = std::uint64_t{1} << 20;

std::uint64_t hash_of(std::span<const std::uint32_t> places, std::uint32_t known) {
  std::uint64_t h = 0x9e3779b97f4a7c15 ^ known;
  for (const std::uint32_t each : places) {
    h = (h ^ each) * 0xff51afd7ed558ccd;
    h ^= h >> 32;
  }
  return h;
}

}  // namespace

class LocalTerms::Builder {
 public:
  Builder(LocalTerms& terms, std::span<const State> known)
      : t_(terms), graph_(terms.graph_), known_(known), x_(known.begin(), known.end()) {
    t_.numbers_.assign(graph_.numbers().begin(), graph_.numbers().end());
  }

  // The variables `free`, with the scores of `factors`; all others are as they are known.
  void add(std::span<const Variable> free, std::span<const Factor> factors) {
    Term term;
    std::uint64_t outcomes = 1;
    for (const Variable v : free) {
      term.known = static_cast<std::uint32_t>(term.known * graph_.states(v) + known_[v]);
      outcomes *= graph_.states(v);
      if (outcomes > kMostOutcomes) {
        throw Error("factor " + std::to_string(factors[0]) + " has more than " +
                    std::to_string(kMostOutcomes) + " joint states, too many for a local term");
      }
    }
    term.outcomes = static_cast<std::uint32_t>(outcomes);
    term.width = static_cast<std::uint32_t>(factors.size());
    term.first = t_.places_.size();
    if (outcomes < 2 || factors.empty()) return;
    for (const Variable v : free) x_[v] = 0;
    for (std::uint64_t o = 0; o < outcomes; ++o) {
      for (const Factor f : factors) t_.places_.push_back(place(f));
      for (std::size_t k = free.size(); k-- > 0;) {
        if (++x_[free[k]] < graph_.states(free[k])) break;
        x_[free[k]] = 0;
      }
    }
    for (const Variable v : free) x_[v] = known_[v];
    keep(term);
  }

 private:
  std::uint32_t place(Factor f) {
    at_.clear();
    for (const Variable v : graph_.scope(f)) at_.push_back(x_[v]);
    const std::uint64_t number = number_of(graph_, f, at_);
    if (number != kNoNumber) return static_cast<std::uint32_t>(number);
    const double score = graph_.score_of(f, at_);
    const auto [found, is_new] =
        fixed_.try_emplace(score, static_cast<std::uint32_t>(t_.numbers_.size()));
    if (is_new) t_.numbers_.push_back(score);
    return found->second;
  }

  std::span<const std::uint32_t> places(const Term& term) const {
    return std::span(t_.places_).subspan(term.first, std::size_t{term.outcomes} * term.width);
  }

  void keep(const Term& term) {
    const auto mine = places(term);
    const std::uint64_t hash = hash_of(mine, term.known);
    const auto [first, last] = seen_.equal_range(hash);
    for (auto each = first; each != last; ++each) {
      Term& other = t_.terms_[each->second];
      if (other.known == term.known && other.width == term.width &&
          std::ranges::equal(places(other), mine)) {
        other.count += 1;
        t_.places_.resize(term.first);
        return;
      }
    }
    seen_.emplace(hash, t_.terms_.size());
    t_.terms_.push_back(term);
  }

  LocalTerms& t_;
  const FactorGraph& graph_;
  std::span<const State> known_;
  std::vector<State> x_, at_;
  std::unordered_map<double, std::uint32_t> fixed_;
  std::unordered_multimap<std::uint64_t, std::size_t> seen_;
};

LocalTerms::LocalTerms(const FactorGraph& graph, std::span<const State> known, LocalKind kind)
    : graph_(graph) {
  const auto hidden = std::ranges::count(known, kUnobserved);
  if (hidden > 0) {
    throw UsageError("local objectives need the states of all variables, and " +
                     std::to_string(hidden) + " are hidden; take likelihood");
  }
  if (graph.numbers().size() >= 0x80000000) {
    throw Error("a graph with 2^31 scores or more; cut the data into groups");
  }
  Builder builder(*this, known);
  const FactorLists lists(graph);
  if (kind == LocalKind::pseudo_likelihood) {
    for (Variable v = 0; v < graph.variables(); ++v) builder.add(std::span(&v, 1), lists.of(v));
    return;
  }
  std::vector<Factor> around;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const std::span<const Variable> scope = graph.scope(f);
    switch (kind) {
      case LocalKind::piecewise:
        builder.add(scope, std::span(&f, 1));
        break;
      case LocalKind::piecewise_pseudo_likelihood:
        for (const Variable& v : scope) builder.add(std::span(&v, 1), std::span(&f, 1));
        break;
      default:
        // A variable with factors of its own alone would otherwise be in no term.
        if (scope.size() == 1 && lists.of(scope[0]).size() > 1) {
          const bool joined = std::ranges::any_of(
              lists.of(scope[0]), [&](Factor g) { return graph.scope(g).size() > 1; });
          if (joined || lists.of(scope[0])[0] != f) break;
        }
        around.clear();
        for (const Variable v : scope) {
          around.insert(around.end(), lists.of(v).begin(), lists.of(v).end());
        }
        std::ranges::sort(around);
        around.erase(std::ranges::unique(around).begin(), around.end());
        builder.add(scope, around);
    }
  }
}

// log(1 + exp d) and its derivative, where d is the other outcome's score less the known one's.
double LocalTerms::evaluate_two(const Term& term, std::span<double> gradient) const {
  const std::uint32_t* zero = places_.data() + term.first;
  const std::uint32_t* one = zero + term.width;
  if (term.known == 1) std::swap(zero, one);
  double d = 0;
  for (std::uint32_t k = 0; k < term.width; ++k) d += numbers_[one[k]] - numbers_[zero[k]];
  const double e = std::exp(-std::abs(d));
  const double p = term.count * (d > 0 ? 1 / (1 + e) : e / (1 + e));
  for (std::uint32_t k = 0; k < term.width; ++k) {
    gradient[one[k]] += p;
    gradient[zero[k]] -= p;
  }
  return term.count * (std::max(d, 0.0) + std::log1p(e));
}

double LocalTerms::evaluate(std::span<double> gradient) {
  std::ranges::copy(graph_.numbers(), numbers_.begin());
  // Of the scores that no number says the derivative goes nowhere.
  std::vector<double> whole;
  std::span<double> out = gradient;
  if (numbers_.size() > gradient.size()) {
    whole.assign(numbers_.size(), 0);
    out = whole;
  }
  CompensatedSum value;
  for (const Term& term : terms_) {
    const std::uint32_t* places = places_.data() + term.first;
    score_.assign(term.outcomes, 0);
    double high = -kInf;
    for (std::uint32_t o = 0; o < term.outcomes; ++o) {
      for (std::uint32_t k = 0; k < term.width; ++k) {
        score_[o] += numbers_[places[std::size_t{o} * term.width + k]];
      }
      high = std::max(high, score_[o]);
    }
    const double known = score_[term.known];
    if (known == -kInf) return kInf;
    if (term.outcomes == 2 && std::min(score_[0], score_[1]) > -kInf) {
      value.add(evaluate_two(term, out));
      continue;
    }
    double sum = 0;
    for (double& each : score_) sum += each = std::exp(each - high);
    for (std::uint32_t o = 0; o < term.outcomes; ++o) {
      const double p = term.count * (score_[o] / sum - (o == term.known ? 1 : 0));
      if (p == 0) continue;
      for (std::uint32_t k = 0; k < term.width; ++k) {
        out[places[std::size_t{o} * term.width + k]] += p;
      }
    }
    value.add(term.count * (high + std::log(sum) - known));
  }
  if (!whole.empty()) {
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += whole[k];
  }
  return value.value();
}

}  // namespace croft
