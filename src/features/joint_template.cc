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
constexpr std::string_view kTrigger = "any";  // begins a line, and a trigger's attribute
constexpr std::string_view kTriggerForm =
    "write any %x[-50..-1,0] = word * %y; a string with blanks at its ends, # or * %y stands "
    "between double quotes, in which \\\" is a quote and \\\\ a backslash";

bool is_blank(char c) { return kTemplateBlanks.find(c) != kTemplateBlanks.npos; }

bool is_trigger(std::string_view line) {
  if (!line.starts_with(kTrigger)) return false;
  const std::string_view rest = line.substr(kTrigger.size());
  return rest.empty() || is_blank(rest.front()) || rest.front() == '%';
}

// Behind the quoted string that begins at `begin`; npos: it has no end.
std::size_t end_of_quoted(std::string_view line, std::size_t begin) {
  for (std::size_t at = begin + 1; at < line.size(); ++at) {
    if (line[at] == '"') return at + 1;
    if (line[at] == '\\') ++at;
  }
  return line.npos;
}

// Where the quoted string of a trigger begins; npos: there is none.
std::size_t find_quoted(std::string_view line) {
  const std::size_t sign = is_trigger(line) ? line.find('=') : line.npos;
  if (sign == line.npos) return line.npos;
  const std::size_t at = line.find_first_not_of(kTemplateBlanks, sign + 1);
  return at != line.npos && line[at] == '"' ? at : line.npos;
}

std::string_view without_remark(std::string_view line) {
  const std::size_t quoted = find_quoted(line);
  const std::size_t from = quoted == line.npos ? 0 : end_of_quoted(line, quoted);
  return from == line.npos ? line : line.substr(0, line.find('#', from));
}

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
  void add_strings(std::size_t part, std::string_view x);
  void add_trigger(std::size_t part);
  void skip_blanks() {
    while (at_ < end_ && is_blank(line_[at_])) ++at_;
  }
  void check_x_part(std::string_view x) const;
  void parse_trigger(std::string_view x);
  std::string parse_cell(std::string_view x);
  void parse_factor();
  void parse_function();
  void parse_match();
  LabelWindow parse_window();
  std::optional<std::int32_t> parse_number();

  JointTemplates& out_;
  std::size_t end_ = 0;  // of the factor, or of a trigger
  std::optional<Trigger> trigger_;
  LabelPartRule rule_;
  bool matches_ = false;
};

void JointLineParser::parse() {
  const std::size_t quoted = find_quoted(line_);
  const std::size_t from = quoted == line_.npos ? 0 : end_of_quoted(line_, quoted);
  std::size_t separator = from == line_.npos ? from : find_separator(line_, from);
  const std::string_view x = without_trailing_blanks(line_.substr(0, separator));
  is_trigger(x) ? parse_trigger(x) : check_x_part(x);
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
  trigger_ ? add_trigger(part) : add_strings(part, x);
}

void JointLineParser::add_strings(std::size_t part, std::string_view x) {
  out_.part_of_.push_back(part);
  out_.extraction_ += "u" + std::to_string(part) + "|";
  out_.extraction_ += x.substr(1);
  out_.extraction_ += "\n";
}

void JointLineParser::add_trigger(std::size_t part) {
  trigger_->part = part;
  trigger_->attribute.insert(kTrigger.size(), std::to_string(part) + "|");
  if (!out_.trigger_names_.insert(trigger_->attribute).second) {
    fail(0, "this trigger stands further up already, with the same part of the label",
         "leave out one of them");
  }
  out_.triggers_.push_back(std::move(*trigger_));
  out_.extraction_ += "\n";
}

