#include "bugs/compile/expressions.h"
#include "core/words/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace croft::bugs {
namespace {

Value scalar_of(Element element) { return {{}, {element}, false}; }

Value missing_value() {
  Value value;
  value.missing = true;
  return value;
}

// Without the dimensions of one element, as R drops them.
std::vector<std::size_t> dropped(std::span<const std::size_t> dimensions) {
  std::vector<std::size_t> kept;
  for (const std::size_t n : dimensions) {
    if (n != 1) kept.push_back(n);
  }
  return kept;
}

}  // namespace

void fail_at(const Expression& e, const Message& problem, std::string_view text,
             const Message& remedy) {
  throw InputError(e.where, problem, text.empty() ? std::string_view(e.name) : text, remedy);
}

std::size_t subscript_of(const Expression& e, std::string_view array, double number,
                         std::size_t most) {
  if (std::isnan(number)) fail_at(e, "a subscript is missing (NA)", array);
  if (number != std::floor(number)) {
    fail_at(e,
            Message("a subscript is ", fmt::format("{}", number), ", and has to be a whole number"),
            array);
  }
  if (number < 1 || number > static_cast<double>(most)) {
    fail_at(
        e,
        Message("a subscript is ", fmt::format("{}", number), ", and has to be from 1 to ", most),
        array);
  }
  return static_cast<std::size_t>(number);
}

void ExpressionCompiler::charge(const Expression& e, double elements) {
  charged_ += elements;
  if (charged_ > static_cast<double>(tables_.limits.values)) {
    fail_at(e, Message("a relation has more than ", tables_.limits.values, " elements"), {},
            "take smaller arrays");
  }
}

OperationTable& ExpressionCompiler::operations(const Expression& e) const {
  if (operations_ == nullptr) {
    fail_at(e, "bounds of loops and subscripts on the left have to be made of data and counters");
  }
  return *operations_;
}

Value ExpressionCompiler::compile(const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::number:
      return scalar_of({e.number});
    case ExpressionKind::name:
      return name(e);
    case ExpressionKind::call:
      return call(e);
    case ExpressionKind::absent:
      break;
  }
  fail_at(e, "an expression is missing");
}

// Whether the element is known; else what it needs is noted.
bool ExpressionCompiler::element(const Expression& e, const ProgramArray& array, std::size_t at,
                                 Element& out) {
  if (array.has_data(at)) {
    out = {array.data->values[at]};
    return true;
  }
  if (array.slots[at] != kNothing) {
    const Slot slot = array.slots[at];
    const ModelGraph& graph = operations(e).graph();
    out = graph.fixed(slot) ? Element{graph.initial()[slot]} : Element{0, slot};
    return true;
  }
  const std::string full = element_name(array.name, array.dimensions, at);
  if (array.relation[at] == kNothing) {
    if (array.data != nullptr) {
      fail_at(e, "a value is missing (NA) in the data, and no relation defines it", full,
              "give it a distribution or a value");
    }
    fail_at(e, "a node is not defined", full, "define it, or give it in the data");
  }
  operations(e);
  missing_.push_back(array.relation[at]);
  return false;
}

