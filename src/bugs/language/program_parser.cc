#include "bugs/language/program_parser.h"

#include <array>
#include <utility>

#include "bugs/language/token_place.h"

namespace croft::bugs {
namespace {

enum class Side : std::uint8_t { left, right, neither };

struct BinaryOperator {
  std::string_view sign;
  int level;  // a higher one binds more tightly
  Side side;  // of a chain: which two come first; neither: there are no chains
};

constexpr int kSpecial = 6;  // %*% and its like
constexpr int kMinus = 8;    // -x
constexpr int kPower = 9;
constexpr auto kOperators = std::to_array<BinaryOperator>({
    {"||", 1, Side::left},
    {"&&", 2, Side::left},
    {"==", 3, Side::neither},
    {"!=", 3, Side::neither},
    {"<", 3, Side::neither},
    {"<=", 3, Side::neither},
    {">", 3, Side::neither},
    {">=", 3, Side::neither},
    {"+", 4, Side::left},
    {"-", 4, Side::left},
    {"*", 5, Side::left},
    {"/", 5, Side::left},
    {":", 7, Side::left},
    {"^", kPower, Side::right},
    {"**", kPower, Side::right},
});

constexpr std::array<std::string_view, 4> kLinks = {"log", "logit", "probit", "cloglog"};

// An expression and how many lie in each other in it.
struct Deep {
  Expression expression;
  std::size_t depth = 1;
};

class ProgramParser {
 public:
  explicit ProgramParser(const Tokens& tokens) : at_(tokens) {}

  Program parse() {
    if (at_.is("model") && at_.peek(1).kind == TokenKind::name) {
      at_.fail(
          "a program of the first BUGS: JAGS' dialect has no name of the model, no const and "
          "no files of data",
          "write model { … }, and give constants and data in a file of their own");
    }
    if (at_.is("const")) {
      at_.fail("JAGS' dialect has no const", "give constants with the data");
    }
    if (at_.take("var")) declarations();
    if (at_.is("data")) {
      if (!at_.is("{", 1)) {
        at_.fail("JAGS' dialect has no files of data in a program",
                 "write data { … }, or give the files beside the program");
      }
      at_.next();
      out_.data = block();
    }
    if (!at_.is("model")) {
      if (at_.is("var") || at_.is("data")) {
        at_.fail("the parts of a program come in the order var, data, model", "");
      }
      at_.fail("a program begins with model, data or var", "write model { … }");
    }
    at_.next();
    out_.model = block();
    if (!at_.at_end()) at_.fail("something follows the model", "leave it out");
    return std::move(out_);
  }

 private:
  void declarations() {
    do {
      if (at_.is("model") && at_.is("{", 1)) break;  // a comma too many
      Declaration declaration{.name = name_here("the name of a variable"), .where = where_};
      if (at_.take("[")) {
        do declaration.dimensions.push_back(expression());
        while (at_.take(","));
        at_.expect("]");
      }
      out_.declarations.push_back(std::move(declaration));
    } while (at_.take(","));
    at_.take(";");
  }

  std::vector<Statement> block() {
    at_.expect("{");
    std::vector<Statement> statements;
    while (!at_.take("}")) {
      if (at_.at_end()) at_.fail("} is expected", "close each { with a }");
      statements.push_back(statement());
      at_.take(";");
    }
    return statements;
  }

  Statement statement() {
    if (at_.is("for") && at_.is("(", 1)) return loop();
    if (at_.is(";")) at_.fail("a statement is expected here", "write one ; between two of them");
    if (at_.is("{")) at_.fail("braces belong to loops", "leave them out");
    if (!at_.is_name()) {
      at_.fail("a statement is expected here",
               "write NAME ~ DISTRIBUTION(…), NAME <- EXPRESSION or for (…) { … }");
    }
    if (at_.is("(", 1)) return linked_definition();
    Expression target = variable();
    const Location where = at_.where();
    if (at_.take("~")) return draw(std::move(target), where);
    if (at_.take("<-") || at_.take("=")) {
      return Definition{.target = std::move(target), .value = expression(), .where = where};
    }
    at_.fail("~ or <- is expected here", "write NAME ~ DISTRIBUTION(…) or NAME <- EXPRESSION");
  }

  Statement linked_definition() {
    const Token link = at_.current();
    if (link.text == "if") {
      at_.fail("BUGS has no if", "use ifelse(CONDITION, A, B) or an index, such as a[1 + x]");
    }
    bool known = false;
    for (const std::string_view each : kLinks) known |= each == link.text;
    if (!known) {
      at_.fail("this is no link function, and only those stand on the left",
               "the links are log, logit, probit and cloglog");
    }
    at_.next();
    at_.next();
    Definition definition{.target = variable(), .link = link.text};
    at_.expect(")");
    definition.where = at_.where();
    if (at_.is("~")) {
      at_.fail("a link function on the left of ~", "links stand on the left of <- only");
    }
    if (!at_.take("<-") && !at_.take("=")) at_.fail("<- is expected here", "");
    definition.value = expression();
    return definition;
  }

