// A compiled BUGS model: stochastic nodes and deterministic operations over one flat vector of
// numbers a chain.
//
//   p(x) = product over stochastic nodes of  p(x_n | parameters_n(x))
//
// Every number of the model (constant, element of a node, output of an operation) has a slot; a
// chain is a vector<double> by slot.  Slots, operations and nodes are numbered in topological
// order: what is added uses only slots that are there, so a cycle cannot be built.  For each
// unobserved node the graph has the operations between it and its stochastic children, in order, so
// that a sampler sets the node's numbers, runs those operations and adds the children's densities:
//
//   values[node.first] = x;
//   graph.evaluate(graph.dependents(n), values);
//   for (NodeId child : graph.children(n)) log_p += log_density(graph, child, values);
//
// A node without observed descendants says nothing about others: it is `predicted`, is among
// nobody's children, and is drawn forward when the others are known.
//
// Threads: const calls may run at once.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bugs/functions.h"
#include "croft/core/error.h"

namespace croft::bugs {

using Slot = std::uint32_t;
using NodeId = std::uint32_t;
using OperationId = std::uint32_t;
inline constexpr std::uint32_t kNothing = 0xffffffff;  // no slot, no node, no operation

enum class DistributionId : std::uint8_t;  // distributions.h

struct Operation {
  Function function;
  std::uint8_t aux = 0;     // pick: subscripts; density ... quantile: the distribution
  std::uint32_t count = 0;  // of arguments
  Slot a = 0, b = 0;        // the first two of them
  std::uint32_t first = 0;  // ModelGraph::arguments
  Slot out = 0;             // its outputs are out, out + 1, ...
  std::uint32_t outputs = 1;
  std::uint32_t rows = 1;  // matrix_product: of the first matrix
};

// A parameter of a distribution: scalar, vector or matrix (columns after each other).
struct Parameter {
  std::uint32_t first = 0, count = 1;  // of ModelGraph::slots
  std::uint32_t rows = 1;              // a vector has count rows
  std::uint32_t columns() const { return rows == 0 ? 0 : count / rows; }
};

struct Node {
  DistributionId distribution;
  bool observed = false;
  bool informative = false;  // observed, or with an observed descendant
  std::uint32_t first_parameter = 0, parameters = 0;
  Slot first = 0;  // its own numbers are first, first + 1, ...
  std::uint32_t count = 1, rows = 1;
  Slot lower = kNothing, upper = kNothing;  // of T(lower, upper)
  std::uint32_t line = 0, column = 0;       // of its relation in the program
};

struct NodeParameter {
  std::vector<Slot> slots;
  std::uint32_t rows = 0;  // 0: a vector
};

struct NodeSpec {
  DistributionId distribution;
  std::vector<NodeParameter> parameters = {};
  std::uint32_t count = 1;  // of own numbers
  std::uint32_t rows = 0;   // 0: a vector, or a scalar
  Slot lower = kNothing, upper = kNothing;
  std::string name = {};  // theta[2], Y[1,1:3]
  std::uint32_t line = 0, column = 0;
  std::vector<double> observed = {};  // [count]; empty: not observed
};

// A named array of the program, for monitors and initial values.
struct NamedArray {
  std::vector<std::size_t> dimensions;
  std::vector<Slot> slots;  // in R's order; kNothing: not defined
};

// Of evaluation in order: an operation, or the draw of a node.
struct Step {
  std::uint32_t id;
  bool is_node;
};

// The parts of a few slots without those that are fixed: operations in order, unobserved nodes.
struct GraphParts {
  std::vector<OperationId> operations;
  std::vector<NodeId> nodes;
};

class ModelGraph {
 public:
  // --- Building.  Slots that are used must be there: UsageError otherwise.
  Slot add_constant(double value);  // one slot for equal values
  // Returns the first of the outputs.  Throws UsageError for arguments that do not fit.
  Slot add_operation(Function f, std::span<const Slot> arguments, std::uint32_t outputs = 1,
                     std::uint8_t aux = 0, std::uint32_t rows = 1);
  Slot add_operation(Function f, std::initializer_list<Slot> arguments) {
    return add_operation(f, std::span(arguments.begin(), arguments.size()));
  }
  NodeId add_node(const NodeSpec& spec);
  void set_file(std::string file) { file_ = std::move(file); }  // of the program
  // A pick whose subscripts may be outside the array: evaluate() throws InputError where they are.
  void watch_subscripts(OperationId pick, Location where, std::string array) {
    watched_.insert_or_assign(pick, Watched{std::move(where), std::move(array)});
  }
  void add_array(const std::string& name, NamedArray array);
  // Makes the lists below.  Nothing is added afterwards.
  //   most_entries : of them; Error beyond it
  void finish(std::size_t most_entries = std::size_t{1} << 28);

