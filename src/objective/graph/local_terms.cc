#include "objective/graph/local_terms.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "objective/graph/local_terms_kernels.h"
#include "structure/counting.h"
#include "structure/factor_numbers.h"

namespace croft {
namespace {

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
  Builder(LocalTerms& terms, std::span<const State> known, std::span<const double> weight = {})
      : t_(terms),
        graph_(terms.graph_),
        known_(known),
        weight_(weight),
        x_(known.begin(), known.end()) {
    t_.numbers_.assign(graph_.numbers().begin(), graph_.numbers().end());
  }

  // The variables `free`, with the scores of `factors`; all others are as they are known.
  void add(std::span<const Variable> free, std::span<const Factor> factors) {
    if (factors.size() == 1 && free.size() == graph_.scope(factors[0]).size() &&
        graph_.potential(graph_.potential_of(factors[0])).kind == PotentialKind::cardinality) {
      return add_counting(factors[0]);
    }
    Term term;
    if (free.size() == 1 && !weight_.empty()) term.count = weight_[free[0]];
    std::uint64_t outcomes = 1;
    for (const Variable v : free) {
      term.known = static_cast<std::uint32_t>(term.known * graph_.states(v) + known_[v]);
      outcomes *= graph_.states(v);
      if (outcomes > kMostOutcomes) {
        const std::string what = factors.size() == 1 ? "a clique" : "the piece of a clique";
        throw LargeTerm(factors[0], what + " has more than " + std::to_string(kMostOutcomes) +
                                        " joint states, too many for a local term");
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

  // A factor that counts, with its own score alone: an outcome stands for all joint states that
  // are scored by the same number, as many as there are.
  void add_counting(Factor f) {
    const PotentialId id = graph_.potential_of(f);
    const Counting counting(graph_, id);
    const std::span<const std::uint64_t> from = graph_.ranges(id);
    const std::span<const Variable> scope = graph_.scope(f);
    const std::vector<double> log_count =
        log_states(counting, scope, static_cast<std::size_t>(from.back()));
    std::vector<State> at;
    for (const Variable v : scope) at.push_back(known_[v]);
    const std::size_t known = counting.number(counting.count(graph_, scope, at));
    Term term;
    if (scope.size() == 1 && !weight_.empty()) term.count = weight_[scope[0]];
    term.width = 2;
    term.first = t_.places_.size();
    for (std::size_t r = 0; r < from.size(); ++r) {
      double states = -kInf;
      const std::size_t end = r + 1 < from.size() ? from[r + 1] : log_count.size();
      for (std::size_t c = from[r]; c < std::min(end, log_count.size()); ++c) {
        states = log_sum(states, log_count[c]);
      }
      const auto add = [&](double log_states) {
        ++term.outcomes;
        t_.places_.push_back(static_cast<std::uint32_t>(graph_.potential(id).first + r));
        t_.places_.push_back(fixed(log_states));
      };
      if (r == known) {  // one state is known, and the others of its range are an outcome of theirs
        term.known = term.outcomes;
        add(0);
        const bool others = states > 0.5;  // log 2 or more
        states = others ? states + std::log1p(-std::exp(-states)) : -kInf;
      }
      if (states > -kInf) add(states);
    }
    keep(term);
  }

  // Terms of two outcomes to those of their width.
  void sort_out() {
    std::vector<Term> others;
    std::vector<std::uint32_t> other_places;
    for (Term term : t_.terms_) {
      const auto mine = places(term);
      if (term.outcomes != 2) {
        term.first = other_places.size();
        term.row = term.width == 1 && std::ranges::adjacent_find(mine, [](auto a, auto b) {
                                        return b != a + 1;
                                      }) == mine.end();
        other_places.insert(other_places.end(), mine.begin(), mine.end());
        others.push_back(term);
        continue;
      }
      auto same = std::ranges::find(t_.pairs_, term.width, &Pairs::width);
      if (same == t_.pairs_.end()) same = t_.pairs_.insert(same, Pairs{term.width, {}, {}, {}});
      for (std::uint32_t k = 0; k < term.width; ++k) {
        same->places.push_back(mine[term.known * term.width + k]);
        same->places.push_back(mine[(1 - term.known) * term.width + k]);
      }
      same->count.push_back(term.count);
    }
    for (Pairs& each : t_.pairs_) {
      each.places.shrink_to_fit();
      each.difference.resize(each.count.size());
      if (std::ranges::all_of(each.count, [](double n) { return n == 1; })) each.count = {};
    }
    t_.terms_ = std::move(others);
    t_.places_ = std::move(other_places);
  }

 private:
  std::uint32_t place(Factor f) {
    at_.clear();
    for (const Variable v : graph_.scope(f)) at_.push_back(x_[v]);
    const std::uint64_t number = number_of(graph_, f, at_);
    if (number != kNoScore) return static_cast<std::uint32_t>(number);
    return fixed(graph_.score_of(f, at_));
  }

  // The place of a score that no number says.
  std::uint32_t fixed(double score) {
    const auto [found, is_new] =
        fixed_.try_emplace(score, static_cast<std::uint32_t>(t_.numbers_.size()));
    if (is_new) t_.numbers_.push_back(score);
    return found->second;
  }

  // log of how many joint states there are of each count; of the last one, of so many or more.
  std::vector<double> log_states(const Counting& counting, std::span<const Variable> scope,
                                 std::size_t most) const {
    std::vector<double> log_count(std::min(most, scope.size()) + 1, -kInf);
    log_count[0] = 0;
    std::size_t place = 0;
    for (const Variable v : scope) {
      double counts = 0, others = 0;
      for (State x = 0; x < graph_.states(v); ++x) ++(counting.counts(place, x) ? counts : others);
      place += graph_.states(v);
      for (std::size_t c = log_count.size(); c-- > 0;) {
        const double below = c > 0 ? log_count[c - 1] + std::log(counts) : -kInf;
        const bool last = c + 1 == log_count.size();
        const double same = log_count[c] + std::log(last && c == most ? counts + others : others);
        log_count[c] = log_sum(below, same);
      }
    }
    return log_count;
  }

  static double log_sum(double a, double b) {
    const double most = std::max(a, b);
    return most == -kInf ? most : most + std::log1p(std::exp(std::min(a, b) - most));
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
        other.count += term.count;
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
  std::span<const double> weight_;
  std::vector<State> x_, at_;
  std::unordered_map<double, std::uint32_t> fixed_;
  std::unordered_multimap<std::uint64_t, std::size_t> seen_;
};

void LocalTerms::check(const FactorGraph& graph, std::span<const State> known) {
  const auto hidden = std::ranges::count(known, kUnobserved);
  if (hidden > 0) {
    throw UsageError("local objectives need the states of all variables, and " +
                     std::to_string(hidden) + " are hidden; take likelihood");
  }
  if (graph.numbers().size() >= 0x80000000) {
    throw Error("a graph with 2^31 scores or more; cut the data into groups");
  }
}

LocalTerms::LocalTerms(const FactorGraph& graph, std::span<const State> known,
                       std::span<const FactorSet> pieces)
    : graph_(graph) {
  check(graph, known);
  Builder builder(*this, known);
  visit_terms(graph, pieces, [&](auto free, auto factors) { builder.add(free, factors); });
  builder.sort_out();
}

LocalTerms::LocalTerms(const FactorGraph& graph, std::span<const State> known, LocalKind kind,
                       std::span<const double> weight)
    : graph_(graph) {
  check(graph, known);
  Builder builder(*this, known, weight);
  visit_terms(graph, kind, [&](auto free, auto factors) { builder.add(free, factors); });
  builder.sort_out();
}

LocalTerms::LocalTerms(const FactorGraph& graph, std::span<const State> known,
                       std::span<const TermShape> terms, std::span<const double> weight)
    : graph_(graph) {
  check(graph, known);
  Builder builder(*this, known, weight);
  for (const TermShape& each : terms) builder.add(each.free, each.factors);
  builder.sort_out();
}

void visit_terms(const FactorGraph& graph, std::span<const FactorSet> pieces,
                 const VisitTerm& visit) {
  std::vector<Variable> free;
  for (const FactorSet& piece : pieces) {
    free.clear();
    for (const Factor f : piece) {
      for (const Variable v : graph.scope(f)) {
        if (std::ranges::find(free, v) == free.end()) free.push_back(v);
      }
    }
    visit(free, piece);
  }
}

namespace {

// A factor's variables together, given their neighbours.
void visit_edge(const FactorGraph& graph, const FactorLists& lists, Factor f,
                std::vector<Factor>& around, const VisitTerm& visit) {
  const std::span<const Variable> scope = graph.scope(f);
  // A variable with factors of its own alone would otherwise be in no term.
  if (scope.size() == 1 && lists.of(scope[0]).size() > 1) {
    const bool joined = std::ranges::any_of(lists.of(scope[0]),
                                            [&](Factor g) { return graph.scope(g).size() > 1; });
    if (joined || lists.of(scope[0])[0] != f) return;
  }
  around.clear();
  for (const Variable v : scope) {
    around.insert(around.end(), lists.of(v).begin(), lists.of(v).end());
  }
  std::ranges::sort(around);
  around.erase(std::ranges::unique(around).begin(), around.end());
  visit(scope, around);
}

}  // namespace

void visit_terms(const FactorGraph& graph, LocalKind kind, const VisitTerm& visit) {
  const FactorLists lists(graph);
  if (kind == LocalKind::pseudo_likelihood) {
    for (Variable v = 0; v < graph.variables(); ++v) visit(std::span(&v, 1), lists.of(v));
    return;
  }
  std::vector<Factor> around;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const std::span<const Variable> scope = graph.scope(f);
    switch (kind) {
      case LocalKind::piecewise:
        visit(scope, std::span(&f, 1));
        break;
      case LocalKind::piecewise_pseudo_likelihood:
        for (const Variable& v : scope) visit(std::span(&v, 1), std::span(&f, 1));
        break;
      default:
        visit_edge(graph, lists, f, around, visit);
    }
  }
}

std::size_t LocalTerms::terms() const {
  std::size_t count = terms_.size();
  for (const Pairs& each : pairs_) count += each.difference.size();
  return count;
}

namespace {

// kWidth > 0: as many factors in each term.
template <std::uint32_t kWidth>
void add_up(std::span<const std::uint32_t> places, std::uint32_t width, const double* numbers,
            std::span<double> difference) {
  const std::uint32_t w = kWidth > 0 ? kWidth : width;
  const std::uint32_t* at = places.data();
  for (double& each : difference) {
    double d = 0;
    for (std::uint32_t k = 0; k < w; ++k, at += 2) d += numbers[at[1]] - numbers[at[0]];
    each = d;
  }
}
template <std::uint32_t kWidth>
void spread(std::span<const std::uint32_t> places, std::uint32_t width, std::span<const double> p,
            double* gradient) {
  const std::uint32_t w = kWidth > 0 ? kWidth : width;
  const std::uint32_t* at = places.data();
  for (const double each : p) {
    for (std::uint32_t k = 0; k < w; ++k, at += 2) {
      gradient[at[1]] += each;
      gradient[at[0]] -= each;
    }
  }
}
// visit(number of factors, as a type) for the usual ones, or 0.
template <class Visit>
void for_width(std::uint32_t width, const Visit& visit) {
  switch (width) {
    case 1:
      return visit(std::integral_constant<std::uint32_t, 1>());
    case 3:
      return visit(std::integral_constant<std::uint32_t, 3>());
    case 4:
      return visit(std::integral_constant<std::uint32_t, 4>());
    case 5:
      return visit(std::integral_constant<std::uint32_t, 5>());
    default:
      return visit(std::integral_constant<std::uint32_t, 0>());
  }
}

}  // namespace

// The other outcome's scores less the known ones'.  False where a known one is -inf.
bool LocalTerms::find_differences(Pairs& pairs) const {
  for_width(pairs.width, [&](auto width) {
    add_up<width>(pairs.places, pairs.width, numbers_.data(), pairs.difference);
  });
  // No number is +inf: what is not below it has met a known -inf.
  return std::ranges::all_of(pairs.difference, [](double d) { return d < kInf; });
}

bool LocalTerms::allowed(const Term& term) const {
  const std::uint32_t* known = places_.data() + term.first + std::size_t{term.known} * term.width;
  return std::all_of(known, known + term.width,
                     [&](std::uint32_t place) { return numbers_[place] > -kInf; });
}

double LocalTerms::evaluate(const Term& term, std::span<double> gradient) {
  const std::uint32_t* places = places_.data() + term.first;
  const std::uint32_t n = term.outcomes, width = term.width;
  score_.resize(std::max<std::size_t>(score_.size(), n));
  if (term.row) {
    std::copy_n(numbers_.begin() + places[0], n, score_.begin());
  } else {
    for (std::uint32_t o = 0; o < n; ++o) {
      double sum = 0;
      for (std::uint32_t k = 0; k < width; ++k) sum += numbers_[places[o * width + k]];
      score_[o] = sum;
    }
  }
  const double known = score_[term.known];
  const double log_sum = softmax(score_.data(), n, term.count);
  score_[term.known] -= term.count;
  if (term.row) {
    double* out = gradient.data() + places[0];
    for (std::uint32_t o = 0; o < n; ++o) out[o] += score_[o];
  } else {
    for (std::uint32_t o = 0; o < n; ++o) {
      for (std::uint32_t k = 0; k < width; ++k) gradient[places[o * width + k]] += score_[o];
    }
  }
  return term.count * (log_sum - known);
}

double LocalTerms::evaluate(std::span<double> gradient) {
  std::ranges::copy(graph_.numbers(), numbers_.begin());
  for (Pairs& each : pairs_) {
    if (!find_differences(each)) return kInf;
  }
  for (const Term& each : terms_) {
    if (!allowed(each)) return kInf;
  }
  // Of the scores that no number says the derivative goes nowhere.
  std::span<double> out = gradient;
  if (numbers_.size() > gradient.size()) {
    extended_.assign(numbers_.size(), 0);
    out = extended_;
  }
  CompensatedSum value;
  for (Pairs& each : pairs_) {
    value.add(logistic(each.difference, each.count));
    for_width(each.width, [&](auto width) {
      spread<width>(each.places, each.width, each.difference, out.data());
    });
  }
  for (const Term& each : terms_) value.add(evaluate(each, out));
  if (numbers_.size() > gradient.size()) {
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += extended_[k];
  }
  return value.value();
}

}  // namespace croft
