// The node weights of a chain, read and written one sequence at a time: A_n w, and w += A_n'
// change. Internal.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/state_archive.h"
#include "features/chain_data.h"
#include "model/chain_layout.h"
#include "train/dual/dual_kernels.h"

namespace croft {

// Attributes with many cells have a row of the table, the others single weights.  Attributes are
// dealt out to shares, which have no weight in common: threads may write one each.
template <class Real>
class AscentRows {
 public:
  static constexpr std::size_t kShares = 2;

  // Keeps references; data.node.id are ids of the layout.  Memory: 4 to 8 bytes an occurrence (8 to
  // 16 with values), and two numbers a position and share.
  AscentRows(const ChainData& data, const ChainLayout& layout, Real threshold = 0);

  std::size_t stride() const { return table_.stride(); }
  // theta = A_n w.  theta: [T][stride], overwritten; padding 0
  void score(std::size_t n, Real* theta) const;
  // w += A_n' change, of one share; returns by how much |w|^2 grew.  change: [T][stride]
  double move(std::size_t n, const Real* change, std::size_t share);

  void to_weights(std::span<double> w) const;  // overwrites the node weights of the layout's w
  void set_weights(std::span<const double> w);
  void archive(StateArchive& state) {
    state(std::span(table_.row(0), table_.rows() * table_.stride()), single_);
  }

 private:
  // A weight of an attribute without a row.
  struct Single {
    std::uint32_t weight;  // in single_
    Label cell;
  };
  void list_occurrences(const ChainData& data);
  RowLists<Real> rows_of(std::size_t n, std::size_t share, std::size_t shares) const;

  const ChainData& data_;
  const ChainLayout& layout_;
  const Real threshold_;            // weights are what is beyond it
  std::size_t rich_;                // attributes with a row
  Matrix<Real> table_;              // [rich_][L]; padding, and what is no feature, stays 0
  std::vector<std::uint8_t> mask_;  // [rich_][stride / 8] which cells are features; empty: all
  std::vector<Real> single_;        // the other weights, in the layout's order
  // Occurrences by position and share.
  std::vector<std::uint64_t> row_begin_{0}, at_begin_{0};  // [P kShares + 1]
  std::vector<std::uint32_t> row_;
  std::vector<Single> at_;
  std::vector<Real> row_value_, at_value_;  // parallel; empty while all are 1
};

}  // namespace croft
