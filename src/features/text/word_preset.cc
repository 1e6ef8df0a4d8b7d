#include "features/text/word_preset.h"

#include <algorithm>
#include <cassert>

#include "core/unicode.h"

namespace croft {

char shape_sign(char32_t value, CharacterClass kind) {
  switch (kind) {
    case CharacterClass::upper:
      return 'X';
    case CharacterClass::lower:
      return 'x';
    case CharacterClass::letter:
      return 'o';
    case CharacterClass::digit:
    case CharacterClass::number:
      return 'd';
    case CharacterClass::mark:
      return 0;
    default:
      break;
  }
  if (value > ' ' && value < 0x7F) return static_cast<char>(value);
  switch (kind) {
    case CharacterClass::dash:
      return '-';
    case CharacterClass::open:
      return '(';
    case CharacterClass::close:
      return ')';
    case CharacterClass::quote:
      return '"';
    case CharacterClass::punctuation:
      return '.';
    case CharacterClass::currency:
      return '$';
    case CharacterClass::symbol:
      return '+';
    default:
      return '?';
  }
}

void append_shape(std::string_view word, std::size_t run, std::string& out) {
  char last = 0;
  std::size_t length = 0;
  for (std::size_t at = 0; at < word.size();) {
    const DecodedCharacter c = decode(word, at);
    at += c.size;
    const char next = shape_sign(c.value, character_class(c.value));
    if (next == 0) continue;
    length = next == last ? length + 1 : 1;
    last = next;
    if (length <= run) out += next;
  }
}

std::string_view first_characters(std::string_view word, std::size_t n) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < word.size();) {
    const DecodedCharacter c = decode(word, at);
    const bool begins = at == 0 || character_class(c.value) != CharacterClass::mark;
    if (begins && ++characters > n) return word.substr(0, at);
    at += c.size;
  }
  return characters == n ? word : std::string_view();
}

std::string_view last_characters(std::string_view word, std::size_t n) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < word.size();) {
    const DecodedCharacter c = decode(word, at);
    characters += at == 0 || character_class(c.value) != CharacterClass::mark;
    at += c.size;
  }
  if (characters < n) return {};
  return word.substr(first_characters(word, characters - n).size());
}

