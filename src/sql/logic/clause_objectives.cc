#include "sql/logic/clause_objectives.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "croft/inference/junction_tree.h"

namespace croft {
namespace {

constexpr std::size_t kMostLiterals = 20;  // of a clause in a junction tree

bool is_true(std::uint32_t literal, std::span<const std::uint8_t> world) {
  return (world[literal / 2] != 0) != ((literal & 1) != 0);
}

bool is_false(std::span<const std::uint32_t> clause, std::span<const std::uint8_t> world) {
  return std::ranges::none_of(clause, [&](std::uint32_t l) { return is_true(l, world); });
}

void check_world(const ClauseStore& store, std::span<const std::uint8_t> world) {
  if (std::isinf(store.score(world))) {
    throw Error("the world to learn from breaks a hard rule or a mark of arguments");
  }
}

// Groups of changes of the world, of which each has one weight vector's difference of scores.
class ClausePseudoLikelihood : public BatchFunction {
 public:
  ClausePseudoLikelihood(const ClauseStore& store, std::span<const std::uint8_t> world,
                         std::size_t units)
      : store_(store), world_(world.begin(), world.end()), units_(units), uses_(store.atoms()) {
    for (std::uint32_t i = 0; i < store.clauses(); ++i) {
      for (const std::uint32_t literal : store.literals(i)) uses_[literal / 2].push_back(i);
    }
    std::vector<bool> in_block(store.atoms(), false);
    for (std::size_t b = 0; b < store.blocks(); ++b) {
      for (const std::uint32_t atom : store.block(b).atoms) in_block[atom] = true;
      add_block(store.block(b));
    }
    for (std::uint32_t atom = 0; atom < store.atoms(); ++atom) {
      if (in_block[atom]) continue;
      const std::uint32_t change[] = {atom};
      add_change(change);
      end_group();
    }
    uses_.clear();
  }

  std::size_t dimension() const override { return units_; }

  // sum over groups of  log(1 + sum over changes of exp(-D w)),  D: score(world) - score(changed)
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    std::fill(gradient.begin(), gradient.end(), 0);
    double value = 0;
    for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
      scores_.assign(1, 0);
      for (std::size_t c = groups_[g]; c < groups_[g + 1]; ++c) {
        double score = 0;
        for (std::size_t k = rows_[c]; k < rows_[c + 1]; ++k) score -= factor_[k] * w[unit_[k]];
        scores_.push_back(score);
      }
      const double most = *std::max_element(scores_.begin(), scores_.end());
      double sum = 0;
      for (const double score : scores_) sum += std::exp(score - most);
      value += most + std::log(sum);
      for (std::size_t c = groups_[g]; c < groups_[g + 1]; ++c) {
        const double p = std::exp(scores_[1 + c - groups_[g]] - most) / sum;
        for (std::size_t k = rows_[c]; k < rows_[c + 1]; ++k) gradient[unit_[k]] -= factor_[k] * p;
      }
    }
    return value;
  }

 private:
  void add_block(const AtomBlock& block) {
    std::optional<std::uint32_t> held;
    for (const std::uint32_t atom : block.atoms) {
      if (world_[atom] != 0) held = atom;
    }
    for (const std::uint32_t atom : block.atoms) {
      if (held && atom == *held) continue;
      std::vector<std::uint32_t> change{atom};
      if (held) change.push_back(*held);
      add_change(change);
    }
    if (held && !block.exactly_one) add_change(std::span(&*held, 1));
    end_group();
  }

