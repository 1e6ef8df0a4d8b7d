// The data of a model whose positions are independent of each other, by columns: what coordinate
// descent goes through.
#pragma once
#include <cstdint>
#include <vector>

#include "model/chain_layout.h"
#include "optimize/batch/coordinate_descent.h"

namespace croft {

class ColumnsOfPositions {
 public:
  // Copies what it needs.  data.node.id are ids of the layout.  Requires a layout of node features
  // alone, one weight each.  Throws UsageError for labels that are not fully known, and for a
  // constraint: positions that are independent of each other have no use for one.
  // Memory: 4 bytes for each occurrence of an attribute, 12 where attributes have values.
  ColumnsOfPositions(const ChainData& data, const ChainLayout& layout);

  SoftmaxColumns view() const;  // valid as long as this

 private:
  std::size_t labels_;
  std::vector<double> weight_;        // [positions]
  std::vector<std::uint32_t> gold_;   // [positions]
  std::vector<std::uint64_t> begin_;  // [attributes + 1]
  std::vector<std::uint32_t> place_;
  std::vector<double> value_;
  std::vector<std::uint64_t> first_;  // [attributes + 1]
  std::vector<std::uint32_t> label_;  // [dimension]
};

}  // namespace croft
