// What explanations of positions and of segments have in common: reasons, and how they are shown.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/label/label_names.h"
#include "app/label/sequence_source.h"
#include "app/label/tagger.h"
#include "app/view.h"

namespace croft {

struct ExplainOptions {
  std::vector<std::size_t> positions = {};  // to be explained, each < T; empty: all
  std::optional<Label> against = {};        // the other label; where it is predicted: as without
  std::size_t top = 5;                      // attributes with a reason of their own
  bool unknown = false;                     // name the attributes that the model does not know
  // Compare with the labels of the data, and so explain the stretches that are wrong, each as a
  // whole: those with one of the positions.  `against` is not looked at.
  bool gold = false;
  ChunkScheme scheme = ChunkScheme::automatic;  // of wholes; automatic: as the model's labels spell
};

// Positions [begin, end).
struct Stretch {
  std::size_t begin = 0, end = 0;
  bool operator==(const Stretch&) const = default;
};

// How the labels of a plan's model spell chunks, where it is not said.
ChunkScheme scheme_of(const TagPlan& plan, ChunkScheme asked);

// What one term adds to the score of the labelling, and would add with the other labels.
struct Reason {
  enum class Kind {
    attribute,       // of a position
    start,           // the edge from START, with the attribute `name`
    stop,            // the edge to STOP, likewise
    transition,      // of two neighbours, the same everywhere
    edge_attribute,  // of two neighbours where the edge between them has the attribute
    run,             // of three labels or more, in a model of order 2 or more
    limit,           // a constraint on the first or last label, or penalties
    history,         // the model has no path for the labels around the position
    segment,         // a string of a segment template
    pair,            // the same with the label before
    clique,          // a feature of a clique of a graph
    clique_score     // what a clique scores that has no features: a density, given weights
  };
  Kind kind;
  std::string name = {};           // of the attribute or string
  double value = 1;                // of the attribute
  double label = 0, other = 0;     // nats; -inf: forbidden, which `label` never is
  std::size_t begin = 0, end = 0;  // the positions that it looks at; of a graph begin is the factor

  double difference() const { return label - other; }
};

// Attributes and strings without a reason of their own, summed.
struct OtherAttributes {
  std::size_t count = 0;
  double label = 0, other = 0;

  double difference() const { return label - other; }
};

// What speaks for something that was predicted, and what for something else in its place.
struct Explained {
  std::string error;  // why there is nothing to compare with: a label that the model does not know
  // score(y) - score(y'); >= 0, as y is the best labelling; +inf where y' is forbidden.
  double difference = 0;
  // The largest |difference| first, without those that make none.  Empty, like all of `rest`, where
  // nothing else is possible.
  std::vector<Reason> reasons;
  OtherAttributes rest;
  // How many attributes there are, and how many of these have no weight in the model.
  std::size_t attributes = 0, unknown = 0;
  std::vector<std::string> unknown_names;  // if asked for
};

// Where predicted labels are not those of the data: each wrong position, and with it the others of
// the wholes that it is part of, and its wrong neighbours.  So no whole of either side is cut, and
// the labels next to a stretch are right.
//   wholes : chunks or segments of either side; none: each wrong position is one by itself
std::vector<Stretch> wrong_stretches(const std::vector<bool>& is_wrong,
                                     std::optional<std::span<const Stretch>> wholes);
// Whether one of options.positions is there, or all are asked for.
bool is_asked(const ExplainOptions& options, const Stretch& stretch);
// Throws UsageError for data without labels.
void check_gold(const TagInput& input);
// What Explained::error says of a label of the data that the model does not have.
std::string unknown_label(std::string_view name);

// Sums the reasons, sorts them, and adds up the attributes and strings beyond the `top` largest.
void finish_reasons(std::size_t top, Explained& out);
// Throws UsageError for a position or label that there is not.
//   of : what labels are of, " of segments"
void check_options(const ExplainOptions& options, std::size_t length, std::size_t labels,
                   std::string_view of);

// An explanation as it is shown.
struct ExplainedSequence {
  TagOutcome outcome;
  View view;
};
// How the sequences of a plan are explained; one a thread.  The plan must outlive it.
struct SequenceExplainer {
  LabelNames labels;  // that can be compared with
  std::function<ExplainedSequence(const TagInput&, const InputSequence&, const ExplainOptions&)>
      explain;
};

// --- internal to app/explain

// escaped(), and cut to `limit` characters, the last of which then is an ellipsis.
std::string shown(std::string_view text, std::size_t limit);
inline constexpr std::size_t kTerminalColumns = 100;

// A view that begins with the sequence's place, and ends there where it has no labelling.
//   key : of what JSON has null for then
ExplainedSequence begin_explanation(const TagOutcome& outcome, const TagInput& input,
                                    const InputSequence& read, std::string_view key);
// The first columns of positions, with blanks between; empty for attribute lines.
std::string words_of(const InputSequence& input, const Stretch& stretch);
// A table of the reasons, and the same in `document`.
//   describe : adds to a reason's JSON what it is, and says it
//   rest     : what the others are, "attribute"
void add_reasons(const Explained& one, std::string_view label, std::string_view other,
                 const std::function<std::string(const Reason&, Json&)>& describe,
                 std::string_view rest, std::string& text, Json& document);
void add_unknown(const Explained& one, std::string& text, Json& document);

}  // namespace croft
