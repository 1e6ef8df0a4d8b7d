#include "logic/network_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/parse_number.h"
#include "logic/formula_parser.h"
#include "logic/internal_names.h"
#include "logic/rule_types.h"
#include "logic/token_cursor.h"

namespace croft {
namespace {

constexpr std::uint64_t kMostConstants = 1'000'000;  // of ranges: 100 MB

class NetworkParser {
 public:
  NetworkParser(const LogicTokens& tokens, LogicDialect dialect) : at_(tokens), dialect_(dialect) {}

  LogicNetwork parse() {
    while (!at_.at_end()) statement();
    settle_types(out_);
    check_ground_atoms();
    if (dialect_ != LogicDialect::any) out_.dialect = dialect_;
    return std::move(out_);
  }

 private:
  // Of what is written here; databases may add constants.
  void check_ground_atoms() const {
    for (std::uint32_t p = 0; p < out_.predicates.size(); ++p) {
      count_tuples(out_.predicates[p].types, out_.types, out_.predicate_names[p],
                   out_.predicates[p].where);
    }
    for (std::uint32_t f = 0; f < out_.functions.size(); ++f) {
      count_tuples(out_.functions[f].types, out_.types, out_.function_names[f],
                   out_.functions[f].where);
    }
  }

  void statement() {
    check_weight_words();
    if (at_.is_word() && at_.peek(1).text == "=" && at_.peek(2).text == "{" && !at_.peek(1).first) {
      return type_declaration();
    }
    if (at_.is_word() && at_.peek(1).kind == LogicTokenKind::word && !at_.peek(1).first &&
        at_.peek(1).text != "v" && at_.peek(2).text == "(" && !is_quantifier(at_.text(), "EXIST") &&
        !is_quantifier(at_.text(), "FORALL")) {
      return function_declaration();
    }
    if (is_declaration()) return predicate_declaration();
    rule();
  }

  // nan, inf and the like before a formula, where no predicate or type has such a name.
  void check_weight_words() {
    const std::size_t sign = at_.is("-") || at_.is("+") ? 1 : 0;
    const LogicToken& word = at_.peek(sign);
    const LogicToken& after = at_.peek(sign + 1);
    if (word.kind != LogicTokenKind::word || after.first ||
        (after.kind == LogicTokenKind::sign && after.text != "!" && after.text != "(") ||
        (after.text == "(" && sign == 0)) {
      return;
    }
    double value = 0;
    const NumberKind kind = parse_number(word.text, value);
    if (kind == NumberKind::finite || kind == NumberKind::not_a_number) return;
    if (out_.predicate_names.find(word.text) != kNoNumber ||
        out_.type_names.find(word.text) != kNoNumber) {
      return;
    }
    fail_weight(word);
  }

  [[noreturn]] void fail_weight(const LogicToken& token) const {
    at_.fail(token, "a weight is a number from -1e9 to 1e9", "end a hard rule with a full stop");
  }

  void end_statement(std::string_view what) {
    if (!at_.at_end() && !at_.current().first) {
      at_.fail(Message("this cannot follow ", what), "begin each statement on a line of its own");
    }
  }

  void type_declaration() {
    const LogicToken name = at_.current();
    if (!begins_lower(name.text)) {
      at_.fail("the name of a type begins with a small letter", "");
    }
    NameTable& constants = out_.types[out_.add_type(at_.take_word("the name of a type"))];
    at_.expect("=");
    at_.expect("{");
    do {
      const LogicToken first = at_.current();
      const std::string text = parse_constant(at_);
      if (at_.is(",") && at_.peek(1).text == "..." && at_.peek(2).text == ",") {
        at_.next();
        at_.next();
        at_.next();
        const LogicToken last = at_.current();
        add_range(constants, first, text, last, parse_constant(at_));
      } else {
        constants.insert(text);
      }
    } while (at_.take(","));
    at_.expect("}");
    end_statement("a type");
  }

  void add_range(NameTable& constants, const LogicToken& first, const std::string& from,
                 const LogicToken& last, const std::string& to) {
    const auto whole = [&](const LogicToken& token, const std::string& text) {
      std::int64_t value = 0;
      const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
      if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
        at_.fail(token, "a range goes from one whole number to another", "write {1, ..., 9}");
      }
      return value;
    };
    const std::int64_t begin = whole(first, from), end = whole(last, to);
    if (end < begin) at_.fail(last, "a range ends below its first number", "exchange them");
    const std::uint64_t steps = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
    if (steps >= kMostConstants - ranged_) {
      at_.fail(last, Message("ranges of more than ", kMostConstants, " constants in all"),
               "write smaller ones");
    }
    ranged_ += steps + 1;
    for (std::int64_t i = begin; i <= end; ++i) constants.insert(std::to_string(i));
  }

