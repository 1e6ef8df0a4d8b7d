// Words of a resource with a row for each: found as they are written, else in lower case.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "features/kit/shared_array.h"
#include "features/vocabulary.h"

namespace croft {

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

}  // namespace croft
