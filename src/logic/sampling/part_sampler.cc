#include "logic/sampling/part_sampler.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace croft {
namespace {

constexpr std::uint32_t kOpenAtom = 0xffffffff, kHeldAtom = 0xfffffffe;
constexpr std::size_t kMostTied = 24;  // atoms of a clause or mark in the graph
constexpr int kCandidates = 4;         // of which the one with the most neighbours is held

}  // namespace

void PartSampler::begin(std::size_t atoms) {
  atoms_ = atoms;
  clause_begin_.assign(1, 0);
  clause_literals_.clear();
  clause_atoms_.clear();
  mark_begin_.assign(1, 0);
  mark_atoms_.clear();
  mark_exact_.clear();
}

void PartSampler::add_clause(std::span<const std::uint32_t> literals) {
  for (const std::uint32_t literal : literals) {
    clause_literals_.push_back(literal);
    clause_atoms_.push_back(literal / 2);
  }
  clause_begin_.push_back(clause_literals_.size());
}

void PartSampler::add_mark(std::span<const std::uint32_t> atoms, bool exact) {
  mark_atoms_.insert(mark_atoms_.end(), atoms.begin(), atoms.end());
  mark_begin_.push_back(mark_atoms_.size());
  mark_exact_.push_back(exact ? 1 : 0);
}

// Strongly connected literals of the implications (Tarjan 1972).
void PartSampler::find_leaders(const std::vector<std::vector<std::uint32_t>>& implied) {
  const auto literals = static_cast<std::uint32_t>(implied.size());
  std::vector<std::uint32_t> number(literals, 0), low(literals, 0), open, path;
  std::vector<std::size_t> next(literals, 0);
  std::vector<std::uint8_t> is_open(literals, 0);
  std::uint32_t count = 0;
  const auto enter = [&](std::uint32_t literal) {
    number[literal] = low[literal] = ++count;
    open.push_back(literal);
    is_open[literal] = 1;
    path.push_back(literal);
  };
  for (std::uint32_t root = 0; root < literals; ++root) {
    if (number[root] == 0) enter(root);
    while (!path.empty()) {
      const std::uint32_t here = path.back();
      if (next[here] < implied[here].size()) {
        const std::uint32_t there = implied[here][next[here]++];
        if (number[there] == 0) {
          enter(there);
        } else if (is_open[there] != 0) {
          low[here] = std::min(low[here], number[there]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[here]);
      if (low[here] != number[here]) continue;
      const auto first = std::find(open.begin(), open.end(), here);
      const std::uint32_t leader = *std::min_element(first, open.end());
      for (auto each = first; each != open.end(); ++each) {
        leader_[*each] = leader;
        is_open[*each] = 0;
      }
      open.erase(first, open.end());
    }
  }
}

// Leaders in place of literals.  Atoms of marks stand for themselves.
void PartSampler::merge_equal() {
  leader_.resize(2 * atoms_);
  std::iota(leader_.begin(), leader_.end(), 0);
  std::vector<std::uint8_t> is_marked(atoms_, 0);
  for (const std::uint32_t atom : mark_atoms_) is_marked[atom] = 1;
  std::vector<std::vector<std::uint32_t>> implied(2 * atoms_);
  for (std::size_t c = 0; c < clauses(); ++c) {
    const auto literals = clause_literals(c);
    if (literals.size() != 2) continue;
    const std::uint32_t a = literals[0], b = literals[1];
    if (is_marked[a / 2] != 0 || is_marked[b / 2] != 0) continue;
    implied[a ^ 1].push_back(b);
    implied[b ^ 1].push_back(a);
  }
  find_leaders(implied);
  const std::vector<std::uint32_t> before = std::exchange(clause_literals_, {});
  const std::vector<std::uint64_t> begin = std::exchange(clause_begin_, {0});
  clause_atoms_.clear();
  std::vector<std::uint32_t> clause;
  for (std::size_t c = 0; c + 1 < begin.size(); ++c) {
    clause.clear();
    for (std::uint64_t i = begin[c]; i < begin[c + 1]; ++i) clause.push_back(leader_[before[i]]);
    std::sort(clause.begin(), clause.end());
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    bool holds = false;
    for (std::size_t i = 0; i + 1 < clause.size(); ++i) {
      holds = holds || (clause[i] ^ 1) == clause[i + 1];
    }
    if (!holds) add_clause(clause);
  }
}

void PartSampler::connect(std::uint32_t a, std::uint32_t b) {
  if (a == b || step_of_[a] != kOpenAtom || step_of_[b] != kOpenAtom) return;
  std::vector<std::uint32_t>& list = neighbours_[a];
  work_->add(list.size());
  if (std::find(list.begin(), list.end(), b) != list.end()) return;
  list.push_back(b);
  neighbours_[b].push_back(a);
}

void PartSampler::remove(std::uint32_t atom) {
  for (const std::uint32_t other : neighbours_[atom]) {
    std::vector<std::uint32_t>& list = neighbours_[other];
    work_->add(list.size());
    *std::find(list.begin(), list.end(), atom) = list.back();
    list.pop_back();
  }
}

// Holds all but a few atoms, drawn at random, of a part of many.
void PartSampler::hold_many(Random& random, std::span<const std::uint32_t> atoms) {
  if (atoms.size() <= kMostTied) return;
  std::vector<std::uint32_t> open;
  for (const std::uint32_t atom : atoms) {
    if (step_of_[atom] == kOpenAtom) open.push_back(atom);
  }
  for (; open.size() > kWidth; open.pop_back()) {
    std::swap(open[random.below(open.size())], open.back());
    step_of_[open.back()] = kHeldAtom;
  }
}

void PartSampler::connect_all(std::span<const std::uint32_t> atoms) {
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) connect(atoms[i], atoms[k]);
  }
}

