// What a cell of a query says.
#pragma once
#include <cmath>

#include "sql/database.h"
#include "sql/row_ids.h"

namespace croft {

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

}  // namespace croft
