// What explain.cc finds, as text for people and as JSON for programs.
#include <fmt/format.h>

#include <cmath>

#include "app/explain/explain.h"
#include "app/explain/reason_report.h"
#include "app/inspect/inspect.h"
#include "app/label/predict_output.h"
#include "core/json.h"

namespace croft {
namespace {

using Kind = Reason::Kind;

// --- the sequence

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

// --- text

// Says what the reasons of a position are.
class ReasonText {
 public:
  ReasonText(const Explanation& explanation, const ExplainedPosition& position,
             const LabelNames& names)
      : y_(explanation.y), position_(position), names_(names) {}

  std::string operator()(const Reason& reason) const {
    std::string name = reason.name;
    if (reason.value != 1) name += fmt::format("  (value {:g})", reason.value);
    switch (reason.kind) {
      case Kind::attribute:
        return name;
      case Kind::limit:
        return "constraint, penalties";
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

void append_reasons(const Explanation& explanation, const ExplainedPosition& position,
                    const LabelNames& names, std::string& out) {
  const ReasonText text(explanation, position, names);
  ReasonTable table(names[position.label], names[*position.other], out);
  for (const Reason& r : position.reasons) table.append(r, text(r));
  if (const OtherAttributes& rest = position.rest; rest.count > 0) {
    table.append(rest, fmt::format("{} other attribute{}", rest.count, rest.count > 1 ? "s" : ""));
  }
  table.append_sum(position.difference);
}

// Names with two blanks between, broken into lines.
void append_names(const std::vector<std::string>& names, std::string& out) {
  std::size_t column = 2;
  out += "  ";
  for (const std::string& name : names) {
    const std::string text = shown(name, kTerminalColumns - 4);
    const std::size_t size = 2 + characters(text);
    if (column > 2 && column + size > kTerminalColumns) {
      out += "\n  ";
      column = 2;
    }
    out += "  " + text;
    column += size;
  }
  out += '\n';
}

void append_unknown(const ExplainedPosition& position, std::string& out) {
  if (position.unknown == 0) return;
  out += fmt::format("  {} of {} attributes {} unknown to the model{}\n", position.unknown,
                     position.attributes, position.unknown == 1 ? "is" : "are",
                     position.unknown_names.empty() ? "" : ":");
  if (!position.unknown_names.empty()) append_names(position.unknown_names, out);
}

void append_position(const Explanation& explanation, const ExplainedPosition& position,
                     const LabelNames& names, const InputSequence& input, std::string& out) {
  constexpr std::size_t kLongest = 40;  // of a name in the heading
  const std::string& label = names[position.label];
  const std::string row = shown(row_of(input, position.position), kTerminalColumns - 10);
  out += fmt::format("\n{}{}{}\n", position.position, row.empty() ? "" : "  ", row);
  out += fmt::format("  {} {:.6f}", shown(label, kLongest), position.probability);
  if (!position.other) {
    out += ", the only label\n";
  } else {
    out += fmt::format(", not {} {:.6f}", shown(names[*position.other], kLongest),
                       position.other_probability);
    const std::string_view given = given_label(input, position.position);
    if (!given.empty() && given != label) {
      out += fmt::format("; the data has {}", shown(given, kLongest));
    }
    out += '\n';
    append_reasons(explanation, position, names, out);
  }
  append_unknown(position, out);
}

// --- JSON

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::attribute:
      return "attribute";
    case Kind::start:
      return "start";
    case Kind::stop:
      return "stop";
    case Kind::transition:
      return "transition";
    case Kind::edge_attribute:
      return "edge";
    case Kind::run:
      return "run";
    case Kind::limit:
      return "limit";
    case Kind::history:
      break;
  }
  return "history";
}

Json reason_json(const Reason& reason, const Explanation& explanation, const LabelNames& names) {
  Json document = numbers_json(reason);
  document["kind"] = kind_name(reason.kind);
  const bool named = reason.kind == Kind::attribute || reason.kind == Kind::edge_attribute ||
                     reason.kind == Kind::start || reason.kind == Kind::stop;
  if (named) {
    document["attribute"] = reason.name;
    document["value"] = reason.value;
  }
  if (reason.end - reason.begin > 1) {
    document["start"] = reason.begin;
    Json& labels = document["labels"] = Json::array();
    for (std::size_t t = reason.begin; t < reason.end; ++t)
      labels.push_back(names[explanation.y[t]]);
  }
  return document;
}

Json position_json(const ExplainedPosition& position, const Explanation& explanation,
                   const LabelNames& names, const InputSequence& input) {
  Json document = {{"position", position.position},       {"label", names[position.label]},
                   {"probability", position.probability}, {"other", nullptr},
                   {"attributes", position.attributes},   {"unknown", position.unknown}};
  if (input.rows.rows() > 0) document["row"] = row_of(input, position.position);
  const std::string_view given = given_label(input, position.position);
  if (!given.empty()) document["given"] = given;
  if (!position.unknown_names.empty()) document["unknown_attributes"] = position.unknown_names;
  if (!position.other) return document;
  document["other"] = names[*position.other];
  document["other_probability"] = position.other_probability;
  document["difference"] = number_or_null(position.difference);
  Json& reasons = document["reasons"] = Json::array();
  for (const Reason& r : position.reasons) reasons.push_back(reason_json(r, explanation, names));
  document["rest"] = numbers_json(position.rest);
  document["rest"]["attributes"] = position.rest.count;
  return document;
}

}  // namespace

std::string format_explanation(const Explanation& explanation, const LabelNames& names,
                               const InputSequence& input, std::string_view file) {
  std::string out = fmt::format("{}:{}", escaped(file), input.text.first_line);
  if (!explanation.outcome.found) {
    return out + fmt::format(": {}\n\n", why_none(explanation.outcome));
  }
  const std::size_t length = explanation.y.size();
  out += fmt::format("  {} position{}, probability of the labelling {:.6g}\n", length,
                     length == 1 ? "" : "s", std::exp(explanation.log_probability));
  for (const ExplainedPosition& position : explanation.positions) {
    append_position(explanation, position, names, input, out);
  }
  return out + "\n";
}

Json explanation_json(const Explanation& explanation, const LabelNames& names,
                      const InputSequence& input, std::string_view file) {
  Json document = {{"file", file}, {"line", input.text.first_line}};
  if (!explanation.outcome.found) {
    document["labels"] = nullptr;
    document["error"] = why_none(explanation.outcome);
    return document;
  }
  Json& labels = document["labels"] = Json::array();
  for (const Label y : explanation.y) labels.push_back(names[y]);
  document["probability"] = std::exp(explanation.log_probability);
  Json& positions = document["positions"] = Json::array();
  for (const ExplainedPosition& position : explanation.positions) {
    positions.push_back(position_json(position, explanation, names, input));
  }
  return document;
}

}  // namespace croft
