// Rules that a labelling must obey as a whole, as text.
//
// clang-format off
//   at-most K TYPE, at-least K TYPE, exactly K TYPE   chunks of a type; * counts those of all types
//   at-most K label LABEL, …                          positions with a label, or a pattern like B-*
//   occurs LABEL                                      at least one position
//   not-both A B                                      no sequence has A and B
//   agree COLUMN                                      equal cells of a column, equal labels
//   agree PREFIX                                      attribute lines: equal attributes that begin so
// clang-format on
//
// Words are separated by blanks; one that contains some stands between double quotes, in which \"
// is a quote and \\ a backslash.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/label/label_names.h"
#include "app/label/tag_limits.h"
#include "croft/structure/chunk_label.h"
#include "croft/structure/label_automaton.h"
#include "features/extraction.h"

namespace croft {

// Positions with an equal cell of `column`, or that share an attribute with this prefix, carry the
// same label.
struct Agreement {
  InputFormat format = InputFormat::columns;
  std::size_t column = 0;
  std::string prefix;
};

struct Rules {
  std::vector<LabelAutomaton> automata;  // one a rule that counts or excludes
  std::vector<Agreement> agreements;
};

// A larger count exceeds what an automaton can hold.
inline constexpr std::size_t kMostCounted = 1'000'000;

//   scheme     : of chunks; not automatic.  none: the labels are not chunks
//   extraction : of the model: which format, how many columns
// Throws UsageError, with the rule and what may be written, for one that is none or fits no label.
Rules parse_rules(std::span<const std::string> texts, const LabelNames& names, ChunkScheme scheme,
                  const ExtractionConfig& extraction);

// The groups of two or more positions that have to agree, in the order of their first position.
// Throws Error when cells are compared and there are no rows.
std::vector<std::vector<std::size_t>> agreeing_positions(std::span<const Agreement> agreements,
                                                         const TagInput& input);

// Each rule, one by one: for labellings that no product was built for.
bool obeys(const Rules& rules, std::span<const std::vector<std::size_t>> groups,
           std::span<const Label> y);

}  // namespace croft
