#include "bugs/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

namespace croft::bugs {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double as_number(bool value) { return value ? 1 : 0; }
bool is_true(double x) { return x != 0; }

double log_density_of_normal(double x) {
  return -0.5 * x * x - 0.5 * std::log(2 * std::numbers::pi);
}

double logistic(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

// Of more than one number: sqrt(sum (x - mean)^2 / (n - 1)).
double standard_deviation(std::span<const double> x) {
  double mean = 0;
  for (const double value : x) mean += value;
  mean /= static_cast<double>(x.size());
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / (static_cast<double>(x.size()) - 1));
}

// psi(x) by recurrence up to 10 and the asymptotic series there.
double digamma(double x) {
  if (std::isnan(x) || (x <= 0 && x == std::floor(x))) return kNan;
  if (x < 0) return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * x);
  double shift = 0;
  while (x < 10) {
    shift -= 1 / x;
    x += 1;
  }
  const double r = 1 / (x * x);
  return shift + std::log(x) - 0.5 / x -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))));
}

using F = Function;
using One = double (*)(double);
using Two = double (*)(double, double);
using All = double (*)(std::span<const double>);
using Slope = double (*)(double, double);

FunctionRow one(F f, std::string_view name, One kernel, Slope slope, std::string_view alias = "") {
  return {f, name, alias, Arity::one, kernel, nullptr, nullptr, slope, true};
}
FunctionRow flat(F f, std::string_view name, One kernel, std::string_view alias = "") {
  return {f, name, alias, Arity::one, kernel, nullptr, nullptr, nullptr, false};
}
FunctionRow two(F f, std::string_view name, Two kernel, bool smooth, std::string_view alias = "") {
  return {f, name, alias, Arity::two, nullptr, kernel, nullptr, nullptr, smooth};
}
FunctionRow all(F f, std::string_view name, All kernel) {
  return {f, name, "", Arity::all, nullptr, nullptr, kernel, nullptr, true};
}
FunctionRow other(F f, std::string_view name, Arity arity, std::string_view alias = "") {
  return {f, name, alias, arity, nullptr, nullptr, nullptr, nullptr, true};
}

