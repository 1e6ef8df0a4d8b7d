#include "croft/inference/branch_and_bound.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/graph/allowed_assignment.h"
#include "inference/graph/bounds/mini_bucket_search.h"
#include "inference/graph/local_state.h"
#include "inference/graph/messages/message_passes.h"
#include "inference/graph/search/best_known.h"
#include "inference/graph/search/block_search.h"
#include "inference/graph/search/local_search.h"

namespace croft {
namespace {

using Term = Reparametrisation::Term;
constexpr std::size_t kMostByTables = 5000;  // variables: the search goes as deep as there are
constexpr double kFirstTables = 1 << 16;     // joint states of mini-buckets
constexpr double kTablesGrowBy = 4;          // from run to run
// Of annealing between runs, by turns, relative to the scores: which is best depends on the graph.
constexpr double kHeats[] = {1, 0.1, 1, 4, 1, 0.01};
constexpr double kPassesBefore = 100;  // over all terms, that a first turn of blocks may be worth
constexpr double kFewestSweeps = 100;  // of annealing that are worth a turn
constexpr double kWorkOfTerm = 20;     // beside its joint states, of an update
constexpr double kWorkOfTables = 4;    // of each joint state
constexpr std::size_t kNodesByTables = 100;  // for one by messages: they take that much less time

// A share of the work, beside that of the search, for what looks for better assignments: more where
// it has found one, less where it has not.
class Share {
 public:
  explicit Share(double least) : least_(least), share_(least) {}
  double operator()() const { return share_; }
  void learn(bool better) { share_ = std::clamp(better ? 2 * share_ : share_ / 2, least_, 16.0); }

 private:
  double least_, share_;
};

// Searches by mini-buckets on what is left at the root, with larger tables each time.
class SearchByTables {
 public:
  enum class Outcome { ended, goes_on, stopped };
  SearchByTables(Reparametrisation& scores, double memory)
      : scores_(scores), most_(memory / sizeof(double)) {}

  //   target : what an assignment has to exceed, asked for when it begins
  //   nodes  : how many it may take; becomes how many it took
  //   work   : what has been done until now; tables that would take more stay as they are
  //   offer  : called with assignments that may be better
  Outcome run(const std::function<double()>& target, std::size_t& nodes, double work,
              const std::function<bool()>& goes_on,
              const std::function<void(const std::vector<State>&)>& offer) {
    const std::size_t most_nodes = std::exchange(nodes, 0);
    if (most_ < kFirstTables) return Outcome::goes_on;
    if (!build(work, goes_on)) return Outcome::stopped;
    if (!rest_) return Outcome::goes_on;
    search_->guess();
    offer(present());
    bool stopped = false;
    const auto outcome = search_->run(target(), [&] {
      if (++nodes % 1024 == 0) stopped = !goes_on();
      return !stopped && nodes < most_nodes;
    });
    if (stopped) return Outcome::stopped;
    if (outcome == MiniBucketSearch::Outcome::stopped) return Outcome::goes_on;
    if (outcome == MiniBucketSearch::Outcome::found) offer(present());
    return Outcome::ended;
  }
  // Of all assignments that were better than the best one known when it began.
  double bound() const { return bound_; }
  double work() const { return work_; }

 private:
  // What the search has, as an assignment of the whole graph.
  std::vector<State> present() const {
    std::vector<State> x(rest_->graph.variables(), 0);
    for (MiniBuckets::Place v = 0; v < buckets_->places(); ++v) {
      x[buckets_->variable(v)] = search_->states()[v];
    }
    return rest_->whole(x);
  }
  // False: stopped.  Nothing to search with where the factors alone are too large.
  bool build(double work, const std::function<bool()>& goes_on) {
    const bool stays = budget_ >= most_ || kWorkOfTables * kTablesGrowBy * budget_ > work;
    if (buckets_ && (buckets_->exact() || stays)) return true;
    search_.reset();
    buckets_.reset();
    rest_ = rest_of(scores_, most_ / 16);
    if (rest_ && rest_->variables.size() > kMostByTables) rest_.reset();
    const auto order = rest_ ? order_for_mini_buckets(rest_->graph) : std::nullopt;
    if (!order) {
      rest_.reset();
      most_ = 0;  // nor later
      return true;
    }
    budget_ = std::min(most_, budget_ == 0 ? kFirstTables : kTablesGrowBy * budget_);
    bool stopped = false;
    buckets_.emplace(rest_->graph, *order, budget_, [&] { return !(stopped = !goes_on()); });
    if (stopped) {
      rest_.reset();
      return false;
    }
    bound_ = std::min(bound_, buckets_->bound());
    work_ += kWorkOfTables * buckets_->joint_states();
    search_.emplace(*buckets_);
    return true;
  }

