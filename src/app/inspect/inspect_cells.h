// Weights of a table of features, cell by cell, as the summaries of kinds without START and STOP
// list them.  Internal to app/.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/feature_table.h"

namespace croft {
class Json;

struct CellWeight {
  std::string attribute;
  std::uint32_t cell;
  float weight;
};

// In the order of the attributes' bytes, then of the cells; those of damaged files that are
// `cells` or more are left out.
std::vector<CellWeight> cell_weights(const FeatureTable& table, std::size_t cells);
// [cells] Those of each cell.
std::vector<std::vector<CellWeight>> by_cell(const FeatureTable& table, std::size_t cells);

// The n with the largest sign * weight > 0.
std::vector<CellWeight> strongest(std::vector<CellWeight> weights, float sign, std::size_t n);

// What a list says of a weight beside it.
using CellName = std::function<std::string(const CellWeight&)>;
std::string attribute_of(const CellWeight& weight);  // escaped()

// "  WEIGHT  NAME" of the n largest, then of the n smallest.
void append_strongest(std::string& out, const std::vector<CellWeight>& weights, std::size_t n,
                      const CellName& name);
// {"largest": [{"attribute", "weight"}], "smallest": …}
Json strongest_json(const std::vector<CellWeight>& weights, std::size_t n);

// Lines for a writer, in pieces of some 64 KiB.
class LinePieces {
 public:
  explicit LinePieces(const std::function<void(std::string_view)>& write) : write_(write) {}
  void add(std::string_view line);
  void finish();

 private:
  const std::function<void(std::string_view)>& write_;
  std::string lines_;
};

}  // namespace croft
