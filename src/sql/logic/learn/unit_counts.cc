#include "sql/logic/learn/unit_counts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "logic/hard_conflict.h"
#include "logic/slice_sampler.h"

namespace croft {
namespace {

bool has_no_true(std::span<const std::uint32_t> clause, std::span<const std::uint8_t> world) {
  return std::ranges::none_of(
      clause, [&](std::uint32_t l) { return (world[l / 2] != 0) != ((l & 1) != 0); });
}

}  // namespace

std::vector<double> false_counts(const ClauseStore& store, std::span<const std::uint8_t> world,
                                 std::size_t units) {
  std::vector<double> counts(units, 0);
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (store.is_hard(i) || !has_no_true(store.literals(i), world)) continue;
    store.for_shares(i, [&](std::uint32_t unit, double factor) { counts[unit] += factor; });
  }
  return counts;
}

double false_score(const ClauseStore& store, std::span<const std::uint8_t> world,
                   std::span<const double> d) {
  double sum = 0;
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (store.is_hard(i) || !has_no_true(store.literals(i), world)) continue;
    store.for_shares(i, [&](std::uint32_t unit, double factor) { sum += factor * d[unit]; });
  }
  return sum;
}

RestrictedStore restrict_store(const ClauseStore& store, std::span<const std::uint8_t> known,
                               std::size_t units) {
  RestrictedStore out;
  out.constant.assign(units, 0);
  for (std::uint32_t a = 0; a < store.atoms(); ++a) {
    if (known[a] != kUndecided) continue;
    out.store.atom(a);
    out.whole.push_back(a);
  }
  const auto fail = [] {
    throw Error(
        "what is known of the world to learn from breaks a hard rule or a mark of arguments");
  };
  std::vector<std::uint32_t> literals;
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    literals.clear();
    bool holds = false;
    for (const std::uint32_t l : store.literals(i)) {
      if (known[l / 2] == kUndecided) {
        literals.push_back(2 * out.store.find_atom(l / 2) + (l & 1));
      } else {
        holds = holds || known[l / 2] != (l & 1);
      }
    }
    if (holds) continue;
    if (store.is_hard(i)) {
      if (!out.store.add(literals, kHardWeight)) fail();
      continue;
    }
    // The store turns a single negative literal, and leaves out the clause that is always false.
    const bool counts = literals.empty() || (literals.size() == 1 && (literals[0] & 1) != 0);
    std::vector<std::pair<std::uint32_t, double>> shares;
    store.for_shares(i,
                     [&](std::uint32_t unit, double factor) { shares.emplace_back(unit, factor); });
    for (const auto& [unit, factor] : shares) {
      if (counts) out.constant[unit] += factor;
      std::vector<std::uint32_t> each = literals;
      out.store.add(each, factor, unit, factor);
    }
  }
  std::vector<std::uint32_t> open;
  for (std::size_t b = 0; b < store.blocks(); ++b) {
    const AtomBlock block = store.block(b);
    open.clear();
    std::size_t held = 0;
    for (const std::uint32_t atom : block.atoms) {
      if (known[atom] == 1) ++held;
      if (known[atom] == kUndecided) open.push_back(out.store.find_atom(atom));
    }
    if (held > 1 || (held == 0 && open.empty() && block.exactly_one)) fail();
    if (held == 0 && !open.empty()) out.store.add_block(open, block.exactly_one);
    if (held == 0) continue;
    for (const std::uint32_t atom : open) {
      literals.assign(1, 2 * atom + 1);
      out.store.add(literals, kHardWeight);
    }
  }
  return out;
}

CountSampler::CountSampler(const ClauseStore& store, std::size_t units,
                           std::vector<std::vector<std::uint8_t>> start, std::uint64_t seed)
    : store_(store), units_(units), worlds_(std::move(start)) {
  for (std::size_t c = 0; c < worlds_.size(); ++c) {
    random_.emplace_back(seed * 0x9e3779b97f4a7c15 + c);
  }
}

void CountSampler::stand_at(std::span<const std::uint8_t> world) {
  for (auto& each : worlds_) each.assign(world.begin(), world.end());
}

CountSampler::Draws CountSampler::draw(std::size_t skip, std::size_t count, ThreadPool& pool) {
  const UndecidedClauses clauses(store_);
  Draws out{.rows = {}, .per_chain = count};
  out.rows.resize(count * worlds_.size());
  pool.run(worlds_.size(), [&](std::size_t c, std::size_t) {
    GroundWalk walk(clauses, kForbiddenCost);
    walk.set(worlds_[c]);
    SliceSampler sampler(clauses, walk);
    for (std::size_t i = 0; i < skip + count; ++i) {
      if (interruption.load()) return;
      sampler.step(random_[c]);
      gibbs_sweep(clauses, walk, random_[c]);
      if (i >= skip) out.rows[c * count + i - skip] = false_counts(store_, walk.values(), units_);
    }
    worlds_[c] = walk.values();
  });
  if (interruption.load()) throw Interrupted("learning was interrupted");
  return out;
}

}  // namespace croft
