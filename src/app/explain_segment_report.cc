// What explain_segment.cc finds, as text for people and as JSON for programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "croft/app/explain_segment.h"
#include "croft/app/inspect.h"
#include "croft/app/predict_output.h"
#include "croft/core/unicode.h"

namespace croft {
namespace {

using nlohmann::json;
using Kind = SegmentReason::Kind;
using Labels = std::vector<std::string>;

constexpr std::size_t kColumns = 100;  // of a terminal

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += decode(text, at).size) ++count;
  return count;
}

// escaped(), and cut to `limit` characters, the last of which then is an ellipsis.
std::string shown(std::string_view text, std::size_t limit) {
  std::string out = escaped(text);
  if (characters(out) <= limit) return out;
  std::size_t at = 0;
  for (std::size_t n = 1; n < limit; ++n) at += decode(out, at).size;
  return out.substr(0, at) + "…";
}

// The first column of its positions; empty for attribute lines.
std::string words_of(const InputSequence& input, const Segment& one) {
  std::string words;
  if (input.rows.rows() == 0) return words;
  for (std::size_t t = one.begin; t < one.end; ++t) {
    words.append(words.empty() ? "" : " ").append(input.rows.cell(t, 0));
  }
  return words;
}

// "O ORG:2": labels, with the number of positions where there are several.
std::string spelled(std::span<const Segment> segments, const Labels& labels) {
  std::string text;
  for (const Segment& one : segments) {
    text += (text.empty() ? "" : " ") + labels[one.label];
    if (one.end - one.begin > 1) text += fmt::format(":{}", one.end - one.begin);
  }
  return text;
}

std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? "decides" : "forbidden";
  return value == 0 ? "0" : fmt::format("{:+.4f}", value);
}

std::string description(const SegmentReason& reason) {
  std::string name = reason.name;
  if (reason.value != 1) name += fmt::format("  (value {:g})", reason.value);
  switch (reason.kind) {
    case Kind::attribute:
      return fmt::format("{}: {}", reason.begin, name);
    case Kind::segment:
      return "segment: " + name;
    case Kind::pair:
      return "segment and label before: " + name;
    case Kind::transition:
      return fmt::format("transition at {}", reason.begin + 1);
    case Kind::limit:
      break;
  }
  return fmt::format("{}: penalties", reason.begin);
}

// A segment's numbers in three columns, and what they belong to.
void append_reasons(const ExplainedSegment& one, const Labels& labels, std::string& out) {
  constexpr std::size_t kNarrowest = 12, kLongest = 20;
  const std::string label = shown(spelled(std::span(&one.segment, 1), labels), kLongest);
  const std::string other = shown(spelled(one.other, labels), kLongest);
  const std::size_t width = std::max({kNarrowest, characters(label) + 2, characters(other) + 2});
  const auto append_row = [&](std::string_view a, std::string_view b, std::string_view c,
                              std::string_view what) {
    for (const std::string_view cell : {a, b, c}) {
      out.append(width - std::min(width, characters(cell)), ' ').append(cell);
    }
    if (!what.empty()) out += "  " + shown(what, kColumns - 2 - 3 * width);
    out += '\n';
  };
  append_row("difference", label, other, "");
  for (const SegmentReason& r : one.reasons) {
    append_row(number(r.difference()), number(r.label), number(r.other), description(r));
  }
  if (one.rest.count > 0) {
    append_row(number(one.rest.difference()), number(one.rest.label), number(one.rest.other),
               fmt::format("{} other{}", one.rest.count, one.rest.count > 1 ? "s" : ""));
  }
  append_row(number(one.difference), "", "", "in all");
}