namespace {

// What a word may be or have, in the order of Word::classes' bits.
enum WordClass : std::uint32_t {
  kTitle = 1 << 0,        // begins with a capital, no other capital
  kUpper = 1 << 1,        // two letters with case or more, all capitals
  kMixed = 1 << 2,        // a capital after the first character, and a small letter somewhere
  kDigits = 1 << 3,       // digits only
  kNumber = 1 << 4,       // digits, with signs but without letters
  kHasDigit = 1 << 5,     // digits and letters
  kHasDash = 1 << 6,      // a dash between other characters
  kHasPeriod = 1 << 7,    // a full stop, and something else than punctuation
  kPunctuation = 1 << 8,  // punctuation and symbols only
};
constexpr std::string_view kClassNames[] = {"is=title",  "is=upper",   "is=mixed",
                                            "is=digits", "is=number",  "has=digit",
                                            "has=dash",  "has=period", "is=punctuation"};

constexpr std::string_view kWordNames[] = {"w[-2]=", "w[-1]=", "w[0]=", "w[1]=", "w[2]="};
constexpr std::string_view kLowerNames[] = {"l[-2]=", "l[-1]=", "l[0]=", "l[1]=", "l[2]="};
constexpr std::string_view kShapeNames[] = {"s[-1]=", "s[0]=", "s[1]="};
constexpr std::string_view kLongShapeNames[] = {"S[-1]=", "S[0]=", "S[1]="};

// What a walk over a word's characters gathers for its classes.  A mark is no character of its own.
struct Counts {
  std::size_t characters = 0, upper = 0, lower = 0, letters = 0, digits = 0, periods = 0, signs = 0;
  bool starts_upper = false, dash_before = false, dash_inside = false;
};

void count(char32_t value, CharacterClass kind, Counts& counts) {
  if (kind == CharacterClass::mark) return;
  const bool upper = kind == CharacterClass::upper, lower = kind == CharacterClass::lower;
  counts.starts_upper = counts.starts_upper || (upper && counts.characters == 0);
  counts.upper += upper;
  counts.lower += lower;
  counts.letters += upper || lower || kind == CharacterClass::letter;
  counts.digits += kind == CharacterClass::digit || kind == CharacterClass::number;
  counts.periods += value == '.';
  counts.signs += kind >= CharacterClass::dash && kind <= CharacterClass::symbol;
  counts.dash_inside = counts.dash_inside || counts.dash_before;
  counts.dash_before = kind == CharacterClass::dash && counts.characters > 0;
  ++counts.characters;
}

std::uint32_t classes_of(const Counts& n) {
  std::uint32_t classes = 0;
  if (n.starts_upper && n.upper == 1) classes |= kTitle;
  if (n.upper >= 2 && n.lower == 0) classes |= kUpper;
  if (n.upper > (n.starts_upper ? 1u : 0u) && n.lower > 0) classes |= kMixed;
  if (n.digits > 0 && n.digits == n.characters) classes |= kDigits;
  if (n.digits > 0 && n.letters == 0) classes |= kNumber;
  if (n.digits > 0 && n.letters > 0) classes |= kHasDigit;
  if (n.dash_inside && n.signs < n.characters) classes |= kHasDash;
  if (n.periods > 0 && n.signs < n.characters) classes |= kHasPeriod;
  if (n.signs > 0 && n.signs == n.characters) classes |= kPunctuation;
  return classes;
}

// "c1[-1..0]=" and the like: the column and the positions, relative to the current one.
std::string symbol_name(std::size_t column, int first, int last) {
  std::string name = "c" + std::to_string(column) + "[" + std::to_string(first);
  if (last > first) name += ".." + std::to_string(last);
  return name + "]=";
}

void append(StringLists& out, std::string_view name, std::string_view value) {
  out.bytes().append(name).append(value);
  out.end_item();
}
void append(StringLists& out, std::string_view name, std::string_view a, std::string_view b) {
  out.bytes().append(name).append(a).append("|").append(b);
  out.end_item();
}

}  // namespace

void WordPreset::start(const ColumnSequence& rows, std::size_t columns) {
  assert(columns >= 1);
  rows_ = &rows;
  columns_ = columns;
  text_.clear();
  words_.clear();
  for (std::size_t t = 0; t < rows.rows(); ++t) words_.push_back(analyse(rows.cell(t, 0)));
  for (std::size_t c = symbol_names_.size() + 1; c < columns; ++c) {
    SymbolNames& names = symbol_names_.emplace_back();
    for (int k = 0; k < 5; ++k) names.single[k] = symbol_name(c, k - 2, k - 2);
    for (int k = 0; k < 4; ++k) names.pair[k] = symbol_name(c, k - 2, k - 1);
    for (int k = 0; k < 3; ++k) names.triple[k] = symbol_name(c, k - 2, k);
    names.with_word = "l|c" + std::to_string(c) + "=";
  }
}

WordPreset::Word WordPreset::analyse(std::string_view word) {
  Word out;
  out.lower.begin = text_.size();
  append_lower(word, text_);
  out.lower.end = text_.size();
  out.has_capitals = text(out.lower) != word;
  find_affixes(out);

  Counts counts;
  out.long_shape.begin = text_.size();
  char sign = 0;
  std::size_t run = 0;
  for (std::size_t at = 0; at < word.size();) {
    const DecodedCharacter c = decode(word, at);
    const CharacterClass kind = character_class(c.value);
    count(c.value, kind, counts);
    at += c.size;
    const char next = shape_sign(c.value, kind);
    if (next == 0) continue;
    run = next == sign ? run + 1 : 1;
    sign = next;
    if (run <= kLongestRun) text_ += sign;
  }
  out.long_shape.end = out.shape.begin = text_.size();
  for (std::size_t i = out.long_shape.begin; i < out.long_shape.end; ++i) {
    if (i == out.long_shape.begin || text_[i] != text_[i - 1]) text_ += text_[i];
  }
  out.shape.end = text_.size();
  out.classes = classes_of(counts);
  return out;
}

