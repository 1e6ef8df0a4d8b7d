#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/inference/gibbs.h"
#include "croft/inference/markov_chains.h"
#include "croft/structure/factor_graph.h"
#include "inference/graph/allowed_assignment.h"
#include "inference/graph/sampling/single_site.h"
#include "inference/graph/sampling/stuck_variables.h"

namespace croft {

namespace {

// Shares of states over the sweeps of several chains, and how sure they are: (GS.5) and (GS.6) over
// batches of a length that is known before.
class ShareRecord {
 public:
  ShareRecord(const FactorGraph& graph, std::size_t sweeps, std::size_t chains);

  void add(std::size_t chain, std::span<const State> x);  // of the chains in turn
  // Marginals, errors, R-hat, effective samples.  Throws Error before two batches are full.
  void finish(bool stopped, GibbsResult& result) const;

 private:
  struct Count {
    double total = 0;            // of all sweeps
    std::vector<double> shares;  // of full batches, chain by chain
    std::vector<double> now;     // [chains] in the batches that are not full
  };
  struct Summary {
    double mean = 0, variance = 0, r_hat = 1;
  };
  Summary summary(const Count& count) const;

  std::size_t chains_, batch_;
  std::size_t sweeps_ = 0, in_batch_ = 0, batches_ = 0;  // of the last chain
  std::vector<std::vector<Count>> count_;                // [variables][states]
};

constexpr std::size_t kBatches = 64;
constexpr double kMixed = 1.01;  // R-hat

ShareRecord::ShareRecord(const FactorGraph& graph, std::size_t sweeps, std::size_t chains)
    : chains_(chains), batch_(std::max<std::size_t>(1, sweeps / kBatches)) {
  Count empty;
  empty.now.assign(chains, 0.0);
  for (Variable v = 0; v < graph.variables(); ++v) {
    count_.emplace_back(graph.states(v), empty);
  }
}

void ShareRecord::add(std::size_t chain, std::span<const State> x) {
  for (Variable v = 0; v < x.size(); ++v) count_[v][x[v]].now[chain] += 1;
  if (chain + 1 < chains_) return;
  ++sweeps_;
  if (++in_batch_ < batch_) return;
  in_batch_ = 0;
  ++batches_;
  for (auto& states : count_) {
    for (Count& each : states) {
      for (double& now : each.now) {
        each.shares.push_back(now / static_cast<double>(batch_));
        each.total += now;
        now = 0;
      }
    }
  }
}

// Shares are [batch][chain].
ShareRecord::Summary ShareRecord::summary(const Count& count) const {
  Summary out;
  double total = count.total;
  for (const double each : count.now) total += each;
  out.mean = total / static_cast<double>(sweeps_ * chains_);
  const auto parts = static_cast<double>(count.shares.size());
  double mean = 0, square = 0;
  for (const double each : count.shares) mean += each / parts;
  for (const double each : count.shares) square += (each - mean) * (each - mean);
  out.variance = square / (parts * (parts - 1));
  const std::size_t half = batches_ / 2;
  std::vector<double> halves;
  for (std::size_t c = 0; c < chains_; ++c) {
    for (const std::size_t first : {std::size_t{0}, batches_ - half}) {
      double sum = 0;
      for (std::size_t b = first; b < first + half; ++b) sum += count.shares[b * chains_ + c];
      halves.push_back(sum / static_cast<double>(half));
    }
  }
  const auto n = static_cast<double>(half * batch_), k = static_cast<double>(halves.size());
  double middle = 0, between = 0, within = 0;
  for (const double each : halves) middle += each / k;
  for (const double each : halves) {
    between += (each - middle) * (each - middle) / (k - 1);
    within += each * (1 - each) / k * n / std::max(1.0, n - 1);
  }
  if (within > 0) {
    out.r_hat = std::sqrt((n - 1) / n + between / within);
  } else if (between > 1e-20) {
    out.r_hat = std::numeric_limits<double>::infinity();
  }
  return out;
}

void ShareRecord::finish(bool stopped, GibbsResult& result) const {
  if (batches_ < 2) throw Error("stopped before enough sweeps were counted");
  double worst = 1;
  result.effective_samples = std::numeric_limits<double>::infinity();
  for (const auto& states : count_) {
    std::vector<double>& p = result.marginals.emplace_back();
    std::vector<double>& error = result.standard_errors.emplace_back();
    for (const Count& each : states) {
      const Summary found = summary(each);
      p.push_back(found.mean);
      error.push_back(std::sqrt(found.variance));
      worst = std::max(worst, found.r_hat);
      if (found.variance > 0) {
        result.effective_samples =
            std::min(result.effective_samples, found.mean * (1 - found.mean) / found.variance);
      }
    }
  }
  if (std::isinf(result.effective_samples)) {  // nothing ever changed
    result.effective_samples = static_cast<double>(sweeps_ * chains_);
  }
  result.convergence.residual = worst - 1;
  result.convergence.converged = !stopped && worst <= kMixed;
}

[[noreturn]] void fail(const std::string& what) { throw UsageError("sampling: " + what); }

// Whether a factor of two variables or more forbids something.
bool forbids_jointly(const FactorGraph& graph) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (graph.scope(f).size() < 2) continue;
    const Potential& potential = graph.potential(graph.potential_of(f));
    if (potential.kind == PotentialKind::parity) return true;
    if (std::ranges::count(graph.numbers(graph.potential_of(f)), -kInf) > 0) return true;
  }
  return false;
}