void append_segment(const ExplainedSegment& one, const Labels& labels, const InputSequence& input,
                    std::string& out) {
  const auto& [begin, end, y] = one.segment;
  const std::string words = shown(words_of(input, one.segment), kColumns - 20);
  out += end - begin == 1 ? fmt::format("\n{}", begin) : fmt::format("\n{}-{}", begin, end - 1);
  out += (words.empty() ? "" : "  " + words) +
         fmt::format("\n  {} {:.6f}", shown(labels[y], 40), one.probability);
  if (one.other.empty()) {
    out += ", and nothing else is possible here\n";
  } else {
    out += ", not " + shown(spelled(one.other, labels), 40) + "\n";
    append_reasons(one, labels, out);
  }
  if (one.unknown == 0) return;
  out +=
      fmt::format("  {} of {} attributes {} unknown to the model{}\n", one.unknown, one.attributes,
                  one.unknown == 1 ? "is" : "are", one.unknown_names.empty() ? "" : ":");
  for (const std::string& name : one.unknown_names) {
    out += "    " + shown(name, kColumns - 4) + "\n";
  }
}

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(); }

template <class Numbers>
json numbers_json(const Numbers& numbers) {
  return {{"difference", number_or_null(numbers.difference())},
          {"label", number_or_null(numbers.label)},
          {"other", number_or_null(numbers.other)}};
}

json reason_json(const SegmentReason& reason) {
  constexpr std::string_view kKinds[] = {"attribute", "segment", "pair", "transition", "limit"};
  json document = numbers_json(reason);
  document["kind"] = kKinds[static_cast<int>(reason.kind)];
  document["start"] = reason.begin;
  document["end"] = reason.end;
  if (reason.kind == Kind::transition || reason.kind == Kind::limit) return document;
  document["name"] = reason.name;
  document["value"] = reason.value;
  return document;
}

json spans_json(std::span<const Segment> segments, const Labels& labels) {
  json list = json::array();
  for (const auto& [begin, end, y] : segments) list.push_back({begin, end, labels[y]});
  return list;
}

json segment_json(const ExplainedSegment& one, const Labels& labels) {
  json document = {{"start", one.segment.begin},
                   {"end", one.segment.end},
                   {"label", labels[one.segment.label]},
                   {"probability", one.probability},
                   {"other", spans_json(one.other, labels)},
                   {"attributes", one.attributes},
                   {"unknown", one.unknown}};
  if (!one.unknown_names.empty()) document["unknown_attributes"] = one.unknown_names;
  if (one.other.empty()) return document;
  document["difference"] = number_or_null(one.difference);
  json& reasons = document["reasons"] = json::array();
  for (const SegmentReason& r : one.reasons) reasons.push_back(reason_json(r));
  document["rest"] = numbers_json(one.rest);
  document["rest"]["count"] = one.rest.count;
  return document;
}

}  // namespace

std::string format_explanation(const SegmentExplanation& explanation,
                               const std::vector<std::string>& labels, const InputSequence& input,
                               std::string_view file) {
  std::string out = fmt::format("{}:{}", escaped(file), input.text.first_line);
  if (!explanation.outcome.found) {
    return out + fmt::format(": {}\n\n", why_none(explanation.outcome));
  }
  const std::size_t segments = explanation.segments.size();
  out += fmt::format("  {} position{}, {} segment{}, probability of the segmentation {:.6g}\n",
                     input.text.length(), input.text.length() == 1 ? "" : "s", segments,
                     segments == 1 ? "" : "s", std::exp(explanation.log_probability));
  for (const ExplainedSegment& one : explanation.explained) {
    append_segment(one, labels, input, out);
  }
  return out + "\n";
}

nlohmann::json explanation_json(const SegmentExplanation& explanation,
                                const std::vector<std::string>& labels, const InputSequence& input,
                                std::string_view file) {
  json document = {{"file", file}, {"line", input.text.first_line}};
  if (!explanation.outcome.found) {
    document["segments"] = nullptr;
    document["error"] = why_none(explanation.outcome);
    return document;
  }
  document["segments"] = spans_json(explanation.segments, labels);
  document["probability"] = std::exp(explanation.log_probability);
  json& explained = document["explained"] = json::array();
  for (const ExplainedSegment& one : explanation.explained) {
    explained.push_back(segment_json(one, labels));
  }
  return document;
}

}  // namespace croft
