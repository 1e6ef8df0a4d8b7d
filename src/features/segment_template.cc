#include "features/segment_template.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "features/template_parser.h"

namespace croft {
namespace {

using Kind = SegmentPart::Kind;
using Reach = SegmentTemplate::Reach;

constexpr std::string_view kMacros =
    "write %text, %lower, %shape (with a column, as in %lower[1]), %first[-1,0], %last[1,0], "
    "%length, %length[1,2-3,4-], %value[length], %value[log], %gazetteer[fold] or %seen";
constexpr std::int32_t kFarthest = 100;
constexpr std::uint32_t kMostColumns = 1000;

}  // namespace

bool SegmentTemplate::looks_up() const {
  return std::ranges::any_of(
      parts, [](const SegmentPart& part) { return part.kind == Kind::joined || part.is_set(); });
}

// Reads one line.
class SegmentLineParser : LineScanner {
 public:
  SegmentLineParser(std::string_view line, const std::string& name, std::size_t number,
                    SegmentTemplates& out)
      : LineScanner(line, name, number), out_(out) {}

  void parse() {
    one_.pairs = line_[0] == 'B';
    if (line_[0] != 'U' && line_[0] != 'B') {
      fail(0,
           "a line that starts neither with U (a label's features) nor with B (those of a label "
           "and the one before)",
           "start it with U, as in U1:%length");
    }
    bool has_macro = false;
    while (at_ < line_.size()) {
      if (line_[at_] == '%') {
        parse_macro();
        has_macro = true;
      } else {
        append_text(line_[at_++]);
      }
    }
    if (!has_macro) fail(0, "a template without a macro", kMacros);
    set_reach();
    out_.templates_.push_back(std::move(one_));
  }

 private:
  void append_text(char c) {
    if (one_.parts.empty() || one_.parts.back().kind != Kind::text) one_.parts.emplace_back();
    one_.parts.back().text += c;
  }
  SegmentPart& part(Kind kind) {
    SegmentPart& added = one_.parts.emplace_back();
    added.kind = kind;
    return added;
  }
  template <class Number>
  std::optional<Number> number() {
    Number value = 0;
    const char *begin = line_.data() + at_, *end = line_.data() + line_.size();
    if (begin != end && *begin == '+' && begin + 1 != end && begin[1] != '-') ++begin;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error != std::errc()) return std::nullopt;
    at_ = static_cast<std::size_t>(rest - line_.data());
    return value;
  }

  void parse_macro() {
    const std::size_t begin = at_;
    if (take("%text")) return parse_joined(JoinedAs::text);
    if (take("%lower")) return parse_joined(JoinedAs::lower);
    if (take("%shape")) return parse_joined(JoinedAs::shape);
    if (take("%first[")) return parse_cell(part(Kind::first));
    if (take("%last[")) return parse_cell(part(Kind::last));
    if (take("%length")) return parse_length();
    if (take("%value[length]")) return set_value(begin, SegmentTemplate::Value::length);
    if (take("%value[log]")) return set_value(begin, SegmentTemplate::Value::log_length);
    if (take("%gazetteer[")) return parse_gazetteer(begin);
    if (take("%seen")) {
      check_set(begin);
      const bool fold = take("[fold]");
      part(Kind::seen).joined =
          out_.number_of({fold ? JoinedAs::lower : JoinedAs::text, use_column(0)});
      return;
    }
    fail(begin, "no macro of segment templates", kMacros);
  }

  std::uint32_t use_column(std::uint32_t column) {
    if (std::ranges::find(out_.columns_, column) == out_.columns_.end()) {
      out_.columns_.push_back(column);
      out_.column_line_.emplace_back(column, number_);
    }
    return column;
  }

  std::uint32_t parse_column(std::size_t begin) {
    const auto column = number<std::uint32_t>();
    if (!column || *column >= kMostColumns || !take("]")) {
      fail(begin, "a column that is not a number from 0 to 999 before ]", kMacros);
    }
    return use_column(*column);
  }

  void parse_joined(JoinedAs as) {
    const std::size_t begin = at_;
    const std::uint32_t column = take("[") ? parse_column(begin) : use_column(0);
    part(Kind::joined).joined = out_.number_of({as, column});
  }

  void parse_cell(SegmentPart& cell) {
    const std::size_t begin = at_;
    const auto offset = number<std::int32_t>();
    if (!offset || *offset < -kFarthest || *offset > kFarthest || !take(",")) {
      fail(begin, "a row that is not a number from -100 to 100 before a comma", kMacros);
    }
    cell.offset = *offset;
    cell.column = parse_column(at_);
  }

