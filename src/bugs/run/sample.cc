// The run: compile, answer exactly where that is possible, otherwise chains in rounds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "bugs/compile/compile.h"
#include "bugs/exact/discrete_model.h"
#include "bugs/posterior/diagnostics.h"
#include "bugs/posterior/disagreement.h"
#include "bugs/run/chain.h"
#include "bugs/run/checkpoint.h"
#include "bugs/run/deviance.h"
#include "bugs/run/draw_warnings.h"
#include "bugs/run/starts.h"
#include "bugs/sampling.h"
#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"

namespace croft::bugs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostKept = 2e9;            // numbers: 16 GB
constexpr double kMemoryOfTree = 2e9;        // bytes
constexpr double kSecondsOfRound = 0.1;      // between two looks at the callback
constexpr double kSecondsOfCheckpoint = 20;  // between two states that are kept

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Kept iterations after which `until` is looked at: they must not depend on time.
std::size_t next_check(std::size_t kept) {
  std::size_t at = 100;
  while (at <= kept) at += std::max<std::size_t>(100, at / 10);
  return at;
}

class SamplingRun {
 public:
  SamplingRun(const CompiledModel& model, const std::vector<Arrays>& inits,
              const BugsOptions& options, std::vector<Monitor> monitors)
      : graph_(model.graph), options_(options), inits_(inits) {
    plan_.graph = &graph_;
    plan_.monitors = std::move(monitors);
    plan_.seed = options.seed;
    plan_.burn_in = options.burn_in;
    std::vector<Slot> slots;
    double kept = 0;
    for (const Monitor& m : plan_.monitors) {
      if (m.slot != kNothing) slots.push_back(m.slot);
      const std::size_t draws = options.samples / m.thin;
      kept += static_cast<double>(draws) * static_cast<double>(options.chains);
    }
    if (kept > kMostKept) {
      throw UsageError("the draws that are kept would take ",
                       std::to_string(static_cast<std::uint64_t>(kept * 8e-9)),
                       " GB; take a larger ", Message::option("thin"),
                       ", or name fewer values with ", Message::option("monitor"));
    }
    plan_.report = graph_.needed_for(slots);
  }

  BugsResult run(const BugsCallback& progress);

 private:
  void start();
  void archive(StateArchive& state);
  void round(std::size_t last);
  void add_snapshots();
  void diagnose(bool by_ranks);
  bool reached() const;
  BugsResult result() const;
  std::size_t iteration() const {  // that all chains have reached
    return (*std::ranges::min_element(chains_, {},
                                      [](const auto& chain) { return chain->iteration(); }))
        ->iteration();
  }
  std::size_t all() const { return options_.burn_in + options_.samples; }

  const ModelGraph& graph_;
  const BugsOptions& options_;
  const std::vector<Arrays>& inits_;
  ThreadPool* pool_ = nullptr;
  ChainPlan plan_;
  std::vector<std::unique_ptr<RunChain>> chains_;
  std::vector<std::deque<Snapshot>> pending_;  // [chains]
  DevianceEstimate deviance_;
  double r_hat_ = 0, effective_ = 0;  // the worst; 0: not known
  bool stopped_ = false;
};

void SamplingRun::start() {
  std::vector<Start> starts;  // in order: of several faults the first chain's is told
  for (std::size_t c = 0; c < options_.chains; ++c) {
    Random random = plan_.random(c, 0);
    const Arrays none;
    const Arrays& inits = inits_.empty() ? none : inits_[inits_.size() == 1 ? 0 : c];
    starts.push_back(find_start(graph_, inits, random, {c, options_.chains, options_.seed}));
  }
  chains_.resize(options_.chains);
  pending_.resize(options_.chains);
  pool_->run(chains_.size(), [&](std::size_t c, std::size_t) {
    chains_[c] = std::make_unique<RunChain>(plan_, c, std::move(starts[c]));
  });
}

void SamplingRun::archive(StateArchive& state) {
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    state(*chains_[c]);
    std::vector<Snapshot> waiting(pending_[c].begin(), pending_[c].end());
    state(waiting);
    pending_[c].assign(waiting.begin(), waiting.end());
  }
  state(deviance_);
}

void SamplingRun::round(std::size_t last) {
  pool_->run(chains_.size(), [&](std::size_t c, std::size_t) {
    chains_[c]->run(last, [] { return interruption.load(); });
  });
  add_snapshots();
}

void SamplingRun::add_snapshots() {
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    for (Snapshot& s : chains_[c]->take_snapshots()) pending_[c].push_back(std::move(s));
  }
  while (std::ranges::none_of(pending_, [](const auto& waiting) { return waiting.empty(); })) {
    std::vector<Snapshot> together;
    for (auto& waiting : pending_) {
      together.push_back(std::move(waiting.front()));
      waiting.pop_front();
    }
    const std::size_t at = together[0].iteration;
    if (!graph_.observed().empty()) deviance_.add(graph_, together, plan_.random(kNothing, at));
  }
}

