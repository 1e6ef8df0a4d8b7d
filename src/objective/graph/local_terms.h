// Objectives that are sums of small softmaxes: pseudo-likelihood, per-edge, piecewise.
//
//   L = sum_t m_t (log sum_o exp s_t(o) - s_t(known)),     s_t(o) = sum_k theta[place_t(o, k)]
//                                                                                          (GC.6)
//
//   pseudo-likelihood        a term for each variable, given its neighbours
//   per-edge                 a term for each factor: its variables together, given their neighbours
//   piecewise                a term for each factor, with its own score alone
//   piecewise pseudo-lik.    a term for each variable of each factor, with the factor's score alone
//   pieces                   a term for each set of factors: their variables, with their scores
//
// Terms that have the same places and the same known outcome are one, m_t times: where weights are
// tied, a grid of a million variables has a few dozen.
// Besag (1975); Sutton & McCallum (2012) section 5.4; Sutton & McCallum (2007).
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "croft/core/error.h"
#include "objective/graph/pieces.h"

namespace croft {

enum class LocalKind { pseudo_likelihood, per_edge, piecewise, piecewise_pseudo_likelihood };

// A term before it is one: the variables that are free, and the factors whose scores count.
struct TermShape {
  std::vector<Variable> free;
  std::vector<Factor> factors;
};
using VisitTerm =
    std::function<void(std::span<const Variable> free, std::span<const Factor> factors)>;
// The terms of a graph one after the other, in an order that is its own.
void visit_terms(const FactorGraph& graph, LocalKind kind, const VisitTerm& visit);
void visit_terms(const FactorGraph& graph, std::span<const FactorSet> pieces,
                 const VisitTerm& visit);

// A term of more joint states than are listed.
class LargeTerm : public Error {
 public:
  LargeTerm(Factor factor, const std::string& what) : Error(what), factor_(factor) {}
  Factor factor() const { return factor_; }  // one of the term's

 private:
  Factor factor_;
};

class LocalTerms final : public GraphObjective {
 public:
  // Throws UsageError for hidden variables, Error for a term of more than 2^20 outcomes.
  //   weight : [variables] of the term of one variable, whose L it multiplies; empty: 1
  LocalTerms(const FactorGraph& graph, std::span<const State> known, LocalKind kind,
             std::span<const double> weight = {});
  // A term for each piece, of which each factor is in one.  The same exceptions.
  LocalTerms(const FactorGraph& graph, std::span<const State> known,
             std::span<const FactorSet> pieces);
  // Of these terms alone, which may be some of the graph's.
  LocalTerms(const FactorGraph& graph, std::span<const State> known,
             std::span<const TermShape> terms, std::span<const double> weight = {});
  // O(places of all terms).
  double evaluate(std::span<double> gradient) override;

  std::size_t terms() const;  // that are different

 private:
  struct Term {
    std::uint64_t first = 0;  // in places_: [outcomes][width]
    std::uint32_t outcomes = 0, width = 0, known = 0;
    bool row = false;  // width 1, and the places follow each other
    double count = 1;
  };
  // Terms of two outcomes with the same width, one after the other.
  struct Pairs {
    std::uint32_t width = 0;
    std::vector<std::uint32_t> places;  // [terms][width] of {the known outcome's, the other's}
    std::vector<double> count;          // [terms]; empty: all are 1
    std::vector<double> difference;     // [terms] scratch, and then p of the other outcome
  };
  class Builder;
  static void check(const FactorGraph& graph, std::span<const State> known);
  bool find_differences(Pairs& pairs) const;
  bool allowed(const Term& term) const;
  double evaluate(const Term& term, std::span<double> gradient);

  const FactorGraph& graph_;
  std::vector<Pairs> pairs_;
  std::vector<Term> terms_;            // all others
  std::vector<std::uint32_t> places_;  // in numbers_
  std::vector<double> numbers_;        // the graph's, and then scores that no number says
  std::vector<double> score_, extended_;
};

inline GraphObjectiveMaker local_terms(LocalKind kind) {
  return [=](const FactorGraph& graph, std::span<const State> known) {
    return std::make_unique<LocalTerms>(graph, known, kind);
  };
}

}  // namespace croft
