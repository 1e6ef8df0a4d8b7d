// Calls in expressions: what only arranges numbers, and functions of whole arrays.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bugs/compile/expressions.h"
#include "bugs/distributions.h"
#include "core/words/counted.h"

namespace croft::bugs {
namespace {

Value vector_of(std::vector<Element> elements) {
  Value value;
  if (elements.size() != 1) value.dimensions = {elements.size()};
  value.elements = std::move(elements);
  return value;
}

Value not_yet() {
  Value value;
  value.missing = true;
  return value;
}

// Rows and columns; a vector is a column.
std::pair<std::size_t, std::size_t> matrix_shape(const Value& value) {
  if (value.dimensions.size() == 2) return {value.dimensions[0], value.dimensions[1]};
  return {value.elements.size(), 1};
}

struct DistributionCall {
  const Distribution* distribution = nullptr;
  Function function = Function::density;
};

// dnorm, pnorm, qnorm and, after its distribution's name, logdensity.norm.
DistributionCall distribution_call(std::string_view name) {
  const auto find = [](std::string_view rest) {
    return find_distribution(std::string("d").append(rest));
  };
  constexpr std::string_view kLog = "logdensity.";
  if (name.starts_with(kLog)) return {find(name.substr(kLog.size())), Function::log_density};
  if (name.size() < 2) return {};
  const std::string_view rest = name.substr(1);
  if (name[0] == 'd') return {find(rest), Function::density};
  if (name[0] == 'p') return {find(rest), Function::cumulative};
  if (name[0] == 'q') return {find(rest), Function::quantile};
  return {};
}

}  // namespace

std::span<const std::string_view> arranging_functions() {
  static constexpr std::string_view kNames[] = {":",      "c",   "rep", "seq",
                                                "length", "dim", "t",   "ranked"};
  return kNames;
}

Value ExpressionCompiler::call(const Expression& e) {
  const std::string& name = e.name;
  if (name == "+" || name == "-" || name == "*") {
    if (e.arguments.empty() || e.arguments.size() > 2) fail_at(e, "an operand is missing");
    return linear(e);
  }
  if (name == "**") return elementwise(e, Function::power);
  if (name == "ranked" || (name == "rank" && e.arguments.size() == 2)) return ranked(e);
  if (std::ranges::find(arranging_functions(), name) != arranging_functions().end()) {
    return arranged(e);
  }
  if (name == "cut") return cut(e);
  const FunctionRow* row = find_function(name);
  if (row == nullptr || row->name == "[]") {
    if (distribution_call(name).distribution != nullptr) return of_distribution(e);
    fail_at(e, "a function is not known", name, "docs/bugs.md lists the functions");
  }
  if (row->arity == Arity::one || row->arity == Arity::two || row->arity == Arity::three) {
    return elementwise(e, row->function);
  }
  return of_arrays(e, *row);
}

Value ExpressionCompiler::arranged(const Expression& e) {
  const auto count_is = [&](std::size_t least, std::size_t most) {
    if (e.arguments.size() < least || e.arguments.size() > most) {
      fail_at(e, Message("the function is given ", counted(e.arguments.size(), "argument")));
    }
  };
  bool missing = false;
  const std::vector<Value> values = compile_all(e, missing);
  if (missing) return not_yet();
  const auto whole = [&](std::size_t k, double most) {
    const double x = constant_argument(e, values[k]);
    if (x != std::floor(x) || !(std::abs(x) <= most)) {
      fail_at(e,
              Message("an argument is ", fmt::format("{}", x), ", and has to be a whole number"));
    }
    return x;
  };
  if (e.name == ":") {
    count_is(2, 2);
    const double first = whole(0, 1e15), last = whole(1, 1e15);
    charge(e, std::max(last - first + 1, 0.0));
    std::vector<Element> elements;
    for (double x = first; x <= last; ++x) elements.push_back({x});
    return vector_of(std::move(elements));
  }
  if (e.name == "seq") {
    count_is(3, 3);
    const double first = constant_argument(e, values[0]), last = constant_argument(e, values[1]);
    const double step = constant_argument(e, values[2]);
    const double count = std::floor((last - first) / step * (1 + 1e-12) + 1e-12) + 1;
    if (!(count >= 1)) fail_at(e, "the steps do not lead from the first number to the last");
    charge(e, count);
    std::vector<Element> elements;
    for (double k = 0; k < count; ++k) elements.push_back({first + k * step});
    return vector_of(std::move(elements));
  }
  if (e.name == "c") {
    count_is(1, 1'000'000);
    std::vector<Element> elements;
    for (const Value& v : values) {
      charge(e, static_cast<double>(v.elements.size()));
      elements.insert(elements.end(), v.elements.begin(), v.elements.end());
    }
    return vector_of(std::move(elements));
  }
  if (e.name == "rep") {
    count_is(2, 2);
    std::vector<Element> elements;
    const auto& from = values[0].elements;
    const auto& times = values[1].elements;
    if (times.size() != 1 && times.size() != from.size()) {
      fail_at(e, "rep takes one number of times, or one for each element");
    }
    const auto copies = [&](const Element& t) {
      if (!t.constant() || !(t.number >= 0) || t.number != std::floor(t.number)) {
        fail_at(e, "a number of times has to be known, and whole");
      }
      charge(e, t.number * (times.size() == 1 ? static_cast<double>(from.size()) : 1));
      return static_cast<std::size_t>(t.number);
    };
    if (times.size() == 1) {
      for (std::size_t k = copies(times[0]); k > 0; --k) {
        elements.insert(elements.end(), from.begin(), from.end());
      }
    } else {
      for (std::size_t k = 0; k < from.size(); ++k) {
        elements.insert(elements.end(), copies(times[k]), from[k]);
      }
    }
    return vector_of(std::move(elements));
  }
  count_is(1, 1);
  const Value& x = values[0];
  if (e.name == "length") return {{}, {{static_cast<double>(x.elements.size())}}, false};
  if (e.name == "dim") {
    std::vector<Element> elements;
    for (const std::size_t n : x.dimensions) elements.push_back({static_cast<double>(n)});
    if (elements.empty()) elements.push_back({1});
    return vector_of(std::move(elements));
  }
  if (x.dimensions.size() > 2) fail_at(e, "t takes a vector or a matrix");
  const auto [rows, columns] = matrix_shape(x);
  Value transposed;
  transposed.dimensions = {columns, rows};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      transposed.elements.push_back(x.elements[r + c * rows]);
    }
  }
  return transposed;
}

