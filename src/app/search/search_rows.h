// The options of a search, for every front end.
#pragma once
#include <span>

#include "app/search/search.h"
#include "core/option_values.h"

namespace croft {

std::span<const OptionRow> search_rows();

// Their values, seed and threads; parameters are left as they are.
void read_search_settings(const OptionValues& values, SearchSettings& settings);

}  // namespace croft
