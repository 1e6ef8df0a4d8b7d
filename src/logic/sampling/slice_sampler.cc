#include "logic/sampling/slice_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "logic/hard_conflict.h"

namespace croft {
namespace {

std::uint64_t threshold_of(double weight) {
  const double probability = -std::expm1(-std::abs(weight));
  const double scaled = std::ldexp(probability, 64);
  return scaled >= 0x1p64 ? std::numeric_limits<std::uint64_t>::max()
                          : static_cast<std::uint64_t>(scaled);
}

// A random number for each number: the last step of splitmix64.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// A share of 0 or 1 means that hard clauses leave no choice, which rounding must not say of others.
double share_of(double probability, bool has_choice) {
  if (!has_choice) return probability;
  return std::clamp(probability, std::numeric_limits<double>::min(),
                    1 - std::numeric_limits<double>::epsilon());
}

}  // namespace

SliceSampler::SliceSampler(const UndecidedClauses& clauses, GroundWalk& walk)
    : clauses_(clauses),
      walk_(walk),
      x_(walk.values()),
      share_(x_.begin(), x_.end()),
      taken_(clauses.clauses(), 0),
      open_(clauses.clauses(), 0),
      frozen_(clauses.atoms(), 0),
      block_open_(clauses.blocks(), 0),
      block_seen_(clauses.blocks(), 0),
      local_(clauses.atoms(), 0) {
  for (std::uint32_t i = 0; i < clauses.clauses(); ++i) {
    const double weight = clauses.weights[i];
    threshold_.push_back(threshold_of(weight));
    positive_.push_back(weight > 0 ? 1 : 0);
    sizes_.push_back(static_cast<std::uint32_t>(clauses.of(i).size()));
    if (weight < 0) {
      negative_.push_back(i);
    } else if (sizes_[i] == 1) {
      units_.push_back(i);
    }
  }
}

void SliceSampler::step(Random& random, const StepCheck& goes_on) {
  work_.emplace(goes_on);
  x_ = walk_.values();
  for (const std::uint32_t atom : clauses_.free) frozen_[atom] = 0;
  for (std::uint32_t b = 0; b < block_open_.size(); ++b) {
    block_open_[b] = static_cast<std::uint32_t>(clauses_.members(b).size());
    block_seen_[b] = 0;
  }
  trail_.clear();
  choose(random);
  spread();
  for (const std::uint32_t atom : trail_) share_[atom] = x_[atom];
  for (const std::uint32_t atom : clauses_.free) {
    if (frozen_[atom] != 0) continue;
    collect_part(atom);
    draw_part(random);
  }
  walk_.become(x_);
  walk_.clear_changes();
  work_.reset();
}

namespace {

constexpr double kMostSoft = kForbiddenCost / 2;  // that soft clauses cost
constexpr std::size_t kSweepWork = 16;            // of an atom whose change is drawn

// The value of a mark, drawn from all of its values, given all other atoms.
void draw_mark(const UndecidedClauses& clauses, GroundWalk& walk, Random& random,
               std::span<double> shares, std::uint32_t block, StepWork& work) {
  const auto members = clauses.members(block);
  const auto& values = walk.values();
  std::vector<double> weight;
  for (const std::uint32_t atom : members) {
    work.add(kSweepWork + clauses.uses(2 * atom).size() + clauses.uses(2 * atom + 1).size());
    if (values[atom] == 0) walk.flip(atom);  // and the one that held turns false
    weight.push_back(-walk.cost());
  }
  if (clauses.exact[block] == 0) {
    walk.flip(members.back());
    weight.push_back(-walk.cost());
  }
  const double most = *std::max_element(weight.begin(), weight.end());
  std::vector<std::uint8_t> allowed;
  double sum = 0;
  for (double& each : weight) {
    allowed.push_back(most - each < kMostSoft ? 1 : 0);
    each = std::exp(each - most);
    sum += each;
  }
  const bool has_choice = std::ranges::count(allowed, 1) > 1;
  double left = random.uniform() * sum;
  std::size_t drawn = 0;
  while (drawn + 1 < weight.size() && left >= weight[drawn]) left -= weight[drawn++];
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!shares.empty()) {
      shares[members[i]] = share_of(weight[i] / sum, has_choice && allowed[i] != 0);
    }
  }
  if (drawn < members.size() && values[members[drawn]] == 0) walk.flip(members[drawn]);
}

}  // namespace

