#include "bugs/graph.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>
#include <set>

#include "bugs/distributions.h"

namespace croft::bugs {
namespace {

// Whether so many arguments and outputs fit the function.
bool fits(Function f, std::size_t count, std::uint32_t outputs, std::uint8_t aux,
          std::uint32_t rows) {
  const auto is_square = [](std::size_t n) {
    const auto root = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(n))));
    return n > 0 && root * root == n;
  };
  switch (row_of(f).arity) {
    case Arity::one:
      return count == 1 && outputs == 1;
    case Arity::two:
      return count == 2 && outputs == 1;
    case Arity::three:
      return count == 3 && outputs == 1;
    case Arity::all:
      return count >= 1 && outputs == 1;
    case Arity::vector:
      return count == outputs && count >= 1;
    case Arity::other:
      break;
  }
  switch (f) {
    case Function::inner_product:
      return count % 2 == 0 && outputs == 1;
    case Function::interpolate:
      return count >= 3 && count % 2 == 1 && outputs == 1;
    case Function::matrix_product:
      return rows > 0 && outputs % rows == 0 && outputs > 0 && count > 0 &&
             count % (rows + outputs / rows) == 0;
    case Function::inverse:
      return count == outputs && is_square(count);
    case Function::log_determinant:
      return outputs == 1 && is_square(count);
    case Function::pick:
      return aux > 0 && outputs > 0 && count > std::size_t{2} * aux &&
             (count - std::size_t{2} * aux) % outputs == 0;
    default:  // of a distribution
      return count >= 1 && outputs == 1;
  }
}

constexpr std::size_t kMostSlots = 0xfffffff0;

}  // namespace

Slot ModelGraph::add_constant(double value) {
  const bool keep = !std::isnan(value) && !(value == 0 && std::signbit(value));
  if (keep) {
    const auto found = constants_.find(value);
    if (found != constants_.end()) return found->second;
  }
  const auto slot = static_cast<Slot>(initial_.size());
  initial_.push_back(value);
  operation_of_.push_back(kNothing);
  node_of_.push_back(kNothing);
  fixed_.push_back(1);
  if (keep) constants_.emplace(value, slot);
  return slot;
}

Slot ModelGraph::add_operation(Function f, std::span<const Slot> arguments, std::uint32_t outputs,
                               std::uint8_t aux, std::uint32_t rows) {
  bool all_fixed = true;
  for (const Slot s : arguments) {
    if (s >= initial_.size()) throw UsageError("an operation uses a slot that is not there");
    all_fixed = all_fixed && fixed_[s] != 0;
  }
  if (!fits(f, arguments.size(), outputs, aux, rows)) {
    throw UsageError(std::string(row_of(f).name), ": ", std::to_string(arguments.size()),
                     " arguments do not fit");
  }
  if (initial_.size() + outputs > kMostSlots || slots_.size() + arguments.size() > kMostSlots) {
    throw Error("the model has more than four thousand million numbers");
  }
  Operation o{f, aux};
  o.count = static_cast<std::uint32_t>(arguments.size());
  o.a = arguments[0];
  o.b = arguments.size() > 1 ? arguments[1] : arguments[0];
  o.first = static_cast<std::uint32_t>(slots_.size());
  o.out = static_cast<Slot>(initial_.size());
  o.outputs = outputs;
  o.rows = rows;
  const auto id = static_cast<OperationId>(operations_.size());
  slots_.insert(slots_.end(), arguments.begin(), arguments.end());
  operations_.push_back(o);
  for (std::uint32_t m = 0; m < outputs; ++m) {
    initial_.push_back(std::numeric_limits<double>::quiet_NaN());
    operation_of_.push_back(id);
    node_of_.push_back(kNothing);
    fixed_.push_back(all_fixed ? 1 : 0);
  }
  if (all_fixed) evaluate(id, initial_.data());
  return o.out;
}

NodeId ModelGraph::add_node(const NodeSpec& spec) {
  Node n{spec.distribution};
  const auto check = [&](Slot s) {
    if (s >= initial_.size()) throw UsageError("a node uses a slot that is not there");
  };
  n.first_parameter = static_cast<std::uint32_t>(parameters_.size());
  n.parameters = static_cast<std::uint32_t>(spec.parameters.size());
  for (const NodeParameter& p : spec.parameters) {
    if (p.slots.empty()) throw UsageError("a node has a parameter without numbers");
    for (const Slot s : p.slots) check(s);
    const auto count = static_cast<std::uint32_t>(p.slots.size());
    const std::uint32_t rows = p.rows == 0 ? count : p.rows;
    parameters_.push_back({static_cast<std::uint32_t>(slots_.size()), count, rows});
    slots_.insert(slots_.end(), p.slots.begin(), p.slots.end());
  }
  if (spec.lower != kNothing) check(spec.lower);
  if (spec.upper != kNothing) check(spec.upper);
  if (spec.count == 0 || (!spec.observed.empty() && spec.observed.size() != spec.count)) {
    throw UsageError("a node of ", std::to_string(spec.count), " numbers observes ",
                     std::to_string(spec.observed.size()));
  }
  n.observed = !spec.observed.empty();
  n.first = static_cast<Slot>(initial_.size());
  n.count = spec.count;
  n.rows = spec.rows == 0 ? spec.count : spec.rows;
  n.lower = spec.lower;
  n.upper = spec.upper;
  n.line = spec.line;
  n.column = spec.column;
  const auto id = static_cast<NodeId>(nodes_.size());
  for (std::uint32_t k = 0; k < spec.count; ++k) {
    initial_.push_back(n.observed ? spec.observed[k] : std::numeric_limits<double>::quiet_NaN());
    operation_of_.push_back(kNothing);
    node_of_.push_back(id);
    fixed_.push_back(n.observed ? 1 : 0);
  }
  nodes_.push_back(n);
  names_.push_back(spec.name);
  return id;
}

