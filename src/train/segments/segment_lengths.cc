#include "train/segments/segment_lengths.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace croft {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
// Of a longer segment that begins where nothing says so: more than any number of positions.
constexpr std::uint64_t kBegun = std::uint64_t{1} << 32;

// The segmentation of the least cost, kBegun's and then positions beyond `longest`, from boundary
// to boundary.
class ShortestFit {
 public:
  ShortestFit(const SegmentLabels& labels, const Gold& gold, const std::vector<bool>& fixed,
              const std::vector<std::size_t>& longest)
      : labels_(labels), gold_(gold), fixed_(fixed), longest_(longest) {}

  // Whether there is one; `beyond`: with segments longer than `longest`.
  bool find(bool beyond) {
    end_.assign((gold_.length() + 1) * labels_.labels(), End());
    for (std::size_t t = 0; t < gold_.length(); ++t) {
      const std::array<Label, 2> best = best_at(t);
      for (Label y = 0; y < labels_.labels(); ++y) {
        const Label before = best[0] == y && !may_repeat(y) ? best[1] : best[0];
        if (t == 0) {
          extend(t, y, 0, SegmentLabels::kNone, beyond);
        } else if (before != SegmentLabels::kNone) {
          extend(t, y, at(t, before).cost, before, beyond);
        }
      }
    }
    return best_at(gold_.length())[0] != SegmentLabels::kNone;
  }
  // Of what find() found.
  std::uint64_t cost() const { return at(gold_.length(), best_at(gold_.length())[0]).cost; }

  void raise(std::vector<std::size_t>& longest) const {
    Label y = best_at(gold_.length())[0];
    for (std::size_t t = gold_.length(); t > 0;) {
      const End& end = at(t, y);
      longest[y] = std::max(longest[y], t - end.begin);
      t = end.begin;
      y = end.before;
    }
  }

 private:
  struct End {  // of a segment
    std::uint64_t cost = kNever;
    std::size_t begin = 0;
    Label before = SegmentLabels::kNone;
  };

  const End& at(std::size_t t, Label y) const { return end_[t * labels_.labels() + y]; }

  // The two best labels of segments that end before t; kNone where there is none.
  std::array<Label, 2> best_at(std::size_t t) const {
    std::array best = {SegmentLabels::kNone, SegmentLabels::kNone};
    const auto cost = [&](Label y) { return y == SegmentLabels::kNone ? kNever : at(t, y).cost; };
    for (Label y = 0; y < labels_.labels(); ++y) {
      if (cost(y) < cost(best[0])) {
        best = {y, best[0]};
      } else if (cost(y) < cost(best[1])) {
        best[1] = y;
      }
    }
    return best;
  }

  // Runs that were asked to have one position are positions that follow each other.
  bool may_repeat(Label y) const {
    return labels_.may_follow_itself(y) || (fixed_[y] && longest_[y] == 1);
  }

  // The segments of y from t on.
  void extend(std::size_t t, Label y, std::uint64_t cost, Label before, bool beyond) {
    const auto allows = [&](std::size_t p, Label c) {
      return c != SegmentLabels::kNone && gold_.allows(p, c);
    };
    const auto end_at = [&](std::size_t e) {
      std::uint64_t more = e - t > longest_[y] ? e - t - longest_[y] : 0;
      if (e - t > 1 && !is_one_label(gold_.known[t])) more += kBegun;
      End& end = end_[e * labels_.labels() + y];
      if (cost + more < end.cost) end = {cost + more, t, before};
    };
    if (allows(t, labels_.single_of(y))) end_at(t + 1);
    if (!allows(t, labels_.first[y])) return;
    const std::size_t left = gold_.length() - t;
    const std::size_t most = beyond && !fixed_[y] ? left : std::min(left, longest_[y]);
    for (std::size_t d = 2; d <= most; ++d) {
      if (allows(t + d - 1, labels_.last_of(y))) end_at(t + d);
      if (!allows(t + d - 1, labels_.inside[y])) return;
    }
  }

  const SegmentLabels& labels_;
  const Gold& gold_;
  const std::vector<bool>& fixed_;
  const std::vector<std::size_t>& longest_;
  std::vector<End> end_;  // [T + 1][L]
};

}  // namespace

void raise_longest(const SegmentLabels& labels, const Gold& gold, const std::vector<bool>& fixed,
                   std::vector<std::size_t>& longest) {
  ShortestFit fit(labels, gold, fixed, longest);
  if ((fit.find(false) && fit.cost() == 0) || !fit.find(true)) return;
  std::vector<std::size_t> raised = longest;
  fit.raise(raised);
  longest = std::move(raised);
}

}  // namespace croft
