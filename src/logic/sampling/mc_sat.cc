#include "logic/sampling/mc_sat.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "logic/hard_conflict.h"
#include "logic/max_walk_sat.h"
#include "logic/network.h"
#include "logic/sampling/slice_sampler.h"
#include "logic/search/demanded_atoms.h"
#include "logic/search/hard_search.h"

namespace croft {
namespace {

constexpr std::size_t kBatches = 8;        // of a chain
constexpr std::size_t kDropped = 4;        // of 2 * kBatches, while chains disagree
constexpr std::size_t kFirstSamples = 31;  // of a batch, where the chains decide how many there are
constexpr std::size_t kMostSteps = 1 << 20;  // of a chain between two looks at go_on
constexpr double kLargestRHat = 100;         // that is told apart
constexpr double kMostRHat = 1.05, kFewestEffective = 200;
constexpr double kSteady = 1e-12;  // variance of an atom that is the same in every sample
constexpr char kStopped[] = "mc-sat was stopped before it had counted samples";

// On clauses that are all there.
class StoreChain final : public WorldChain {
 public:
  StoreChain(const UndecidedClauses& all, const std::vector<std::uint8_t>& start,
             std::uint64_t seed)
      : clauses_(all), walk_(all, kForbiddenCost), random_(seed) {
    walk_.set(start);
    sampler_.emplace(all, walk_);
    shares_.assign(start.begin(), start.end());
  }
  void step() override {
    sampler_->step(random_);
    shares_ = sampler_->shares();
    gibbs_sweep(clauses_, walk_, random_, shares_);
  }
  const std::vector<double>& shares() const override { return shares_; }
  std::size_t largest_held() const override { return sampler_->largest_held(); }

 private:
  const UndecidedClauses& clauses_;
  GroundWalk walk_;
  Random random_;
  std::optional<SliceSampler> sampler_;
  std::vector<double> shares_;  // [atoms] of the last step
};

struct Batch {
  std::vector<double> sums, squares;  // [atoms]
};

// A chain, and sums of what it draws.
struct SampleChain {
  SampleChain(WorldChain& worlds, std::size_t atoms) : chain(worlds) { clear(atoms); }

  void clear(std::size_t atoms) {
    open.sums.assign(atoms, 0);
    open.squares.assign(atoms, 0);
  }

  void run(std::size_t count, bool counted) {
    for (std::size_t i = 0; i < count; ++i) {
      chain.step();
      if (!counted) continue;
      const std::vector<double>& shares = chain.shares();
      for (std::size_t a = 0; a < shares.size(); ++a) {
        open.sums[a] += shares[a];
        open.squares[a] += shares[a] * shares[a];
      }
    }
  }

  void close_batch() {
    const std::size_t atoms = open.sums.size();
    batches.push_back(std::move(open));
    clear(atoms);
  }

  // Batches of twice the length, and half as many.
  void merge_batches() {
    for (std::size_t b = 0; 2 * b + 1 < batches.size(); ++b) {
      Batch merged = std::move(batches[2 * b]);
      for (std::size_t a = 0; a < merged.sums.size(); ++a) {
        merged.sums[a] += batches[2 * b + 1].sums[a];
        merged.squares[a] += batches[2 * b + 1].squares[a];
      }
      batches[b] = std::move(merged);
    }
    batches.resize(batches.size() / 2);
  }