  Reparametrisation& scores_;
  double most_, budget_ = 0, bound_ = kInf, work_ = 0;
  std::optional<RestOfGraph> rest_;
  std::optional<MiniBuckets> buckets_;
  std::optional<MiniBucketSearch> search_;
};

class Search {
 public:
  Search(Reparametrisation& scores, const BranchAndBoundOptions& options,
         const GraphCallback& callback, BestKnown& known, MapResult& result)
      : scores_(scores),
        options_(options),
        callback_(callback),
        known_(known),
        result_(result),
        update_(scores),
        tables_(scores, options.table_bytes),
        most_(scores.graph().variables()),
        live_(most_.size()),
        weight_(most_.size(), 0),
        queued_(scores.terms(), 0),
        states_(most_.size(), 0),
        sweep_work_(work_of_sweep(scores.graph())) {
    bound_ = scores.constant();
    for (Term t = 0; t < scores.terms(); ++t) {
      const FactorGraph& graph = scores.graph();
      const auto numbers = graph.numbers(graph.potential_of(scores.factor(t))).size();
      term_work_.push_back(kWorkOfTerm + static_cast<double>(numbers + scores.width(t)));
      work_ += kPassesBefore * term_work_.back();
    }
    for (Variable v = 0; v < most_.size(); ++v) {
      live_[v] = static_cast<std::uint32_t>(scores.states(v));
      weight_[v] = static_cast<double>(scores.places(v).size()) + 1;
      most_[v] = std::ranges::max(scores.belief(v));
      bound_ += most_[v];
    }
  }

  // Whether the search has come to its end.
  bool run() {
    for (Term t = 0; t < scores_.terms(); ++t) enqueue(t);
    budget_ = 20 * scores_.terms();
    bool open = tighten();
    if (open && !by_tables()) return ended_;
    if (open && !look_elsewhere()) return false;
    for (;;) {
      if (!open) {
        if (decisions_.empty()) return true;
        open = refute();
        continue;
      }
      if (!proceed()) return false;
      if (++since_restart_ > restart_after_ && !decisions_.empty()) {
        // Anew from the root: what has failed is chosen first, and a bad early decision is left.
        undo_to(decisions_.front());
        decisions_.clear();
        restart_after_ *= 1.5;
        since_restart_ = 0;
        for_proof_ = !for_proof_;
        if (!look_elsewhere()) return false;
        open = tighten();
        if (open && !by_tables()) return ended_;
        continue;
      }
      const Variable v = choose();
      if (v == kUnobserved) {
        offer_beliefs();
        open = false;
        continue;
      }
      open = decide(v);
    }
  }
  // Of what the search has left open.
  double bound() const {
    double most = bound_;
    for (const Decision& d : decisions_) most = std::max(most, d.bound);
    return most;
  }

 private:
  struct Saved {
    double* where;
    double value;
  };
  struct Decision {
    Variable v;
    State s;
    double bound;
    std::size_t saved, sizes;  // lengths of the trails before it
  };