// ranked(v, k) is the k-th smallest element; rank(v, k) the number of elements up to the k-th one.
Value ExpressionCompiler::ranked(const Expression& e) {
  bool missing = false;
  const std::vector<Value> values = compile_all(e, missing);
  if (missing) return not_yet();
  if (values.size() != 2 || values[0].elements.empty() || !values[1].scalar()) {
    fail_at(e, "the function takes a vector and one number");
  }
  OperationTable& table = operations(e);
  std::vector<Element> from = values[0].elements;
  const auto n = from.size();
  const Element place = values[1].elements[0];
  const auto at = [&](std::span<const Element> elements) {
    if (place.constant()) return elements[subscript_of(e, e.name, place.number, n) - 1];
    std::vector<Element> arguments = {place, {static_cast<double>(n)}};
    arguments.insert(arguments.end(), elements.begin(), elements.end());
    return table.apply_many(Function::pick, arguments, 1, 1)[0];
  };
  if (e.name == "ranked") return {{}, {at(table.apply_many(Function::sort, from, n))}, false};
  const Element own = at(from);
  for (Element& x : from) {
    x = table.apply(Function::step, {table.apply(Function::subtract, {own, x})});
  }
  return {{}, {table.apply(Function::sum, from)}, false};
}

Value ExpressionCompiler::cut(const Expression& e) {
  bool missing = false;
  const std::vector<Value> values = compile_all(e, missing);
  if (missing) return not_yet();
  if (values.size() != 1) {
    fail_at(e, Message("the function has 1 argument, and is given ", values.size()));
  }
  Value value = values[0];
  for (Element& x : value.elements) x = operations(e).copy(x, e.where);
  return value;
}

Value ExpressionCompiler::matrix_product(const Expression& e, const Value& left,
                                         const Value& right) {
  auto [rows, inner] = matrix_shape(left);
  auto [below, columns] = matrix_shape(right);
  if (left.dimensions.size() < 2 && inner != below) std::swap(rows, inner);  // a row
  if (left.dimensions.size() > 2 || right.dimensions.size() > 2 || inner != below) {
    fail_at(e, Message("a matrix of ", rows, " x ", inner, " and one of ", below, " x ", columns,
                       " do not go together"));
  }
  std::vector<Element> arguments = left.elements;
  arguments.insert(arguments.end(), right.elements.begin(), right.elements.end());
  Value value;
  value.elements =
      operations(e).apply_many(Function::matrix_product, arguments, rows * columns, 0, rows);
  if (rows != 1 && columns != 1) {
    value.dimensions = {rows, columns};
  } else if (rows * columns != 1) {
    value.dimensions = {rows * columns};
  }
  return value;
}

