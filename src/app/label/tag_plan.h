// How the sequences of a run are labelled: what limits their labellings, made once and shared.
//
//   model's scores ─ calibration ─► ─ constraint, penalties ─► ─ partial labels ─► base
//   base ─ label histories ─► ─ product with the rules ─► the chain that is walked
//
// The base chain has the model's labels.  What inference walks is that chain, or one with more
// states that each stand for a label, label_of(): a model of order 2 or more walks its label
// histories, one of segments what spells them (segment_lift.h), one with hidden states these (its
// base chain is theirs), and rules a product with their automaton.  Everything that is asked is
// asked of that chain, so it is conditional on all that limits the labellings.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/label/label_chooser.h"
#include "app/label/label_names.h"
#include "app/label/rules.h"
#include "app/label/segment_lift.h"
#include "app/label/tag_limits.h"
#include "croft/app/tagging.h"
#include "croft/inference/chain_product.h"
#include "croft/inference/history_chain.h"
#include "croft/structure/chain_constraint.h"
#include "inference/chain/constrained_search.h"
#include "model/kinds/chain_model.h"
#include "structure/hidden_states.h"

namespace croft {

struct TagRequest {
  std::optional<ChainConstraint> constraint;
  std::optional<PenaltyFile> penalties;
  std::optional<PartialLabels> partial;  // the labels of the input say what is known
  std::vector<std::string> rules;        // app/rules.h
  std::size_t limit = 10'000;            // of a search, for each sequence (constrained_search.h)
  // Default: viterbi; of a model with hidden states marginal, or risk where labellings are limited.
  std::optional<Decode> decode;
  ChoiceRequest decision = {};                  // makes decode marginal, and chooses by it
  ChunkScheme scheme = ChunkScheme::automatic;  // of rules on chunks, and of spans
  bool calibrated = true;                       // with the model's calibration, where it has one
};

// A product with an automaton has at most so many edges; above, rules are left to a search.  One
// takes a step of the recursion a position (about a nanosecond), and some 60 bytes.
inline constexpr double kMostProductEdges = 1 << 20;

// ... and its automaton reads at most so many states: its table has a number for each two of them.
inline constexpr std::size_t kMostProductStates = 4096;

// The chains that a base chain is lifted to; one a thread.
template <class Real>
struct LiftedChains {
  ChainScores<Real> histories;                   // for models of order 2 or more
  ChainScores<Real> product;                     // with rules
  typename SegmentLift<Real>::Scratch segments;  // for models of segments
};

// Immutable; share it between threads.  The model must outlive it.
class TagPlan {
 public:
  explicit TagPlan(const SequenceModel& model) : TagPlan(model, {}) {}  // nothing is limited
  // Throws UsageError for rules that cannot be read and for what does not go together, InputError
  // for penalties that do not fit the model.
  TagPlan(const SequenceModel& model, const TagRequest& request);
  TagPlan(const TagPlan&) = delete;
  TagPlan& operator=(const TagPlan&) = delete;

  // Throws UsageError for questions that this plan cannot answer.
  void check(const TagOptions& options) const;

  const SequenceModel& model() const { return model_; }
  const LabelNames& names() const { return names_; }
  Decode decode() const { return decode_; }
  // By which a label is chosen from its marginals; null: the most probable one.
  const LabelChooser* decision() const { return decision_ ? &*decision_ : nullptr; }
  std::size_t limit() const { return limit_; }
  const std::optional<PartialLabelReader>& partial() const { return partial_; }
  // Of the model, where it is in the scores; otherwise null.
  const Calibrator* calibrator() const { return calibrator_; }
  // Whether a labelling is a sum over paths of the chain that is walked.
  bool hides_states() const { return states_ != nullptr; }
  // The model, where it is one of many weight vectors that vote (vote_tagger.h); otherwise null.
  const ChainModel* voted() const { return voted_; }
  // -inf on what partial labels rule out of a base chain.
  template <class Real>
  void restrict(const KnownLabels& known, ChainScores<Real>& base) const;
  // Whether nothing but the model asks for attributes, and it takes them as they were read.
  bool tags_as_read() const {
    return model_.scores_as_read() && !penalties_ && rules_.agreements.empty();
  }
  // Whether anything but the model itself may leave a sequence without a labelling.
  bool limits_labellings() const;

