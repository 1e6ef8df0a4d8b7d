#include <algorithm>

#include "bugs/compile/expressions.h"
#include "bugs/distributions.h"

namespace croft::bugs {

Element OperationTable::element_of(Slot slot) const {
  if (graph_.fixed(slot)) return {graph_.initial()[slot], kNothing};
  return {0, slot};
}

Element OperationTable::apply(Function f, std::span<const Element> arguments) {
  const FunctionRow& row = row_of(f);
  const auto number = [&](std::size_t k, double value) {
    return arguments[k].constant() && arguments[k].number == value;
  };
  if (std::ranges::all_of(arguments, &Element::constant)) {
    if (row.one != nullptr) return {row.one(arguments[0].number)};
    if (row.two != nullptr) return {row.two(arguments[0].number, arguments[1].number)};
    if (row.all != nullptr) {
      std::vector<double> numbers;
      for (const Element& e : arguments) numbers.push_back(e.number);
      return {row.all(numbers)};
    }
  }
  // What is the same for every finite number; fewer operations are kept current then.
  switch (f) {
    case Function::add:
      if (number(0, 0)) return arguments[1];
      if (number(1, 0)) return arguments[0];
      break;
    case Function::subtract:
      if (number(1, 0)) return arguments[0];
      break;
    case Function::multiply:
      if (number(0, 0) || number(1, 0)) return {0};
      if (number(0, 1)) return arguments[1];
      if (number(1, 1)) return arguments[0];
      break;
    case Function::divide:
      if (number(0, 0)) return {0};
      if (number(1, 1)) return arguments[0];
      break;
    case Function::power:
      if (number(1, 0)) return {1};
      if (number(1, 1)) return arguments[0];
      break;
    case Function::if_else:
      if (arguments[0].constant()) return arguments[arguments[0].number != 0 ? 1 : 2];
      break;
    case Function::sum:
    case Function::prod:
    case Function::mean:
    case Function::max:
    case Function::min:
      if (arguments.size() == 1) return arguments[0];
      break;
    default:
      break;
  }
  return apply_many(f, arguments, 1)[0];
}

Element OperationTable::copy(const Element& x, const Location& where) {
  if (x.constant()) return x;
  const auto [it, is_new] = copies_.emplace(x.slot, kNothing);
  if (is_new) {
    const NodeId of = graph_.node_of(x.slot);
    NodeSpec spec{DistributionId::copied};
    spec.parameters = {{{x.slot}}};
    spec.name = of == kNothing ? "cut" : "cut(" + std::string(graph_.name(of)) + ")";
    spec.line = static_cast<std::uint32_t>(where.line);
    spec.column = static_cast<std::uint32_t>(where.column);
    it->second = graph_.node(graph_.add_node(spec)).first;
  }
  return {0, it->second};
}

std::vector<Element> OperationTable::apply_many(Function f, std::span<const Element> arguments,
                                                std::size_t outputs, std::uint8_t aux,
                                                std::size_t rows) {
  std::vector<Slot> slots;
  slots.reserve(arguments.size());
  std::uint64_t hash = 0x9E3779B97F4A7C15u * (static_cast<std::uint64_t>(f) + 1) + outputs * 31 +
                       aux * 7919u + rows * 104729u;
  for (const Element& e : arguments) {
    slots.push_back(slot_of(e));
    hash = (hash ^ slots.back()) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
  }
  Slot out = kNothing;
  const auto [begin, end] = known_.equal_range(hash);
  for (auto at = begin; at != end && out == kNothing; ++at) {
    const Operation& o = graph_.operation(at->second);
    if (o.function == f && o.outputs == outputs && o.aux == aux && o.rows == rows &&
        std::ranges::equal(graph_.arguments(o), slots)) {
      out = o.out;
    }
  }
  if (out == kNothing) {
    out = graph_.add_operation(f, slots, static_cast<std::uint32_t>(outputs), aux,
                               static_cast<std::uint32_t>(rows));
    known_.emplace(hash, graph_.operation_of(out));
  }
  std::vector<Element> elements;
  for (std::size_t m = 0; m < outputs; ++m) {
    elements.push_back(element_of(out + static_cast<Slot>(m)));
  }
  return elements;
}

}  // namespace croft::bugs
