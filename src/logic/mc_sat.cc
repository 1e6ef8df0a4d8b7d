#include "logic/mc_sat.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "logic/hard_conflict.h"
#include "logic/max_walk_sat.h"
#include "logic/search/hard_search.h"
#include "logic/slice_sampler.h"

namespace croft {
namespace {

constexpr std::size_t kBatches = 8;         // of a chain
constexpr std::size_t kLongestRound = 250;  // samples of a chain between two looks at go_on
constexpr double kLargestRHat = 100;        // that is told apart
constexpr double kMostRHat = 1.1, kFewestEffective = 100;

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
  std::size_t largest_part() const override { return sampler_->largest_part(); }

 private:
  const UndecidedClauses& clauses_;
  GroundWalk walk_;
  Random random_;
  std::optional<SliceSampler> sampler_;
  std::vector<double> shares_;  // [atoms] of the last step
};

// A chain, and sums of what it draws.
struct SampleChain {
  SampleChain(WorldChain& worlds, std::size_t atoms)
      : chain(worlds), squares(atoms, 0), open(atoms, 0), open_squares(atoms, 0) {}

  void run(std::size_t count, bool counted) {
    for (std::size_t i = 0; i < count; ++i) {
      chain.step();
      if (!counted) continue;
      const std::vector<double>& shares = chain.shares();
      for (std::size_t a = 0; a < squares.size(); ++a) {
        const double share = shares[a];
        open[a] += share;
        open_squares[a] += share * share;
      }
    }
  }

  void close_batch() {
    for (std::size_t a = 0; a < squares.size(); ++a) squares[a] += open_squares[a];
    batches.push_back(open);
    open.assign(open.size(), 0);
    open_squares.assign(open.size(), 0);
  }

  // Batches of twice the length, and half as many.
  void merge_batches() {
    for (std::size_t b = 0; 2 * b + 1 < batches.size(); ++b) {
      for (std::size_t a = 0; a < squares.size(); ++a) {
        batches[b][a] = batches[2 * b][a] + batches[2 * b + 1][a];
      }
    }
    batches.resize(batches.size() / 2);
  }

  WorldChain& chain;
  std::vector<std::vector<double>> batches;  // [batches][atoms] sums
  std::vector<double> squares;               // [atoms] of the samples in batches
  std::vector<double> open, open_squares;    // [atoms] of the batch that is being drawn
};

// Of one atom: means of batches of `length` samples, in the order of the chains.
void summarise(std::span<const SampleChain> chains, std::uint32_t atom, double length,
               McSatResult& out) {
  double sum = 0, squares = 0, count = 0, between = 0, halves = 0;
  for (const SampleChain& each : chains) {
    for (const auto& batch : each.batches) {
      sum += batch[atom];
      ++count;
    }
    squares += each.squares[atom];
  }
  const double mean = sum / (count * length);
  out.probabilities[atom] = mean;
  double half_count = 0, half_length = 0;
  for (const SampleChain& each : chains) {
    const std::size_t half = each.batches.size() / 2;
    double first = 0, second = 0;
    for (std::size_t b = 0; b < each.batches.size(); ++b) {
      const double value = each.batches[b][atom];
      between += (value / length - mean) * (value / length - mean);
      if (b < half) first += value;
      if (b >= half && b < 2 * half) second += value;
    }
    half_length = static_cast<double>(half) * length;
    for (const double each_half : {first, second}) {
      halves += (each_half / half_length - mean) * (each_half / half_length - mean);
      ++half_count;
    }
  }
  const double variance = squares / (count * length) - mean * mean;
  const double error = std::sqrt(between / (count * (count - 1)));
  out.standard_errors[atom] = error;
  if (!(variance > 1e-12)) return;  // the same in every sample
  const double within = std::max(variance - halves / half_count, 1e-12);
  const double r_hat = std::sqrt(1 - 1 / half_length + halves / (half_count - 1) / within);
  out.r_hat = std::clamp(r_hat, out.r_hat, kLargestRHat);
  if (error > 0) {
    out.effective_samples = std::min(out.effective_samples, variance / (error * error));
  }
}

}  // namespace

