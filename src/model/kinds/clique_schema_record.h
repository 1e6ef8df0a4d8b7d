// The domains and templates of a general CRF as its model file has them: docs/format.md, "General
// CRFs".
#pragma once
#include "features/clique_data.h"
#include "model/file/record.h"

namespace croft {

Json to_json(const CliqueSchema& schema);
// Throws InputError that names the key for what is no such record, or contradicts itself.
CliqueSchema clique_schema_of(const Record& record);

}  // namespace croft
