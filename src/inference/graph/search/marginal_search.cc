#include "inference/graph/search/marginal_search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "croft/inference/branch_and_bound.h"
#include "croft/inference/elimination_order.h"
#include "inference/graph/allowed_assignment.h"
#include "inference/graph/bounds/mini_bucket_search.h"
#include "inference/graph/local_state.h"
#include "inference/graph/search/block_search.h"
#include "inference/graph/search/sums_given.h"

namespace croft {
namespace {

constexpr double kFirstNodes = 1 << 10;  // of a run of the search
constexpr double kStatesPerNode = 64;    // of mini-buckets, so that both take turns
constexpr double kBytesPerState = 16;    // of a mini-bucket's tables
constexpr double kSumLog2States = 27;    // of one exact sum: a second
constexpr double kFirstWidth = 14;       // of blocks with sums, which are expensive to set up
constexpr std::size_t kNodesBetweenQuestions = 64;
constexpr std::size_t kNodesOfStart = 1000;  // of branch and bound, where no start is given

class MarginalSearch {
 public:
  MarginalSearch(const FactorGraph& graph, std::span<const Variable> over,
                 const MarginalSearchOptions& options, const GraphCallback& callback)
      : graph_(graph),
        over_(over.begin(), over.end()),
        is_asked_(graph.variables(), false),
        options_(options),
        callback_(callback),
        random_(options.seed),
        goes_on_([this] { return goes_on(); }),
        sums_(graph, over, kSumLog2States, options.table_bytes,
              [this](const GraphProgress&) { return goes_on(); }),
        x_(graph.variables(), 0) {
    for (const Variable v : over) is_asked_[v] = true;
  }

