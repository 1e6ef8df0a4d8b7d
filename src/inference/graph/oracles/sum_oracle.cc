#include "inference/graph/oracles/sum_oracle.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/oracles/shared_plans.h"
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
      throw Error("the junction tree of a graph of " + std::to_string(graph.variables()) +
                  " variables takes " + in_words(tree_.bytes()) + ", the limit is " +
                  in_words(most_bytes) +
                  "; take an approximation, such as pseudolikelihood or bethe, or a larger limit");
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

class BetheSums final : public SumOracle {
 public:
  BetheSums(const FactorGraph& graph, const BeliefPropagationOptions& options)
      : graph_(graph), options_(options) {
    options_.validate();
  }
  double sums(double scale, std::span<double> out) override {
    SumProduct bp(graph_, options_);
    converged_ = bp.run().converged;
    kind_ = bp.kind();
    if (bp.contradiction()) return -kInf;
    for (Factor f = 0; f < graph_.factors(); ++f) {
      add_expectations(graph_, f, bp.factor_belief(f), scale, out);
    }
    return bp.log_partition();
  }
  ResultKind kind() const override { return kind_; }
  bool converged() const override { return converged_; }

 private:
  const FactorGraph& graph_;
  BeliefPropagationOptions options_;
  ResultKind kind_ = ResultKind::estimate;
  bool converged_ = true;
};

class MeanFieldSums final : public SumOracle {
 public:
  MeanFieldSums(const FactorGraph& graph, const MeanFieldOptions& options)
      : graph_(graph), options_(options) {
    options_.validate();
  }
  double sums(double scale, std::span<double> out) override {
    const MeanFieldResult q = mean_field(graph_, options_);
    converged_ = q.convergence.converged;
    kind_ = q.kind;
    if (q.bound == -kInf) return -kInf;
    for (Factor f = 0; f < graph_.factors(); ++f) add_product(f, q.marginals, scale, out);
    return q.bound;
  }
  ResultKind kind() const override { return kind_; }
  bool converged() const override { return converged_; }

 private:
  void add_product(Factor f, const VariableMarginals& q, double scale, std::span<double> out) {
    joint_.assign(1, 1.0);
    for (const Variable v : graph_.scope(f)) {
      std::vector<double> longer;
      longer.reserve(joint_.size() * q[v].size());
      for (const double p : joint_) {
        for (const double each : q[v]) longer.push_back(p * each);
      }
      joint_ = std::move(longer);
    }
    add_expectations(graph_, f, joint_, scale, out);
  }

  const FactorGraph& graph_;
  MeanFieldOptions options_;
  std::vector<double> joint_;
  ResultKind kind_ = ResultKind::lower_bound;
  bool converged_ = true;
};

class TreeReweightedSums final : public SumOracle {
 public:
  TreeReweightedSums(const FactorGraph& graph, const TreeReweightedOptions& options)
      : graph_(graph), options_(options) {
    options_.validate();
    if (options.tree_steps > 0) throw UsageError("training keeps its trees: tree_steps must be 0");
  }
  double sums(double scale, std::span<double> out) override {
    TreeReweighted trees(graph_, options_);
    converged_ = trees.run().converged;
    kind_ = trees.kind();
    if (trees.contradiction()) return -kInf;
    const TreeExpectations found = trees.expectations();
    for (Factor f = 0; f < graph_.factors(); ++f) {
      add_expectations(graph_, f, found.factor[f], scale, out);
    }
    return found.bound;
  }
  ResultKind kind() const override { return kind_; }
  bool converged() const override { return converged_; }

 private:
  const FactorGraph& graph_;
  TreeReweightedOptions options_;
  ResultKind kind_ = ResultKind::upper_bound;
  bool converged_ = true;
};

}  // namespace

SumOracleMaker exact_sums(double most_bytes) {
  const auto plans = std::make_shared<SharedPlans>(plan_numbers(most_bytes));
  return [=](const FactorGraph& graph) -> std::unique_ptr<SumOracle> {
    const auto structure = plans->of(graph);
    const auto tree = [=, &graph] {
      return std::make_unique<TreeSums>(graph, structure->order, most_bytes);
    };
    if (!structure->plan) return tree();
    return planned_sums(graph, plans, structure, tree);
  };
}
SumOracleMaker bethe_sums(const BeliefPropagationOptions& options) {
  const auto plans = std::make_shared<SharedPlans>(plan_numbers(0));
  return [=](const FactorGraph& graph) -> std::unique_ptr<SumOracle> {
    options.validate();
    const auto messages = [=, &graph] { return std::make_unique<BetheSums>(graph, options); };
    if (!is_forest(graph)) return messages();
    const auto structure = plans->of(graph);
    if (!structure->plan) return messages();
    return planned_sums(graph, plans, structure, messages);
  };
}
SumOracleMaker tree_reweighted_sums(const TreeReweightedOptions& options) {
  return [=](const FactorGraph& graph) {
    return std::make_unique<TreeReweightedSums>(graph, options);
  };
}
SumOracleMaker mean_field_sums(const MeanFieldOptions& options) {
  return [=](const FactorGraph& graph) { return std::make_unique<MeanFieldSums>(graph, options); };
}

}  // namespace croft