  // Unless it breaks a hard clause.
  void add_change(std::span<const std::uint32_t> atoms) {
    std::vector<std::uint32_t> clauses;
    for (const std::uint32_t atom : atoms) {
      clauses.insert(clauses.end(), uses_[atom].begin(), uses_[atom].end());
    }
    std::sort(clauses.begin(), clauses.end());
    clauses.erase(std::unique(clauses.begin(), clauses.end()), clauses.end());
    std::map<std::uint32_t, double> row;
    bool allowed = true;
    for (const std::uint32_t clause : clauses) {
      const double before = is_false(store_.literals(clause), world_) ? 1 : 0;
      for (const std::uint32_t atom : atoms) world_[atom] ^= 1;
      const double after = is_false(store_.literals(clause), world_) ? 1 : 0;
      for (const std::uint32_t atom : atoms) world_[atom] ^= 1;
      if (after == before) continue;
      if (store_.is_hard(clause)) {
        allowed = false;
        break;
      }
      store_.for_shares(clause, [&](std::uint32_t unit, double factor) {
        row[unit] += factor * (after - before);
      });
    }
    if (!allowed) return;
    for (const auto& [unit, factor] : row) {
      if (factor == 0) continue;
      unit_.push_back(unit);
      factor_.push_back(factor);
    }
    rows_.push_back(unit_.size());
  }
  void end_group() { groups_.push_back(rows_.size() - 1); }

  const ClauseStore& store_;
  std::vector<std::uint8_t> world_;
  std::size_t units_;
  std::vector<std::vector<std::uint32_t>> uses_;  // [atoms] clauses
  std::vector<std::size_t> groups_{0};            // [groups + 1] changes
  std::vector<std::size_t> rows_{0};              // [changes + 1]
  std::vector<std::uint32_t> unit_;
  std::vector<double> factor_;
  std::vector<double> scores_;
};

class ClauseLikelihood : public BatchFunction {
 public:
  ClauseLikelihood(ClauseStore& store, std::span<const std::uint8_t> world, std::size_t units,
                   double memory)
      : store_(store), world_(world.begin(), world.end()), units_(units) {
    for (std::size_t i = 0; i < store.clauses(); ++i) {
      if (store.literals(i).size() > kMostLiterals) {
        throw Error("the exact gradient is for ground clauses of at most ", kMostLiterals,
                    " literals; use --learn pseudo-likelihood");
      }
    }
    const FactorGraph graph = graph_of(store, true);
    order_ = find_elimination_order(graph);
    if (JunctionTree(graph, order_).bytes() > memory) {
      throw Error(
          "the junction tree of the exact gradient takes more memory than is allowed; use "
          "--learn pseudo-likelihood");
    }
  }

  std::size_t dimension() const override { return units_; }

  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    store_.reweigh(w);
    const FactorGraph graph = graph_of(store_, true);
    std::vector<Factor> clauses(store_.clauses());  // come first
    for (Factor f = 0; f < clauses.size(); ++f) clauses[f] = f;
    const GraphMarginals marginals = JunctionTree(graph, order_).marginals(clauses);
    std::fill(gradient.begin(), gradient.end(), 0);
    double value = marginals.log_partition;
    for (std::uint32_t i = 0; i < store_.clauses(); ++i) {
      if (store_.is_hard(i)) continue;
      std::uint64_t state = 0;  // where every literal is false
      for (const std::uint32_t literal : store_.literals(i)) state = 2 * state + (literal & 1);
      const double false_now = is_false(store_.literals(i), world_) ? 1 : 0;
      value += store_.weight(i) * false_now;
      const double off = false_now - marginals.factor[i][state];
      store_.for_shares(i,
                        [&](std::uint32_t unit, double factor) { gradient[unit] += factor * off; });
    }
    return value;
  }

 private:
  ClauseStore& store_;
  std::vector<std::uint8_t> world_;
  std::size_t units_;
  EliminationOrder order_;
};

}  // namespace

std::unique_ptr<BatchFunction> clause_pseudo_likelihood(const ClauseStore& store,
                                                        std::span<const std::uint8_t> world,
                                                        std::size_t units) {
  check_world(store, world);
  return std::make_unique<ClausePseudoLikelihood>(store, world, units);
}

std::unique_ptr<BatchFunction> clause_likelihood(ClauseStore& store,
                                                 std::span<const std::uint8_t> world,
                                                 std::size_t units, double memory) {
  check_world(store, world);
  return std::make_unique<ClauseLikelihood>(store, world, units, memory);
}

}  // namespace croft
