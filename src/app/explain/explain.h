// Why a label: at each position, what speaks for the predicted label and what for another one.
//
//   score(y) - score(y') = sum of the differences of the reasons,    y' = y but in [b, e)
//
// Of one position, where another label is given or the runner-up; of a stretch that is wrong, where
// y' has the labels of the data.  Exact, since only the terms that look there change.  It is
// the odds of two labellings: log p(y | x) - log p(y' | x).  The marginals, which are reported
// beside it, also count the labellings whose other labels differ.  docs/explain.md.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "app/explain/reasons.h"
#include "model/kinds/chain_model.h"

namespace croft {

// Its attributes are those of the positions and of the edges that arrive there, without START and
// STOP.
struct ExplainedStretch : Explained {
  std::size_t begin = 0;
  std::vector<Label> labels;                           // of one position or more
  std::vector<Label> other;                            // as many; empty: there is none
  std::vector<double> probability, other_probability;  // of each, p(y_t = label | x)

  std::size_t end() const { return begin + labels.size(); }
};

struct Explanation {
  TagOutcome outcome;          // all below is empty or 0 unless outcome.found
  std::vector<Label> y;        // [T] the most probable labelling
  double log_probability = 0;  // log p(y | x)
  bool gold = false;           // stretches are compared with the labels of the data
  // As options.positions, of one position each, all in order when it is empty; or wrong stretches.
  std::vector<ExplainedStretch> stretches;
};

// One a thread; the plan and its model are shared.  All numbers are computed in double.
class Explainer {
 public:
  // The plan must outlive it.  Throws UsageError for a plan with rules, partial labels or another
  // decoding than Viterbi: what they choose is not a matter of the score around a position; and for
  // a model with a vote or a kernel, whose scores are not one sum of weights.
  explicit Explainer(const TagPlan& plan);

  // Throws UsageError for a position or label that there is not, or no gold label.  Cost: that of
  // tagging with marginals, and again the look-ups and a row of weights for each attribute.
  Explanation explain(const TagInput& input, const ExplainOptions& options);

 private:
  struct Change;
  std::vector<Stretch> wrong(const TextSequence& text, const Tagging& tagging,
                             const ExplainOptions& options) const;
  void set_gold(const TextSequence& text, ExplainedStretch& out) const;
  ExplainedStretch explain(const TextSequence& text, const Tagging& tagging, const Stretch& stretch,
                           const ExplainOptions& options);
  void add_attributes(const Change& change, std::size_t t, ExplainedStretch& out);
  void add_edge(const Change& change, std::size_t to, ExplainedStretch& out);
  void add_runs(const Change& change, ExplainedStretch& out) const;
  void add_history(const Change& change, ExplainedStretch& out) const;
  void count_unknown(const TextSequence& text, std::size_t t, bool names, ExplainedStretch& out);

  const TagPlan& plan_;
  const ChainModel& model_;  // the plan's
  Tagger tagger_;
  ChainModel::Scratch scratch_;  // of look-ups
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
