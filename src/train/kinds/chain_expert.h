// A trained chain as one expert among others: its weights by numbers that all of them share.
//
// Experts of a pool (train/pool_training.h) and the binary chains of a code
// (train/code_training.h) are trained on parts of the same data, whose attributes keep their
// numbers here.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "features/chain_data.h"
#include "model/chain_layout.h"
#include "model/kinds/chain_model.h"
#include "train/kinds/chain_training.h"

namespace croft {

// Rows are attributes of the encoder, empty where the expert has no weight: cells increase.
struct ChainExpert {
  std::string name;
  std::size_t labels = 0;
  RowLayout tied, node, edge;
  std::vector<double> weights;  // of all rows, in this order
  std::size_t features = 0;     // that it has
  double objective = 0;         // at the end of its training; 0: not trained here
  void archive(StateArchive& state);

  // visit(row, cell, weight) of one kind of rows, in order.
  template <class Visit>
  void for_each(const RowLayout& rows, const Visit& visit) const {
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      for (std::size_t k = 0; k < rows.length(r); ++k) {
        visit(r, rows.cell_of(r, k), weights[rows.begin[r] + k]);
      }
    }
  }
};

// What a training has found.
//   attributes, edge_attributes : of the encoder that its data was made of
ChainExpert expert_of(const ChainTraining& training, const TrainResult& result,
                      std::size_t attributes, std::size_t edge_attributes);

// A model file; names that are new get a number.  Throws UsageError where it is no chain of order 1
// with one vector of weights, or its labels are others than the encoder's, which must be known.
//   tied_names : of the rows that hold at every edge
ChainExpert expert_of(const ChainModel& model, std::span<const std::string> tied_names,
                      ChainEncoder& encoder);

// The same scores over more labels: label j of the result is label of[j] of the expert.
ChainExpert with_labels(const ChainExpert& expert, std::span<const Label> of);

// theta of one sequence times `scale`, added; ids of `data` are those of the rows.
void add_expert_states(const ChainExpert& expert, const ChainData& data, std::size_t n,
                       double scale, Matrix<double>& state);
// [L][L], all tied rows together.
Matrix<double> expert_transitions(const ChainExpert& expert);

}  // namespace croft