  WorldChain& chain;
  std::vector<Batch> batches;
  Batch open;  // that is being drawn
};

// Summary of one atom's batches.
struct AtomSummary {
  double mean = 0, variance = 0, error = 0, r_hat = 1;
};

// Batches are of `length` samples.
AtomSummary summary_of(std::span<const SampleChain> chains, std::uint32_t atom, double length) {
  AtomSummary out;
  double squares = 0, count = 0;
  for (const SampleChain& each : chains) {
    for (const Batch& batch : each.batches) {
      out.mean += batch.sums[atom];
      squares += batch.squares[atom];
      ++count;
    }
  }
  out.mean /= count * length;
  out.variance = squares / (count * length) - out.mean * out.mean;
  double between = 0, halves = 0, half_length = 0, whole = 0;
  for (const SampleChain& each : chains) {
    const std::size_t half = each.batches.size() / 2;
    double first = 0, second = 0, all = 0;
    for (std::size_t b = 0; b < each.batches.size(); ++b) {
      const double off = each.batches[b].sums[atom] / length - out.mean;
      between += off * off;
      all += off;
      if (b < half) first += off;
      if (b >= half && b < 2 * half) second += off;
    }
    half_length = static_cast<double>(half) * length;
    const auto in_half = static_cast<double>(half);
    halves += (first * first + second * second) / (in_half * in_half);
    all /= static_cast<double>(each.batches.size());
    whole += all * all;
  }
  out.error = std::sqrt(between / (count * (count - 1)));
  if (!(out.variance > kSteady)) return out;
  const auto parts = static_cast<double>(chains.size());
  const double within = std::max(out.variance - halves / (2 * parts), kSteady);
  out.r_hat = std::sqrt(1 - 1 / half_length + halves / (2 * parts - 1) / within);
  if (out.r_hat > kMostRHat && chains.size() > 1) {  // batches of a chain say the same
    out.error = std::max(out.error, std::sqrt(whole / (parts * (parts - 1))));
  }
  return out;
}

void tell_convergence(McSatResult& result) {
  const bool known =
      std::ranges::none_of(result.standard_errors, [](double error) { return std::isnan(error); });
  result.converged = result.agree && !result.stopped && known;
}

// Draws of all chains, in batches.
class SampleRun {
 public:
  SampleRun(std::span<const std::unique_ptr<WorldChain>> chains,
            std::span<const std::uint8_t> decided, const McSatOptions& options,
            const std::function<bool(std::size_t)>& go_on)
      : decided_(decided),
        options_(options),
        go_on_(go_on),
        pool_(std::min(options.threads, ThreadPool::kMaxThreads)) {
    for (const auto& each : chains) sums_.emplace_back(*each, decided.size());
  }

  McSatResult run() {
    take(options_.burn_in, false);
    const bool until_agreed = options_.samples == 0;
    const std::size_t wanted = options_.samples / (kBatches * options_.chains);
    length_ = until_agreed ? kFirstSamples : std::min(wanted, kLongestBatch);
    std::size_t drawn = 0;  // samples of a chain
    while (!out_.stopped && (until_agreed || drawn + length_ <= wanted * kBatches)) {
      if (!take(length_, true)) break;
      drawn += length_;
      for (SampleChain& each : sums_) each.close_batch();
      const std::size_t batches = sums_[0].batches.size();
      if (until_agreed && (batches == kBatches || batches == 2 * kBatches) && agrees()) break;
      if (batches == 2 * kBatches) widen(until_agreed);
    }
    return finished();
  }

 private:
  static constexpr std::size_t kLongestBatch = 250;  // at first

  // Steps of each chain.  False where it is stopped before all are done.
  bool take(std::size_t count, bool counted) {
    using Clock = std::chrono::steady_clock;
    for (std::size_t done = 0; done < count && !out_.stopped;) {
      const std::size_t now = std::min(round_, count - done);
      const Clock::time_point begin = Clock::now();
      try {
        pool_.run(sums_.size(), [&](std::size_t c, std::size_t) { sums_[c].run(now, counted); });
      } catch (const Interrupted&) {
        out_.stopped = true;
        return false;
      }
      done += now;
      if (counted) out_.samples += now * sums_.size();
      // Looks at the clock cost little, and a step may be long.
      const std::chrono::duration<double> took = Clock::now() - begin;
      if (took.count() < 0.01 && round_ < kMostSteps) round_ *= 2;
      if (took.count() > 0.05) round_ = std::max<std::size_t>(1, round_ / 2);
      out_.stopped = go_on_ && !go_on_(out_.samples);
      if (out_.stopped) return done == count;
    }
    return true;
  }

  // Longer batches; while the chains disagree, what they drew first is forgotten.
  void widen(bool forget) {
    for (SampleChain& each : sums_) {
      if (forget) each.batches.erase(each.batches.begin(), each.batches.begin() + kDropped);
      each.merge_batches();
    }
    length_ *= 2;
  }

