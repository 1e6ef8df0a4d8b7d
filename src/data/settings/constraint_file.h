// Constraint files: which labels may start and end a sequence and follow each other, as text.
//
//   start O B-*                      # an entity does not begin in its middle
//   * -> O B-*
//   B-{same} I-{same} -> I-{same}    # and goes on with its own type
//
// docs/constraints.md defines the format.
#pragma once
#include <span>
#include <string>

#include "croft/data/line_reader.h"
#include "croft/structure/chain_constraint.h"

namespace croft {

// The constraint that the lines say of labels with these names.  Throws InputError (file, line,
// column, text, remedy) at a line that is no rule, a name that is no label, a pattern that matches
// none; and when there is no rule, or no label is left that may start or end a sequence.
// Cost O(L^2 rules) at worst.
ChainConstraint read_constraint(LineReader lines, std::span<const std::string> names);

}  // namespace croft
