#include "train/generative/bayes_net.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "structure/directed_cycle.h"

namespace croft {
namespace {

// visit(first number, states) for each distribution of a factor's table.
template <class Visit>
void for_each_row(const FactorGraph& graph, Factor f, const Visit& visit) {
  const Potential& table = graph.potential(graph.potential_of(f));
  const std::size_t states = graph.states(graph.scope(f).back());
  for (std::uint64_t k = 0; k < table.count; k += states) visit(table.first + k, states);
}

std::uint64_t number_at(const FactorGraph& graph, Factor f, std::span<const State> row) {
  std::uint64_t joint = 0;
  for (const Variable v : graph.scope(f)) joint = joint * graph.states(v) + row[v];
  return graph.potential(graph.potential_of(f)).first + joint;
}

bool knows_all(const FactorGraph& graph, Factor f, std::span<const State> row) {
  return std::ranges::all_of(graph.scope(f), [&](Variable v) { return row[v] != kUnobserved; });
}

}  // namespace

void check_directed(const FactorGraph& graph, const std::function<std::string(Variable)>& name_of) {
  const auto name = [&](Variable v) { return name_of ? name_of(v) : std::to_string(v); };
  std::vector<std::size_t> tables(graph.variables(), 0);
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (scope.empty()) throw UsageError("a Bayesian network has no table without a variable");
    ++tables[scope.back()];
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (tables[v] == 1) continue;
    throw UsageError("a Bayesian network has one table for each variable, and " + name(v) +
                     " has " + std::to_string(tables[v]));
  }
  const std::vector<Variable> cycle = directed_cycle(graph);
  if (cycle.empty()) return;
  throw UsageError("a Bayesian network has no directed cycle, and this one has ",
                   cycle_text(cycle, name));
}

FactorGraph with_own_tables(const FactorGraph& graph) {
  FactorGraph own;
  for (Variable v = 0; v < graph.variables(); ++v) own.add_variable(graph.states(v));
  for (Factor f = 0; f < graph.factors(); ++f) {
    own.add_factor(graph.scope(f), own.add_table(graph.table(f)));
  }
  return own;
}

BayesNetData::BayesNetData(const FactorGraph& graph)
    : graph_(graph),
      lists_(graph),
      counts_(graph.numbers().size(), 0),
      known_families_(graph.factors(), 0) {}

void BayesNetData::add(std::span<const State> row) {
  if (row.size() != graph_.variables()) {
    throw UsageError("a row of " + std::to_string(row.size()) + " values, the network has " +
                     std::to_string(graph_.variables()) + " variables");
  }
  for (Variable v = 0; v < row.size(); ++v) {
    if (row[v] == kUnobserved || row[v] < graph_.states(v)) continue;
    throw UsageError("variable " + std::to_string(v) + " is in state " + std::to_string(row[v]) +
                     ", it has " + std::to_string(graph_.states(v)));
  }
  ++rows_;
  for (Factor f = 0; f < graph_.factors(); ++f) {
    if (!knows_all(graph_, f, row)) continue;
    counts_[number_at(graph_, f, row)] += 1;
    ++known_families_[f];
  }
  const auto missing = static_cast<std::size_t>(std::ranges::count(row, kUnobserved));
  missing_ += missing;
  if (missing > 0) add_parts(row);
}

