// Settings that are lines of a few fields: costs, weights, classes and codes of labels, penalties,
// groups of transitions, variances, expectations.
//
// Fields are separated by TABs where the line has one (labels may then contain spaces), otherwise
// by spaces.  Empty lines are skipped; a later line overrides an earlier one, unless it says
// otherwise below.  Readers throw InputError (file, line, text, remedy) at a line that is none of
// theirs.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

// At TABs, where the line has one: every field counts, also an empty one.  Otherwise at spaces,
// however many.
std::vector<std::string_view> split_fields(std::string_view line);
// The lines that are left, each with its end.
std::string text_of(LineReader& lines);
// At every separator; a text without one is one field.
std::vector<std::string> split_at(std::string_view text, char separator);

// Names with a star: * stands for any text, none included; \* is a star, \\ a backslash.
class NamePattern {
 public:
  explicit NamePattern(std::string_view pattern);
  bool matches(std::string_view name) const;

 private:
  std::vector<std::string> pieces_;  // between the stars, without escapes
};

template <class Rule>
struct RuleFile {
  std::string name;  // for messages
  std::vector<Rule> rules;
};

// Weights of sequences: one number a line, line n for sequence n of the data; an empty line is an
// error, too.  How many there should be is for the caller to check.  All are positive and finite.
std::vector<double> read_weight_file(LineReader& lines);

// Weights of labels: lines LABEL TAB WEIGHT; what no line names has weight 1.
struct LabelWeight {
  std::string label;  // as the data has it; it may hold spaces
  double weight;      // from 1e-12 to 1e12
  std::size_t line;
};
using LabelWeightFile = RuleFile<LabelWeight>;
// Throws at a label that was there before, too, and for a file without a line.
LabelWeightFile read_label_weight_file(LineReader& lines);
// The weight of each name.  Throws InputError (file, line, text, remedy) for a label that is none
// of them.
std::vector<double> weights_of(const LabelWeightFile& file,
                               std::span<const std::string_view> names);

// Classes of labels: lines LABEL CLASS, such as a word and its part of speech.  Throws for a label
// that an earlier line named, too, and for a file without a line.
using LabelClasses = std::unordered_map<std::string, std::string>;  // label -> class
LabelClasses read_label_class_file(LineReader& lines);

// Codes of labels: lines LABEL BITS, where BITS is a word of 0, 1 and - (a bit that does not
// matter), of one length on all lines.  Throws as read_label_class_file().
std::vector<std::pair<std::string, std::string>> read_code_file(LineReader& lines);

// What each mistake costs: a line GOLD PREDICTED COST for each pair of labels.
//
//   labels : as in the data; * stands for every label.  A backslash in front is dropped, so that
//            \* is the label "*", and \\a the label "\a".
//   costs  : 0 or more.  A pair without a line costs nothing, and neither does a right prediction,
//            which * never means.
struct CostRule {
  std::optional<std::string> gold, predicted;  // empty: every label
  double cost = 0;       // finite, >= 0; 0 where gold and predicted are one label
  std::size_t line = 0;  // for messages
  bool operator==(const CostRule&) const = default;
};
using CostFile = RuleFile<CostRule>;
// Throws for a cost other than 0 of predicting the right label, too.
CostFile read_cost_file(LineReader& lines);

// Soft penalties: a line TEST LABEL PENALTY for what a label's score loses where a test holds.
//
//   TEST    : *, which always holds; COLUMN=TEXT, the cell of that column (from 0) is TEXT; or, for
//             attribute lines, the name of an attribute that the item has.  A backslash in front
//             of an attribute is dropped, so that \* is the attribute "*", and \\a the attribute
//             "\a".
//   LABEL   : a pattern as LabelNames::matching (app/label/label_names.h) reads it
//   PENALTY : nats, at most 1e6 either way; a negative one favours the label
struct PenaltyRule {
  enum class Test { always, cell, attribute };
  Test test = Test::always;
  std::size_t column = 0;  // of a cell
  std::string text;        // the cell or the attribute
  std::string label;       // pattern, as written
  double penalty = 0;      // |penalty| <= kMostPenalty
  std::size_t line = 0;    // for messages
  bool operator==(const PenaltyRule&) const = default;
};
// Beyond that sums of scores lose the digits that tell labellings apart.
inline constexpr double kMostPenalty = 1e6;
using PenaltyFile = RuleFile<PenaltyRule>;
enum class PenaltyTests { cells, attributes };  // what a TEST other than * is about
// Throws for a file without a line, too.
PenaltyFile read_penalty_file(LineReader& lines, PenaltyTests tests);

// Groups of transitions that share a weight: a line FROM TO GROUP for each of them.
struct TransitionGroupRule {
  std::string from, to;              // NamePatterns
  std::optional<std::string> group;  // "-", no feature: the transition scores 0
  std::size_t line = 0;              // for messages
  bool operator==(const TransitionGroupRule&) const = default;
};
using TransitionGroupFile = RuleFile<TransitionGroupRule>;
// Throws for a file without a line, too.
TransitionGroupFile read_transition_group_file(LineReader& lines);

// Variances of a Gaussian prior by the names of features: lines PATTERN VARIANCE, relative to
// 1 / l2.  What no line names has variance 1.
struct VarianceRule {
  NamePattern pattern;  // of a name of an attribute, or of a template of transitions
  double variance;      // 1e-12 to 1e12
  std::string text;     // the pattern as it stands in the file
  std::size_t line;
};
using VarianceFile = RuleFile<VarianceRule>;
// Throws for a file without a line, too.
VarianceFile read_variance_file(LineReader& lines);
// The variance of each name.  Throws InputError (file, line, text, remedy) for a pattern that fits
// none of them; one whose names later lines all override fits.  Cost O(names times rules).
std::vector<double> variances_of(const VarianceFile& file, std::span<const std::string_view> names);

// What is expected of labels where an attribute is: a line ATTRIBUTE LABEL=SHARE LABEL=SHARE … for
// a distribution (what it leaves goes in equal parts to labels that it does not name), or with >=
// and
// <= in the place of = for bounds, each for itself.
enum class ShareRelation { equal, at_least, at_most };
struct LabelShare {
  std::string label;
  ShareRelation relation = ShareRelation::equal;
  double share = 0;  // 0 to 1
  bool operator==(const LabelShare&) const = default;
};
struct ExpectationRule {
  std::string attribute;           // as croft inspect shows it
  std::vector<LabelShare> shares;  // all equal, or none; a label once
  std::size_t line = 0;            // for messages
  bool operator==(const ExpectationRule&) const = default;
};
using ExpectationFile = RuleFile<ExpectationRule>;
// Throws for a distribution whose shares add up to more than 1, for an attribute that an earlier
// line names in the same way (distribution or bounds), and for a file without a line, too.
ExpectationFile read_expectation_file(LineReader& lines);

}  // namespace croft
