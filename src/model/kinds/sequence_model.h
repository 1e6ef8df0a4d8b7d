// What labelling needs of a trained model, whatever its kind: the scores of a sequence, as those of
// a chain.  A maximum-entropy or naive Bayes classifier is a chain without transitions, each
// position by itself; a hidden Markov model and a MEMM are chains whose scores are
// log-probabilities.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/structure/chain.h"
#include "croft/structure/chain_constraint.h"
#include "features/chain_data.h"
#include "features/extraction.h"
#include "model/calibration.h"
#include "model/feature_table.h"
#include "model/kinds/stored_model.h"
#include "model/rows/read_sequence.h"
#include "model/trees/tree_ensemble.h"

namespace croft {
class Json;

// Immutable; share it between threads.
class SequenceModel : public StoredModel {
 public:
  std::size_t labels() const { return labels_.size(); }
  const std::string& label(Label y) const { return labels_[y]; }
  const Extractor& extractor() const { return extractor_; }

  // What it was trained under, if anything: scores and transitions have it in them.
  const std::optional<ChainConstraint>& constraint() const { return constraint_; }

  // Whether each position is labelled by itself.
  bool labels_are_independent() const {
    return kind() == "maxent" || kind() == "joint-maxent" || kind() == "naive-bayes" ||
           kind() == "boosted-maxent" || kind() == "mixture";
  }
  // Of a model that looks at documents: the model of its first pass (app/label/documents.h); null:
  // it labels each sequence by itself.
  const SequenceModel* first_pass() const { return first_pass_.get(); }

  // How probabilities are made of its scores, where not as they are; scores and transitions do not
  // have it in them (app/label/tag_plan.h has).
  const std::optional<Calibrator>& calibrator() const { return calibrator_; }

  // theta of a sequence, of order 1 (base scores, which histories() lift); attributes that the
  // model does not know score 0.  Refers to this model.  Throws Error where values are so large, or
  // weights so damaged, that scores are no numbers: whoever decodes gets finite ones, and -inf.
  struct ComponentScratch;
  struct Scratch {  // one a thread
    FeatureTable::Scratch node, edge;
    std::vector<std::uint32_t> ids;
    AttributeLists known;
    Matrix<double> state;
    PositionValues position;
    ChainScores<float> single;
    std::unique_ptr<ReadScratch, FreeReadScratch> read;
    std::vector<ComponentScratch> components;  // of a mixture
  };
  template <class Real>
  void score(const TextSequence& sequence, Scratch& scratch, ChainScores<Real>& out) const {
    make_scores(sequence, scratch, out);
    require_numbers(sequence, out, may_forbid());
  }
  // The same of a sequence whose attributes stand in `read`, where scores_as_read(); `sequence` has
  // only empty lists of them.  Throws InputError for attribute lines that are none.
  template <class Real>
  void score(const TextSequence& sequence, const ReadSequence& read, Scratch& scratch,
             ChainScores<Real>& out) const {
    make_scores(sequence, read, scratch, out);
    require_numbers(sequence, out, may_forbid());
  }
  virtual bool scores_as_read() const { return false; }
  // Throws Error, which names the file, where a state or an overlay is no number that inference
  // takes (score_numbers.h); it may forbid by -inf.  A comparison or two for each.
  template <class Real>
  void require_numbers(const TextSequence& sequence, const ChainScores<Real>& scores,
                       bool may_forbid) const;
  //   of : what has them
  [[noreturn]] void fail_numbers(const TextSequence& sequence, const std::string& of) const;

  // The tied ones of every sequence.
  template <class Real>
  const TransitionScores<Real>& transitions() const {
    if constexpr (std::is_same_v<Real, float>) {
      return transitions_float_;
    } else {
      return transitions_double_;
    }
  }
  // Whether sequences may have an overlay: transitions of a position's own.
  virtual bool has_overlays() const { return false; }

  // Of labels that a transition looks at, but for the one it leads to.
  virtual std::size_t order() const { return 1; }
  // Whether exp(score - log Z) of its chain is a probability of the labelling.
  virtual bool has_probabilities() const { return true; }

 protected:
  // Reads what every kind has.  Throws Error for a kind that is none of `kinds`, for a section that
  // must be understood and is not in `required`, and for damage.
  SequenceModel(Container container, std::span<const std::string_view> kinds,
                std::span<const std::string_view> required);
  // Throws InputError where one is no number in either precision.
  //   section : where they come from
  void set_transitions(TransitionScores<double> transitions, std::string_view section);
  virtual void make_scores(const TextSequence& sequence, Scratch& scratch,
                           ChainScores<float>& out) const = 0;
  virtual void make_scores(const TextSequence& sequence, Scratch& scratch,
                           ChainScores<double>& out) const = 0;
  // Of a kind that scores what was read.
  virtual void make_scores(const TextSequence& sequence, const ReadSequence& read, Scratch& scratch,
                           ChainScores<float>& out) const;
  virtual void make_scores(const TextSequence& sequence, const ReadSequence& read, Scratch& scratch,
                           ChainScores<double>& out) const;
  // Whether a label or an edge may be impossible.
  virtual bool may_forbid() const { return constraint_.has_value(); }

  std::optional<ChainConstraint> constraint_;

 private:
  std::vector<std::string> labels_;
  Extractor extractor_;
  std::shared_ptr<const SequenceModel> first_pass_;  // a view into this one's container
  std::optional<Calibrator> calibrator_;
  TransitionScores<float> transitions_float_;
  TransitionScores<double> transitions_double_;
};

// Of one model of a mixture.
struct SequenceModel::ComponentScratch {
  Extractor::Scratch extraction;
  TextSequence text;
  Scratch scores;
  ChainScores<double> theta;
};

// The sections that every kind has: meta (kind, extraction, training record, and what `more` says),
// labels, and what the extraction needs.
void write_common_sections(std::string_view kind, const ExtractionConfig& extraction,
                           const std::vector<std::string>& labels, const Json& training,
                           const Json& more, ContainerWriter& out);

}  // namespace croft
