#include "logic/search/hard_search.h"

#include <algorithm>
#include <utility>

#include "croft/core/interrupt.h"

namespace croft {
namespace {

constexpr std::uint8_t kUnset = 2;
constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::size_t kFirstRestart = 100;  // conflicts

// Atoms by how often conflicts met them of late, the largest first.
class ActivityHeap {
 public:
  explicit ActivityHeap(std::size_t atoms) : activity_(atoms, 0), place_(atoms, kNone) {}

  bool empty() const { return heap_.empty(); }
  void insert(std::uint32_t atom) {
    if (place_[atom] != kNone) return;
    place_[atom] = static_cast<std::uint32_t>(heap_.size());
    heap_.push_back(atom);
    rise(place_[atom]);
  }
  std::uint32_t take_first() {
    const std::uint32_t first = heap_.front();
    place_[first] = kNone;
    const std::uint32_t last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      heap_[0] = last;
      place_[last] = 0;
      sink();
    }
    return first;
  }
  void bump(std::uint32_t atom) {
    activity_[atom] += step_;
    if (activity_[atom] > 1e100) {
      for (double& each : activity_) each *= 1e-100;
      step_ *= 1e-100;
    }
    if (place_[atom] != kNone) rise(place_[atom]);
  }
  void forget_a_little() { step_ /= 0.95; }

 private:
  void rise(std::uint32_t at) {
    const std::uint32_t atom = heap_[at];
    while (at > 0 && activity_[heap_[(at - 1) / 2]] < activity_[atom]) {
      heap_[at] = heap_[(at - 1) / 2];
      place_[heap_[at]] = at;
      at = (at - 1) / 2;
    }
    heap_[at] = atom;
    place_[atom] = at;
  }
  void sink() {
    std::uint32_t at = 0;
    const std::uint32_t atom = heap_[0];
    while (2 * at + 1 < heap_.size()) {
      std::uint32_t child = 2 * at + 1;
      if (child + 1 < heap_.size() && activity_[heap_[child + 1]] > activity_[heap_[child]]) {
        ++child;
      }
      if (activity_[heap_[child]] <= activity_[atom]) break;
      heap_[at] = heap_[child];
      place_[heap_[at]] = at;
      at = child;
    }
    heap_[at] = atom;
    place_[atom] = at;
  }

  std::vector<double> activity_;
  std::vector<std::uint32_t> heap_, place_;
  double step_ = 1;
};

class HardSolver {
 public:
  HardSolver(const ClauseStore& store, const HardSearchLimits& limits,
             const std::function<bool(std::size_t)>& keep, const std::function<bool()>& go_on)
      : store_(store),
        limits_(limits),
        go_on_(go_on),
        watches_(2 * store.atoms()),
        blocks_of_(store.atoms()),
        value_(store.atoms(), kUnset),
        phase_(store.atoms(), 0),
        level_(store.atoms(), 0),
        reason_(store.atoms(), kNone),
        cause_(store.atoms(), kNone),
        met_(store.atoms(), 0),
        heap_(store.atoms()) {
    std::vector<std::uint32_t> literals;
    for (std::size_t i = 0; i < store.clauses(); ++i) {
      if (!store.is_hard(i) || (keep && !keep(i))) continue;
      literals.assign(store.literals(i).begin(), store.literals(i).end());
      add(literals);
    }
    for (std::uint32_t b = 0; b < store.blocks(); ++b) {
      literals.clear();
      for (const std::uint32_t atom : store.block(b).atoms) {
        blocks_of_[atom].push_back(b);
        heap_.insert(atom);
        literals.push_back(2 * atom);
      }
      if (store.block(b).exactly_one) add(literals);
    }
  }

  HardSearch search() {
    std::size_t restart = kFirstRestart, until = restart;
    while (!contradiction_) {
      if (const std::uint32_t conflict = spread(); conflict != kNone) {
        if (levels_.empty()) break;
        if (++conflicts_ > limits_.conflicts) return {};
        learn(conflict);
        continue;
      }
      if (contradiction_) break;
      if (steps_ > limits_.steps || !goes_on()) return {};
      if (interruption.load()) throw Interrupted("the search for an allowed world was interrupted");
      if (conflicts_ >= until) {
        restart += restart / 2;
        until = conflicts_ + restart;
        back_to(0);
      }
      if (!decide()) return {HardSearchEnd::found, world()};
    }
    return {HardSearchEnd::none, {}};
  }

