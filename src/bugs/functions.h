// The functions of BUGS: one row each, with kernel and, where it is cheap, derivative.
//
// A function of scalars is applied element by element where its arguments are arrays.  Functions
// that only choose or arrange elements (t, rep, c, length, dim, seq) are not here: the compiler
// answers them.  docs/math/bugs.md has the definitions.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace croft::bugs {

enum class Function : std::uint8_t {
  // of one number
  negate,
  abs,
  exp,
  log,
  sqrt,
  ilogit,
  logit,
  phi,
  probit,
  icloglog,
  cloglog,
  loggam,
  logfact,
  step,
  logical_not,
  round,
  trunc,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  // of two
  add,
  subtract,
  multiply,
  divide,
  modulo,  // %/%'s remainder: a - b * floor(a / b)
  integer_divide,
  power,
  equals,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  // of three
  if_else,
  // of all elements of all arguments, to one number
  sum,
  prod,
  max,
  min,
  mean,
  sd,
  // of pairs: sum of x_k y_k; the arguments are x_1, y_1, x_2, y_2, ...
  inner_product,
  // of a vector, to a vector
  sort,
  rank,
  order,
  // x, then a curve: points e_1..e_n, values v_1..v_n; linear between them
  interpolate,
  // of matrices, columns after each other
  matrix_product,  // [r x k] then [k x c]
  inverse,
  log_determinant,
  // element of an array: subscripts i_1..i_d, extents n_1..n_d, then the elements.  With outputs m:
  // m elements for each joint subscript, which stand beside each other
  pick,
  // of a distribution of numbers (aux): x, then its parameters
  density,      // dnorm(x, mu, tau)
  log_density,  // logdensity.norm
  cumulative,   // pnorm
  quantile      // qnorm
};

enum class Arity : std::uint8_t { one, two, three, all, vector, other };

struct FunctionRow {
  Function function;
  std::string_view name, alias;  // as it is written; alias: another spelling, or empty
  Arity arity;
  double (*one)(double) = nullptr;
  double (*two)(double, double) = nullptr;
  double (*all)(std::span<const double>) = nullptr;
  // d f / d x given x and f(x); null: 0 almost everywhere, or not known (see `smooth`)
  double (*slope)(double x, double value) = nullptr;
  bool smooth = true;  // false: 0 almost everywhere
};

std::span<const FunctionRow> function_rows();  // in the order of the enumeration
inline const FunctionRow& row_of(Function f) {
  return function_rows()[static_cast<std::size_t>(f)];
}
// Null where there is no such function.
const FunctionRow* find_function(std::string_view name);

// a b, as BUGS has it: 0 times an infinite number is 0, so that 0 * log(0) is.
inline double product_of(double a, double b) {
  const double product = a * b;
  return product != product && (a == 0 || b == 0) && a == a && b == b ? 0 : product;
}

double normal_cumulative(double x);
double normal_quantile(double p);  // to the last digits; -inf and inf at 0 and 1, NaN outside

}  // namespace croft::bugs
