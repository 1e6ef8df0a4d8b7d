// What explain.cc and explain_segment.cc find, as it is shown.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "app/explain/explain.h"
#include "app/explain/explain_segment.h"

namespace croft {
namespace {

using Kind = Reason::Kind;

std::string_view given_label(const InputSequence& input, std::size_t t) {
  return input.text.has_labels() ? input.text.labels.item(t) : std::string_view();
}

// The observed cells of a row; empty for attribute lines.
std::string row_of(const InputSequence& input, std::size_t t) {
  std::string row;
  if (input.rows.rows() == 0) return row;
  const std::size_t cells = input.rows.columns(t) - (input.text.has_labels() ? 1 : 0);
  for (std::size_t c = 0; c < cells; ++c)
    row.append(c > 0 ? " " : "").append(input.rows.cell(t, c));
  return row;
}

// Says what the reasons of a position are, for people and in their JSON.
class ReasonText {
 public:
  ReasonText(const Explanation& explanation, const ExplainedPosition& position,
             const LabelNames& names)
      : y_(explanation.y), position_(position), names_(names) {}

  std::string operator()(const Reason& reason, Json& document) const {
    if (reason.kind == Kind::attribute || reason.kind == Kind::edge_attribute ||
        reason.kind == Kind::start || reason.kind == Kind::stop) {
      document["attribute"] = reason.name;
      document["value"] = reason.value;
    }
    if (reason.end - reason.begin > 1) {
      document["start"] = reason.begin;
      Json& labels = document["labels"] = Json::array();
      for (std::size_t t = reason.begin; t < reason.end; ++t) labels.push_back(names_[y_[t]]);
    }
    std::string name = reason.name;
    if (reason.value != 1) name += fmt::format("  (value {:g})", reason.value);
    switch (reason.kind) {
      case Kind::attribute:
        return name;
      case Kind::limit:
        return name.empty() ? "constraint, penalties" : name;
      case Kind::history:
        return labels_of(reason, names_[*position_.other]) + "  is not in the model";
      default:
        return labels_of(reason) + (name.empty() ? "" : "  " + name);
    }
  }

 private:
  // The labels around the position, whose own is shown as `here`.
  std::string labels_of(const Reason& reason, const std::string& here = "·") const {
    std::string text = reason.kind == Kind::start ? "START → " : "";
    for (std::size_t t = reason.begin; t < reason.end; ++t) {
      text += t > reason.begin ? " → " : "";
      text += t == position_.position ? here : names_[y_[t]];
    }
    return text + (reason.kind == Kind::stop ? " → STOP" : "");
  }

  const std::vector<Label>& y_;
  const ExplainedPosition& position_;
  const LabelNames& names_;
};

void add_position(const Explanation& explanation, const ExplainedPosition& position,
                  const LabelNames& names, const InputSequence& input, View& view) {
  constexpr std::size_t kLongest = 40;  // of a name in the heading
  const std::string& label = names[position.label];
  const std::string row = row_of(input, position.position);
  const std::string_view given = given_label(input, position.position);
  Json& document = view.json["positions"].emplace_back({{"position", position.position},
                                                        {"label", label},
                                                        {"probability", position.probability},
                                                        {"other", nullptr}});
  if (input.rows.rows() > 0) document["row"] = row;
  if (!given.empty()) document["given"] = given;
  const std::string cells = shown(row, kTerminalColumns - 10);
  view.text += fmt::format("\n{}{}{}\n  {} {:.6f}", position.position, cells.empty() ? "" : "  ",
                           cells, shown(label, kLongest), position.probability);
  if (!position.other) {
    view.text += ", the only label\n";
  } else {
    const std::string& other = names[*position.other];
    document["other"] = other;
    document["other_probability"] = position.other_probability;
    view.text += fmt::format(", not {} {:.6f}", shown(other, kLongest), position.other_probability);
    if (!given.empty() && given != label) {
      view.text += fmt::format("; the data has {}", shown(given, kLongest));
    }
    view.text += '\n';
    add_reasons(position, label, other, ReasonText(explanation, position, names), "other attribute",
                view.text, document);
    document["rest"]["attributes"] = position.rest.count;
  }
  add_unknown(position, view.text, document);
}

}  // namespace

ExplainedSequence shown(const Explanation& explanation, const LabelNames& names,
                        const TagInput& input, const InputSequence& read) {
  ExplainedSequence out = begin_explanation(explanation.outcome, input, read, "labels");
  if (!explanation.outcome.found) return out;
  const std::size_t length = explanation.y.size();
  const double probability = std::exp(explanation.log_probability);
  View& view = out.view;
  view.text += fmt::format("  {} position{}, probability of the labelling {:.6g}\n", length,
                           length == 1 ? "" : "s", probability);
  view.json["probability"] = probability;
  view.json["positions"] = Json::array();
  Json& labels = view.json["labels"] = Json::array();
  for (const Label y : explanation.y) labels.push_back(names[y]);
  for (const ExplainedPosition& position : explanation.positions) {
    add_position(explanation, position, names, read, view);
  }
  view.text += '\n';
  return out;
}

SequenceExplainer position_explainer(const TagPlan& plan) {
  return {plan.names(),
          [explainer = std::make_shared<Explainer>(plan), &plan](
              const TagInput& input, const InputSequence& read, const ExplainOptions& options) {
            return shown(explainer->explain(input, options), plan.names(), input, read);
          }};
}

namespace {

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