void McSatOptions::validate() const {
  if (chains == 0) throw UsageError("chains: 0 is less than 1");
  if (samples < kBatches * chains) {
    throw UsageError("mc-sat takes at least ", kBatches,
                     " samples of each chain: ", kBatches * chains);
  }
}

std::uint64_t seed_of_chain(std::uint64_t seed, std::size_t chain) {
  return seed * 0x9e3779b97f4a7c15 + chain;
}

std::vector<std::uint8_t> allowed_world(const ClauseStore& store, std::uint64_t seed) {
  const MaxWalkSatResult found = max_walk_sat(store, {.until_allowed = true, .seed = seed});
  if (found.broken_hard > 0) {
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

McSatResult run_chains(std::span<const std::unique_ptr<WorldChain>> chains,
                       std::span<const std::uint8_t> decided, const McSatOptions& options,
                       const std::function<bool(std::size_t)>& go_on) {
  std::vector<SampleChain> sums;
  for (const auto& each : chains) sums.emplace_back(*each, decided.size());
  ThreadPool pool(std::min(options.threads, ThreadPool::kMaxThreads));
  McSatResult out;
  // Whether it is done; not where it was interrupted.
  const auto run_all = [&](std::size_t count, bool counted) {
    try {
      pool.run(sums.size(), [&](std::size_t c, std::size_t) { sums[c].run(count, counted); });
    } catch (const Interrupted&) {
      out.stopped = true;
      return false;
    }
    if (counted) out.samples += count * sums.size();
    out.stopped = go_on && !go_on(out.samples);
    return true;
  };
  for (std::size_t done = 0; done < options.burn_in && !out.stopped; done += 10) {
    run_all(std::min<std::size_t>(10, options.burn_in - done), false);
  }
  const std::size_t wanted = options.samples / (kBatches * options.chains);
  const std::size_t round = std::min(wanted, kLongestRound);
  std::size_t length = round;  // of a batch: so many that a stop loses little, and memory stays
  for (std::size_t drawn = 0; drawn + length <= wanted * kBatches && !out.stopped;) {
    std::size_t in_batch = 0;
    for (; in_batch < length && !out.stopped; in_batch += round) {
      if (!run_all(round, true)) break;
    }
    if (in_batch < length) break;
    drawn += length;
    const bool merge = sums[0].batches.size() + 1 == 2 * kBatches;
    for (SampleChain& each : sums) {
      each.close_batch();
      if (merge) each.merge_batches();
    }
    if (merge) length *= 2;
  }
  const std::size_t batches = sums[0].batches.size();
  if (batches < 2) throw Error("mc-sat was stopped before it had counted samples");
  out.samples = batches * length * sums.size();
  out.probabilities.resize(decided.size());
  out.standard_errors.resize(decided.size());
  out.effective_samples = static_cast<double>(out.samples);
  for (std::uint32_t a = 0; a < decided.size(); ++a) {
    if (decided[a] == kUndecided) {
      summarise(sums, a, static_cast<double>(length), out);
    } else {
      out.probabilities[a] = decided[a];
    }
  }
  for (const SampleChain& each : sums) {
    out.largest_part = std::max(out.largest_part, each.chain.largest_part());
  }
  out.drawn_exactly = out.largest_part <= SliceSampler::kWhole;
  out.converged =
      !out.stopped && out.r_hat <= kMostRHat && out.effective_samples >= kFewestEffective;
  return out;
}

McSatResult mc_sat(const ClauseStore& store, const McSatOptions& options,
                   const std::function<bool(std::size_t)>& go_on) {
  options.validate();
  const UndecidedClauses clauses(store);
  std::vector<std::unique_ptr<WorldChain>> chains;
  for (std::size_t c = 0; c < options.chains; ++c) {
    const std::uint64_t seed = seed_of_chain(options.seed, c);
    chains.push_back(std::make_unique<StoreChain>(clauses, allowed_world(store, seed), seed));
  }
  return run_chains(chains, clauses.decided, options, go_on);
}

}  // namespace croft
