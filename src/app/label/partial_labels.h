// What the labels of the input say at prediction: at each position one label, one of some, or
// nothing.
#pragma once
#include <string_view>
#include <vector>

#include "app/label/label_names.h"
#include "croft/data/text_sequence.h"
#include "croft/inference/chain_subset.h"
#include "croft/structure/gold.h"
#include "features/chain_data.h"

namespace croft {

// Of one sequence; storage is reused.
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

}  // namespace croft
