#include "train/kinds/chain_expert.h"

#include <algorithm>

#include "croft/core/error.h"

namespace croft {
namespace {

// Rows filled in any order of attributes, then laid end to end.
struct Rows {
  explicit Rows(std::size_t count) : cells(count) {}
  std::vector<std::vector<std::pair<std::uint32_t, double>>> cells;

  void lay_out(std::size_t full, RowLayout& out, std::vector<double>& weights) {
    out.cells = full;
    out.begin.assign(1, weights.size());
    for (auto& row : cells) {
      std::ranges::sort(row);
      for (const auto& [cell, weight] : row) {
        out.cell.push_back(cell);
        weights.push_back(weight);
      }
      out.begin.push_back(weights.size());
    }
  }
};

void lay_out(Rows& tied, Rows& node, Rows& edge, ChainExpert& out) {
  const std::size_t pairs = out.labels * out.labels;
  tied.lay_out(pairs, out.tied, out.weights);
  node.lay_out(out.labels, out.node, out.weights);
  edge.lay_out(pairs, out.edge, out.weights);
  out.features = out.weights.size();
}

void add_rows(const FeatureTable& table, const std::function<std::size_t(std::string_view)>& row_of,
              const std::function<std::uint32_t(std::uint32_t)>& cell_of, Rows& out) {
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    const WeightRow row = table.row(id);
    if (row.size() == 0) continue;
    const std::size_t r = row_of(table.name(id));
    if (r >= out.cells.size()) out.cells.resize(r + 1);
    for (std::size_t k = 0; k < row.size(); ++k) {
      out.cells[r].emplace_back(cell_of(row.cell(k)), row.weight(k));
    }
  }
}

}  // namespace

void ChainExpert::archive(StateArchive& state) {
  state(name, labels);
  for (RowLayout* rows : {&tied, &node, &edge}) {
    state(rows->cells, rows->begin, rows->cell);
  }
  state(weights, features, objective);
}

ChainExpert expert_of(const ChainTraining& training, const TrainResult& result,
                      std::size_t attributes, std::size_t edge_attributes) {
  const ChainLayout& layout = training.layout();
  const std::span<const double> w = training.weights();
  ChainExpert out;
  out.labels = layout.labels;
  out.objective = result.optimization.objective;
  Rows tied(layout.tied.rows()), node(attributes), edge(edge_attributes);
  layout.for_each_transition([&](std::uint32_t k, std::uint32_t cell) {
    for (std::size_t r = 0; r < layout.tied.rows(); ++r) {
      tied.cells[r].emplace_back(cell, w[layout.tied.begin[r] + k]);
    }
  });
  const auto copy = [&](const RowLayout& from, const std::vector<std::uint32_t>& new_id, Rows& to) {
    for (std::uint32_t a = 0; a < new_id.size(); ++a) {
      if (new_id[a] == kUnknown) continue;
      for (std::size_t k = 0; k < from.length(new_id[a]); ++k) {
        to.cells[a].emplace_back(from.cell_of(new_id[a], k), w[from.begin[new_id[a]] + k]);
      }
    }
  };
  copy(layout.node, training.renumbering().node, node);
  copy(layout.edge, training.renumbering().edge, edge);
  lay_out(tied, node, edge, out);
  return out;
}

