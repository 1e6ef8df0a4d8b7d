// The scores of a factor graph as beliefs of variables and what is left of the factors.  Internal
// to inference/; docs/math/graph_map.md section 1.
//
//   score(x) = constant + sum_v b_v(x_v) + sum_t (theta_t(x_t) - sum_{v in t} m_tv(x_v))    (MP.1)
//   b_v = theta_v + sum_t m_tv
//
// Terms are the factors of two variables or more.  Scores of -inf become numbers that all other
// factors together cannot make good: a bound of these scores is one of the graph's.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "croft/inference/graph_result.h"

namespace croft {

class Reparametrisation {
 public:
  using Term = std::uint32_t;
  struct Place {  // of a variable in a term
    Term term;
    std::uint32_t slot;
  };

  explicit Reparametrisation(const FactorGraph& graph);

  const FactorGraph& graph() const { return graph_; }
  std::size_t terms() const { return terms_.size(); }
  Factor factor(Term t) const { return terms_[t].factor; }
  std::span<const Variable> scope(Term t) const { return graph_.scope(terms_[t].factor); }
  std::span<const Place> places(Variable v) const {
    return std::span(place_).subspan(place_begin_[v], place_begin_[v + 1] - place_begin_[v]);
  }
  std::size_t states(Variable v) const { return graph_.states(v); }

  double constant() const { return constant_; }
  std::span<double> belief(Variable v) { return std::span(beliefs_).subspan(first_[v], states(v)); }
  std::span<const double> belief(Variable v) const {
    return std::span(beliefs_).subspan(first_[v], states(v));
  }
  std::size_t first_belief(Variable v) const { return first_[v]; }
  // Messages of a term stand side by side, in the order of its scope.
  std::size_t first_message(Term t, std::size_t slot) const {
    return slot_begin_[terms_[t].slot + slot];
  }
  std::span<double> message(Term t, std::size_t slot) {
    return std::span(messages_).subspan(first_message(t, slot), states(scope(t)[slot]));
  }
  std::span<double> messages(Term t) {
    return std::span(messages_).subspan(first_message(t, 0), terms_[t].width);
  }
  std::size_t width(Term t) const { return terms_[t].width; }  // of all its messages
  std::size_t offset(Term t, std::size_t slot) const {         // in them
    return first_message(t, slot) - first_message(t, 0);
  }
  std::vector<double>& all_beliefs() { return beliefs_; }
  std::vector<double>& all_messages() { return messages_; }
  // Beliefs anew from the messages, without what was rounded away or moved elsewhere.
  void gather_beliefs();

  // Below, `in` has the layout of the messages of the term: numbers or, where a state is out of the
  // question, -inf (not for all states of a variable).
  //   out[s] = max over x_t with x_slot = s of theta_t(x_t) + sum_{j != slot} in_j(x_j)
  void max_marginal(Term t, std::size_t slot, const double* in, double* out);
  //   out_k[s] = max over x_t with x_k = s of theta_t(x_t) + sum_j in_j(x_j), for all slots k
  void max_marginals(Term t, const double* in, double* out);
  // Of a pair's table: theta_t by the state of the other variable, then by that of the slot's own
  // [other states][states].  nullptr where the term is of another kind.
  const double* rows_for(Term t, std::size_t slot) const {
    const TermData& data = terms_[t];
    if (data.kind != Kind::pair) return nullptr;
    return slot == 0 ? data.transposed : data.numbers;
  }
  // The best joint state of theta_t + sum_j in_j, and its score.
  double best(Term t, const double* in, State* at);

  // Every allowed assignment scores more than this, in the scores here; every other one less.
  double allowed_above() const { return allowed_above_; }

  double bound();  // sum of the largest beliefs and of what is left of the terms

 private:
  enum class Kind : std::uint8_t {
    pair,
    table,
    sparse,
    potts,
    truncated_linear,
    truncated_quadratic,
    parity,
    cardinality
  };
  struct TermData {
    Factor factor;
    Kind kind;
    std::uint32_t slot, width;
    const double* numbers;     // the table; of pairs [n0][n1]; of others as in the graph
    const double* transposed;  // of pairs [n1][n0]
  };
  struct Numbers {
    std::vector<double> values, transposed;
  };

  void find_floor();
  double lifted(double score) const;
  void add_term(Factor f);
  const Numbers& table_of(Factor f);
  double theta(const TermData& t, const State* at) const;
  void pair_marginal(const TermData& t, std::size_t slot, const double* in, double* out);
  void distance_marginal(const TermData& t, std::size_t slot, const double* in, double* out);
  void table_marginals(const TermData& t, const double* in, double* out);
  void sparse_marginals(Term id, const double* in, double* out);
  void counting_marginals(const TermData& t, const double* in, double* out);

  const FactorGraph& graph_;
  double floor_ = 0;  // what -inf becomes
  double allowed_above_ = 0;
  double constant_ = 0;
  std::vector<std::size_t> first_;  // [variables]
  std::vector<double> unary_, beliefs_, messages_;
  std::vector<TermData> terms_;
  std::vector<std::size_t> slot_begin_;  // [slots of all terms]
  std::vector<std::size_t> place_begin_;
  std::vector<Place> place_;
  std::deque<Numbers> pool_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, const Numbers*> by_potential_;
  std::vector<double> scratch_, scratch_out_;  // [longest term]
  std::vector<State> at_;
};

}  // namespace croft