  // Scores of the base chain, with the calibration, the constraint and the penalties, without
  // partial labels.  Of a model with a vote they are what limits the labellings alone: each weight
  // vector adds its own (vote_tagger.h).
  template <class Real>
  void score(const TagInput& input, SequenceModel::Scratch& scratch, ChainScores<Real>& base) const;
  // The chain to be walked: `base` itself, or one of `lifted`, which is written.  nullptr when no
  // labelling is allowed (which log Z = -inf may say as well).
  template <class Real>
  const ChainScores<Real>* lift(const TagInput& input, const ChainScores<Real>& base,
                                LiftedChains<Real>& lifted) const;
  // Of a model of segments whose neighbours nothing limits: the best labelling of `base`, at the
  // cost of segments and not of a chain of them.  False where none is allowed.
  bool has_best_segments() const {
    return float_.segments && !double_.product && !constraint_ && !searches_;
  }
  bool best_segments(const TagInput& input, const ChainScores<float>& base,
                     LiftedChains<float>& lifted, std::span<Label> y) const {
    return float_.segments->best(input.text, base, lifted.segments, y);
  }
  // [states] of that chain; empty: its states are the labels.
  std::span<const Label> label_of() const { return label_of_; }
  // [states] the label before a state's own, kNoRun where there is none; empty: order 1.
  std::span<const std::uint32_t> previous_of() const { return previous_of_; }
  // The score of a labelling in the chains that lift() was given and wrote, without the rules; -inf
  // where label histories have no path for it.  With hidden states it is S(y) of (HC.2).
  double score_of(std::span<const Label> y, const ChainScores<double>& base,
                  const LiftedChains<double>& lifted) const;
  void project(std::span<Label> y) const;  // states to labels, in place
  // Transitions of 0 where that chain's are allowed (chain_risk.h).  Requires decode() == risk.
  const TransitionScores<double>& allowed() const { return *allowed_; }
  ChunkScheme scheme() const { return scheme_; }  // of all labels of the model; never automatic

  // What the chain cannot say is searched for, sequence by sequence.
  bool has_rules() const { return has_rules_; }
  bool searches() const { return searches_; }
  // The best labelling that obeys the rules; its labels are the chain's states.  Requires
  // searches().
  SearchResult search(const TagInput& input, const ChainScores<double>& chain) const;
  // Whether y, of labels, obeys the rules that are automata.
  bool accepts(std::span<const Label> y) const;

 private:
  template <class Real>
  struct Tied {
    std::optional<TransitionScores<Real>> masked;
    std::unique_ptr<HistoryScores<Real>> histories;
    std::unique_ptr<const SegmentLift<Real>> segments;
    std::unique_ptr<const ChainProduct<Real>> product;
  };
  template <class Real>
  const Tied<Real>& tied() const;
  template <class Real>
  const TransitionScores<Real>& transitions() const;  // of the base chain
  template <class Real>
  const TransitionScores<Real>& unruled() const;  // of the chain before the product
  template <class Real>
  void lift_transitions(Tied<Real>& tied);
  void check_vote() const;
  double scale_of_scores() const;
  template <class Real>
  void calibrate(ChainScores<Real>& base) const;
  template <class Real>
  void penalise(const TagInput& input, ChainScores<Real>& base) const;
  Decode default_decode(const TagRequest& request) const;
  void set_decision(const TagRequest& request);
  void check_decode() const;
  void set_states();
  bool unruled_overlays() const;
  std::optional<LabelAutomaton> fitting_automaton() const;

  const SequenceModel& model_;
  // What the model has beside scores of labels; null where it is of another kind.
  const ChainModel *chain_, *voted_;
  const LabelHistories* histories_;
  const SegmentModel* segments_;
  const HiddenStates* states_;
  const Calibrator* calibrator_;
  LabelNames names_;
  Decode decode_;
  std::optional<LabelChooser> decision_;
  ChunkScheme scheme_;
  std::size_t limit_;
  std::optional<ChainConstraint> constraint_;
  std::optional<Penalties> penalties_;
  std::optional<PartialLabelReader> partial_;
  Rules rules_;
  bool has_rules_ = false, searches_ = false;
  Tied<float> float_;
  Tied<double> double_;
  std::optional<TransitionScores<double>> allowed_;
  std::vector<Label> label_of_;
  std::vector<std::uint32_t> previous_of_;
};

}  // namespace croft
