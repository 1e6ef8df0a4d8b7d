#include "bugs/language/program_writer.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace croft::bugs {
namespace {

constexpr int kMinusLevel = 8;

struct Level {
  std::string_view sign;
  int level;
};
constexpr auto kLevels = std::to_array<Level>({{"||", 1},
                                               {"&&", 2},
                                               {"==", 3},
                                               {"!=", 3},
                                               {"<", 3},
                                               {"<=", 3},
                                               {">", 3},
                                               {">=", 3},
                                               {"+", 4},
                                               {"-", 4},
                                               {"*", 5},
                                               {"/", 5},
                                               {":", 7},
                                               {"^", 9}});

// Of an operator between two arguments; 0: a function.
int level_of(std::string_view sign) {
  if (sign.starts_with('%')) return 6;
  for (const Level& each : kLevels) {
    if (each.sign == sign) return each.level;
  }
  return 0;
}

void write(const Expression& expression, int lowest, std::string& out);

void write_list(const std::vector<Expression>& list, std::string& out) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += list[i].kind == ExpressionKind::absent ? "," : ", ";
    write(list[i], 1, out);
  }
}

void write_call(const Expression& call, int lowest, std::string& out) {
  const bool minus = call.name == "-" && call.arguments.size() == 1;
  const int level = minus ? kMinusLevel : call.arguments.size() == 2 ? level_of(call.name) : 0;
  if (level == 0) {
    out += call.name + "(";
    write_list(call.arguments, out);
    out += ")";
    return;
  }
  const bool apart = level < lowest;
  if (apart) out += "(";
  if (minus) {
    out += "-";
    write(call.arguments[0], kMinusLevel, out);
  } else {
    const bool right = call.name == "^", none = level == 3, tight = level >= 7;
    write(call.arguments[0], right || none ? level + 1 : level, out);
    out += tight ? call.name : " " + call.name + " ";
    // What follows ^ may begin with a minus.
    write(call.arguments[1], right ? kMinusLevel : level + 1, out);
  }
  if (apart) out += ")";
}

void write(const Expression& expression, int lowest, std::string& out) {
  switch (expression.kind) {
    case ExpressionKind::number:
      out += fmt::format("{}", expression.number);
      break;
    case ExpressionKind::name:
      out += expression.name;
      if (!expression.arguments.empty()) {
        out += "[";
        write_list(expression.arguments, out);
        out += "]";
      }
      break;
    case ExpressionKind::call:
      write_call(expression, lowest, out);
      break;
    case ExpressionKind::absent:
      break;
  }
}

void write_block(const std::vector<Statement>& statements, std::size_t indent, std::string& out);

void write_draw(const Draw& draw, std::string& out) {
  write(draw.target, 1, out);
  out += " ~ " + draw.distribution + "(";
  write_list(draw.parameters, out);
  out += ")";
  if (!draw.truncation) return;
  out += draw.truncation->interval ? " I(" : " T(";
  if (draw.truncation->lower) write(*draw.truncation->lower, 1, out);
  out += ", ";
  if (draw.truncation->upper) write(*draw.truncation->upper, 1, out);
  out += ")";
}

void write_definition(const Definition& definition, std::string& out) {
  if (!definition.link.empty()) out += definition.link + "(";
  write(definition.target, 1, out);
  if (!definition.link.empty()) out += ")";
  out += " <- ";
  write(definition.value, 1, out);
}

void write_block(const std::vector<Statement>& statements, std::size_t indent, std::string& out) {
  out += "{\n";
  for (const Statement& statement : statements) {
    out.append(indent + 2, ' ');
    if (const auto* const draw = std::get_if<Draw>(&statement)) {
      write_draw(*draw, out);
    } else if (const auto* const definition = std::get_if<Definition>(&statement)) {
      write_definition(*definition, out);
    } else {
      const Loop& loop = std::get<Loop>(statement);
      out += "for (" + loop.counter + " in ";
      write(loop.range, 1, out);
      out += ") ";
      write_block(loop.body, indent + 2, out);
      continue;
    }
    out += "\n";
  }
  out.append(indent, ' ');
  out += "}\n";
}

}  // namespace

std::string text_of(const Expression& expression) {
  std::string out;
  write(expression, 1, out);
  return out;
}

std::string text_of(const Program& program) {
  std::string out;
  for (std::size_t i = 0; i < program.declarations.size(); ++i) {
    out += i == 0 ? "var " : ", ";
    out += program.declarations[i].name;
    if (program.declarations[i].dimensions.empty()) continue;
    out += "[";
    write_list(program.declarations[i].dimensions, out);
    out += "]";
  }
  if (!out.empty()) out += ";\n";
  if (!program.data.empty()) {
    out += "data ";
    write_block(program.data, 0, out);
  }
  out += "model ";
  write_block(program.model, 0, out);
  return out;
}

}  // namespace croft::bugs