void gibbs_sweep(const UndecidedClauses& clauses, GroundWalk& walk, Random& random,
                 std::span<double> shares, std::uint32_t atoms, const StepCheck& goes_on) {
  StepWork work(goes_on);
  for (const std::uint32_t atom : clauses.free) {
    if (atom >= atoms) break;
    work.add(kSweepWork);
    if (clauses.block_of[atom] != UndecidedClauses::kNoBlock) continue;
    const double gain = walk.gain(atom), changes = 1 / (1 + std::exp(gain));
    if (!shares.empty()) {
      const bool was_open = shares[atom] > 0 && shares[atom] < 1;  // in the slice
      shares[atom] = share_of(walk.values()[atom] != 0 ? 1 - changes : changes,
                              was_open || std::abs(gain) < kMostSoft);
    }
    if (random.uniform() >= changes) continue;
    walk.flip(atom);
    work.add(clauses.uses(2 * atom).size() + clauses.uses(2 * atom + 1).size());
  }
  for (std::uint32_t b = 0; b < clauses.blocks(); ++b) {
    const auto members = clauses.members(b);
    const bool all = std::ranges::all_of(members, [&](std::uint32_t a) { return a < atoms; });
    if (all) draw_mark(clauses, walk, random, shares, b, work);
  }
  walk.clear_changes();
}

// Without branches, which would be taken at random: half a million clauses take a millisecond.
void SliceSampler::choose(Random& random) {
  const std::uint64_t key = random.next();
  did(taken_.size());
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const bool holds_now = walk_.true_literals(i) > 0;
    const bool drawn = mixed(key + i * 0x9e3779b97f4a7c15) <= threshold_[i];
    taken_[i] = static_cast<std::uint8_t>((holds_now == (positive_[i] != 0)) & drawn);
  }
  open_ = sizes_;
  for (const std::uint32_t clause : negative_) {
    if (std::exchange(taken_[clause], 0) == 0) continue;
    for (const std::uint32_t literal : clauses_.of(clause)) freeze(literal / 2);
  }
  for (const std::uint32_t clause : units_) {
    if (taken_[clause] != 0) freeze(clauses_.of(clause)[0] / 2);
  }
  for (std::uint32_t b = 0; b < block_open_.size(); ++b) {
    if (block_open_[b] == 1 && clauses_.exact[b] != 0) freeze(clauses_.members(b)[0]);
  }
}

void SliceSampler::freeze(std::uint32_t atom) {
  if (frozen_[atom] != 0) return;
  frozen_[atom] = 1;
  trail_.push_back(atom);
}

// x keeps all that was taken; so an atom that what was taken decides keeps its value.
void SliceSampler::spread() {
  for (std::size_t next = 0; next < trail_.size(); ++next) {
    const std::uint32_t atom = trail_[next];
    const std::uint32_t literal = 2 * atom + (x_[atom] ^ 1);
    did(clauses_.uses(literal).size() + clauses_.uses(literal ^ 1).size());
    for (const std::uint32_t clause : clauses_.uses(literal)) taken_[clause] = 0;
    for (const std::uint32_t clause : clauses_.uses(literal ^ 1)) {
      if (taken_[clause] == 0 || --open_[clause] != 1) continue;
      for (const std::uint32_t last : clauses_.of(clause)) freeze(last / 2);
    }
    spread_in_block(atom);
  }
}

void SliceSampler::spread_in_block(std::uint32_t atom) {
  const std::uint32_t block = clauses_.block_of[atom];
  if (block == UndecidedClauses::kNoBlock) return;
  --block_open_[block];
  const bool all = x_[atom] != 0;
  if (!all && (clauses_.exact[block] == 0 || block_open_[block] != 1)) return;
  for (const std::uint32_t other : clauses_.members(block)) freeze(other);
}

void SliceSampler::visit(std::uint32_t atom) {
  if (frozen_[atom] != 0) return;
  frozen_[atom] = 2;
  part_.push_back(atom);
}

