#include "model/kinds/graph_model.h"

#include <algorithm>
#include <array>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/calibration.h"
#include "model/file/container.h"
#include "model/file/record.h"
#include "model/kinds/clique_schema_record.h"
#include "model/score_numbers.h"

namespace croft {
namespace {

std::string prefix_of(std::size_t clique_template) {
  return "template" + std::to_string(clique_template);
}

}  // namespace

bool GraphModel::is_in(const Container& container) {
  if (!container.has("meta")) return false;
  const Json meta = parse_json_or_null(container.text("meta"));
  return meta.is_object() && meta.contains("kind") && meta["kind"] == kKind;
}

GraphModel::GraphModel(Container container) : StoredModel(std::move(container)) {
  if (kind() != kKind) {
    throw Error(container_.name() + ": this is a model of kind " + in_quotes(kind()) +
                ", and one of kind \"graph\" was expected");
  }
  static constexpr std::string_view kKnown[] = {"calibration"};
  container_.refuse_required_but(kKnown);
  if (const auto calibrator = read_calibration(container_, 0, false)) {
    temperature_ = calibrator->temperature;
  }
  schema_ = clique_schema_of(record().at("graph"));
  if (const auto source = record().find("source")) source->object();
  for (std::size_t t = 0; t < schema_.templates.size(); ++t) {
    tables_.emplace_back(container_, prefix_of(t), schema_.templates[t].interaction.cells());
  }
}

const Json& GraphModel::source() const {
  static const Json kNone = Json::object();
  const Json* const found = meta().get_if("source");
  return found == nullptr ? kNone : *found;
}

void GraphModel::score(const CliqueRows& rows, GraphInstance& instance,
                       std::vector<double>& cells) const {
  for (PotentialId p = 0; p < instance.graph.potentials(); ++p) {
    const std::uint32_t row = instance.row[p], t = rows.template_of(row);
    const Interaction& interaction = schema_.templates[t].interaction;
    cells.assign(interaction.cells(), 0);
    for (const CliqueFeature& each : rows.features(row)) {
      if (schema_.templates[t].scores) {
        if (each.id >= cells.size())
          container_.fail_section("meta", "scores of cells that are none");
        cells[each.id] = each.value;
        continue;
      }
      const WeightRow weights = tables_[t].row(each.id);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        const std::uint32_t cell = weights.cell(k);
        if (cell < cells.size()) cells[cell] += each.value * weights.weight(k);
      }
    }
    const bool forbids = schema_.templates[t].scores;  // a density may be 0
    if (!are_scores<double>(cells, least_score<double>(forbids))) {
      throw Error(container_.name(), ": the scores of a clique of the template ",
                  in_quotes(schema_.templates[t].name),
                  " are no finite numbers, or too large to be added up: its features are too "
                  "large, or the weights are wrong; croft inspect --verify tells whether the file "
                  "is damaged");
    }
    if (temperature_ != 1) {
      for (double& each : cells) each /= temperature_;
    }
    set_numbers(interaction, cells, instance.graph.numbers(p));
  }
}

ContainerWriter make_graph_model(const GraphModelParts& from) {
  Json meta = {
      {"kind", GraphModel::kKind}, {"graph", to_json(*from.schema)}, {"training", *from.training}};
  if (from.source != nullptr) meta["source"] = *from.source;
  ContainerWriter out;
  out.add("meta", meta.dump(1, InvalidUtf8::replace));
  for (std::size_t t = 0; t < from.schema->templates.size(); ++t) {
    const RowLayout& layout = from.layout->templates[t];
    std::vector<NamedRow> rows;
    for (std::size_t r = 0; r < layout.rows(); ++r) {
      if (layout.length(r) == 0) continue;
      NamedRow row{from.features[t][static_cast<std::uint32_t>(r)],
                   {},
                   from.weights.subspan(layout.begin[r], layout.length(r))};
      if (!layout.all_full()) {
        row.cell =
            std::span(layout.cell).subspan(layout.begin[r] - layout.begin[0], layout.length(r));
      }
      rows.push_back(row);
    }
    write_feature_table(rows, layout.cells, prefix_of(t), out);
  }
  return out;
}

}  // namespace croft
