#include "features/text/tokenizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/unicode.h"
#include "croft/core/error.h"

namespace croft {

namespace {

constexpr char32_t kSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedI = 0x130, kDotAbove = 0x307;

bool is_letter_or_digit(char32_t value) {
  switch (character_class(value)) {
    case CharacterClass::upper:
    case CharacterClass::lower:
    case CharacterClass::letter:
    case CharacterClass::digit:
    case CharacterClass::number:
      return true;
    default:
      return value == '_';
  }
}

// Also the separators among the controls: U+001C to U+001F and U+0085.
bool is_space(char32_t value) {
  return character_class(value) == CharacterClass::space || (value >= 0x1C && value <= 0x1F) ||
         value == 0x85;
}

struct ByteTables {
  std::array<bool, 128> word{};
  std::array<char, 128> lower{};
};
// Made at the first call: the tables of core/unicode.cc must be there.
const ByteTables& ascii_tables() {
  static const ByteTables made = [] {
    ByteTables tables;
    for (char32_t c = 0; c < 128; ++c) {
      tables.word[c] = is_letter_or_digit(c);
      tables.lower[c] = static_cast<char>(to_lower(c));
    }
    return tables;
  }();
  return made;
}

bool is_cased(char32_t value) {
  if (value >= kInvalidByte) return false;
  const auto c = static_cast<utf8proc_int32_t>(value);
  const CharacterClass kind = character_class(value);
  return kind == CharacterClass::upper || kind == CharacterClass::lower || value == 0xAA ||
         value == 0xBA || utf8proc_tolower(c) != c || utf8proc_toupper(c) != c;
}

// Marks, modifiers, and punctuation that stands inside of words.
bool is_case_ignorable(char32_t value) {
  if (value >= kInvalidByte) return false;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(value))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      constexpr std::u32string_view kInside =
          U"'.:"
          U"\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
      return kInside.find(value) != kInside.npos;
  }
}

// The start of the character before `at` > 0.
std::size_t character_before(std::string_view text, std::size_t at) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(4, at); ++size) {
    const DecodedCharacter c = decode(text, at - size);
    if (c.value != kInvalidByte && c.size == size) return at - size;
  }
  return at - 1;
}

// Whether the capital sigma at [begin, end) ends a word: cased letters before it and none behind.
bool is_final_sigma(std::string_view text, std::size_t begin, std::size_t end) {
  bool cased = false;
  while (begin > 0 && !cased) {
    begin = character_before(text, begin);
    const char32_t c = decode(text, begin).value;
    if (is_case_ignorable(c)) continue;
    if (!is_cased(c)) return false;
    cased = true;
  }
  if (!cased) return false;
  while (end < text.size()) {
    const DecodedCharacter c = decode(text, end);
    if (!is_case_ignorable(c.value)) return !is_cased(c.value);
    end += c.size;
  }
  return true;
}

// visit(character, its bytes) for what the character c at [at, at + c.size) becomes: the simple
// mapping, and two letters for which Unicode has another one in every language.
template <class Visit>
void visit_character(std::string_view text, std::size_t at, DecodedCharacter c, bool lower_case,
                     const Visit& visit) {
  char32_t lower = c.value;
  if (lower_case) {
    lower = c.value == kDottedI                                          ? U'i'
            : c.value == kSigma && is_final_sigma(text, at, at + c.size) ? kFinalSigma
                                                                         : to_lower(c.value);
  }
  if (lower == c.value) {  // among them the invalid bytes
    visit(lower, text.substr(at, c.size));
    return;
  }
  std::string bytes;  // short: no allocation
  append_utf8(lower, bytes);
  visit(lower, std::string_view(bytes));
  if (c.value != kDottedI) return;
  bytes.clear();
  append_utf8(kDotAbove, bytes);
  visit(kDotAbove, std::string_view(bytes));
}

template <class Visit>
void for_each_character(std::string_view text, bool lower_case, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter c = decode(text, at);
    visit_character(text, at, c, lower_case, visit);
    at += c.size;
  }
}

}  // namespace