Value ExpressionCompiler::name(const Expression& e) {
  if (e.arguments.empty() && counters_.names != nullptr) {
    for (std::size_t k = counters_.names->size(); k-- > 0;) {
      if (*(*counters_.names)[k] == e.name) return scalar_of({counters_.values[k]});
    }
  }
  const ProgramArray* array = tables_.find(e.name);
  if (array == nullptr) {
    fail_at(e, "a name is not defined", e.name, "define it, or give it in the data");
  }
  if (array->slots.empty() && array->data == nullptr) operations(e);
  if (array->open && array->slots.empty()) {
    missing_.push_back(array->relation[0]);
    return missing_value();
  }
  const auto& dimensions = array->dimensions;
  if (!e.arguments.empty() && e.arguments.size() != dimensions.size()) {
    fail_at(e,
            Message(counted(e.arguments.size(), "subscript"), " for an array of ",
                    counted(dimensions.size(), "dimension")),
            e.name);
  }
  // Subscripts by dimension; those that move are slots.
  std::vector<Value> subscripts;
  bool missing = false, moving = false;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    Value value;
    if (e.arguments.empty() || e.arguments[d].kind == ExpressionKind::absent) {
      charge(e, static_cast<double>(dimensions[d]));
      for (std::size_t k = 1; k <= dimensions[d]; ++k) {
        value.elements.push_back({static_cast<double>(k)});
      }
    } else {
      value = compile(e.arguments[d]);
      for (const Element& x : value.elements) {
        if (!x.constant()) {
          moving = true;
          if (!value.scalar()) {
            fail_at(e.arguments[d], "a subscript that is not fixed has to be one number", e.name);
          }
          continue;
        }
        subscript_of(e.arguments[d], e.name, x.number, dimensions[d]);
      }
      missing = missing || value.missing;
    }
    subscripts.push_back(std::move(value));
  }
  if (missing) return missing_value();
  if (moving) return picked(e, *array, subscripts);

  std::vector<std::size_t> counts;
  std::size_t total = 1;
  for (const Value& s : subscripts) {
    counts.push_back(s.elements.size());
    total *= s.elements.size();
    if (total > tables_.limits.values) break;
  }
  charge(e, static_cast<double>(total));
  Value value;
  value.elements.resize(total);
  std::vector<std::size_t> at(counts.size(), 0);
  bool known = true;
  for (std::size_t k = 0; k < total; ++k) {
    std::size_t place = 0, stride = 1;
    for (std::size_t d = 0; d < counts.size(); ++d) {
      place += (static_cast<std::size_t>(subscripts[d].elements[at[d]].number) - 1) * stride;
      stride *= dimensions[d];
    }
    known = element(e, *array, place, value.elements[k]) && known;
    for (std::size_t d = 0; d < counts.size() && ++at[d] == counts[d]; ++d) at[d] = 0;
  }
  if (!known) return missing_value();
  value.dimensions = e.arguments.empty() ? counts : dropped(counts);
  if (total == 1) value.dimensions.clear();
  return value;
}

// Elements by subscripts that move: all that they can take, as one operation.
Value ExpressionCompiler::picked(const Expression& e, const ProgramArray& array,
                                 std::span<const Value> subscripts) {
  const auto& dimensions = array.dimensions;
  std::vector<Element> arguments, extents;
  std::vector<std::size_t> moving, standing;
  std::vector<std::size_t> strides;
  std::size_t stride = 1, states = 1, outputs = 1;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    strides.push_back(stride);
    stride *= dimensions[d];
    if (subscripts[d].scalar() && !subscripts[d].elements[0].constant()) {
      moving.push_back(d);
      arguments.push_back(subscripts[d].elements[0]);
      extents.push_back({static_cast<double>(dimensions[d])});
      states *= dimensions[d];
    } else {
      standing.push_back(d);
      outputs *= subscripts[d].elements.size();
    }
  }
  if (moving.size() > 8) fail_at(e, "too many subscripts are not fixed", e.name);
  charge(e, static_cast<double>(states) * static_cast<double>(outputs));
  if (outputs == 0) fail_at(e, "a part of an array is empty", e.name);
  arguments.insert(arguments.end(), extents.begin(), extents.end());
  bool known = true;
  for (std::size_t state = 0; state < states; ++state) {
    std::size_t base = 0, rest = state;
    for (const std::size_t d : moving) {
      base += rest % dimensions[d] * strides[d];
      rest /= dimensions[d];
    }
    for (std::size_t m = 0; m < outputs; ++m) {
      std::size_t place = base;
      rest = m;
      for (const std::size_t d : standing) {
        const auto& values = subscripts[d].elements;
        place += (static_cast<std::size_t>(values[rest % values.size()].number) - 1) * strides[d];
        rest /= values.size();
      }
      Element x;
      known = element(e, array, place, x) && known;
      arguments.push_back(x);
    }
  }
  if (!known) return missing_value();
  Value value;
  const std::size_t before = operations(e).graph().operations();
  value.elements = operations(e).apply_many(Function::pick, arguments, outputs,
                                            static_cast<std::uint8_t>(moving.size()));
  if (operations(e).graph().operations() > before) {
    operations(e).check_subscripts(static_cast<OperationId>(before), e);
  }
  if (outputs > 1) {
    for (const std::size_t d : standing) {
      if (subscripts[d].elements.size() != 1) {
        value.dimensions.push_back(subscripts[d].elements.size());
      }
    }
  }
  return value;
}