// A short word is its own affix: "a" ends like "drama".  No affix parts a letter from its accents.
void WordPreset::find_affixes(Word& word) const {
  const std::string_view lower = text(word.lower);
  std::size_t characters = 0;
  for (std::size_t at = 0; at < lower.size();) {
    const DecodedCharacter c = decode(lower, at);
    const std::size_t begin = word.lower.begin + at;
    if (at == 0 || character_class(c.value) != CharacterClass::mark) {
      // The last kAffix beginnings, the latest first.
      for (std::size_t n = kAffix - 1; n > 0; --n) word.suffix_begin[n] = word.suffix_begin[n - 1];
      word.suffix_begin[0] = begin;
      ++characters;
    }
    at += c.size;
    if (characters <= kAffix) word.prefix_end[characters - 1] = begin + c.size;
  }
  word.affixes = std::min(characters, kAffix);
}

void WordPreset::expand(std::size_t t, StringLists& out) const {
  assert(t < words_.size());
  append(out, "bias", "");
  if (t == 0) {
    append(out, "first", "");
    append(out, "first|l=", text(words_[0].lower));
    append(out, "first|s=", text(words_[0].shape));
  }
  if (t + 1 == words_.size()) append(out, "last", "");
  append_word_attributes(t, out);
  append_affixes(words_[t], out);
  for (std::size_t c = 1; c < columns_; ++c) append_symbol_attributes(t, c, out);
}

void WordPreset::append_word_attributes(std::size_t t, StringLists& out) const {
  // Offset k of a window of 2 r + 1 is position t + k - r, where there is one.
  const auto inside = [&](std::size_t k, std::size_t r) {
    return t + k >= r && t + k - r < words_.size();
  };
  for (std::size_t k = 0; k < 5; ++k) {
    if (!inside(k, 2)) continue;
    const Word& word = words_[t + k - 2];
    append(out, kLowerNames[k], text(word.lower));
    if (word.has_capitals) append(out, kWordNames[k], rows_->cell(t + k - 2, 0));
  }
  const std::string_view lower = text(words_[t].lower);
  if (inside(0, 1)) append(out, "l[-1..0]=", text(words_[t - 1].lower), lower);
  if (inside(2, 1)) append(out, "l[0..1]=", lower, text(words_[t + 1].lower));
  for (std::size_t k = 0; k < 3; ++k) {
    if (!inside(k, 1)) continue;
    append(out, kShapeNames[k], text(words_[t + k - 1].shape));
    append(out, kLongShapeNames[k], text(words_[t + k - 1].long_shape));
  }
  for (std::size_t k = 0; k < std::size(kClassNames); ++k) {
    if (words_[t].classes >> k & 1) append(out, kClassNames[k], "");
  }
}

void WordPreset::append_affixes(const Word& word, StringLists& out) const {
  for (std::size_t n = 0; n < word.affixes; ++n) {
    append(out, "pre=", text({word.lower.begin, word.prefix_end[n]}));
    append(out, "suf=", text({word.suffix_begin[n], word.lower.end}));
  }
}

void WordPreset::append_symbol_attributes(std::size_t t, std::size_t column,
                                          StringLists& out) const {
  const SymbolNames& names = symbol_names_[column - 1];
  // Positions t - 2 .. t + 2; those outside the sequence are not there to be combined.
  const std::size_t first = t < 2 ? 2 - t : 0;
  const std::size_t end = std::min<std::size_t>(5, words_.size() + 2 - t);
  std::array<std::string_view, 5> cell;
  for (std::size_t k = first; k < end; ++k) cell[k] = rows_->cell(t + k - 2, column);
  for (std::size_t k = first; k < end; ++k) {
    append(out, names.single[k], cell[k]);
    if (k + 1 < end) append(out, names.pair[k], cell[k], cell[k + 1]);
    if (k + 2 >= end) continue;
    out.bytes().append(names.triple[k]).append(cell[k]).append("|");
    append(out, cell[k + 1], "", cell[k + 2]);
  }
  append(out, names.with_word, text(words_[t].lower), cell[2]);
}

}  // namespace croft
