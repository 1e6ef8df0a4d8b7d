// The ids of a database's rows, whole numbers or texts, and their numbers from 0.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/clique_data.h"
#include "features/vocabulary.h"
#include "sql/database.h"

namespace croft {

// An id as a database has it.  A text that is a whole number, written as SQLite writes it, and the
// number are the same id: what a table has as TEXT another may have as INTEGER.
struct RowId {
  std::int64_t number = 0;
  std::string_view text = {};
  bool is_text = false;
};
RowId row_id(std::string_view text);
inline RowId row_id(std::int64_t number) { return {number, {}, false}; }
std::string to_string(const RowId& id);

// Open addressing.  Memory: 8 bytes an id and 6 to 11 of slots; the bytes of texts.
class RowIds {
 public:
  static constexpr std::uint32_t kNone = kUnknown;
  // Its number; `is_new` says whether it has just got it.
  std::uint32_t insert(const RowId& id, bool& is_new);
  std::uint32_t find(const RowId& id) const;  // kNone
  std::size_t size() const { return key_.size(); }
  RowId operator[](std::uint32_t number) const;

 private:
  std::size_t home(std::int64_t key) const;
  void grow();
  // A text's key is its number in texts_, negative and apart from all numbers by is_text_.
  std::uint32_t find_key(std::int64_t key, bool is_text) const;

  StringTable texts_;
  std::vector<std::int64_t> key_;
  std::vector<bool> is_text_;
  std::vector<std::uint32_t> slots_;  // kNone: free
};

// What a cell of a query says.

// Not NULL.
inline RowId id_in(const Query& query, std::size_t column) {
  switch (query.type(column)) {
    case CellType::integer:
      return row_id(query.integer(column));
    case CellType::real: {
      const double value = query.real(column);
      if (std::abs(value) < 9e15 && value == std::floor(value)) {
        return row_id(static_cast<std::int64_t>(value));
      }
      break;
    }
    default:
      break;
  }
  return row_id(query.text(column));
}

// Throws InputError for one that is not finite.
inline double finite_in(const Query& query, std::size_t column) {
  const double value = query.real(column);
  if (!std::isfinite(value)) query.fail_row("a number that is not finite");
  return value;
}

// Cliques that wait for features which come in rows of their own, and how these find them.

// A feature of a clique that is named by its number.
struct FeatureRow {
  std::uint32_t clique;
  CliqueFeature feature;
};

struct StagedCliques {
  std::size_t arity = 1;
  bool lists = false;                   // some place has a list of variables
  std::vector<std::uint32_t> variable;  // [cliques][variables]
  std::vector<std::uint64_t> end;       // [cliques] into `variable`, with lists
  std::vector<std::uint32_t> place;     // [cliques][arity] sizes of places, likewise
  std::vector<std::uint64_t> begin{0};  // [cliques + 1] into `feature`
  std::vector<CliqueFeature> feature;   // of columns
  StringTable prefixes;
  std::vector<std::uint32_t> prefix;  // [cliques] where weights are tied by a column, or not at all
  RowIds keys;                        // of a key column: by clique
  std::vector<FeatureRow> rows;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const std::uint32_t> variables(std::size_t clique) const {
    if (!lists) return std::span(variable).subspan(clique * arity, arity);
    const std::size_t first = clique == 0 ? 0 : end[clique - 1];
    return std::span(variable).subspan(first, end[clique] - first);
  }
  std::span<const std::uint32_t> sizes(std::size_t clique) const {
    return lists ? std::span(place).subspan(clique * arity, arity)
                 : std::span<const std::uint32_t>();
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