// Chains of any kind side by side: Chain has sweep(Random&) and assignment().
template <class Make>
GibbsResult run_chains(const FactorGraph& graph, const ChainOptions& options, const Make& make,
                       const GraphCallback& progress) {
  using Chain = decltype(make(std::vector<State>{}));
  std::vector<Random> random;
  std::vector<Chain> chains;
  for (std::size_t c = 0; c < options.chains; ++c) {
    random.emplace_back(options.seed + 0x9e3779b97f4a7c15ull * (c + 1));
    AllowedAssignment start = find_allowed(graph, random.back());
    if (start.outcome != AllowedSearch::found) {
      throw Error(start.outcome == AllowedSearch::none
                      ? Message("no assignment is allowed: there is nothing to draw")
                      : "no allowed assignment was found to start from");
    }
    chains.push_back(make(std::move(start.states)));
  }
  GibbsResult result;
  ShareRecord record(graph, options.sweeps, options.chains);
  const std::size_t all = options.burn_in + options.sweeps;
  std::size_t& done = result.convergence.iterations;
  // A sweep of many variables takes as long as many of few.
  const std::size_t between = std::clamp<std::size_t>(4096 / (graph.variables() + 1), 1, 16);
  bool stopped = false;
  while (done < all && !stopped) {
    for (std::size_t c = 0; c < chains.size(); ++c) {
      chains[c].sweep(random[c]);
      if (done < options.burn_in) continue;
      const std::span<const State> x = chains[c].assignment();
      record.add(c, x);
      // Evenly: the k-th of the samples when its share of the draws is there.
      const double share = static_cast<double>((done - options.burn_in) * chains.size() + c + 1) /
                           static_cast<double>(options.sweeps * chains.size());
      if (static_cast<double>(result.samples.size() + 1) <=
          share * static_cast<double>(options.samples) + 1e-9) {
        result.samples.emplace_back(x.begin(), x.end());
      }
    }
    ++done;
    if (!progress || done % between != 0) continue;
    GraphProgress now;
    now.iteration = done;
    stopped = !progress(now);
  }
  record.finish(stopped, result);
  mark_stuck(graph, 1, result);
  result.possibly_reducible = forbids_jointly(graph);
  return result;
}

// Scores of own states, and bonds between equal neighbours.
class SwendsenWang {
 public:
  struct Bond {
    Variable a, b;
    double probability;  // that equal ones are tied
  };

  SwendsenWang(const FactorGraph& graph, const std::vector<Bond>& bonds,
               const VariableMarginals& own, std::vector<State> x)
      : graph_(&graph), bonds_(&bonds), own_(&own), x_(std::move(x)), root_(x_.size()) {}

