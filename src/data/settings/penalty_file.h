// Soft penalties as text: a line TEST LABEL PENALTY for what a label's score loses where a test
// holds.
//
//   fields   : separated by TABs where the line has one, else by spaces
//   TEST     : *, which always holds; COLUMN=TEXT, the cell of that column (from 0) is TEXT; or,
//   for
//              attribute lines, the name of an attribute that the item has.  A backslash in front
//              of an attribute is dropped, so that \* is the attribute "*", and \\a the attribute
//              "\a".
//   LABEL    : a pattern as LabelNames::matching (app/label_names.h) reads it
//   PENALTY  : nats, at most 1e6 either way; a negative one favours the label
//   Empty lines are skipped.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

// Beyond that sums of scores lose the digits that tell labellings apart.
inline constexpr double kMostPenalty = 1e6;

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

struct PenaltyFile {
  std::string name;  // for messages
  std::vector<PenaltyRule> rules;
};

enum class PenaltyTests { cells, attributes };  // what a TEST other than * is about

// Throws InputError (file, line, text, remedy) at a line that has not three fields, a test of cells
// that is not COLUMN=TEXT, and a penalty that is not a finite number; and when there is no line.
PenaltyFile read_penalty_file(LineReader& lines, PenaltyTests tests);

}  // namespace croft
