#include "data/settings/cost_file.h"

#include <string_view>

#include "core/parse_number.h"
#include "data/settings/fields.h"

namespace croft {
namespace {

std::optional<std::string> parse_label(std::string_view field) {
  if (field == "*") return std::nullopt;
  if (field.starts_with('\\')) field.remove_prefix(1);
  return std::string(field);
}

CostRule parse_rule(std::string_view line, const Location& where) {
  const std::vector<std::string_view> fields = split_fields(line);
  if (fields.size() != 3 || fields[0].empty() || fields[1].empty()) {
    throw InputError(where, "a line that is not GOLD PREDICTED COST", line,
                     "write two labels and a number between TABs or spaces; * is every label");
  }
  CostRule rule{parse_label(fields[0]), parse_label(fields[1]), 0, where.line};
  if (parse_number(fields[2], rule.cost) != NumberKind::finite || rule.cost < 0) {
    throw InputError(where, "a cost that is not a finite number of 0 or more", fields[2],
                     "give the cost of predicting the second label where the first is right");
  }
  if (rule.gold && rule.gold == rule.predicted && rule.cost != 0) {
    throw InputError(where, "a cost of predicting the right label", line,
                     "delete the line: a right prediction costs nothing");
  }
  return rule;
}

}  // namespace

CostFile read_cost_file(LineReader& lines) {
  CostFile file{lines.name(), {}};
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    file.rules.push_back(parse_rule(line, lines.location()));
  }
  return file;
}

}  // namespace croft
