// The words and signs of Markov logic's files, without comments; what #include names comes in.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "croft/data/line_reader.h"

namespace croft {

enum class LogicTokenKind { word, number, quoted, sign, end };

struct LogicToken {
  LogicTokenKind kind = LogicTokenKind::end;
  std::string text = {};   // of quoted: without the quotes
  std::uint32_t file = 0;  // into LogicTokens::files
  std::uint32_t line = 0, column = 0;
  bool first = false;  // of its line
};

struct LogicTokens {
  std::vector<std::string> files;
  std::vector<LogicToken> tokens;  // the last one is `end`

  Location where(const LogicToken& token) const {
    return {files[token.file], token.line, token.column};
  }
};

// Opens a file that #include names; `from` is the file that has the line.
using OpenIncluded = std::function<LineReader(const std::string& name, const std::string& from)>;

enum class LogicText {
  rules,
  facts  // the names of constants may hold - . / : & + %, too
};

// Throws InputError for a byte that begins nothing, a quote or a comment without its end, an
// #include of a file that cannot be read or that includes itself,
// and where includes ask for more than 1000 files in all.
//   open  : empty where nothing can be included
//   check : called now and then; it may throw
LogicTokens read_logic_tokens(LineReader lines, const OpenIncluded& open = {},
                              LogicText text = LogicText::rules,
                              const std::function<void()>& check = {});
// Of a database (.db).
inline LogicTokens read_fact_tokens(LineReader lines, const std::function<void()>& check = {}) {
  return read_logic_tokens(std::move(lines), {}, LogicText::facts, check);
}

}  // namespace croft