void ModelGraph::add_array(const std::string& name, NamedArray array) {
  arrays_.insert_or_assign(name, std::move(array));
}

std::string ModelGraph::describe(NodeId id) const {
  std::string text = names_[id].empty() ? "node " + std::to_string(id) : names_[id];
  if (nodes_[id].line > 0) text += " (line " + std::to_string(nodes_[id].line) + ")";
  return text;
}

// visit(slot) for every slot that a node's density takes beside its own.
template <class Visit>
void ModelGraph::for_used(NodeId id, const Visit& visit) const {
  const Node& n = nodes_[id];
  for (const Parameter& p : parameters(n)) {
    for (const Slot s : slots_of(p)) visit(s);
  }
  if (n.lower != kNothing) visit(n.lower);
  if (n.upper != kNothing) visit(n.upper);
}

void ModelGraph::finish(std::size_t most_entries) {
  constants_.clear();
  mark_informative();
  make_lists(most_entries);
}

ModelGraph ModelGraph::given(std::span<const NodeId> nodes, const double* values) const {
  ModelGraph graph = *this;
  for (const NodeId id : nodes) {
    Node& n = graph.nodes_[id];
    n.observed = true;
    std::copy_n(values + n.first, n.count, graph.initial_.begin() + n.first);
    std::fill_n(graph.fixed_.begin() + n.first, n.count, std::uint8_t{1});
  }
  for (OperationId id = 0; id < operations_.size(); ++id) {
    const Operation& o = operations_[id];
    if (fixed(o.out) || !std::ranges::all_of(arguments(o), [&](Slot s) { return graph.fixed(s); }))
      continue;
    std::fill_n(graph.fixed_.begin() + o.out, o.outputs, std::uint8_t{1});
    graph.evaluate(id, graph.initial_.data());
  }
  graph.finish();
  return graph;
}

// From the last slot to the first: what leads to an informative node.  A node that is itself
// informative makes what it uses lead there.
void ModelGraph::mark_informative() {
  std::vector<std::uint8_t> leads(initial_.size(), 0);
  needed_.assign(operations_.size(), 0);
  for (std::size_t at = initial_.size(); at-- > 0;) {
    const auto slot = static_cast<Slot>(at);
    if (const NodeId id = node_of_[slot]; id != kNothing && nodes_[id].first == slot) {
      Node& n = nodes_[id];
      n.informative = n.observed;
      for (Slot s = n.first; s < n.first + n.count; ++s) {
        n.informative = n.informative || leads[s] != 0;
      }
      if (n.informative) for_used(id, [&](Slot s) { leads[s] = 1; });
    } else if (const OperationId o = operation_of_[slot];
               o != kNothing && operations_[o].out == slot) {
      for (std::uint32_t m = 0; m < operations_[o].outputs; ++m) {
        if (leads[slot + m] != 0) needed_[o] = 1;
      }
      if (needed_[o] != 0) {
        for (const Slot s : arguments(operations_[o])) leads[s] = 1;
      }
    }
  }
  sampled_.clear();
  predicted_.clear();
  observed_.clear();
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    (nodes_[id].observed      ? observed_
     : nodes_[id].informative ? sampled_
                              : predicted_)
        .push_back(id);
  }
  kept_current_.clear();
  for (OperationId o = 0; o < operations_.size(); ++o) {
    if (needed_[o] != 0 && fixed_[operations_[o].out] == 0) kept_current_.push_back(o);
  }
}

