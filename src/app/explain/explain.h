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
#include <string>
#include <string_view>
#include <vector>

#include "app/label/sequence_source.h"
#include "app/label/tagger.h"

namespace croft {
class Json;

struct ExplainOptions {
  std::vector<std::size_t> positions = {};  // to be explained, each < T; empty: all
  std::optional<Label> against = {};        // the other label; where it is predicted: as without
  std::size_t top = 5;                      // attributes with a reason of their own
  bool unknown = false;                     // name the attributes that the model does not know
};

// What one term adds to the score of the labelling, and would add with the other label.
struct Reason {
  enum class Kind {
    attribute,       // of the position
    start,           // the edge from START, with the attribute `name`
    stop,            // the edge to STOP, likewise
    transition,      // of two neighbours, the same everywhere
    edge_attribute,  // of two neighbours where the edge between them has the attribute
    run,             // of three labels or more, in a model of order 2 or more
    limit,           // a constraint on the first or last label, or penalties
    history,         // the model has no path for the labels around the position
  };
  Kind kind;
  std::string name = {};           // of the attribute
  double value = 1;                // of the attribute
  double label = 0, other = 0;     // nats; -inf: forbidden, which `label` never is
  std::size_t begin = 0, end = 0;  // the positions whose labels it looks at

  double difference() const { return label - other; }
};

// Attributes without a reason of their own, summed.
struct OtherAttributes {
  std::size_t count = 0;
  double label = 0, other = 0;

  double difference() const { return label - other; }
};

struct ExplainedPosition {
  std::size_t position = 0;
  Label label = 0;
  double probability = 0;        // p(y_t = label | x)
  std::optional<Label> other;    // by default the most probable of the others
  double other_probability = 0;  // p(y_t = other | x)
  // score(y) - score(y'); >= 0, as y is the best labelling; +inf where y' is forbidden.
  double difference = 0;
  // The largest |difference| first; those that are 0 for both labels are left out.  Empty, like all
  // of `rest`, where the model has no other label.
  std::vector<Reason> reasons;
  OtherAttributes rest;
  // Of the position and of the edge that arrives there, without START and STOP: how many there are,
  // and how many of these have no weight in the model.
  std::size_t attributes = 0, unknown = 0;
  std::vector<std::string> unknown_names;  // if asked for
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

// For people, in lines of at most some 100 columns.  `input`: what was explained; its rows and
// labels are shown where it has them.
std::string format_explanation(const Explanation& explanation, const LabelNames& names,
                               const InputSequence& input, std::string_view file);
// The same for programs, as docs/explain.md defines it: attributes in full, -inf and +inf as null.
// Strings are copied byte by byte: dump() throws where they are not UTF-8, unless told to replace.
Json explanation_json(const Explanation& explanation, const LabelNames& names,
                      const InputSequence& input, std::string_view file);

}  // namespace croft