 private:
  static constexpr std::size_t kBetweenAsks = 1 << 18;  // steps

  bool goes_on() {
    if (!go_on_ || steps_ < asked_ + kBetweenAsks) return true;
    asked_ = steps_;
    return go_on_();
  }

  bool is_true(std::uint32_t literal) const { return value_[literal / 2] == ((literal & 1) ^ 1); }
  bool is_false(std::uint32_t literal) const { return value_[literal / 2] == (literal & 1); }

  std::vector<std::uint8_t> world() const {
    std::vector<std::uint8_t> out = value_;
    for (std::uint8_t& each : out) each = each == 1 ? 1 : 0;
    return out;
  }

  // The first two literals are watched.  A clause of one literal holds at level 0.
  std::uint32_t add(const std::vector<std::uint32_t>& literals) {
    if (literals.empty()) {
      contradiction_ = true;
      return kNone;
    }
    for (const std::uint32_t literal : literals) heap_.insert(literal / 2);
    if (literals.size() == 1) {
      if (is_false(literals[0])) contradiction_ = true;
      if (value_[literals[0] / 2] == kUnset) set(literals[0], kNone, kNone);
      return kNone;
    }
    const auto number = static_cast<std::uint32_t>(begin_.size() - 1);
    literals_.insert(literals_.end(), literals.begin(), literals.end());
    begin_.push_back(literals_.size());
    watches_[literals[0]].push_back(number);
    watches_[literals[1]].push_back(number);
    return number;
  }

  void set(std::uint32_t literal, std::uint32_t clause, std::uint32_t cause) {
    const std::uint32_t atom = literal / 2;
    value_[atom] = (literal & 1) ^ 1;
    level_[atom] = static_cast<std::uint32_t>(levels_.size());
    reason_[atom] = clause;
    cause_[atom] = cause;
    trail_.push_back(literal);
  }

  // A clause that is false, or kNone.  Of two true atoms of a block the clause is pair_.
  std::uint32_t spread() {
    while (next_ < trail_.size()) {
      const std::uint32_t literal = trail_[next_++];
      std::vector<std::uint32_t>& watching = watches_[literal ^ 1];
      std::size_t stay = 0;
      for (std::size_t i = 0; i < watching.size(); ++i) {
        ++steps_;
        const std::uint32_t clause = watching[i];
        std::uint32_t* const l = &literals_[begin_[clause]];
        const std::size_t size = begin_[clause + 1] - begin_[clause];
        if (l[0] == (literal ^ 1)) std::swap(l[0], l[1]);
        std::size_t other = 2;
        if (!is_true(l[0])) {
          while (other < size && is_false(l[other])) ++other;
        }
        if (!is_true(l[0]) && other < size) {
          std::swap(l[1], l[other]);
          watches_[l[1]].push_back(clause);
          continue;
        }
        watching[stay++] = clause;
        if (is_true(l[0])) continue;
        if (is_false(l[0])) {
          for (++i; i < watching.size(); ++i) watching[stay++] = watching[i];
          watching.resize(stay);
          return clause;
        }
        set(l[0], clause, kNone);
      }
      watching.resize(stay);
      if ((literal & 1) == 0 && !spread_blocks(literal / 2)) return kPair;
    }
    return kNone;
  }

  bool spread_blocks(std::uint32_t atom) {
    for (const std::uint32_t b : blocks_of_[atom]) {
      for (const std::uint32_t other : store_.block(b).atoms) {
        ++steps_;
        if (other == atom || value_[other] == 0) continue;
        if (value_[other] == 1) {
          pair_[0] = 2 * atom + 1;
          pair_[1] = 2 * other + 1;
          return false;
        }
        set(2 * other + 1, kNone, atom);
      }
    }
    return true;
  }

  template <class Visit>
  void for_literals(std::uint32_t clause, const Visit& visit) const {
    if (clause == kPair) {
      visit(pair_[0]);
      visit(pair_[1]);
      return;
    }
    for (std::size_t i = begin_[clause]; i < begin_[clause + 1]; ++i) visit(literals_[i]);
  }

