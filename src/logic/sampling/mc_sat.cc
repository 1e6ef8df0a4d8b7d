#include "logic/sampling/mc_sat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "croft/core/error.h"
#include "logic/hard_conflict.h"
#include "logic/max_walk_sat.h"
#include "logic/network.h"
#include "logic/sampling/slice_sampler.h"
#include "logic/sampling/tied_pairs.h"
#include "logic/search/demanded_atoms.h"
#include "logic/search/hard_search.h"

namespace croft {
namespace {

constexpr double kNoError = 1e-12;  // squared, of an atom that never moved

// On clauses that are all there.
class StoreChain final : public WorldChain {
 public:
  StoreChain(const UndecidedClauses& all, const TiedPairs& pairs,
             const std::vector<std::uint8_t>& start, std::uint64_t seed)
      : clauses_(all), pairs_(pairs), walk_(all, kForbiddenCost), random_(seed) {
    walk_.set(start);
    sampler_.emplace(all, walk_);
    shares_.assign(start.begin(), start.end());
  }
  void step(const StepCheck& goes_on) override {
    sampler_->step(random_, goes_on);
    shares_ = sampler_->shares();
    pairs_.sweep(walk_, random_, goes_on);
    gibbs_sweep(clauses_, walk_, random_, shares_, kAllAtoms, goes_on);
  }
  const std::vector<double>& shares() const override { return shares_; }
  std::size_t largest_held() const override { return sampler_->largest_held(); }

 private:
  const UndecidedClauses& clauses_;
  const TiedPairs& pairs_;
  GroundWalk walk_;
  Random random_;
  std::optional<SliceSampler> sampler_;
  std::vector<double> shares_;  // [atoms] of the last step
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
    if (unknown[one] != 0 && errors[atom] * errors[atom] <= kNoError) {
      errors[atom] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  add_rare_worlds(together, result);
}

}  // namespace

std::uint64_t seed_of_chain(std::uint64_t seed, std::size_t chain) {
  return seed * 0x9e3779b97f4a7c15 + chain;
}

std::vector<std::uint8_t> allowed_world(const ClauseStore& store, std::uint64_t seed,
                                        const std::function<bool(std::size_t)>& go_on) {
  const MaxWalkSatResult found =
      max_walk_sat(store, {.until_allowed = true, .seed = seed},
                   [&](std::size_t, double) { return !go_on || go_on(0); });
  if (found.broken_hard > 0) {
    if (found.stopped) fail_stopped();
    const auto goes_on = [&] { return !go_on || go_on(0); };
    HardSearch search = search_allowed_world(store, {}, {}, goes_on);
    if (search.end == HardSearchEnd::found) return std::move(search.values);
    if (search.end == HardSearchEnd::given_up && !goes_on()) fail_stopped();
    throw Error(
        "mc-sat found no world that keeps all hard rules to begin with: the best one breaks ",
        found.broken_hard,
        " of their groundings, which does not prove that there is none; an exact method "
        "may find one, and --soft-hard needs none");
  }
  return found.values;
}

McSatResult mc_sat(const ClauseStore& store, const McSatOptions& options,
                   const std::function<bool(std::size_t)>& go_on) {
  options.validate();
  const UndecidedClauses clauses(store);
  const TiedPairs pairs(clauses);
  std::vector<std::unique_ptr<WorldChain>> chains;
  for (std::size_t c = 0; c < options.chains; ++c) {
    const std::uint64_t seed = seed_of_chain(options.seed, c);
    chains.push_back(
        std::make_unique<StoreChain>(clauses, pairs, allowed_world(store, seed, go_on), seed));
  }
  McSatResult out = run_chains(chains, clauses.decided, options, go_on);
  settle_steady(store, clauses, go_on, out);
  tell_convergence(out);
  return out;
}

}  // namespace croft
