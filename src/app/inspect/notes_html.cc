#include "app/inspect/notes_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/infer/svg_text.h"

namespace croft {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_mark(char c) { return c > ' ' && c < 0x7F && !is_letter_or_digit(c); }

// What a page may lead to: nothing that runs, such as javascript:.
bool is_safe(std::string_view url) {
  const std::size_t colon = url.find_first_of(":/?#");
  if (url.find_first_of(" \t\n<>\"") != url.npos || url.empty()) return false;
  if (colon == url.npos || url[colon] != ':') return true;
  const std::string_view scheme = url.substr(0, colon);
  return scheme == "http" || scheme == "https" || scheme == "mailto";
}

std::string inline_html(std::string_view text, bool links = true);

// The marks that a piece of text may begin with.  Each takes what it is off the front of `rest`,
// whose character before is `before`, or nothing.
std::optional<std::string> code_word(std::string_view& rest) {
  const std::size_t marks = std::min(rest.find_first_not_of('`'), rest.size());
  const std::size_t end = rest.find(rest.substr(0, marks), marks);
  if (end == rest.npos) return std::nullopt;
  std::string out = "<code>" + svg_escaped(rest.substr(marks, end - marks)) + "</code>";
  rest.remove_prefix(end + marks);
  return out;
}

std::optional<std::string> emphasis(std::string_view& rest, char before, bool links) {
  for (const std::size_t marks : {2, 1}) {
    const std::string mark(marks, rest[0]);
    if (!rest.starts_with(mark) || rest.size() == marks || is_blank(rest[marks])) continue;
    if (mark[0] == '_' && is_letter_or_digit(before)) continue;  // a_name
    std::size_t end = rest.find(mark, marks + 1);
    // The end of **bold** is not that of *emphasis*.
    while (marks == 1 && end != rest.npos && rest.substr(end).starts_with(mark + mark)) {
      end = rest.find(mark, end + 2);
    }
    if (end == rest.npos || is_blank(rest[end - 1])) continue;
    const char* const tag = marks == 2 ? "strong" : "em";
    std::string out =
        fmt::format("<{0}>{1}</{0}>", tag, inline_html(rest.substr(marks, end - marks), links));
    rest.remove_prefix(end + marks);
    return out;
  }
  return std::nullopt;
}

std::optional<std::string> link(std::string_view& rest) {
  const std::size_t middle = rest.find("](");
  const std::size_t end = middle == rest.npos ? rest.npos : rest.find(')', middle);
  if (end == rest.npos) return std::nullopt;
  const std::string_view url = rest.substr(middle + 2, end - middle - 2);
  if (!is_safe(url)) return std::nullopt;
  std::string out = fmt::format("<a href=\"{}\">{}</a>", svg_escaped(url),
                                inline_html(rest.substr(1, middle - 1), false));
  rest.remove_prefix(end + 1);
  return out;
}

std::string inline_html(std::string_view text, bool links) {
  std::string out, plain;
  char before = ' ';
  for (std::string_view rest = text; !rest.empty();) {
    const char c = rest[0];
    std::optional<std::string> made;
    if (c == '\\' && rest.size() > 1 && is_mark(rest[1])) {
      rest.remove_prefix(1);
    } else if (c == '`') {
      made = code_word(rest);
    } else if (c == '*' || c == '_') {
      made = emphasis(rest, before, links);
    } else if (c == '[' && links) {
      made = link(rest);
    }
    if (made) {
      out += svg_escaped(plain) + *made;
      plain.clear();
      before = ' ';
      continue;
    }
    plain += before = rest[0];
    rest.remove_prefix(1);
  }
  return out + svg_escaped(plain);
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

// How long the mark of an item is, 0 where there is none; `list`: ul or ol.
std::size_t item_mark(std::string_view line, const char*& list) {
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits + 1 >= line.size() || line[digits + 1] != ' ') return 0;
  const std::string_view marks = digits > 0 ? ".)" : "-*+";
  if (marks.find(line[digits]) == marks.npos) return 0;
  list = digits > 0 ? "ol" : "ul";
  return digits + 2;
}

class Blocks {
 public:
  void line(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (in_code_) {
      if (text.starts_with("```")) return end_code();
      open_ += svg_escaped(line) + "\n";
    } else if (text.starts_with("```")) {
      end();
      in_code_ = true;
    } else if (text.empty()) {
      end();
    } else if (const std::size_t level = std::min(text.find_first_not_of('#'), text.size());
               level >= 1 && level <= 6 && level < text.size() && text[level] == ' ') {
      end();
      out_ += fmt::format("<h{0}>{1}</h{0}>\n", std::min<std::size_t>(level + 1, 6),
                          inline_html(trimmed(text.substr(level))));
    } else {
      content(text);
    }
  }
  std::string finish() {
    if (in_code_) end_code();
    end();
    return std::move(out_);
  }

 private:
  void content(std::string_view text) {
    const char* list = "";
    if (const std::size_t mark = item_mark(text, list)) {
      end_text();
      if (list_ != list) end();
      if (list_.empty()) out_ += fmt::format("<{}>\n", list_ = list);
      text.remove_prefix(mark);
    }
    open_ += (open_.empty() ? "" : "\n") + std::string(text);
  }
  // A paragraph or an item.
  void end_text() {
    if (open_.empty()) return;
    const char* const tag = list_.empty() ? "p" : "li";
    out_ += fmt::format("<{0}>{1}</{0}>\n", tag, inline_html(open_));
    open_.clear();
  }
  void end() {
    end_text();
    if (!list_.empty()) out_ += fmt::format("</{}>\n", list_);
    list_.clear();
  }
  void end_code() {
    out_ += "<pre>" + open_ + "</pre>\n";
    open_.clear();
    in_code_ = false;
  }

  std::string out_, open_, list_;  // list_: ul, ol or none
  bool in_code_ = false;
};

}  // namespace

std::string notes_html(std::string_view markdown) {
  Blocks blocks;
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    blocks.line(markdown.substr(0, end));
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
  }
  return blocks.finish();
}

}  // namespace croft
