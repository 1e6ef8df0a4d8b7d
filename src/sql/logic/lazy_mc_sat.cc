#include "sql/logic/lazy_mc_sat.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "croft/core/interrupt.h"
#include "logic/hard_conflict.h"
#include "logic/sampling/slice_sampler.h"

namespace croft {
namespace {

// A world as the values of the closure's atoms and a list of others that are true.
class LazyChain final : public WorldChain {
 public:
  LazyChain(const AtomSpace& space, const ClauseStore& asked, const GroundOptions& options,
            std::uint64_t seed, const std::function<bool(std::size_t)>& go_on)
      : space_(space),
        asked_(asked),
        goes_on_([&go_on] { return !go_on || go_on(0); }),
        options_(with_stop(options)),
        grounder_(space, options_, LazyGrounder::For::draws),
        size_(static_cast<std::uint32_t>(grounder_.closure().atoms())),
        number_(size_),
        values_(allowed_world(grounder_.closure(), seed, go_on)),
        random_(seed),
        shares_(asked.atoms(), 0),
        in_closure_(asked.atoms(), 0) {
    for (std::uint32_t a = 0; a < size_; ++a) {
      const std::uint64_t key = grounder_.closure().key(a);
      number_[a] = key == KeyMap::kFree ? kNoNumber : asked.find_atom(key);
      if (number_[a] == kNoNumber) continue;
      shares_[number_[a]] = values_[a];
      in_closure_[number_[a]] = 1;
    }
  }

  void step(const StepCheck& goes_on) override {
    goes_on_ = goes_on;
    std::vector<std::uint64_t> beside = true_;
    for (std::uint32_t p = 0; p < space_.network().predicates.size(); ++p) release(p, beside);
    const ClauseStore store = grounder_.with(beside);
    const UndecidedClauses clauses(store);
    std::vector<std::uint8_t> world = values_;
    world.resize(store.atoms(), 0);
    std::fill_n(world.begin() + size_, true_.size(), 1);
    GroundWalk walk(clauses, kForbiddenCost);
    walk.set(world);
    SliceSampler sampler(clauses, walk);
    sampler.step(random_, goes_on);
    std::vector<double> drawn = sampler.shares();
    largest_ = std::max(largest_, sampler.largest_held());
    // What holds the others is not among the clauses, and they stay as they are.
    gibbs_sweep(clauses, walk, random_, drawn, size_, goes_on);
    std::copy_n(walk.values().begin(), size_, values_.begin());
    true_.clear();
    for (const std::uint32_t number : shown_) shares_[number] = 0;
    shown_.clear();
    for (std::uint32_t a = 0; a < store.atoms(); ++a) {
      const bool is_beside = a >= size_;
      const std::uint32_t number = is_beside ? asked_.find_atom(beside[a - size_]) : number_[a];
      if (number != kNoNumber) shares_[number] = drawn[a];
      if (!is_beside) continue;
      if (number != kNoNumber) shown_.push_back(number);
      if (walk.values()[a] != 0) true_.push_back(beside[a - size_]);
    }
  }
  const std::vector<double>& shares() const override { return shares_; }
  std::size_t largest_held() const override { return largest_; }
  bool renews(std::uint32_t atom) const override { return in_closure_[atom] == 0; }

 private:
  GroundOptions with_stop(GroundOptions options) {
    options.go_on = [this] { return !goes_on_ || goes_on_(); };
    return options;
  }

  // Of the false atoms outside the closure those whose !A is not taken, each with the probability
  // exp(-w); what is between two of them is drawn at once.
  void release(std::uint32_t predicate, std::vector<std::uint64_t>& out) {
    const double held = grounder_.held(predicate);
    if (!space_.is_open(predicate) || held == 0 || std::isinf(held)) return;
    const double log_kept = std::log(-std::expm1(-held));
    const std::uint64_t begin = space_.first(predicate), end = begin + space_.atoms(predicate);
    const auto ends = static_cast<double>(end - begin);
    for (double at = 0;; ++at) {
      at += std::floor(std::log(1 - random_.uniform()) / log_kept);
      if (!(at < ends)) return;
      const std::uint64_t key = begin + static_cast<std::uint64_t>(at);
      if (space_.truth(predicate, key) != Truth::unknown) continue;
      if (grounder_.closure().find_atom(key) != KeyMap::kNone) continue;
      if (std::find(true_.begin(), true_.end(), key) == true_.end()) out.push_back(key);
    }
  }

  const AtomSpace& space_;
  const ClauseStore& asked_;
  StepCheck goes_on_;  // of the step
  const GroundOptions options_;
  LazyGrounder grounder_;
  const std::uint32_t size_;           // atoms of the closure
  std::vector<std::uint32_t> number_;  // [size_] of the atoms that are asked for
  std::vector<std::uint8_t> values_;   // [size_]
  std::vector<std::uint64_t> true_;    // beside them
  Random random_;
  std::vector<double> shares_;            // [atoms that are asked for]
  std::vector<std::uint8_t> in_closure_;  // [atoms that are asked for]
  std::vector<std::uint32_t> shown_;      // of these, those beside the closure that are not 0
  std::size_t largest_ = 0;
};

}  // namespace

McSatResult lazy_mc_sat(const AtomSpace& space, const ClauseStore& store,
                        const GroundOptions& options, const McSatOptions& how,
                        const std::function<bool(std::size_t)>& go_on) {
  how.validate();
  std::vector<std::unique_ptr<WorldChain>> chains;
  try {
    for (std::size_t c = 0; c < how.chains; ++c) {
      chains.push_back(
          std::make_unique<LazyChain>(space, store, options, seed_of_chain(how.seed, c), go_on));
    }
  } catch (const Interrupted&) {
    fail_stopped();
  }
  McSatResult out =
      run_chains(chains, std::vector<std::uint8_t>(store.atoms(), kUndecided), how, go_on);
  // A step may ground clauses that tie any atom to any other one.
  add_rare_worlds(std::vector<std::uint32_t>(store.atoms(), 0), out);
  return out;
}

}  // namespace croft