  // [*] NAME [( type[!|!?] {, …} )] on a line of its own, NAME not yet declared.
  bool is_declaration() const {
    std::size_t i = at_.is("*") ? 1 : 0;
    if (at_.peek(i).kind != LogicTokenKind::word) return false;
    if (out_.predicate_names.find(at_.peek(i).text) != kNoNumber) return false;
    if (out_.function_names.find(at_.peek(i).text) != kNoNumber) return false;
    if (row_of(kInternalPredicates, at_.peek(i).text) != nullptr) return false;
    ++i;
    if (at_.peek(i).text == "(" && !at_.peek(i).first) {
      if (at_.peek(++i).text == ")") return at_.ends_line(i);
      while (true) {
        if (at_.peek(i).kind != LogicTokenKind::word || !begins_lower(at_.peek(i).text)) {
          return false;
        }
        ++i;
        if (at_.peek(i).text == "!" || at_.peek(i).text == "!?") ++i;
        if (at_.peek(i).text == ")") break;
        if (at_.peek(i).text != ",") return false;
        ++i;
      }
    } else {
      --i;
    }
    return at_.ends_line(i) && !continues_formula(at_.peek(i + 1), at_.peek(i + 2));
  }

  // What stands at the start of a line and goes on with the formula above.
  static bool continues_formula(const LogicToken& token, const LogicToken& following) {
    return token.text == "=>" || token.text == "<=>" || token.text == "^" || token.text == ":-" ||
           token.text == "|" || token.text == "&" ||
           (token.text == "v" && token.kind == LogicTokenKind::word && following.text != "=");
  }

  void check_arguments(std::size_t before) const {
    if (before < LogicLimits::arguments) return;
    at_.fail(Message("more than ", LogicLimits::arguments, " arguments"),
             "declare several predicates, which share an argument");
  }

  void predicate_declaration() {
    LogicPredicate predicate;
    if (at_.is("*")) {
      meet_dialect(at_, at_.current(), LogicDialect::tuffy, dialect_, out_);
      predicate.closed = true;
      at_.next();
    }
    const LogicToken name = at_.current();
    if (name.text == "v") at_.fail("v means \"or\"", "give the predicate another name");
    at_.next();
    if (at_.take("(") && !at_.take(")")) {
      do {
        check_arguments(predicate.types.size());
        predicate.types.push_back(out_.add_type(at_.take_word("the name of a type")));
        predicate.marks.push_back(at_.take("!")    ? ArgumentMark::exactly_one
                                  : at_.take("!?") ? ArgumentMark::at_most_one
                                                   : ArgumentMark::none);
      } while (at_.take(","));
      at_.expect(")");
    }
    const bool exactly =
        std::count(predicate.marks.begin(), predicate.marks.end(), ArgumentMark::exactly_one) != 0;
    const bool most =
        std::count(predicate.marks.begin(), predicate.marks.end(), ArgumentMark::at_most_one) != 0;
    if (exactly && most) {
      at_.fail(name, "a predicate has arguments with ! or with !?, not with both", "");
    }
    predicate.where = at_.where(name);
    out_.predicate_names.insert(name.text);
    out_.predicates.push_back(std::move(predicate));
  }

  void function_declaration() {
    LogicFunction function;
    if (!begins_lower(at_.text())) {
      at_.fail("this is neither a statement nor the type of a function",
               "a function is declared as: type name(type, …)");
    }
    function.result = out_.add_type(at_.take_word("a type"));
    const LogicToken name = at_.current();
    if (out_.function_names.find(name.text) != kNoNumber ||
        out_.predicate_names.find(name.text) != kNoNumber ||
        row_of(kInternalFunctions, name.text) != nullptr || name.text == "succ" ||
        row_of(kInternalPredicates, name.text) != nullptr) {
      at_.fail("this name is declared before", "give the function another name");
    }
    at_.next();
    at_.expect("(");
    do {
      check_arguments(function.types.size());
      function.types.push_back(out_.add_type(at_.take_word("the name of a type")));
    } while (at_.take(","));
    at_.expect(")");
    end_statement("a function's declaration");
    function.where = at_.where(name);
    out_.function_names.insert(name.text);
    out_.functions.push_back(std::move(function));
  }

