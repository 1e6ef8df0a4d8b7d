// A chain times a label automaton: a chain whose labellings are those that the automaton accepts.
//
// A state of the product is a pair (label, state of the automaton after it).  Since the automaton
// is deterministic, a labelling of the base has one run, so labellings of the product and accepted
// labellings of the base correspond one to one, with equal scores: log Z, marginals, the best, the
// K best and samples of the product are those under the constraint.  docs/math/constraints.md
// section 3.
//
//   const ChainProduct<float> product(model.transitions<float>(), count_chunks(...));   // once
//   product.lift(scores, lifted);                                                       // each x
//   viterbi(lifted, work, y);
//   product.project(y, y);
#pragma once
#include <span>
#include <vector>

#include "croft/structure/chain.h"
#include "croft/structure/label_automaton.h"

namespace croft {

// An upper bound on the edges of the product, known without building it.  An edge costs a recursion
// one step a position, and some 60 bytes; where that is too much, constrained_search.h remains.
template <class Real>
double most_product_edges(const TransitionScores<Real>& base, const LabelAutomaton& automaton);

// The tied part of the product; const after construction and shared by threads.  Scores that were
// lifted point to it, so it stays where it is.
template <class Real>
class ChainProduct {
 public:
  // overlays: scores with overlays will be lifted.  The transitions are dense then, P^2 numbers;
  // else as only_edges() (structure/chain_constraint.h) decides. Time and memory O(L^2 + edges of
  // the product).
  ChainProduct(const TransitionScores<Real>& base, const LabelAutomaton& automaton,
               bool overlays = false);
  ChainProduct(const ChainProduct&) = delete;
  ChainProduct& operator=(const ChainProduct&) = delete;

  // P >= 1: the pairs that can be reached and lead to acceptance.  If there is none, one that
  // cannot be used.  They are in the order of (label, state), so labels break ties first.
  std::size_t states() const { return label_of_.size(); }
  const std::vector<Label>& label_of() const { return label_of_; }  // [P] increasing
  const TransitionScores<Real>& transitions() const { return transitions_; }

  // Writes the scores of a chain over the product, log Z = -inf where nothing is accepted.  `base`
  // has the transitions that the product was built from.  False, with `product` as good as
  // forbidden, when T = 0 and the automaton does not accept the empty sequence: scores of length 0
  // cannot say so.  Time O(T P), and O(P^2) for each overlay.
  bool lift(const ChainScores<Real>& base, ChainScores<Real>& product) const;

  // The labelling of the base; y may be product_y itself.
  void project(std::span<const Label> product_y, std::span<Label> y) const;

  // Marginals [T][P] of the product's states, summed to those of labels [T][L].
  void project_states(const Matrix<Real>& product_marginals, Matrix<Real>& marginals) const;

 private:
  std::size_t base_labels_;
  TransitionScores<Real> transitions_;
  std::vector<Label> label_of_;
  std::vector<bool> starts_, accepts_;  // [P]
  bool accepts_empty_;
};

}  // namespace croft