// As a template of its own, on the line where it stands.
void JointLineParser::check_x_part(std::string_view x) const {
  if (x.empty() || std::string_view("uUbB*").find(x.front()) == x.npos) {
    fail(0, "a template starts with u, and a trigger with any",
         "start the line with its x-part, such as u:%x[-1,0] or any %x[-50..-1,0] = word");
  }
  if (x.starts_with('b') || x.starts_with('B') || x.starts_with('*')) {
    fail(0, "a line for pairs of labels, which do not depend on each other here",
         "start it with u: the x-part of a joint template looks at observations alone");
  }
  TemplateSet::parse(std::string(number_ - 1, '\n') + std::string(x), name_,
                     TemplateLanguage::wapiti);
}

// any %x[from..to,column] = cell
void JointLineParser::parse_trigger(std::string_view x) {
  at_ = kTrigger.size();
  end_ = x.size();
  skip_blanks();
  Trigger trigger{
      .window = parse_window(), .cell = {}, .part = 0, .attribute = std::string(kTrigger)};
  const std::size_t behind = at_;
  skip_blanks();
  if (at_ >= end_ || line_[at_++] != '=') fail(behind, "a trigger has no \"=\" here", kTriggerForm);
  skip_blanks();
  trigger.cell = parse_cell(x);
  const auto offset = [](const std::optional<std::int32_t>& value) {
    return value ? std::to_string(*value) : std::string();
  };
  const LabelWindow& window = trigger.window;
  std::string& name = trigger.attribute;
  name += "%x[" + offset(window.from);
  if (!window.from || window.from != window.to) name += ".." + offset(window.to);
  name += "," + std::to_string(out_.columns_[window.track]) + "] = " + trigger.cell;
  trigger_ = std::move(trigger);
}

std::string JointLineParser::parse_cell(std::string_view x) {
  const std::size_t begin = at_;
  std::string cell;
  if (at_ < end_ && x[at_] == '"') {
    const std::size_t end = end_of_quoted(x, at_);
    if (end == x.npos) fail(begin, "the string of a trigger has no closing quote", kTriggerForm);
    if (end != end_) fail(end, "text after the string of a trigger", kTriggerForm);
    for (++at_; at_ + 1 < end; ++at_) {
      if (x[at_] == '\\') ++at_;
      cell += x[at_];
    }
  } else {
    cell = x.substr(std::min(at_, x.size()));
  }
  if (cell.empty()) fail(begin, "a trigger without a string", kTriggerForm);
  return cell;
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
    line = without_trailing_blanks(without_remark(line));
    if (line.empty()) {
      out.extraction_ += "\n";  // its lines have the numbers of the source's, for messages
    } else {
      JointLineParser(line, name, number, out).parse();
    }
  });
  if (out.part_of_.empty() && out.triggers_.empty()) {
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
  const std::string_view rest =
      attribute.substr(std::min(attribute.find('|') + 1, attribute.size()));
  return (attribute.starts_with(kTrigger) ? "any " : "u") + std::string(rest);
}

std::string JointTemplates::with_part(std::string_view attribute, std::size_t part) {
  const bool trigger = attribute.starts_with(kTrigger);
  return std::string(trigger ? kTrigger : attribute.substr(0, 1)) + std::to_string(part) +
         std::string(attribute.substr(std::min(attribute.find('|'), attribute.size())));
}

std::optional<std::size_t> JointTemplates::find_part(const JointTemplates& other,
                                                     std::size_t part) const {
  const LabelPartRule& wanted = other.parts_[part];
  const auto cells = [](const JointTemplates& of, const LabelPartRule& rule) {
    if (rule.window == LabelPart::kEverywhere) return LabelWindow{};
    LabelWindow window = of.windows_[rule.window];
    window.track = of.columns_[window.track];
    return window;
  };
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    const bool everywhere = parts_[b].window == LabelPart::kEverywhere;
    if (parts_[b].functions == wanted.functions && parts_[b].negated == wanted.negated &&
        everywhere == (wanted.window == LabelPart::kEverywhere) &&
        cells(*this, parts_[b]) == cells(other, wanted)) {
      return b;
    }
  }
  return std::nullopt;
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
