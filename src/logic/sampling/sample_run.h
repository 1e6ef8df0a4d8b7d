// Draws of several chains of worlds, in batches, until they agree.
//
// docs/math/markov_logic.md section 7.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "logic/sampling/step_work.h"

namespace croft {

struct McSatOptions {
  // Samples of all chains that count; >= 8 of each chain.  0: until the chains agree.
  std::size_t samples = 0;
  std::size_t burn_in = 50;  // of each chain, before them
  std::size_t chains = 4;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // 0: one for each processor; does not change the result
  void validate() const;    // throws UsageError
};

struct McSatResult {
  // [atoms]  Squared errors are those of batch means; of an atom whose chains disagree, of the
  // chains' means; and 2 / n^2 more, with the fewest effective samples n of the atoms that it hangs
  // together with.  Of an atom that was the same in every sample and stands alone: 0. Where atoms
  // were held and no draw could have changed it: 0 where the hard clauses demand it, and else not a
  // number, which means unknown, as it is of atoms that hang together with such a one and never
  // moved.
  std::vector<double> probabilities, standard_errors;
  std::vector<double> effective;  // [atoms] samples; all of those that are the same in every sample
  // The largest R-hat of split chains, and the fewest effective samples of an atom.  The chains
  // agree: at most 1.05, and at least 200.  Converged: and no error is unknown.
  double r_hat = 1, effective_samples = 0;
  bool agree = false, converged = false, stopped = false;
  std::size_t samples = 0;       // that were counted
  std::size_t largest_held = 0;  // atoms of a part of a slice that was not drawn as a whole
};

// A chain of worlds that leaves p as it is.
class WorldChain {
 public:
  virtual ~WorldChain() = default;
  // Throws Interrupted where goes_on, which any thread may ask, says that it is to end; the chain
  // is of no use then.
  virtual void step(const StepCheck& goes_on) = 0;
  // [atoms] how probable each was in the last step, given what it drew beside them.
  virtual const std::vector<double>& shares() const = 0;
  virtual std::size_t largest_held() const = 0;
  // True if every step draws the atom anew.
  virtual bool renews(std::uint32_t atom) const {
    static_cast<void>(atom);
    return false;
  }
};

// Runs chains, each stepped by one thread at a time.  Throws Error where it is stopped before there
// are two batches to count, Interrupted where `interruption` has stopped it.
//   go_on   : asked now and then, also within a step and by any thread, one at a time, with the
//             samples so far; false ends it
//   decided : [atoms] as hard_consequences() has it
McSatResult run_chains(std::span<const std::unique_ptr<WorldChain>> chains,
                       std::span<const std::uint8_t> decided, const McSatOptions& options,
                       const std::function<bool(std::size_t)>& go_on);

// Says whether a result has converged, after changes of its errors.
void tell_convergence(McSatResult& result);
// Throws Interrupted where `interruption` is set, and else Error: nothing has been counted.
[[noreturn]] void fail_stopped();

// Adds the errors of what worlds may change that so few draws seldom meet, which run_chains() knows
// nothing of.  docs/math/markov_logic.md section 7.
//   together : [atoms] a number < atoms of those that hang together; kNoNumber: stands alone
void add_rare_worlds(std::span<const std::uint32_t> together, McSatResult& result);

}  // namespace croft