// The atoms, clauses and blocks that hang together with the atom.
void SliceSampler::collect_part(std::uint32_t atom) {
  part_.clear();
  part_clauses_.clear();
  part_blocks_.clear();
  visit(atom);
  for (std::size_t next = 0; next < part_.size(); ++next) {
    const std::uint32_t one = part_[next];
    for (const std::uint32_t literal : {2 * one, 2 * one + 1}) {
      did(clauses_.uses(literal).size());
      for (const std::uint32_t clause : clauses_.uses(literal)) {
        if (taken_[clause] != 1) continue;
        taken_[clause] = 2;
        part_clauses_.push_back(clause);
        for (const std::uint32_t other : clauses_.of(clause)) visit(other / 2);
      }
    }
    const std::uint32_t block = clauses_.block_of[one];
    if (block == UndecidedClauses::kNoBlock || block_seen_[block] != 0) continue;
    block_seen_[block] = 1;
    part_blocks_.push_back(block);
    for (const std::uint32_t other : clauses_.members(block)) visit(other);
  }
}

void SliceSampler::draw_part(Random& random) {
  if (part_.size() == 1) {
    x_[part_[0]] = random.next() >> 63;
    share_[part_[0]] = 0.5;
    return;
  }
  if (part_.size() > kWhole) return draw_large(random);
  small_.atoms = part_;
  draw_small(random, true);
}

void SliceSampler::draw_large(Random& random) {
  for (std::uint32_t i = 0; i < part_.size(); ++i) local_[part_[i]] = i + 1;
  large_.begin(part_.size());
  std::vector<std::uint32_t> local;
  for (const std::uint32_t clause : part_clauses_) {
    local.clear();
    for (const std::uint32_t literal : clauses_.of(clause)) {
      const std::uint32_t place = local_[literal / 2];
      if (place != 0) local.push_back(2 * (place - 1) + (literal & 1));
    }
    large_.add_clause(local);
  }
  for (const std::uint32_t block : part_blocks_) {
    local.clear();
    for (const std::uint32_t atom : clauses_.members(block)) {
      if (local_[atom] != 0) local.push_back(local_[atom] - 1);
    }
    large_.add_mark(local, clauses_.exact[block] != 0);
  }
  std::vector<std::uint8_t> values(part_.size());
  for (std::size_t i = 0; i < part_.size(); ++i) values[i] = x_[part_[i]];
  const std::size_t held = large_.draw(random, values, *work_);
  for (std::size_t i = 0; i < part_.size(); ++i) {
    local_[part_[i]] = 0;
    x_[part_[i]] = values[i];
    share_[part_[i]] = share_of(values[i], held == 0);
  }
  if (held == 0) return;
  largest_ = std::max(largest_, part_.size());
  draw_in_blocks(random);
}

// About each atom of a mark once.
void SliceSampler::draw_in_blocks(Random& random) {
  if (part_blocks_.empty()) return;
  const std::size_t draws = 1 + part_.size() / kBlock;
  for (std::size_t i = 0; i < draws; ++i) {
    did(1024);
    pick_block(random);
    draw_small(random, false);
  }
  for (const std::uint32_t atom : part_) share_[atom] = x_[atom];
}

// An atom of the part, and others that hang together with it.
void SliceSampler::pick_block(Random& random) {
  std::vector<std::uint32_t>& atoms = small_.atoms;
  atoms.assign(1, part_[random.below(part_.size())]);
  const auto take = [&](std::uint32_t atom) {
    if (frozen_[atom] == 2 && atoms.size() < kBlock &&
        std::find(atoms.begin(), atoms.end(), atom) == atoms.end()) {
      atoms.push_back(atom);
    }
  };
  for (std::size_t next = 0; next < atoms.size() && atoms.size() < kBlock; ++next) {
    const std::uint32_t one = atoms[next];
    if (const std::uint32_t block = clauses_.block_of[one]; block != UndecidedClauses::kNoBlock) {
      const auto members = clauses_.members(block);
      for (const std::uint32_t other : members) {
        if (x_[other] != 0) take(other);
      }
      take(members[random.below(members.size())]);
    }
    for (const std::uint32_t literal : {2 * one, 2 * one + 1}) {
      const auto uses = clauses_.uses(literal);
      if (uses.empty()) continue;
      const std::size_t first = random.below(uses.size());
      for (std::size_t i = 0; i < uses.size() && atoms.size() < kBlock; ++i) {
        const std::uint32_t clause = uses[(first + i) % uses.size()];
        if (taken_[clause] != 2) continue;
        for (const std::uint32_t other : clauses_.of(clause)) take(other / 2);
      }
    }
  }
}

