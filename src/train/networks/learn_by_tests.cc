// PC-stable: edges are taken away by tests of independence, arrows follow from what separated.
// Spirtes & Glymour (1991), Colombo & Maathuis (2014).
#include <algorithm>
#include <cmath>
#include <map>

#include "core/chi_squared.h"
#include "croft/core/parallel.h"
#include "train/networks/learn_structure.h"

namespace croft {
namespace {

// visit(subset) of so many members, in lexicographic order, until it is true.
template <class Visit>
bool any_subset(const std::vector<Variable>& set, std::size_t size, const Visit& visit) {
  if (size > set.size()) return false;
  std::vector<std::size_t> at(size);
  for (std::size_t k = 0; k < size; ++k) at[k] = k;
  std::vector<Variable> subset(size);
  for (;;) {
    for (std::size_t k = 0; k < size; ++k) subset[k] = set[at[k]];
    if (visit(subset)) return true;
    std::size_t k = size;
    while (k > 0 && at[k - 1] == set.size() - size + k - 1) --k;
    if (k == 0) return false;
    ++at[k - 1];
    for (; k < size; ++k) at[k] = at[k - 1] + 1;
  }
}

struct Separation {
  std::vector<Variable> by;
  double p = 0;
};

struct Collider {  // u -> middle <- v
  Variable u, middle, v;
  double p;  // of the separation of u and v
};

class Tests {
 public:
  Tests(std::size_t variables, const IndependenceTest& test, const ShapeOptions& options)
      : graph_(variables), test_(test), options_(options), pool_(options.threads) {
    for (Variable u = 0; u < variables; ++u) {
      for (Variable v = u + 1; v < variables; ++v) graph_.connect(u, v);
    }
  }

  void find_skeleton(const ShapeCallback& callback, LearntShape& found) {
    const std::size_t most = options_.max_parents.value_or(SIZE_MAX);
    for (std::size_t size = 0; size <= most; ++size) {
      const auto pairs = pairs_with(size);
      if (pairs.empty()) return;
      test_pairs(pairs, size, found.tests);
      std::size_t ends = 0;
      for (Variable v = 0; v < graph_.variables(); ++v) ends += graph_.near(v).size();
      const std::size_t edges = ends / 2;
      if (callback && !callback({0, size, static_cast<double>(edges)})) {
        found.stopped = true;
        return;
      }
    }
  }

  // The separation that is surest counts first where two contradict each other.
  void find_colliders(LearntShape& found) {
    std::vector<Collider> colliders;
    for (Variable w = 0; w < graph_.variables(); ++w) {
      for (const Variable u : graph_.near(w)) {
        for (const Variable v : graph_.near(w)) {
          if (v <= u || graph_.adjacent(u, v)) continue;
          const Separation& apart = separation_.at({u, v});
          if (!std::ranges::binary_search(apart.by, w)) colliders.push_back({u, w, v, apart.p});
        }
      }
    }
    std::ranges::stable_sort(colliders, std::ranges::greater(), &Collider::p);
    for (const auto& [u, w, v, p] : colliders) {
      if (graph_.arrow(w, u) || graph_.arrow(w, v)) {
        ++found.contradictions;
        continue;
      }
      graph_.orient(u, w);
      graph_.orient(v, w);
    }
  }

  PartlyDirected& graph() { return graph_; }

 private:
  using Pair = std::pair<Variable, Variable>;

  // Those that so many neighbours of one could separate.
  std::vector<Pair> pairs_with(std::size_t size) const {
    std::vector<Pair> pairs;
    for (Variable u = 0; u < graph_.variables(); ++u) {
      for (const Variable v : graph_.near(u)) {
        const std::size_t most = std::max(graph_.near(u).size(), graph_.near(v).size());
        if (u < v && most > size) pairs.emplace_back(u, v);
      }
    }
    return pairs;
  }

