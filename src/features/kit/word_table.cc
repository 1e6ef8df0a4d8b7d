#include "features/kit/word_table.h"

#include <charconv>

#include "core/unicode.h"
#include "croft/core/error.h"

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

namespace {

bool is_count(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

WordClusters::WordClusters(std::vector<std::string> paths, WordTable words,
                           SharedArray<std::uint32_t> cluster)
    : paths_(std::move(paths)), words_(std::move(words)), cluster_(std::move(cluster)) {
  if (cluster_.size() != words_.size()) {
    throw Error("the sizes of word clusters do not fit each other");
  }
}

WordClusters WordClusters::read(LineReader lines) {
  StringTable words, paths;
  std::vector<std::uint32_t> cluster;  // by number in `words`
  for (std::string_view line; lines.next(line);) {
    const auto fail = [&](std::string_view problem, std::string_view remedy) {
      throw InputError(lines.location(), problem, line, remedy);
    };
    if (line.empty()) continue;
    if (!is_valid_utf8(line)) fail("a line that is not UTF-8", "convert the file to UTF-8");
    constexpr const char* kForm = "write PATH TAB WORD, or PATH TAB WORD TAB COUNT";
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) fail("no TAB between a cluster and a word", kForm);
    const std::size_t second = line.find('\t', tab + 1);
    const std::string_view path = line.substr(0, tab);
    const std::string_view word = line.substr(tab + 1, second - (tab + 1));
    if (path.empty() || word.empty()) fail("an empty cluster or word", kForm);
    if (second != line.npos && !is_count(line.substr(second + 1))) {
      fail("what follows the word is no count", kForm);
    }
    if (words.insert(word) != cluster.size()) {
      fail("the word has a cluster already", "delete one of its lines");
    }
    cluster.push_back(paths.insert(path));
  }
  if (cluster.empty()) {
    throw InputError({lines.name()}, "word clusters without words", "",
                     "`croft cluster` makes such a file of text");
  }
  BuiltWordTable built = build_word_table(words);
  std::vector<std::uint32_t> by_id(cluster.size());
  for (std::size_t k = 0; k < cluster.size(); ++k) by_id[built.id[k]] = cluster[k];
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < paths.size(); ++k) names.emplace_back(paths[k]);
  return {std::move(names), std::move(built.table), SharedArray<std::uint32_t>(std::move(by_id))};
}

std::uint32_t WordClusters::find(std::string_view word, std::string& lower) const {
  const std::uint32_t id = words_.find(word, lower);
  if (id == kUnknown || id >= cluster_.size() || cluster_[id] >= paths_.size()) return kUnknown;
  return cluster_[id];
}

}  // namespace croft
