#include "sql/logic/learn/clause_objectives.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "croft/inference/junction_tree.h"
#include "sql/logic/learn/unit_counts.h"

namespace croft {
namespace {

constexpr std::size_t kMostLiterals = 20;  // of a clause in a junction tree

bool is_true(std::uint32_t literal, std::span<const std::uint8_t> world) {
  return (world[literal / 2] != 0) != ((literal & 1) != 0);
}

bool is_false(std::span<const std::uint32_t> clause, std::span<const std::uint8_t> world) {
  return std::ranges::none_of(clause, [&](std::uint32_t l) { return is_true(l, world); });
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

  // Of a store without marks: a group for each atom.
  ChangeRows of_atoms() const {
    ChangeRows out;
    for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
      out.allowed.push_back(groups_[g + 1] > groups_[g] ? 1 : 0);
      out.begin.push_back(rows_[groups_[g + 1]]);
    }
    out.unit = unit_;
    out.factor = factor_;
    return out;
  }

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

  // Of each unit behind those of w: how much its weight alone, at its best, lowers the value with
  // its penalty (ML.18).
  std::vector<double> gains(std::span<const double> w, double l2) {
    std::vector<std::vector<Effect>> effects(units_ - w.size());
    for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
      scores_.assign(1, 0);
      for (std::size_t c = groups_[g]; c < groups_[g + 1]; ++c) {
        double score = 0;
        for (std::size_t k = rows_[c]; k < rows_[c + 1]; ++k) {
          if (unit_[k] < w.size()) score -= factor_[k] * w[unit_[k]];
        }
        scores_.push_back(score);
      }
      const double most = *std::max_element(scores_.begin(), scores_.end());
      double sum = 0;
      for (const double score : scores_) sum += std::exp(score - most);
      for (std::size_t c = groups_[g]; c < groups_[g + 1]; ++c) {
        const double p = std::exp(scores_[1 + c - groups_[g]] - most) / sum;
        for (std::size_t k = rows_[c]; k < rows_[c + 1]; ++k) {
          if (unit_[k] >= w.size()) effects[unit_[k] - w.size()].push_back({g, p, factor_[k]});
        }
      }
    }
    std::vector<double> out;
    for (const auto& each : effects) out.push_back(gain_of(each, l2));
    return out;
  }

 private:
  // A change of the world in a group: its probability now, and what the weight multiplies.
  struct Effect {
    std::size_t group;
    double p, factor;
  };

  // By Newton's steps of at most 1.
  static double gain_of(const std::vector<Effect>& effects, double l2) {
    double weight = 0, gain = 0;
    for (int step = 0; step < 12; ++step) {
      double slope = -l2 * weight, bend = l2, value = 0;
      for (std::size_t i = 0; i < effects.size();) {
        double sum = 1, first = 0, second = 0;
        const std::size_t group = effects[i].group;
        for (; i < effects.size() && effects[i].group == group; ++i) {
          const double changed = std::exp(-weight * effects[i].factor);
          sum += effects[i].p * (changed - 1);
          first += effects[i].p * changed * effects[i].factor;
          second += effects[i].p * changed * effects[i].factor * effects[i].factor;
        }
        value += std::log(sum);
        slope += first / sum;
        bend += second / sum - first * first / (sum * sum);
      }
      gain = std::max(gain, -value - l2 / 2 * weight * weight);
      const double by = std::clamp(slope / bend, -1., 1.);
      weight += by;
      if (std::abs(by) < 1e-4) break;
    }
    return gain;
  }

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

}  // namespace

void check_world(const ClauseStore& store, std::span<const std::uint8_t> world) {
  if (std::isinf(store.score(world))) {
    throw Error("the world to learn from breaks a hard rule or a mark of arguments");
  }
}

ChangeRows changes_of_atoms(const ClauseStore& store, std::span<const std::uint8_t> world,
                            std::size_t units) {
  check_world(store, world);
  return ClausePseudoLikelihood(store, world, units).of_atoms();
}

std::vector<double> pseudo_likelihood_gains(const ClauseStore& store,
                                            std::span<const std::uint8_t> world,
                                            std::span<const double> w, std::size_t more,
                                            double l2) {
  check_world(store, world);
  return ClausePseudoLikelihood(store, world, w.size() + more).gains(w, l2);
}

std::unique_ptr<BatchFunction> clause_pseudo_likelihood(const ClauseStore& store,
                                                        std::span<const std::uint8_t> world,
                                                        std::size_t units) {
  check_world(store, world);
  return std::make_unique<ClausePseudoLikelihood>(store, world, units);
}