  std::vector<Variable> others_near(Variable u, Variable but) const {
    std::vector<Variable> others;
    for (const Variable w : graph_.near(u)) {
      if (w != but) others.push_back(w);
    }
    return others;
  }

  // All see the graph as it is before the first of them: the skeleton does not depend on the order
  // of variables.
  void test_pairs(const std::vector<Pair>& pairs, std::size_t size, std::size_t& tests) {
    std::vector<Separation> apart(pairs.size());
    std::vector<std::size_t> taken(pairs.size(), 0);
    pool_.run(pairs.size(), [&](std::size_t n, std::size_t) {
      const auto [u, v] = pairs[n];
      const auto separates = [&](const std::vector<Variable>& given) {
        ++taken[n];
        const double p = test_.p_value(u, v, given);
        if (p > options_.significance) apart[n] = {given, p};
        return p > options_.significance;
      };
      if (any_subset(others_near(u, v), size, separates) || size == 0) return;
      any_subset(others_near(v, u), size, separates);
    });
    for (std::size_t n = 0; n < pairs.size(); ++n) {
      tests += taken[n];
      if (!(apart[n].p > options_.significance)) continue;
      graph_.remove(pairs[n].first, pairs[n].second);
      separation_.emplace(pairs[n], std::move(apart[n]));
    }
  }

  PartlyDirected graph_;
  const IndependenceTest& test_;
  const ShapeOptions& options_;
  ThreadPool pool_;
  std::map<Pair, Separation> separation_;
};

// A table of u and v, of one joint state of what is given.
struct Slice {
  double g2 = 0, freedom = 0;
};

Slice test_slice(std::span<const std::uint32_t> counts, std::size_t of_u, std::size_t of_v) {
  std::vector<double> u(of_u, 0), v(of_v, 0);
  double all = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    u[k / of_v] += counts[k], v[k % of_v] += counts[k], all += counts[k];
  }
  Slice slice;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] == 0) continue;
    slice.g2 += 2 * counts[k] * std::log(counts[k] * all / (u[k / of_v] * v[k % of_v]));
  }
  const auto positive = [](const std::vector<double>& margin) {
    return static_cast<double>(margin.size()) -
           static_cast<double>(std::ranges::count(margin, 0.0)) - 1;
  };
  if (all > 0) slice.freedom = positive(u) * positive(v);
  return slice;
}

}  // namespace

double G2Test::p_value(Variable u, Variable v, std::span<const Variable> given) const {
  JointCells cells(cases_);
  for (const Variable w : given) cells.refine(cases_, w);
  const std::size_t of_u = cases_.states(u), of_v = cases_.states(v), slice = of_u * of_v;
  std::vector<std::uint32_t> counts(cells.cells * slice, 0);
  const auto in_u = cases_.column(u), in_v = cases_.column(v);
  for (std::size_t r = 0; r < cells.cell.size(); ++r) {
    counts[cells.cell[r] * slice + in_u[r] * of_v + in_v[r]] += cases_.weights()[r];
  }
  double g2 = 0, freedom = 0;
  for (std::size_t first = 0; first < counts.size(); first += slice) {
    const Slice one = test_slice(std::span(counts).subspan(first, slice), of_u, of_v);
    g2 += one.g2, freedom += one.freedom;
  }
  return freedom > 0 ? chi_squared_tail(g2, freedom) : 1;
}

LearntShape learn_by_tests(std::size_t variables, const IndependenceTest& test,
                           const ShapeOptions& options, const ShapeCallback& callback) {
  LearntShape found;
  Tests tests(variables, test, options);
  tests.find_skeleton(callback, found);
  tests.find_colliders(found);
  close_arrows(tests.graph());
  Extension shape = extension_of(tests.graph());
  found.parents = std::move(shape.parents);
  found.consistent = shape.consistent;
  found.equivalents = std::move(tests.graph());
  return found;
}

}  // namespace croft