  void parse_length() {
    SegmentPart& length = part(Kind::length);
    if (!take("[")) return;
    const std::size_t begin = at_;
    const auto bad = [&] {
      fail(begin, "ranges of lengths that do not follow each other from 1 on",
           "write them as in %length[1,2,3-4,5-]");
    };
    for (std::uint32_t next = 1;;) {
      const auto from = number<std::uint32_t>();
      if (!from || *from != next) bad();
      length.bins.push_back(*from);
      if (take("-]")) return;
      std::uint32_t to = *from;
      if (take("-")) {
        const auto end = number<std::uint32_t>();
        if (!end || *end < *from || *end > 1'000'000) bad();
        to = *end;
      }
      next = to + 1;
      if (take("]")) {
        length.bins.push_back(next);  // all that is longer
        return;
      }
      if (!take(",")) bad();
    }
  }

  void set_value(std::size_t begin, SegmentTemplate::Value value) {
    if (one_.value != SegmentTemplate::Value::one) {
      fail(begin, "a second %value", "give a template one");
    }
    one_.value = value;
  }

  // One set a template: two would make a string for each two of their members.
  void check_set(std::size_t begin) const {
    if (std::ranges::none_of(one_.parts, &SegmentPart::is_set)) return;
    fail(begin, "a second %gazetteer or %seen in a template", "write a template for each");
  }

  void parse_gazetteer(std::size_t begin) {
    check_set(begin);
    SegmentPart& list = part(Kind::gazetteer);
    if (take("exact]")) {
      list.match = GazetteerMatch::exact;
      list.joined = out_.number_of({JoinedAs::text, use_column(0)});
    } else if (take("fold]")) {
      list.match = GazetteerMatch::fold;
      list.joined = out_.number_of({JoinedAs::lower, use_column(0)});
    } else if (take("edit]") || take("overlap]")) {
      list.match = line_[at_ - 2] == 't' ? GazetteerMatch::edit : GazetteerMatch::overlap;
      list.joined = out_.number_of({JoinedAs::lower, use_column(0)});
    } else {
      fail(at_, "no way to look into a gazetteer",
           "write %gazetteer[exact], [fold], [edit] or [overlap]");
    }
  }

  void set_reach() {
    bool first = false, last = false, other = false, length = false;
    for (const SegmentPart& each : one_.parts) {
      first = first || each.kind == Kind::first;
      last = last || each.kind == Kind::last;
      length = length || each.kind == Kind::length;
      other = other || each.kind == Kind::joined || each.is_set();
    }
    length = length || one_.value != SegmentTemplate::Value::one;
    if (other || (first && last) || ((first || last) && length)) {
      one_.reach = Reach::segment;
    } else {
      one_.reach = first ? Reach::begin : last ? Reach::end : Reach::length;
    }
  }

  SegmentTemplates& out_;
  SegmentTemplate one_;
};

SegmentTemplates SegmentTemplates::parse(std::string_view text, const std::string& name) {
  SegmentTemplates templates;
  templates.text_ = text;
  templates.name_ = name;
  std::map<std::string_view, std::size_t> seen;  // each line with its number
  for_lines(text, [&](std::string_view line, std::size_t number) {
    line = without_trailing_blanks(line);
    if (line.empty() || line[0] == '#') return;
    const auto [first, is_new] = seen.try_emplace(line, number);
    if (!is_new) {
      throw InputError({name, number}, "the same line as line " + std::to_string(first->second),
                       line, "leave out one of the two");
    }
    if (line == "P") return;  // of positions: shares_positions() of train/segment_data.h
    SegmentLineParser(line, name, number, templates).parse();
  });
  std::ranges::sort(templates.columns_);
  return templates;
}

std::string_view SegmentTemplates::default_text() { return "U1:%length\n"; }

std::uint32_t SegmentTemplates::number_of(Joined joined) {
  return static_cast<std::uint32_t>(number_among(joined, joined_));
}

bool SegmentTemplates::has_reach(Reach reach) const {
  return std::ranges::any_of(templates_, [&](const auto& each) { return each.reach == reach; });
}

bool SegmentTemplates::has_pairs() const {
  return std::ranges::any_of(templates_, &SegmentTemplate::pairs);
}

bool SegmentTemplates::uses(GazetteerMatch match) const {
  return std::ranges::any_of(templates_, [&](const SegmentTemplate& each) {
    return std::ranges::any_of(each.parts, [&](const SegmentPart& part) {
      return part.kind == Kind::gazetteer && part.match == match;
    });
  });
}

bool SegmentTemplates::uses_gazetteers() const {
  return uses(GazetteerMatch::exact) || uses(GazetteerMatch::fold) || uses(GazetteerMatch::edit) ||
         uses(GazetteerMatch::overlap);
}

void SegmentTemplates::check_columns(std::size_t columns) const {
  for (const auto& [column, line] : column_line_) {
    if (column < columns) continue;
    throw InputError({name_, line},
                     "a template with column " + std::to_string(column) + ", and the data has " +
                         std::to_string(columns) + " beside the labels",
                     "", "columns are counted from 0; name one that is there");
  }
}

}  // namespace croft
