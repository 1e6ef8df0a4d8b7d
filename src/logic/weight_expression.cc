#include "logic/weight_expression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/parse_number.h"
#include "core/words/closest_name.h"
#include "logic/formula_parser.h"
#include "logic/internal_names.h"

namespace croft {
namespace {

constexpr std::size_t kMostTokens = 1000;  // of a weight
constexpr double kMostWeight = 1e9;

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

// How far a weight goes that begins at the cursor.
struct WeightScan {
  std::size_t tokens = 0;  // of the longest expression; 0: none
  // In a generous scan: the first token that no weight has.
  std::optional<std::size_t> unknown, comma;
};

enum class Scan {
  strict,
  generous  // also what may be meant as a weight: blanks, commas, names that nothing declares
};

class WeightScanner {
 public:
  WeightScanner(const TokenCursor& at, const LogicNetwork& network, Scan how)
      : at_(at), network_(network), generous_(how == Scan::generous) {}

  WeightScan scan() {
    for (std::size_t i = 0; i < kMostTokens && goes_on(i) && take(i); ++i) {
      if (operand_ && depth_ == 0) out_.tokens = i + 1;
    }
    if (out_.unknown >= out_.tokens) out_.unknown.reset();
    if (out_.comma >= out_.tokens) out_.comma.reset();
    return out_;
  }

 private:
  bool goes_on(std::size_t i) const {
    if (i == 0) return true;
    if (at_.peek(i).first) return false;
    // Signs in front of all may stand apart.
    const bool signs_only = out_.tokens == 0 && depth_ == 0 && !operand_;
    return generous_ || signs_only || at_.adjoins(i - 1);
  }

  // False where the token is none of a weight.
  bool take(std::size_t i) {
    const LogicToken& token = at_.peek(i);
    if (token.kind == LogicTokenKind::number) return begin_operand();
    if (token.kind == LogicTokenKind::word) return take_word(i);
    if (at_.is("(", i)) {
      if (operand_) return false;
      ++depth_;
      return true;
    }
    if (at_.is(")", i)) {
      if (!operand_ || depth_ == 0) return false;
      --depth_;
      return true;
    }
    if (generous_ && operand_ && depth_ > 0 && at_.is(",", i)) {
      if (!out_.comma) out_.comma = i;
    } else if (!at_.is("-", i) && !at_.is("+", i) &&
               !(operand_ && (at_.is("*", i) || at_.is("/", i)))) {
      return false;
    }
    operand_ = false;
    return true;
  }
  bool begin_operand() { return !std::exchange(operand_, true); }

  bool take_word(std::size_t i) {
    const std::string& name = at_.peek(i).text;
    const bool declared = network_.predicate_names.find(name) != kNoNumber ||
                          network_.function_names.find(name) != kNoNumber ||
                          row_of(kInternalPredicates, name) != nullptr ||
                          row_of(kInternalFunctions, name) != nullptr;
    if (operand_ || declared) return false;
    const bool calls = at_.is("(", i + 1) && !at_.peek(i + 1).first;
    if (function_named(name) != nullptr) {
      has_function_ = true;
      return calls && (generous_ || at_.adjoins(i));
    }
    const bool is_call = calls && at_.adjoins(i) && begins_lower(name);
    if (!generous_ || (!is_call && !has_function_)) return false;
    if (!out_.unknown) out_.unknown = i;
    return is_call || begin_operand();
  }

  const TokenCursor& at_;
  const LogicNetwork& network_;
  const bool generous_;
  std::size_t depth_ = 0;
  bool operand_ = false;       // before the token
  bool has_function_ = false;  // of weights
  WeightScan out_;
};

// True if a formula, and no operator, is what stands there on the same line.
bool begins_formula(const TokenCursor& at, const LogicNetwork& network, std::size_t i) {
  const LogicToken& token = at.peek(i);
  if (token.first || token.kind == LogicTokenKind::end) return false;
  if (token.kind == LogicTokenKind::word) return token.text != "v";
  if (at.is("*", i)) {
    return at.peek(i + 1).kind == LogicTokenKind::word && at.adjoins(i) && !at.adjoins(i - 1) &&
           network.function_names.find(at.peek(i + 1).text) == kNoNumber;
  }
  return at.is("!", i) || at.is("(", i) || at.is("[", i) || at.is("?", i);
}

std::string text_of(const TokenCursor& at, std::size_t tokens) {
  std::string out;
  for (std::size_t i = 0; i < tokens; ++i) out += at.peek(i).text;
  return out;
}

[[noreturn]] void fail_scan(const TokenCursor& at, const WeightScan& scan) {
  std::string names;
  std::vector<std::string_view> known;
  for (const WeightFunction& each : kFunctions) {
    known.push_back(each.name);
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  if (scan.unknown && at.is("(", *scan.unknown + 1)) {
    const LogicToken& name = at.peek(*scan.unknown);
    at.fail(name, "weights have no function of this name",
            Message("they have ", names, did_you_mean(name.text, known)));
  }
  if (scan.unknown) at.fail(at.peek(*scan.unknown), "a number is expected in this weight", "");
  if (scan.comma) {
    at.fail(at.peek(*scan.comma), "a function of weights takes one number",
            "log(x)/log(b) is the logarithm to the base b");
  }
  TokenCursor end = at;
  for (std::size_t i = 0; i < scan.tokens; ++i) end.next();
  throw InputError(at.where(), "the arithmetic of a weight has a blank",
                   end.text_from(at.position()),
                   Message("write it without: ", text_of(at, scan.tokens)));
}

void check_value(const TokenCursor& at, const WeightExpression& weight) {
  if (std::abs(weight.value) <= kMostWeight) return;
  const std::string_view why = std::isnan(weight.value)   ? ", and this has no value"
                               : std::isinf(weight.value) ? ", and this is infinite"
                                                          : "";
  throw InputError(at.where(), Message("a weight is a number from -1e9 to 1e9", why),
                   text_of(at, weight.tokens),
                   std::isnan(weight.value) ? Message("log and sqrt are of numbers above 0")
                                            : Message("end a hard rule with a full stop"));
}

}  // namespace

std::optional<WeightExpression> weight_expression(const TokenCursor& at,
                                                  const LogicNetwork& network, bool alone) {
  const std::size_t tokens = WeightScanner(at, network, Scan::strict).scan().tokens;
  const WeightScan meant = WeightScanner(at, network, Scan::generous).scan();
  const bool is_meant =
      alone ? at.peek(meant.tokens).first : begins_formula(at, network, meant.tokens);
  if (meant.tokens > tokens && is_meant) fail_scan(at, meant);
  // 1 + 2 = x has no weight, and 1 -2 = x has the weight 1.
  const bool signs_number = (at.is("-", tokens) || at.is("+", tokens)) && at.adjoins(tokens);
  const LogicToken& behind = at.peek(meant.tokens);
  if (tokens == 0 || (!behind.first && is_comparison(behind) && !signs_number)) return {};
  const std::size_t sign = at.is("-") || at.is("+") ? 1 : 0;
  const WeightExpression out{.value = WeightEvaluator(at, tokens).value(),
                             .tokens = tokens,
                             .arithmetic = tokens > sign + 1};
  check_value(at, out);
  return out;
}

}  // namespace croft