// Missing variables that share a factor are in one part; a part's key is what its factors see.
void BayesNetData::add_parts(std::span<const State> row) {
  std::vector<bool> seen(row.size(), false);
  for (Variable v = 0; v < row.size(); ++v) {
    if (row[v] != kUnobserved || seen[v]) continue;
    std::vector<Variable> part{v};
    std::vector<Factor> factors;
    seen[v] = true;
    for (std::size_t k = 0; k < part.size(); ++k) {
      for (const Factor f : lists_.of(part[k])) {
        factors.push_back(f);
        for (const Variable u : graph_.scope(f)) {
          if (row[u] != kUnobserved || seen[u]) continue;
          seen[u] = true;
          part.push_back(u);
        }
      }
    }
    std::ranges::sort(factors);
    factors.erase(std::ranges::unique(factors).begin(), factors.end());
    std::string key;
    const auto append = [&](std::uint32_t number) {
      char bytes[sizeof number];
      std::memcpy(bytes, &number, sizeof number);
      key.append(bytes, sizeof number);
    };
    for (const Factor f : factors) {
      append(f);
      for (const Variable u : graph_.scope(f)) append(row[u]);
    }
    const auto [at, is_new] = part_of_.try_emplace(std::move(key), parts_.size());
    if (is_new) {
      std::ranges::sort(part);
      auto made = std::make_unique<Part>();
      made->rest = restrict_to_block(graph_, lists_, row, part);
      made->sums = exact_sums()(made->rest.graph);
      parts_.push_back(std::move(made));
    }
    parts_[at->second]->rows += 1;
  }
}

double BayesNetData::evaluate(ThreadPool& pool, std::vector<double>& counts) {
  counts.assign(counts_.begin(), counts_.end());
  CompensatedSum value;
  bool impossible = false;
  const std::span<const double> theta = graph_.numbers();
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    if (counts_[k] > 0) value.add(counts_[k] * theta[k]);
  }
  struct Worker {
    std::vector<double> sums;
    double log_z = 0;
  };
  std::vector<Worker> workers(pool.threads());
  pool.run_ordered(
      parts_.size(),
      [&](std::size_t n, std::size_t k) {
        Part& part = *parts_[n];
        part.rest.pick(graph_);
        workers[k].sums.assign(part.rest.source.size(), 0);
        workers[k].log_z = part.sums->sums(part.rows, workers[k].sums);
      },
      [&](std::size_t n, std::size_t k) {
        if (workers[k].log_z == -kInf) {
          impossible = true;
          return;
        }
        value.add(parts_[n]->rows * workers[k].log_z);
        parts_[n]->rest.add_back(workers[k].sums, counts);
      });
  return impossible ? -kInf : value.value();
}

void BayesNetOptions::validate() const {
  if (!(smoothing >= 0) || std::isinf(smoothing)) {
    throw UsageError("--smoothing is a count that is added: 0 or more");
  }
  if (em_iterations == 0) throw UsageError("--em-iterations must be at least 1");
  if (!(tolerance >= 0)) throw UsageError("--tolerance must be 0 or more");
  if (starts == 0) throw UsageError("--starts must be at least 1");
  if (from_tables && starts > 1) {
    throw UsageError("EM that starts from given tables has one start: leave out --starts");
  }
}

namespace {
FactorGraph checked(const FactorGraph& net) {
  check_directed(net);
  return with_own_tables(net);
}
}  // namespace

BayesNetTraining::BayesNetTraining(const FactorGraph& net)
    : graph_(checked(net)),
      given_(graph_.numbers().begin(), graph_.numbers().end()),
      data_(graph_) {}

// (LG.7).  Returns how many rows of tables have no count at all.
std::size_t BayesNetTraining::estimate(std::span<const double> counts, double smoothing) {
  std::size_t unseen = 0;
  const std::span<double> theta = graph_.numbers();
  for (Factor f = 0; f < graph_.factors(); ++f) {
    for_each_row(graph_, f, [&](std::uint64_t first, std::size_t states) {
      CompensatedSum total;
      for (std::size_t s = 0; s < states; ++s) total.add(counts[first + s]);
      const double all = total.value() + smoothing * static_cast<double>(states);
      if (total.value() == 0) ++unseen;
      for (std::size_t s = 0; s < states; ++s) {
        theta[first + s] = all > 0 ? std::log((counts[first + s] + smoothing) / all)
                                   : -std::log(static_cast<double>(states));
      }
    });
  }
  return unseen;
}

double BayesNetTraining::log_prior(double smoothing) const {
  if (smoothing == 0) return 0;
  CompensatedSum sum;
  for (const double each : graph_.numbers()) sum.add(each);
  return smoothing * sum.value();
}

