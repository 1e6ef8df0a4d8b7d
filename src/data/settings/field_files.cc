#include "data/settings/field_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "core/parse_number.h"
#include "data/checks.h"

namespace croft {
namespace {

// What a line must be.
struct LineForm {
  std::size_t fields, filled;  // so many, and so many of them not empty
  std::string_view problem, remedy;
  bool plain_text = false;
};

// visit(fields, line) for each line that is not blank.
template <class Visit>
void read_fields(LineReader& lines, const LineForm& form, const Visit& visit) {
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(kBlanks) == line.npos) continue;
    if (form.plain_text) require_plain_text(line, lines);
    const std::vector<std::string_view> fields = split_fields(line);
    if (fields.size() != form.fields ||
        std::any_of(fields.begin(), fields.begin() + form.filled,
                    [](std::string_view field) { return field.empty(); })) {
      throw InputError(lines.location(), form.problem, line, form.remedy);
    }
    visit(fields, line);
  }
}

// As relative weights and variances are.
bool is_factor(std::string_view text, double& value) {
  return parse_number(text, value) == NumberKind::finite && value >= 1e-12 && value <= 1e12;
}

}  // namespace

std::vector<std::string_view> split_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  const bool tabs = line.find('\t') != line.npos;
  const char separator = tabs ? '\t' : ' ';
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    if (tabs || end > begin) fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

std::string text_of(LineReader& lines) {
  std::string text;
  for (std::string_view line; lines.next(line);) text.append(line).append("\n");
  return text;
}

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == separator) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

NamePattern::NamePattern(std::string_view pattern) : pieces_(1) {
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] == '*') {
      pieces_.emplace_back();
      continue;
    }
    const bool escape = pattern[k] == '\\' && k + 1 < pattern.size() &&
                        (pattern[k + 1] == '*' || pattern[k + 1] == '\\');
    pieces_.back() += pattern[escape ? ++k : k];
  }
}

// Whether the name is the pieces in order, with any text between them.
bool NamePattern::matches(std::string_view name) const {
  if (pieces_.size() == 1) return name == pieces_[0];
  if (!name.starts_with(pieces_.front())) return false;
  name.remove_prefix(pieces_.front().size());
  for (const std::string& piece : std::span(pieces_).subspan(1, pieces_.size() - 2)) {
    const std::size_t at = name.find(piece);  // the first place leaves most for the others
    if (at == name.npos) return false;
    name.remove_prefix(at + piece.size());
  }
  return name.ends_with(pieces_.back());
}

std::vector<double> read_weight_file(LineReader& lines) {
  std::vector<double> weights;
  for (std::string_view line; lines.next(line);) {
    double weight = 0;
    if (parse_number(line, weight) != NumberKind::finite || !(weight > 0)) {
      throw InputError(lines.location(),
                       line.empty() ? Message("an empty line where a weight is expected")
                                    : "a weight that is not a positive finite number",
                       line, "write one number above 0 for each sequence, a line each");
    }
    weights.push_back(weight);
  }
  return weights;
}

LabelWeightFile read_label_weight_file(LineReader& lines) {
  LabelWeightFile file{lines.name(), {}};
  std::unordered_set<std::string> seen;
  for (std::string_view line; lines.next(line);) {
    if (line.empty()) continue;
    const std::size_t tab = line.rfind('\t');
    if (tab == line.npos || tab == 0) {
      throw InputError(lines.location(), "a line that is not LABEL TAB WEIGHT", line,
                       "write a label of the data, a TAB and a number above 0");
    }
    const std::string_view label = line.substr(0, tab), number = line.substr(tab + 1);
    double weight = 0;
    if (!is_factor(number, weight)) {
      throw InputError(lines.location(), "a weight that is not from 1e-12 to 1e12", number,
                       "1 is as without this file, 2 as if each example of the label were there "
                       "twice");
    }
    if (!seen.emplace(label).second) {
      throw InputError(lines.location(), "a label that an earlier line names", label,
                       "delete one of the lines");
    }
    file.rules.push_back({std::string(label), weight, lines.line_number()});
  }
  if (!file.rules.empty()) return file;
  throw InputError({lines.name()}, "no weight of a label", "", "write lines LABEL TAB WEIGHT");
}

std::vector<double> weights_of(const LabelWeightFile& file,
                               std::span<const std::string_view> names) {
  std::unordered_map<std::string_view, std::size_t> number;
  for (std::size_t j = 0; j < names.size(); ++j) number.emplace(names[j], j);
  std::vector<double> weights(names.size(), 1.0);
  for (const LabelWeight& rule : file.rules) {
    const auto at = number.find(rule.label);
    if (at == number.end()) {
      throw InputError({file.name, rule.line}, "a label that the data does not have", rule.label,
                       "write it as the data has it, or delete the line");
    }
    weights[at->second] = rule.weight;
  }
  return weights;
}