void PartSampler::make_graph(Random& random) {
  neighbours_.assign(atoms_, {});
  step_of_.assign(atoms_, kOpenAtom);
  for (std::uint32_t a = 0; a < atoms_; ++a) {
    if (leader_[2 * a] / 2 != a) step_of_[a] = kHeldAtom;  // its leader speaks for it
  }
  for (std::size_t c = 0; c < clauses(); ++c) hold_many(random, clause(c));
  for (std::size_t m = 0; m < marks(); ++m) hold_many(random, mark(m));
  for (std::size_t c = 0; c < clauses(); ++c) connect_all(clause(c));
  for (std::size_t m = 0; m < marks(); ++m) connect_all(mark(m));
}

// Picks the one with the most neighbours of a few open atoms that are drawn at random.
std::uint32_t PartSampler::pick_held(Random& random, std::vector<std::uint32_t>& left) const {
  work_->add(left.size());
  std::erase_if(left, [&](std::uint32_t atom) { return step_of_[atom] != kOpenAtom; });
  std::uint32_t best = left[random.below(left.size())];
  for (int i = 1; i < kCandidates; ++i) {
    const std::uint32_t other = left[random.below(left.size())];
    if (neighbours_[other].size() > neighbours_[best].size()) best = other;
  }
  return best;
}

void PartSampler::order(Random& random) {
  make_graph(random);
  steps_.clear();
  // Degrees, and what decides between equal ones; entries that are no longer true are passed over.
  using Entry = std::tuple<std::size_t, std::uint64_t, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto note = [&](std::uint32_t atom) {
    queue.emplace(neighbours_[atom].size(), random.next(), atom);
  };
  std::vector<std::uint32_t> left;
  for (std::uint32_t a = 0; a < atoms_; ++a) {
    if (step_of_[a] != kOpenAtom) continue;
    left.push_back(a);
    note(a);
  }
  while (!queue.empty()) {
    const auto [degree, tie, next] = queue.top();
    queue.pop();
    if (step_of_[next] != kOpenAtom || degree != neighbours_[next].size()) continue;
    const bool holds = degree > kWidth;
    const std::uint32_t atom = holds ? pick_held(random, left) : next;
    std::vector<std::uint32_t> scope = neighbours_[atom];
    step_of_[atom] = holds ? kHeldAtom : static_cast<std::uint32_t>(steps_.size());
    remove(atom);
    if (!holds) connect_all(scope);
    for (const std::uint32_t other : scope) note(other);
    if (holds) {
      if (atom != next) note(next);
      continue;
    }
    scope.push_back(atom);
    steps_.push_back({.atom = atom, .scope = std::move(scope)});
  }
  // Neighbours that were held later on.
  for (Step& step : steps_) {
    std::erase_if(step.scope, [&](std::uint32_t atom) { return step_of_[atom] == kHeldAtom; });
  }
}

std::uint32_t PartSampler::bit_of(const Step& step, std::uint32_t atom) {
  const auto place = std::find(step.scope.begin(), step.scope.end(), atom);
  return 1u << (place - step.scope.begin());
}