void TokenizerOptions::validate() const {
  if (shortest < 1 || longest < shortest) {
    throw UsageError("n-grams of ", shortest, " to ", longest,
                     ": the lengths must be 1 or more, the smaller one first");
  }
  if (!stop_words.empty() && analyzer != Analyzer::word && analyzer != Analyzer::mixed) {
    throw UsageError("stop words are left out of words; --analyzer char and char_wb have none");
  }
}

void Tokenizer::Scratch::clear() {
  text.clear();
  begin.clear();
  end.clear();
  segment_end.clear();
  unspaced.clear();
}

Tokenizer::Tokenizer(TokenizerOptions options) : options_(std::move(options)) {
  options_.validate();
  for (const std::string& word : options_.stop_words) stop_words_.insert(word);
}

void Tokenizer::split(std::string_view text, Scratch& scratch) const {
  scratch.clear();
  switch (options_.analyzer) {
    case Analyzer::word:
      split_words(text, scratch);
      break;
    case Analyzer::char_:
      split_characters(text, scratch);
      break;
    case Analyzer::char_wb:
      split_padded(text, scratch);
      return;
    case Analyzer::mixed:
      split_mixed(text, scratch);
      return;
  }
  scratch.segment_end.push_back(scratch.begin.size());
}

// ASCII by runs of bytes, anything else character by character.
void Tokenizer::split_words(std::string_view text, Scratch& scratch) const {
  const ByteTables& ascii = ascii_tables();
  std::string& out = scratch.text;
  std::size_t begin = out.size(), characters = 0;
  const auto finish = [&] {
    if (characters > 0) end_word(begin, characters, scratch);
    begin = out.size();
    characters = 0;
  };
  const auto is_ascii_word = [&](std::size_t k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    return byte < 0x80 && ascii.word[byte];
  };
  for (std::size_t at = 0; at < text.size();) {
    if (is_ascii_word(at)) {
      const std::size_t first = at, from = out.size();
      while (at < text.size() && is_ascii_word(at)) ++at;
      out += text.substr(first, at - first);
      characters += at - first;
      if (!options_.lower_case) continue;
      for (std::size_t k = from; k < out.size(); ++k) {
        out[k] = ascii.lower[static_cast<unsigned char>(out[k])];
      }
      continue;
    }
    const DecodedCharacter c = decode(text, at);
    visit_character(text, at, c, options_.lower_case, [&](char32_t value, std::string_view bytes) {
      if (!is_letter_or_digit(value)) {
        finish();
        return;
      }
      out += bytes;
      ++characters;
    });
    at += c.size;
  }
  finish();
}

// The word is the end of scratch.text, from `begin` on; it stays there, or goes.
void Tokenizer::end_word(std::size_t begin, std::size_t characters, Scratch& scratch) const {
  std::string& out = scratch.text;
  const std::string_view word = std::string_view(out).substr(begin);
  if (characters < options_.shortest_word ||
      (stop_words_.size() > 0 && stop_words_.find(word) != kUnknown)) {
    out.resize(begin);
    return;
  }
  scratch.begin.push_back(begin);
  scratch.end.push_back(out.size());
  out += ' ';
}

// White space of two characters or more is one space; a single one stays what it is.
void Tokenizer::split_characters(std::string_view text, Scratch& scratch) const {
  std::string& out = scratch.text;
  std::size_t spaces = 0;  // in a row
  const auto add = [&](std::string_view bytes) {
    scratch.begin.push_back(out.size());
    out += bytes;
    scratch.end.push_back(out.size());
  };
  for_each_character(text, options_.lower_case, [&](char32_t c, std::string_view bytes) {
    spaces = is_space(c) ? spaces + 1 : 0;
    if (spaces < 2) {
      add(bytes);
    } else if (spaces == 2) {
      out.resize(scratch.begin.back());
      out += ' ';
      scratch.end.back() = out.size();
    }
  });
}

void Tokenizer::split_padded(std::string_view text, Scratch& scratch) const {
  std::string& out = scratch.text;
  const auto add = [&](std::string_view bytes) {
    scratch.begin.push_back(out.size());
    out += bytes;
    scratch.end.push_back(out.size());
  };
  bool inside = false;
  const auto end_segment = [&] {
    add(" ");
    scratch.segment_end.push_back(scratch.begin.size());
    inside = false;
  };
  for_each_character(text, options_.lower_case, [&](char32_t c, std::string_view bytes) {
    if (is_space(c)) {
      if (inside) end_segment();
      return;
    }
    if (!inside) add(" ");
    inside = true;
    add(bytes);
  });
  if (inside) end_segment();
}