Value ExpressionCompiler::of_arrays(const Expression& e, const FunctionRow& row) {
  bool missing = false;
  const std::vector<Value> values = compile_all(e, missing);
  if (missing) return not_yet();
  for (const Value& v : values) {
    if (v.elements.empty()) fail_at(e, "an argument has no elements");
  }
  const auto count_is = [&](std::size_t count) {
    if (values.size() != count) {
      fail_at(e, Message("the function has ", counted(count, "argument"), ", and is given ",
                         values.size()));
    }
  };
  std::vector<Element> all;
  for (const Value& v : values) all.insert(all.end(), v.elements.begin(), v.elements.end());
  if (row.arity == Arity::all) {
    if (all.empty()) fail_at(e, "the function has no argument");
    if (operations_ == nullptr && std::ranges::all_of(all, &Element::constant)) {
      std::vector<double> numbers;
      for (const Element& x : all) numbers.push_back(x.number);
      return {{}, {{row.all(numbers)}}, false};
    }
    return {{}, {operations(e).apply(row.function, all)}, false};
  }
  OperationTable& table = operations(e);
  if (row.arity == Arity::vector) {
    count_is(1);
    Value value = values[0];
    value.elements = table.apply_many(row.function, all, all.size());
    return value;
  }
  switch (row.function) {
    case Function::inner_product: {
      count_is(2);
      if (values[0].elements.size() != values[1].elements.size()) {
        fail_at(e, Message("arrays of ", values[0].elements.size(), " and ",
                           values[1].elements.size(), " elements do not go together"));
      }
      std::vector<Element> pairs;
      double constant = 0;
      for (std::size_t k = 0; k < values[0].elements.size(); ++k) {
        const Element a = values[0].elements[k], b = values[1].elements[k];
        const bool zero = (a.constant() && a.number == 0) || (b.constant() && b.number == 0);
        if (a.constant() && b.constant()) {
          constant += product_of(a.number, b.number);
        } else if (!zero) {
          pairs.push_back(b.constant() ? b : a);
          pairs.push_back(b.constant() ? a : b);
        }
      }
      if (pairs.empty()) return {{}, {{constant}}, false};
      if (constant != 0) pairs.insert(pairs.end(), {Element{constant}, Element{1}});
      return {{}, table.apply_many(Function::inner_product, pairs, 1), false};
    }
    case Function::interpolate:
      count_is(3);
      if (!values[0].scalar() || values[1].elements.size() != values[2].elements.size()) {
        fail_at(e, "interp.lin takes a number and two vectors of one length");
      }
      return {{}, table.apply_many(row.function, all, 1), false};
    case Function::matrix_product:
      count_is(2);
      return matrix_product(e, values[0], values[1]);
    default: {  // inverse, logdet
      count_is(1);
      const auto [rows, columns] = matrix_shape(values[0]);
      if (rows != columns) {
        fail_at(e, Message("a matrix of ", rows, " x ", columns, " is not square"));
      }
      if (row.function == Function::log_determinant) {
        return {{}, table.apply_many(row.function, all, 1), false};
      }
      Value value = values[0];
      value.elements = table.apply_many(row.function, all, all.size());
      return value;
    }
  }
}

Value ExpressionCompiler::of_distribution(const Expression& e) {
  const DistributionCall call = distribution_call(e.name);
  bool missing = false;
  const std::vector<Value> values = compile_all(e, missing);
  if (missing) return not_yet();
  const Distribution& d = *call.distribution;
  const bool scalars =
      d.value == Shape::scalar && std::ranges::all_of(d.parameters, [](const ParameterRow& p) {
        return p.shape == Shape::scalar;
      });
  if (!scalars) fail_at(e, "only a distribution of numbers has functions");
  const bool of_density =
      call.function == Function::density || call.function == Function::log_density;
  if (!of_density && !d.has_cdf) fail_at(e, "the distribution has no such function");
  if (values.size() != d.parameters.size() + 1) {
    fail_at(e, Message("the function has ", d.parameters.size() + 1, " arguments, and is given ",
                       values.size()));
  }
  Value value;
  std::size_t count = 1;
  for (const Value& v : values) {
    if (v.scalar()) continue;
    if (count != 1 && v.elements.size() != count) {
      fail_at(e, Message("arrays of ", count, " and ", v.elements.size(),
                         " elements do not go together"));
    }
    count = v.elements.size();
    value.dimensions = v.dimensions;
  }
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<Element> one;
    for (const Value& v : values) one.push_back(v.elements[v.scalar() ? 0 : k]);
    value.elements.push_back(
        operations(e).apply_many(call.function, one, 1, static_cast<std::uint8_t>(d.id))[0]);
  }
  return value;
}

}  // namespace croft::bugs
