#include "inference/graph/oracles/max_oracle.h"

#include <cmath>
#include <optional>
#include <string>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/graph_cut.h"
#include "croft/inference/graph_result.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/cuts/move_making.h"
#include "structure/counters.h"

namespace croft {
namespace {

MapResult as_result(BestAssignment best, ResultKind kind) {
  MapResult result;
  result.states = std::move(best.states);
  result.score = best.score;
  result.kind = kind;
  if (kind == ResultKind::exact) result.bound = result.score;
  result.convergence.converged = true;
  return result;
}

// By an oracle of the graph with chains of counters, which follow its variables.
class CountedBest final : public MaxOracle {
 public:
  CountedBest(const FactorGraph& graph, const MaxOracleMaker& make)
      : graph_(graph),
        chains_(with_counters(graph, {.scores_change = true})),
        best_(make(chains_.graph)) {}
  MapResult best() override {
    chains_.pick(graph_);
    MapResult result = best_->best();
    if (result.states.size() > graph_.variables()) result.states.resize(graph_.variables());
    return result;
  }

 private:
  const FactorGraph& graph_;
  PickedGraph chains_;
  std::unique_ptr<MaxOracle> best_;
};

class ExactBest final : public MaxOracle {
 public:
  ExactBest(const FactorGraph& graph, double most_bytes)
      : tree_(graph, find_elimination_order(graph, {.progress = until_interrupted()})) {
    if (most_bytes > 0 && tree_.bytes() > most_bytes) {
      throw Error("the junction tree of a graph of " + std::to_string(graph.variables()) +
                  " variables takes " + std::to_string(static_cast<long>(tree_.bytes() / 1e6) + 1) +
                  " MB, the limit is " + std::to_string(static_cast<long>(most_bytes / 1e6) + 1) +
                  " MB; take a search, such as trw-s, or a larger limit");
    }
  }
  MapResult best() override { return as_result(tree_.best(), ResultKind::exact); }

 private:
  JunctionTree tree_;
};

// A method that is a function of the graph.
template <class Search>
class SearchBest final : public MaxOracle {
 public:
  SearchBest(const FactorGraph& graph, Search search) : graph_(graph), search_(std::move(search)) {}
  MapResult best() override { return search_(graph_); }

 private:
  const FactorGraph& graph_;
  Search search_;
};

template <class Search>
MaxOracleMaker search_best(Search search) {
  return
      [=](const FactorGraph& graph) { return std::make_unique<SearchBest<Search>>(graph, search); };
}

bool has_pairs_only(const FactorGraph& graph) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (graph.scope(f).size() > 2) return false;
  }
  return true;
}

class AutomaticBest final : public MaxOracle {
 public:
  AutomaticBest(const FactorGraph& graph, double most_bytes)
      : graph_(graph), pairs_(has_pairs_only(graph)) {
    if (needs_counters(graph, {.scores_change = true})) {
      try {
        counted_ = exact_best(most_bytes)(graph);
      } catch (const Interrupted&) {
        throw;
      } catch (const Error&) {  // too large, or too wide
      }
      return;
    }
    try {
      const EliminationOrder order =
          find_elimination_order(graph, {.most_log2_states = 40, .progress = until_interrupted()});
      if (order.log2_total < 40) tree_.emplace(graph, order);
      if (tree_ && tree_->bytes() + 8 * std::exp2(order.log2_total) > most_bytes) tree_.reset();
    } catch (const TooWide&) {  // then without a tree
    }
  }
  MapResult best() override {
    if (counted_) return counted_->best();
    if (tree_) return as_result(tree_->best(), ResultKind::exact);
    if (pairs_ && why_no_graph_cut(graph_).empty()) return graph_cut(graph_);
    TrwSOptions options;
    options.max_iterations = 100;
    MapResult result = trw_s(graph_, options);
    if (!pairs_ || result.kind == ResultKind::exact) return result;
    const MapResult moved = alpha_expansion(graph_, {}, result.states);
    if (moved.score > result.score) {
      result.states = moved.states;
      result.score = moved.score;
    }
    return result;
  }

 private:
  const FactorGraph& graph_;
  bool pairs_;
  std::optional<JunctionTree> tree_;
  std::unique_ptr<MaxOracle> counted_;  // where factors count
};

}  // namespace

MaxOracleMaker exact_best(double most_bytes) {
  const MaxOracleMaker of_tables = [=](const FactorGraph& graph) {
    return std::make_unique<ExactBest>(graph, most_bytes);
  };
  return [=](const FactorGraph& graph) -> std::unique_ptr<MaxOracle> {
    if (!needs_counters(graph, {.scores_change = true})) return of_tables(graph);
    return std::make_unique<CountedBest>(graph, of_tables);
  };
}
MaxOracleMaker max_product_best(const BeliefPropagationOptions& options) {
  options.validate();
  return search_best([=](const FactorGraph& graph) {
    MaxProduct bp(graph, options);
    const Convergence end = bp.run();
    MapResult result = as_result(bp.best(), bp.kind());
    result.convergence = end;
    return result;
  });
}
MaxOracleMaker trw_s_best(const TrwSOptions& options) {
  options.validate();
  return search_best([=](const FactorGraph& graph) { return trw_s(graph, options); });
}
MaxOracleMaker graph_cut_best() {
  return search_best([](const FactorGraph& graph) { return graph_cut(graph); });
}
MaxOracleMaker alpha_expansion_best() {
  return search_best([](const FactorGraph& graph) -> MapResult { return alpha_expansion(graph); });
}
MaxOracleMaker automatic_best(double most_bytes) {
  return
      [=](const FactorGraph& graph) { return std::make_unique<AutomaticBest>(graph, most_bytes); };
}

}  // namespace croft
