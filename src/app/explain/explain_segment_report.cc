// What explain_segment.cc finds, as text for people and as JSON for programs.
#include <fmt/format.h>

#include <cmath>

#include "app/explain/explain_segment.h"
#include "app/explain/reason_report.h"
#include "app/inspect/inspect.h"
#include "app/label/predict_output.h"
#include "core/json.h"

namespace croft {
namespace {

using Kind = SegmentReason::Kind;
using Labels = std::vector<std::string>;

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

void append_reasons(const ExplainedSegment& one, const Labels& labels, std::string& out) {
  ReasonTable table(spelled(std::span(&one.segment, 1), labels), spelled(one.other, labels), out);
  for (const SegmentReason& r : one.reasons) table.append(r, description(r));
  if (one.rest.count > 0) {
    table.append(one.rest,
                 fmt::format("{} other{}", one.rest.count, one.rest.count > 1 ? "s" : ""));
  }
  table.append_sum(one.difference);
}

void append_segment(const ExplainedSegment& one, const Labels& labels, const InputSequence& input,
                    std::string& out) {
  const auto& [begin, end, y] = one.segment;
  const std::string words = shown(words_of(input, one.segment), kTerminalColumns - 20);
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
    out += "    " + shown(name, kTerminalColumns - 4) + "\n";
  }
}

Json reason_json(const SegmentReason& reason) {
  constexpr std::string_view kKinds[] = {"attribute", "segment", "pair", "transition", "limit"};
  Json document = numbers_json(reason);
  document["kind"] = kKinds[static_cast<int>(reason.kind)];
  document["start"] = reason.begin;
  document["end"] = reason.end;
  if (reason.kind == Kind::transition || reason.kind == Kind::limit) return document;
  document["name"] = reason.name;
  document["value"] = reason.value;
  return document;
}

Json spans_json(std::span<const Segment> segments, const Labels& labels) {
  Json list = Json::array();
  for (const auto& [begin, end, y] : segments) list.push_back({begin, end, labels[y]});
  return list;
}

Json segment_json(const ExplainedSegment& one, const Labels& labels) {
  Json document = {{"start", one.segment.begin},
                   {"end", one.segment.end},
                   {"label", labels[one.segment.label]},
                   {"probability", one.probability},
                   {"other", spans_json(one.other, labels)},
                   {"attributes", one.attributes},
                   {"unknown", one.unknown}};
  if (!one.unknown_names.empty()) document["unknown_attributes"] = one.unknown_names;
  if (one.other.empty()) return document;
  document["difference"] = number_or_null(one.difference);
  Json& reasons = document["reasons"] = Json::array();
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

Json explanation_json(const SegmentExplanation& explanation, const std::vector<std::string>& labels,
                      const InputSequence& input, std::string_view file) {
  Json document = {{"file", file}, {"line", input.text.first_line}};
  if (!explanation.outcome.found) {
    document["segments"] = nullptr;
    document["error"] = why_none(explanation.outcome);
    return document;
  }
  document["segments"] = spans_json(explanation.segments, labels);
  document["probability"] = std::exp(explanation.log_probability);
  Json& explained = document["explained"] = Json::array();
  for (const ExplainedSegment& one : explanation.explained) {
    explained.push_back(segment_json(one, labels));
  }
  return document;
}

}  // namespace croft
