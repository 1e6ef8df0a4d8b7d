// Trainings on labelled sequences: what all have in common, and those whose sequences become
// numbers of labels and attributes as they come.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "croft/structure/chain_constraint.h"
#include "features/chain_data.h"
#include "train/distributed/share_out.h"

namespace croft {

// What all trainings on labelled sequences have in common: sequences go in one by one, those that
// are held out after the others.
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
  // After all of those.  Its labels, if any, are dropped.
  virtual void add_unlabelled(TextSequence sequence, std::string_view file = {}) {
    sequence.labels.clear();
    add(sequence, file);
  }
  virtual void add_holdout(TextSequence, std::string_view /*file*/ = {}) {
    throw UsageError("this kind of model has no use for sequences that are held out");
  }

  // After all of these, where each process has read a part of the data: from here on all number
  // names alike, and what is counted below is that of all.  Throws UsageError where a kind trains
  // in one process alone.
  virtual void share_out(Ranks& ranks);

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

 protected:
  void require_data() const;  // throws Error where there is no sequence, or no label
};

// Trainings on sequences that become numbers of labels and attributes as they come.
class EncodedTraining : public SequenceTraining {
 public:
  void read_partial_labels(const PartialLabels& how) override { encoder_.partial = how; }
  void add(const TextSequence& sequence, std::string_view file = {}) override;
  std::size_t sequences() const override {
    return totals_ ? totals_->sequences : encoder_.data.sequences();
  }
  std::size_t positions() const override {
    return totals_ ? totals_->positions : encoder_.data.sequence_begin[sequences()];
  }
  std::size_t partial_positions() const override;
  double total_weight() const override;
  std::size_t labels() const override { return encoder_.label_names.size(); }
  std::size_t attributes() const override {
    return encoder_.node_names.size() + encoder_.edge_names.size();
  }

 protected:
  void agree(Ranks& ranks);  // share_out() of kinds that can
  // What run() does first, where there are other processes.
  //   labels : of the layout that the data is for
  void take_waves(Ranks& ranks, std::size_t labels);
  void note_file(std::string_view file);  // of the sequence that comes next
  const std::string& file_of(std::size_t n) const;
  // What `make` makes of the labels' names, null without it.  Throws InputError for labels of the
  // data that break it.
  using ConstraintMaker = std::function<ChainConstraint(std::span<const std::string> labels)>;
  std::shared_ptr<const ChainConstraint> checked_constraint(const ConstraintMaker& make,
                                                            Ranks& ranks) const;
  std::vector<std::string> label_list() const;  // their names
  bool weighted() const;                        // some sequence's weight is not 1

  ChainEncoder encoder_;

 private:
  std::vector<std::pair<std::size_t, std::string>> files_;  // each with its first sequence
  std::optional<DataTotals> totals_;  // of all processes, where there are more
};

// What is held out is encoded, too, behind the rest.
class SplitTraining : public EncodedTraining {
 public:
  void add_holdout(TextSequence sequence, std::string_view file = {}) override {
    if (!trained_on_) trained_on_ = encoder_.data.sequences();
    add(sequence, file);
  }
  std::size_t sequences() const override { return trained_on_.value_or(encoder_.data.sequences()); }
  std::size_t holdout_sequences() const override { return encoder_.data.sequences() - sequences(); }

 protected:
  std::optional<std::size_t> trained_on_;  // sequences, where others are held out
};

}  // namespace croft