ClauseLikelihood::ClauseLikelihood(ClauseStore& store, std::vector<double> data, double memory)
    : store_(store), data_(std::move(data)) {
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (store.literals(i).size() > kMostLiterals) {
      throw Error("the exact gradient is for ground clauses of at most ", kMostLiterals,
                  " literals; use --learn pseudo-likelihood or diagonal-newton");
    }
  }
  const FactorGraph graph = graph_of(store, true);
  order_ = find_elimination_order(graph, {.progress = until_interrupted()});
  if (JunctionTree(graph, order_, until_interrupted()).bytes() > memory) {
    throw Error(
        "the junction tree of the exact gradient takes more memory than is allowed; use "
        "--learn pseudo-likelihood or diagonal-newton");
  }
}

double ClauseLikelihood::log_partition(std::span<const double> w, std::span<double> mean) {
  store_.reweigh(w);
  const FactorGraph graph = graph_of(store_, true);
  std::vector<Factor> clauses(store_.clauses());  // come first
  for (Factor f = 0; f < clauses.size(); ++f) clauses[f] = f;
  const GraphMarginals marginals = JunctionTree(graph, order_).marginals(clauses);
  std::ranges::fill(mean, 0.);
  for (std::uint32_t i = 0; i < store_.clauses(); ++i) {
    if (store_.is_hard(i)) continue;
    std::uint64_t state = 0;  // where every literal is false
    for (const std::uint32_t literal : store_.literals(i)) state = 2 * state + (literal & 1);
    const double p = marginals.factor[i][state];
    store_.for_shares(i, [&](std::uint32_t unit, double factor) { mean[unit] += factor * p; });
  }
  return marginals.log_partition;
}

double ClauseLikelihood::evaluate(std::span<const double> w, std::span<double> gradient) {
  double value = log_partition(w, gradient);
  for (std::size_t u = 0; u < data_.size(); ++u) {
    value += w[u] * data_[u];
    gradient[u] = data_[u] - gradient[u];
  }
  return value;
}

namespace {

// A point for each atom that is not as in the world, by weights of the unit behind all others.
ClauseStore with_costs(const ClauseStore& store, std::span<const std::uint8_t> world,
                       std::uint32_t unit) {
  ClauseStore out = store;
  std::vector<std::uint32_t> literals;
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    const double factor = world[a] != 0 ? -1 : 1;
    literals.assign(1, 2 * a);
    out.add(literals, factor, unit, factor);
  }
  return out;
}

}  // namespace

ClauseHinge::ClauseHinge(const ClauseStore& store, std::span<const std::uint8_t> world,
                         std::size_t units, double memory, std::uint64_t seed)
    : world_(world.begin(), world.end()),
      data_(false_counts(store, world, units)),
      augmented_(with_costs(store, world, static_cast<std::uint32_t>(units))),
      best_(augmented_, memory, seed) {
  check_world(store, world);
}

double ClauseHinge::evaluate(std::span<const double> w, std::span<double> gradient) {
  std::vector<double> weights(w.begin(), w.end());
  weights.push_back(1);
  augmented_.reweigh(weights);
  const std::vector<std::uint8_t> best = best_.find();
  const std::vector<double> counts = false_counts(augmented_, best, weights.size());
  double value = 0;
  for (std::size_t a = 0; a < best.size(); ++a) value += best[a] != world_[a] ? 1 : 0;
  for (std::size_t u = 0; u < data_.size(); ++u) {
    gradient[u] = data_[u] - counts[u];
    value += w[u] * gradient[u];
  }
  if (value >= 0) return value;
  std::ranges::fill(gradient, 0.);  // the world itself is better than what the search found
  return 0;
}

SumOfFunctions::SumOfFunctions(std::vector<std::unique_ptr<BatchFunction>> parts)
    : parts_(std::move(parts)), part_(parts_.front()->dimension()) {}

double SumOfFunctions::evaluate(std::span<const double> w, std::span<double> gradient) {
  std::ranges::fill(gradient, 0.);
  double value = 0;
  for (const auto& each : parts_) {
    value += each->evaluate(w, part_);
    for (std::size_t u = 0; u < part_.size(); ++u) gradient[u] += part_[u];
  }
  return value;
}

double ShiftedFunction::evaluate(std::span<const double> v, std::span<double> gradient) {
  w_.resize(from_.size());
  for (std::size_t u = 0; u < w_.size(); ++u) w_[u] = from_[u] + v[u];
  const double value = function_.evaluate(w_, gradient);
  for (std::size_t u = 0; u < fixed_.size(); ++u) {
    if (fixed_[u] != 0) gradient[u] = 0;
  }
  return value;
}

}  // namespace croft
