#include "data/graphs/network_builder.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/graphs/token_reader.h"
#include "structure/directed_cycle.h"

namespace croft {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr double kLargestUtility = 1e300;

void check_states(const NetworkNode& node) {
  if (node.kind == NodeKind::utility) return;
  if (node.states.empty()) {
    throw InputError(node.where, "a variable without states", node.name, "");
  }
  std::set<std::string_view> known;
  for (const std::string& each : node.states) {
    if (known.insert(each).second) continue;
    throw InputError(node.where, "variable " + node.name + " has two states of one name", each, "");
  }
}

std::string number_text(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

}  // namespace

void RoundedRows::normalise(std::span<double> row, const std::string& variable,
                            const Location& where) {
  double sum = 0;
  for (const double each : row) sum += each;
  const double off = std::abs(sum - 1);
  if (off > kMost + 1e-9) {  // 0.99 is within
    throw InputError(where, "probabilities of " + variable + " add up to", number_text(sum),
                     "they must add up to 1, within 0.01");
  }
  if (off <= 1e-12) return;
  for (double& each : row) each /= sum;
  if (off <= kUnsaid) return;
  if (rows_++ > 0) return;
  first_ = where;
  first_sum_ = sum;
  first_variable_ = variable;
}

void RoundedRows::add_note(std::vector<Message>& notes) const {
  if (rows_ == 0) return;
  notes.push_back({place_of(first_), ": probabilities of ", first_variable_, " add up to ",
                   number_text(first_sum_),
                   rows_ == 1
                       ? std::string()
                       : ", and other rows not to 1 either, " + std::to_string(rows_) + " in all",
                   "; each such row is divided by its sum"});
}

std::size_t NetworkBuilder::add(NetworkNode node) {
  check_states(node);
  if (!number_.emplace(node.name, nodes_.size()).second) {
    throw InputError(node.where, "there are two nodes of one name", node.name, "");
  }
  nodes_.push_back({std::move(node), false, {}, {}});
  return nodes_.size() - 1;
}

std::size_t NetworkBuilder::find(std::string_view name, const Location& where) const {
  const auto found = number_.find(name);
  if (found != number_.end()) return found->second;
  throw InputError(where, "there is no node of this name", name, "");
}

std::uint64_t NetworkBuilder::joint_states(std::span<const std::size_t> nodes) const {
  std::uint64_t joint = 1;
  for (const std::size_t n : nodes) {
    joint *= std::max<std::uint64_t>(nodes_[n].node.states.size(), 1);
    if (joint > kMostNumbers) return kMostNumbers + 1;
  }
  return joint;
}

void NetworkBuilder::check_numbers(const Node& node, std::span<double> numbers,
                                   const Location& where) {
  const std::size_t own = node.node.states.size();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double value = numbers[k];
    if (node.node.kind == NodeKind::utility) {
      if (std::abs(value) <= kLargestUtility) continue;
      throw InputError(where, "utility " + node.node.name + " has a value beyond 1e300",
                       number_text(value), "");
    }
    if (!(value >= 0) || std::isinf(value)) {
      throw InputError(where, "a probability of " + node.node.name + " is below 0 or no number",
                       number_text(value), "");
    }
    if ((k + 1) % own == 0) {
      rounded_.normalise(numbers.subspan(k + 1 - own, own), node.node.name, where);
    }
  }
}

void NetworkBuilder::define(std::size_t n, std::vector<std::size_t> parents,
                            std::span<const double> numbers, const Location& where) {
  Node& node = nodes_[n];
  const std::string& name = node.node.name;
  if (node.defined) throw InputError(where, "a node is defined twice", name, "");
  for (std::size_t k = 0; k < parents.size(); ++k) {
    const NetworkNode& parent = nodes_[parents[k]].node;
    if (parent.kind == NodeKind::utility) {
      throw InputError(where, "a utility cannot be a parent of " + name, parent.name, "");
    }
    const auto before = parents.begin() + static_cast<std::ptrdiff_t>(k);
    if (parents[k] == n || std::find(parents.begin(), before, parents[k]) != before) {
      throw InputError(where, "a variable is its own parent, or twice a parent of " + name,
                       parent.name, "");
    }
  }
  if (node.node.kind != NodeKind::decision) {
    std::vector<std::size_t> scope = parents;
    if (node.node.kind == NodeKind::chance) scope.push_back(n);
    const std::uint64_t wanted = joint_states(scope);
    if (wanted > kMostNumbers) {
      throw InputError(where, "a table of more than 2^26 numbers", name, "");
    }
    if (wanted != numbers.size()) {
      throw InputError(where,
                       "the table of " + name + " should have " + std::to_string(wanted) +
                           " numbers, one for each joint state, and has",
                       std::to_string(numbers.size()), "");
    }
  }
  node.numbers.assign(numbers.begin(), numbers.end());
  if (node.node.kind != NodeKind::decision) check_numbers(node, node.numbers, where);
  node.defined = true;
  node.parents = std::move(parents);
}