// The atoms of small_ anew, all others given; one of the allowed values is what they have.
void SliceSampler::draw_small(Random& random, bool whole) {
  const auto count = static_cast<std::uint32_t>(small_.atoms.size());
  for (std::uint32_t i = 0; i < count; ++i) local_[small_.atoms[i]] = i + 1;
  small_.clauses.clear();
  small_.marks.clear();
  add_small_clauses(whole);
  add_small_marks(whole);
  small_.allowed.clear();
  did((small_.clauses.size() + small_.marks.size()) << count);
  for (std::uint32_t bits = 0; bits < (1u << count); ++bits) {
    const bool holds_all = std::all_of(
        small_.clauses.begin(), small_.clauses.end(),
        [&](const auto& c) { return (bits & c.first) != 0 || (~bits & c.second) != 0; });
    if (!holds_all) continue;
    const bool keeps_marks =
        std::all_of(small_.marks.begin(), small_.marks.end(), [&](const auto& mark) {
          const int held = std::popcount(bits & mark.first);
          return held == 1 || (held == 0 && !mark.second);
        });
    if (keeps_marks) small_.allowed.push_back(bits);
  }
  const std::uint32_t drawn = small_.allowed[random.below(small_.allowed.size())];
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t atom = small_.atoms[i];
    local_[atom] = 0;
    x_[atom] = drawn >> i & 1;
    if (!whole) continue;
    const auto held = std::count_if(small_.allowed.begin(), small_.allowed.end(),
                                    [&](std::uint32_t bits) { return (bits >> i & 1) != 0; });
    share_[atom] = static_cast<double>(held) / static_cast<double>(small_.allowed.size());
  }
}

// Clauses that no atom outside makes true.
void SliceSampler::add_small_clauses(bool whole) {
  const auto add = [&](std::uint32_t clause) {
    std::pair<std::uint32_t, std::uint32_t> bits{0, 0};
    for (const std::uint32_t literal : clauses_.of(clause)) {
      const std::uint32_t bit = local_[literal / 2];
      if (bit != 0) {
        ((literal & 1) != 0 ? bits.second : bits.first) |= 1u << (bit - 1);
      } else if (holds(literal)) {
        return;
      }
    }
    small_.clauses.push_back(bits);
  };
  if (whole) {
    for (const std::uint32_t clause : part_clauses_) add(clause);
    return;
  }
  for (const std::uint32_t atom : small_.atoms) {
    for (const std::uint32_t literal : {2 * atom, 2 * atom + 1}) {
      for (const std::uint32_t clause : clauses_.uses(literal)) {
        if (taken_[clause] == 2) add(clause);
      }
    }
  }
}

void SliceSampler::add_small_marks(bool whole) {
  const auto add = [&](std::uint32_t block) {
    std::uint32_t bits = 0;
    bool held_outside = false;
    for (const std::uint32_t atom : clauses_.members(block)) {
      if (local_[atom] != 0) {
        bits |= 1u << (local_[atom] - 1);
      } else {
        held_outside = held_outside || x_[atom] != 0;
      }
    }
    // One holds outside: none may hold here, which is the clause of all negations each.
    for (std::uint32_t rest = held_outside ? bits : 0; rest != 0; rest &= rest - 1) {
      small_.clauses.emplace_back(0, rest & -rest);
    }
    if (!held_outside) small_.marks.emplace_back(bits, clauses_.exact[block] != 0);
  };
  if (whole) {
    for (const std::uint32_t block : part_blocks_) add(block);
    return;
  }
  for (const std::uint32_t atom : small_.atoms) {
    const std::uint32_t block = clauses_.block_of[atom];
    if (block != UndecidedClauses::kNoBlock) add(block);
  }
}

}  // namespace croft