// Users of slots, then for each node a walk over them.
void ModelGraph::make_lists(std::size_t most_entries) {
  // Entries are operations and, after all of them, nodes.
  const std::size_t operations = operations_.size();
  std::vector<std::size_t> begin(initial_.size() + 1, 0);
  std::vector<std::uint32_t> user;
  const auto for_all = [&](const auto& visit) {
    for (const OperationId o : kept_current_) {
      for (const Slot s : arguments(operations_[o])) {
        if (fixed_[s] == 0) visit(s, o);
      }
    }
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      // A copy says nothing about what it is made from.
      if (!nodes_[id].informative || nodes_[id].distribution == DistributionId::copied) continue;
      for_used(id, [&](Slot s) {
        if (fixed_[s] == 0) visit(s, static_cast<std::uint32_t>(operations + id));
      });
    }
  };
  if (operations + nodes_.size() > kMostSlots) throw Error("the model has too many nodes");
  for_all([&](Slot s, std::uint32_t) { ++begin[s + 1]; });
  for (std::size_t s = 0; s < initial_.size(); ++s) begin[s + 1] += begin[s];
  user.resize(begin.back());
  std::vector<std::size_t> place(begin.begin(), begin.end() - 1);
  for_all([&](Slot s, std::uint32_t who) { user[place[s]++] = who; });

  dependents_.clear();
  children_.clear();
  dependents_begin_.assign(1, 0);
  children_begin_.assign(1, 0);
  std::vector<std::uint32_t> seen(operations + nodes_.size(), kNothing), stack;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const Node& n = nodes_[id];
    const std::size_t first_dependent = dependents_.size(), first_child = children_.size();
    const auto visit_users = [&](Slot s) {
      for (std::size_t k = begin[s]; k < begin[s + 1]; ++k) {
        if (seen[user[k]] == id) continue;
        seen[user[k]] = id;
        stack.push_back(user[k]);
      }
    };
    if (!n.observed && n.informative) {
      for (Slot s = n.first; s < n.first + n.count; ++s) visit_users(s);
    }
    while (!stack.empty()) {
      const std::uint32_t who = stack.back();
      stack.pop_back();
      if (who >= operations) {
        children_.push_back(static_cast<NodeId>(who - operations));
        continue;
      }
      dependents_.push_back(who);
      const Operation& o = operations_[who];
      for (std::uint32_t m = 0; m < o.outputs; ++m) visit_users(o.out + m);
    }
    if (dependents_.size() + children_.size() > most_entries) {
      throw Error("the model is too large: the nodes depend on each other in more than ",
                  std::to_string(most_entries), " ways");
    }
    std::sort(dependents_.begin() + static_cast<std::ptrdiff_t>(first_dependent),
              dependents_.end());
    std::sort(children_.begin() + static_cast<std::ptrdiff_t>(first_child), children_.end());
    dependents_begin_.push_back(dependents_.size());
    children_begin_.push_back(children_.size());
  }
}

std::vector<OperationId> ModelGraph::dependents_of(std::span<const NodeId> nodes) const {
  std::vector<OperationId> all;
  for (const NodeId id : nodes) {
    const auto some = dependents(id);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<NodeId> ModelGraph::children_of(std::span<const NodeId> nodes) const {
  std::vector<NodeId> all;
  for (const NodeId id : nodes) {
    const auto some = children(id);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<Step> ModelGraph::needed_for(std::span<const Slot> slots) const {
  // The largest slot first: what a step uses lies below it.
  std::priority_queue<Slot> open;
  std::vector<std::uint8_t> seen(initial_.size(), 0);
  const auto want = [&](Slot s) {
    if (s == kNothing || fixed_[s] != 0) return;
    if (operation_of_[s] != kNothing) {
      if (needed_[operation_of_[s]] != 0) return;
      s = operations_[operation_of_[s]].out;
    } else {
      if (nodes_[node_of_[s]].informative) return;
      s = nodes_[node_of_[s]].first;
    }
    if (seen[s] != 0) return;
    seen[s] = 1;
    open.push(s);
  };
  for (const Slot s : slots) want(s);
  std::vector<Step> steps;
  while (!open.empty()) {
    const Slot s = open.top();
    open.pop();
    if (const OperationId o = operation_of_[s]; o != kNothing) {
      steps.push_back({o, false});
      for (const Slot argument : arguments(operations_[o])) want(argument);
    } else {
      steps.push_back({node_of_[s], true});
      for_used(node_of_[s], want);
    }
  }
  std::ranges::reverse(steps);
  return steps;
}

GraphParts ModelGraph::parts_of(std::vector<Slot> slots, std::size_t most) const {
  std::set<OperationId> operations;
  std::set<NodeId> nodes;
  while (!slots.empty() && nodes.size() + operations.size() <= most) {
    const Slot s = slots.back();
    slots.pop_back();
    if (s == kNothing || fixed(s)) continue;
    if (const NodeId id = node_of_[s]; id != kNothing) {
      nodes.insert(id);
    } else if (operations.insert(operation_of_[s]).second) {
      const auto used = arguments(operations_[operation_of_[s]]);
      slots.insert(slots.end(), used.begin(), used.end());
    }
  }
  return {{operations.begin(), operations.end()}, {nodes.begin(), nodes.end()}};
}

std::vector<Step> ModelGraph::forward() const {
  std::vector<Step> steps;
  for (Slot s = 0; s < initial_.size(); ++s) {
    if (fixed_[s] != 0) continue;
    const OperationId o = operation_of_[s];
    if (o != kNothing && operations_[o].out == s) steps.push_back({o, false});
    const NodeId n = node_of_[s];
    if (n != kNothing && nodes_[n].first == s) steps.push_back({n, true});
  }
  return steps;
}

}  // namespace croft::bugs