  void summarise() {
    out_.r_hat = 1;
    out_.effective_samples = static_cast<double>(samples());
    out_.probabilities.resize(decided_.size());
    out_.standard_errors.assign(decided_.size(), 0);
    out_.effective.assign(decided_.size(), out_.effective_samples);
    for (std::uint32_t a = 0; a < decided_.size(); ++a) {
      if (decided_[a] == kUndecided) {
        summarise(a);
      } else {
        out_.probabilities[a] = decided_[a];
      }
    }
  }
  void summarise(std::uint32_t atom) {
    const AtomSummary found = summary_of(sums_, atom, static_cast<double>(length_));
    out_.probabilities[atom] = found.mean;
    out_.standard_errors[atom] = found.error;
    out_.r_hat = std::clamp(found.r_hat, out_.r_hat, kLargestRHat);
    if (found.variance > kSteady) {
      const double squared = std::max(found.error * found.error, 1e-300);
      out_.effective[atom] = std::min(out_.effective[atom], found.variance / squared);
      out_.effective_samples = std::min(out_.effective_samples, out_.effective[atom]);
    } else if ((found.mean == 0 || found.mean == 1) && !sums_[0].chain.renews(atom)) {
      // Nothing that was drawn could have changed it.
      out_.standard_errors[atom] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  std::size_t samples() const { return sums_[0].batches.size() * length_ * sums_.size(); }

  bool agrees() {
    summarise();
    return out_.r_hat <= kMostRHat && out_.effective_samples >= kFewestEffective;
  }

  McSatResult finished() {
    if (sums_[0].batches.size() < 2) throw Error(kStopped);
    out_.agree = agrees();
    out_.samples = samples();
    for (const SampleChain& each : sums_) {
      out_.largest_held = std::max(out_.largest_held, each.chain.largest_held());
    }
    if (out_.largest_held == 0) {
      // No chain was kept from anything: what was not met is rare.
      for (double& each : out_.standard_errors) {
        if (std::isnan(each)) each = 0;  // beside add_rare_worlds()
      }
    }
    tell_convergence(out_);
    return std::move(out_);
  }

  std::span<const std::uint8_t> decided_;
  const McSatOptions& options_;
  const std::function<bool(std::size_t)>& go_on_;
  ThreadPool pool_;
  std::vector<SampleChain> sums_;
  std::size_t round_ = 1;   // steps of a chain between two looks at go_on
  std::size_t length_ = 0;  // of a batch: so long that a stop loses little, and memory stays
  McSatResult out_;
};

// [atoms] one of those that hang together by clauses and marks, the same for all of them.
std::vector<std::uint32_t> components(const UndecidedClauses& clauses) {
  std::vector<std::uint32_t> parent(clauses.atoms());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::uint32_t atom) {
    while (parent[atom] != atom) atom = parent[atom] = parent[parent[atom]];
    return atom;
  };
  const auto join = [&](std::uint32_t a, std::uint32_t b) { parent[root(a)] = root(b); };
  for (std::size_t i = 0; i < clauses.clauses(); ++i) {
    const auto literals = clauses.of(i);
    for (const std::uint32_t each : literals) join(each / 2, literals[0] / 2);
  }
  for (std::uint32_t b = 0; b < clauses.blocks(); ++b) {
    const auto members = clauses.members(b);
    for (const std::uint32_t each : members) join(each, members[0]);
  }
  for (std::uint32_t a = 0; a < parent.size(); ++a) parent[a] = root(a);
  return parent;
}

// [atoms] whether the hard clauses demand the atom, of those whose error is unknown.
std::vector<std::uint8_t> demanded(const ClauseStore& store,
                                   const std::function<bool(std::size_t)>& go_on,
                                   const McSatResult& result) {
  std::vector<std::uint32_t> atoms;
  std::vector<std::uint8_t> values, out(result.standard_errors.size(), 0);
  for (std::uint32_t a = 0; a < out.size(); ++a) {
    if (!std::isnan(result.standard_errors[a])) continue;
    atoms.push_back(a);
    values.push_back(result.probabilities[a] > 0.5 ? 1 : 0);
  }
  const std::vector<bool> found =
      demanded_atoms(store, atoms, values, [&] { return !go_on || go_on(result.samples); });
  for (std::size_t i = 0; i < atoms.size(); ++i) out[atoms[i]] = found[i] ? 1 : 0;
  return out;
}

// Errors of atoms that were the same in every sample: 0 for an atom that stands alone, whose share
// is exact, or that hard clauses demand.  Where an atom has an unknown error, so have those that
// hang together with it and never moved.
void settle_steady(const ClauseStore& store, const UndecidedClauses& clauses,
                   const std::function<bool(std::size_t)>& go_on, McSatResult& result) {
  std::vector<double>& errors = result.standard_errors;
  const std::vector<std::uint32_t> component = components(clauses);
  const std::vector<std::uint8_t> exact = demanded(store, go_on, result);
  std::vector<std::uint32_t> size(clauses.atoms(), 0), unknown(clauses.atoms(), 0);
  for (const std::uint32_t atom : clauses.free) {
    ++size[component[atom]];
    if (std::isnan(errors[atom]) && exact[atom] == 0) unknown[component[atom]] = 1;
  }
  std::vector<std::uint32_t> together(clauses.atoms(), kNoNumber);
  for (const std::uint32_t atom : clauses.free) {
    const std::uint32_t one = component[atom];
    if (exact[atom] != 0 || size[one] == 1) {
      if (std::isnan(errors[atom])) errors[atom] = 0;
      continue;
    }
    together[atom] = one;
    if (unknown[one] != 0 && errors[atom] * errors[atom] <= kSteady) {
      errors[atom] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  add_rare_worlds(together, result);
}

}  // namespace

void McSatOptions::validate() const {
  if (chains == 0) throw UsageError("chains: 0 is less than 1");
  if (samples != 0 && samples < kBatches * chains) {
    throw UsageError("mc-sat takes at least ", kBatches,
                     " samples of each chain: ", kBatches * chains);
  }
}

std::uint64_t seed_of_chain(std::uint64_t seed, std::size_t chain) {
  return seed * 0x9e3779b97f4a7c15 + chain;
}

std::vector<std::uint8_t> allowed_world(const ClauseStore& store, std::uint64_t seed,
                                        const std::function<bool(std::size_t)>& go_on) {
  const MaxWalkSatResult found =
      max_walk_sat(store, {.until_allowed = true, .seed = seed},
                   [&](std::size_t, double) { return !go_on || go_on(0); });
  if (found.broken_hard > 0) {
    if (found.stopped) throw Error(kStopped);
    HardSearch search = search_allowed_world(store);
    if (search.end == HardSearchEnd::found) return std::move(search.values);
    throw Error(
        "mc-sat found no world that keeps all hard rules to begin with: the best one breaks ",
        found.broken_hard,
        " of their groundings, which does not prove that there is none; an exact method "
        "may find one, and --soft-hard needs none");
  }
  return found.values;
}

void add_rare_worlds(std::span<const std::uint32_t> together, McSatResult& result) {
  std::vector<double> fewest(together.size(), std::numeric_limits<double>::infinity());
  for (std::uint32_t a = 0; a < together.size(); ++a) {
    if (together[a] == kNoNumber) continue;
    double& of_part = fewest[together[a]];
    of_part = std::min(of_part, result.effective[a]);
  }
  for (std::uint32_t a = 0; a < together.size(); ++a) {
    if (together[a] == kNoNumber) continue;
    double& error = result.standard_errors[a];
    error = std::hypot(error, std::numbers::sqrt2 / fewest[together[a]]);
  }
}

McSatResult run_chains(std::span<const std::unique_ptr<WorldChain>> chains,
                       std::span<const std::uint8_t> decided, const McSatOptions& options,
                       const std::function<bool(std::size_t)>& go_on) {
  return SampleRun(chains, decided, options, go_on).run();
}

McSatResult mc_sat(const ClauseStore& store, const McSatOptions& options,
                   const std::function<bool(std::size_t)>& go_on) {
  options.validate();
  const UndecidedClauses clauses(store);
  std::vector<std::unique_ptr<WorldChain>> chains;
  for (std::size_t c = 0; c < options.chains; ++c) {
    const std::uint64_t seed = seed_of_chain(options.seed, c);
    chains.push_back(
        std::make_unique<StoreChain>(clauses, allowed_world(store, seed, go_on), seed));
  }
  McSatResult out = run_chains(chains, clauses.decided, options, go_on);
  settle_steady(store, clauses, go_on, out);
  tell_convergence(out);
  return out;
}

}  // namespace croft
