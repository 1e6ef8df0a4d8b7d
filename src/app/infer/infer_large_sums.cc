// Sums whose junction tree is expensive or does not fit: what `auto` tries, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/infer/infer_auto.h"
#include "app/infer/infer_methods.h"
#include "app/infer/sum_bounds.h"
#include "core/infinity.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "croft/inference/belief_propagation.h"
#include "inference/graph/allowed_assignment.h"
#include "inference/graph/exact/sum_reduction.h"
#include "inference/graph/sampling/mini_bucket_sampling.h"
#include "inference/graph/search/counting_search.h"

namespace croft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMessageShare = 0.1;         // of belief propagation
constexpr double kCheapLog2 = 1.5;            // a third of the time of exact sums
constexpr double kCountingShare = 0.6;        // of all time, when the search is over
constexpr std::size_t kUntimedNodes = 20000;  // of it, where no time is given
constexpr std::size_t kWholeDraws = 10000;    // that marginals of what was summed out are made of
constexpr std::size_t kParticles = 10000;     // where no time is given
constexpr double kUntimedBytes = 1 << 28;     // of mini-buckets, likewise
constexpr double kAllowedShare = 0.1;
constexpr std::size_t kAllowedTries = 20;
constexpr std::size_t kAllowedSteps = 5000;  // of the search for an allowed assignment
constexpr double kReliable = 0.5;            // standard error of log Z; 1 is one run of many

class LargeSums {
 public:
  LargeSums(const InferProblem& p, InferResult& result) : p_(p), result_(result) {}

  void run() {
    const bool marginals = p_.request.task == GraphTask::marginals;
    if (marginals ? exact_marginals() : ask(Attempt(p_, false), {})) return;
    if (count(marginals)) return;
    estimate_sums(p_, result_);
  }

 private:
  // Adds a clause to the reason.
  void say(const std::string& clause) {
    result_.reason =
        result_.reason.empty() ? Message(clause) : Message(result_.reason, "; ", clause);
  }

  // The reduced graph, an elimination order for it, and the cost of its junction tree.
  struct Attempt {
    Attempt(const InferProblem& p, bool keep_variables)
        : reduction(p.for_tables, keep_variables, p.progress),
          q{.graph = reduction.graph(),
            .request = p.request,
            .memory = p.memory,
            .progress = p.progress,
            .plan = p.plan,
            .order = {},
            .evidence = {},
            .for_tables = reduction.graph()} {}
    SumReduction reduction;
    InferProblem q;
    std::string cost;                        // a clause of the reason
    std::optional<std::string_view> method;  // none: neither time nor memory allow it
    double log2_states = kInf;
  };

  // All variables kept where that is cheap; else with those of single factors summed out where that
  // costs half or less, although some marginals are estimates then.
  bool exact_marginals() {
    Attempt all(p_, true);
    const bool fits = plan(all);
    if (all.reduction.contradiction()) fail_without_assignment();
    const bool cheap = fits && all.log2_states <= most_log2_states(p_) - kCheapLog2;
    if (!cheap) {
      Attempt fewer(p_, false);
      const bool better = fewer.reduction.summed_out() > 0 && plan(fewer) &&
                          (!fits || fewer.log2_states <= all.log2_states - 1);
      if (better) return ask(fewer, all.cost);
    }
    return ask(all, {});
  }

  // A junction tree, or conditioning; false where there is no answer.
  //   before : clauses of the reason
  bool ask(Attempt&& attempt, const std::string& before) { return ask(attempt, before); }
  bool ask(Attempt& attempt, const std::string& before) {
    if (attempt.cost.empty()) plan(attempt);
    if (!before.empty()) say(before);
    say(attempt.cost);
    if (attempt.reduction.contradiction()) {
      result_.log_partition = -kInf;
      return true;
    }
    if (!attempt.method) return false;
    const bool direct = *attempt.method == "junction-tree";
    say(direct ? "that is exact" : "conditioning on a few variables is exact");
    result_.method = *attempt.method;
    p_.plan(fmt::format("{}: {}", result_.method, result_.reason.text()));
    InferProblem& q = attempt.q;
    q.share = share_of(p_, kExactShare, begin_);
    if (*attempt.method == "cutset-conditioning" && !p_.request.seconds) {
      infer_method_named(result_.method)->run(q, result_);
    } else if (const Message why = try_exact(q, result_); !why.empty()) {
      say(fmt::format("{} was {}", result_.method, why.text()));
      return false;
    }
    return p_.request.task == GraphTask::partition || take_marginals(q, attempt.reduction);
  }

