#include "features/kit/word_table.h"

#include "core/unicode.h"

namespace croft {

WordTable::WordTable(SharedArray<std::byte> image)
    : image_(std::move(image)), words_(image_.view()) {}

std::uint32_t WordTable::find(std::string_view word, std::string& lower) const {
  const std::uint32_t id = words_.find(word);
  if (id != kUnknown) return id;
  lower.clear();
  append_lower(word, lower);
  return lower == word ? kUnknown : words_.find(lower);
}

BuiltWordTable build_word_table(const StringTable& words) {
  std::vector<std::string_view> strings(words.size());
  for (std::uint32_t k = 0; k < strings.size(); ++k) strings[k] = words[k];
  CompactVocabulary::Built built = CompactVocabulary::build(strings);
  return {WordTable(SharedArray<std::byte>(std::move(built.image))), std::move(built.id)};
}

}  // namespace croft