  void sweep(Random& random) {
    std::iota(root_.begin(), root_.end(), Variable{0});
    for (const Bond& each : *bonds_) {
      if (x_[each.a] == x_[each.b] && random.uniform() < each.probability) {
        root_[find(each.a)] = find(each.b);
      }
    }
    sums_.resize(x_.size());
    for (Variable v = 0; v < x_.size(); ++v) {
      if (find(v) == v) sums_[v].assign(graph_->states(v), 0.0);
    }
    for (Variable v = 0; v < x_.size(); ++v) {
      std::vector<double>& sum = sums_[find(v)];
      for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += (*own_)[v][s];
    }
    drawn_.resize(x_.size());
    for (Variable v = 0; v < x_.size(); ++v) {
      if (find(v) == v) drawn_[v] = SingleSite::draw(sums_[v], random);
    }
    for (Variable v = 0; v < x_.size(); ++v) x_[v] = drawn_[find(v)];
  }
  std::span<const State> assignment() const { return x_; }

 private:
  Variable find(Variable v) {
    while (root_[v] != v) v = root_[v] = root_[root_[v]];
    return v;
  }

  const FactorGraph* graph_;
  const std::vector<Bond>* bonds_;
  const VariableMarginals* own_;
  std::vector<State> x_, drawn_;
  std::vector<Variable> root_;
  std::vector<std::vector<double>> sums_;
};

// What ties two variables; UsageError where it is not for clusters.
SwendsenWang::Bond bond_of(const FactorGraph& graph, Factor f) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError("sampling: factor ", f, " ", why,
                     "; Swendsen-Wang is for pairs with one score where they are equal, and "
                     "another, not larger one elsewhere; take --method gibbs");
  };
  const auto scope = graph.scope(f);
  if (scope.size() > 2) refuse("has more than two variables");
  const std::size_t states = graph.states(scope[0]);
  if (states != graph.states(scope[1])) refuse("joins variables of other numbers of states");
  const std::vector<double> scores = graph.table(f);
  const double equal = scores[0], other = scores[1];
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (scores[k] != (k % (states + 1) == 0 ? equal : other)) refuse("has other scores");
  }
  if (!(equal >= other) || equal == -kInf) refuse("likes its variables to differ");
  return {scope[0], scope[1], other == -kInf ? 1.0 : -std::expm1(other - equal)};
}

class Tempering {
 public:
  Tempering(std::shared_ptr<SingleSite> site, const std::vector<double>& betas,
            const std::vector<State>& start)
      : site_(std::move(site)), betas_(&betas), x_(betas.size(), start) {}

  void sweep(Random& random) {
    for (std::size_t k = 0; k < x_.size(); ++k) {
      site_->sweep((*betas_)[k], 1, x_[k], random);
    }
    // Even and odd neighbours in turn.
    for (std::size_t k = turn_; k + 1 < x_.size(); k += 2) {
      const double gain = site_->shared_score(x_[k + 1]) - site_->shared_score(x_[k]);
      const double log_ratio = ((*betas_)[k] - (*betas_)[k + 1]) * gain;
      if (log_ratio >= 0 || random.uniform() < std::exp(log_ratio)) std::swap(x_[k], x_[k + 1]);
    }
    turn_ = 1 - turn_;
  }
  std::span<const State> assignment() const { return x_.front(); }

 private:
  std::shared_ptr<SingleSite> site_;
  const std::vector<double>* betas_;
  std::vector<std::vector<State>> x_;  // by temperature, that of 1 first
  std::size_t turn_ = 0;
};

class Metropolis {
 public:
  Metropolis(const FactorGraph& graph, const FactorLists& lists, const Proposal& proposal,
             std::vector<State> x)
      : graph_(&graph), lists_(&lists), proposal_(&proposal), x_(std::move(x)) {}

  void sweep(Random& random) {
    for (std::size_t k = 0; k < x_.size(); ++k) step(random);
  }
  std::span<const State> assignment() const { return x_; }

 private:
  void step(Random& random) {
    move_.changes.clear();
    move_.log_ratio = 0;
    (*proposal_)(x_, random, move_);
    check();
    touched_.clear();
    for (const auto& [v, state] : move_.changes) {
      const auto of = lists_->of(v);
      touched_.insert(touched_.end(), of.begin(), of.end());
    }
    std::ranges::sort(touched_);
    touched_.erase(std::ranges::unique(touched_).begin(), touched_.end());
    const double before = score();
    exchange();
    const double log_ratio = score() - before + move_.log_ratio;
    if (!(log_ratio >= 0 || random.uniform() < std::exp(log_ratio))) exchange();
  }