  // A search where there are zeros; false where it does not come to its end.
  bool count(bool keep_variables) {
    const SumReduction reduction(p_.for_tables, keep_variables, p_.progress);
    const FactorGraph& graph = reduction.graph();
    const bool zeros = std::ranges::find(graph.numbers(), -kInf) != graph.numbers().end();
    if (!zeros || !why_no_counting(graph).empty()) return false;
    CountingOptions options{.memory = p_.memory, .marginals = keep_variables};
    if (!p_.request.seconds) options.max_nodes = kUntimedNodes;
    const CountingResult found =
        counting_search(graph, options, share_of(p_, kCountingShare, begin_));
    if (interruption) throw Interrupted("stopped during a search with a cache");
    if (!found.finished) {
      say(fmt::format("counting-search was stopped after {}", counted(found.nodes, "node")));
      return false;
    }
    if (keep_variables && found.log_partition == -kInf) fail_without_assignment();
    say("a search with a cache of components is exact");
    result_.method = "counting-search";
    p_.plan(fmt::format("{}: {}", result_.method, result_.reason.text()));
    result_.iterations = found.nodes;
    result_.log_partition = found.log_partition;
    if (keep_variables) result_.marginals = reduction.marginals(found.marginals, {}, {});
    return true;
  }

  // True if time and memory allow it.
  bool plan(Attempt& attempt) {
    const std::size_t out = attempt.reduction.summed_out();
    const std::string of = out == 0 ? ""
                           : out == 1
                               ? "with a variable summed out, "
                               : fmt::format("with {} summed out, ", counted(out, "variable"));
    if (attempt.reduction.contradiction()) {
      attempt.cost = "the factors' zeros contradict each other";
      return false;
    }
    try {
      attempt.q.order = cheapest_order(attempt.q, true);
    } catch (const TooWide& wide) {
      attempt.cost = fmt::format("{}a junction tree has at least 2^{:.0f} joint states", of,
                                 std::floor(wide.log2_states()));
      return false;
    } catch (const Interrupted&) {
      if (interruption || result_.stopped) throw;
      attempt.cost = of + "the cost of a junction tree was not found in time";
      return false;
    }
    const JunctionTree tree(attempt.q.for_tables, *attempt.q.order);
    const std::string why = why_not(attempt.q, tree);
    attempt.cost =
        fmt::format("{}the cliques of a junction tree have 2^{:.1f} joint states and take {}{}", of,
                    tree.log2_joint_states(), memory_text(tree.bytes()), why);
    attempt.log2_states = tree.log2_joint_states();
    attempt.method = why.empty() ? "junction-tree" : conditioning_for(attempt.q, tree);
    return attempt.method.has_value();
  }

  // Takes the marginals of all variables from those of the reduced graph.
  bool take_marginals(const InferProblem& q, const SumReduction& reduction) {
    std::vector<std::vector<State>> draws;
    if (reduction.needs_draws()) {
      JunctionTree tree(q.for_tables, *q.order, q.share);
      Random random(p_.request.seed);
      try {
        if (tree.bytes() <= p_.memory) draws = tree.samples(kWholeDraws, random);
      } catch (const Interrupted&) {
        if (interruption || result_.stopped) throw;
      }
      if (draws.empty()) {
        say("there was no time to draw what was summed out");
        result_.marginals = {};
        return false;
      }
      result_.kind = ResultKind::estimate;
      result_.notes.push_back(
          fmt::format("marginals of {}, which were summed out, are means over {}; the others' "
                      "are exact",
                      counted(reduction.summed_out(), "variable"), counted(draws.size(), "draw")));
    }
    const std::vector<double> weights(draws.size(), 1.0);
    result_.marginals = reduction.marginals(result_.marginals, draws, weights);
    return true;
  }

  const InferProblem& p_;
  InferResult& result_;
  const Clock::time_point begin_ = Clock::now();
};

// Messages and draws, and which of them is the answer.
class Estimates {
 public:
  Estimates(const InferProblem& p, InferResult& result)
      : p_(p), result_(result), reduction_(p.for_tables, false, p.progress) {}

  void run() {
    most_ = most_of_factors(reduction_.graph());
    pass_messages();
    find_one();
    draw();
    choose();
  }

 private:
  void pass_messages() {
    InferResult found = result_;
    InferProblem q = problem();
    found.method = "belief-propagation";
    try {
      infer_method_named(found.method)->run(q, found);
      messages_ = found;
    } catch (const Error&) {
      if (interruption) throw;
      if (found.log_partition == -kInf) throw;  // proved to be impossible
    }
    result_.stopped = result_.stopped || found.stopped;
  }

  // The whole problem, with a share of the time for messages.
  InferProblem problem() {
    InferProblem q = p_;
    q.progress = share_of(p_, kMessageShare, Clock::now());
    return q;
  }

