// Numbers of a graph as linear forms of a block of nodes:  s(x) = s_0 + sum of c_k x_k.
//
// Which elements a form has is found once.  Coefficients that are made of constants and data are
// computed once as well; the others, which other nodes move (sigma in sigma * b[i]), by a short
// list of instructions at each update.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "bugs/graph.h"

namespace croft::bugs {

class LinearForms {
 public:
  struct Entry {
    std::uint32_t element, coefficient;
  };

  LinearForms(const ModelGraph& graph, std::span<const NodeId> nodes);

  std::span<const Slot> elements() const { return elements_; }  // the nodes' numbers
  bool moves(Slot s) const { return has_form_[s] != 0; }        // with some node of the block
  bool linear(Slot s) const { return !moves(s) || find(s)->linear; }
  // Whether s_0 and all coefficients are the same in all states.
  bool constant(Slot s) const;
  // Empty for what does not move.
  std::span<const Entry> entries(Slot s) const;
  double coefficient(std::uint32_t c) const { return coefficients_[c]; }
  bool fixed(std::uint32_t c) const { return fixed_[c] != 0; }
  // Index of a coefficient that is the negative of another.
  std::uint32_t negated(std::uint32_t c);
  std::uint32_t one() const { return 0; }

  void refresh(const double* values);  // coefficients that are not fixed

 private:
  struct Form {
    bool linear = true;
    std::vector<Entry> entries;
    bool fixed_rest = true;  // s_0
  };
  enum class Kind : std::uint32_t { product, quotient, negation, sum, scaling, selection };
  struct Instruction {
    Kind kind;
    std::uint32_t out, a, b = 0;  // coefficients
    Slot factor = kNothing;
    double constant = 0;
    OperationId pick = kNothing;
    std::size_t place = 0;
  };
  struct Term {
    const Form* form;
    Kind kind = Kind::sum;  // sum: as it is
    Slot factor = kNothing;
  };

  std::uint32_t add(Instruction instruction, bool fixed);
  void run(const Instruction& i, const double* values);
  Form sum_of(std::span<const Term> terms);
  Form scaled(const Form& form, double constant);
  void add_operation(OperationId id);
  Form form_of(const Operation& o);
  void add_pick(OperationId id, const Operation& o);
  void add_matrix_product(const Operation& o);
  const Form* find(Slot s) const { return moves(s) ? &forms_.find(s)->second : nullptr; }
  Form& form_at(Slot s) {
    has_form_[s] = 1;
    return forms_[s];
  }
  std::size_t place_of(const Operation& o, const double* values) const;
  bool product_term(Slot x, Slot y, std::vector<Term>& terms) const;

  const ModelGraph& graph_;
  std::vector<Slot> elements_;
  std::unordered_map<Slot, Form> forms_;
  std::vector<std::uint8_t> has_form_;  // [slots]: tables that are picked from ask often
  std::vector<double> coefficients_;
  std::vector<std::uint8_t> fixed_;
  std::vector<Instruction> moving_;  // of coefficients that are not fixed, in order
};

}  // namespace croft::bugs
