// From a text to its terms: words, characters, and runs of several of them (n-grams).
//
// The terms are those of scikit-learn's CountVectorizer with the same settings: a word is a run of
// two or more letters, digits and underscores, in Unicode's sense (no marks: an accent that is a
// character of its own ends the word).
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "features/vocabulary.h"

namespace croft {

enum class Analyzer {
  word,     // n-grams of words, with one space between
  char_,    // n-grams of characters; white space of several characters is one space
  char_wb,  // those inside of what stands between white space, with a space before and behind it
  mixed,    // of words; of scripts that have no spaces between words, of 1 to 3 characters
};

struct TokenizerOptions {
  Analyzer analyzer = Analyzer::word;
  std::size_t shortest = 1, longest = 1;     // n-grams of so many words or characters
  bool lower_case = true;                    // Unicode's, before all else
  std::vector<std::string> stop_words = {};  // words that are left out, before n-grams are made
  std::size_t shortest_word = 2;             // shorter ones, in characters, are no words

  // Throws UsageError for lengths of 0 or out of order, and for stop words without words.
  void validate() const;
  bool operator==(const TokenizerOptions&) const = default;
};

// Threads: no hidden state; share it, but not a Scratch.
class Tokenizer {
 public:
  explicit Tokenizer(TokenizerOptions options);

  // The words or characters of a text, as lower_case has them; grows, never shrinks.
  struct Scratch {
    std::string text;                      // words with a space between, or characters
    std::vector<std::size_t> begin, end;   // in text, of each word or character
    std::vector<std::size_t> segment_end;  // in begin: n-grams do not cross these
    std::vector<bool> unspaced;            // of Analyzer::mixed, parallel: of characters, not words
    void clear();
  };

  // visit(term) for every term of `text`, as often as it occurs; the term is a view into
  // scratch.text and valid until the next call with this scratch.  Bytes that are no UTF-8 are
  // characters of their own, and no part of a word.  About 5 ns a byte, and what `visit` takes.
  template <class Visit>
  void for_each_term(std::string_view text, Scratch& scratch, const Visit& visit) const {
    split(text, scratch);
    std::size_t first = 0;
    for (std::size_t k = 0; k < scratch.segment_end.size(); ++k) {
      const std::size_t last = scratch.segment_end[k];
      const bool unspaced = !scratch.unspaced.empty() && scratch.unspaced[k];
      visit_ngrams(scratch, first, last, unspaced ? 1 : options_.shortest,
                   unspaced ? kLongestUnspaced : options_.longest, visit);
      first = last;
    }
  }

  // visit(word) for every word (or character) that n-grams are made of, as above.
  template <class Visit>
  void for_each_word(std::string_view text, Scratch& scratch, const Visit& visit) const {
    split(text, scratch);
    for (std::size_t k = 0; k < scratch.begin.size(); ++k) {
      const std::size_t begin = scratch.begin[k];
      visit(std::string_view(scratch.text).substr(begin, scratch.end[k] - begin));
    }
  }

  const TokenizerOptions& options() const { return options_; }

 private:
  void split(std::string_view text, Scratch& scratch) const;
  void split_words(std::string_view text, Scratch& scratch) const;
  void end_word(std::size_t begin, std::size_t characters, Scratch& scratch) const;
  void split_characters(std::string_view text, Scratch& scratch) const;
  void split_padded(std::string_view text, Scratch& scratch) const;
  void split_mixed(std::string_view text, Scratch& scratch) const;

  static constexpr std::size_t kLongestUnspaced = 3;  // characters

  template <class Visit>
  void visit_ngrams(const Scratch& scratch, std::size_t first, std::size_t last,
                    std::size_t shortest, std::size_t longest, const Visit& visit) const {
    const std::string_view text = scratch.text;
    const std::size_t count = last - first;
    for (std::size_t n = shortest; n <= longest; ++n) {
      // What is shorter than n is a term of its own inside of words, and none elsewhere.
      if (n > count && (options_.analyzer != Analyzer::char_wb || n > shortest)) return;
      const std::size_t length = std::min(n, count);
      for (std::size_t k = first; k + length <= last; ++k) {
        const std::size_t begin = scratch.begin[k];
        visit(text.substr(begin, scratch.end[k + length - 1] - begin));
      }
      if (n >= count) return;
    }
  }

  TokenizerOptions options_;
  StringTable stop_words_;
};

// Function words of English, sorted: what the option `english` leaves out.
const std::vector<std::string>& english_stop_words();

}  // namespace croft
