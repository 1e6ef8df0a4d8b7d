// Lists of names, found in sequences of tokens by the longest match.
//
// A file has one entry a line: tokens with blanks between, then optionally a TAB and a type.  The
// tokens must be those of the data: "St. John 's" where the data has four.
//
//   match: from the left, at each position the longest entry that begins there; its first token is
//   marked B, the others I, and the search goes on behind it; where none begins, O.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/data/line_reader.h"
#include "features/kit/word_table.h"
#include "features/text/tokenizer.h"

namespace croft {

// Immutable.  Copies share what they own.  Threads: no hidden state; share it.
class Gazetteer {
 public:
  struct Scratch {
    std::string lower;
    std::vector<std::uint32_t> tokens;
  };

  Gazetteer() = default;
  // As builder or model file have it (docs/format.md).  Throws Error where the sizes do not fit.
  //   fold  : entries are in lower case, and tokens are put in it before they are looked up
  //   types : those of an entry as one string ("LOC", "LOC+PER"; "" has none), by their number
  Gazetteer(bool fold, std::vector<std::string> types, WordTable tokens,
            SharedArray<std::uint32_t> trie);

  // Marks of a sequence: 0 for O, 1 + 2 k for B and 2 + 2 k for I of types()[k].  token(t) for
  // t < length.  About 60 ns a token that no entry has, and 100 ns for others.
  template <class Token>
  void match(std::size_t length, const Token& token, Scratch& scratch,
             std::vector<std::uint32_t>& marks) const {
    scratch.tokens.resize(length);
    for (std::size_t t = 0; t < length; ++t) scratch.tokens[t] = find(token(t), scratch.lower);
    match_ids(scratch.tokens, marks);
  }
  // The marks' names, such as "", "B", "I" or "", "B-LOC", "I-LOC".
  std::vector<std::string> mark_names() const;

  bool folds() const { return fold_; }
  const std::vector<std::string>& types() const { return types_; }
  const WordTable& tokens() const { return tokens_; }
  std::span<const std::uint32_t> trie() const { return trie_.view(); }
  std::size_t entries() const;  // looks at all of them
  Gazetteer owning() const;

 private:
  std::uint32_t find(std::string_view token, std::string& lower) const;
  void match_ids(std::span<const std::uint32_t> tokens, std::vector<std::uint32_t>& marks) const;
  std::uint32_t child(std::uint32_t node, std::uint32_t token) const;

  bool fold_ = true;
  std::vector<std::string> types_;
  WordTable tokens_;
  SharedArray<std::uint32_t> trie_;
  // Views into trie_: node 0 is the root, the children of n are first_child_[n] up to
  // first_child_[n + 1] - 1, in the order of their tokens.
  std::span<const std::uint32_t> of_root_;      // [tokens] the root's child by its token; 0: none
  std::span<const std::uint32_t> first_child_;  // [nodes + 1]
  std::span<const std::uint32_t> token_;        // [nodes] on the edge from the parent
  std::span<const std::uint32_t> value_;        // [nodes] 0: no entry ends here; else 1 + its types
};

// Gathers entries, of one file or several.
class GazetteerBuilder {
 public:
  // words : cuts the entries into tokens; without: blanks do
  explicit GazetteerBuilder(bool fold, std::optional<Tokenizer> words = {})
      : fold_(fold), words_(std::move(words)) {}
  // Throws InputError (file, line) for an entry without tokens, an empty type, one with blanks or a
  // "+", a second TAB, and bytes that are not UTF-8; and for a file without entries.
  void read(LineReader lines);
  // Lines of a term and its synonyms, TABs between: each is an entry, whose type is the term.
  // Throws InputError (file, line) for a line without a synonym, a cell without tokens, a cell that
  // the line has twice, and bytes that are not UTF-8; and for a file without lines.
  void read_synonyms(LineReader lines);
  // type "": none.
  void add(std::string_view entry, std::string_view type);
  Gazetteer build() const;

 private:
  struct Entry {
    std::vector<std::uint32_t> tokens;
    std::uint32_t type;  // in types_; kUnknown: none
  };
  template <class Visit>
  void for_each_token(std::string_view entry, const Visit& visit);
  bool has_tokens(std::string_view entry);

  bool fold_;
  std::optional<Tokenizer> words_;
  Tokenizer::Scratch scratch_;
  std::string lower_;
  StringTable tokens_, types_;
  std::vector<Entry> entries_;
};

}  // namespace croft
