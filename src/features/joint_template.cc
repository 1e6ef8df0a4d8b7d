#include "features/joint_template.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "core/unicode.h"
#include "croft/core/error.h"
#include "features/template.h"
#include "features/template_parser.h"

namespace croft {

namespace {

// Where the characters of a text begin, each with the marks behind it.
std::vector<std::size_t> character_begins(std::string_view text) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter c = decode(text, at);
    const bool mark = c.value != kInvalidByte && character_class(c.value) == CharacterClass::mark;
    if (!mark || begins.empty()) begins.push_back(at);
    at += c.size;
  }
  return begins;
}

}  // namespace

std::string value_of(const LabelFunction& function, std::string_view label,
                     const LabelClasses& classes) {
  switch (function.kind) {
    case LabelFunction::Kind::lower: {
      std::string lower;
      append_lower(label, lower);
      return lower;
    }
    case LabelFunction::Kind::label_class: {
      const auto found = classes.find(std::string(label));
      return std::string(found == classes.end() ? kNoClass : found->second);
    }
    case LabelFunction::Kind::label:
      return std::string(label);
    case LabelFunction::Kind::prefix:
    case LabelFunction::Kind::suffix:
      break;
  }
  const std::vector<std::size_t> begins = character_begins(label);
  if (begins.size() <= function.characters) return std::string(label);
  return std::string(function.kind == LabelFunction::Kind::prefix
                         ? label.substr(0, begins[function.characters])
                         : label.substr(begins[begins.size() - function.characters]));
}

NamedGroups group_labels(std::span<const LabelFunction> functions,
                         std::span<const std::string> labels, const LabelClasses& classes) {
  NamedGroups out;
  const auto is_label = [](const LabelFunction& f) { return f.kind == LabelFunction::Kind::label; };
  if (std::ranges::any_of(functions, is_label)) {  // the finest there is
    out.groups.count = static_cast<std::uint32_t>(labels.size());
    return out;
  }
  std::map<std::vector<std::string>, std::uint32_t> number;
  for (const std::string& label : labels) {
    std::vector<std::string> values;
    for (const LabelFunction& function : functions) {
      values.push_back(value_of(function, label, classes));
    }
    const auto [entry, is_new] = number.emplace(values, out.groups.count);
    out.groups.of.push_back(entry->second);
    if (!is_new) continue;
    ++out.groups.count;
    std::string& name = out.names.emplace_back();
    for (const std::string& value : values) name += (name.empty() ? "" : "|") + value;
  }
  return out;
}

namespace {

constexpr std::size_t kMostCharacters = 64;  // of a suffix or prefix
constexpr std::string_view kForms =
    "write %y, %y[suffix,3], %y[prefix,2], %y[lower], %y[class], %y in %x[-20..-1,0] or "
    "%y not in %x[..-1,0]";

bool is_blank(char c) { return kTemplateBlanks.find(c) != kTemplateBlanks.npos; }

// Where " * %y" stands at or after `from`; npos: nowhere.  Only an expression of the x-part can
// have one between quotes, and then a quote is behind it.
std::size_t find_separator(std::string_view line, std::size_t from) {
  for (std::size_t at = line.find('*', from); at != line.npos; at = line.find('*', at + 1)) {
    if (at == 0 || !is_blank(line[at - 1])) continue;
    const std::size_t next = line.find_first_not_of(kTemplateBlanks, at + 1);
    if (next == line.npos || !line.substr(next).starts_with("%y")) continue;
    if (line.find('"', next) == line.npos) return at;
  }
  return line.npos;
}

}  // namespace

// Reads one line, from its x-part to its last part of y.
class JointLineParser : LineScanner {
 public:
  JointLineParser(std::string_view line, const std::string& name, std::size_t number,
                  JointTemplates& out)
      : LineScanner(line, name, number), out_(out) {}
  void parse();

 private:
  void skip_blanks() {
    while (at_ < end_ && is_blank(line_[at_])) ++at_;
  }
  void check_x_part(std::string_view x) const;
  void parse_factor();
  void parse_function();
  void parse_match();
  LabelWindow parse_window();
  std::optional<std::int32_t> parse_number();

