#include "train/graph/graph_self_training.h"

#include <algorithm>
#include <optional>

#include "core/infinity.h"
#include "train/graph/graph_unlabelled.h"

namespace croft {

// Of the hidden variables of an instance: derivatives of log Z by scores of 0, one for each state.
class SelfTrainedGraphs::Marginals {
 public:
  Marginals(const GraphInstance& instance, const SumOracleMaker& make_sums)
      : rest_(restrict_to_known(instance.graph, instance.known)),
        states_(rest_.graph),
        make_sums_(make_sums) {
    for (Variable v = 0; v < states_.variables(); ++v) {
      const std::vector<double> zero(states_.states(v), 0.0);
      states_.add_factor({v}, states_.add_table(zero));
    }
    sums_ = make_sums(states_);
  }

  // The sure labels; none where no assignment is allowed that has all of them.
  std::vector<Label> find(const FactorGraph& scored, double confidence) {
    rest_.pick(scored);
    const std::span<const double> numbers = rest_.graph.numbers();
    std::ranges::copy(numbers, states_.numbers().begin());
    derivative_.assign(states_.numbers().size(), 0);
    const bool allowed = sums_->sums(1, derivative_) > -kInf;
    std::vector<Label> out;
    std::span<const double> p = std::span<const double>(derivative_).subspan(numbers.size());
    for (Variable v = 0; v < states_.variables(); ++v) {
      out.push_back(allowed ? sure_label(p.first(states_.states(v)), confidence) : kAnyLabel);
      p = p.subspan(states_.states(v));
    }
    if (!are_allowed(out)) std::ranges::fill(out, kAnyLabel);
    return out;
  }
  std::size_t hidden() const { return rest_.graph.variables(); }

 private:
  // Each is sure by itself; together they may break a constraint.
  bool are_allowed(std::span<const State> sure) const {
    static_assert(kAnyLabel == kUnobserved);
    const std::span<const double> numbers = rest_.graph.numbers();
    if (std::ranges::find(numbers, -kInf) == numbers.end()) return true;
    if (std::ranges::find(sure, kUnobserved) == sure.end()) return rest_.graph.score(sure) > -kInf;
    const PickedGraph left = restrict_to_known(rest_.graph, sure);
    std::vector<double> ignored(left.graph.numbers().size());
    return make_sums_(left.graph)->sums(1, ignored) > -kInf;
  }

  PickedGraph rest_;
  FactorGraph states_;  // rest_'s, with those scores behind its numbers
  SumOracleMaker make_sums_;
  std::unique_ptr<SumOracle> sums_;
  std::vector<double> derivative_;
};

SelfTrainedGraphs::SelfTrainedGraphs(const GraphProblem& problem, std::span<GraphInstance> other,
                                     double confidence, const Train& train)
    : problem_(problem), confidence_(confidence), train_(train) {
  if (other.empty()) {
    other_ = with_hidden(problem.instances);
    std::ranges::copy_if(problem.instances, std::back_inserter(labelled_), [](const auto& each) {
      return std::ranges::find(each.known, kUnobserved) == each.known.end();
    });
  } else {
    other_.assign(other.begin(), other.end());
    labelled_.assign(problem.instances.begin(), problem.instances.end());
  }
  const SumOracleMaker exact = exact_sums(problem.inference.memory.value_or(kMostTreeBytes));
  const SumOracleMaker make = graph_sums(problem.objective, problem.inference).value_or(exact);
  marginals_.resize(other_.size());
  problem.pool.run(other_.size(), [&](std::size_t n, std::size_t) {
    marginals_[n] = std::make_unique<Marginals>(other_[n], make);
  });
}
SelfTrainedGraphs::~SelfTrainedGraphs() = default;

std::vector<Label> SelfTrainedGraphs::sure_labels(SeenAttributes, std::span<const double> w) {
  const GraphScorer scorer(problem_.schema, problem_.rows, problem_.layout);
  std::vector<GraphScorer> scorers(problem_.pool.threads(), scorer);
  std::vector<std::vector<Label>> found(other_.size());
  problem_.pool.run(other_.size(), [&](std::size_t n, std::size_t worker) {
    scorers[worker].score(w, other_[n]);
    found[n] = marginals_[n]->find(other_[n].graph, confidence_);
  });
  std::vector<Label> out;
  for (const std::vector<Label>& each : found) out.insert(out.end(), each.begin(), each.end());
  return out;
}

OptimizeResult SelfTrainedGraphs::train(SeenAttributes, std::span<const Label> labels,
                                        std::span<double> w) {
  if (labels.empty()) return train_(problem_.instances, w);
  std::vector<GraphInstance> all = labelled_;
  for (std::size_t n = 0; n < other_.size(); ++n) {
    const std::span<const Label> own = labels.first(marginals_[n]->hidden());
    labels = labels.subspan(own.size());
    const bool some_known =
        std::ranges::any_of(other_[n].known, [](State y) { return y != kUnobserved; });
    if (!some_known && std::ranges::none_of(own, is_one_label)) continue;
    GraphInstance& labelled = all.emplace_back(other_[n]);
    auto label = own.begin();
    for (State& each : labelled.known) {
      if (each != kUnobserved) continue;
      if (is_one_label(*label)) each = *label;
      ++label;
    }
  }
  return train_(all, w);
}

}  // namespace croft
