#include "inference/graph/search/counting_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/inference/elimination_order.h"
#include "inference/graph/search/clause_learning.h"
#include "inference/graph/search/counting_components.h"
#include "inference/graph/search/counting_model.h"
#include "inference/graph/search/counting_sums.h"

namespace croft {
namespace {

constexpr std::size_t kMostStates = 64;
constexpr double kMostTable = 1 << 16;
constexpr std::size_t kNodesBetween = 64;
constexpr std::size_t kMostDepth = 20000;  // of the recursion
constexpr double kOrder = 1;               // how much a late place in an elimination order counts
constexpr double kActivity = 1;            // how much a place in contradictions counts
constexpr double kBytesOfKnown = 80;

class CountingSearch {
 public:
  CountingSearch(const FactorGraph& graph, const CountingOptions& options,
                 const GraphCallback& progress)
      : graph_(graph),
        options_(options),
        progress_(progress),
        model_(graph),
        domains_(model_),
        finder_(model_, domains_.left()),
        sums_(options.marginals),
        place_(graph.variables(), 0) {
    EliminationOptions search{.rules = {EliminationRule::min_fill}, .restarts = 2};
    search.most_log2_states = kInf;
    search.progress = progress;
    const EliminationOrder order = find_elimination_order(graph, search);
    for (std::size_t k = 0; k < order.order.size(); ++k) {
      place_[order.order[k]] = static_cast<double>(k + 1) / static_cast<double>(order.order.size());
    }
  }

  CountingResult run() {
    CountingResult result;
    CountingComponent whole;
    whole.variables.resize(graph_.variables());
    std::iota(whole.variables.begin(), whole.variables.end(), 0);
    whole.tables.resize(model_.tables.size());
    std::iota(whole.tables.begin(), whole.tables.end(), 0);
    CountingSums::Id root = CountingSums::kNone;
    if (model_.constant > -kInf && domains_.start() && domains_.probe(progress_)) {
      sums_.open();
      const double value = fall_apart(whole);
      root = sums_.close(value);
      result.log_partition = model_.constant + value;
    } else {
      result.log_partition = -kInf;
    }
    result.nodes = count_;
    result.finished = !stopped_;
    if (result.finished && options_.marginals && result.log_partition > -kInf) {
      result.marginals = sums_.marginals(graph_, root);
    }
    return result;
  }

 private:
  // The value of what is left of a component's variables, as a branch of the node that is being
  // made.
  double fall_apart(const CountingComponent& c) {
    std::vector<CountingSums::Decided> decided;
    std::vector<CountingComponent> parts;
    double value = 0;
    finder_.begin();
    for (const Variable v : c.variables) {
      if (finder_.is_in_one(v)) continue;
      const StateSet left = domains_.left()[v];
      if (is_single(left)) {
        decided.emplace_back(v, left);
        continue;
      }
      CountingComponent part = finder_.component_of(v);
      if (part.variables.size() == 1 && part.tables.empty()) {  // no clause is left, either
        value += std::log(static_cast<double>(std::popcount(left)));
        decided.emplace_back(v, left);
      } else {
        parts.push_back(std::move(part));
      }
    }
    for (const std::uint32_t t : c.tables) {
      double constant = 0;
      if (!finder_.tells_apart(t, &constant)) value += constant;
    }
    std::ranges::sort(parts, {}, [](const CountingComponent& p) { return p.variables.size(); });
    const std::size_t known_before = found_.size();
    std::vector<CountingSums::Id> children;
    for (const CountingComponent& part : parts) {
      const CountingSums::Id child = solve(part);
      if (stopped_) return -kInf;
      value += child == CountingSums::kNone ? -kInf : sums_.value(child);
      if (value == -kInf) {
        forget(known_before);
        return -kInf;
      }
      children.push_back(child);
    }
    sums_.add_branch(value, decided, children);
    return value;
  }