  void check() const {
    if (std::isnan(move_.log_ratio)) fail("the log_ratio of a proposal is no number");
    for (const auto& [v, state] : move_.changes) {
      if (v >= x_.size() || state >= graph_->states(v)) {
        fail("a proposal sets variable " + std::to_string(v) + " to state " +
             std::to_string(state) + ", which is not there");
      }
      const auto same = [v = v](const auto& each) { return each.first == v; };
      if (std::ranges::count_if(move_.changes, same) > 1) {
        fail("a proposal changes variable " + std::to_string(v) + " twice");
      }
    }
  }

  double score() const {
    double sum = 0;
    for (const Factor f : touched_) sum += graph_->factor_score(f, x_);
    return sum;
  }
  void exchange() {
    for (auto& [v, state] : move_.changes) std::swap(x_[v], state);
  }

  const FactorGraph* graph_;
  const FactorLists* lists_;
  const Proposal* proposal_;
  std::vector<State> x_;
  Move move_;
  std::vector<Factor> touched_;
};

}  // namespace

void ChainOptions::validate() const {
  if (chains < 1) fail("there must be at least 1 chain");
  if (sweeps < 64) fail("at least 64 sweeps must be counted");
  if (samples > sweeps * chains) {
    throw UsageError("sampling: ", samples, " samples are more than the sweeps that are counted, ",
                     sweeps, " in each of ", chains,
                     " chains; give more sweeps (--max-iterations), or ask for fewer samples");
  }
}

void TemperingOptions::validate() const {
  ChainOptions::validate();
  if (temperatures < 2) fail("there must be at least 2 temperatures");
  if (!(hottest > 1 && hottest < kInf)) fail("the hottest temperature must be above 1");
}

GibbsResult swendsen_wang(const FactorGraph& graph, const ChainOptions& options,
                          const GraphCallback& progress) {
  options.validate();
  std::vector<SwendsenWang::Bond> bonds;
  SingleSite site(graph);
  for (Factor f = 0; f < graph.factors(); ++f) {
    std::size_t free = 0;
    for (const Variable v : graph.scope(f)) free += graph.states(v) > 1;
    if (free > 1) bonds.push_back(bond_of(graph, f));
  }
  VariableMarginals own;
  std::vector<State> zeros(graph.variables(), 0);
  for (Variable v = 0; v < graph.variables(); ++v) own.push_back(site.own_scores(v, zeros));
  GibbsResult result = run_chains(
      graph, options,
      [&](std::vector<State> start) { return SwendsenWang(graph, bonds, own, std::move(start)); },
      progress);
  return result;
}

GibbsResult parallel_tempering(const FactorGraph& graph, const TemperingOptions& options,
                               const GraphCallback& progress) {
  options.validate();
  const auto site = std::make_shared<SingleSite>(graph);
  std::vector<double> betas;
  for (std::size_t k = 0; k < options.temperatures; ++k) {
    const double place = static_cast<double>(k) / static_cast<double>(options.temperatures - 1);
    betas.push_back(std::pow(options.hottest, -place));
  }
  return run_chains(
      graph, options,
      [&](const std::vector<State>& start) { return Tempering(site, betas, start); }, progress);
}

Proposal uniform_proposal(const FactorGraph& graph) {
  std::vector<std::size_t> states;
  std::vector<Variable> free;
  for (Variable v = 0; v < graph.variables(); ++v) {
    states.push_back(graph.states(v));
    if (graph.states(v) > 1) free.push_back(v);
  }
  return [states, free](std::span<const State> x, Random& random, Move& move) {
    if (free.empty()) return;
    const Variable v = free[random.below(free.size())];
    const auto other = static_cast<State>(random.below(states[v] - 1));
    move.changes.emplace_back(v, other < x[v] ? other : other + 1);
  };
}

GibbsResult metropolis_hastings(const FactorGraph& graph, const Proposal& proposal,
                                const ChainOptions& options, const GraphCallback& progress) {
  options.validate();
  const FactorLists lists(graph);
  return run_chains(
      graph, options,
      [&](std::vector<State> start) {
        return Metropolis(graph, lists, proposal, std::move(start));
      },
      progress);
}

}  // namespace croft
