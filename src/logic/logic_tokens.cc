#include "logic/logic_tokens.h"

#include <algorithm>
#include <array>
#include <utility>

#include "croft/core/interrupt.h"

namespace croft {
namespace {

constexpr std::size_t kMostDepth = 64;    // files that include each other
constexpr std::size_t kMostFiles = 1000;  // in all
// Of files that are included again, in all.
constexpr std::size_t kMostRepeated = 100'000;

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '\'' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 12, 1.5, .5, 1e-3: bytes of the number at the start; 0: there is none.  The full stop of a hard
// rule is no part of it, nor are the dots of 1,...,4.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && is_digit(text[i])) ++i;
  if (i + 1 < text.size() && text[i] == '.' && is_digit(text[i + 1])) {
    ++i;
    while (i < text.size() && is_digit(text[i])) ++i;
  }
  if (i == 0) return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < text.size() && (text[j] == '-' || text[j] == '+')) ++j;
    const std::size_t digits = j;
    while (j < text.size() && is_digit(text[j])) ++j;
    if (j > digits) i = j;
  }
  return i < text.size() && is_word_byte(text[i]) ? 0 : i;
}

// Longer ones first.
constexpr std::array<std::string_view, 17> kLongSigns = {
    "#fixweight", "#unique", "<=>", "...", "=/=", "=>", "<=", ">=", "<>",
    "!=",         "!?",      ":-",  ":=",  "::",  "++", "||", "&&"};
constexpr std::string_view kSigns = "(){}[],=!^|&.*@+-/%<>?:";

class LogicTokenReader {
 public:
  LogicTokenReader(LogicTokens& out, const OpenIncluded& open, LogicText text,
                   const std::function<void()>& check)
      : out_(out), open_(open), check_(check), more_(text == LogicText::facts ? "-./:&+%" : "") {}

