// Classes of words from a file, such as those of Brown et al. (1992): `path TAB word [TAB count]`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "croft/data/line_reader.h"
#include "features/kit/word_table.h"

namespace croft {

// Immutable.  Copies share what they own.  Threads: no hidden state; share it.
class WordClusters {
 public:
  WordClusters() = default;
  //   paths   : distinct
  //   cluster : [words] index in paths, by id of `words`.  Throws Error for another number of them
  WordClusters(std::vector<std::string> paths, WordTable words, SharedArray<std::uint32_t> cluster);

  // Throws InputError (file, line) for a line without a TAB, an empty path or word, a count that is
  // no whole number, a word that comes twice, and bytes that are not UTF-8; and for a file without
  // words.
  static WordClusters read(LineReader lines);

  // Index of the path of a word, or of its lower case; kUnknown where neither is known.  About 100
  // ns.
  std::uint32_t find(std::string_view word, std::string& lower) const;

  const std::vector<std::string>& paths() const { return paths_; }
  const WordTable& words() const { return words_; }
  std::span<const std::uint32_t> clusters() const { return cluster_.view(); }
  WordClusters owning() const { return {paths_, words_.owning(), cluster_.owning()}; }

 private:
  std::vector<std::string> paths_;
  WordTable words_;
  SharedArray<std::uint32_t> cluster_;
};

}  // namespace croft
