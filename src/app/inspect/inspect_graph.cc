#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_parts.h"
#include "app/inspect/weights.h"
#include "model/calibration.h"
#include "model/kinds/graph_model.h"

namespace croft {
namespace {

std::string cell_name(const GraphModel& model, std::uint32_t t, std::uint32_t cell) {
  const CliqueTemplate& of = model.schema().templates[t];
  std::vector<std::span<const std::string>> labels;
  for (const std::uint32_t d : of.domain) labels.push_back(model.schema().domains[d].labels);
  return of.interaction.cell_name(cell, labels);
}

void add_domains(const GraphModel& model, View& view) {
  constexpr std::size_t kShown = 20;
  view.json["domains"] = Json::array();
  view.text += "\ndomains\n";
  for (const Domain& each : model.schema().domains) {
    std::string labels;
    for (std::size_t k = 0; k < std::min(each.labels.size(), kShown); ++k) {
      labels += " " + escaped(each.labels[k]);
    }
    if (each.labels.size() > kShown) labels += " …";
    view.text +=
        fmt::format("  {:<22}{:>5} labels:{}\n", escaped(each.name), each.labels.size(), labels);
    view.json["domains"].push_back({{"name", each.name}, {"labels", each.labels}});
  }
}

void add_templates(const GraphModel& model, View& view) {
  const CliqueSchema& schema = model.schema();
  std::vector<View::Row> rows;
  std::size_t weights = 0;
  for (std::uint32_t t = 0; t < schema.templates.size(); ++t) {
    const CliqueTemplate& each = schema.templates[t];
    Json names = Json::array();
    for (const std::uint32_t d : each.domain) names.push_back(schema.domains[d].name);
    rows.push_back({each.name, std::move(names), name_of(each.interaction.kind()),
                    each.interaction.cells(), model.table(t).size(), model.table(t).weights()});
    weights += model.table(t).weights();
  }
  view.table("templates",
             {{"name", "template", "{:<24}"},
              {"variables", "variables", "{:<20}"},
              {"interaction", "interaction", "{:<12}"},
              {"cells", "cells", "{:>8}"},
              {"features", "features", "{:>10}"},
              {"weights", "weights", "{:>10}"}},
             rows);
  view.json["weights"] = weights;
}

// Weights that are not trained.
void add_given(const GraphModel& model, View& view) {
  std::vector<View::Row> rows;
  const auto& templates = model.schema().templates;
  for (std::uint32_t t = 0; t < templates.size(); ++t) {
    for (const GivenWeight& each : templates[t].given) {
      rows.push_back(
          {templates[t].name, each.feature, cell_name(model, t, each.cell), each.weight});
    }
  }
  if (rows.empty()) return;
  view.table("given_weights",
             {{"name", "given weights", "{:<24}"},
              {"feature", "feature", "{:<20}"},
              {"cell", "joint state", "{:<20}"},
              {"weight", "weight", "{:>10}"}},
             rows);
}

// What a template forbids, or lets cost something.
void add_constraints(const GraphModel& model, View& view) {
  std::vector<View::Row> rows;
  for (const CliqueTemplate& each : model.schema().templates) {
    const Interaction& of = each.interaction;
    const std::size_t states = each.penalty ? of.listed().size() : of.forbidden().size();
    if (!each.penalty && states == 0) continue;
    std::string what(name_of(of.kind()));
    if (has_threshold(of.kind())) what += " " + std::to_string(of.rule().k);
    if (!of.counting() && !each.is_known()) what = fmt::format("{} joint states", states);
    const bool hard = !each.penalty || std::isinf(*each.penalty);
    rows.push_back({each.name, what, hard ? Json("forbidden") : Json(*each.penalty)});
  }
  if (rows.empty()) return;
  view.table("constraints",
             {{"name", "template", "{:<24}"},
              {"what", "constraint", "{:<20}"},
              {"penalty", "penalty", "{:>10}"}},
             rows);
}

void add_queries(const GraphModel& model, View& view) {
  const auto add = [&](const char* of, const char* title, bool named) {
    const Json* const list = model.source().get_if(of);
    if (list == nullptr || !list->is_array()) return;
    view.text += title;
    for (const Json& each : *list) {
      const auto said = [&](const char* key) {
        const Json* const text = each.is_object() ? each.get_if(key) : nullptr;
        return text != nullptr && text->is_string() ? text->string() : std::string();
      };
      view.text += named ? "  template " + escaped(said("name")) + "\n" : "  variables\n";
      view.lines(said("query"), 4, true);
    }
  };
  add("variables", "\nqueries\n", false);
  add("templates", "", true);
}

}  // namespace

View summary_of(const GraphModel& model) {
  View view = begin_summary(model);
  add_domains(model, view);
  add_templates(model, view);
  add_given(model, view);
  add_constraints(model, view);
  if (model.calibrated()) {
    view.json["calibration"] = calibration_record(model.container());
    view.line("calibration", fmt::format("temperature {:.6g}", model.temperature()));
  }
  add_queries(model, view);
  view.json["source"] = model.source();
  end_summary(model, view);
  return view;
}

View top_of(const GraphModel& model, std::size_t n) {
  View view;
  view.json = Json::array();
  for (std::uint32_t t = 0; t < model.schema().templates.size(); ++t) {
    Ranking best(n);
    for_each_weight(model.table(t), [&](const std::string& name, std::uint32_t cell, float weight) {
      best.offer(weight, [&] {
        const std::string labels = cell_name(model, t, cell);
        return RankedWeight{cell_order(name, cell),
                            {{"feature", name}, {"cell", labels}},
                            fmt::format("{:<24} {}", escaped(name), escaped(labels))};
      });
    });
    const std::string& name = model.schema().templates[t].name;
    view.text += escaped(name) + "\n";
    view.json.emplace_back(show(view, best))["template"] = name;
  }
  return view;
}

void write_weights(const GraphModel& model, const WriteText& write) {
  LineWriter out(write);
  for (std::uint32_t t = 0; t < model.schema().templates.size(); ++t) {
    const std::string of = escaped(model.schema().templates[t].name);
    for_each_sorted(model.table(t), [&](const std::string& name, std::uint32_t cell, float weight) {
      if (weight == 0) return;
      out.line("clique\t{}\t{}\t{}\t{}", of, name, escaped(cell_name(model, t, cell)), weight);
    });
  }
  out.finish();
}

}  // namespace croft
