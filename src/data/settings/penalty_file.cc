#include "data/settings/penalty_file.h"

#include <cmath>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/parse_number.h"
#include "data/settings/fields.h"

namespace croft {
namespace {

void read_cell_test(std::string_view field, const Location& where, PenaltyRule& rule) {
  const std::size_t sign = std::min(field.find('='), field.size());
  const auto [rest, fault] = std::from_chars(field.data(), field.data() + sign, rule.column);
  if (sign + 1 >= field.size() || fault != std::errc() || rest != field.data() + sign) {
    throw InputError(where, "a test that is neither * nor COLUMN=TEXT", field,
                     "write the number of a column, from 0, and the text of its cell: 0=the");
  }
  rule.test = PenaltyRule::Test::cell;
  rule.text = field.substr(sign + 1);
}

PenaltyRule parse_rule(std::string_view line, PenaltyTests tests, const Location& where) {
  const std::vector<std::string_view> fields = split_fields(line);
  if (fields.size() != 3 || fields[0].empty() || fields[1].empty()) {
    throw InputError(where, "a line that is not TEST LABEL PENALTY", line,
                     "write a test, a label and a number between TABs or spaces; * always holds");
  }
  PenaltyRule rule;
  rule.line = where.line;
  rule.label = fields[1];
  std::string_view test = fields[0];
  if (test != "*" && tests == PenaltyTests::cells) {
    read_cell_test(test, where, rule);
  } else if (test != "*") {
    if (test.starts_with('\\')) test.remove_prefix(1);
    rule.test = PenaltyRule::Test::attribute;
    rule.text = test;
  }
  if (parse_number(fields[2], rule.penalty) != NumberKind::finite) {
    throw InputError(where, "a penalty that is not a finite number", fields[2],
                     "give what the label's score loses, in nats; what is forbidden altogether "
                     "belongs to a constraint");
  }
  if (std::abs(rule.penalty) > kMostPenalty) {
    throw InputError(where, "a penalty beyond 1e6 nats", fields[2],
                     "1e6 decides everything that a penalty can; what is forbidden altogether "
                     "belongs to a constraint");
  }
  return rule;
}

}  // namespace

PenaltyFile read_penalty_file(LineReader& lines, PenaltyTests tests) {
  PenaltyFile file{lines.name(), {}};
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    file.rules.push_back(parse_rule(line, tests, lines.location()));
  }
  if (file.rules.empty()) {
    throw InputError({file.name}, "no penalty", "", "write lines TEST LABEL PENALTY");
  }
  return file;
}

}  // namespace croft