std::vector<FunctionRow> make_rows() {
  std::vector<FunctionRow> rows = {
      one(
          F::negate, "u-", [](double x) { return -x; }, [](double, double) { return -1.0; }),
      one(
          F::abs, "abs", [](double x) { return std::abs(x); },
          [](double x, double) { return x < 0 ? -1.0 : 1.0; }),
      one(
          F::exp, "exp", [](double x) { return std::exp(x); }, [](double, double f) { return f; }),
      one(
          F::log, "log", [](double x) { return std::log(x); },
          [](double x, double) { return 1 / x; }),
      one(
          F::sqrt, "sqrt", [](double x) { return std::sqrt(x); },
          [](double, double f) { return 0.5 / f; }),
      one(F::ilogit, "ilogit", logistic,
          [](double x, double) {
            const double e = std::exp(-std::abs(x));
            return e / ((1 + e) * (1 + e));
          }),
      one(
          F::logit, "logit", [](double p) { return std::log(p) - std::log1p(-p); },
          [](double p, double) { return 1 / (p * (1 - p)); }),
      one(F::phi, "phi", normal_cumulative,
          [](double x, double) { return std::exp(log_density_of_normal(x)); }),
      one(F::probit, "probit", normal_quantile,
          [](double, double f) { return std::exp(-log_density_of_normal(f)); }),
      one(
          F::icloglog, "icloglog", [](double x) { return -std::expm1(-std::exp(x)); },
          [](double x, double) { return std::exp(x - std::exp(x)); }),
      one(
          F::cloglog, "cloglog", [](double p) { return std::log(-std::log1p(-p)); },
          [](double p, double) { return -1 / ((1 - p) * std::log1p(-p)); }),
      one(
          F::loggam, "loggam", [](double x) { return std::lgamma(x); },
          [](double x, double) { return digamma(x); }, "lgamma"),
      one(
          F::logfact, "logfact", [](double x) { return std::lgamma(x + 1); },
          [](double x, double) { return digamma(x + 1); }, "lfactorial"),
      flat(F::step, "step", [](double x) { return as_number(x >= 0); }),
      flat(F::logical_not, "!", [](double x) { return as_number(!is_true(x)); }),
      flat(F::round, "round", [](double x) { return std::round(x); }),
      flat(F::trunc, "trunc", [](double x) { return std::trunc(x); }),
      one(
          F::sin, "sin", [](double x) { return std::sin(x); },
          [](double x, double) { return std::cos(x); }),
      one(
          F::cos, "cos", [](double x) { return std::cos(x); },
          [](double x, double) { return -std::sin(x); }),
      one(
          F::tan, "tan", [](double x) { return std::tan(x); },
          [](double, double f) { return 1 + f * f; }),
      one(
          F::asin, "arcsin", [](double x) { return std::asin(x); },
          [](double x, double) { return 1 / std::sqrt(1 - x * x); }, "asin"),
      one(
          F::acos, "arccos", [](double x) { return std::acos(x); },
          [](double x, double) { return -1 / std::sqrt(1 - x * x); }, "acos"),
      one(
          F::atan, "arctan", [](double x) { return std::atan(x); },
          [](double x, double) { return 1 / (1 + x * x); }, "atan"),
      one(
          F::sinh, "sinh", [](double x) { return std::sinh(x); },
          [](double x, double) { return std::cosh(x); }),
      one(
          F::cosh, "cosh", [](double x) { return std::cosh(x); },
          [](double x, double) { return std::sinh(x); }),
      one(
          F::tanh, "tanh", [](double x) { return std::tanh(x); },
          [](double, double f) { return 1 - f * f; }),
      one(
          F::asinh, "arcsinh", [](double x) { return std::asinh(x); },
          [](double x, double) { return 1 / std::sqrt(x * x + 1); }, "asinh"),
      one(
          F::acosh, "arccosh", [](double x) { return std::acosh(x); },
          [](double x, double) { return 1 / std::sqrt(x * x - 1); }, "acosh"),
      one(
          F::atanh, "arctanh", [](double x) { return std::atanh(x); },
          [](double x, double) { return 1 / (1 - x * x); }, "atanh"),
      two(
          F::add, "+", [](double a, double b) { return a + b; }, true),
      two(
          F::subtract, "-", [](double a, double b) { return a - b; }, true),
      two(F::multiply, "*", product_of, true),
      two(
          F::divide, "/", [](double a, double b) { return a / b; }, true),
      two(
          F::modulo, "%%", [](double a, double b) { return a - b * std::floor(a / b); }, false),
      two(
          F::integer_divide, "%/%", [](double a, double b) { return std::floor(a / b); }, false),
      two(
          F::power, "^", [](double a, double b) { return std::pow(a, b); }, true, "pow"),
      two(
          F::equals, "==", [](double a, double b) { return as_number(a == b); }, false, "equals"),
      two(
          F::not_equal, "!=", [](double a, double b) { return as_number(a != b); }, false),
      two(
          F::less, "<", [](double a, double b) { return as_number(a < b); }, false),
      two(
          F::less_equal, "<=", [](double a, double b) { return as_number(a <= b); }, false),
      two(
          F::greater, ">", [](double a, double b) { return as_number(a > b); }, false),
      two(
          F::greater_equal, ">=", [](double a, double b) { return as_number(a >= b); }, false),
      two(
          F::logical_and, "&&",
          [](double a, double b) { return as_number(is_true(a) && is_true(b)); }, false),
      two(
          F::logical_or, "||",
          [](double a, double b) { return as_number(is_true(a) || is_true(b)); }, false),
      other(F::if_else, "ifelse", Arity::three),
      all(F::sum, "sum",
          [](std::span<const double> x) {
            double sum = 0;
            for (const double value : x) sum += value;
            return sum;
          }),
      all(F::prod, "prod",
          [](std::span<const double> x) {
            double product = 1;
            for (const double value : x) product = product_of(product, value);
            return product;
          }),
      all(F::max, "max", [](std::span<const double> x) { return *std::ranges::max_element(x); }),
      all(F::min, "min", [](std::span<const double> x) { return *std::ranges::min_element(x); }),
      all(F::mean, "mean",
          [](std::span<const double> x) {
            double sum = 0;
            for (const double value : x) sum += value;
            return sum / static_cast<double>(x.size());
          }),
      all(F::sd, "sd", standard_deviation),
      other(F::inner_product, "inprod", Arity::other),
      other(F::sort, "sort", Arity::vector),
      other(F::rank, "rank", Arity::vector),
      other(F::order, "order", Arity::vector),
      other(F::interpolate, "interp.lin", Arity::other),
      other(F::matrix_product, "%*%", Arity::other),
      other(F::inverse, "inverse", Arity::other),
      other(F::log_determinant, "logdet", Arity::other),
      other(F::pick, "[]", Arity::other),
      other(F::density, "[density]", Arity::other),
      other(F::log_density, "[log density]", Arity::other),
      other(F::cumulative, "[cumulative]", Arity::other),
      other(F::quantile, "[quantile]", Arity::other),
  };
  return rows;
}

}  // namespace

std::span<const FunctionRow> function_rows() {
  static const std::vector<FunctionRow> rows = make_rows();
  return rows;
}

const FunctionRow* find_function(std::string_view name) {
  static const auto by_name = [] {
    std::map<std::string_view, const FunctionRow*> names;
    for (const FunctionRow& row : function_rows()) {
      names.emplace(row.name, &row);
      if (!row.alias.empty()) names.emplace(row.alias, &row);
    }
    return names;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

double normal_cumulative(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0) return -std::numeric_limits<double>::infinity();
  if (p == 1) return std::numeric_limits<double>::infinity();
  if (p == 0.5) return 0;
  if (p > 0.5) return -normal_quantile(1 - p);  // 1 - p is exact there
  // Start: Abramowitz & Stegun (1964) 26.2.23, to 4.5e-4; then Halley's iteration on the logarithm
  // of the tail, which is smooth out to the smallest p.
  const double t = std::sqrt(-2 * std::log(p));
  double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
             t;
  for (int step = 0; step < 4; ++step) {
    const double tail = normal_cumulative(x);
    const double off = (tail - p) * std::exp(-log_density_of_normal(x));  // Newton's step
    x -= off / (1 + 0.5 * x * off);
  }
  return x;
}

}  // namespace croft::bugs
