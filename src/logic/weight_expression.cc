#include "logic/weight_expression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parse_number.h"

namespace croft {
namespace {

constexpr std::size_t kMostTokens = 1000;  // of a weight

double logx(double x) { return x == 0 ? -100 : std::log(x); }

struct WeightFunction {
  std::string_view name;
  double (*of)(double);
};
constexpr WeightFunction kFunctions[] = {
    {"log", [](double x) { return std::log(x); }},
    {"logx", logx},
    {"log2", [](double x) { return std::log2(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
};

const WeightFunction* function_named(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &WeightFunction::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

bool is_comparison(const LogicToken& token) {
  static constexpr std::string_view kComparisons[] = {"=", "!=", "=/=", "<>", "<", ">", "<=", ">="};
  return token.kind == LogicTokenKind::sign &&
         std::ranges::find(kComparisons, token.text) != std::end(kComparisons);
}

// Tokens from `begin` to `end` of the cursor, as they are walked through.
class WeightEvaluator {
 public:
  WeightEvaluator(const TokenCursor& at, std::size_t end) : at_(at), end_(end) {}

  double value() { return sum(); }

 private:
  bool take(std::string_view sign) {
    if (next_ == end_ || !at_.is(sign, next_)) return false;
    ++next_;
    return true;
  }
  double sum() {
    double left = product();
    while (true) {
      if (take("+")) {
        left += product();
      } else if (take("-")) {
        left -= product();
      } else {
        return left;
      }
    }
  }
  double product() {
    double left = factor();
    while (true) {
      if (take("*")) {
        left *= factor();
      } else if (take("/")) {
        left /= factor();
      } else {
        return left;
      }
    }
  }
  double factor() {
    if (take("-")) return -factor();
    if (take("+")) return factor();
    const LogicToken& token = at_.peek(next_);
    if (take("(")) return closed(sum(), token);
    if (next_ == end_) at_.fail(token, "a number is expected in this weight", "");
    ++next_;
    if (const WeightFunction* function = function_named(token.text)) {
      const LogicToken& open = at_.peek(next_);
      if (!take("(")) at_.fail(open, "( is expected here", "");
      return function->of(closed(sum(), open));
    }
    if (token.kind != LogicTokenKind::number) {
      at_.fail(token, "a number is expected in this weight", "");
    }
    double number = std::numeric_limits<double>::infinity();  // where it is too large
    parse_number(token.text, number);
    return number;
  }
  double closed(double value, const LogicToken& open) {
    if (!take(")")) at_.fail(open, "this bracket of a weight is not closed", "");
    return value;
  }

  const TokenCursor& at_;
  const std::size_t end_;
  std::size_t next_ = 0;
};

// The tokens of the longest expression at the cursor; 0: none.
std::size_t length_at(const TokenCursor& at, const LogicNetwork& network) {
  std::size_t depth = 0, complete = 0;
  bool operand = false;  // before the token
  for (std::size_t i = 0; i < kMostTokens; ++i) {
    // Signs in front of all may stand apart.
    const bool signs_only = i > 0 && complete == 0 && depth == 0 && !operand;
    if (i > 0 && !at.adjoins(i - 1) && !(signs_only && !at.peek(i).first)) break;
    const LogicToken& token = at.peek(i);
    if (token.kind == LogicTokenKind::number) {
      if (operand) break;
      operand = true;
    } else if (token.kind == LogicTokenKind::word) {
      if (operand || function_named(token.text) == nullptr || !at.is("(", i + 1) ||
          !at.adjoins(i) || network.predicate_names.find(token.text) != kNoNumber ||
          network.function_names.find(token.text) != kNoNumber) {
        break;
      }
    } else if (at.is("(", i)) {
      if (operand) break;
      ++depth;
    } else if (at.is(")", i)) {
      if (!operand || depth == 0) break;
      --depth;
    } else if (at.is("-", i) || at.is("+", i)) {
      operand = false;
    } else if (operand && (at.is("*", i) || at.is("/", i))) {
      operand = false;
    } else {
      break;
    }
    if (operand && depth == 0) complete = i + 1;
  }
  return complete;
}

}  // namespace

std::optional<WeightExpression> weight_expression(const TokenCursor& at,
                                                  const LogicNetwork& network) {
  const std::size_t tokens = length_at(at, network);
  if (tokens == 0) return {};
  const LogicToken& after = at.peek(tokens);
  if (!after.first && is_comparison(after)) return {};
  const std::size_t sign = at.is("-") || at.is("+") ? 1 : 0;
  return WeightExpression{.value = WeightEvaluator(at, tokens).value(),
                          .tokens = tokens,
                          .arithmetic = tokens > sign + 1};
}

}  // namespace croft