LabelClasses read_label_class_file(LineReader& lines) {
  const LineForm form{2, 2, "a line that is not LABEL CLASS",
                      "write a label and its class between TABs or spaces", true};
  LabelClasses classes;
  read_fields(lines, form, [&](const auto& fields, std::string_view) {
    if (classes.emplace(fields[0], fields[1]).second) return;
    throw InputError(lines.location(), "a label that has a class already", fields[0],
                     "give it one class: delete one of the lines");
  });
  if (classes.empty()) throw InputError({lines.name()}, "no line", "", form.remedy);
  return classes;
}

std::vector<std::pair<std::string, std::string>> read_code_file(LineReader& lines) {
  const LineForm form{2, 2, "a line that is not LABEL BITS",
                      "write a label and its bits (0, 1 and -) between TABs or spaces", true};
  std::vector<std::pair<std::string, std::string>> words;
  std::unordered_set<std::string> known;
  read_fields(lines, form, [&](const auto& fields, std::string_view line) {
    if (fields[1].find_first_not_of("01-") != std::string_view::npos) {
      throw InputError(lines.location(), form.problem, line, form.remedy);
    }
    if (!words.empty() && fields[1].size() != words.front().second.size()) {
      throw InputError(lines.location(),
                       "a word of " + std::to_string(fields[1].size()) +
                           " bits, where others have " +
                           std::to_string(words.front().second.size()),
                       fields[1], "give all labels words of one length");
    }
    if (!known.emplace(fields[0]).second) {
      throw InputError(lines.location(), "a label that has a word already", fields[0],
                       "delete one of the lines");
    }
    words.emplace_back(fields[0], fields[1]);
  });
  if (words.empty()) throw InputError({lines.name()}, "no line", "", form.remedy);
  return words;
}

CostFile read_cost_file(LineReader& lines) {
  const auto label = [](std::string_view field) -> std::optional<std::string> {
    if (field == "*") return std::nullopt;
    return std::string(field.substr(field.starts_with('\\') ? 1 : 0));
  };
  CostFile file{lines.name(), {}};
  const LineForm form{3, 2, "a line that is not GOLD PREDICTED COST",
                      "write two labels and a number between TABs or spaces; * is every label"};
  read_fields(lines, form, [&](const auto& fields, std::string_view line) {
    CostRule rule{label(fields[0]), label(fields[1]), 0, lines.line_number()};
    if (parse_number(fields[2], rule.cost) != NumberKind::finite || rule.cost < 0) {
      throw InputError(lines.location(), "a cost that is not a finite number of 0 or more",
                       fields[2],
                       "give the cost of predicting the second label where the first is right");
    }
    if (rule.gold && rule.gold == rule.predicted && rule.cost != 0) {
      throw InputError(lines.location(), "a cost of predicting the right label", line,
                       "delete the line: a right prediction costs nothing");
    }
    file.rules.push_back(std::move(rule));
  });
  return file;
}

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

}  // namespace

PenaltyFile read_penalty_file(LineReader& lines, PenaltyTests tests) {
  PenaltyFile file{lines.name(), {}};
  const LineForm form{3, 2, "a line that is not TEST LABEL PENALTY",
                      "write a test, a label and a number between TABs or spaces; * always holds"};
  read_fields(lines, form, [&](const auto& fields, std::string_view) {
    PenaltyRule& rule = file.rules.emplace_back();
    rule.line = lines.line_number();
    rule.label = fields[1];
    const std::string_view test = fields[0];
    if (test != "*" && tests == PenaltyTests::cells) {
      read_cell_test(test, lines.location(), rule);
    } else if (test != "*") {
      rule.test = PenaltyRule::Test::attribute;
      rule.text = test.substr(test.starts_with('\\') ? 1 : 0);
    }
    if (parse_number(fields[2], rule.penalty) != NumberKind::finite) {
      throw InputError(lines.location(), "a penalty that is not a finite number", fields[2],
                       "give what the label's score loses, in nats; what is forbidden altogether "
                       "belongs to a constraint");
    }
    if (std::abs(rule.penalty) > kMostPenalty) {
      throw InputError(lines.location(), "a penalty beyond 1e6 nats", fields[2],
                       "1e6 decides everything that a penalty can; what is forbidden altogether "
                       "belongs to a constraint");
    }
  });
  if (!file.rules.empty()) return file;
  throw InputError({file.name}, "no penalty", "", "write lines TEST LABEL PENALTY");
}

TransitionGroupFile read_transition_group_file(LineReader& lines) {
  const LineForm form{3, 3, "a line that is not FROM TO GROUP",
                      "write two labels and the name of a group between TABs or spaces; * is any "
                      "text, the group - no weight"};
  TransitionGroupFile file{lines.name(), {}};
  read_fields(lines, form, [&](const auto& fields, std::string_view) {
    TransitionGroupRule& rule = file.rules.emplace_back();
    rule = {std::string(fields[0]), std::string(fields[1]), std::nullopt, lines.line_number()};
    if (fields[2] != "-") rule.group = fields[2];
  });
  if (file.rules.empty()) throw InputError({file.name}, "no line", "", form.remedy);
  return file;
}

