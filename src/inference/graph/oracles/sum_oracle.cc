#include "inference/graph/oracles/sum_oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/messages/factor_messages.h"
#include "inference/graph/oracles/shared_plans.h"
#include "structure/counters.h"
#include "structure/factor_numbers.h"

namespace croft {
namespace {

std::string in_words(double bytes) {
  const double mega = bytes / 1e6;
  return mega < 1000 ? std::to_string(static_cast<long>(mega) + 1) + " MB"
                     : std::to_string(static_cast<long>(mega / 1000) + 1) + " GB";
}

// Plans keep all of their tables, and there is one in use for each thread.
constexpr double kMostPlanBytes = 1e9;
double plan_numbers(double most_bytes) {
  const double bytes = most_bytes > 0 ? std::min(most_bytes, kMostPlanBytes) : kMostPlanBytes;
  return bytes / (2 * sizeof(double));
}

// By the junction tree: what no plan fits.
class TreeSums final : public SumOracle {
 public:
  TreeSums(const FactorGraph& graph, const EliminationOrder& order, double most_bytes)
      : graph_(graph), tree_(graph, order), all_(graph.factors()) {
    if (most_bytes > 0 && tree_.bytes() > most_bytes) {
      throw Error("the junction tree of a graph of ", graph.variables(), " variables takes ",
                  in_words(tree_.bytes()), ", the limit is ", in_words(most_bytes),
                  "; take --objective pseudolikelihood or bethe, or a larger --memory");
    }
    std::iota(all_.begin(), all_.end(), Factor{0});
    for (PotentialId id = 0; id < graph.potentials(); ++id) {
      parity_ = parity_ || graph.potential(id).kind == PotentialKind::parity;
    }
  }
  double sums(double scale, std::span<double> out) override {
    // What nothing forbids needs no pass of its own to see whether Z is 0.
    const bool forbids =
        parity_ || std::ranges::find(graph_.numbers(), -kInf) != graph_.numbers().end();
    if (forbids && tree_.log_partition() == -kInf) return -kInf;
    const GraphMarginals p = tree_.marginals(all_);
    for (const Factor f : all_) add_expectations(graph_, f, p.factor[f], scale, out);
    return p.log_partition;
  }
  ResultKind kind() const override { return ResultKind::exact; }

 private:
  const FactorGraph& graph_;
  JunctionTree tree_;
  std::vector<Factor> all_;
  bool parity_ = false;
};

// Of a graph whose factors that count are chains of counters, which follow its numbers.
class CountedSums final : public SumOracle {
 public:
  CountedSums(const FactorGraph& graph, const SumOracleMaker& make)
      : graph_(graph),
        chains_(with_counters(graph, {.scores_change = true})),
        gradient_(chains_.graph.numbers().size()),
        sums_(make(chains_.graph)) {}
  double sums(double scale, std::span<double> out) override {
    chains_.pick(graph_);
    std::ranges::fill(gradient_, 0);
    const double log_z = sums_->sums(scale, gradient_);
    if (log_z > -kInf) chains_.add_back(gradient_, out);
    return log_z;
  }
  ResultKind kind() const override { return sums_->kind(); }
  bool converged() const override { return sums_->converged(); }

 private:
  const FactorGraph& graph_;
  PickedGraph chains_;
  std::vector<double> gradient_;
  std::unique_ptr<SumOracle> sums_;
};

// What an approximation finds; -inf: no assignment is allowed.
struct ApproximateSums {
  bool converged;
  ResultKind kind;
  double log_partition;
};

// find(graph, scale, out): an approximation of log Z, with the derivatives added to out.
template <class Find>
class FoundSums final : public SumOracle {
 public:
  FoundSums(const FactorGraph& graph, const Find& find) : graph_(graph), find_(find) {}
  double sums(double scale, std::span<double> out) override {
    found_ = find_(graph_, scale, out);
    return found_.log_partition;
  }
  ResultKind kind() const override { return found_.kind; }
  bool converged() const override { return found_.converged; }