  void read(LineReader lines) {
    const auto file = static_cast<std::uint32_t>(out_.files.size());
    out_.files.push_back(lines.name());
    stack_.push_back(lines.name());
    std::string_view line;
    bool in_comment = false;
    Location comment;
    for (std::size_t number = 1; lines.next(line); ++number) {
      if (check_ && number % 4096 == 0) check_();
      if (!in_comment && takes_directive(lines, line)) continue;
      std::size_t at = 0;
      bool first = true;
      while (at < line.size()) {
        const std::string_view rest = line.substr(at);
        if (in_comment) {
          const std::size_t end = rest.find("*/");
          if (end == rest.npos) break;
          at += end + 2;
          in_comment = false;
        } else if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\f') {
          ++at;
        } else if (rest.starts_with("//")) {
          break;
        } else if (rest.starts_with("/*")) {
          in_comment = true;
          comment = lines.location(at + 1);
          at += 2;
        } else {
          LogicToken token{.file = file,
                           .line = static_cast<std::uint32_t>(lines.line_number()),
                           .column = static_cast<std::uint32_t>(at + 1),
                           .first = first};
          at += take(rest, token, lines.location(at + 1));
          out_.tokens.push_back(std::move(token));
          first = false;
        }
      }
    }
    if (in_comment) {
      throw InputError(comment, "this comment has no end", "", "write */ where it ends");
    }
    if (stack_.size() == 1) {
      // The end is behind the last token.
      LogicToken end{.kind = LogicTokenKind::end, .file = file, .line = 1, .column = 1};
      if (!out_.tokens.empty()) {
        const LogicToken& last = out_.tokens.back();
        end.file = last.file;
        end.line = last.line;
        end.column = last.column + static_cast<std::uint32_t>(last.text.size());
      }
      end.first = true;
      out_.tokens.push_back(std::move(end));
    }
    stack_.pop_back();
  }

 private:
  // The bytes of the token at the start.
  std::size_t take(std::string_view text, LogicToken& token, const Location& where) const {
    const auto is = [&](LogicTokenKind kind, std::size_t length) {
      token.kind = kind;
      token.text = text.substr(0, length);
      return length;
    };
    if (text[0] == '"') return take_quoted(text, token, where);
    const auto goes_on = [&](char c) { return is_word_byte(c) || more_.find(c) != more_.npos; };
    if (const std::size_t length = number_length(text);
        length > 0 && (length == text.size() || !goes_on(text[length]))) {
      return is(LogicTokenKind::number, length);
    }
    if (is_word_byte(text[0])) {
      std::size_t length = 1;
      while (length < text.size() && goes_on(text[length]) &&
             !text.substr(length).starts_with("//")) {
        ++length;
      }
      return is(LogicTokenKind::word, length);
    }
    for (const std::string_view sign : kLongSigns) {
      if (text.starts_with(sign)) return is(LogicTokenKind::sign, sign.size());
    }
    if (kSigns.find(text[0]) != kSigns.npos) return is(LogicTokenKind::sign, 1);
    throw InputError(where, "this begins neither a word, a number nor a sign", text.substr(0, 1),
                     "put the name of a constant with other characters between double quotes");
  }

  static std::size_t take_quoted(std::string_view text, LogicToken& token, const Location& where) {
    std::size_t i = 1;
    token.kind = LogicTokenKind::quoted;
    for (; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      token.text += text[i];
    }
    if (i == text.size()) {
      throw InputError(where, "a quote without its end on this line", text, "write the second \"");
    }
    return i + 1;
  }

  // Whether the line is no statement: #include, or a heading that other files of networks have.
  bool takes_directive(LineReader& lines, std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || line[begin] != '#') return false;
    std::string_view rest = line.substr(begin + 1);
    while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t')) rest.remove_suffix(1);
    if (rest == "domains" || rest == "predicates" || rest == "formulas") return true;
    if (rest.starts_with("fixweight") || rest.starts_with("unique")) return false;
    const Location where = lines.location(begin + 1);
    const std::size_t open = rest.find('"'), close = rest.rfind('"');
    if (!rest.starts_with("include") || open == rest.npos || close <= open + 1) {
      throw InputError(where, "a line with # that is no #include, #fixweight or #unique", line,
                       "write #include \"FILE\"; a comment begins with //");
    }
    include(std::string(rest.substr(open + 1, close - open - 1)), where);
    return true;
  }

  void include(const std::string& name, const Location& where) {
    if (!open_) {
      throw InputError(where, "a file cannot be included here", name, "put its lines here");
    }
    try {
      LineReader lines = open_(name, where.file);
      if (std::find(stack_.begin(), stack_.end(), lines.name()) != stack_.end()) {
        throw InputError(where, "this file includes itself", name, "leave the line out");
      }
      if (stack_.size() == kMostDepth) {
        throw InputError(where, Message("more than ", kMostDepth, " files include each other"),
                         name, "");
      }
      if (out_.files.size() == kMostFiles) {
        throw InputError(where, Message("more than ", kMostFiles, " files are included in all"),
                         name, "include each once");
      }
      const bool again =
          std::find(out_.files.begin(), out_.files.end(), lines.name()) != out_.files.end();
      const std::size_t before = out_.tokens.size();
      read(std::move(lines));
      if (again) repeated_ += out_.tokens.size() - before;
      if (repeated_ > kMostRepeated) {
        throw InputError(where,
                         Message("more than ", kMostRepeated,
                                 " words come of files that are "
                                 "included again"),
                         name, "include each once");
      }
    } catch (const InputError&) {
      throw;
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      throw InputError(where, error.message());
    }
  }

  LogicTokens& out_;
  const OpenIncluded& open_;
  const std::function<void()>& check_;
  const std::string_view more_;     // bytes that words may have behind the first one
  std::vector<std::string> stack_;  // files that are being read
  std::size_t repeated_ = 0;        // tokens of files that were read before
};

}  // namespace

LogicTokens read_logic_tokens(LineReader lines, const OpenIncluded& open, LogicText text,
                              const std::function<void()>& check) {
  LogicTokens out;
  LogicTokenReader(out, open, text, check).read(std::move(lines));
  return out;
}

}  // namespace croft
