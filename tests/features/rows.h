// A sequence of rows for a test.
#pragma once
#include <initializer_list>
#include <string_view>

#include "data/columns.h"

namespace croft {

inline ColumnSequence rows_of(std::initializer_list<std::string_view> lines) {
  ColumnSequence rows;
  for (const std::string_view line : lines) rows.append_row(line);
  return rows;
}

}  // namespace croft