 private:
  const FactorGraph& graph_;
  Find find_;
  ApproximateSums found_{true, ResultKind::estimate, 0};
};

template <class Find>
std::unique_ptr<SumOracle> found_sums(const FactorGraph& graph, const Find& find) {
  return std::make_unique<FoundSums<Find>>(graph, find);
}

// The id of what comes of a state and the graph's numbers.
std::array<std::uint64_t, 2> id_after(const SumState* before, std::span<const double> numbers) {
  constexpr std::array<std::uint64_t, 2> kFactor = {0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F};
  std::array<std::uint64_t, 2> id{};
  for (std::size_t k = 0; k < 2; ++k) {
    std::uint64_t hash = before != nullptr ? before->id[k] : kFactor[1 - k];
    for (const double number : numbers) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * kFactor[k];
      hash ^= hash >> 29;
    }
    id[k] = hash;
  }
  return id;
}

// Bethe's log Z, with the derivatives added to `out`.
//   state : null, or what to go on from, and then what has come of it
ApproximateSums propagate(const FactorGraph& graph, const BeliefPropagationOptions& options,
                          std::shared_ptr<const SumState>* state, double scale,
                          std::span<double> out);

// Messages that go on from where they were.
class BetheSums final : public SumOracle {
 public:
  BetheSums(const FactorGraph& graph, const BeliefPropagationOptions& options)
      : graph_(graph), options_(options) {}
  double sums(double scale, std::span<double> out) override {
    found_ = propagate(graph_, options_, &state_, scale, out);
    return found_.log_partition;
  }
  ResultKind kind() const override { return found_.kind; }
  bool converged() const override { return found_.converged; }
  std::shared_ptr<const SumState> state() const override { return state_; }
  void set_state(std::shared_ptr<const SumState> state) override { state_ = std::move(state); }

 private:
  const FactorGraph& graph_;
  BeliefPropagationOptions options_;
  std::shared_ptr<const SumState> state_;
  ApproximateSums found_{true, ResultKind::estimate, 0};
};

// Whether expectations are those of its counts, without its joint states.
bool counts_many(const FactorGraph& graph, Factor f) {
  return graph.potential(graph.potential_of(f)).kind == PotentialKind::cardinality;
}

void add_number_expectations(const FactorGraph& graph, Factor f, std::span<const double> belief,
                             double scale, std::span<double> out) {
  const std::uint64_t first = graph.potential(graph.potential_of(f)).first;
  for (std::size_t k = 0; k < belief.size(); ++k) out[first + k] += scale * belief[k];
}

// The belief of a factor's counts under independent variables.
std::vector<double> counts_of(const FactorGraph& graph, Factor f, const VariableMarginals& q) {
  std::vector<double> in;
  for (const Variable v : graph.scope(f)) {
    for (const double p : q[v]) in.push_back(std::log(p));
  }
  return count_distribution(graph, f, in);
}

// p of a factor's joint states under independent variables.
std::vector<double> product_of(const FactorGraph& graph, Factor f, const VariableMarginals& q) {
  std::vector<double> joint(1, 1.0);
  for (const Variable v : graph.scope(f)) {
    std::vector<double> longer;
    longer.reserve(joint.size() * q[v].size());
    for (const double p : joint) {
      for (const double each : q[v]) longer.push_back(p * each);
    }
    joint = std::move(longer);
  }
  return joint;
}

ApproximateSums propagate(const FactorGraph& graph, const BeliefPropagationOptions& options,
                          std::shared_ptr<const SumState>* state, double scale,
                          std::span<double> out) {
  std::optional<SumProduct> run(std::in_place, graph, options);
  const bool warm = state != nullptr && *state;
  if (warm) run->start_from((*state)->messages);
  bool converged = run->run().converged;
  if (warm && !converged) {  // where it began is to blame, perhaps
    state->reset();
    run.emplace(graph, options);
    converged = run->run().converged;
  }
  const SumProduct& bp = *run;
  ApproximateSums found{converged, bp.kind(), -kInf};
  if (state != nullptr) {
    const bool goes_on = found.converged && !bp.contradiction() && !bp.is_forest();
    *state = goes_on ? std::make_shared<const SumState>(
                           SumState{id_after(state->get(), graph.numbers()), bp.messages()})
                     : nullptr;
  }
  if (bp.contradiction()) return found;
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (counts_many(graph, f)) {
      add_number_expectations(graph, f, bp.number_belief(f), scale, out);
    } else if (graph.potential(graph.potential_of(f)).count > 0) {
      add_expectations(graph, f, bp.factor_belief(f), scale, out);
    }
  }
  found.log_partition = bp.log_partition();
  return found;
}

}  // namespace