  // What a better assignment has to exceed.
  double target() const {
    const double best = std::max(known_.to_beat(), scores_.allowed_above());
    const double slack = known_.full() ? 1e-9 * std::max(1.0, std::abs(best)) : 0;
    return best + std::max(options_.gap, slack);
  }
  bool proceed() {
    const std::size_t node = result_.convergence.iterations++;
    work_ += static_cast<double>(most_.size());
    if (node % 16 == 0) offer_beliefs();
    if (options_.max_nodes > 0 && node >= options_.max_nodes) return false;
    if (node % options_.callback_every != 0) return true;
    lower(bound());
    result_.convergence.residual = gap_between(result_.score, result_.bound);
    return report(callback_, result_);
  }
  // What has been ruled out may be as good as what is known and the gap.
  void lower(double bound) {
    result_.bound = std::min(result_.bound, std::max(bound, result_.score + options_.gap));
  }
  // At the root.  False: the search has ended, or was stopped.
  bool by_tables() {
    if (options_.k > 1) return true;  // they end at the first one that is better
    std::size_t nodes = kNodesByTables * static_cast<std::size_t>(restart_after_);
    const auto outcome = tables_.run([&] { return target(); }, nodes, work_,
                                     [&] { return report(callback_, result_); },
                                     [&](const std::vector<State>& states) {
                                       LocalState local(scores_.graph());
                                       local.assign(states);
                                       descend(local, [] { return true; });
                                       known_.offer(states);
                                       known_.offer(local.states());
                                     });
    result_.convergence.iterations += nodes / kNodesByTables;
    work_ += kWorkOfTerm * static_cast<double>(nodes);
    lower(tables_.bound());
    ended_ = outcome == SearchByTables::Outcome::ended;
    return outcome == SearchByTables::Outcome::goes_on;
  }
  // Other searches find the best assignment if this one does not end.  False: stopped.
  bool look_elsewhere() {
    const double work = work_ - std::exchange(seen_work_, work_);
    // Without a term each variable is at its best state, and a sweep costs nothing to count by.
    if (options_.annealing_sweeps == 0 || scores_.terms() == 0) return true;
    return anneal(of_annealing_() * work) && (options_.table_bytes == 0 || change_blocks(work));
  }
  bool anneal(double work) {
    left_for_annealing_ += work;
    const double sweeps = left_for_annealing_ / sweep_work_;
    if (sweeps < kFewestSweeps) return true;
    left_for_annealing_ = 0;
    bool goes_on = true;
    const double before = result_.score;
    AnnealingOptions options;
    options.sweeps = static_cast<std::size_t>(sweeps);
    options.seed = ++seed_;
    options.first_temperature = kHeats[seed_ % std::size(kHeats)] * mean_range(scores_.graph());
    const MapResult found =
        simulated_annealing(scores_.graph(), options, {}, [&](const GraphProgress& progress) {
          if (progress.best.value_or(-kInf) > result_.score) {
            known_.offer(progress.assignment);
          }
          return goes_on = report(callback_, result_);
        });
    if (!found.states.empty()) known_.offer(found.states);
    of_annealing_.learn(result_.score > before);
    return goes_on;
  }
  // Rounds of blocks: from the best one known where it is new to them.
  bool change_blocks(double work) {
    if (known_.states().empty()) return true;
    if (!blocks_) {
      BlockSearchOptions options;
      options.memory = options_.table_bytes;
      options.seed = options_.seed;
      options.annealing_sweeps = options_.annealing_sweeps;
      blocks_.emplace(scores_.graph(), options);
    }
    const double before = result_.score, most = blocks_->work() + of_blocks_() * work;
    if (before > blocks_score_) blocks_->begin(known_.states());
    bool goes_on = true;
    const std::function<bool()> step = [&] { return goes_on = report(callback_, result_); };
    do {
      blocks_->step(known_.states(), step);
      known_.offer(blocks_->at().states());
    } while (goes_on && step() && blocks_->work() < most && !blocks_->at().solved());
    blocks_score_ = result_.score;
    of_blocks_.learn(result_.score > before);
    return goes_on;
  }
  void offer_beliefs() {
    read_beliefs(scores_, states_);
    known_.offer(states_);
  }

  void save(double& where) { saved_.push_back({&where, where}); }
  void enqueue(Term t) {
    if (queued_[t]) return;
    queued_[t] = 1;
    queue_.push_back(t);
  }
  void enqueue_around(Variable v) {
    for (const auto place : scores_.places(v)) enqueue(place.term);
  }
  void clear_queue() {
    for (std::size_t k = next_; k < queue_.size(); ++k) queued_[queue_[k]] = 0;
    queue_.clear();
    next_ = 0;
  }

  // False: v has no state left.
  bool remove(Variable v, State s) {
    const auto belief = scores_.belief(v);
    save(belief[s]);
    belief[s] = -kInf;
    sizes_.push_back({v, live_[v]});
    if (--live_[v] == 0) {
      weight_[v] += 1;
      return false;
    }
    refresh(v);
    enqueue_around(v);
    return true;
  }
  void refresh(Variable v) {
    const double most = std::ranges::max(scores_.belief(v));
    if (most == most_[v]) return;
    save(most_[v]);
    bound_ += most - most_[v];
    most_[v] = most;
  }

