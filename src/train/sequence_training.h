// What all trainings on labelled sequences have in common: sequences go in one by one, those that
// are held out after the others.
#pragma once
#include <cstddef>
#include <string_view>

#include "croft/core/error.h"
#include "features/chain_data.h"

namespace croft {

class SequenceTraining {
 public:
  virtual ~SequenceTraining() = default;

  // From here on labels may be sets, or any (features/chain_data.h).  Throws UsageError where
  // training has no use for these.
  virtual void read_partial_labels(const PartialLabels&) {
    throw UsageError("this kind of model needs labels that are known");
  }
  //   file : for messages
  virtual void add(const TextSequence& sequence, std::string_view file = {}) = 0;
  virtual void add_holdout(TextSequence, std::string_view /*file*/ = {}) {
    throw UsageError("this kind of model has no use for sequences that are held out");
  }

  virtual std::size_t sequences() const = 0;  // without those that are held out, as the next five
  virtual std::size_t positions() const = 0;
  virtual std::size_t partial_positions() const { return 0; }  // of which no single label is known
  virtual double total_weight() const { return static_cast<double>(sequences()); }
  virtual std::size_t labels() const = 0;
  virtual std::size_t attributes() const = 0;
  virtual std::size_t holdout_sequences() const { return 0; }
  // The labels of one of them, of kinds that score them as they train.
  virtual const TextSequence& holdout(std::size_t) const {
    throw UsageError("this kind of model keeps no sequences that are held out");
  }
};

}  // namespace croft