// R-hat and effective samples of all monitored values; what does not move has none.
//   by_ranks : as the summary has them, bulk and tails; costs several times as much
void SamplingRun::diagnose(bool by_ranks) {
  r_hat_ = 0;
  effective_ = 0;
  for (std::size_t m = 0; m < plan_.monitors.size(); ++m) {
    std::vector<std::vector<double>> draws;
    for (const auto& chain : chains_) draws.push_back(chain->traces()[m]);
    const bool moves = std::ranges::any_of(draws, [&](const std::vector<double>& d) {
      return std::ranges::any_of(d, [&](double x) { return x != draws[0][0]; });
    });
    if (!moves) continue;
    double r_hat = 0, effective = 0;
    if (by_ranks) {
      const RankedDraws ranked(draws);
      r_hat = ranked.r_hat();
      // A tail that never changes, of few values, has no number: fmin passes it over.
      effective = std::fmin(ranked.bulk_effective_samples(), ranked.tail_effective_samples());
    } else {
      r_hat = split_r_hat(draws);
      effective = effective_samples(draws);
    }
    if (std::isnan(r_hat) || std::isnan(effective)) {  // too few yet
      r_hat_ = effective_ = 0;
      return;
    }
    r_hat_ = std::max(r_hat_, r_hat);
    effective_ = effective_ == 0 ? effective : std::min(effective_, effective);
  }
}

bool SamplingRun::reached() const {
  if (!options_.until || effective_ == 0) return false;
  const Until& until = *options_.until;
  return (!until.r_hat || r_hat_ <= *until.r_hat) &&
         (!until.effective_samples || effective_ >= *until.effective_samples);
}

BugsResult SamplingRun::run(const BugsCallback& progress) {
  ThreadPool pool(options_.threads);
  pool_ = &pool;
  start();
  std::optional<RunCheckpoint> checkpoint;
  if (!options_.checkpoint.empty()) {
    checkpoint.emplace(options_.checkpoint, options_.resume,
                       run_fingerprint(graph_, inits_, options_));
    if (const std::optional<std::string> kept = checkpoint->restore()) {
      StateArchive state(*kept);
      archive(state);
      state.finish();
    }
  }
  auto last_kept = Clock::now();
  const auto keep_state = [&] {
    StateArchive state;
    archive(state);
    checkpoint->keep(state.bytes());
    last_kept = Clock::now();
  };
  std::size_t size = 1;  // iterations of a round
  double diagnosed = 0;  // seconds that the last diagnosis took
  auto last_diagnosed = Clock::now();
  bool done = false;
  while (!done && iteration() < all()) {
    const std::size_t kept = iteration() - std::min(iteration(), options_.burn_in);
    const std::size_t check = options_.burn_in + next_check(kept);
    const std::size_t last = std::min({iteration() + size, all(), options_.until ? check : all()});
    const std::size_t before = iteration();
    const auto began = Clock::now();
    round(last);
    const double seconds = std::max(seconds_since(began), 1e-6);
    const double rate = static_cast<double>(iteration() - before) / seconds;
    size = std::max<std::size_t>(1, static_cast<std::size_t>(std::min(
                                        rate * kSecondsOfRound, static_cast<double>(4 * size))));
    if (interruption) stopped_ = true;
    if (options_.until && iteration() == check && !stopped_) {
      diagnose(false);
      if (reached()) diagnose(true);
      done = reached();
    } else if (progress && !options_.until && iteration() > options_.burn_in + 100 &&
               seconds_since(last_diagnosed) > 20 * diagnosed + 0.5) {
      const auto start_of_it = Clock::now();
      diagnose(false);
      diagnosed = seconds_since(start_of_it);
      last_diagnosed = Clock::now();
    }
    if (progress && !progress({iteration(), all(), r_hat_, effective_})) stopped_ = true;
    if (stopped_) done = true;
    if (checkpoint && !done && seconds_since(last_kept) > kSecondsOfCheckpoint) keep_state();
  }
  const bool broken = std::ranges::any_of(chains_, [](const auto& c) { return c->broken(); });
  if (checkpoint && stopped_ && !broken) keep_state();
  if (checkpoint && !stopped_) checkpoint->remove();
  return result();
}

