#include "bugs/language/program_parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "data/text_files.h"
#include "support/message_of.h"

namespace croft::bugs::program_parser_test {
namespace {

Program program_of(std::string_view text) { return parse_program(LineReader(text, "t.bug")); }

std::string fault_of(std::string_view text) {
  return message_of<InputError>([&] { program_of(text); });
}

// Operators as functions, in brackets.
std::string shape_of(const Expression& expression) {
  if (expression.kind == ExpressionKind::absent) return "_";
  std::string out = expression.kind == ExpressionKind::number ? std::to_string(expression.number)
                                                              : expression.name;
  if (expression.kind == ExpressionKind::number) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.ends_with('.')) out.pop_back();
  }
  for (const Expression& each : expression.arguments) out += " " + shape_of(each);
  if (expression.kind == ExpressionKind::call) return "(" + out + ")";
  return expression.arguments.empty() ? out : "[" + out + "]";
}

std::string shape(const std::string& expression) {
  const Program program = program_of("model { x <- " + expression + " }");
  return shape_of(std::get<Definition>(program.model.at(0)).value);
}

TEST(BugsProgramParser, OperatorsBindAsInR) {
  EXPECT_EQ(shape("-2^2"), "(- (^ 2 2))");
  EXPECT_EQ(shape("2^3^2"), "(^ 2 (^ 3 2))");
  EXPECT_EQ(shape("2^-1*3"), "(* (^ 2 (- 1)) 3)");
  EXPECT_EQ(shape("2**3"), "(^ 2 3)");
  EXPECT_EQ(shape("-1:n"), "(: (- 1) n)");
  EXPECT_EQ(shape("2*1:3"), "(* 2 (: 1 3))");
  EXPECT_EQ(shape("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(shape("a / b / c * d"), "(* (/ (/ a b) c) d)");
  EXPECT_EQ(shape("a * b %*% c"), "(* a (%*% b c))");
  EXPECT_EQ(shape("-a %*% b"), "(%*% (- a) b)");
  EXPECT_EQ(shape("1 + 2 > 2 && 0 == 0 || b"), "(|| (&& (> (+ 1 2) 2) (== 0 0)) b)");
  EXPECT_EQ(shape("1 || 0 && 0"), "(|| 1 (&& 0 0))");
  EXPECT_EQ(shape("a * -b"), "(* a (- b))");
  EXPECT_EQ(shape("(a + b) * c"), "(* (+ a b) c)");
}

TEST(BugsProgramParser, NamesHaveDotsAndSubscripts) {
  EXPECT_EQ(shape("a.b_c[1:3, , x[i]]"), "[a.b_c (: 1 3) _ [x i]]");
  EXPECT_EQ(shape("w[]"), "[w _]");
  EXPECT_EQ(shape("w[,]"), "[w _ _]");
  EXPECT_EQ(shape("pow(exp(-sum(d[1:j])), 1.5e-1)"), "(pow (exp (- (sum [d (: 1 j)]))) 0.15)");
  EXPECT_EQ(shape("3. + .5"), "(+ 3 0.5)");
}

TEST(BugsProgramParser, StatementsOfEachKind) {
  const Program program = program_of(
      "var x, y[N, 2];  # declared\n"
      "data { z <- 1; }\n"
      "model {\n"
      "  for (i in 1:N) {\n"
      "    y[i,1] ~ dnorm(mu[i], tau) T(0,)   /* a comment\n"
      "      of two lines */ y[i,2] ~ dgamma(1, 1) I(, up)\n"
      "    logit(p[i]) <- a + b\n"
      "  }\n"
      "  a = 3;\n"
      "  T <- 4; I <- T\n"
      "}\n");
  ASSERT_EQ(program.declarations.size(), 2u);
  EXPECT_EQ(program.declarations[1].name, "y");
  EXPECT_EQ(program.declarations[1].dimensions.size(), 2u);
  EXPECT_EQ(program.declarations[1].where.column, 8u);
  ASSERT_EQ(program.data.size(), 1u);
  ASSERT_EQ(program.model.size(), 4u);
  const Loop& loop = std::get<Loop>(program.model[0]);
  EXPECT_EQ(loop.counter, "i");
  EXPECT_EQ(shape_of(loop.range), "(: 1 N)");
  EXPECT_EQ(loop.where.line, 4u);
  const Draw& first = std::get<Draw>(loop.body.at(0));
  EXPECT_EQ(first.distribution, "dnorm");
  EXPECT_EQ(first.where.column, 12u);
  ASSERT_TRUE(first.truncation && first.truncation->lower);
  EXPECT_FALSE(first.truncation->upper);
  EXPECT_FALSE(first.truncation->interval);
  const Draw& second = std::get<Draw>(loop.body.at(1));
  ASSERT_TRUE(second.truncation && second.truncation->upper);
  EXPECT_TRUE(second.truncation->interval);
  EXPECT_EQ(second.where.line, 6u);
  const Definition& linked = std::get<Definition>(loop.body.at(2));
  EXPECT_EQ(linked.link, "logit");
  EXPECT_EQ(shape_of(linked.target), "[p i]");
  EXPECT_EQ(std::get<Definition>(program.model[3]).target.name, "I");
}

TEST(BugsProgramParser, FaultsHaveAPlaceAndARemedy) {
  EXPECT_EQ(fault_of("model { x ~ dnorm(0, 1 }"), "t.bug:1:24: ) is expected here: \"}\"");
  EXPECT_EQ(fault_of("model {\n x ~ dnorm(0, 1)\n"),
            "t.bug:2:17: the text ends here: } is expected; close each { with a }");
  EXPECT_EQ(fault_of("model { x <- 1 < 2 < 3 }"),
            "t.bug:1:20: a comparison of a comparison: \"<\"; put one of them in parentheses");
  EXPECT_EQ(fault_of("model { sqrt(x) <- 2 }"),
            "t.bug:1:9: this is no link function, and only those stand on the left: \"sqrt\"; the "
            "links are log, logit, probit and cloglog");
  EXPECT_EQ(fault_of("model { if (x) y <- 2 }"),
            "t.bug:1:9: BUGS has no if: \"if\"; use ifelse(CONDITION, A, B) or an index, such as "
            "a[1 + x]");
  EXPECT_EQ(fault_of("model { x <- +3 }"),
            "t.bug:1:14: JAGS has no + before a single value: \"+\"; leave it out");
  EXPECT_EQ(fault_of("model { x <- 3 $ 4 }"),
            "t.bug:1:16: this begins neither a name, a number nor a sign: \"$\"; names have "
            "letters, digits, . and _, a letter first");
  EXPECT_EQ(fault_of("model { x ~ dnorm(0, 1) T(0) }"),
            "t.bug:1:28: , is expected here: \")\"; write T(LOWER, UPPER); either may be left out, "
            "the comma may not");
  EXPECT_EQ(fault_of("model { /* x <- 1 }"),
            "t.bug:1:9: this comment has no end; write */ where it ends");
  EXPECT_EQ(fault_of("model { x <- 2x }"),
            "t.bug:1:14: neither a number nor a name: \"2x\"; names begin with a letter");
  EXPECT_EQ(fault_of("model { for (i in 1:3) x[i] <- 1 }"),
            "t.bug:1:24: { is expected here: \"x\"; put the body of a loop between { and }");
  EXPECT_EQ(fault_of("").substr(0, 9), "t.bug:1:1");
  EXPECT_NE(fault_of("model { x <- 1 } y"), "no error");
  EXPECT_NE(fault_of("model { x <- 1 ;; y <- 2 }"), "no error");
  EXPECT_NE(fault_of("data { x <- 1 } var y; model { }"), "no error");
  EXPECT_NE(fault_of("model { x <- 1e999 }"), "no error");
}

TEST(BugsProgramParser, HostileDepthIsRefused) {
  const std::string parentheses(10'000, '('), minuses(10'000, '-');
  EXPECT_NE(fault_of("model { x <- " + parentheses + " }").find("lie in each other"),
            std::string::npos);
  EXPECT_NE(fault_of("model { x <- " + minuses + "1 }").find("lie in each other"),
            std::string::npos);
  std::string sum = "1", power = "1", loops;
  for (int i = 0; i < 5000; ++i) {
    sum += "+1";
    power += "^1";
    loops += "for (i in 1:2) {";
  }
  EXPECT_NE(fault_of("model { x <- " + sum + " }").find("lie in each other"), std::string::npos);
  EXPECT_NE(fault_of("model { x <- " + power + " }").find("lie in each other"), std::string::npos);
  EXPECT_NE(fault_of("model { " + loops).find("lie in each other"), std::string::npos);
  EXPECT_EQ(fault_of("model { x <- " + sum.substr(0, 3001) + " }"), "no error");  // 1501 terms
}

TEST(BugsProgramParser, ModelsOfTheFirstBugsAreRefusedByName) {
  EXPECT_EQ(fault_of("model leuk;\nconst N = 42;\n"),
            "t.bug:1:1: a program of the first BUGS: JAGS' dialect has no name of the model, no "
            "const and no files of data: \"model\"; write model { … }, and give constants and data "
            "in a file of their own");
  EXPECT_NE(fault_of("var x; data x in \"x.dat\"; model { }").find("no files of data"),
            std::string::npos);
}

TEST(BugsProgramParser, ReadsAllClassicExamples) {
  const std::filesystem::path folder = data_folder() / "bugs";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  std::size_t read = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    if (each.path().extension() != ".bug") continue;
    const std::string fault = message_of<InputError>([&] { read_program(each.path().string()); });
    if (each.path().filename() == "leukfr.bug") {
      EXPECT_NE(fault.find("a program of the first BUGS"), std::string::npos) << fault;
    } else {
      EXPECT_EQ(fault, "no error");
    }
    ++read;
  }
  EXPECT_EQ(read, 30u);
}

}  // namespace
}  // namespace croft::bugs::program_parser_test