  // --- The model.
  std::size_t slots() const { return initial_.size(); }
  std::size_t operations() const { return operations_.size(); }
  // About the memory that it takes while it is built.
  std::size_t bytes() const {
    return initial_.size() * 24 + slots_.size() * sizeof(Slot) +
           operations_.size() * (sizeof(Operation) + 48) + nodes_.size() * (sizeof(Node) + 64);
  }
  std::size_t nodes() const { return nodes_.size(); }
  const Operation& operation(OperationId id) const { return operations_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  std::string_view name(NodeId id) const { return names_[id]; }
  // Of a message: "theta[2] (line 7)".
  std::string describe(NodeId id) const;
  Location where(NodeId id) const { return {file_, nodes_[id].line, nodes_[id].column}; }
  const std::map<std::string, NamedArray, std::less<>>& arrays() const { return arrays_; }

  std::span<const Slot> arguments(const Operation& o) const {
    return std::span(slots_).subspan(o.first, o.count);
  }
  std::span<const Parameter> parameters(const Node& n) const {
    return std::span(parameters_).subspan(n.first_parameter, n.parameters);
  }
  std::span<const Slot> slots_of(const Parameter& p) const {
    return std::span(slots_).subspan(p.first, p.count);
  }
  // The slot of a scalar parameter, or the first of another.
  Slot slot_of(const Node& n, std::size_t parameter) const {
    return slots_[parameters_[n.first_parameter + parameter].first];
  }
  // By slot: constants and observed numbers, NaN elsewhere.  Every chain starts as a copy.
  const std::vector<double>& initial() const { return initial_; }

  // Where a slot's number comes from: an operation or a node; both kNothing: a constant.
  OperationId operation_of(Slot s) const { return operation_of_[s]; }
  NodeId node_of(Slot s) const { return node_of_[s]; }
  // Whether its number is the same in all states: a constant or observed, or made of these alone.
  bool fixed(Slot s) const { return fixed_[s] != 0; }

  // The model given some of its nodes: they are observed, with their numbers in `values`, a state
  // of this model.  Slots and nodes have the same numbers.
  ModelGraph given(std::span<const NodeId> nodes, const double* values) const;

  // --- Lists, after finish().
  // Unobserved nodes that a sampler has to update, and those that are drawn forward after them.
  std::span<const NodeId> sampled() const { return sampled_; }
  std::span<const NodeId> predicted() const { return predicted_; }
  std::span<const NodeId> observed() const { return observed_; }
  // Operations between an unobserved informative node and its informative children, in order; none
  // that leads only to monitors or predicted nodes.
  std::span<const OperationId> dependents(NodeId n) const {
    return std::span(dependents_)
        .subspan(dependents_begin_[n], dependents_begin_[n + 1] - dependents_begin_[n]);
  }
  // Informative nodes with a parameter (or bound) that depends on n, in order.
  std::span<const NodeId> children(NodeId n) const {
    return std::span(children_).subspan(children_begin_[n],
                                        children_begin_[n + 1] - children_begin_[n]);
  }
  // Operations with an unfixed argument that lead to an informative node, in order: what is current
  // in a state between updates.
  std::span<const OperationId> kept_current() const { return kept_current_; }
  // The same lists for several nodes at once, each entry once, in order.
  std::vector<OperationId> dependents_of(std::span<const NodeId> nodes) const;
  std::vector<NodeId> children_of(std::span<const NodeId> nodes) const;

  // Operations and predicted nodes that the slots need beyond what is kept current, in order.
  std::vector<Step> needed_for(std::span<const Slot> slots) const;
  // All operations that are not fixed and all unobserved nodes, in order: a draw from the prior.
  std::vector<Step> forward() const;

  // kNothing among the slots is passed over.  Of more than `most` parts, a few more than that.
  GraphParts parts_of(std::vector<Slot> slots,
                      std::size_t most = std::numeric_limits<std::size_t>::max()) const;

  // --- Numbers.
  // Runs operations in the order given.  [slots()]
  void evaluate(std::span<const OperationId> which, double* values) const;
  void evaluate(OperationId which, double* values) const { evaluate({&which, 1}, values); }
  // d out / d argument of an operation with one output, at the values; 0 for steps, NaN where not
  // known (sort, inverse, ...).
  double slope(OperationId which, std::size_t argument, const double* values) const;
  // Forward derivatives: tangents[out] = sum of slope * tangents[argument], in the order given.
  // [slots()]; those of slots that do not move must be 0.
  void tangents(std::span<const OperationId> which, const double* values, double* tangents) const;

 private:
  struct Watched {
    Location where;
    std::string array;
  };

  void run_other(const Operation& o, double* values) const;
  void check_watched(OperationId pick, const double* values) const;
  void mark_informative();
  void make_lists(std::size_t most_entries);
  template <class Visit>
  void for_used(NodeId n, const Visit& visit) const;

  std::string file_;
  std::vector<double> initial_;            // [slots]
  std::vector<OperationId> operation_of_;  // [slots]
  std::vector<NodeId> node_of_;            // [slots]
  std::vector<std::uint8_t> fixed_;        // [slots]
  std::vector<Operation> operations_;
  std::vector<Node> nodes_;
  std::vector<std::string> names_;
  std::vector<Parameter> parameters_;
  std::vector<Slot> slots_;
  std::map<double, Slot> constants_;
  std::map<OperationId, Watched> watched_;
  std::map<std::string, NamedArray, std::less<>> arrays_;

  std::vector<NodeId> sampled_, predicted_, observed_;
  std::vector<std::uint8_t> needed_;  // [operations]: leads to an informative node
  std::vector<OperationId> kept_current_, dependents_;
  std::vector<NodeId> children_;
  std::vector<std::size_t> dependents_begin_, children_begin_;  // [nodes + 1]
};

// Of Function::pick: the place among joint subscripts, the first running fastest; past the end
// where one is outside.
std::size_t picked_place(const Operation& o, std::span<const Slot> arguments, const double* values);

// Says why a subscript is outside an array of `extent`: "a subscript is 4, and has to be from 1 to
// 3"; empty if it is inside.
//   when : "where \"k\" is 3", or empty
std::string subscript_fault(double subscript, double extent, std::string_view when = {});

// --- What samplers ask.

// How a number depends on nodes, when everything else stands still.
enum class Dependence : std::uint8_t {
  none,
  scale,   // a x, one node's number only
  linear,  // a + b x; of several nodes: a + sum of b_k x_k
  other
};

// By slot, for slots of the nodes and outputs of their dependents; `none` elsewhere.
//   coefficients_fixed : by slot, whether the coefficients of scale or linear are fixed in all
//                        states (constants and data); may be null
std::vector<Dependence> dependence_on(const ModelGraph& graph, std::span<const NodeId> nodes,
                                      std::vector<bool>* coefficients_fixed = nullptr);

}  // namespace croft::bugs
