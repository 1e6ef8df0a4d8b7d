#include "model/graph_layout.h"

#include <algorithm>
#include <type_traits>

#include "structure/counting.h"

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
      if (schema.templates[t].scores) continue;
      at.clear();
      for (const Variable v : graph.scope(f)) at.push_back(instance.known[v]);
      const bool known = std::ranges::find(at, kUnobserved) == at.end();
      std::uint32_t cell = Interaction::kNoCell;
      const Interaction& interaction = schema.templates[t].interaction;
      if (known && interaction.counting()) {
        const Counting counting(graph, graph.potential_of(f));
        cell = interaction.cell_of_count(counting.count(graph, graph.scope(f), at));
      } else if (known) {
        cell = interaction.cell_of(at);
      }
      visit(t, row, cell, known);
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
    if (schema.templates[t].scores) continue;
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

GraphScorer::GraphScorer(const CliqueSchema& schema, const CliqueRows& rows,
                         const GraphLayout& layout)
    : schema_(schema), rows_(rows), layout_(layout) {
  for (std::size_t t = 0; t < schema.templates.size(); ++t) {
    const CliqueTemplate& each = schema.templates[t];
    const RowLayout& weights = layout.templates[t];
    const auto cell = each.interaction.cell_of_number();
    const std::size_t cells = each.interaction.cells();
    bool first = cell.size() >= cells && !each.scores;
    for (std::size_t k = 0; k < cell.size() && first; ++k) {
      first = cell[k] == (k < cells ? k : Interaction::kNoCell);
    }
    const bool full = weights.begin.back() - weights.begin.front() == weights.rows() * cells;
    shapes_.push_back({.cells_first = first, .full = weights.all_full() && full});
  }
}

namespace {

// visit(cells as a type) where they are 1 or 2, otherwise 0.
template <class Visit>
void for_cells(std::size_t cells, const Visit& visit) {
  if (cells == 1) {
    visit(std::integral_constant<std::size_t, 1>());
  } else if (cells == 2) {
    visit(std::integral_constant<std::size_t, 2>());
  } else {
    visit(std::integral_constant<std::size_t, 0>());
  }
}

}  // namespace

// visit(template, first potential, the one behind the last, where the first's numbers begin): the
// numbers of potentials stand one after the other.
template <class Visit>
void GraphScorer::for_runs(const GraphInstance& instance, const Visit& visit) const {
  const auto end = static_cast<PotentialId>(instance.row.size());
  std::size_t at = 0;
  for (PotentialId p = 0; p < end;) {
    const std::uint32_t t = rows_.template_of(instance.row[p]);
    const PotentialId first = p;
    while (p < end && rows_.template_of(instance.row[p]) == t) ++p;
    visit(t, first, p, at);
    at += (p - first) * schema_.templates[t].interaction.cell_of_number().size();
  }
}

void GraphScorer::score(std::span<const double> w, GraphInstance& instance) {
  double* numbers = instance.graph.numbers().data();
  for_runs(instance, [&](std::uint32_t t, PotentialId first, PotentialId last, std::size_t at) {
    score_run(w, instance, t, first, last, numbers + at);
  });
}

void GraphScorer::score(std::span<const double> w, GraphInstance& instance, PotentialId p) {
  score_run(w, instance, rows_.template_of(instance.row[p]), p, p + 1,
            instance.graph.numbers(p).data());
}

