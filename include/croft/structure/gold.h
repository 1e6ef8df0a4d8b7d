// What the data says about a sequence's labels: at each position one label, a set of labels that
// has it, or nothing.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "croft/structure/transitions.h"

namespace croft {

// What is known of a position is one number: a label, the number of a set with the top bit set, or
// kAnyLabel.  Nearly all data has labels only, and pays nothing for the other two.
inline constexpr Label kLabelSetBit = 0x80000000;
inline constexpr Label kAnyLabel = 0xFFFFFFFF;
constexpr bool is_one_label(Label known) { return known < kLabelSetBit; }

// Sets of labels, each kept once.
struct LabelSets {
  std::vector<std::uint32_t> begin{0};  // [sets + 1] into label
  std::vector<Label> label;             // increasing within a set

  std::size_t size() const { return begin.size() - 1; }
  std::span<const Label> operator[](std::size_t set) const {
    return std::span(label).subspan(begin[set], begin[set + 1] - begin[set]);
  }
  // The labels that `known` names, increasing; none for kAnyLabel.  Refers to `known` itself.
  std::span<const Label> labels_of(const Label& known) const {
    if (is_one_label(known)) return {&known, 1};
    return known == kAnyLabel ? std::span<const Label>() : (*this)[known - kLabelSetBit];
  }
};

// One sequence's part of it; a view.
struct Gold {
  std::span<const Label> known;     // [T]
  const LabelSets* sets = nullptr;  // required where some position has a set

  Gold() = default;
  Gold(std::span<const Label> known_, const LabelSets* sets_ = nullptr)
      : known(known_), sets(sets_) {}
  Gold(const std::vector<Label>& known_, const LabelSets* sets_ = nullptr)
      : known(known_), sets(sets_) {}

  std::size_t length() const { return known.size(); }
  // Whether every position has one label: then `known` is a labelling.
  bool is_complete() const { return std::ranges::all_of(known, is_one_label); }
  bool is_any(std::size_t t) const { return known[t] == kAnyLabel; }
  // The labels that t may have, increasing; none where is_any(t), which any label fits.
  std::span<const Label> labels(std::size_t t) const {
    return is_one_label(known[t]) ? known.subspan(t, 1)
           : is_any(t)            ? std::span<const Label>()
                                  : sets->labels_of(known[t]);
  }
  bool allows(std::size_t t, Label j) const {
    return is_any(t) || std::ranges::binary_search(labels(t), j);
  }
};

}  // namespace croft
