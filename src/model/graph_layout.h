// Which weights a general CRF has, and the scorer: from weights to a graph's numbers, and back.
//
//   theta[number] = sum_k x_k w_T[k, cell of the number]                                   (GC.3)
//
// w = [ rows of the first template | rows of the second | … ]: a row for each feature, with the
// weights of its cells side by side.  A template of scores (CliqueTemplate::scores) has no row.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "features/clique_data.h"
#include "model/chain_layout.h"

namespace croft {

struct GraphLayout {
  std::vector<RowLayout> templates;  // rows by feature id

  std::size_t dimension() const {
    return templates.empty() ? 0 : static_cast<std::size_t>(templates.back().begin.back());
  }
};

struct GraphLayoutOptions {
  // observed: the pairs of a feature and a cell that known states show; of a template with a
  // hidden variable in some clique, all.
  FeatureSet features = FeatureSet::all;
  std::size_t min_count = 1;  // >= 1; cliques that a feature (all) or a pair (observed) needs
};

//   features : [templates] how many each has
GraphLayout make_graph_layout(const CliqueSchema& schema, const CliqueRows& rows,
                              std::span<const GraphInstance> instances,
                              std::span<const std::size_t> features,
                              const GraphLayoutOptions& options);

// The numbers of a potential from its cells' scores.
inline void set_numbers(const Interaction& interaction, std::span<const double> cells,
                        std::span<double> numbers) {
  const std::span<const std::uint32_t> cell = interaction.cell_of_number();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (cell[k] != Interaction::kNoCell) numbers[k] = cells[cell[k]];
  }
}

// The scorer of a layout's weights, and its transpose.  Threads: each needs its own.
class GraphScorer {
 public:
  // Keeps all by reference.
  GraphScorer(const CliqueSchema& schema, const CliqueRows& rows, const GraphLayout& layout);

  // Sets the numbers of the instance's graph.  Cost: the weights of its potentials' features, and
  // its numbers.
  void score(std::span<const double> w, GraphInstance& instance);
  // gradient += A' d_numbers.
  //   d_numbers : [numbers of the graph]
  void add_gradient(const GraphInstance& instance, std::span<const double> d_numbers,
                    std::span<double> gradient);
  // The same of one potential alone.
  //   d_numbers : [numbers of the potential]
  void score(std::span<const double> w, GraphInstance& instance, PotentialId potential);
  void add_gradient(const GraphInstance& instance, PotentialId potential,
                    std::span<const double> d_numbers, std::span<double> gradient);

 private:
  // Of a template's potentials: whether the first numbers are the cells in their order, and
  // whether every feature has a weight for each cell.
  struct Shape {
    bool cells_first = false, full = false;
  };
  template <class Visit>
  void for_runs(const GraphInstance& instance, const Visit& visit) const;
  void score_run(std::span<const double> w, const GraphInstance& instance, std::uint32_t t,
                 PotentialId first, PotentialId last, double* numbers);
  void score_cells(std::span<const double> w, std::uint32_t row, std::uint32_t t);
  void add_run(const GraphInstance& instance, std::uint32_t t, PotentialId first, PotentialId last,
               const double* d_numbers, std::span<double> gradient);

  const CliqueSchema& schema_;
  const CliqueRows& rows_;
  const GraphLayout& layout_;
  std::vector<Shape> shapes_;  // [templates]
  std::vector<double> cells_;
};

}  // namespace croft
