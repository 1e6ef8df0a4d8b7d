#include "train/graph/graph_prior.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "croft/core/error.h"

namespace croft {
namespace {

// For each label of `from` its number in `to`, kUnobserved.
std::vector<State> matched(const Domain& from, const Domain& to) {
  std::vector<State> states;
  for (const std::string& label : from.labels) {
    const auto found = std::ranges::find(to.labels, label);
    states.push_back(found == to.labels.end() ? kUnobserved
                                              : static_cast<State>(found - to.labels.begin()));
  }
  return states;
}

// For each cell of an interaction the cell of another of the same kind, kNoCell: that of the first
// joint state whose labels both have.
std::vector<std::uint32_t> matched_cells(const CliqueSchema& from, const CliqueTemplate& old,
                                         const CliqueSchema& to, const CliqueTemplate& now) {
  std::vector<std::vector<State>> label;
  if (old.interaction.counting()) {  // check_alike() has seen that they are the same
    std::vector<std::uint32_t> same(old.interaction.cells());
    std::iota(same.begin(), same.end(), 0U);
    return same;
  }
  for (std::size_t k = 0; k < old.domain.size(); ++k) {
    label.push_back(matched(from.domains[old.domain[k]], to.domains[now.domain[k]]));
  }
  std::vector<std::uint32_t> cells(old.interaction.cells(), Interaction::kNoCell);
  std::vector<State> at(label.size(), 0), there(label.size(), 0);
  while (true) {
    const std::uint32_t cell = old.interaction.cell_of(at);
    bool both = cell != Interaction::kNoCell && cells[cell] == Interaction::kNoCell;
    for (std::size_t k = 0; k < at.size(); ++k) {
      there[k] = label[k][at[k]];
      both = both && there[k] != kUnobserved;
    }
    if (both) cells[cell] = now.interaction.cell_of(there);
    std::size_t k = at.size();
    for (; k > 0; --k) {
      if (++at[k - 1] < label[k - 1].size()) break;
      at[k - 1] = 0;
    }
    if (k == 0) return cells;
  }
}

void check_alike(const CliqueSchema& from, const CliqueTemplate& old, const CliqueSchema& to,
                 const CliqueTemplate& now) {
  bool alike = old.domain.size() == now.domain.size() &&
               old.interaction.kind() == now.interaction.kind() && old.scores == now.scores;
  for (std::size_t k = 0; alike && k < old.domain.size(); ++k) {
    alike = from.domains[old.domain[k]].name == to.domains[now.domain[k]].name;
  }
  if (alike && old.interaction.counting()) {
    const CountingRule &a = old.interaction.rule(), &b = now.interaction.rule();
    alike = a.counts == b.counts && a.from == b.from && a.k == b.k;
    for (std::size_t k = 0; alike && k < old.domain.size(); ++k) {
      alike = from.domains[old.domain[k]].labels == to.domains[now.domain[k]].labels;
    }
  }
  if (alike) return;
  throw Error("the template '" + now.name +
              "' has other domains or another interaction in the model to start from; give it "
              "another name, or train without the model");
}

}  // namespace

std::vector<double> weights_of(const GraphModel& init, const CliqueSchema& schema,
                               const GraphLayout& layout, std::span<const StringTable> features) {
  std::vector<double> w(layout.dimension(), 0.0);
  std::size_t common = 0;
  for (std::uint32_t s = 0; s < init.schema().templates.size(); ++s) {
    const CliqueTemplate& old = init.schema().templates[s];
    const auto found = std::ranges::find(schema.templates, old.name, &CliqueTemplate::name);
    if (found == schema.templates.end() || old.scores) continue;
    check_alike(init.schema(), old, schema, *found);
    const auto t = static_cast<std::size_t>(found - schema.templates.begin());
    const std::vector<std::uint32_t> cells = matched_cells(init.schema(), old, schema, *found);
    const RowLayout& rows = layout.templates[t];
    for (std::uint32_t id = 0; id < rows.rows(); ++id) {
      const std::uint32_t feature = rows.length(id) > 0 ? init.find(s, features[t][id]) : kUnknown;
      if (feature == kUnknown) continue;
      const WeightRow row = init.table(s).row(feature);
      for (std::size_t k = 0; k < row.size(); ++k) {
        const std::uint32_t cell =
            row.cell(k) < cells.size() ? cells[row.cell(k)] : Interaction::kNoCell;
        for (std::size_t at = 0; at < rows.length(id) && cell != Interaction::kNoCell; ++at) {
          if (rows.cell_of(id, at) != cell) continue;
          w[rows.begin[id] + at] = row.weight(k);
          ++common;
          break;
        }
      }
    }
  }
  if (common == 0) {
    throw Error(init.container().name() +
                ": the model to start from has no weight in common with this one: templates and "
                "features go by their names");
  }
  return w;
}

std::vector<double> graph_prior_scale(const VariancesOf& variances, const CliqueSchema& schema,
                                      const GraphLayout& layout,
                                      std::span<const StringTable> features) {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < layout.templates.size(); ++t) {
    for (std::uint32_t id = 0; id < layout.templates[t].rows(); ++id) {
      names.push_back(schema.templates[t].name + ":" + std::string(features[t][id]));
    }
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::vector<double> variance = variances(views);
  std::vector<double> scale(layout.dimension(), 1.0);
  std::size_t next = 0;
  for (const RowLayout& rows : layout.templates) {
    for (std::uint32_t id = 0; id < rows.rows(); ++id) {
      std::fill_n(scale.begin() + static_cast<std::ptrdiff_t>(rows.begin[id]), rows.length(id),
                  std::sqrt(variance[next++]));
    }
  }
  return scale;
}

}  // namespace croft