VarianceFile read_variance_file(LineReader& lines) {
  VarianceFile file{lines.name(), {}};
  const LineForm form{2, 1, "a line that is not PATTERN VARIANCE",
                      "write a name of features, * for any text in it, and a number above 0"};
  read_fields(lines, form, [&](const auto& fields, std::string_view) {
    double variance = 0;
    if (!is_factor(fields[1], variance)) {
      throw InputError(lines.location(), "a variance that is not from 1e-12 to 1e12", fields[1],
                       "variances are relative to 1 / l2: 1 is as without this file");
    }
    file.rules.push_back(
        {NamePattern(fields[0]), variance, std::string(fields[0]), lines.line_number()});
  });
  if (!file.rules.empty()) return file;
  throw InputError({lines.name()}, "no variance", "", "write lines PATTERN VARIANCE");
}

std::vector<double> variances_of(const VarianceFile& file,
                                 std::span<const std::string_view> names) {
  for (const VarianceRule& rule : file.rules) {
    const auto fits = [&](std::string_view name) { return rule.pattern.matches(name); };
    if (std::ranges::any_of(names, fits)) continue;
    throw InputError({file.name, rule.line}, "a pattern that fits the name of no feature",
                     rule.text,
                     "write a name as croft inspect shows it, * for any text in it, or delete the "
                     "line");
  }
  std::vector<double> variances;
  for (const std::string_view name : names) {
    const auto last =
        std::ranges::find_if(file.rules.rbegin(), file.rules.rend(),
                             [&](const VarianceRule& rule) { return rule.pattern.matches(name); });
    variances.push_back(last == file.rules.rend() ? 1.0 : last->variance);
  }
  return variances;
}

namespace {

LabelShare label_share(std::string_view field, const LineReader& lines) {
  const std::size_t at = field.rfind('=');
  LabelShare out;
  std::size_t end = at;
  if (at != field.npos && at > 0 && (field[at - 1] == '>' || field[at - 1] == '<')) {
    out.relation = field[--end] == '>' ? ShareRelation::at_least : ShareRelation::at_most;
  }
  if (at == field.npos || end == 0) {
    throw InputError(lines.location(), "not LABEL=SHARE, LABEL>=SHARE or LABEL<=SHARE", field,
                     "write a label, =, and how often it is there, from 0 to 1");
  }
  out.label = field.substr(0, end);
  const std::string_view number = field.substr(at + 1);
  if (parse_number(number, out.share) != NumberKind::finite || out.share < 0 || out.share > 1) {
    throw InputError(lines.location(), "a share that is not from 0 to 1", number,
                     "it is how often the label is there, where the attribute is");
  }
  return out;
}

ExpectationRule expectation_rule(const std::vector<std::string_view>& fields,
                                 const LineReader& lines) {
  ExpectationRule rule{std::string(fields[0]), {}, lines.line_number()};
  double sum = 0;
  for (const std::string_view field : std::span(fields).subspan(1)) {
    LabelShare each = label_share(field, lines);
    for (const LabelShare& other : rule.shares) {
      if ((other.relation == ShareRelation::equal) != (each.relation == ShareRelation::equal)) {
        throw InputError(lines.location(), "a distribution (=) and bounds (>=, <=) in one line",
                         field, "give the bounds a line of their own");
      }
      if (other.label == each.label && other.relation == each.relation) {
        throw InputError(lines.location(), "a label twice", each.label, "name each label once");
      }
    }
    if (each.relation == ShareRelation::equal) sum += each.share;
    rule.shares.push_back(std::move(each));
  }
  if (sum > 1 + 1e-9) {
    throw InputError(lines.location(), "shares that add up to more than 1", fields[0],
                     "the shares of a distribution add up to 1, or to less where the other labels "
                     "have the rest");
  }
  return rule;
}

}  // namespace

ExpectationFile read_expectation_file(LineReader& lines) {
  constexpr std::string_view kRemedy = "write lines ATTRIBUTE LABEL=SHARE LABEL=SHARE …";
  ExpectationFile file{lines.name(), {}};
  std::unordered_set<std::string> seen;
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(kBlanks) == line.npos) continue;
    const std::vector<std::string_view> fields = split_fields(line);
    if (fields.size() < 2 || fields[0].empty()) {
      throw InputError(lines.location(), "a line that says nothing of a label", line, kRemedy);
    }
    ExpectationRule rule = expectation_rule(fields, lines);
    const bool bounds = rule.shares.front().relation != ShareRelation::equal;
    if (!seen.insert((bounds ? "b" : "d") + rule.attribute).second) {
      throw InputError(lines.location(), "an attribute that an earlier line names", fields[0],
                       "put what is expected of it in one line");
    }
    file.rules.push_back(std::move(rule));
  }
  if (!file.rules.empty()) return file;
  throw InputError({lines.name()}, "no expectation", "", kRemedy);
}

}  // namespace croft