  JointTemplates& out_;
  std::size_t end_ = 0;  // of the factor
  LabelPartRule rule_;
  bool matches_ = false;
};

void JointLineParser::parse() {
  std::size_t separator = find_separator(line_, 0);
  const std::string_view x = without_trailing_blanks(line_.substr(0, separator));
  check_x_part(x);
  while (separator != line_.npos) {
    at_ = separator + 1;
    separator = find_separator(line_, at_);
    end_ = without_trailing_blanks(line_.substr(0, separator)).size();
    skip_blanks();
    parse_factor();
  }
  if (rule_.functions.empty() && !matches_) rule_.functions.emplace_back();
  std::ranges::sort(rule_.functions);
  const auto [rest, last] = std::ranges::unique(rule_.functions);
  rule_.functions.erase(rest, last);
  const std::size_t part = number_among(rule_, out_.parts_);
  if (part == out_.part_texts_.size()) {
    const std::size_t first = line_.find("%y", x.size());
    out_.part_texts_.emplace_back(first == line_.npos ? "%y" : line_.substr(first));
  }
  out_.part_of_.push_back(part);
  out_.extraction_ += "u" + std::to_string(part) + "|";
  out_.extraction_ += x.substr(1);
  out_.extraction_ += "\n";
}

// As a template of its own, on the line where it stands.
void JointLineParser::check_x_part(std::string_view x) const {
  if (x.empty() || x.starts_with(' ')) {
    fail(0, "a template starts with u", "start the line with its x-part, such as u:%x[-1,0]");
  }
  if (x.starts_with('b') || x.starts_with('B') || x.starts_with('*')) {
    fail(0, "a line for pairs of labels, which do not depend on each other here",
         "start it with u: the x-part of a joint template looks at observations alone");
  }
  TemplateSet::parse(std::string(number_ - 1, '\n') + std::string(x), name_,
                     TemplateLanguage::wapiti);
}

void JointLineParser::parse_factor() {
  if (!take("%y")) fail(at_, "a part of the label starts with %y", kForms);
  if (at_ == end_) {
    rule_.functions.emplace_back();
  } else if (line_[at_] == '[') {
    parse_function();
  } else {
    parse_match();
  }
  if (at_ != end_) fail(at_, "text after a part of the label", kForms);
}

void JointLineParser::parse_function() {
  const std::size_t begin = at_++;
  using Way = LabelFunction::Kind;
  LabelFunction function;
  if (take("lower")) {
    function.kind = Way::lower;
  } else if (take("class")) {
    function.kind = Way::label_class;
  } else if (take("suffix,") || take("prefix,")) {
    function.kind = line_[at_ - 7] == 's' ? Way::suffix : Way::prefix;
    const std::optional<std::int32_t> length = parse_number();
    if (!length || *length < 1 || static_cast<std::size_t>(*length) > kMostCharacters) {
      fail(begin, "the number of characters is not from 1 to 64", kForms);
    }
    function.characters = static_cast<std::size_t>(*length);
  } else {
    fail(begin, "an unknown function of the label", kForms);
  }
  if (!take("]")) fail(at_, "the function of the label has no \"]\" here", kForms);
  rule_.functions.push_back(function);
}

// " in %x[...]" or " not in %x[...]"
void JointLineParser::parse_match() {
  const std::size_t begin = at_;
  skip_blanks();
  const bool negated = at_ > begin && take("not");
  const std::size_t after = at_;
  if (negated) skip_blanks();
  if (at_ == (negated ? after : begin) || !take("in") || at_ >= end_ || !is_blank(line_[at_])) {
    fail(begin, "neither a function of the label nor \"in\" follows %y", kForms);
  }
  if (matches_) fail(begin, "a second window in one template", "write at most one");
  skip_blanks();
  const LabelWindow window = parse_window();
  matches_ = true;
  rule_.window = static_cast<std::uint32_t>(number_among(window, out_.windows_));
  rule_.negated = negated;
}

