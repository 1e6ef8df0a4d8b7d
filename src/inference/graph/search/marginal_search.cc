#include "inference/graph/search/marginal_search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "croft/inference/elimination_order.h"
#include "inference/graph/bounds/mini_bucket_search.h"
#include "inference/graph/local_state.h"
#include "inference/graph/search/sums_given.h"

namespace croft {
namespace {

constexpr double kFirstNodes = 1 << 10;  // of a run of the search
constexpr double kStatesPerNode = 64;    // of mini-buckets, so that both take turns
constexpr double kBytesPerState = 16;    // of a mini-bucket's tables
constexpr double kSumLog2States = 27;    // of one exact sum: a second
constexpr std::size_t kNodesBetweenQuestions = 64;

class MarginalSearch {
 public:
  MarginalSearch(const FactorGraph& graph, std::span<const Variable> over,
                 const MarginalSearchOptions& options, const GraphCallback& callback)
      : graph_(graph),
        options_(options),
        callback_(callback),
        random_(options.seed),
        sums_(graph, over, kSumLog2States, options.table_bytes,
              [this](const GraphProgress&) { return goes_on(); }) {
    EliminationOptions search{.rules = {EliminationRule::min_fill}, .restarts = 4};
    search.most_log2_states = kInf;  // buckets are divided
    search.last.assign(over.begin(), over.end());
    search.progress = [this](const GraphProgress&) { return goes_on(); };
    order_ = find_elimination_order(graph, search).order;
    std::size_t several = 0;
    for (const Variable v : over) several += graph.states(v) >= 2 ? 1 : 0;
    summed_ = static_cast<MiniBuckets::Place>(order_.size() - several);
  }

  MapResult run() {
    try {
      double limit = kFirstNodes, step = 1;
      while (open_ && !proved()) {
        widen(kStatesPerNode * limit);
        if (open_ && !proved()) move();
        if (open_ && !proved()) prove(step, limit);
      }
    } catch (const Interrupted&) {
      open_ = false;
    }
    result_.convergence = {open_, nodes_, gap_between(result_.score, result_.bound)};
    conclude(result_);
    return result_;
  }

 private:
  bool goes_on() { return open_ = open_ && report(callback_, result_); }
  bool proved() const { return reaches(result_.score, result_.bound); }

  void offer(std::span<const State> x, double score) {
    if (score < result_.score || (score == result_.score && !result_.states.empty())) return;
    result_.states.assign(graph_.variables(), 0);
    for (std::size_t k = summed_; k < order_.size(); ++k) {
      result_.states[order_[k]] = x[order_[k]];
    }
    result_.score = score;
  }
  std::vector<State> whole(const std::vector<State>& at_places) const {
    std::vector<State> x(graph_.variables(), 0);
    for (std::size_t k = summed_; k < order_.size(); ++k) x[order_[k]] = at_places[k];
    return x;
  }

  // Larger tables, where there is room and use for them; their guess is an assignment.
  void widen(double states) {
    const double most = options_.table_bytes / kBytesPerState;
    if (buckets_ && (buckets_->exact() || 4 * states_ > most)) return;
    states_ = std::min(std::max(states, 4 * states_), most);
    search_.reset();
    buckets_.emplace(
        graph_, order_, states_, [this] { return goes_on(); }, summed_);
    if (!open_) return;
    result_.bound = std::min(result_.bound, buckets_->bound());
    search_.emplace(*buckets_);
    const std::vector<State> x = whole(search_->guess());
    const std::optional<BestAssignment> exact = sums_.best(x, {});
    offer(x, exact ? exact->score : -kInf);
  }

  // As many variables at a time as an exact sum allows.
  void move() {
    for (std::size_t k = 0; k < options_.moves && goes_on() && !proved(); ++k) {
      const std::vector<State> x = result_.states;
      const auto found = sums_.best(x, sums_.neighbourhood(block_, random_));
      if (found) {
        offer(found->states, found->score);
        if (++fitting_ % 4 == 0) block_ = std::min(block_ + 1 + block_ / 4, order_.size());
      } else {
        block_ = std::max<std::size_t>(1, block_ - block_ / 4);
      }
    }
  }

  // One run, for more than what is known, or for a lower bound that is `step` less.
  void prove(double& step, double& limit) {
    const double target = std::max(result_.score, result_.bound - step);
    std::size_t left = static_cast<std::size_t>(limit);
    const auto outcome = search_->run(target, [&] { return --left > 0 && visit(); });
    if (outcome == MiniBucketSearch::Outcome::stopped) {
      step /= 2;
      limit *= 2;
      return;
    }
    step *= 2;
    if (outcome == MiniBucketSearch::Outcome::none) {
      result_.bound = target;
      return;
    }
    offer(whole(search_->states()), search_->best());
    result_.bound = result_.score;
  }
  bool visit() {
    ++nodes_;
    if (nodes_ == options_.max_nodes) open_ = false;
    return open_ && (nodes_ % kNodesBetweenQuestions != 0 || goes_on());
  }

  const FactorGraph& graph_;
  const MarginalSearchOptions& options_;
  const GraphCallback& callback_;
  Random random_;
  SumsGiven sums_;
  std::vector<Variable> order_;
  MiniBuckets::Place summed_ = 0;
  std::optional<MiniBuckets> buckets_;
  std::optional<MiniBucketSearch> search_;
  double states_ = 0;
  std::size_t block_ = 2, fitting_ = 0, nodes_ = 0;
  bool open_ = true;
  MapResult result_;
};

}  // namespace

void MarginalSearchOptions::validate() const {
  if (!(table_bytes > 0)) throw UsageError("a marginal search needs table_bytes above 0");
}

MapResult marginal_search(const FactorGraph& graph, std::span<const Variable> over,
                          const MarginalSearchOptions& options, const GraphCallback& callback) {
  options.validate();
  return MarginalSearch(graph, over, options, callback).run();
}

}  // namespace croft