GraphFile NetworkBuilder::finish(const std::string& file) && {
  GraphFile out;
  out.directed = true;
  std::vector<Variable> variable(nodes_.size(), 0);
  std::vector<Location> where;  // [variables]
  bool placed = true;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const NetworkNode& node = nodes_[n].node;
    if (!nodes_[n].defined) {
      throw InputError(node.where, "a node without a table", node.name, "give one to each");
    }
    if (node.kind == NodeKind::utility) continue;
    variable[n] = out.graph.add_variable(node.states.size());
    out.names.variables.push_back(node.name);
    out.names.states.push_back(node.states);
    where.push_back(node.where);
    placed = placed && node.place.has_value();
    out.places.push_back(node.place.value_or(GraphPlace{}));
  }
  if (out.graph.variables() == 0) throw InputError({file}, "a network without a variable", "", "");
  if (!placed) out.places.clear();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    Node& node = nodes_[n];
    std::vector<Variable> scope;
    for (const std::size_t parent : node.parents) scope.push_back(variable[parent]);
    if (node.node.kind == NodeKind::decision) {
      out.decisions.push_back({variable[n], std::move(scope)});
    } else if (node.node.kind == NodeKind::utility) {
      out.utilities.push_back({node.node.name, std::move(scope), std::move(node.numbers)});
    } else {
      for (double& each : node.numbers) each = std::log(each);
      scope.push_back(variable[n]);
      out.graph.add_factor(scope, out.graph.add_table(node.numbers));
    }
  }
  check_acyclic(out, where);
  rounded_.add_note(out.notes);
  return out;
}

void check_acyclic(const GraphFile& net, std::span<const Location> where) {
  const std::vector<Variable> cycle = directed_cycle(net.graph, net.decisions);
  if (cycle.empty()) return;
  const std::string text =
      cycle_text(cycle, [&](Variable v) { return variable_name(net.names, v); });
  throw InputError(where[where.size() == 1 ? 0 : cycle.front()],
                   "each variable of a directed cycle is a cause of itself", text,
                   "a Bayesian network has no such cycle: leave out or turn one of its edges");
}

std::vector<double> numbers_in(std::string_view text, const Location& where) {
  std::vector<double> numbers;
  for (const std::string& word : words_in(text)) {
    double value = 0;
    if (parse_number(word, value) != NumberKind::finite) {
      throw InputError(where, "a number should be here", word, "");
    }
    numbers.push_back(value);
  }
  return numbers;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(kBlanks, at);
    if (at == text.npos) return words;
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
}

std::optional<GraphPlace> place_of_property(std::string_view property) {
  const std::size_t equal = property.find('='), open = property.find('('),
                    comma = property.find(','), close = property.find(')');
  if (equal == property.npos || close == property.npos) return {};
  if (!(equal < open && open < comma && comma < close)) return {};
  const std::vector<std::string> name = words_in(property.substr(0, equal));
  if (name.size() != 1 || name[0] != "position") return {};
  const std::vector<std::string> x = words_in(property.substr(open + 1, comma - open - 1)),
                                 y = words_in(property.substr(comma + 1, close - comma - 1));
  GraphPlace at;
  if (x.size() != 1 || parse_number(x[0], at.x) != NumberKind::finite) return {};
  if (y.size() != 1 || parse_number(y[0], at.y) != NumberKind::finite) return {};
  return at;
}

}  // namespace croft
