// Words of a text that line ends do not structure: formats of graphs.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "croft/data/line_reader.h"

namespace croft {

class TokenReader {
 public:
  //   comment : a byte that makes the rest of a line mean nothing; 0: none does
  explicit TokenReader(LineReader lines, char comment = 0)
      : lines_(std::move(lines)), comment_(comment) {}

  // The next word; false at the end of the input.  Valid until the next call.
  bool next(std::string_view& word);
  // The same, or InputError (file, line, what was expected).
  std::string_view word(std::string_view expected);
  //   most : the largest that makes sense
  std::uint64_t count(std::string_view expected, std::uint64_t most);
  double number(std::string_view expected);
  std::string_view text() const { return text_; }  // the last word, valid until the next call
  // Throws InputError where a word is left.
  void finish(std::string_view after);

  Location location() const { return lines_.location(column_); }
  [[noreturn]] void fail(const Message& problem, std::string_view text,
                         const Message& remedy) const;

 private:
  LineReader lines_;
  const char comment_;
  std::string_view rest_;   // of the line
  std::size_t begin_ = 0;   // bytes of the line before rest_
  std::size_t column_ = 0;  // of the last word
  std::string_view text_;   // the last word
};

// What the readers and writers of graphs share.

// What a count of variables, states or factors may promise at most.
inline constexpr std::uint64_t kMostVariables = 0xfffffffe;

// A weight >= 0 as a log-score.
inline double read_weight(TokenReader& words) {
  const double weight = words.number("a weight of a table");
  if (!(weight >= 0) || std::isinf(weight)) {
    words.fail("a weight of a table must be a finite number >= 0", words.text(),
               "tables of natural logarithms are format lg (--format lg)");
  }
  return std::log(weight);
}

// The shortest text that gives back the same double.
inline void append_number(std::string& out, double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

}  // namespace croft
