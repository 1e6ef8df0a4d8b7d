// A program that is written and parsed is the same tree.
#include "bugs/language/program_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "bugs/language/program_parser.h"

namespace croft::bugs::program_writer_test {
namespace {

bool same(const Expression& a, const Expression& b) {
  if (a.kind != b.kind || a.number != b.number || a.name != b.name ||
      a.arguments.size() != b.arguments.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    if (!same(a.arguments[i], b.arguments[i])) return false;
  }
  return true;
}

bool same(const std::vector<Expression>& a, const std::vector<Expression>& b) {
  return same(Expression{.arguments = a}, Expression{.arguments = b});
}

bool same(const std::optional<Expression>& a, const std::optional<Expression>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

bool same(const std::vector<Statement>& a, const std::vector<Statement>& b);

bool same(const Statement& a, const Statement& b) {
  if (a.index() != b.index()) return false;
  if (const auto* const draw = std::get_if<Draw>(&a)) {
    const Draw& other = std::get<Draw>(b);
    if (draw->truncation.has_value() != other.truncation.has_value()) return false;
    if (draw->truncation && (draw->truncation->interval != other.truncation->interval ||
                             !same(draw->truncation->lower, other.truncation->lower) ||
                             !same(draw->truncation->upper, other.truncation->upper))) {
      return false;
    }
    return same(draw->target, other.target) && draw->distribution == other.distribution &&
           same(draw->parameters, other.parameters);
  }
  if (const auto* const definition = std::get_if<Definition>(&a)) {
    const Definition& other = std::get<Definition>(b);
    return same(definition->target, other.target) && definition->link == other.link &&
           same(definition->value, other.value);
  }
  const Loop &loop = std::get<Loop>(a), &other = std::get<Loop>(b);
  return loop.counter == other.counter && same(loop.range, other.range) &&
         same(loop.body, other.body);
}

bool same(const std::vector<Statement>& a, const std::vector<Statement>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

std::size_t below(std::size_t end) { return *rc::gen::inRange<std::size_t>(0, end); }

std::string any_name() {
  static const char* const kNames[] = {"x", "alpha", "beta.c", "T", "I", "in_1", "a.b.c", "model"};
  return kNames[below(8)];
}

Expression any_expression(std::size_t depth);

Expression any_variable(std::size_t depth) {
  Expression out{.kind = ExpressionKind::name, .name = any_name()};
  for (std::size_t k = below(3); k > 0; --k) {
    out.arguments.push_back(below(4) == 0 ? Expression() : any_expression(depth));
  }
  return out;
}

Expression any_expression(std::size_t depth) {
  const std::size_t what = depth == 0 ? below(2) : below(5);
  if (what == 0) {
    const double number = *rc::gen::arbitrary<double>();
    return {.kind = ExpressionKind::number, .number = std::abs(number)};
  }
  if (what == 1) return any_variable(depth == 0 ? 0 : depth - 1);
  Expression out{.kind = ExpressionKind::call};
  if (what == 2) {
    static const char* const kFunctions[] = {"exp", "pow", "inprod", "-"};
    out.name = kFunctions[below(4)];
    const std::size_t count = out.name == "-" ? 1 : below(4);
    for (std::size_t k = 0; k < count; ++k) out.arguments.push_back(any_expression(depth - 1));
    return out;
  }
  static const char* const kSigns[] = {
      "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", ":", "%*%", "%o%", "^"};
  out.name = kSigns[below(16)];
  for (int k = 0; k < 2; ++k) out.arguments.push_back(any_expression(depth - 1));
  return out;
}

std::vector<Statement> any_statements(std::size_t depth) {
  std::vector<Statement> out;
  for (std::size_t k = below(4); k > 0; --k) {
    const std::size_t what = below(depth == 0 ? 2 : 3);
    if (what == 0) {
      Draw draw{.target = any_variable(1), .distribution = "dnorm"};
      for (std::size_t p = below(3); p > 0; --p) draw.parameters.push_back(any_expression(3));
      if (below(3) == 0) {
        Truncation truncation{.interval = below(2) == 0};
        if (below(2) == 0) truncation.lower = any_expression(2);
        if (below(2) == 0) truncation.upper = any_expression(2);
        draw.truncation = truncation;
      }
      out.emplace_back(std::move(draw));
    } else if (what == 1) {
      static const char* const kLinks[] = {"", "log", "logit", "probit", "cloglog"};
      out.emplace_back(Definition{
          .target = any_variable(1), .link = kLinks[below(5)], .value = any_expression(4)});
    } else {
      out.emplace_back(
          Loop{.counter = "i", .range = any_expression(2), .body = any_statements(depth - 1)});
    }
  }
  return out;
}

RC_GTEST_PROP(BugsProgramWriter, WhatIsWrittenIsTheSameTreeAgain, ()) {
  Program program{.declarations = {}, .data = any_statements(1), .model = any_statements(2)};
  for (std::size_t k = below(3); k > 0; --k) {
    Declaration declaration{.name = "v" + std::to_string(k)};
    for (std::size_t d = below(3); d > 0; --d) declaration.dimensions.push_back(any_expression(1));
    program.declarations.push_back(std::move(declaration));
  }
  const std::string text = text_of(program);
  const Program again = parse_program(LineReader(text, "again.bug"));
  RC_LOG() << text;
  RC_ASSERT(same(program.data, again.data));
  RC_ASSERT(same(program.model, again.model));
  RC_ASSERT(program.declarations.size() == again.declarations.size());
  for (std::size_t i = 0; i < program.declarations.size(); ++i) {
    RC_ASSERT(program.declarations[i].name == again.declarations[i].name);
    RC_ASSERT(same(program.declarations[i].dimensions, again.declarations[i].dimensions));
  }
}

TEST(BugsProgramWriter, WritesTheParenthesesThatAreNeeded) {
  const auto again = [](const std::string& text) {
    const Program program = parse_program(LineReader("model { x <- " + text + " }", "t.bug"));
    return text_of(std::get<Definition>(program.model.at(0)).value);
  };
  for (const char* const text :
       {"(-2)^2", "-2^2", "2^-1", "(a + b) * c", "a - (b - c)", "a - b - c", "1:3 + 1",
        "(a < b) == (c < d)", "-(a + b)", "1:(n - 1)", "(1:n)^2", "x[1:3,, 2]"}) {
    EXPECT_EQ(again(text), text);
  }
}

}  // namespace
}  // namespace croft::bugs::program_writer_test
