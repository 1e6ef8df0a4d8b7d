// What explain.cc and explain_segment.cc find, as it is shown.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "app/explain/explain.h"
#include "app/explain/explain_segment.h"

namespace croft {
namespace {

using Kind = Reason::Kind;

// The observed cells of a row; empty for attribute lines.
std::string row_of(const InputSequence& input, std::size_t t) {
  std::string row;
  if (input.rows.rows() == 0) return row;
  const std::size_t cells = input.rows.columns(t) - (input.text.has_labels() ? 1 : 0);
  for (std::size_t c = 0; c < cells; ++c)
    row.append(c > 0 ? " " : "").append(input.rows.cell(t, c));
  return row;
}

// Labels with blanks between.
std::string spelled(std::span<const Label> labels, const LabelNames& names) {
  std::string text;
  for (const Label y : labels) text += (text.empty() ? "" : " ") + names[y];
  return text;
}

// "B-PER 0.912345 I-PER 0.876543"
std::string with_probabilities(std::span<const Label> labels, std::span<const double> probability,
                               const LabelNames& names) {
  constexpr std::size_t kLongest = 40, kLongestOfSeveral = 46;
  std::string text;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    text += fmt::format("{}{} {:.6f}", k > 0 ? " " : "", shown(names[labels[k]], kLongest),
                        probability[k]);
  }
  return labels.size() == 1 ? text : shown(text, kLongestOfSeveral);
}

// Says what the reasons of a stretch are, for people and in their JSON.
class ReasonText {
 public:
  ReasonText(const Explanation& explanation, const ExplainedStretch& stretch,
             const LabelNames& names)
      : explanation_(explanation), stretch_(stretch), names_(names) {}

  std::string operator()(const Reason& reason, Json& document) const {
    if (reason.kind == Kind::attribute || reason.kind == Kind::edge_attribute ||
        reason.kind == Kind::start || reason.kind == Kind::stop) {
      document["attribute"] = reason.name;
      document["value"] = reason.value;
    }
    const bool several = reason.end - reason.begin > 1;
    if (several || explanation_.gold) document["start"] = reason.begin;
    if (several) {
      document["labels"] = labels_json(reason, false);
      if (explanation_.gold) document["other_labels"] = labels_json(reason, true);
    }
    const std::string text = describe(reason);
    return stretch_.labels.size() == 1 ? text : fmt::format("{}: {}", reason.begin, text);
  }

 private:
  std::string describe(const Reason& reason) const {
    std::string name = reason.name;
    if (reason.value != 1) name += fmt::format("  (value {:g})", reason.value);
    switch (reason.kind) {
      case Kind::attribute:
        return name;
      case Kind::limit:
        return name.empty() ? "constraint, penalties" : name;
      case Kind::history:
        return labels_of(reason, true) + "  is not in the model";
      default:
        return labels_of(reason, false) + (name.empty() ? "" : "  " + name);
    }
  }
  Label other_at(std::size_t t) const {
    const bool inside = t >= stretch_.begin && t < stretch_.end();
    return inside ? stretch_.other[t - stretch_.begin] : explanation_.y[t];
  }
  // A stretch of one position is shown as a dot, as its labels stand above; else its own labels are
  // shown, and those in their place.
  std::string labels_of(const Reason& reason, bool other_alone) const {
    const bool one = stretch_.labels.size() == 1 && !other_alone;
    std::string label, other;
    for (std::size_t t = reason.begin; t < reason.end; ++t) {
      const std::string arrow = t > reason.begin ? " → " : "";
      label += arrow + (one && t == stretch_.begin ? "·" : names_[explanation_.y[t]]);
      other += arrow + names_[other_at(t)];
    }
    const auto whole = [&](const std::string& run) {
      return (reason.kind == Kind::start ? "START → " : "") + run +
             (reason.kind == Kind::stop ? " → STOP" : "");
    };
    if (other_alone) return other;
    return one ? whole(label) : whole(label) + ", not " + whole(other);
  }
  Json labels_json(const Reason& reason, bool other) const {
    Json list = Json::array();
    for (std::size_t t = reason.begin; t < reason.end; ++t) {
      list.push_back(names_[other ? other_at(t) : explanation_.y[t]]);
    }
    return list;
  }