// Families that are known are counted; a pseudo-count at random in each cell tells apart what would
// otherwise stay alike for ever.
void BayesNetTraining::start_at(const BayesNetOptions& options, std::size_t start) {
  if (options.from_tables) {
    std::ranges::copy(given_, graph_.numbers().begin());
    return;
  }
  Random random(Random(options.seed).next() + start);
  std::vector<double> counts(data_.known_counts().begin(), data_.known_counts().end());
  for (double& each : counts) each += options.smoothing + 0.5 + random.uniform();
  estimate(counts, 0);
}

class BayesNetTraining::Em final : public EmSteps {
 public:
  Em(BayesNetTraining& training, const BayesNetOptions& options, ThreadPool& pool)
      : unseen(0), training_(training), options_(options), pool_(pool) {}

  void begin(std::size_t start) override {
    unseen = 0;
    training_.start_at(options_, start);
  }
  void maximise() override { unseen = training_.estimate(counts_, options_.smoothing); }
  EmValue expect() override {
    const double log_likelihood = training_.data_.evaluate(pool_, counts_);
    if (!std::isfinite(log_likelihood)) {
      throw Error(std::string("a row of the data has probability 0") +
                  (options_.from_tables ? " under the tables that EM is to start from; give a "
                                          "start without zeros, or none"
                                        : ""));
    }
    return {-log_likelihood - training_.log_prior(options_.smoothing), log_likelihood};
  }
  void archive(StateArchive& state) override { state(training_.graph_.numbers(), counts_, unseen); }

  std::size_t unseen;  // of the last M step

 private:
  BayesNetTraining& training_;
  const BayesNetOptions& options_;
  ThreadPool& pool_;
  std::vector<double> counts_;  // expected
};

void BayesNetData::add_to(Fingerprint& print) const {
  print.add(counts_);
  std::vector<std::string_view> keys(parts_.size());
  for (const auto& [key, part] : part_of_) keys[part] = key;
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    print.add(keys[n]);
    print.add({parts_[n]->rows});
  }
}

std::uint64_t BayesNetTraining::fingerprint(const BayesNetOptions& options) const {
  Fingerprint print;
  for (Factor f = 0; f < graph_.factors(); ++f) print.add(graph_.scope(f));
  print.add(given_);
  data_.add_to(print);
  print.add({options.smoothing, double(options.starts), double(options.from_tables)});
  print.add(std::array{options.seed, std::uint64_t{options.early_stop}, options.holdout});
  return print.value();
}

BayesNetResult BayesNetTraining::run(const BayesNetOptions& options, const EmCallback& callback) {
  options.validate();
  if (data_.rows() == 0) throw Error("there is no row of data");
  BayesNetResult result;
  ThreadPool pool(options.threads);
  if (data_.missing() == 0) {
    if (options.starts > 1 || options.from_tables) {
      throw UsageError(options.starts > 1 ? Message("--starts") : "--init",
                       " is of EM, and no value is missing: leave it out");
    }
    result.unseen = estimate(data_.known_counts(), options.smoothing);
    std::vector<double> counts;
    result.log_likelihood = data_.evaluate(pool, counts);
    result.objective = -result.log_likelihood - log_prior(options.smoothing);
  } else {
    if (options.checkpoints != nullptr) options.checkpoints->set_fingerprint(fingerprint(options));
    Em steps(*this, options, pool);
    EmRules rules{.starts = options.starts,
                  .e_steps = options.em_iterations + 1,  // the last one is of the last tables
                  .tolerance = options.tolerance,
                  .early_stop = options.early_stop,
                  .checkpoints = options.checkpoints};
    if (options.score) rules.score = [&] { return options.score(graph_); };
    static_cast<EmResult&>(result) = run_em(steps, rules, callback);
    result.unseen = steps.unseen;
  }
  for (Factor f = 0; f < graph_.factors(); ++f) {
    for_each_row(graph_, f,
                 [&](std::uint64_t, std::size_t states) { result.parameters += states - 1; });
  }
  return result;
}

}  // namespace croft
