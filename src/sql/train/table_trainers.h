// Kinds of models whose training needs SQLite.
#pragma once
#include <span>

#include "app/train/requests.h"

namespace croft {

// The rows of graph and logic, for make_trainer() of options.
std::span<const TrainerRow> table_trainer_rows();

}  // namespace croft
