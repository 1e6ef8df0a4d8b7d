// Which labels may start a chain, end it, and follow each other: a mask, and what it does to
// scores.
//
// A local constraint is -inf in the scores, set once.  Every recursion then sums or maximises over
// the labellings that are left, and a model trained with it is normalised over them.
// docs/math/constraints.md section 1.  What a labelling must obey as a whole is a LabelAutomaton.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "croft/structure/chain.h"

namespace croft {

// Everything is allowed at first.
struct ChainConstraint {
  explicit ChainConstraint(std::size_t count = 0)
      : labels(count), start(count, true), end(count, true), edge(count * count, true) {}

  std::size_t labels;
  std::vector<bool> start, end;  // [L] may stand at position 0, at T - 1
  std::vector<bool> edge;        // [L][L] j may follow i: edge[i * L + j]

  bool allows(Label i, Label j) const { return edge[i * labels + j]; }
  void set_edge(Label i, Label j, bool allowed) { edge[i * labels + j] = allowed; }
  bool operator==(const ChainConstraint&) const = default;
};

// I-X only after B-X or I-X; all else is free: O, and every label without one of the prefixes.
// A bare B or I has the empty type.  Throws Error, with labels found, when no label starts a chunk
// (B, with or without a type), and when one has a prefix that only bioes has (E- S- L- U- M-).
ChainConstraint bio_constraint(std::span<const std::string> names);

// B-X and I-X are followed by I-X or E-X; these come only after B-X or I-X; S-X stands alone.
// L is read as E, U as S, M as I.  Throws Error, with labels found, when no label ends a chunk
// (E, L, S or U, with or without a type).
ChainConstraint bioes_constraint(std::span<const std::string> names);

// Where a labelling breaks a constraint first.
struct ConstraintBreak {
  enum class Kind { start, edge, end };
  std::size_t position;
  Kind kind;  // edge: the one into `position`
  bool operator==(const ConstraintBreak&) const = default;
};
// None when y obeys.  Requires labels < constraint.labels.
std::optional<ConstraintBreak> check(const ChainConstraint& constraint, std::span<const Label> y);
// "I-PER may not follow O", "I-PER may not start a sequence", ...: the middle of an error message.
std::string describe(const ConstraintBreak& fault, std::span<const Label> y,
                     std::span<const std::string> names);

// `edges` with their scores over a background of -inf; edges are increasing, each once.
// only_edges() makes a sparse table where they are at most one in kListedShare of all, and a dense
// one otherwise.
inline constexpr std::size_t kListedShare = 8;
template <class Real>
TransitionScores<Real> only_edges(std::size_t labels, std::span<const Edge> edges,
                                  std::span<const Real> log);
template <class Real>
TransitionScores<Real> only_edges_dense(std::size_t labels, std::span<const Edge> edges,
                                        std::span<const Real> log);

// The scores with -inf on every edge that the constraint forbids; a copy when it forbids none.
//   dense            : stays dense
//   sparse, 0        : only_edges() of those that are left
//   sparse, forbidden: stays sparse; what is listed and not allowed is dropped
// Cost O(L^2).
template <class Real>
TransitionScores<Real> masked(const TransitionScores<Real>& scores,
                              const ChainConstraint& constraint);

// Adds the derivative of each edge of `from` to the cell that the edge has in `to`, if any: takes
// the expected counts of masked scores back to the scores that were masked.
//   derivative : [from.cells()];  out : [to.cells()]
template <class Real>
void add_cells(const TransitionScores<Real>& from, std::span<const double> derivative,
               const TransitionScores<Real>& to, std::span<double> out);

// -inf on the states of position 0 and T - 1 whose labels may not start or end.  The transitions
// are shared by many chains: mask them once, by masked().  Where nothing is left, log Z = -inf.
template <class Real>
void apply(const ChainConstraint& constraint, ChainScores<Real>& scores);

}  // namespace croft