  Statement draw(Expression target, const Location& where) {
    Draw draw{.target = std::move(target), .distribution = {}, .where = where};
    draw.distribution = name_here("the name of a distribution");
    at_.expect("(", "parameters stand between ( and )");
    if (!at_.take(")")) {
      do draw.parameters.push_back(expression());
      while (at_.take(","));
      at_.expect(")");
    }
    if ((at_.is("T") || at_.is("I")) && at_.is("(", 1)) {
      Truncation truncation{.interval = at_.is("I")};
      at_.next();
      at_.next();
      if (!at_.is(",")) truncation.lower = expression();
      at_.expect(",", "write T(LOWER, UPPER); either may be left out, the comma may not");
      if (!at_.is(")")) truncation.upper = expression();
      at_.expect(")");
      draw.truncation = std::move(truncation);
    }
    return draw;
  }

  Statement loop() {
    Loop loop{.counter = {}, .range = {}, .where = at_.where()};
    at_.next();
    at_.next();
    loop.counter = name_here("the name of a counter");
    at_.expect("in", "write for (i in 1:N) { … }");
    loop.range = expression();
    at_.expect(")");
    if (!at_.is("{")) at_.fail("{ is expected here", "put the body of a loop between { and }");
    enter();
    loop.body = block();
    --depth_;
    return loop;
  }

  std::string name_here(const char* what) {
    if (!at_.is_name()) at_.fail(Message(std::string_view(what), " is expected here"), "");
    where_ = at_.where();
    return at_.take_text();
  }

  // NAME or NAME[subscripts], on the left of a relation.
  Expression variable() {
    if (!at_.is_name()) at_.fail("the name of a variable is expected here", "");
    return name().expression;
  }

  Deep name() {
    Deep out{.expression = {.kind = ExpressionKind::name, .where = at_.where()}};
    out.expression.name = at_.take_text();
    if (!at_.take("[")) return out;
    do {
      Deep subscript;
      if (at_.is(",") || at_.is("]")) {
        subscript.expression.where = at_.where();
      } else {
        subscript = binary(1);
      }
      add(out, std::move(subscript));
    } while (at_.take(","));
    at_.expect("]");
    return out;
  }

  Expression expression() { return binary(1).expression; }

  // Operators of this level and those above it.
  Deep binary(int lowest) {
    enter();
    Deep left = operand();
    while (true) {
      const Token sign = at_.current();
      const BinaryOperator* const found = operator_here();
      const int level = found != nullptr                                      ? found->level
                        : sign.kind == TokenKind::sign && sign.text[0] == '%' ? kSpecial
                                                                              : 0;
      if (level == 0 || level < lowest) break;
      const Side side = found != nullptr ? found->side : Side::left;
      Deep call{.expression = {.kind = ExpressionKind::call, .where = at_.where()}};
      call.expression.name = sign.text == "**" ? "^" : sign.text;
      at_.next();
      Deep right = binary(side == Side::right ? level : level + 1);
      add(call, std::move(left));
      add(call, std::move(right));
      left = std::move(call);
      const BinaryOperator* const after = operator_here();
      if (side == Side::neither && after != nullptr && after->level == level) {
        at_.fail("a comparison of a comparison", "put one of them in parentheses");
      }
    }
    --depth_;
    return left;
  }

  const BinaryOperator* operator_here() const {
    if (at_.current().kind != TokenKind::sign) return nullptr;
    for (const BinaryOperator& each : kOperators) {
      if (at_.is(each.sign)) return &each;
    }
    return nullptr;
  }

  Deep operand() {
    if (at_.is_number()) {
      Deep out{.expression = {.kind = ExpressionKind::number, .where = at_.where()}};
      out.expression.number = at_.current().number;
      at_.next();
      return out;
    }
    if (at_.is("-")) {
      Deep out{.expression = {.kind = ExpressionKind::call, .name = "-", .where = at_.where()}};
      at_.next();
      add(out, binary(kMinus));
      return out;
    }
    if (at_.take("(")) {
      Deep out = binary(1);
      at_.expect(")");
      return out;
    }
    if (at_.is_name()) return at_.is("(", 1) ? call() : name();
    if (at_.is("+")) at_.fail("JAGS has no + before a single value", "leave it out");
    if (at_.is("!")) at_.fail("JAGS has no !", "write 1 - x, or compare with == 0");
    at_.fail("an expression is expected here", "");
  }

  Deep call() {
    Deep out{.expression = {.kind = ExpressionKind::call, .where = at_.where()}};
    out.expression.name = at_.take_text();
    at_.next();
    if (at_.take(")")) return out;
    do add(out, binary(1));
    while (at_.take(","));
    at_.expect(")");
    return out;
  }

  void add(Deep& to, Deep argument) const {
    to.depth = std::max(to.depth, argument.depth + 1);
    if (to.depth > ProgramLimits::depth) fail_of_depth(ProgramLimits::depth);
    to.expression.arguments.push_back(std::move(argument.expression));
  }

  void enter() {
    if (++depth_ > ProgramLimits::nesting) fail_of_depth(ProgramLimits::nesting);
  }

  [[noreturn]] void fail_of_depth(std::size_t most) const {
    at_.fail(Message("more than ", most, " expressions or loops lie in each other"),
             "give parts of it a name by <-");
  }

  TokenPlace at_;
  Program out_;
  Location where_;         // of the name taken last
  std::size_t depth_ = 0;  // of expressions and loops around this place
};

}  // namespace

Program parse_program(LineReader lines) {
  const Tokens tokens = read_tokens(std::move(lines), TokenLanguage::program);
  return ProgramParser(tokens).parse();
}

Program read_program(const std::string& path) { return parse_program(LineReader(path)); }

}  // namespace croft::bugs
