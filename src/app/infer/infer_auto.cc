// What the method `auto` makes of a graph.
#include "app/infer/infer_auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/junction_tree.h"
#include "inference/graph/exact/conditioning.h"
#include "inference/graph/exact/recursive_conditioning.h"

namespace croft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostLog2States = 32;  // half a minute or so
constexpr double kMostLog2OfSums = 35;  // the same, or minutes where cliques have many factors
// Of a first order, from which no other comes down to what can be done.
constexpr double kHopelessLog2States = 48;
constexpr double kQuickLog2States = 27;      // a second or so
constexpr double kManyLog2States = 30;       // worth seconds of a search for a better order
constexpr std::size_t kManyRestarts = 1000;  // of that search, where no time is given
constexpr double kSumsShare = 0.5;           // of the time: sums, before a search begins
constexpr std::size_t kMostMillions = 4000;  // of steps that the search for an order takes

// Joint states a second that a junction tree goes through, of what was measured the least, and for
// sums, which an estimate can follow when time is over, the most.
double states_per_second(GraphTask task) {
  if (task == GraphTask::partition) return 2e9;
  return task == GraphTask::marginals ? 1e9 : 8e7;
}

bool is_exact_or_estimate(const InferProblem& p) {
  return p.request.task == GraphTask::partition || p.request.task == GraphTask::marginals;
}

// Sums that are expensive, or do not fit.
bool is_expensive(const InferProblem& p, const EliminationOrder& order,
                  const GraphCallback& in_time) {
  return order.log2_total > kManyLog2States ||
         JunctionTree(p.for_tables, order, in_time).bytes() > p.memory;
}

}  // namespace

EliminationOrder cheapest_order(const InferProblem& p, bool thorough,
                                std::span<const Variable> keep) {
  const Clock::time_point begin = Clock::now();
  const GraphCallback in_time = [&](const GraphProgress& now) {
    return p.progress(now) && now.iteration < kMostMillions &&
           (!p.request.seconds ||
            std::chrono::duration<double>(Clock::now() - begin).count() < *p.request.seconds / 4);
  };
  EliminationOptions options{.rules = {EliminationRule::min_fill}, .restarts = 1};
  options.last.assign(keep.begin(), keep.end());
  options.keep_last = true;
  options.progress = in_time;
  EliminationOrder first = find_elimination_order(p.for_tables, options);
  const bool goes_on = thorough && p.request.seconds;
  if (first.log2_total > kHopelessLog2States && !goes_on) return first;
  options.rules = {};
  options.restarts = EliminationOptions().restarts;
  try {
    first = find_elimination_order(p.for_tables, options);
    if (!thorough || !is_expensive(p, first, in_time)) return first;
    options.restarts = p.request.seconds ? std::numeric_limits<std::size_t>::max() : kManyRestarts;
    return find_elimination_order(p.for_tables, options);
  } catch (const Interrupted&) {
    return first;
  }
}

double most_log2_states(const InferProblem& p) {
  if (!p.request.seconds) return is_exact_or_estimate(p) ? kMostLog2OfSums : kMostLog2States;
  return std::log2(kExactShare * *p.request.seconds * states_per_second(p.request.task));
}

std::string why_not(const InferProblem& p, const JunctionTree& tree) {
  if (tree.bytes() > p.memory) return fmt::format(", and {} are allowed", memory_text(p.memory));
  if (tree.log2_joint_states() <= most_log2_states(p)) return "";
  return p.request.seconds ? fmt::format(", which may take more than {} s", *p.request.seconds)
                           : ", which may take minutes or more";
}

GraphCallback share_of(const InferProblem& p, double share, Clock::time_point begin) {
  if (!p.request.seconds) return p.progress;
  const std::chrono::duration<double> most(share * *p.request.seconds);
  return [&p, begin, most](const GraphProgress& now) {
    return p.progress(now) && Clock::now() - begin < most;
  };
}

namespace {

const InferMethod kExactThenEstimate{"junction-tree",
                                     "",
                                     {GraphTask::partition, GraphTask::marginals, GraphTask::map},
                                     {},
                                     {},
                                     run_exact_then_estimate};
const InferMethod kLargeSums{
    "junction-tree", "", {GraphTask::partition, GraphTask::marginals}, {}, {}, run_large_sums};

// True if another method has an answer where an exact one is stopped.
bool another_follows(const InferProblem& p) {
  return p.request.seconds && p.request.task != GraphTask::sample && !p.request.k_best;
}

}  // namespace

