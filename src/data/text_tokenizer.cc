#include "data/text_tokenizer.h"

#include <re2/re2.h>

#include <algorithm>

#include "core/unicode.h"
#include "core/words/closest_name.h"
#include "croft/core/error.h"

namespace croft {
namespace {

class Words final : public TextTokenizer {
 public:
  std::vector<TextPlace> tokens(std::string_view text) const override {
    std::vector<TextPlace> out;
    for (std::size_t at = 0; at < text.size();) {
      const DecodedCharacter c = decode(text, at);
      const std::size_t begin = at;
      at += c.size;
      if (is_word_character(c.value)) {
        at = end_of_word(text, at);
      } else if (is_blank_character(c.value)) {
        continue;
      }
      out.push_back({begin, at});
    }
    return out;
  }

 private:
  // A mark that joins counts where a letter or digit follows at once.
  static std::size_t end_of_word(std::string_view text, std::size_t at) {
    while (at < text.size()) {
      const DecodedCharacter c = decode(text, at);
      std::size_t next = at + c.size;
      const bool joins = c.value == U'-' || c.value == U'\'' || c.value == U'’' ||
                         c.value == U'/' || c.value == U'.';
      if (joins) {
        if (next >= text.size() || !is_word_character(decode(text, next).value)) break;
      } else if (!is_word_character(c.value)) {
        break;
      }
      at = next;
    }
    return at;
  }
};

// What stands between blanks, in [begin, end).
void add_between_blanks(std::string_view text, std::size_t begin, std::size_t end,
                        std::vector<TextPlace>& out) {
  bool open = false;
  for (std::size_t at = begin; at < end;) {
    const DecodedCharacter c = decode(text, at);
    const std::size_t next = std::min(end, at + c.size);
    if (is_blank_character(c.value)) {
      open = false;
    } else if (open) {
      out.back().end = next;
    } else {
      out.push_back({at, next});
      open = true;
    }
    at = next;
  }
}

class Blanks final : public TextTokenizer {
 public:
  std::vector<TextPlace> tokens(std::string_view text) const override {
    std::vector<TextPlace> out;
    add_between_blanks(text, 0, text.size(), out);
    return out;
  }
};

class Characters final : public TextTokenizer {
 public:
  std::vector<TextPlace> tokens(std::string_view text) const override {
    std::vector<TextPlace> out;
    for (std::size_t at = 0; at < text.size();) {
      const DecodedCharacter c = decode(text, at);
      // An accent or a vowel sign is part of the character before it.
      const bool mark = character_class(c.value) == CharacterClass::mark;
      if (mark && !out.empty() && out.back().end == at) {
        out.back().end += c.size;
      } else if (!is_blank_character(c.value)) {
        out.push_back({at, at + c.size});
      }
      at += c.size;
    }
    return out;
  }
};

class Matches final : public TextTokenizer {
 public:
  explicit Matches(std::string_view pattern) : pattern_(std::string(pattern), quiet()) {
    if (!pattern_.ok()) {
      throw UsageError("--tokenizer: ", in_quotes(pattern),
                       " is no regular expression: ", pattern_.error());
    }
    if (RE2::FullMatch("", pattern_)) {
      throw UsageError("--tokenizer: ", in_quotes(pattern), " can match nothing at all");
    }
  }

  std::vector<TextPlace> tokens(std::string_view text) const override {
    std::vector<TextPlace> out;
    const re2::StringPiece all(text.data(), text.size());
    re2::StringPiece match;
    std::size_t at = 0;
    while (at < text.size() && pattern_.Match(all, at, text.size(), RE2::UNANCHORED, &match, 1)) {
      const auto begin = static_cast<std::size_t>(match.data() - text.data());
      // A match of blanks alone is none.
      std::vector<TextPlace> inside;
      add_between_blanks(text, begin, begin + match.size(), inside);
      add_between_blanks(text, at, begin, out);
      if (!inside.empty()) out.push_back({inside.front().begin, inside.back().end});
      at = std::max(begin + match.size(), at + 1);
    }
    add_between_blanks(text, at, text.size(), out);
    return out;
  }

 private:
  static RE2::Options quiet() {
    RE2::Options options;
    options.set_log_errors(false);
    return options;
  }
  RE2 pattern_;
};

}  // namespace

std::shared_ptr<const TextTokenizer> tokenizer_named(std::string_view name) {
  if (name == "words") return std::make_shared<Words>();
  if (name == "blanks") return std::make_shared<Blanks>();
  if (name == "characters") return std::make_shared<Characters>();
  if (name.starts_with("regex:")) return std::make_shared<Matches>(name.substr(6));
  throw UsageError("--tokenizer ", in_quotes(name),
                   " is none of words, blanks, characters, regex:EXPRESSION and model:FILE",
                   did_you_mean(name, {"words", "blanks", "characters", "regex:", "model:"}));
}

CharacterPlaces::CharacterPlaces(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); at += decode(text, at).size) begin_.push_back(at);
  begin_.push_back(text.size());
}

CharacterPlaces CharacterPlaces::of_lines(std::string_view text) {
  CharacterPlaces places(text);
  const bool marked = !text.empty() && decode(text, 0).value == U'\uFEFF';
  if (marked) places.begin_.erase(places.begin_.begin());
  std::erase_if(places.begin_, [&](std::size_t byte) {
    return byte > 0 && byte < text.size() && text[byte] == '\n' && text[byte - 1] == '\r';
  });
  return places;
}

std::size_t CharacterPlaces::character(std::size_t byte) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(begin_, byte) - begin_.begin());
}

}  // namespace croft
