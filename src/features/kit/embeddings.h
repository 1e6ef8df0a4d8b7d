// Vectors of words from a text file of word2vec or GloVe: `word number ... number` a line, with or
// without a first line that says how many words and numbers there are.  Without one the first word
// has as many numbers as all must have.  A word may have blanks in it, but not end in a part that
// reads as a number.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "croft/data/line_reader.h"
#include "features/kit/word_table.h"

namespace croft {

enum class EmbeddingScale {
  none,         // as in the file
  standardise,  // each dimension to mean 0 and deviation 1 over the words that are read
  length,       // each vector to Euclidean length 1
};

struct EmbeddingOptions {
  EmbeddingScale scale = EmbeddingScale::none;
  double factor = 1;          // of every number, after that; finite and not 0
  std::size_t max_words = 0;  // only the first so many (files have the frequent ones first); 0: all
};

// Immutable.  Copies share what they own.  Threads: no hidden state; share it.
class Embeddings {
 public:
  Embeddings() = default;
  //   values : [words][dimension].  Throws Error for another number of them, and dimension 0
  Embeddings(std::size_t dimension, WordTable words, SharedArray<float> values);

  // Throws InputError (file, line) for a line with too few or too many numbers, or one that
  // is not finite, a word that comes twice, fewer or more words than the first line says, and a
  // file without words.
  // About 1 s for 10 million numbers.
  static Embeddings read(LineReader lines, const EmbeddingOptions& options);

  // The row of a word, or of its lower case; kUnknown where neither is known.  About 100 ns.
  std::uint32_t find(std::string_view word, std::string& lower) const {
    return words_.find(word, lower);
  }
  std::span<const float> row(std::uint32_t id) const {  // id < words().size()
    return values_.view().subspan(std::size_t{id} * dimension_, dimension_);
  }
  std::size_t dimension() const { return dimension_; }
  const WordTable& words() const { return words_; }
  std::span<const float> values() const { return values_.view(); }
  std::vector<float> mean() const;  // [dimension] over all words
  Embeddings owning() const { return {dimension_, words_.owning(), values_.owning()}; }

 private:
  std::size_t dimension_ = 0;
  WordTable words_;
  SharedArray<float> values_;
};

}  // namespace croft