std::optional<std::string_view> conditioning_for(const InferProblem& p, const JunctionTree& tree) {
  const double most = most_log2_states(p);
  if (tree.bytes() <= p.memory || tree.log2_joint_states() > most) return {};
  ConditioningOptions options{.memory = p.memory, .order = p.order};
  options.progress = p.progress;
  double cutset = HUGE_VAL, recursive = HUGE_VAL;
  try {
    recursive = plan_recursion(p.for_tables, options).log2_joint_states;
    if (p.request.task != GraphTask::sample) {
      cutset = plan_conditioning(p.for_tables, options).log2_joint_states;
    }
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {  // not even the factors fit
  }
  if (std::min(cutset, recursive) > most) return {};
  return cutset < recursive ? "cutset-conditioning" : "recursive-conditioning";
}

namespace {

// A search that may be over long before a large junction tree, whose time is known; as many nodes
// as take about half of that time.
const InferMethod kSearchThenTree{"branch-and-bound",  "", {GraphTask::map}, {}, {},
                                  run_search_then_tree};
constexpr double kFewestNodes = 100;  // that are worth a search's first steps

double nodes_before(const InferProblem& p, const JunctionTree& tree) {
  double joint = 1;
  for (Factor f = 0; f < p.for_tables.factors(); ++f) {
    joint += static_cast<double>(p.for_tables.joint_states(f));
  }
  return std::min(1e5, std::exp2(tree.log2_joint_states()) / (20 * joint));
}

}  // namespace

const InferMethod& choose(InferProblem& p, InferRequest& request, InferResult& result) {
  const Clock::time_point begin = Clock::now();
  if (p.request.tolerance || p.request.max_iterations) {
    result.reason = "--tolerance and --max-iterations are for methods that iterate";
    const InferMethod& iterating = *infer_method_named(auto_iterating(p.request));
    check(iterating, p.request);
    return iterating;
  }
  const auto without_tree = [&](const std::string& why) -> const InferMethod& {
    const AutoChoice other = auto_without_junction_tree(p);
    result.reason = {why, "; ", other.why};
    request.max_iterations = other.max_iterations;
    return *infer_method_named(other.method);
  };
  std::optional<JunctionTree> planned;
  try {
    p.order = cheapest_order(p, false);
    planned.emplace(p.for_tables, *p.order, p.progress).bytes();
    if (is_exact_or_estimate(p) && is_expensive(p, *p.order, p.progress)) return kLargeSums;
  } catch (const TooWide& wide) {
    if (is_exact_or_estimate(p)) return kLargeSums;
    return without_tree(fmt::format("a junction tree has at least 2^{:.0f} joint states",
                                    std::floor(wide.log2_states())));
  } catch (const Interrupted&) {
    if (interruption || result.stopped) throw;
    if (is_exact_or_estimate(p)) return kLargeSums;
    return without_tree("the cost of a junction tree was not found in time");
  }
  const JunctionTree& tree = *planned;
  const std::string cost = fmt::format("its cliques have 2^{:.1f} joint states and take {}",
                                       tree.log2_joint_states(), memory_text(tree.bytes()));
  const std::string why = why_not(p, tree);
  if (why.empty()) {
    const double nodes = nodes_before(p, tree);
    if (p.request.task == GraphTask::map && !p.request.k_best && nodes >= kFewestNodes) {
      request.max_iterations = static_cast<std::size_t>(nodes);
      result.reason = fmt::format(
          "of the junction tree {}; branch and bound may be sooner, and has "
          "{} nodes before the tree follows",
          cost, *request.max_iterations);
      return kSearchThenTree;
    }
    result.reason = "the junction tree is exact, and " + cost;
    if (!another_follows(p)) return *infer_method_named("junction-tree");
    p.share = share_of(p, kExactShare, begin);
    return kExactThenEstimate;
  }
  if (is_exact_or_estimate(p)) return kLargeSums;
  if (const auto conditioning = p.request.k_best ? std::nullopt : conditioning_for(p, tree)) {
    result.reason =
        "of the junction tree " + cost + why + "; conditioning on a few variables is exact";
    if (another_follows(p)) {
      p.share = share_of(p, kExactShare, begin);
      return kExactThenEstimate;
    }
    return *infer_method_named(*conditioning);
  }
  return without_tree("of the junction tree " + cost + why);
}

std::optional<FactorGraph> others_summed_out(const InferProblem& p, std::string& reason) {
  EliminationOrder order;
  try {
    order = cheapest_order(p, false, p.request.over);
  } catch (const TooWide& wide) {
    reason = fmt::format("to sum out the other variables takes 2^{:.0f} joint states at least",
                         std::floor(wide.log2_states()));
    return {};
  } catch (const Interrupted&) {
    if (interruption) throw;
    reason = "what it takes to sum out the other variables was not found in time";
    return {};
  }
  const GraphCallback in_share = share_of(p, kSumsShare, Clock::now());
  JunctionTree sums(p.for_tables, order, in_share);
  const std::string why = why_not(p, sums);
  reason = fmt::format("the sums over the other variables have 2^{:.1f} joint states and take {}{}",
                       sums.log2_joint_states(), memory_text(sums.bytes()), why);
  if (!why.empty()) return {};
  try {
    return sums.sum_out();
  } catch (const Interrupted& stop) {
    const Message text("to sum out the other variables was ", stop.message());
    if (interruption) throw Interrupted(text);
    reason = text.text();
    return {};
  }
}

std::optional<double> quick_log_partition(const InferProblem& p) {
  EliminationOptions options{.rules = {EliminationRule::min_fill}, .restarts = 2};
  options.most_log2_states = kQuickLog2States;
  options.progress = p.progress;
  try {
    JunctionTree tree(p.for_tables, find_elimination_order(p.for_tables, options), p.progress);
    if (tree.log2_joint_states() > kQuickLog2States || tree.bytes() > p.memory) return {};
    return tree.log_partition();
  } catch (const TooWide&) {
  } catch (const Interrupted&) {
  }
  return {};
}

}  // namespace croft