// Words, and runs of characters of scripts without spaces, as they come.  A vowel sign or tone mark
// belongs to the character before it.
void Tokenizer::split_mixed(std::string_view text, Scratch& scratch) const {
  std::string& out = scratch.text;
  enum class Run { none, word, unspaced } run = Run::none;
  std::size_t begin = 0, characters = 0;  // of the word
  const auto end_segment = [&](bool unspaced) {
    const std::size_t before = scratch.segment_end.empty() ? 0 : scratch.segment_end.back();
    if (scratch.begin.size() == before) return;
    scratch.segment_end.push_back(scratch.begin.size());
    scratch.unspaced.push_back(unspaced);
  };
  const auto end_run = [&] {
    if (run == Run::word) end_word(begin, characters, scratch);
    if (run == Run::unspaced) end_segment(true);
    run = Run::none;
  };
  for_each_character(text, options_.lower_case, [&](char32_t c, std::string_view bytes) {
    const bool unspaced = is_unspaced(c);
    if (!unspaced && !is_letter_or_digit(c)) return end_run();
    if (run != (unspaced ? Run::unspaced : Run::word)) {
      end_run();
      if (unspaced) end_segment(false);
      begin = out.size();
      characters = 0;
      run = unspaced ? Run::unspaced : Run::word;
    }
    const bool joins = unspaced && out.size() > begin && character_class(c) == CharacterClass::mark;
    if (unspaced && !joins) scratch.begin.push_back(out.size());
    out += bytes;
    ++characters;
    if (joins) scratch.end.back() = out.size();
    if (unspaced && !joins) scratch.end.push_back(out.size());
  });
  end_run();
  end_segment(false);
}

// By kind, so that the list can be read; and what a word such as "don't" or "we'll" falls into.
const std::vector<std::string>& english_stop_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list = {
        // articles, demonstratives, quantifiers
        "a", "an", "the", "this", "that", "these", "those", "some", "any", "each", "every",
        "either", "neither", "both", "all", "such", "no", "other", "another", "much", "many",
        "more", "most", "few", "less", "least", "several", "own", "same",
        // pronouns
        "i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "yourselves", "he",
        "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself", "we", "us",
        "our", "ours", "ourselves", "they", "them", "their", "theirs", "themselves", "one", "ones",
        "who", "whom", "whose", "which", "what", "whoever", "whatever", "whichever", "someone",
        "something", "anyone", "anything", "everyone", "everything", "nobody", "nothing",
        // auxiliaries
        "be", "am", "is", "are", "was", "were", "been", "being", "have", "has", "had", "having",
        "do", "does", "did", "doing", "done", "will", "would", "shall", "should", "can", "could",
        "may", "might", "must", "cannot", "ought",
        // prepositions
        "about", "above", "across", "after", "against", "along", "among", "around", "as", "at",
        "before", "behind", "below", "beneath", "beside", "besides", "between", "beyond", "by",
        "despite", "down", "during", "except", "for", "from", "in", "inside", "into", "like",
        "near", "of", "off", "on", "onto", "out", "outside", "over", "per", "since", "through",
        "throughout", "to", "toward", "towards", "under", "until", "up", "upon", "via", "with",
        "within", "without",
        // conjunctions
        "and", "or", "but", "nor", "so", "yet", "if", "because", "although", "though", "unless",
        "whereas", "whether", "while", "than", "then", "else",
        // adverbs that carry little of a topic
        "not", "only", "very", "too", "also", "just", "even", "ever", "never", "here", "there",
        "where", "when", "why", "how", "again", "already", "always", "still", "thus", "hence",
        "however", "therefore", "rather", "quite", "perhaps", "once", "now", "often", "almost",
        "otherwise", "somewhere", "anywhere", "everywhere", "elsewhere",
        // pieces of contractions
        "ll", "ve", "re", "don", "doesn", "didn", "isn", "aren", "wasn", "weren", "hasn", "haven",
        "hadn", "won", "wouldn", "shouldn", "couldn", "mustn", "ain"};
    std::ranges::sort(list);
    return list;
  }();
  return words;
}

}  // namespace croft