  // The clause that the conflict follows from and that has one literal of the present level.
  void learn(std::uint32_t conflict) {
    std::vector<std::uint32_t> learnt{0};
    std::size_t here = 0, at = trail_.size();
    const auto present = static_cast<std::uint32_t>(levels_.size());
    const auto meet = [&](std::uint32_t literal) {
      const std::uint32_t atom = literal / 2;
      if (met_[atom] != 0 || level_[atom] == 0) return;
      met_[atom] = 1;
      heap_.bump(atom);
      if (level_[atom] == present) {
        ++here;
      } else {
        learnt.push_back(literal);
      }
    };
    for_literals(conflict, meet);
    while (true) {
      do --at;
      while (met_[trail_[at] / 2] == 0);
      const std::uint32_t literal = trail_[at];
      const std::uint32_t atom = literal / 2;
      met_[atom] = 0;
      if (--here == 0) {
        learnt[0] = literal ^ 1;
        break;
      }
      if (cause_[atom] != kNone) {
        meet(2 * cause_[atom] + 1);
      } else {
        for_literals(reason_[atom], [&](std::uint32_t l) {
          if (l / 2 != atom) meet(l);
        });
      }
    }
    std::uint32_t back = 0;
    for (std::size_t i = 1; i < learnt.size(); ++i) {
      met_[learnt[i] / 2] = 0;
      if (level_[learnt[i] / 2] > back) {
        back = level_[learnt[i] / 2];
        std::swap(learnt[1], learnt[i]);
      }
    }
    heap_.forget_a_little();
    back_to(back);
    const std::uint32_t clause = add(learnt);
    if (clause != kNone) set(learnt[0], clause, kNone);
  }

  void back_to(std::size_t level) {
    if (levels_.size() <= level) return;
    const std::size_t end = levels_[level];
    for (std::size_t i = trail_.size(); i-- > end;) {
      const std::uint32_t atom = trail_[i] / 2;
      phase_[atom] = value_[atom];
      value_[atom] = kUnset;
      heap_.insert(atom);
    }
    trail_.resize(end);
    levels_.resize(level);
    next_ = end;
  }

  bool decide() {
    while (!heap_.empty()) {
      const std::uint32_t atom = heap_.take_first();
      if (value_[atom] != kUnset) continue;
      levels_.push_back(trail_.size());
      set(2 * atom + (phase_[atom] ^ 1), kNone, kNone);
      return true;
    }
    return false;
  }

  static constexpr std::uint32_t kPair = 0xfffffffe;

  const ClauseStore& store_;
  const HardSearchLimits& limits_;
  const std::function<bool()>& go_on_;
  std::vector<std::uint64_t> begin_{0};  // [clauses + 1]
  std::vector<std::uint32_t> literals_;
  std::vector<std::vector<std::uint32_t>> watches_;    // [literals] clauses
  std::vector<std::vector<std::uint32_t>> blocks_of_;  // [atoms]
  std::vector<std::uint8_t> value_, phase_;            // [atoms]
  std::vector<std::uint32_t> level_, reason_;          // [atoms]
  std::vector<std::uint32_t> cause_;                   // [atoms] or the true atom of a block
  std::vector<std::uint8_t> met_;                      // [atoms] by learn()
  ActivityHeap heap_;
  std::vector<std::uint32_t> trail_;  // literals that are true
  std::vector<std::size_t> levels_;   // where each begins in the trail
  std::uint32_t pair_[2] = {0, 0};
  std::size_t next_ = 0, conflicts_ = 0, steps_ = 0;
  std::size_t asked_ = 0;  // steps, when go_on_ was last asked
  bool contradiction_ = false;
};

}  // namespace

HardSearch search_allowed_world(const ClauseStore& store, const HardSearchLimits& limits,
                                const std::function<bool(std::size_t)>& keep,
                                const std::function<bool()>& go_on) {
  return HardSolver(store, limits, keep, go_on).search();
}

std::vector<std::size_t> conflicting_groups(const ClauseStore& store,
                                            const std::function<std::size_t(std::size_t)>& group_of,
                                            const HardSearchLimits& limits,
                                            const std::function<bool()>& go_on) {
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < store.clauses(); ++i) {
    if (store.is_hard(i)) groups.push_back(group_of(i));
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (std::size_t g = groups.size(); g-- > 0;) {
    std::vector<std::size_t> others = groups;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(g));
    const auto keep = [&](std::size_t clause) {
      return std::binary_search(others.begin(), others.end(), group_of(clause));
    };
    if (search_allowed_world(store, limits, keep, go_on).end == HardSearchEnd::none)
      groups = others;
  }
  return groups;
}

}  // namespace croft
