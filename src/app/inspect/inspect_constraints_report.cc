// What inspect_constraints.cc finds, as text for people and as JSON for programs.
#include <fmt/format.h>

#include "app/inspect/inspect_constraints.h"
#include "core/json.h"

namespace croft {
namespace {

std::string shown(const LabelOrEnd& label) {
  switch (label.kind) {
    case LabelOrEnd::Kind::start:
      return "START";
    case LabelOrEnd::Kind::stop:
      return "STOP";
    case LabelOrEnd::Kind::label:
      break;
  }
  return escaped(label.label);
}

std::string shown(const ConstraintRow& row) {
  if (row.kind == "joint") {
    std::string text = escaped(row.attribute) + " * " + escaped(row.part);
    return row.group.empty() ? text : text + ": " + escaped(row.group);
  }
  std::string labels;
  for (const LabelOrEnd& each : row.labels) labels += (labels.empty() ? "" : " → ") + shown(each);
  if (row.attribute.empty()) return labels;
  return escaped(row.attribute) + (row.kind == "node" && row.labels.size() == 1 ? " → " : ": ") +
         labels;
}

std::string condition_text(const Regulariser& r) {
  if (r.l1 == 0 && r.l2 == 0) return "empirical = model";
  std::string pull;
  if (r.l2 > 0) pull = fmt::format("{:.6g} w", r.l2);
  if (r.l1 > 0) pull += fmt::format("{}{:.6g} sign(w)", pull.empty() ? "" : " + ", r.l1);
  std::string text = "empirical - model = " + pull;
  if (r.l1 > 0) text += fmt::format(", and at most {:.6g} where w = 0", r.l1);
  if (r.free.length > 0) text += "; of the intercept 0";
  return text;
}

Json label_json(const LabelOrEnd& label) {
  if (label.kind == LabelOrEnd::Kind::label) return label.label;
  return {{"boundary", label.kind == LabelOrEnd::Kind::start ? "start" : "stop"}};
}

}  // namespace

std::string format_constraints(const ConstraintReport& report) {
  std::string out =
      fmt::format("data          {} sequences, {} positions{}\n", report.sequences,
                  report.positions, report.training_data ? ": those of the training" : "");
  out += fmt::format("features      {}\n", report.features);
  out += fmt::format("-log p(y|x)   {:.8g}\n", report.loss);
  out += report.condition ? fmt::format("condition     {}\n", condition_text(*report.condition))
                          : fmt::format("condition     none: {}\n", report.no_condition);
  out += fmt::format("largest       {} {:.6g}\n\n", report.condition ? "violation" : "difference",
                     report.largest_violation);
  out += fmt::format("{:>12} {:>12} {:>12}", "empirical", "model", "difference");
  if (report.condition) out += fmt::format(" {:>12} {:>12}", "penalty", "violation");
  out += "  feature\n";
  for (const ConstraintRow& row : report.rows) {
    out += fmt::format("{:>12.6g} {:>12.6g} {:>+12.5g}", row.empirical, row.expected,
                       row.difference());
    if (report.condition)
      out += fmt::format(" {:>+12.5g} {:>12.4g}", row.pull + 0.0, row.violation);
    out += "  " + shown(row) + "\n";
  }
  return out;
}

Json constraints_json(const ConstraintReport& report) {
  Json rows = Json::array();
  for (const ConstraintRow& row : report.rows) {
    Json labels = Json::array();
    for (const LabelOrEnd& each : row.labels) labels.push_back(label_json(each));
    Json entry = {{"kind", row.kind},         {"attribute", row.attribute},
                  {"weight", row.weight},     {"empirical", row.empirical},
                  {"expected", row.expected}, {"difference", row.difference()}};
    if (row.kind == "joint") {
      entry["part"] = row.part;
      entry["group"] = row.group;
    } else {
      entry["labels"] = std::move(labels);
    }
    if (report.condition) {
      entry["penalty"] = row.pull + 0.0;  // 0 rather than -0
      entry["violation"] = row.violation;
    }
    rows.push_back(std::move(entry));
  }
  Json document = {{"sequences", report.sequences},
                   {"positions", report.positions},
                   {"training_data", report.training_data},
                   {"features", report.features},
                   {"log_loss", report.loss},
                   {"condition", nullptr},
                   {"rows", std::move(rows)}};
  if (report.condition) {
    document["condition"] = {{"l1", report.condition->l1}, {"l2", report.condition->l2}};
    document["largest_violation"] = report.largest_violation;
  } else {
    document["no_condition"] = report.no_condition;
    document["largest_difference"] = report.largest_violation;
  }
  return document;
}

}  // namespace croft
