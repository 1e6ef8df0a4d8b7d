// Any bytes as a text, whose first two bytes say how it is read: terms that are made of it, each
// with the length that was asked for.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/unicode.h"
#include "features/text/term_weights.h"
#include "support/require.h"
#include "support/target.h"

namespace fuzz_tokenizer {

namespace {

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += croft::decode(text, at).size) ++count;
  return count;
}

std::size_t spaces(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += c == ' ';
  return count;
}

}  // namespace

CROFT_FUZZ_TARGET(fuzz_tokenizer) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  croft::TextOptions options;
  croft::TokenizerOptions& how = options.tokenizer;
  how.analyzer = static_cast<croft::Analyzer>(data[0] % 3);
  how.shortest = 1 + data[1] % 4;
  how.longest = how.shortest + data[1] / 4 % 3;
  how.lower_case = (data[0] & 64) != 0;
  if (how.analyzer == croft::Analyzer::word && (data[0] & 128) != 0) how.stop_words = {"the", "a"};

  // Where all is UTF-8: characters of bytes that are none may meet, and be one.
  const bool countable = croft::is_valid_utf8(text);
  std::size_t total = 0;
  croft::Tokenizer::Scratch scratch;
  croft::Tokenizer(how).for_each_term(text, scratch, [&](std::string_view term) {
    ++total;
    require(!term.empty(), "an empty term");
    if (!countable) return;
    if (how.analyzer == croft::Analyzer::word) {
      const std::size_t words = spaces(term) + 1;
      require(words >= how.shortest && words <= how.longest, "an n-gram of another length");
      require(characters(term) >= 3 * words - 1, "a word of one character");
    } else {
      const std::size_t n = characters(term);
      require(n <= how.longest, "an n-gram that is too long");
      require(n >= how.shortest || how.analyzer == croft::Analyzer::char_wb,
              "an n-gram that is too short");
    }
  });

  croft::BagOfWords::Scratch bag;
  croft::BagOfWords(options).count(text, bag);
  std::size_t counted = 0;
  for (const croft::CountedTerm& term : bag.counts.terms()) counted += term.count;
  require(counted == total, "counts that do not add up");
  return 0;
}

}  // namespace fuzz_tokenizer