  // Learned clauses join components.  Where one of them has no assignment, what was found of the
  // others, and within them, may be too little: a clause that holds because of the one may have
  // removed assignments of another.
  void forget(std::size_t from) {
    for (; found_.size() > from; found_.pop_back()) known_.erase(found_.back());
  }

  // kNone where there is no assignment.
  CountingSums::Id solve(const CountingComponent& c) {
    if (const auto known = known_.find(c.key); known != known_.end()) return known->second;
    if (!goes_on()) return CountingSums::kNone;
    sums_.open();
    const Variable v = branching_variable(c);
    const std::size_t mark = domains_.mark();
    std::vector<double> values;
    double high = -kInf;
    bool possible = true;
    for (StateSet states = domains_.left()[v]; possible && states != 0; states &= states - 1) {
      const StateSet state = bit_of(lowest_state(states));
      if ((domains_.left()[v] & state) == 0) continue;  // what was learned forbids it
      domains_.decide(v, state);
      values.push_back(domains_.propagate() ? fall_apart(c) : -kInf);
      domains_.back();
      if (stopped_) break;
      high = std::max(high, values.back());
      possible = domains_.recall();
    }
    domains_.undo(mark);
    if (stopped_ || high == -kInf) {
      sums_.abandon();
      return CountingSums::kNone;
    }
    double sum = 0;
    for (const double each : values) sum += std::exp(each - high);
    return remember(c.key, sums_.close(high + std::log(sum)));
  }

  bool goes_on() {
    ++count_;
    const bool too_many = options_.max_nodes > 0 && count_ > options_.max_nodes;
    stopped_ = stopped_ || too_many || sums_.depth() > kMostDepth || bytes() > options_.memory;
    if (count_ % kNodesBetween == 0 && progress_) {
      GraphProgress now;
      now.iteration = count_;
      stopped_ = stopped_ || !progress_(now);
    }
    return !stopped_;
  }

  // Memory of what is never forgotten, about.
  double bytes() const {
    return sums_.bytes() + 2 * static_cast<double>(found_.size() * sizeof(SetKey));
  }

  CountingSums::Id remember(const SetKey& key, CountingSums::Id id) {
    if (static_cast<double>(known_.size()) * kBytesOfKnown > options_.memory / 2) {
      known_.clear();
    }
    known_.emplace(key, id);
    found_.push_back(key);
    return id;
  }

  Variable branching_variable(const CountingComponent& c) const {
    Variable best = c.variables[0];
    double most = -1;
    for (const Variable v : c.variables) {
      const double score =
          (finder_.degree(v) + kActivity * domains_.activity(v)) * (1 + kOrder * place_[v]);
      if (score > most) {
        most = score;
        best = v;
      }
    }
    return best;
  }

  const FactorGraph& graph_;
  const CountingOptions& options_;
  const GraphCallback& progress_;
  const CountingModel model_;
  ClauseLearning domains_;
  ComponentFinder finder_;
  CountingSums sums_;
  std::vector<double> place_;  // [variables] in an elimination order

  std::unordered_map<SetKey, CountingSums::Id, HashOfKey> known_;
  std::vector<SetKey> found_;  // keys in known_, as they came
  std::size_t count_ = 0;
  bool stopped_ = false;
};

}  // namespace

void CountingOptions::validate() const {
  if (!(memory > 0)) throw UsageError("counting needs memory above 0");
}

std::string why_no_counting(const FactorGraph& graph) {
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (graph.states(v) > kMostStates) {
      return "variable " + std::to_string(v) + " has " + std::to_string(graph.states(v)) +
             " states, and 64 are the most";
    }
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (static_cast<double>(graph.joint_states(f)) > kMostTable) {
      return "factor " + std::to_string(f) + " has more than 2^16 joint states";
    }
  }
  return "";
}

CountingResult counting_search(const FactorGraph& graph, const CountingOptions& options,
                               const GraphCallback& progress) {
  options.validate();
  if (const std::string why = why_no_counting(graph); !why.empty()) {
    throw Error("the search with a cache does not take this graph: ", why);
  }
  return CountingSearch(graph, options, progress).run();
}

}  // namespace croft
