// Cliques that wait for features which come in rows of their own, and how these find them.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "features/clique_data.h"
#include "features/vocabulary.h"
#include "sql/row_ids.h"

namespace croft {

// A feature of a clique that is named by its number.
struct FeatureRow {
  std::uint32_t clique;
  CliqueFeature feature;
};

struct StagedCliques {
  std::size_t arity = 1;
  std::vector<std::uint32_t> variable;  // [cliques][arity]
  std::vector<std::uint64_t> begin{0};  // [cliques + 1] into `feature`
  std::vector<CliqueFeature> feature;   // of columns
  StringTable prefixes;
  std::vector<std::uint32_t> prefix;  // [cliques] where weights are tied by a column, or not at all
  RowIds keys;                        // of a key column: by clique
  std::vector<FeatureRow> rows;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const std::uint32_t> variables(std::size_t clique) const {
    return std::span(variable).subspan(clique * arity, arity);
  }
  std::span<const CliqueFeature> features(std::size_t clique) const {
    return std::span(feature).subspan(begin[clique], begin[clique + 1] - begin[clique]);
  }
  // So that the rows of a clique stand together, in the order they came in.
  void sort_rows();
};

// Finds a clique by its variables.  Open addressing: 6 to 12 bytes a clique.
class CliqueIndex {
 public:
  explicit CliqueIndex(const StagedCliques& cliques) : cliques_(cliques) {}
  // Of all staged cliques; returns the first one whose variables another has, too: kUnknown.
  std::uint32_t build();
  std::uint32_t find(std::span<const std::uint32_t> variables) const;  // kUnknown

 private:
  std::size_t home(std::span<const std::uint32_t> variables) const;

  const StagedCliques& cliques_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace croft
