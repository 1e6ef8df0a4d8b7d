#include "app/convert/texts/text_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/unicode.h"
#include "core/words/counted.h"
#include "croft/core/error.h"

namespace croft {
namespace {

// Without the blanks at its ends.
CharacterSpan trimmed(std::string_view text, CharacterSpan span) {
  while (span.begin < span.end) {
    const DecodedCharacter first = decode(text, span.begin);
    if (!is_blank_character(first.value)) break;
    span.begin += first.size;
  }
  while (span.end > span.begin) {
    std::size_t last = span.end - 1;
    while (last > span.begin && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    if (!is_blank_character(decode(text, last).value)) break;
    span.end = last;
  }
  return span;
}

}  // namespace

std::string without_line_ends(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

bool is_blank_text(std::string_view text) {
  const CharacterSpan left = trimmed(text, {0, text.size(), {}});
  return left.begin == left.end;
}

void cut(const TextTokenizer& tokenizer, TextRecord& record) {
  record.columns = 1;
  record.places = tokenizer.tokens(record.text);
  record.cells.clear();
  for (const TextPlace& each : record.places) {
    record.cells.push_back(record.text.substr(each.begin, each.end - each.begin));
  }
}

void ChangedSpans::add(const std::string& place) {
  constexpr std::size_t kShown = 5;
  ++count;
  if (first.size() < kShown) first.push_back(place);
}

void ChangedSpans::add(const ChangedSpans& others) {
  for (const std::string& place : others.first) add(place);
  count += others.count - others.first.size();
  if (others.left_out > 0) {
    one_of_them = others.one_of_them;
    several_of_them = others.several_of_them;
    left_out += others.left_out;
  }
}

void ChangedSpans::leave_out(std::string_view one, std::string_view several) {
  one_of_them = one;
  several_of_them = several;
  ++left_out;
}

std::string ChangedSpans::text(Misaligned misaligned) const {
  if (left_out > 0) {
    ChangedSpans spans = *this;
    spans.left_out = 0;
    const std::string others = spans.text(misaligned);
    return fmt::format("{} {} left out{}{}", counted(left_out, one_of_them, several_of_them),
                       left_out == 1 ? "was" : "were", others.empty() ? "" : "; ", others);
  }
  if (count == 0) return {};
  const char* const be = count == 1 ? "was" : "were";
  const std::string places =
      fmt::format("{}{}", fmt::join(first, "; "), count > first.size() ? "; …" : "");
  if (misaligned == Misaligned::unlabel) {
    return fmt::format("{} {} read without labels, as spans do not fit the tokens: {}",
                       counted(count, "sequence"), be, places);
  }
  const bool drop = misaligned == Misaligned::drop;
  return fmt::format("{} began or ended inside of a token{}, and {} {}: {}", counted(count, "span"),
                     drop ? fmt::format(" or {} blank", be) : "", be, drop ? "dropped" : "widened",
                     places);
}

void set_spans(std::vector<CharacterSpan> spans, Misaligned misaligned, ChangedSpans& changed,
               TextRecord& record) {
  if (misaligned == Misaligned::unlabel) {
    try {
      set_spans(std::move(spans), Misaligned::refuse, changed, record);
    } catch (const InputError&) {
      record.spans.reset();
      changed.add(place_of(record.where));
    }
    return;
  }
  const auto shown = [&](const CharacterSpan& span) {
    const std::size_t begin = std::min(span.begin, record.text.size());
    return record.text.substr(begin, span.end > begin ? span.end - begin : 0) + " (" + span.label +
           ")";
  };
  const auto fail = [&](const CharacterSpan& span, const Message& problem, const Message& remedy) {
    throw InputError(record.where, problem, shown(span), remedy);
  };
  std::vector<LabelledSpan> out;
  for (CharacterSpan& each : spans) {
    if (each.begin >= each.end || each.end > record.text.size()) {
      fail(each, "a span that is empty or lies beyond its text", "correct its offsets");
    }
    const CharacterSpan given = std::exchange(each, trimmed(record.text, each));
    if (each.begin == each.end) {
      if (misaligned != Misaligned::drop) {
        fail(given, "a span of blanks alone", "leave it out, or say --misaligned drop");
      }
      changed.add(place_of(record.where) + ": " + shown(given));
      continue;
    }
    const auto& places = record.places;
    const auto first = std::ranges::upper_bound(places, each.begin, {}, &TextPlace::end);
    const auto last = std::ranges::lower_bound(places, each.end, {}, &TextPlace::begin);
    if (first >= last) fail(each, "a span in which there is no token", "leave it out");
    LabelledSpan span{static_cast<std::size_t>(first - places.begin()),
                      static_cast<std::size_t>(last - places.begin()), each.label};
    if (places[span.begin].begin != each.begin || places[span.end - 1].end != each.end) {
      if (misaligned == Misaligned::refuse) {
        fail(each, "a span that begins or ends inside of a token",
             "correct it, choose another --tokenizer, or say --misaligned widen or drop");
      }
      changed.add(place_of(record.where) + ": " + shown(each));
      if (misaligned == Misaligned::drop) continue;
    }
    out.push_back(std::move(span));
  }
  std::ranges::sort(out, {}, &LabelledSpan::begin);
  for (std::size_t k = 1; k < out.size(); ++k) {
    if (out[k].begin >= out[k - 1].end) continue;
    const TextPlace place = record.places[out[k].begin];
    fail({place.begin, record.places[out[k].end - 1].end, out[k].label}, "two spans that overlap",
         "a token belongs to one span at most: leave out one of the two");
  }
  record.spans = std::move(out);
}

}  // namespace croft
