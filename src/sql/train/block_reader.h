// The [[blocks]] of a spec: sets of variables that an objective takes together.
#pragma once
#include "sql/graph_tables.h"

namespace croft {

// A row is a variable of a block; rows of a block need not stand together.  Throws InputError,
// which names the blocks and the row, for an id of no variable, a variable twice in a block, and a
// block whose variables are of two instances.
VariableBlocks read_blocks(const Database& database, const BlockSpec& spec,
                           const CliqueSchema& schema, const CliqueData& data,
                           const VariableTable& variables);

}  // namespace croft