  // Updates of terms as long as they matter; false where the bound falls to the target.
  bool propagate() {
    for (; next_ < queue_.size() && budget_ > 0; --budget_) {
      const Term t = queue_[next_++];
      queued_[t] = 0;
      const auto scope = scores_.scope(t);
      for (double& m : scores_.messages(t)) save(m);
      const std::size_t beliefs = saved_.size();
      for (const Variable v : scope) {
        for (double& b : scores_.belief(v)) save(b);
      }
      update_(t);
      work_ += term_work_[t];
      std::size_t at = beliefs;
      const double matters = 0.02 * (bound_ - target());
      for (const Variable v : scope) {
        const double before = most_[v];
        refresh(v);
        double change = 0;
        for (const double b : scores_.belief(v)) {
          const double old = saved_[at++].value;
          if (b > -kInf) change = std::max(change, std::abs((b - most_[v]) - (old - before)));
        }
        if (change <= matters) continue;
        for (const auto place : scores_.places(v)) {
          if (place.term != t) enqueue(place.term);
        }
      }
      if (bound_ <= target()) {
        for (const Variable v : scope) weight_[v] += 1;
        return false;
      }
    }
    clear_queue();
    return true;
  }
  // Removes what cannot be in a better assignment, until nothing is left to do.
  bool tighten() {
    for (bool removed = true; removed;) {
      if (!propagate()) {
        clear_queue();
        return false;
      }
      removed = false;
      for (Variable v = 0; v < most_.size(); ++v) {
        if (live_[v] == 1) continue;
        const double least = target() - (bound_ - most_[v]);
        const auto belief = scores_.belief(v);
        for (State s = 0; s < belief.size(); ++s) {
          if (belief[s] == -kInf || belief[s] > least) continue;
          removed = true;
          if (!remove(v, s)) {
            clear_queue();
            return false;
          }
        }
      }
    }
    return bound_ > target();
  }

  // For a proof, few states and many failures around (dom/wdeg); for an assignment, the variable
  // that is most certain.  They take turns, from restart to restart.
  Variable choose() const {
    Variable best = kUnobserved;
    double most = -kInf;
    for (Variable v = 0; v < most_.size(); ++v) {
      if (live_[v] == 1) continue;
      const double merit =
          for_proof_ ? weight_[v] / static_cast<double>(live_[v]) : lead_of_best(v);
      if (merit > most) {
        most = merit;
        best = v;
      }
    }
    return best;
  }
  double lead_of_best(Variable v) const {
    double second = -kInf;
    bool seen = false;
    for (const double b : std::as_const(scores_).belief(v)) {
      if (b == most_[v] && !seen) {
        seen = true;
      } else {
        second = std::max(second, b);
      }
    }
    return most_[v] - second;
  }
  bool decide(Variable v) {
    const auto belief = scores_.belief(v);
    const auto s = static_cast<State>(std::ranges::max_element(belief) - belief.begin());
    decisions_.push_back({v, s, bound_, saved_.size(), sizes_.size()});
    budget_ = 2 * scores_.terms() + 100;
    for (State other = 0; other < belief.size(); ++other) {
      if (other != s && belief[other] > -kInf) remove(v, other);
    }
    return tighten();
  }
  void undo_to(const Decision& d) {
    for (; saved_.size() > d.saved; saved_.pop_back()) *saved_.back().where = saved_.back().value;
    for (; sizes_.size() > d.sizes; sizes_.pop_back()) live_[sizes_.back().v] = sizes_.back().size;
    bound_ = d.bound;
    budget_ = 2 * scores_.terms() + 100;
  }
  // The last decision was wrong.
  bool refute() {
    const Decision d = decisions_.back();
    decisions_.pop_back();
    undo_to(d);
    if (bound_ <= target()) return false;
    return remove(d.v, d.s) && tighten();
  }

