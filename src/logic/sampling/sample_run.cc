#include "logic/sampling/sample_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/parallel.h"
#include "logic/hard_conflict.h"
#include "logic/network.h"

namespace croft {
namespace {

constexpr std::size_t kBatches = 8;          // of a chain
constexpr std::size_t kDropped = 4;          // of 2 * kBatches, while chains disagree
constexpr std::size_t kFirstSamples = 32;    // of a batch, when it is asked whether chains agree
constexpr std::size_t kMostSteps = 1 << 20;  // of a chain between two looks at go_on
constexpr double kLargestRHat = 100;         // that is told apart
constexpr double kMostRHat = 1.05, kFewestEffective = 200;
constexpr double kSteady = 1e-12;  // variance of an atom that is the same in every sample

struct Batch {
  std::vector<double> sums, squares;  // [atoms]
};

// A chain, and sums of what it draws.
struct SampleChain {
  SampleChain(WorldChain& worlds, std::size_t atoms) : chain(worlds) { clear(atoms); }

  void clear(std::size_t atoms) {
    open.sums.assign(atoms, 0);
    open.squares.assign(atoms, 0);
    drawn = 0;
  }

  void run(std::size_t count, bool counted, const StepCheck& goes_on) {
    for (std::size_t i = 0; i < count; ++i) {
      chain.step(goes_on);
      if (!counted) continue;
      ++drawn;
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
  Batch open;             // that is being drawn
  std::size_t drawn = 0;  // samples of it
};

// Summary of one atom's batches.
struct AtomSummary {
  double mean = 0, variance = 0, error = 0, r_hat = 1;
};

// Batches are of `length` samples.  What has been drawn of the next ones counts for the mean.
AtomSummary summary_of(std::span<const SampleChain> chains, std::uint32_t atom, double length) {
  AtomSummary out;
  double squares = 0, count = 0, samples = 0;
  for (const SampleChain& each : chains) {
    out.mean += each.open.sums[atom];
    squares += each.open.squares[atom];
    samples += static_cast<double>(each.drawn);
    for (const Batch& batch : each.batches) {
      out.mean += batch.sums[atom];
      squares += batch.squares[atom];
      ++count;
    }
  }
  samples += count * length;
  out.mean /= samples;
  out.variance = squares / samples - out.mean * out.mean;
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

}  // namespace

void tell_convergence(McSatResult& result) {
  const bool known =
      std::ranges::none_of(result.standard_errors, [](double error) { return std::isnan(error); });
  result.converged = result.agree && known;
}

namespace {

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
    const std::size_t wanted = options_.samples / options_.chains;
    std::size_t drawn = 0;  // samples of a chain
    while (!out_.stopped && (until_agreed || drawn < wanted)) {
      const std::size_t count = until_agreed ? length_ : std::min(length_, wanted - drawn);
      if (!take(count, true) || count < length_) break;
      drawn += count;
      for (SampleChain& each : sums_) each.close_batch();
      const std::size_t batches = sums_[0].batches.size();
      const bool looks = until_agreed && length_ >= kFirstSamples;
      if (looks && (batches == kBatches || batches == 2 * kBatches) && agrees()) break;
      if (batches == 2 * kBatches) widen(looks);
    }
    return finished();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenLooks{20};  // within steps

  // Steps of each chain.  False where it is stopped before all are done.
  bool take(std::size_t count, bool counted) {
    const StepCheck goes_on = [this] { return goes_on_now(); };
    for (std::size_t done = 0; done < count && !out_.stopped;) {
      const std::size_t now = std::min(round_, count - done);
      const Clock::time_point begin = Clock::now();
      try {
        pool_.run(sums_.size(),
                  [&](std::size_t c, std::size_t) { sums_[c].run(now, counted, goes_on); });
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
      out_.stopped = !look();
      if (out_.stopped) return done == count;
    }
    return true;
  }

  bool look() {
    const std::lock_guard<std::mutex> alone(looking_);
    if (go_on_ && !ended_ && !go_on_(out_.samples)) ended_ = true;
    next_look_ = Clock::now() + kBetweenLooks;
    return !ended_;
  }
  // Within a step, by any thread.
  bool goes_on_now() {
    if (ended_) return false;
    return Clock::now() < next_look_.load() || look();
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
  std::size_t samples() const {
    std::size_t count = sums_[0].batches.size() * length_ * sums_.size();
    for (const SampleChain& each : sums_) count += each.drawn;
    return count;
  }

  bool agrees() {
    summarise();
    return out_.r_hat <= kMostRHat && out_.effective_samples >= kFewestEffective;
  }

  McSatResult finished() {
    if (sums_[0].batches.size() < 2) fail_stopped();
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
  std::size_t length_ = 1;  // of a batch
  std::mutex looking_;
  std::atomic<bool> ended_ = false;
  std::atomic<Clock::time_point> next_look_ = Clock::time_point::min();
  McSatResult out_;
};

}  // namespace

void fail_stopped() {
  constexpr std::string_view kStopped = "mc-sat was stopped before it had counted samples";
  if (interruption.load()) throw Interrupted(kStopped);
  throw Error(kStopped, "; give it more --time");
}

void McSatOptions::validate() const {
  if (chains == 0) throw UsageError("chains: 0 is less than 1");
  if (samples != 0 && samples < kBatches * chains) {
    throw UsageError("mc-sat takes at least ", kBatches,
                     " samples of each chain: ", kBatches * chains);
  }
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

}  // namespace croft