  MarginalMapResult run() {
    try {
      prepare_blocks();
      if (!options_.start.empty()) {
        keep(options_.start, graph_.score(options_.start), graph_.variables() - over_.size());
        offer(options_.start);  // more of its sum
      }
      double limit = kFirstNodes, step = 1;
      while (open_ && !proved()) {
        widen(kStatesPerNode * limit);
        if (open_ && !proved()) descend(limit);
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

  void keep(std::span<const State> x, double score, std::size_t held) {
    if (score < result_.score || (score == result_.score && !result_.states.empty())) return;
    result_.states.assign(graph_.variables(), 0);
    for (const Variable v : over_) result_.states[v] = x[v];
    result_.score = score;
    result_.held = held;
    x_.assign(x.begin(), x.end());
    changed_ = true;
  }
  // By the part of its sum that blocks sum over; by one term of it where that is too much.
  void offer(std::span<const State> x) {
    const std::optional<double> part = part_->sum(x);
    keep(x, part ? *part : graph_.score(x), part ? held_ : graph_.variables() - over_.size());
  }
  // By the whole sum, which may take a second or more, where even that is not too much.
  void offer_whole(std::span<const State> x) {
    if (held_ == 0) return offer(x);
    if (const std::optional<double> whole = sums_.sum(x)) keep(x, *whole, 0);
  }
  // States of those that are asked for; the others as they were.
  std::vector<State> with_places(const std::vector<State>& at_places) const {
    std::vector<State> x = x_;
    for (std::size_t k = summed_; k < order_.size(); ++k) x[order_[k]] = at_places[k];
    return x;
  }

  // Larger tables, where there is room and use for them; their guess is an assignment.
  void widen(double states) {
    const double most = options_.table_bytes / kBytesPerState;
    if (buckets_ && (buckets_->exact() || 4 * states_ > most)) return;
    if (!buckets_) find_order();
    states_ = std::min(std::max(states, 4 * states_), most);
    search_.reset();
    buckets_.emplace(graph_, order_, states_, goes_on_, summed_);
    if (!open_) return;
    result_.bound = std::min(result_.bound, buckets_->bound());
    search_.emplace(*buckets_);
    const std::vector<State> guess = with_places(search_->guess());
    offer(guess);
    if (result_.score == -kInf) offer_whole(guess);
  }
  void find_order() {
    EliminationOptions search{.rules = {EliminationRule::min_fill}, .restarts = 4};
    search.most_log2_states = kInf;  // buckets are divided
    search.last = over_;
    search.progress = [this](const GraphProgress&) { return goes_on(); };
    order_ = find_elimination_order(graph_, search).order;
    std::size_t several = 0;
    for (const Variable v : over_) several += graph_.states(v) >= 2 ? 1 : 0;
    summed_ = static_cast<MiniBuckets::Place>(order_.size() - several);
  }

  // The best assignment of all variables; by search, or any that is allowed.
  void find_start() {
    const MapResult found =
        branch_and_bound(graph_, {.max_nodes = kNodesOfStart, .seed = options_.seed},
                         [this](const GraphProgress&) { return goes_on(); });
    if (!found.states.empty()) return offer(found.states);
    const AllowedAssignment allowed = find_allowed(graph_, random_);
    if (allowed.outcome == AllowedSearch::found) offer(allowed.states);
  }

  // Rounds of blocks, from the best that is known, and where they are exhausted from elsewhere.
  void descend(double limit) {
    if (result_.score == -kInf) find_start();
    if (result_.score == -kInf) return;  // there is nothing to begin with
    const double rounds = static_cast<double>(options_.moves) * std::sqrt(limit / kFirstNodes);
    for (double k = 0; k < rounds && goes_on() && !proved(); ++k) {
      if (std::exchange(changed_, false)) blocks_->begin(x_);
      if (held_ > 0 && blocks_->exhausted()) offer_whole(blocks_->at().states());
      if (blocks_->step(x_, goes_on_) == BlockDescent::Round::better) {
        offer(blocks_->at().states());
      }
      changed_ = false;  // they go on from where they are
    }
    if (blocks_->at().solved() && held_ == 0 && result_.held == 0) result_.bound = result_.score;
  }
  void prepare_blocks() {
    std::vector<Variable> others, given;
    for (Variable v = 0; v < graph_.variables(); ++v) {
      if (!is_asked_[v]) others.push_back(v);
    }
    BlockSearchOptions options;
    options.first_width = kFirstWidth;
    options.memory = options_.table_bytes;
    options.seed = options_.seed;
    blocks_.emplace(graph_, options, others);
    std::vector<bool> is_summed(graph_.variables(), false);
    for (const Variable v : others) is_summed[v] = graph_.states(v) < 2;
    for (const Variable v : blocks_->at().summed()) is_summed[v] = true;
    for (Variable v = 0; v < graph_.variables(); ++v) {
      if (!is_summed[v]) given.push_back(v);
    }
    held_ = given.size() - over_.size();
    part_.emplace(graph_, given, kSumLog2States, options_.table_bytes,
                  [this](const GraphProgress&) { return goes_on(); });
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
    keep(with_places(search_->states()), search_->best(), 0);
    result_.bound = result_.score;
  }
  bool visit() {
    ++nodes_;
    if (nodes_ == options_.max_nodes) open_ = false;
    return open_ && (nodes_ % kNodesBetweenQuestions != 0 || goes_on());
  }

  const FactorGraph& graph_;
  const std::vector<Variable> over_;
  std::vector<bool> is_asked_;  // [variables]
  const MarginalSearchOptions& options_;
  const GraphCallback& callback_;
  Random random_;
  const std::function<bool()> goes_on_;
  SumsGiven sums_;                 // over all others
  std::optional<SumsGiven> part_;  // over those that are not held
  std::size_t held_ = 0;
  std::vector<State> x_;  // [variables] the best one known, with a state of each
  bool changed_ = false;  // since blocks began with it
  std::vector<Variable> order_;
  MiniBuckets::Place summed_ = 0;
  std::optional<MiniBuckets> buckets_;
  std::optional<MiniBucketSearch> search_;
  std::optional<BlockWalk> blocks_;
  double states_ = 0;
  std::size_t nodes_ = 0;
  bool open_ = true;
  MarginalMapResult result_;
};

}  // namespace

void MarginalSearchOptions::validate() const {
  if (!(table_bytes > 0)) throw UsageError("a marginal search needs table_bytes above 0");
}

MarginalMapResult marginal_search(const FactorGraph& graph, std::span<const Variable> over,
                                  const MarginalSearchOptions& options,
                                  const GraphCallback& callback) {
  options.validate();
  return MarginalSearch(graph, over, options, callback).run();
}

}  // namespace croft
