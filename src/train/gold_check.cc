#include "train/gold_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "croft/core/error.h"

namespace croft {
namespace {

struct GoldFault {
  std::size_t position;
  std::string problem;
};

// A set of labels, 64 to a word.
using LabelBits = std::vector<std::uint64_t>;
bool has(const LabelBits& set, Label j) { return set[j / 64] >> (j % 64) & 1; }
void insert(Label j, LabelBits& set) { set[j / 64] |= std::uint64_t{1} << (j % 64); }
bool empty(const LabelBits& set) { return std::ranges::count(set, 0u) == std::ssize(set); }

// Which labels a prefix that fits and is allowed can end in, position by position.
class ReachableLabels {
 public:
  explicit ReachableLabels(const ChainConstraint& constraint)
      : labels_(static_cast<Label>(constraint.labels)),
        start_(bits(constraint.start, 0)),
        end_(bits(constraint.end, 0)),
        now_(start_.size()),
        next_(start_.size()) {
    for (Label i = 0; i < labels_; ++i) {
      followers_.push_back(bits(constraint.edge, std::size_t{i} * labels_));
    }
  }

  std::optional<GoldFault> check(const Gold& gold) {
    for (std::size_t t = 0; t < gold.length(); ++t) {
      step(t);
      keep([&](Label j) { return gold.allows(t, j); });
      if (empty(now_)) {
        return GoldFault{t, t == 0 ? "no label that fits may start a sequence"
                                   : "no label that fits may follow those that fit before it"};
      }
    }
    keep([&](Label j) { return has(end_, j); });
    if (!empty(now_)) return std::nullopt;
    return GoldFault{gold.length() - 1, "no label that fits here may end the sequence"};
  }

 private:
  LabelBits bits(const std::vector<bool>& allowed, std::size_t first) const {
    LabelBits set((labels_ + 63) / 64);
    for (Label j = 0; j < labels_; ++j) {
      if (allowed[first + j]) insert(j, set);
    }
    return set;
  }
  // From the labels at t - 1 to all that may follow one of them.
  void step(std::size_t t) {
    if (t == 0) {
      now_ = start_;
      return;
    }
    std::ranges::fill(next_, 0u);
    for (Label i = 0; i < labels_; ++i) {
      if (!has(now_, i)) continue;
      for (std::size_t k = 0; k < next_.size(); ++k) next_[k] |= followers_[i][k];
    }
    std::swap(now_, next_);
  }
  template <class Fits>
  void keep(const Fits& fits) {
    for (Label j = 0; j < labels_; ++j) {
      if (has(now_, j) && !fits(j)) now_[j / 64] &= ~(std::uint64_t{1} << (j % 64));
    }
  }

  Label labels_;
  LabelBits start_, end_;
  std::vector<LabelBits> followers_;  // [L]
  LabelBits now_, next_;
};

}  // namespace

void check_gold(const ChainConstraint& constraint, const ChainData& data,
                std::span<const std::string> names,
                const std::function<std::string(std::size_t sequence)>& file_of) {
  std::optional<ReachableLabels> reachable;  // made when first needed
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const Gold gold = data.gold(n);
    std::optional<GoldFault> fault;
    if (!gold.is_complete()) {
      if (!reachable) reachable.emplace(constraint);
      fault = reachable->check(gold);
    } else if (const auto broken = check(constraint, gold.known)) {
      fault = {broken->position, describe(*broken, gold.known, names)};
    }
    if (!fault) continue;
    const std::size_t first = data.first_line[n];  // one position is one line; 0: not known
    throw InputError({file_of(n), first == 0 ? 0 : first + fault->position},
                     "training data that breaks the constraint: " + fault->problem, "",
                     "correct the labels, or give a constraint that they obey");
  }
}

void check_labels_of(const SequenceModel& init, const PartialLabels& how) {
  for (Label y = 0; y < init.labels(); ++y) {
    const std::string& name = init.label(y);
    if (name != how.any && name.find(how.separator) == name.npos) continue;
    throw UsageError(init.container().name(), ": the label ", in_quotes(name),
                     " would be read as a set of labels, or as any; choose another "
                     "--partial-separator, or rename it and train from the start");
  }
}

}  // namespace croft