LabelWindow JointLineParser::parse_window() {
  constexpr std::string_view kRemedy =
      "write %x[from..to,column] with offsets from the position, either of which may be left out";
  const std::size_t begin = at_;
  if (!take("%x[")) fail(begin, "a window of cells is missing here", kRemedy);
  LabelWindow window;
  window.from = parse_number();
  if (take("..")) {
    window.to = parse_number();
  } else if (window.from) {
    window.to = window.from;
  } else {
    fail(at_, "a bad offset in a window", kRemedy);
  }
  if (!take(",")) fail(at_, "a bad offset in a window", kRemedy);
  const std::optional<std::int32_t> column = parse_number();
  if (!column || *column < 0 || !take("]")) fail(at_, "a bad column in a window", kRemedy);
  if (window.from && window.to && *window.from > *window.to) {
    fail(begin, "a window that ends before it begins", kRemedy);
  }
  window.track =
      static_cast<std::uint32_t>(number_among(static_cast<std::uint32_t>(*column), out_.columns_));
  if (window.track == out_.column_source_.size()) {
    out_.column_source_.push_back({{name_, number_, begin + 1}, std::string(line_)});
  }
  return window;
}

std::optional<std::int32_t> JointLineParser::parse_number() {
  std::int32_t value = 0;
  const std::size_t sign = at_ < end_ && line_[at_] == '+' ? 1 : 0;
  if (sign == 1 && at_ + 1 < end_ && line_[at_ + 1] == '-') return std::nullopt;
  const char* const begin = line_.data() + at_ + sign;
  const auto [end, error] = std::from_chars(begin, line_.data() + end_, value);
  if (error != std::errc{}) return std::nullopt;
  at_ = static_cast<std::size_t>(end - line_.data());
  return value;
}

JointTemplates JointTemplates::parse(std::string_view text, const std::string& name) {
  JointTemplates out;
  out.text_ = text;
  for_lines(text, [&](std::string_view line, std::size_t number) {
    out.lines_ = number;
    line = without_trailing_blanks(line.substr(0, line.find('#')));
    if (line.empty()) {
      out.extraction_ += "\n";  // its lines have the numbers of the source's, for messages
    } else {
      JointLineParser(line, name, number, out).parse();
    }
  });
  if (out.part_of_.empty()) {
    throw InputError({name}, "the file has no template", "",
                     "give at least one, such as u:%x[-1,0] * %y");
  }
  for (const std::uint32_t column : out.columns_) {
    out.extraction_ += std::string(kCellPrefix) + "%x[0," + std::to_string(column) + "]\n";
  }
  return out;
}

void JointTemplates::fail_as_window(const InputError& complaint, const std::string& name) const {
  const std::size_t line = complaint.where().line;
  if (complaint.where().file != name || line <= lines_) return;
  const std::size_t track = line - lines_ - 1;
  if (track >= columns_.size()) return;
  throw InputError(column_source_[track].where,
                   "the window looks at column " + std::to_string(columns_[track]) +
                       ", which the data does not have",
                   column_source_[track].line,
                   "columns count from 0, and the last one of the data, the label, is none");
}

bool JointTemplates::uses_classes() const {
  return std::ranges::any_of(parts_, [](const LabelPartRule& part) {
    return std::ranges::any_of(part.functions, [](const LabelFunction& f) {
      return f.kind == LabelFunction::Kind::label_class;
    });
  });
}

std::string JointTemplates::plain_string(std::string_view attribute) {
  return "u" + std::string(attribute.substr(std::min(attribute.find('|') + 1, attribute.size())));
}

LabelParts JointTemplates::make_parts(std::span<const std::string> labels,
                                      const LabelClasses& classes,
                                      std::vector<std::vector<std::string>>& names) const {
  std::vector<LabelPart> parts;
  names.clear();
  for (const LabelPartRule& rule : parts_) {
    NamedGroups groups = group_labels(rule.functions, labels, classes);
    parts.push_back({std::move(groups.groups), rule.window, rule.negated});
    names.push_back(std::move(groups.names));
  }
  return LabelParts(labels.size(), std::move(parts));
}

}  // namespace croft