std::vector<Value> ExpressionCompiler::compile_all(const Expression& e, bool& missing) {
  std::vector<Value> values;
  for (const Expression& argument : e.arguments) {
    values.push_back(compile(argument));
    missing = missing || values.back().missing;
  }
  return values;
}

double ExpressionCompiler::constant_argument(const Expression& e, const Value& value) const {
  if (!value.scalar() || !value.elements[0].constant()) {
    fail_at(e, "an argument has to be one number that is known");
  }
  return value.elements[0].number;
}

// f element by element; one element goes with any number.
Value ExpressionCompiler::broadcast(const Expression& e, Function f,
                                    std::span<const Value> arguments) {
  Value value;
  std::size_t count = 1;
  for (const Value& a : arguments) {
    if (a.scalar()) continue;
    if (count != 1 && (a.elements.size() != count || a.dimensions != value.dimensions)) {
      fail_at(e, Message("arrays of ", count, " and ", a.elements.size(),
                         " elements do not go together"));
    }
    count = a.elements.size();
    value.dimensions = a.dimensions;
  }
  charge(e, static_cast<double>(count));
  std::vector<Element> one(arguments.size());
  value.elements.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    bool constant = true;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      one[a] = arguments[a].elements[arguments[a].scalar() ? 0 : k];
      constant = constant && one[a].constant();
    }
    if (operations_ == nullptr && constant && f != Function::if_else) {
      const FunctionRow& row = row_of(f);
      value.elements.push_back(
          {row.one != nullptr ? row.one(one[0].number) : row.two(one[0].number, one[1].number)});
    } else {
      value.elements.push_back(operations(e).apply(f, one));
    }
  }
  return value;
}

Value ExpressionCompiler::elementwise(const Expression& e, Function f) {
  const std::size_t wanted = row_of(f).arity == Arity::one   ? 1
                             : row_of(f).arity == Arity::two ? 2
                                                             : 3;
  if (e.arguments.size() != wanted) {
    fail_at(e, Message("the function has ", counted(wanted, "argument"), ", and is given ",
                       e.arguments.size()));
  }
  bool missing = false;
  const std::vector<Value> arguments = compile_all(e, missing);
  return missing ? missing_value() : broadcast(e, f, arguments);
}

// A sum of products: constant + sum of first * second.
struct ExpressionCompiler::Terms {
  double constant = 0;
  std::vector<std::pair<Element, Element>> products;
};

namespace {

bool is_call(const Expression& e, std::string_view name, std::size_t arguments) {
  return e.kind == ExpressionKind::call && e.name == name && e.arguments.size() == arguments;
}

}  // namespace

// Certainly one number, without a look at what defines it.
bool ExpressionCompiler::is_scalar(const Expression& e) const {
  const auto all = [&] {
    return std::ranges::all_of(e.arguments, [&](const Expression& a) { return is_scalar(a); });
  };
  if (e.kind == ExpressionKind::number) return true;
  if (e.kind == ExpressionKind::absent) return false;
  if (e.kind == ExpressionKind::name) {
    if (!e.arguments.empty()) return all();
    const ProgramArray* array = tables_.find(e.name);
    return array == nullptr || array->size() <= 1;
  }
  const FunctionRow* row = find_function(e.name);
  if (row == nullptr) return false;
  if (row->arity == Arity::all) return true;
  return row->arity != Arity::vector && row->arity != Arity::other && all();
}