  void draw() {
    MiniBucketSamplingOptions options{.seed = p_.request.seed};
    options.marginals = p_.request.task == GraphTask::marginals;
    options.samples = p_.request.seconds ? 0 : kParticles;
    options.any_width = p_.request.seconds.has_value();  // draws from wide graphs take long
    options.table_bytes =
        p_.request.seconds ? p_.memory / 2 : std::min(p_.memory / 2, kUntimedBytes);
    try {
      draws_ = mini_bucket_sampling(reduction_.graph(), options, p_.progress);
    } catch (const Error&) {
      if (interruption) throw;
    }
  }

  // An allowed assignment has a score that log Z is not below; where there is none, Z = 0.
  void find_one() {
    const FactorGraph& graph = reduction_.graph();
    if (std::ranges::find(graph.numbers(), -kInf) == graph.numbers().end()) return;
    const GraphCallback goes_on = share_of(p_, kAllowedShare, Clock::now());
    Random random(p_.request.seed);
    for (std::size_t k = 0; k < kAllowedTries && goes_on({}); ++k) {
      const AllowedAssignment found = find_allowed(graph, random, {.steps = kAllowedSteps});
      if (found.outcome == AllowedSearch::given_up) continue;
      if (found.outcome == AllowedSearch::none) most_ = -kInf;
      if (found.outcome == AllowedSearch::found) least_ = graph.score(found.states);
      return;
    }
  }
  // A lower bound of each allowed assignment's score: every factor's least score above -inf.
  double least_allowed() const {
    const FactorGraph& graph = reduction_.graph();
    double sum = 0;
    for (Factor f = 0; f < graph.factors(); ++f) {
      double low = kInf;
      for (const double each : graph.numbers(graph.potential_of(f))) {
        if (each > -kInf) low = std::min(low, each);
      }
      const PotentialKind kind = graph.potential(graph.potential_of(f)).kind;
      if (kind != PotentialKind::table || low == kInf) return -kInf;
      sum += low;
    }
    return sum;
  }

  bool hit() const { return draws_ && draws_->sum.log_partition > -kInf; }

  void choose() {
    if (draws_) {
      least_ = std::max(least_, draws_->least);
      most_ = std::min(most_, draws_->most);
    }
    if (most_ == -kInf) return prove_impossible();
    const bool converged = messages_ && messages_->converged && within(*messages_->log_partition);
    const bool reliable = hit() && draws_->sum.log_standard_error <= kReliable;
    if (hit() && (reliable || draws_->sum.kind == ResultKind::exact || !converged)) {
      take_draws();
    } else if (messages_) {
      take_messages();
    } else {
      fail_without_finding();
    }
    if (result_.kind == ResultKind::estimate && result_.log_partition) {
      const double least = std::min(most_, std::max(least_, least_allowed()));
      result_.log_partition = std::clamp(*result_.log_partition, least, most_);
      if (most_ < kInf) result_.log_partition_most = most_;
      if (least_ > -kInf) result_.log_partition_least = least_;
    }
    p_.plan(fmt::format("{}: {}", result_.method, result_.reason.text()));
  }
  bool within(double log_z) const { return log_z >= least_ && log_z <= most_; }

  void prove_impossible() {
    if (p_.request.task == GraphTask::marginals) fail_without_assignment();
    result_.method = "mini-bucket-sampling";
    result_.reason = {result_.reason, "; the factors' zeros contradict each other"};
    result_.log_partition = -kInf;
  }

  void take_draws() {
    const WeightedResult& sum = draws_->sum;
    result_.method = "mini-bucket-sampling";
    result_.kind = sum.kind;
    result_.converged = sum.convergence.converged;
    result_.iterations = sum.convergence.iterations;
    result_.log_partition = sum.log_partition;
    result_.memory_bytes = {};
    if (sum.kind == ResultKind::exact) return;
    result_.reason = {result_.reason, "; weighted draws give an estimate between bounds"};
    result_.log_partition_error = sum.log_standard_error;
    if (p_.request.task == GraphTask::partition) return;
    result_.effective_samples = sum.effective_samples;
    result_.marginals = reduction_.marginals(sum.marginals, draws_->draws, draws_->weights);
  }

  void take_messages() {
    Message reason = {result_.reason, "; belief propagation gives an estimate"};
    const bool stopped = result_.stopped;
    result_ = *messages_;
    result_.reason = std::move(reason);
    result_.stopped = stopped && !result_.converged;
  }

  const InferProblem& p_;
  InferResult& result_;
  const SumReduction reduction_;
  std::optional<InferResult> messages_;
  std::optional<BoundedSum> draws_;
  double least_ = -kInf, most_ = kInf;  // log Z is between them
};

}  // namespace

void run_large_sums(const InferProblem& p, InferResult& result) { LargeSums(p, result).run(); }

void estimate_sums(const InferProblem& p, InferResult& result) { Estimates(p, result).run(); }

}  // namespace croft