  const Explanation& explanation_;
  const ExplainedStretch& stretch_;
  const LabelNames& names_;
};

std::string heading_of(const Stretch& stretch, const std::string& words) {
  const auto& [begin, end] = stretch;
  const std::string place =
      end - begin == 1 ? fmt::format("\n{}", begin) : fmt::format("\n{}-{}", begin, end - 1);
  return place + (words.empty() ? "" : "  " + words) + "\n";
}

Json names_json(std::span<const Label> labels, const LabelNames& names) {
  Json list = Json::array();
  for (const Label y : labels) list.push_back(names[y]);
  return list;
}

// What a position has beside the table.
Json position_json(const ExplainedStretch& one, const LabelNames& names,
                   const InputSequence& input) {
  Json document{{"position", one.begin},
                {"label", names[one.labels[0]]},
                {"probability", one.probability[0]},
                {"other", nullptr}};
  if (input.rows.rows() > 0) document["row"] = row_of(input, one.begin);
  if (input.text.has_labels()) document["given"] = input.text.labels.item(one.begin);
  if (one.other.empty()) return document;
  document["other"] = names[one.other[0]];
  document["other_probability"] = one.other_probability[0];
  return document;
}

// The same of a stretch that is compared with the labels of the data.
Json stretch_json(const ExplainedStretch& one, const LabelNames& names,
                  const InputSequence& input) {
  Json document{{"start", one.begin},
                {"end", one.end()},
                {"labels", names_json(one.labels, names)},
                {"probabilities", one.probability}};
  Json& other = document["other"] = Json::array();
  for (std::size_t t = one.begin; t < one.end(); ++t) other.push_back(input.text.labels.item(t));
  if (input.rows.rows() > 0) {
    Json& rows = document["rows"] = Json::array();
    for (std::size_t t = one.begin; t < one.end(); ++t) rows.push_back(row_of(input, t));
  }
  if (!one.error.empty()) document["error"] = one.error;
  if (!one.other.empty()) document["other_probabilities"] = one.other_probability;
  return document;
}

void add_stretch(const Explanation& explanation, const ExplainedStretch& one,
                 const LabelNames& names, const InputSequence& input, View& view) {
  constexpr std::size_t kLongest = 40;  // of a name in the heading
  const bool gold = explanation.gold;
  Json& document = view.json[gold ? "stretches" : "positions"].emplace_back(
      gold ? stretch_json(one, names, input) : position_json(one, names, input));
  const Stretch stretch{one.begin, one.end()};
  view.text += heading_of(
      stretch, shown(one.labels.size() == 1 ? row_of(input, one.begin) : words_of(input, stretch),
                     kTerminalColumns - 10));
  view.text += "  " + with_probabilities(one.labels, one.probability, names);
  if (!one.error.empty()) {
    view.text += "\n  " + one.error + "\n";
  } else if (one.other.empty()) {
    view.text += ", the only label\n";
  } else {
    view.text += ", not " + with_probabilities(one.other, one.other_probability, names);
    if (!gold && input.text.has_labels() &&
        input.text.labels.item(one.begin) != names[one.labels[0]]) {
      view.text +=
          fmt::format("; the data has {}", shown(input.text.labels.item(one.begin), kLongest));
    }
    view.text += '\n';
    add_reasons(one, spelled(one.labels, names), spelled(one.other, names),
                ReasonText(explanation, one, names), "other attribute", view.text, document);
    document["rest"]["attributes"] = one.rest.count;
  }
  add_unknown(one, view.text, document);
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
  view.json["labels"] = names_json(explanation.y, names);
  view.json[explanation.gold ? "stretches" : "positions"] = Json::array();
  for (const ExplainedStretch& one : explanation.stretches) {
    add_stretch(explanation, one, names, read, view);
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

// "O 0.912345 ORG:2 0.876543"; the label of a single one, whose place is said.
std::string with_probabilities(const ExplainedSegments& one, const LabelNames& labels) {
  std::string text;
  for (std::size_t k = 0; k < one.segments.size(); ++k) {
    const Segment& each = one.segments[k];
    const std::string name =
        one.segments.size() == 1 ? labels[each.label] : spelled(std::span(&each, 1), labels);
    text += fmt::format("{}{} {:.6f}", k > 0 ? " " : "", shown(name, 40), one.probability[k]);
  }
  return shown(text, 60);
}

void add_segments(const SegmentExplanation& explanation, const ExplainedSegments& one,
                  const LabelNames& labels, const InputSequence& input, View& view) {
  const Stretch stretch{one.begin(), one.end()};
  Json& document = view.json[explanation.gold ? "stretches" : "explained"].emplace_back(
      {{"start", stretch.begin}, {"end", stretch.end}, {"other", spans_json(one.other, labels)}});
  if (explanation.gold) {
    document["segments"] = spans_json(one.segments, labels);
    document["probabilities"] = one.probability;
  } else {
    document["label"] = labels[one.segments[0].label];
    document["probability"] = one.probability[0];
  }
  view.text += heading_of(stretch, shown(words_of(input, stretch), kTerminalColumns - 20));
  view.text += "  " + with_probabilities(one, labels);
  if (!one.error.empty()) {
    document["error"] = one.error;
    view.text += "\n  " + one.error + "\n";
  } else if (one.other.empty()) {
    view.text += ", and nothing else is possible here\n";
  } else {
    const std::string other = spelled(one.other, labels);
    view.text += ", not " + shown(other, 40) + "\n";
    add_reasons(one, spelled(one.segments, labels), other, describe, "other", view.text, document);
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
  view.json[explanation.gold ? "stretches" : "explained"] = Json::array();
  for (const ExplainedSegments& one : explanation.explained) {
    add_segments(explanation, one, names, read, view);
  }
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
