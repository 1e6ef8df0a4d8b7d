// The features used for columns without a template: a documented default for words.
//
// The first column is a word, every further one a symbol (a part of speech, a dictionary's answer).
// docs/templates.md, "Without a template", lists every string that is made.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/unicode.h"
#include "croft/data/string_lists.h"
#include "data/columns.h"

namespace croft {

// What a word looks like: signs for its kinds of characters, and its first and last characters.
inline constexpr std::size_t kLongestRun = 4;  // of one sign in the long shape: more says no more

// The sign that stands for a character in a shape: X, x, o, d, or itself; 0 for none (accents).
char shape_sign(char32_t value, CharacterClass kind);

// Appends a word's shape: "Xxdd" has `run` = 1 "Xxd", and kLongestRun "Xxdd".
void append_shape(std::string_view word, std::size_t run, std::string& out);

// The first (last) n characters, marks with what they stand on; empty where the word has fewer.
std::string_view first_characters(std::string_view word, std::size_t n);
std::string_view last_characters(std::string_view word, std::size_t n);

// One instance per thread: it keeps what it computed of the words of the current sequence.
class WordPreset {
 public:
  // Looks at every word of `rows`, which must stay as it is until the last expand().
  //   columns : those to use, the word among them and the label not; at least 1
  void start(const ColumnSequence& rows, std::size_t columns);

  // Appends the attributes of position t < rows.rows(); does not close the list.
  // About 20 for a word alone and 13 for each further column; no allocation once warm.
  void expand(std::size_t t, StringLists& out) const;

 private:
  static constexpr std::size_t kAffix = 4;  // characters of the longest prefix and suffix
  struct Piece {
    std::size_t begin, end;  // in text_
  };
  struct Word {
    Piece lower, shape, long_shape;
    std::array<std::size_t, kAffix> prefix_end, suffix_begin;  // in text_; [n-1] of n characters
    std::size_t affixes;    // how many of them there are: the word's characters, or kAffix
    std::uint32_t classes;  // bit k: the k-th of the names in word_preset.cc
    bool has_capitals;      // the lower-cased word differs
  };
  // Starts of the names of one further column's attributes, such as "c1[-1..0]=".
  struct SymbolNames {
    std::array<std::string, 5> single;  // at -2 .. 2
    std::array<std::string, 4> pair;    // from -2 .. 1 on
    std::array<std::string, 3> triple;  // from -2 .. 0 on
    std::string with_word;
  };

  Word analyse(std::string_view word);
  void find_affixes(Word& word) const;
  void append_word_attributes(std::size_t t, StringLists& out) const;
  void append_affixes(const Word& word, StringLists& out) const;
  void append_symbol_attributes(std::size_t t, std::size_t column, StringLists& out) const;
  std::string_view text(Piece piece) const {
    return std::string_view(text_).substr(piece.begin, piece.end - piece.begin);
  }

  const ColumnSequence* rows_ = nullptr;
  std::size_t columns_ = 0;
  std::string text_;  // the lower-cased words and the shapes, one after the other
  std::vector<Word> words_;
  std::vector<SymbolNames> symbol_names_;  // of columns 1, 2, ...
};

}  // namespace croft
