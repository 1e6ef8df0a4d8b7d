// A sequence of another program's data: a text and its tokens, what they are labelled, and whatever
// else stood with it.  Readers make it, writers take it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "data/span_lines.h"
#include "data/text_tokenizer.h"

namespace croft {

struct TextRecord {
  std::string text;                // empty where the format has tokens alone
  std::vector<TextPlace> places;   // [T] of the tokens in the text; likewise
  std::size_t columns = 1;         // cells of a token
  std::vector<std::string> cells;  // [T][columns]
  // What is labelled: stretches of tokens, each token, or the text as a whole.
  std::optional<std::vector<LabelledSpan>> spans;
  std::optional<std::vector<LabelledSpan>> gold;   // of spans alone: what they are compared with
  std::optional<std::vector<std::string>> labels;  // [T]
  std::optional<std::string> label;
  Json rest = Json::object(KeyOrder::as_written);  // keys that are somebody else's
  Location where;                                  // its first line
  std::vector<std::uint32_t> lines;                // [T] those of the tokens; empty: that one

  std::size_t length() const { return columns == 0 ? 0 : cells.size() / columns; }
};

// The same with `places`, the tokens' cells and "offsets" made from the text.
void cut(const TextTokenizer& tokenizer, TextRecord& record);

// With a blank for each of them, as BRAT and lines of texts have it.
std::string without_line_ends(std::string text);
// Whether all characters are blanks.
bool is_blank_text(std::string_view text);

// A label of characters [begin, end) of a text.
struct CharacterSpan {
  std::size_t begin = 0, end = 0;  // bytes
  std::string label;
};
// What becomes of a span that begins or ends inside of a token: an error, the whole tokens,
// nothing; or, for readers that do not need labels, the record has none.
enum class Misaligned { refuse, widen, drop, unlabel };

// Spans that were widened or dropped (those of blanks alone, too), or records that were left
// without theirs, and where the first of them are.
struct ChangedSpans {
  std::size_t count = 0;
  std::vector<std::string> first{};  // "notes.txt:3: "Ivo" (PER)", five at most
  // Beside spans: parts of the data that are not read, and what one or several of them are.
  std::size_t left_out = 0;
  std::string_view one_of_them{}, several_of_them{};
  void leave_out(std::string_view one, std::string_view several);
  void add(const std::string& place);
  void add(const ChangedSpans& others);
  // "2 spans began or ended inside of a token, and were widened: …", and what was left out; empty:
  // there is none.
  std::string text(Misaligned misaligned) const;
};

// Spans of the record's tokens from those of its text.  Blanks at their ends do not count.  Throws
// InputError for spans that overlap, are empty, have no token, or lie beyond the text, and as
// `misaligned` says; also for one of blanks alone, unless it is to be dropped.  Misaligned::unlabel
// leaves the record without spans where any of these would be thrown.
//   changed : gets what was changed
void set_spans(std::vector<CharacterSpan> spans, Misaligned misaligned, ChangedSpans& changed,
               TextRecord& record);

}  // namespace croft