// Clauses and marks that held atoms leave open stand where their first atom is eliminated.
void PartSampler::place(std::span<const std::uint8_t> x) {
  for (std::size_t c = 0; c < clauses(); ++c) {
    work_->add(clause(c).size());
    std::uint32_t first = kHeldAtom;
    bool holds = false;
    for (const std::uint32_t literal : clause_literals(c)) {
      const std::uint32_t atom = literal / 2;
      first = std::min(first, step_of_[atom]);
      holds = holds || (step_of_[atom] == kHeldAtom && x[atom] != (literal & 1));
    }
    if (holds || first == kHeldAtom) continue;
    Bits bits;
    for (const std::uint32_t literal : clause_literals(c)) {
      if (step_of_[literal / 2] == kHeldAtom) continue;
      ((literal & 1) != 0 ? bits.negative : bits.positive) |= bit_of(steps_[first], literal / 2);
    }
    steps_[first].clauses.push_back(bits);
  }
  for (std::size_t m = 0; m < marks(); ++m) {
    std::uint32_t first = kHeldAtom;
    bool held = false;
    for (const std::uint32_t atom : mark(m)) {
      first = std::min(first, step_of_[atom]);
      held = held || (step_of_[atom] == kHeldAtom && x[atom] != 0);
    }
    if (first == kHeldAtom) continue;
    std::uint32_t members = 0;
    for (const std::uint32_t atom : mark(m)) {
      if (step_of_[atom] != kHeldAtom) members |= bit_of(steps_[first], atom);
    }
    steps_[first].marks.push_back({members, held ? 0 : 1, mark_exact_[m] != 0 && !held});
  }
}

double PartSampler::Step::weight(std::uint32_t bits) const {
  for (const Bits& each : clauses) {
    if ((bits & each.positive) == 0 && (~bits & each.negative) == 0) return 0;
  }
  for (const Mark& each : marks) {
    const int held = std::popcount(bits & each.members);
    if (held > each.most || (each.exact && held == 0)) return 0;
  }
  double product = 1;
  for (const Message& each : messages) {
    std::uint32_t index = 0;
    for (std::size_t i = 0; i < each.bits.size(); ++i) {
      index |= (bits >> each.bits[i] & 1) << i;
    }
    product *= each.values[index];
  }
  return product;
}

// From the first step to the last: each hands what it sums to on to where its next atom is
// eliminated.
void PartSampler::sum_out() {
  for (Step& step : steps_) {
    const std::size_t others = step.scope.size() - 1;
    if (others == 0) continue;
    Message out;
    out.values.resize(std::size_t{1} << others);
    work_->add((step.clauses.size() + step.marks.size() + step.messages.size() + 1)
               << step.scope.size());
    double most = 0;
    for (std::uint32_t bits = 0; bits < out.values.size(); ++bits) {
      out.values[bits] = step.weight(bits) + step.weight(bits | 1u << others);
      most = std::max(most, out.values[bits]);
    }
    for (double& each : out.values) each /= most;
    std::uint32_t next = kHeldAtom;
    for (std::size_t i = 0; i < others; ++i) next = std::min(next, step_of_[step.scope[i]]);
    for (std::size_t i = 0; i < others; ++i) {
      out.bits.push_back(
          static_cast<std::uint8_t>(std::countr_zero(bit_of(steps_[next], step.scope[i]))));
    }
    steps_[next].messages.push_back(std::move(out));
  }
}

std::size_t PartSampler::draw(Random& random, std::span<std::uint8_t> x, StepWork& work) {
  work_ = &work;
  merge_equal();
  order(random);
  place(x);
  sum_out();
  for (std::size_t k = steps_.size(); k-- > 0;) {
    const Step& step = steps_[k];
    const std::size_t others = step.scope.size() - 1;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < others; ++i) bits |= std::uint32_t{x[step.scope[i]]} << i;
    const double no = step.weight(bits), yes = step.weight(bits | 1u << others);
    x[step.atom] = random.uniform() * (no + yes) < yes ? 1 : 0;
  }
  std::size_t leaders = 0;
  for (std::uint32_t a = 0; a < atoms_; ++a) {
    const std::uint32_t leader = leader_[2 * a];
    if (leader / 2 == a) {
      ++leaders;
    } else {
      x[a] = x[leader / 2] != (leader & 1) ? 1 : 0;
    }
  }
  return leaders - steps_.size();
}

}  // namespace croft
