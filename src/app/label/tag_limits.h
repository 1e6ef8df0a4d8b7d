// What is told of the labels of one sequence before it is labelled: what is known of them already,
// and soft penalties.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/label/label_names.h"
#include "croft/data/text_sequence.h"
#include "croft/inference/chain_subset.h"
#include "croft/structure/chain.h"
#include "croft/structure/gold.h"
#include "data/columns.h"
#include "data/settings/field_files.h"
#include "features/chain_data.h"
#include "model/rows/read_sequence.h"

namespace croft {

// A sequence as the tagger sees it: its strings, and what is around them.  A view.
struct TagInput {
  const TextSequence& text;
  const ColumnSequence* rows = nullptr;  // as read; required where something asks for their cells
  std::string_view file = {};            // for messages
  std::size_t index = 0;                 // in the whole input: seeds the sequence's samples
  // Where TagPlan::tags_as_read(), and the attributes of `text` are these; otherwise null.
  const ReadSequence* read = nullptr;
};

// What the labels of the input say at prediction: at each position one label, one of some, or
// nothing.  Of one sequence; storage is reused.
struct KnownLabels {
  std::vector<Label> known;  // [T] as structure/gold.h has it
  LabelSets sets;
  Gold gold() const { return {known, &sets}; }
};

// Immutable; share it between threads.
class PartialLabelReader {
 public:
  // Throws UsageError where a label of the model could be read as something else: it contains the
  // separator, or is the marker for any label.
  PartialLabelReader(const PartialLabels& how, const LabelNames& names);

  // Throws InputError (file, line, text, remedy) for a sequence without labels, a label that the
  // model does not have, and a set with an empty label, the marker for any, or one label twice.
  void read(const TextSequence& sequence, std::string_view file, KnownLabels& out) const;

 private:
  Label known_label(std::string_view item, const Location& where, LabelSets& sets) const;
  Label label(std::string_view name, const Location& where) const;

  PartialLabels how_;
  const LabelNames& names_;
};

// The positions of `known` that something is known of.  Views into `known`.
std::vector<Restriction> restrictions(const KnownLabels& known);

// Soft penalties on labels at positions where a test holds: subtracted from the state scores.
//
//   state[t][j] -= sum of the penalties whose test holds at t and whose label is j
//
// A penalty of c nats divides the odds of the label by exp(c), before its neighbours have their
// say.
struct LabelPenalty {
  Label label;
  double penalty;  // nats
};

// Immutable; share it between threads.
class Penalties {
 public:
  //   columns : of a row that can be tested; 0 for attribute lines
  // Throws InputError (file, line, text, remedy) for a column that there is not, and for a label or
  // pattern that no label matches.
  Penalties(const PenaltyFile& file, const LabelNames& names, std::size_t columns);

  // Cost O(T L) with lines of test *, and a look-up for each tested cell or attribute.
  // Throws Error when cells are tested and there are no rows.
  template <class Real>
  void subtract(const TagInput& input, ChainScores<Real>& scores) const;

 private:
  using List = std::vector<LabelPenalty>;
  using ByText = std::unordered_map<std::string, List, TextHash, std::equal_to<>>;

  List always_;  // one entry a label that has a penalty
  std::vector<ByText> by_column_;
  std::vector<std::size_t> tested_columns_;
  ByText by_attribute_;
};

}  // namespace croft
