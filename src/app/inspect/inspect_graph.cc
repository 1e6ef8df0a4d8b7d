#include "app/inspect/inspect_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <vector>

#include "app/inspect/inspect.h"
#include "app/inspect/inspect_tables.h"
#include "core/json.h"

namespace croft {
namespace {

struct CliqueWeight {
  float weight;
  std::string feature;
  std::uint32_t cell;
};

std::vector<CliqueWeight> weights_of(const GraphModel& model, std::uint32_t t) {
  std::vector<CliqueWeight> all;
  const FeatureTable& table = model.table(t);
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const WeightRow row = table.row(id);
    if (row.size() == 0) continue;
    const std::string name = table.name(id);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.cell(k) < model.schema().templates[t].interaction.cells() && row.weight(k) != 0) {
        all.push_back({row.weight(k), name, row.cell(k)});
      }
    }
  }
  std::ranges::sort(all, [](const CliqueWeight& a, const CliqueWeight& b) {
    return std::tie(a.feature, a.cell) < std::tie(b.feature, b.cell);
  });
  return all;
}

// The n with the largest sign * weight > 0.
std::vector<CliqueWeight> strongest(std::vector<CliqueWeight> weights, float sign, std::size_t n) {
  std::erase_if(weights, [&](const CliqueWeight& w) { return !(sign * w.weight > 0); });
  std::ranges::stable_sort(weights, std::ranges::greater{},
                           [&](const CliqueWeight& w) { return sign * w.weight; });
  if (weights.size() > n) weights.resize(n);
  return weights;
}

std::string cell_name(const GraphModel& model, std::uint32_t t, std::uint32_t cell) {
  const CliqueTemplate& of = model.schema().templates[t];
  std::vector<std::span<const std::string>> labels;
  for (const std::uint32_t d : of.domain) labels.push_back(model.schema().domains[d].labels);
  return of.interaction.cell_name(cell, labels);
}

Json to_json(const GraphModel& model, std::uint32_t t, const std::vector<CliqueWeight>& weights) {
  Json list = Json::array();
  for (const CliqueWeight& w : weights) {
    list.push_back(
        {{"feature", w.feature}, {"cell", cell_name(model, t, w.cell)}, {"weight", w.weight}});
  }
  return list;
}

std::string domains_of(const GraphModel& model, const CliqueTemplate& t) {
  std::string names;
  for (const std::uint32_t d : t.domain) {
    names += (names.empty() ? "" : ", ") + escaped(model.schema().domains[d].name);
  }
  return names;
}

// "text" of a query, indented.
std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string line = escaped(text.substr(0, end));
    if (line.find_first_not_of(' ') != line.npos) out += "    " + line + "\n";
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

std::string query_of(const Json& record) {
  const Json* const query = record.get_if("query");
  return query != nullptr && query->is_string() ? indented(query->get<std::string>()) : "";
}

}  // namespace

Json summary_json(const GraphModel& model) {
  const CliqueSchema& schema = model.schema();
  Json domains = Json::array(), templates = Json::array();
  std::size_t weights = 0;
  for (const Domain& each : schema.domains) {
    domains.push_back({{"name", each.name}, {"labels", each.labels}});
  }
  for (std::uint32_t t = 0; t < schema.templates.size(); ++t) {
    const CliqueTemplate& each = schema.templates[t];
    Json names = Json::array();
    for (const std::uint32_t d : each.domain) names.push_back(schema.domains[d].name);
    templates.push_back({{"name", each.name},
                         {"variables", std::move(names)},
                         {"interaction", name_of(each.interaction.kind())},
                         {"cells", each.interaction.cells()},
                         {"features", model.table(t).size()},
                         {"weights", model.table(t).weights()}});
    weights += model.table(t).weights();
  }
  Json document = {{"kind", GraphModel::kKind},
                   {"file_bytes", model.container().file_size()},
                   {"domains", std::move(domains)},
                   {"templates", std::move(templates)},
                   {"weights", weights},
                   {"sections", sections_json(model.container())}};
  document["source"] = model.source();
  document["training"] = model.meta().value("training", Json::object());
  return document;
}