// Of an expression that is one number.  False where a part is missing.
bool ExpressionCompiler::add_terms(const Expression& e, double sign, Terms& terms) {
  if (is_call(e, "+", 2)) {
    const bool first = add_terms(e.arguments[0], sign, terms);
    return add_terms(e.arguments[1], sign, terms) && first;
  }
  if (is_call(e, "-", 2)) {
    const bool first = add_terms(e.arguments[0], sign, terms);
    return add_terms(e.arguments[1], -sign, terms) && first;
  }
  if (is_call(e, "-", 1)) return add_terms(e.arguments[0], -sign, terms);
  if (is_call(e, "+", 1)) return add_terms(e.arguments[0], sign, terms);
  Element first{1}, second;
  const auto factor = [&](const Expression& part, Element& out) {
    const Value value = compile(part);
    if (value.missing) return false;
    if (!value.scalar()) fail_at(part, "an array stands where a number has to");
    out = value.elements[0];
    return true;
  };
  if (is_call(e, "*", 2)) {
    const bool left = factor(e.arguments[0], first);
    if (!factor(e.arguments[1], second) || !left) return false;
    if (first.constant() && second.constant()) {
      second = {product_of(first.number, second.number)};
      first = {1};
    } else if (second.constant()) {
      std::swap(first, second);
    }
  } else if (!factor(e, second)) {
    return false;
  }
  if (second.constant()) {
    terms.constant += sign * product_of(first.number, second.number);
    return true;
  }
  if (first.constant()) {
    first.number *= sign;
  } else if (sign < 0) {
    first = operations(e).apply(Function::negate, {first});
  }
  if (!(first.constant() && first.number == 0)) terms.products.emplace_back(first, second);
  return true;
}

// +, - and *: sums of products of numbers are one operation.
Value ExpressionCompiler::linear(const Expression& e) {
  if (!is_scalar(e)) {
    if (e.arguments.size() == 1 && e.name == "+") return compile(e.arguments[0]);
    if (e.arguments.size() == 1) return elementwise(e, Function::negate);
    return elementwise(e, e.name == "+"   ? Function::add
                          : e.name == "-" ? Function::subtract
                                          : Function::multiply);
  }
  Terms terms;
  if (!add_terms(e, 1, terms)) return missing_value();
  const auto is = [](const Element& x, double value) { return x.constant() && x.number == value; };
  auto& p = terms.products;
  if (p.empty()) return scalar_of({terms.constant});
  OperationTable& table = operations(e);
  const auto single = [&](std::size_t k) {
    if (is(p[k].first, -1)) return table.apply(Function::negate, {p[k].second});
    return table.apply(Function::multiply, {p[k].first, p[k].second});
  };
  if (p.size() == 1 && terms.constant == 0) return scalar_of(single(0));
  if (p.size() == 1 && is(p[0].first, 1)) {
    return scalar_of(table.apply(Function::add, {p[0].second, Element{terms.constant}}));
  }
  if (p.size() == 1 && is(p[0].first, -1)) {
    return scalar_of(table.apply(Function::subtract, {Element{terms.constant}, p[0].second}));
  }
  if (p.size() == 2 && terms.constant == 0) {
    if (is(p[0].first, 1) && is(p[1].first, 1)) {
      return scalar_of(table.apply(Function::add, {p[0].second, p[1].second}));
    }
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      if (is(p[k].first, 1) && is(p[1 - k].first, -1)) {
        return scalar_of(table.apply(Function::subtract, {p[k].second, p[1 - k].second}));
      }
    }
  }
  if (terms.constant != 0) p.emplace_back(Element{terms.constant}, Element{1});
  std::vector<Element> pairs;
  for (const auto& [first, second] : p) {
    pairs.push_back(first);
    pairs.push_back(second);
  }
  return scalar_of(table.apply_many(Function::inner_product, pairs, 1)[0]);
}

}  // namespace croft::bugs
