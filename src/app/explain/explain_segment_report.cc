// What explain_segment.cc finds, as it is shown.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "app/explain/explain_segment.h"

namespace croft {
namespace {

using Kind = Reason::Kind;

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
std::string spelled(std::span<const Segment> segments, const LabelNames& labels) {
  std::string text;
  for (const Segment& one : segments) {
    text += (text.empty() ? "" : " ") + labels[one.label];
    if (one.end - one.begin > 1) text += fmt::format(":{}", one.end - one.begin);
  }
  return text;
}

// Says what a reason is, for people and in its JSON.
std::string describe(const Reason& reason, Json& document) {
  document["start"] = reason.begin;
  document["end"] = reason.end;
  if (reason.kind != Kind::transition && reason.kind != Kind::limit) {
    document["name"] = reason.name;
    document["value"] = reason.value;
  }
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
    default:
      return fmt::format("{}: penalties", reason.begin);
  }
}

Json spans_json(std::span<const Segment> segments, const LabelNames& labels) {
  Json list = Json::array();
  for (const auto& [begin, end, y] : segments) list.push_back({begin, end, labels[y]});
  return list;
}

void add_segment(const ExplainedSegment& one, const LabelNames& labels, const InputSequence& input,
                 View& view) {
  const auto& [begin, end, y] = one.segment;
  Json& document = view.json["explained"].emplace_back({{"start", begin},
                                                        {"end", end},
                                                        {"label", labels[y]},
                                                        {"probability", one.probability},
                                                        {"other", spans_json(one.other, labels)}});
  const std::string words = shown(words_of(input, one.segment), kTerminalColumns - 20);
  view.text +=
      end - begin == 1 ? fmt::format("\n{}", begin) : fmt::format("\n{}-{}", begin, end - 1);
  view.text += (words.empty() ? "" : "  " + words) +
               fmt::format("\n  {} {:.6f}", shown(labels[y], 40), one.probability);
  if (one.other.empty()) {
    view.text += ", and nothing else is possible here\n";
  } else {
    const std::string other = spelled(one.other, labels);
    view.text += ", not " + shown(other, 40) + "\n";
    add_reasons(one, spelled(std::span(&one.segment, 1), labels), other, describe, "other",
                view.text, document);
    document["rest"]["count"] = one.rest.count;
  }
  add_unknown(one, view.text, document);
}

}  // namespace

ExplainedSequence shown(const SegmentExplanation& explanation, const LabelNames& names,
                        const TagInput& input, const InputSequence& read) {
  ExplainedSequence out = begin_explanation(explanation.outcome, input, read, "segments");
  if (!explanation.outcome.found) return out;
  const std::size_t positions = read.text.length(), segments = explanation.segments.size();
  const double probability = std::exp(explanation.log_probability);
  View& view = out.view;
  view.text += fmt::format(
      "  {} position{}, {} segment{}, probability of the segmentation {:.6g}\n", positions,
      positions == 1 ? "" : "s", segments, segments == 1 ? "" : "s", probability);
  view.json["segments"] = spans_json(explanation.segments, names);
  view.json["probability"] = probability;
  view.json["explained"] = Json::array();
  for (const ExplainedSegment& one : explanation.explained) add_segment(one, names, read, view);
  view.text += '\n';
  return out;
}

SequenceExplainer segment_explainer(const TagPlan& plan) {
  const auto explainer = std::make_shared<SegmentExplainer>(plan);
  const LabelNames names(explainer->labels());
  return {names, [explainer, names](const TagInput& input, const InputSequence& read,
                                    const ExplainOptions& options) {
            return shown(explainer->explain(input, options), names, input, read);
          }};
}

}  // namespace croft