// Of potentials of the same template.
void GraphScorer::score_run(std::span<const double> w, const GraphInstance& instance,
                            std::uint32_t t, PotentialId first, PotentialId last, double* numbers) {
  const Interaction& interaction = schema_.templates[t].interaction;
  const RowLayout& layout = layout_.templates[t];
  const std::size_t count = interaction.cell_of_number().size(), cells = interaction.cells();
  if (!shapes_[t].cells_first) {
    for (PotentialId p = first; p < last; ++p, numbers += count) {
      score_cells(w, instance.row[p], t);
      set_numbers(interaction, cells_, std::span(numbers, count));
    }
    return;
  }
  if (!shapes_[t].full) {
    for (PotentialId p = first; p < last; ++p, numbers += count) {
      std::fill_n(numbers, cells, 0.0);
      for (const CliqueFeature& each : rows_.features(instance.row[p])) {
        const double* weight = w.data() + layout.begin[each.id];
        const std::size_t length = layout.length(each.id);
        for (std::size_t k = 0; k < length; ++k) {
          numbers[layout.cell_of(each.id, k)] += each.value * weight[k];
        }
      }
    }
    return;
  }
  const double* weights = w.data() + layout.begin.front();
  for_cells(cells, [&](auto fixed) {
    const std::size_t c = fixed > 0 ? fixed : cells;
    double* out = numbers;
    for (PotentialId p = first; p < last; ++p, out += count) {
      double sum[fixed > 0 ? fixed : 1]{};
      if constexpr (fixed == 0) std::fill_n(out, c, 0.0);
      for (const CliqueFeature& each : rows_.features(instance.row[p])) {
        const double* weight = weights + each.id * c;
        double* to = fixed > 0 ? sum : out;
        for (std::size_t k = 0; k < c; ++k) to[k] += each.value * weight[k];
      }
      if constexpr (fixed > 0) std::copy_n(sum, c, out);
    }
  });
}

void GraphScorer::score_cells(std::span<const double> w, std::uint32_t row, std::uint32_t t) {
  const RowLayout& layout = layout_.templates[t];
  cells_.assign(schema_.templates[t].interaction.cells(), 0);
  for (const CliqueFeature& each : rows_.features(row)) {
    if (schema_.templates[t].scores) {
      cells_[each.id] = each.value;
      continue;
    }
    const double* weight = w.data() + layout.begin[each.id];
    const std::size_t length = layout.length(each.id);
    for (std::size_t k = 0; k < length; ++k) {
      cells_[layout.cell_of(each.id, k)] += each.value * weight[k];
    }
  }
}

void GraphScorer::add_gradient(const GraphInstance& instance, std::span<const double> d_numbers,
                               std::span<double> gradient) {
  for_runs(instance, [&](std::uint32_t t, PotentialId first, PotentialId last, std::size_t at) {
    add_run(instance, t, first, last, d_numbers.data() + at, gradient);
  });
}

void GraphScorer::add_gradient(const GraphInstance& instance, PotentialId p,
                               std::span<const double> d_numbers, std::span<double> gradient) {
  add_run(instance, rows_.template_of(instance.row[p]), p, p + 1, d_numbers.data(), gradient);
}

void GraphScorer::add_run(const GraphInstance& instance, std::uint32_t t, PotentialId first,
                          PotentialId last, const double* d_numbers, std::span<double> gradient) {
  if (schema_.templates[t].scores) return;
  const Interaction& interaction = schema_.templates[t].interaction;
  const RowLayout& layout = layout_.templates[t];
  const auto cell = interaction.cell_of_number();
  const std::size_t count = cell.size(), cells = interaction.cells();
  if (shapes_[t].cells_first && shapes_[t].full) {
    double* out = gradient.data() + layout.begin.front();
    for_cells(cells, [&](auto fixed) {
      const std::size_t c = fixed > 0 ? fixed : cells;
      const double* d = d_numbers;
      for (PotentialId p = first; p < last; ++p, d += count) {
        for (const CliqueFeature& each : rows_.features(instance.row[p])) {
          double* to = out + each.id * c;
          for (std::size_t k = 0; k < c; ++k) to[k] += each.value * d[k];
        }
      }
    });
    return;
  }
  for (PotentialId p = first; p < last; ++p, d_numbers += count) {
    const double* by_cell = d_numbers;
    if (!shapes_[t].cells_first) {
      cells_.assign(cells, 0);
      for (std::size_t k = 0; k < count; ++k) {
        if (cell[k] != Interaction::kNoCell) cells_[cell[k]] += d_numbers[k];
      }
      by_cell = cells_.data();
    }
    for (const CliqueFeature& each : rows_.features(instance.row[p])) {
      double* out = gradient.data() + layout.begin[each.id];
      const std::size_t length = layout.length(each.id);
      for (std::size_t k = 0; k < length; ++k) {
        out[k] += each.value * by_cell[layout.cell_of(each.id, k)];
      }
    }
  }
}

}  // namespace croft
