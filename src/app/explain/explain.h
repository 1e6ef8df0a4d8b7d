// Why a label: at each position, what speaks for the predicted label and what for another one.
//
//   score(y) - score(y') = sum of the differences of the reasons,    y' = y but for y'_t
//
// Exact, since a change of one label changes only the terms of the score that it is part of.  It is
// the odds of two labellings: log p(y | x) - log p(y' | x).  The marginals, which are reported
// beside it, also count the labellings whose other labels differ.  docs/explain.md.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "app/explain/reasons.h"
#include "model/kinds/chain_model.h"

namespace croft {

// Its attributes are those of the position and of the edge that arrives there, without START and
// STOP.
struct ExplainedPosition : Explained {  // probability: p(y_t = label | x)
  std::size_t position = 0;
  Label label = 0;
  std::optional<Label> other;    // by default the most probable of the others
  double other_probability = 0;  // p(y_t = other | x)
};

struct Explanation {
  TagOutcome outcome;                        // all below is empty or 0 unless outcome.found
  std::vector<Label> y;                      // [T] the most probable labelling
  double log_probability = 0;                // log p(y | x)
  std::vector<ExplainedPosition> positions;  // as options.positions; all in order when it is empty
};

// One a thread; the plan and its model are shared.  All numbers are computed in double.
class Explainer {
 public:
  // The plan must outlive it.  Throws UsageError for a plan with rules, partial labels or another
  // decoding than Viterbi: what they choose is not a matter of the score around a position; and for
  // a model with a vote or a kernel, whose scores are not one sum of weights.
  explicit Explainer(const TagPlan& plan);

  // Throws UsageError for a position or label that there is not.  Cost: that of tagging with
  // marginals, and again the look-ups and a row of weights for each attribute.
  Explanation explain(const TagInput& input, const ExplainOptions& options);

 private:
  struct Change;
  ExplainedPosition explain(const TextSequence& text, const Tagging& tagging, std::size_t t,
                            const ExplainOptions& options);
  void add_attributes(const Change& change, ExplainedPosition& out) const;
  void add_edge(const Change& change, std::size_t to, ExplainedPosition& out) const;
  void add_runs(const Change& change, ExplainedPosition& out) const;
  void add_history(const Change& change, ExplainedPosition& out) const;
  void count_unknown(const TextSequence& text, std::size_t t, bool names,
                     ExplainedPosition& out) const;

  const TagPlan& plan_;
  const ChainModel& model_;  // the plan's
  Tagger tagger_;
  ChainModel::Scratch scratch_;  // where the rows of the sequence's attributes stand
  ChainScores<double> base_;
};

// Of one sequence, without limits.  For many sequences use an Explainer: this makes a new one.
Explanation explain(const ChainModel& model, const TextSequence& text,
                    const ExplainOptions& options = {});

// As SequenceExplainer, for models of chains.  Throws as the Explainer's constructor.
SequenceExplainer position_explainer(const TagPlan& plan);
// In text, lines have at most some 100 columns.
//   read : what was explained; its rows and labels are shown where it has them
ExplainedSequence shown(const Explanation& explanation, const LabelNames& names,
                        const TagInput& input, const InputSequence& read);

}  // namespace croft