  void rule() {
    LogicRule rule;
    const LogicToken first = at_.current();
    const std::size_t begin = at_.position();
    rule.where = at_.where(first);
    if (at_.is("@")) {
      meet_dialect(at_, at_.current(), LogicDialect::tuffy, dialect_, out_);
      at_.next();
      if (!at_.is_number() && !at_.is("-") && !at_.is("+")) at_.fail("a weight is expected", "");
    }
    read_weight(rule);
    ParsedFormula parsed = parse_formula(at_, out_, dialect_, rule);
    rule.formula = std::move(parsed.formula);
    if (at_.is(".") && !at_.current().first) {
      if (rule.weighted) {
        at_.fail("a rule with a weight and a full stop",
                 "leave the weight out of a hard rule, or the full stop out of a soft one");
      }
      rule.hard = true;
      at_.next();
    }
    if (at_.is("::") && !at_.current().first) {
      if (rule.hard || rule.weighted) at_.fail("a second weight", "leave it out");
      at_.next();
      read_weight(rule);
      if (!rule.weighted) at_.fail("a weight is expected", "");
    }
    end_statement("a formula");
    free_outer_variables(rule);
    rule.text = at_.text_from(begin);
    // *P: a rule for each choice of signs.
    const std::size_t choices = std::size_t{1} << parsed.signs;
    if (choices > 1) signed_literals_ += choices * parsed.literals;
    if (signed_literals_ > LogicLimits::signed_literals) {
      at_.fail(first,
               Message("rules of more than ", LogicLimits::signed_literals,
                       " atoms in all come of signs that are left open"),
               "write fewer *");
    }
    for (std::size_t choice = 0; choice < choices; ++choice) {
      LogicRule signed_rule = rule;
      if (choices > 1) {
        std::size_t place = 0;
        choose_signs(signed_rule.formula, choice, place);
        signed_rule.text += " [signs " + std::to_string(choice + 1) + "]";
      }
      out_.rules.push_back(std::move(signed_rule));
    }
  }

  // FORALL over the whole formula says what free variables mean.
  static void free_outer_variables(LogicRule& rule) {
    while (rule.formula.kind == FormulaKind::forall) {
      for (const std::uint32_t v : rule.formula.variables) rule.variables[v].quantified = false;
      Formula inner = std::move(rule.formula.parts[0]);
      rule.formula = std::move(inner);
    }
  }

  void read_weight(LogicRule& rule) {
    const std::size_t sign = at_.is("-") || at_.is("+") ? 1 : 0;
    if (at_.peek(sign).kind != LogicTokenKind::number) return;
    const LogicToken& after = at_.peek(sign + 1);
    if (!after.first && (after.text == "=" || after.text == "!=" || after.text == "<" ||
                         after.text == ">" || after.text == "<=" || after.text == ">=")) {
      return;  // a number that is compared
    }
    const std::string text = (at_.is("-") ? "-" : "") + at_.peek(sign).text;
    if (parse_number(text, rule.weight) != NumberKind::finite || !(std::abs(rule.weight) <= 1e9)) {
      fail_weight(at_.current());
    }
    rule.weighted = true;
    for (std::size_t i = 0; i <= sign; ++i) at_.next();
  }

  TokenCursor at_;
  const LogicDialect dialect_;
  LogicNetwork out_;
  std::uint64_t ranged_ = 0;         // constants of ranges so far
  std::size_t signed_literals_ = 0;  // of rules that *P makes
};

LineReader open_beside(const std::string& name, const std::string& from) {
  std::filesystem::path path(name);
  if (!path.is_absolute() && from != "<stdin>") {
    path = (std::filesystem::path(from).parent_path() / path).lexically_normal();
  }
  std::error_code ignored;
  if (std::filesystem::is_character_file(path, ignored) ||
      std::filesystem::is_block_file(path, ignored)) {
    throw Error(path.string(), ": this is a device, which may have no end; include a file");
  }
  return LineReader(path.string());
}

}  // namespace

LogicNetwork parse_network(const LogicTokens& tokens, LogicDialect dialect) {
  return NetworkParser(tokens, dialect).parse();
}

LogicNetwork read_network(const std::string& path, LogicDialect dialect) {
  return parse_network(read_logic_tokens(LineReader(path), open_beside), dialect);
}

}  // namespace croft