void SumOracle::archive(StateArchive& archive) {
  const std::shared_ptr<const SumState> now = state();
  SumState copy = now ? *now : SumState();
  bool any = now != nullptr;
  archive(any);
  if (any) archive(copy.id[0], copy.id[1], copy.messages.logarithms, copy.messages.numbers);
  if (!archive.reading()) return;
  set_state(any ? std::make_shared<const SumState>(std::move(copy)) : nullptr);
}

SumOracleMaker exact_sums(double most_bytes) {
  const auto plans = std::make_shared<SharedPlans>(plan_numbers(most_bytes));
  const SumOracleMaker of_tables = [=](const FactorGraph& graph) -> std::unique_ptr<SumOracle> {
    const auto structure = plans->of(graph);
    const auto tree = [=, &graph] {
      return std::make_unique<TreeSums>(graph, structure->order, most_bytes);
    };
    if (!structure->plan) return tree();
    return planned_sums(graph, plans, structure, tree);
  };
  return [=](const FactorGraph& graph) -> std::unique_ptr<SumOracle> {
    if (!needs_counters(graph, {.scores_change = true})) return of_tables(graph);
    return std::make_unique<CountedSums>(graph, of_tables);
  };
}
SumOracleMaker bethe_sums(const BeliefPropagationOptions& options, bool go_on) {
  const auto plans = std::make_shared<SharedPlans>(plan_numbers(0));
  const auto find = [=](const FactorGraph& graph, double scale, std::span<double> out) {
    return propagate(graph, options, nullptr, scale, out);
  };
  return [=](const FactorGraph& graph) -> std::unique_ptr<SumOracle> {
    options.validate();
    const auto messages = [=, &graph]() -> std::unique_ptr<SumOracle> {
      if (go_on) return std::make_unique<BetheSums>(graph, options);
      return found_sums(graph, find);
    };
    if (!is_forest(graph) || needs_counters(graph)) return messages();
    const auto structure = plans->of(graph);
    if (!structure->plan) return messages();
    return planned_sums(graph, plans, structure, messages);
  };
}
SumOracleMaker tree_reweighted_sums(const TreeReweightedOptions& options) {
  return [=](const FactorGraph& graph) {
    options.validate();
    if (options.tree_steps > 0) throw UsageError("training keeps its trees: tree_steps must be 0");
    return found_sums(graph, [=](const FactorGraph& g, double scale, std::span<double> out) {
      TreeReweighted trees(g, options);
      ApproximateSums sums{trees.run().converged, trees.kind(), -kInf};
      if (trees.contradiction()) return sums;
      const TreeExpectations found = trees.expectations();
      for (Factor f = 0; f < g.factors(); ++f) {
        add_expectations(g, f, found.factor[f], scale, out);
      }
      sums.log_partition = found.bound;
      return sums;
    });
  };
}
SumOracleMaker mean_field_sums(const MeanFieldOptions& options) {
  return [=](const FactorGraph& graph) {
    options.validate();
    return found_sums(graph, [=](const FactorGraph& g, double scale, std::span<double> out) {
      const MeanFieldResult q = mean_field(g, options);
      for (Factor f = 0; f < g.factors() && q.bound > -kInf; ++f) {
        if (counts_many(g, f)) {
          add_number_expectations(g, f, counts_of(g, f, q.marginals), scale, out);
        } else if (g.potential(g.potential_of(f)).count > 0) {
          add_expectations(g, f, product_of(g, f, q.marginals), scale, out);
        }
      }
      return ApproximateSums{q.convergence.converged, q.kind, q.bound};
    });
  };
}

}  // namespace croft