ChainExpert expert_of(const ChainModel& model, std::span<const std::string> tied_names,
                      ChainEncoder& encoder) {
  const std::string& name = model.container().name();
  if (chain_kind(model.kind()) != ChainKind::chain || model.order() > 1 ||
      model.vote() != nullptr || model.kernel() != nullptr) {
    throw UsageError(name + ": an expert is a chain of order 1 with one vector of weights");
  }
  const std::size_t labels = encoder.label_names.size();
  std::vector<std::uint32_t> number;  // of the model's labels
  for (Label y = 0; y < model.labels(); ++y) {
    number.push_back(encoder.label_names.find(model.label(y)));
    if (number.back() != kUnknown) continue;
    throw UsageError(name + ": the data, and the experts before it, have no label " +
                     in_quotes(model.label(y)) + "; experts have the same labels");
  }
  if (number.size() != labels) {
    throw UsageError(name + ": it has " + std::to_string(number.size()) + " labels, and the data " +
                     "or another expert " + std::to_string(labels) +
                     "; experts have the same labels");
  }
  const auto of_label = [&](std::uint32_t cell) { return number[cell]; };
  const auto of_pair = [&](std::uint32_t cell) {
    return static_cast<std::uint32_t>(number[cell / labels] * labels + number[cell % labels]);
  };
  ChainExpert out;
  out.name = name;
  out.labels = labels;
  Rows tied(tied_names.size()), node(0), edge(0);
  add_rows(
      model.tied(),
      [&](std::string_view row) {
        return static_cast<std::size_t>(std::ranges::find(tied_names, row) - tied_names.begin());
      },
      of_pair, tied);
  add_rows(
      model.node(), [&](std::string_view row) { return encoder.node_names.insert(row); }, of_label,
      node);
  add_rows(
      model.edge(), [&](std::string_view row) { return encoder.edge_names.insert(row); }, of_pair,
      edge);
  lay_out(tied, node, edge, out);
  return out;
}

ChainExpert with_labels(const ChainExpert& expert, std::span<const Label> of) {
  ChainExpert out;
  out.name = expert.name;
  out.labels = of.size();
  out.objective = expert.objective;
  std::vector<std::vector<std::uint32_t>> labels_of(expert.labels);
  for (Label j = 0; j < of.size(); ++j) labels_of[of[j]].push_back(j);
  Rows tied(expert.tied.rows()), node(expert.node.rows()), edge(expert.edge.rows());
  const auto spread_pairs = [&](const RowLayout& rows, Rows& to) {
    expert.for_each(rows, [&](std::size_t r, std::uint32_t cell, double weight) {
      for (const std::uint32_t i : labels_of[cell / expert.labels]) {
        for (const std::uint32_t j : labels_of[cell % expert.labels]) {
          to.cells[r].emplace_back(static_cast<std::uint32_t>(i * of.size() + j), weight);
        }
      }
    });
  };
  spread_pairs(expert.tied, tied);
  expert.for_each(expert.node, [&](std::size_t r, std::uint32_t cell, double weight) {
    for (const std::uint32_t j : labels_of[cell]) node.cells[r].emplace_back(j, weight);
  });
  spread_pairs(expert.edge, edge);
  lay_out(tied, node, edge, out);
  out.features = expert.features;
  return out;
}

void add_expert_states(const ChainExpert& expert, const ChainData& data, std::size_t n,
                       double scale, Matrix<double>& state) {
  const std::uint64_t first = data.sequence_begin[n], last = data.sequence_begin[n + 1];
  const RowLayout& rows = expert.node;
  for (std::uint64_t p = first; p < last; ++p) {
    double* out = state.row(static_cast<std::size_t>(p - first));
    for (std::uint64_t k = data.node.begin[p]; k < data.node.begin[p + 1]; ++k) {
      const std::uint32_t r = data.node.id[k];
      if (r >= rows.rows()) continue;
      const double value = scale * (data.node.value.empty() ? 1.0 : data.node.value[k]);
      for (std::uint64_t w = rows.begin[r]; w < rows.begin[r + 1]; ++w) {
        out[rows.cell[w - rows.begin[0]]] += value * expert.weights[w];
      }
    }
  }
}

Matrix<double> expert_transitions(const ChainExpert& expert) {
  Matrix<double> table(expert.labels, expert.labels, 0.0);
  expert.for_each(expert.tied, [&](std::size_t, std::uint32_t cell, double weight) {
    table(cell / expert.labels, cell % expert.labels) += weight;
  });
  return table;
}

}  // namespace croft
