#include "croft/model/graph_layout.h"

#include <algorithm>

namespace croft {
namespace {

// visit(template, row, cell or kNoCell, whether all states are known) for each clique.
template <class Visit>
void for_each_clique(const CliqueSchema& schema, const CliqueRows& rows,
                     std::span<const GraphInstance> instances, const Visit& visit) {
  std::vector<State> at;
  for (const GraphInstance& instance : instances) {
    const FactorGraph& graph = instance.graph;
    for (Factor f = 0; f < graph.factors(); ++f) {
      const std::uint32_t row = instance.row[graph.potential_of(f)], t = rows.template_of(row);
      at.clear();
      for (const Variable v : graph.scope(f)) at.push_back(instance.known[v]);
      const bool known = std::ranges::find(at, kUnobserved) == at.end();
      visit(t, row, known ? schema.templates[t].interaction.cell_of(at) : Interaction::kNoCell,
            known);
    }
  }
}

}  // namespace

GraphLayout make_graph_layout(const CliqueSchema& schema, const CliqueRows& rows,
                              std::span<const GraphInstance> instances,
                              std::span<const std::size_t> features,
                              const GraphLayoutOptions& options) {
  const std::size_t templates = schema.templates.size();
  std::vector<std::vector<std::size_t>> count(templates);  // of cliques that have a feature
  std::vector<std::vector<std::uint64_t>> pairs(templates);
  std::vector<bool> observed(templates, options.features == FeatureSet::observed);
  for (std::size_t t = 0; t < templates; ++t) count[t].assign(features[t], 0);
  for_each_clique(schema, rows, instances,
                  [&](std::uint32_t t, std::uint32_t row, std::uint32_t cell, bool known) {
                    if (!known) observed[t] = false;
                    for (const CliqueFeature& each : rows.features(row)) {
                      ++count[t][each.id];
                      if (observed[t] && cell != Interaction::kNoCell) {
                        pairs[t].push_back(std::uint64_t{each.id} << 32 | cell);
                      }
                    }
                  });
  GraphLayout layout;
  std::uint64_t next = 0;
  for (std::size_t t = 0; t < templates; ++t) {
    RowLayout& rows_of = layout.templates.emplace_back();
    rows_of.cells = schema.templates[t].interaction.cells();
    rows_of.begin.assign(1, next);
    if (!observed[t]) {
      const bool all =
          std::ranges::all_of(count[t], [&](std::size_t n) { return n >= options.min_count; });
      for (const std::size_t n : count[t]) {
        if (n >= options.min_count) {
          next += rows_of.cells;
          for (std::uint32_t c = 0; !all && c < rows_of.cells; ++c) rows_of.cell.push_back(c);
        }
        rows_of.begin.push_back(next);
      }
      continue;
    }
    std::ranges::sort(pairs[t]);
    auto at = pairs[t].begin();
    for (std::uint32_t id = 0; id < features[t]; ++id) {
      while (at != pairs[t].end() && *at >> 32 == id) {
        const auto end = std::find_if(at, pairs[t].end(), [&](auto each) { return each != *at; });
        if (static_cast<std::size_t>(end - at) >= options.min_count) {
          rows_of.cell.push_back(static_cast<std::uint32_t>(*at));
          ++next;
        }
        at = end;
      }
      rows_of.begin.push_back(next);
    }
    pairs[t] = {};
  }
  return layout;
}

void GraphScorer::score(std::span<const double> w, GraphInstance& instance) {
  for (PotentialId p = 0; p < instance.graph.potentials(); ++p) {
    const std::uint32_t row = instance.row[p], t = rows_.template_of(row);
    const Interaction& interaction = schema_.templates[t].interaction;
    const RowLayout& layout = layout_.templates[t];
    cells_.assign(interaction.cells(), 0);
    for (const CliqueFeature& each : rows_.features(row)) {
      const double* weight = w.data() + layout.begin[each.id];
      const std::size_t length = layout.length(each.id);
      for (std::size_t k = 0; k < length; ++k) {
        cells_[layout.cell_of(each.id, k)] += each.value * weight[k];
      }
    }
    set_numbers(interaction, cells_, instance.graph.numbers(p));
  }
}

void GraphScorer::add_gradient(const GraphInstance& instance, std::span<const double> d_numbers,
                               std::span<double> gradient) {
  for (PotentialId p = 0; p < instance.graph.potentials(); ++p) {
    const std::uint32_t row = instance.row[p], t = rows_.template_of(row);
    const Interaction& interaction = schema_.templates[t].interaction;
    const RowLayout& layout = layout_.templates[t];
    cells_.assign(interaction.cells(), 0);
    const Potential& potential = instance.graph.potential(p);
    const std::span<const std::uint32_t> cell = interaction.cell_of_number();
    for (std::size_t k = 0; k < potential.count; ++k) {
      if (cell[k] != Interaction::kNoCell) cells_[cell[k]] += d_numbers[potential.first + k];
    }
    for (const CliqueFeature& each : rows_.features(row)) {
      double* out = gradient.data() + layout.begin[each.id];
      const std::size_t length = layout.length(each.id);
      for (std::size_t k = 0; k < length; ++k) {
        out[k] += each.value * cells_[layout.cell_of(each.id, k)];
      }
    }
  }
}

}  // namespace croft
