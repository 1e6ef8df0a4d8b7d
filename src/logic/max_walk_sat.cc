#include "logic/max_walk_sat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "logic/ground_walk.h"
#include "logic/search/hard_search.h"

namespace croft {
namespace {

constexpr std::size_t kSampled = 50;  // of the changes that help: the best of so many is taken
constexpr std::size_t kBetweenCalls = 4096;
constexpr double kLess = 1e-9;  // a lower cost: more than what sums of weights lose

class Walker {
 public:
  Walker(const ClauseStore& store, const MaxWalkSatOptions& options,
         const std::function<bool(std::size_t, double)>& go_on)
      : options_(options),
        go_on_(go_on),
        clauses_(store),
        walk_(clauses_),
        last_change_(store.atoms(), 0),
        random_(options.seed) {}

  //   start : where to begin; empty: from no true atom, or until_allowed from a random world
  MaxWalkSatResult run(std::vector<std::uint8_t> start = {}) {
    if (start.empty()) start.assign(last_change_.size(), 0);
    if (options_.until_allowed) {
      for (std::uint8_t& value : start) value = random_.next() >> 63;
    }
    walk_.set(start);
    take_best();
    const std::size_t tries = std::max<std::size_t>(options_.tries, 1);
    for (std::size_t i = 0; i < tries && !done(); ++i) {
      if (i > 0) begin_again();
      const std::size_t end = options_.flips * (i + 1) / tries;
      while (flips_ < end && !done()) step();
    }
    return {.values = std::move(best_),
            .broken_hard = best_hard_,
            .cost = 0,
            .flips = flips_,
            .flips_to_best = flips_to_best_,
            .stopped = stopped_};
  }

 private:
  std::size_t costly() const { return walk_.costly(false) + walk_.costly(true); }
  bool done() const {
    return stopped_ || costly() == 0 || walk_.free_atoms().empty() ||
           (options_.until_allowed && walk_.broken_hard() == 0);
  }

  // Back to the best world, with one in a hundred atoms of its costly clauses changed.
  void begin_again() {
    walk_.set(best_);
    const std::size_t changes = 1 + walk_.free_atoms().size() / 100;
    for (std::size_t i = 0; i < changes && costly() > 0; ++i) {
      const auto [hard, place] = any_costly();
      const auto literals = walk_.costly_literals(hard, place);
      change(literals[random_.below(literals.size())] / 2);
    }
  }

  void step() {
    std::uint32_t atom = kNone;
    if (!walk_.falling().empty()) atom = best_of_falling();
    if (atom == kNone) atom = of_costly_clause();
    if (atom != kNone) change(atom);
    ++flips_;
    if (flips_ % kBetweenCalls == 0 && go_on_ && !go_on_(flips_, best_cost_)) stopped_ = true;
  }

  bool is_tabu(std::uint32_t atom) const {
    return last_change_[atom] != 0 && flips_ < last_change_[atom] + options_.tabu;
  }

  std::uint32_t best_of_falling() {
    std::uint32_t best = kNone;
    double best_gain = -kLess;
    for (std::size_t i = 0; i < kSampled && !walk_.falling().empty(); ++i) {
      const std::size_t place = random_.below(walk_.falling().size());
      const std::uint32_t atom = walk_.falling()[place];
      const double gain = walk_.can_flip(atom) ? walk_.gain(atom) : 0;
      if (gain >= -kLess) {
        walk_.forget_falling(place);
      } else if (gain < best_gain && (!is_tabu(atom) || walk_.cost() + gain < best_cost_ - kLess)) {
        best = atom;
        best_gain = gain;
      }
    }
    return best;
  }

  // A broken hard clause, where there is one.
  std::pair<bool, std::size_t> any_costly() {
    const bool hard = walk_.costly(true) > 0;
    return {hard, random_.below(walk_.costly(hard))};
  }

  std::uint32_t of_costly_clause() {
    if (costly() == 0) return kNone;
    const auto [hard, place] = any_costly();
    const auto literals = walk_.costly_literals(hard, place);
    const bool as_true = walk_.costs_as_true(hard, place);
    if (random_.uniform() < options_.noise) {
      const std::uint32_t literal = literals[random_.below(literals.size())];
      return may_help(literal, as_true) ? literal / 2 : kNone;
    }
    std::uint32_t best = kNone;
    double best_gain = std::numeric_limits<double>::infinity();
    for (const std::uint32_t literal : literals) {
      if (!may_help(literal, as_true) || is_tabu(literal / 2)) continue;
      const double gain = walk_.gain(literal / 2);
      if (gain < best_gain) {
        best = literal / 2;
        best_gain = gain;
      }
    }
    return best;
  }
  bool may_help(std::uint32_t literal, bool as_true) const {
    const bool is_true = walk_.values()[literal / 2] != (literal & 1);
    return is_true == as_true && walk_.can_flip(literal / 2);
  }

  void change(std::uint32_t atom) {
    if (!walk_.can_flip(atom)) return;
    walk_.flip(atom);
    last_change_[atom] = flips_ + 1;
    if (is_best()) take_best();
  }

  bool is_best() const {
    if (walk_.broken_hard() != best_hard_) return walk_.broken_hard() < best_hard_;
    return walk_.soft_cost() < best_soft_ - kLess;
  }

  void take_best() {
    if (best_.empty()) {
      best_ = walk_.values();
    } else {
      for (const std::uint32_t atom : walk_.changes()) best_[atom] = walk_.values()[atom];
    }
    walk_.clear_changes();
    best_cost_ = walk_.cost();
    best_hard_ = walk_.broken_hard();
    best_soft_ = walk_.soft_cost();
    flips_to_best_ = flips_;
  }

  static constexpr std::uint32_t kNone = 0xffffffff;

  const MaxWalkSatOptions& options_;
  const std::function<bool(std::size_t, double)>& go_on_;
  const UndecidedClauses clauses_;
  GroundWalk walk_;
  std::vector<std::size_t> last_change_;  // [atoms] 1 + the change before; 0: never
  Random random_;
  std::vector<std::uint8_t> best_;
  double best_cost_ = 0, best_soft_ = 0;
  std::size_t best_hard_ = 0, flips_ = 0, flips_to_best_ = 0;
  bool stopped_ = false;
};

}  // namespace

void MaxWalkSatOptions::validate() const {
  if (flips == 0) throw UsageError("flips: 0 is less than 1");
  if (!(noise >= 0 && noise <= 1)) throw UsageError("noise is a number from 0 to 1");
}

MaxWalkSatResult max_walk_sat(const ClauseStore& store, const MaxWalkSatOptions& options,
                              const std::function<bool(std::size_t, double)>& go_on) {
  options.validate();
  MaxWalkSatResult result = Walker(store, options, go_on).run();
  if (result.broken_hard > 0 && !result.stopped && !options.until_allowed) {
    // Once more from a world that a search finds: it, at least, keeps all hard clauses.
    HardSearch search = search_allowed_world(store);
    if (search.end == HardSearchEnd::found) {
      result = Walker(store, options, go_on).run(std::move(search.values));
    }
  }
  result.cost = result.broken_hard == 0 ? store.cost(result.values) : kHardWeight;
  return result;
}

}  // namespace croft
