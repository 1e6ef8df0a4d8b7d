// Expressions of a program as numbers and slots of a graph.
#pragma once
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bugs/compile/tables.h"
#include "bugs/graph.h"
#include "bugs/program.h"

namespace croft::bugs {

// A number that is the same in all states, or a slot.
struct Element {
  double number = 0;
  Slot slot = kNothing;
  bool constant() const { return slot == kNothing; }
};

struct Value {
  std::vector<std::size_t> dimensions = {};  // none: a scalar
  std::vector<Element> elements = {};
  bool missing = false;  // needs a relation that is not compiled yet; no elements then
  bool scalar() const { return elements.size() == 1; }
};

// Operations of a graph, each once.
class OperationTable {
 public:
  explicit OperationTable(ModelGraph& graph) : graph_(graph) {}
  Slot slot_of(const Element& element) {
    return element.constant() ? graph_.add_constant(element.number) : element.slot;
  }
  // A constant where all arguments are.
  Element apply(Function f, std::span<const Element> arguments);
  Element apply(Function f, std::initializer_list<Element> arguments) {
    return apply(f, std::span(arguments.begin(), arguments.size()));
  }
  std::vector<Element> apply_many(Function f, std::span<const Element> arguments,
                                  std::size_t outputs, std::uint8_t aux = 0, std::size_t rows = 1);
  // Throws InputError if a subscript of the pick can be outside the array.  If the values are too
  // many to find out, the graph watches it.
  void check_subscripts(OperationId pick, const Expression& e);
  // The number that cut(x) has: a node of its own, with x as its value.
  Element copy(const Element& x, const Location& where);
  const ModelGraph& graph() const { return graph_; }

 private:
  Element element_of(Slot slot) const;
  ModelGraph& graph_;
  std::unordered_multimap<std::uint64_t, OperationId> known_;
  std::vector<double> values_;  // [slots] scratch
  double tried_ = 0;            // joint values of all subscripts
  std::unordered_map<Slot, Slot> copies_;
};

class ExpressionCompiler {
 public:
  // operations : null: only constants are allowed, as in the range of a loop
  ExpressionCompiler(const ProgramTables& tables, OperationTable* operations, Counters counters)
      : tables_(tables), operations_(operations), counters_(counters) {}

  Value compile(const Expression& e);
  // Relations that have to be compiled before, each possibly more than once.
  const std::vector<std::uint32_t>& missing() const { return missing_; }

 private:
  Value name(const Expression& e);
  Value call(const Expression& e);
  Value elementwise(const Expression& e, Function f);
  bool is_scalar(const Expression& e) const;
  Value linear(const Expression& e);
  Value of_arrays(const Expression& e, const FunctionRow& row);
  Value matrix_product(const Expression& e, const Value& left, const Value& right);
  Value arranged(const Expression& e);
  Value ranked(const Expression& e);
  Value cut(const Expression& e);
  Value of_distribution(const Expression& e);
  Value picked(const Expression& e, const ProgramArray& array, std::span<const Value> subscripts);
  bool element(const Expression& e, const ProgramArray& array, std::size_t at, Element& out);
  std::vector<Value> compile_all(const Expression& e, bool& missing);
  Value broadcast(const Expression& e, Function f, std::span<const Value> arguments);
  // Throws where the relation computes too many elements.
  void charge(const Expression& e, double elements);
  double constant_argument(const Expression& e, const Value& value) const;
  OperationTable& operations(const Expression& e) const;

  struct Terms;
  bool add_terms(const Expression& e, double sign, Terms& terms);

  const ProgramTables& tables_;
  OperationTable* operations_;
  Counters counters_;
  std::vector<std::uint32_t> missing_;
  double charged_ = 0;
};

// Functions that only choose or arrange elements, and so are no rows of function_rows().
std::span<const std::string_view> arranging_functions();

// A whole number from 1 to `most`, or an InputError.
std::size_t subscript_of(const Expression& e, std::string_view array, double number,
                         std::size_t most);
[[noreturn]] void fail_at(const Expression& e, const Message& problem, std::string_view text = {},
                          const Message& remedy = {});

}  // namespace croft::bugs