  struct Size {
    Variable v;
    std::uint32_t size;
  };
  Reparametrisation& scores_;
  const BranchAndBoundOptions& options_;
  const GraphCallback& callback_;
  BestKnown& known_;
  MapResult& result_;
  StarUpdate update_;
  SearchByTables tables_;
  std::optional<BlockWalk> blocks_;
  double blocks_score_ = -kInf;  // of the best one known, after them
  Share of_blocks_{2}, of_annealing_{0.25};
  bool ended_ = false;
  double bound_;
  std::vector<double> most_;         // [variables] the largest belief
  std::vector<std::uint32_t> live_;  // [variables] states left
  std::vector<double> weight_;       // [variables]
  std::vector<Saved> saved_;
  std::vector<Size> sizes_;
  std::vector<Decision> decisions_;
  std::vector<Term> queue_;
  std::size_t next_ = 0, budget_ = 0;
  double restart_after_ = 200, since_restart_ = 0;  // nodes
  bool for_proof_ = false;
  std::uint64_t seed_ = options_.seed;
  std::vector<std::uint8_t> queued_;
  std::vector<State> states_;
  // Joint states that are gone through, or what takes as long; of the search, without tables.
  std::vector<double> term_work_;  // [terms] of an update
  double sweep_work_, work_ = 0, seen_work_ = 0, left_for_annealing_ = 0;
};

// A first assignment and the bound at the root, both by messages and local search.
bool prepare(Reparametrisation& scores, const BranchAndBoundOptions& options,
             const GraphCallback& callback, MapResult& result) {
  const FactorGraph& graph = scores.graph();
  SequentialPasses passes(scores, [&] { return report(callback, result); });
  std::vector<State> states(graph.variables(), 0);
  bool goes_on = true;
  for (std::size_t i = 0; goes_on && i < options.root_iterations; ++i) {
    goes_on = passes.forward(&states) && passes.backward();
    offer(result, graph, states);
    if (!goes_on) break;
    const double fall = result.bound - passes.bound();
    result.bound = std::min(result.bound, passes.bound());
    goes_on = report(callback, result);
    if (reaches(result.score, result.bound)) break;
    if (fall <= 1e-7 * std::max(1.0, std::abs(result.bound))) break;
  }
  polish(result, graph, states);
  if (goes_on && !reaches(result.score, result.bound)) {
    // Joins what a search from the present states finds.
    const auto join = [&](auto search) {
      const MapResult found = search([&](const GraphProgress& progress) {
        if (progress.best.value_or(-kInf) > result.score) offer(result, graph, progress.assignment);
        return goes_on = report(callback, result);
      });
      if (!found.states.empty()) offer(result, graph, found.states);
    };
    if (options.annealing_sweeps > 0) {
      join([&](const GraphCallback& step) {
        return simulated_annealing(
            graph, {.sweeps = options.annealing_sweeps, .seed = options.seed}, states, step);
      });
    }
    // Blocks do more; and where small changes have found their optimum, large ones end earlier.
    const bool blocks = options.annealing_sweeps > 0 && options.table_bytes > 0;
    if (goes_on && (!blocks || options.restarts > 0)) {
      join([&](const GraphCallback& step) {
        LazyFlipperOptions flips;
        flips.restarts = options.restarts;
        flips.seed = options.seed;
        return lazy_flipper(graph, flips, result.states.empty() ? states : result.states, step);
      });
    }
  }
  if (goes_on && result.states.empty()) {  // where little is allowed
    Random random(options.seed);
    const AllowedAssignment found = find_allowed(graph, random);
    if (found.outcome == AllowedSearch::found) polish(result, graph, found.states);
  }
  scores.gather_beliefs();
  return goes_on;
}

// What the search has left, or cut off for the last of the k.
void conclude_k_best(const BestKnown& known, double left, double gap, MapResult& result) {
  result.bound_of_others = std::min(result.bound, std::max(left, known.to_beat() + gap));
  const double last = known.full() ? known.to_beat() : -kInf;
  const bool proved = reaches(last, result.bound_of_others);
  result.kind = proved ? ResultKind::exact : ResultKind::lower_bound;
}

}  // namespace

void BranchAndBoundOptions::validate() const {
  if (k == 0) throw UsageError("branch and bound looks for 1 assignment or more");
  if (!(gap >= 0)) throw UsageError("the gap of branch and bound must be a number >= 0");
  if (root_iterations == 0) throw UsageError("branch and bound needs root_iterations >= 1");
  if (callback_every == 0) throw UsageError("branch and bound needs callback_every >= 1");
  if (!(table_bytes >= 0)) throw UsageError("branch and bound needs table_bytes >= 0");
}

MapResult branch_and_bound(const FactorGraph& graph, const BranchAndBoundOptions& options,
                           const GraphCallback& callback) {
  options.validate();
  MapResult result;
  Reparametrisation scores(graph);
  bool ended = prepare(scores, options, callback, result);
  BestKnown known(graph, options.k, result);
  if (!result.states.empty()) known.offer(std::vector<State>(result.states));
  double left = result.bound;
  if (ended && (options.k > 1 || !reaches(result.score, result.bound))) {
    Search search(scores, options, callback, known, result);
    ended = search.run();
    left = ended ? -kInf : search.bound();
    result.bound = std::min(result.bound, std::max(left, result.score + options.gap));
  }
  result.convergence.converged = ended;
  if (ended && result.states.empty() && graph.variables() > 0) {  // nothing is allowed
    result.bound = -kInf;
  }
  result.convergence.residual = gap_between(result.score, result.bound);
  conclude(result);
  if (options.k > 1) conclude_k_best(known, left, options.gap, result);
  return result;
}

}  // namespace croft