BugsResult SamplingRun::result() const {
  BugsResult result;
  for (std::size_t m = 0; m < plan_.monitors.size(); ++m) {
    const Monitor& monitor = plan_.monitors[m];
    Trace& trace = result.traces.emplace_back();
    trace.name = monitor.name;
    trace.first = options_.burn_in + monitor.thin;
    trace.thin = monitor.thin;
    std::size_t length = chains_[0]->traces()[m].size();
    for (const auto& chain : chains_) length = std::min(length, chain->traces()[m].size());
    for (const auto& chain : chains_) {  // a stopped run may have gone further in some
      const auto& values = chain->traces()[m];
      trace.chains.emplace_back(values.begin(),
                                values.begin() + static_cast<std::ptrdiff_t>(length));
    }
  }
  std::map<std::string, std::size_t> place;
  const auto use = [&](const std::string& name, NodeId id) {
    const auto [found, fresh] = place.emplace(name, result.samplers.size());
    if (fresh) result.samplers.push_back({name, {}});
    result.samplers[found->second].nodes.emplace_back(graph_.name(id));
  };
  for (const auto& sampler : chains_[0]->samplers()) {
    for (const NodeId id : sampler->nodes()) use(sampler->name(), id);
  }
  for (const NodeId id : graph_.predicted()) use("forward", id);
  for (std::size_t k = 0; k < chains_[0]->samplers().size(); ++k) {
    Trouble worst = Trouble::none;
    for (const auto& chain : chains_) worst = std::max(worst, chain->samplers()[k]->trouble());
    std::string warning = warning_of(graph_, worst, chains_[0]->samplers()[k]->nodes());
    if (!warning.empty()) result.warnings.push_back(std::move(warning));
  }
  result.deviance = deviance_.summary();
  result.iterations = iteration();
  result.stopped = stopped_;
  return result;
}

}  // namespace

void BugsOptions::validate() const {
  const auto at_least_one = [](std::string_view name, std::size_t value) {
    if (value < 1) throw UsageError(Message::option(name), " has to be 1 or more");
  };
  at_least_one("chains", chains);
  at_least_one("samples", samples);
  at_least_one("thin", thin);
  if (thin > samples) {
    throw UsageError(Message::option("thin"), " ", std::to_string(thin), " keeps none of ",
                     std::to_string(samples), " iterations; take fewer, or more of ",
                     Message::option("samples"));
  }
  constexpr std::size_t kMost = std::size_t{1} << 40;
  if (chains > 10'000 || samples > kMost || burn_in > kMost || thin > kMost) {
    throw UsageError("there are too many chains or iterations");
  }
  if (until) {
    if (!until->r_hat && !until->effective_samples) {
      throw UsageError(Message::option("until"), " names neither rhat nor ess");
    }
    if (until->r_hat && !(*until->r_hat > 1)) {
      throw UsageError(Message::option("until"), ": rhat has to be more than 1");
    }
    if (until->effective_samples && !(*until->effective_samples > 0)) {
      throw UsageError(Message::option("until"), ": ess has to be more than 0");
    }
  }
  if (resume && checkpoint.empty()) {
    throw UsageError(Message::option("resume"), " needs ", Message::option("checkpoint"));
  }
}

BugsResult sample(const Program& program, const Arrays& data, const std::vector<Arrays>& inits,
                  const BugsOptions& options, const BugsCallback& progress) {
  options.validate();
  if (inits.size() > 1 && inits.size() != options.chains) {
    throw UsageError("there are ", std::to_string(inits.size()), " sets of initial values for ",
                     std::to_string(options.chains), " chains; give one set for all chains, or ",
                     Message::option("chains"), " ", std::to_string(inits.size()));
  }
  CompiledModel model = compile(program, data, options.seed);
  const ModelGraph& graph = model.graph;
  const std::vector<Monitor> monitors = monitors_of(graph, options.monitors, options.thin);
  std::set<std::string> unknown;
  for (const Arrays& arrays : inits) {
    for (std::string& name : unknown_inits(graph, arrays)) unknown.insert(std::move(name));
  }
  for (const std::string& name : unknown) {
    model.warnings.push_back("the program has no " + in_quotes(name) +
                             ", of which there are initial values");
  }
  BugsResult result;
  std::string why;
  const bool exact = options.exact && graph.nodes() > graph.observed().size() &&
                     answer_exactly(graph, monitors, kMemoryOfTree, result, why);
  if (!exact) result = SamplingRun(model, inits, options, monitors).run(progress);
  result.observed = graph.observed().size();
  result.unobserved = graph.nodes() - graph.observed().size();
  result.graph_size = graph.slots();
  result.warnings.insert(result.warnings.begin(), model.warnings.begin(), model.warnings.end());
  for (std::string& each : warnings_of(graph, monitors, result)) result.warnings.push_back(each);
  for (std::string& each : disagreement(result.traces)) result.warnings.push_back(std::move(each));
  if (!exact && options.chains > 1 && inits.size() == 1) {
    const std::string shared = shared_start(graph, inits[0]);
    if (!shared.empty()) result.warnings.push_back(shared);
  }
  return result;
}

}  // namespace croft::bugs
