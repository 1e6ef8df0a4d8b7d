#include "sql/logic/learn/unit_counts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "logic/hard_conflict.h"
#include "logic/sampling/slice_sampler.h"

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

std::size_t draw_binomial(std::size_t n, double p, Random& random) {
  const bool rare = p <= 0.5;
  const double log_other = std::log1p(-(rare ? p : 1 - p));
  const auto size = static_cast<double>(n);
  std::size_t count = 0;
  if (log_other < 0) {
    for (double at = 0;; ++at, ++count) {
      at += std::floor(std::log(1 - random.uniform()) / log_other);
      if (!(at < size)) break;
    }
  }
  return rare ? count : n - count;
}

CountSampler::CountSampler(const ClauseStore& store, std::size_t units,
                           std::vector<std::vector<std::uint8_t>> start, std::uint64_t seed)
    : store_(store), units_(units), worlds_(start.size()) {
  find_alike();
  for (std::size_t c = 0; c < worlds_.size(); ++c) {
    random_.emplace_back(seed * 0x9e3779b97f4a7c15 + c);
    for (const std::uint32_t atom : whole_) worlds_[c].push_back(start[c][atom]);
  }
}

// Splits the store's clauses.
void CountSampler::find_alike() {
  std::vector<bool> alone(store_.atoms(), true);
  for (std::size_t i = 0; i < store_.clauses(); ++i) {
    const auto literals = store_.literals(i);
    if (literals.size() == 1 && !store_.is_hard(i)) continue;  // soft: of one sign for each atom
    for (const std::uint32_t literal : literals) alone[literal / 2] = false;
  }
  for (std::size_t b = 0; b < store_.blocks(); ++b) {
    for (const std::uint32_t atom : store_.block(b).atoms) alone[atom] = false;
  }
  for (std::uint32_t a = 0; a < store_.atoms(); ++a) {
    if (alone[a]) continue;
    coupled_.atom(a);
    whole_.push_back(a);
  }
  std::map<std::vector<std::pair<std::uint32_t, double>>, std::size_t> groups;
  std::vector<std::pair<std::uint32_t, double>> shares;
  for (std::size_t i = 0; i < store_.clauses(); ++i) {
    if (!alone[store_.literals(i)[0] / 2]) {
      add_coupled(i);
      continue;
    }
    shares.clear();
    store_.for_shares(
        i, [&](std::uint32_t unit, double factor) { shares.emplace_back(unit, factor); });
    std::ranges::sort(shares);
    const auto [at, is_new] = groups.try_emplace(shares, alike_.size());
    if (is_new) alike_.push_back({i, 0});
    ++alike_[at->second].count;
  }
  std::vector<std::uint32_t> members;
  for (std::size_t b = 0; b < store_.blocks(); ++b) {
    const AtomBlock block = store_.block(b);
    members.clear();
    for (const std::uint32_t atom : block.atoms) members.push_back(coupled_.find_atom(atom));
    coupled_.add_block(members, block.exactly_one);
  }
}

void CountSampler::add_coupled(std::size_t clause) {
  std::vector<std::uint32_t> literals;
  for (const std::uint32_t l : store_.literals(clause)) {
    literals.push_back(2 * coupled_.find_atom(l / 2) + (l & 1));
  }
  const std::size_t before = coupled_.clauses();
  if (store_.is_hard(clause)) coupled_.add(literals, kHardWeight);
  store_.for_shares(clause, [&](std::uint32_t unit, double factor) {
    if (store_.is_hard(clause)) return;
    std::vector<std::uint32_t> each = literals;
    coupled_.add(each, factor, unit, factor);
  });
  if (coupled_.clauses() > before) origin_.push_back(clause);
}

void CountSampler::add_alike(Random& random, std::vector<double>& row) const {
  for (const Alike& each : alike_) {
    const double p = 1 / (1 + std::exp(store_.weight(each.clause)));  // that the atom is false
    const auto count = static_cast<double>(draw_binomial(each.count, p, random));
    store_.for_shares(each.clause,
                      [&](std::uint32_t unit, double factor) { row[unit] += factor * count; });
  }
}

void CountSampler::stand_at(std::span<const std::uint8_t> world) {
  for (auto& each : worlds_) {
    for (std::size_t a = 0; a < whole_.size(); ++a) each[a] = world[whole_[a]];
  }
}

CountSampler::Draws CountSampler::draw(std::size_t skip, std::size_t count, ThreadPool& pool) {
  for (std::size_t i = 0; i < origin_.size(); ++i) {
    if (!coupled_.is_hard(i)) coupled_.set_weight(i, store_.weight(origin_[i]));
  }
  const UndecidedClauses clauses(coupled_);
  Draws out{.rows = {}, .per_chain = count};
  out.rows.resize(count * worlds_.size());
  pool.run(worlds_.size(), [&](std::size_t c, std::size_t) {
    GroundWalk walk(clauses, kForbiddenCost);
    walk.set(worlds_[c]);
    SliceSampler sampler(clauses, walk);
    for (std::size_t i = 0; i < skip + count; ++i) {
      if (interruption.load()) return;
      if (!whole_.empty()) {
        sampler.step(random_[c]);
        gibbs_sweep(clauses, walk, random_[c]);
      }
      if (i < skip) continue;
      std::vector<double>& row = out.rows[c * count + i - skip];
      row = false_counts(coupled_, walk.values(), units_);
      add_alike(random_[c], row);
    }
    worlds_[c] = walk.values();
  });
  if (interruption.load()) throw Interrupted("learning was interrupted");
  return out;
}

}  // namespace croft
