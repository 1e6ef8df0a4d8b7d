// Words of a resource with a row for each: found as they are written, else in lower case.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/data/line_reader.h"
#include "features/vocabulary.h"

namespace croft {

// Numbers that are either a view of a mapped file or owned; copies share what is owned.
template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  explicit SharedArray(std::span<const T> view) : view_(view) {}  // which must outlive this
  explicit SharedArray(std::vector<T> numbers)
      : owned_(std::make_shared<const std::vector<T>>(std::move(numbers))), view_(*owned_) {}
  // One that owns its numbers.
  SharedArray owning() const {
    return owned_ ? *this : SharedArray(std::vector<T>(view_.begin(), view_.end()));
  }
  std::span<const T> view() const { return view_; }
  std::size_t size() const { return view_.size(); }
  const T& operator[](std::size_t k) const { return view_[k]; }

 private:
  std::shared_ptr<const std::vector<T>> owned_;
  std::span<const T> view_;
};

// Copies share what they own.  Threads: no hidden state; share it.
class WordTable {
 public:
  WordTable() = default;
  // The image of a CompactVocabulary.  Throws Error where its header is damaged.
  explicit WordTable(SharedArray<std::byte> image);

  std::size_t size() const { return words_.size(); }
  // The word's id, that of its lower case, or kUnknown.
  //   lower : scratch
  std::uint32_t find(std::string_view word, std::string& lower) const;
  std::string word(std::uint32_t id) const { return words_.string(id); }  // id < size()
  std::uint32_t find_exactly(std::string_view word) const { return words_.find(word); }
  std::span<const std::byte> image() const { return image_.view(); }
  WordTable owning() const { return WordTable(image_.owning()); }

 private:
  SharedArray<std::byte> image_;
  CompactVocabulary words_;
};

// The table of the strings 0, 1, ... of `words`, and the id that each got in it.
struct BuiltWordTable {
  WordTable table;
  std::vector<std::uint32_t> id;
};
BuiltWordTable build_word_table(const StringTable& words);

// Classes of words from a file, such as those of Brown et al. (1992): `path TAB word [TAB count]`.

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