std::string format_summary(const GraphModel& model) {
  const CliqueSchema& schema = model.schema();
  std::string out = fmt::format("model         {}\n", escaped(model.container().name()));
  out += fmt::format("kind          {}\n", GraphModel::kKind);
  out += fmt::format("file size     {} bytes\n", model.container().file_size());
  out += "\ndomains\n";
  for (const Domain& each : schema.domains) {
    std::string labels;
    for (std::size_t k = 0; k < std::min<std::size_t>(each.labels.size(), 20); ++k) {
      labels += " " + escaped(each.labels[k]);
    }
    if (each.labels.size() > 20) labels += " …";
    out += fmt::format("  {:<22}{:>5} labels:{}\n", escaped(each.name), each.labels.size(), labels);
  }
  out += fmt::format("\n{:<24}{:<20}{:<12}{:>8}{:>10}{:>10}\n", "template", "variables",
                     "interaction", "cells", "features", "weights");
  for (std::uint32_t t = 0; t < schema.templates.size(); ++t) {
    const CliqueTemplate& each = schema.templates[t];
    out += fmt::format("{:<24}{:<20}{:<12}{:>8}{:>10}{:>10}\n", escaped(each.name),
                       domains_of(model, each), name_of(each.interaction.kind()),
                       each.interaction.cells(), model.table(t).size(), model.table(t).weights());
  }
  const Json& source = model.source();
  if (source.contains("variables") && source["variables"].is_array()) {
    out += "\nqueries\n";
    for (const Json& each : source["variables"]) out += "  variables\n" + query_of(each);
  }
  if (source.contains("templates") && source["templates"].is_array()) {
    for (const Json& each : source["templates"]) {
      out += "  template " + escaped(each.value("name", std::string())) + "\n" + query_of(each);
    }
  }
  append_fields(out, "training record", model.meta().value("training", Json::object()));
  append_sections(out, model.container());
  return out;
}

Json top_json(const GraphModel& model, std::size_t n) {
  Json document = Json::array();
  for (std::uint32_t t = 0; t < model.schema().templates.size(); ++t) {
    const auto all = weights_of(model, t);
    document.push_back({{"template", model.schema().templates[t].name},
                        {"largest", to_json(model, t, strongest(all, 1, n))},
                        {"smallest", to_json(model, t, strongest(all, -1, n))}});
  }
  return document;
}

std::string format_top(const GraphModel& model, std::size_t n) {
  std::string out;
  for (std::uint32_t t = 0; t < model.schema().templates.size(); ++t) {
    const auto all = weights_of(model, t);
    out += escaped(model.schema().templates[t].name) + "\n";
    for (const float sign : {1.0f, -1.0f}) {
      for (const CliqueWeight& w : strongest(all, sign, n)) {
        out += fmt::format("  {:>10.5f}  {:<24} {}\n", w.weight, escaped(w.feature),
                           escaped(cell_name(model, t, w.cell)));
      }
    }
  }
  return out;
}

void write_weights(const GraphModel& model, const std::function<void(std::string_view)>& write) {
  std::string lines;
  for (std::uint32_t t = 0; t < model.schema().templates.size(); ++t) {
    const std::string name = escaped(model.schema().templates[t].name);
    for (const CliqueWeight& w : weights_of(model, t)) {
      lines += fmt::format("clique\t{}\t{}\t{}\t{}\n", name, escaped(w.feature),
                           escaped(cell_name(model, t, w.cell)), w.weight);
      if (lines.size() < (1 << 16)) continue;
      write(lines);
      lines.clear();
    }
  }
  if (!lines.empty()) write(lines);
}

}  // namespace croft
