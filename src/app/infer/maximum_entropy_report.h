// A problem of maximum entropy from a table and constraints as text, and its solution as text and
// as JSON.  docs/maximum_entropy.md.
#pragma once
#include <string>
#include <vector>

#include "data/csv.h"
#include "data/outcome_table.h"
#include "optimize/batch/maximum_entropy.h"

namespace croft {
class Json;

struct MaximumEntropyRequest {
  std::string table;  // CSV; "-" is standard input
  char delimiter = CsvRecordReader::kByName;
  std::string base;                      // a column: what outcomes weigh; empty: all the same
  std::vector<std::string> constraints;  // each as parse_expectation() reads it
  std::string constraint_file;           // more of them; empty: none
  MaximumEntropyOptions options;
};

struct MaximumEntropyAnswer {
  OutcomeTable table;  // without the base
  std::vector<ExpectationText> constraints = {};
  MaximumEntropyResult result = {};
};

// Throws InputError as the readers do, and for a constraint on a column that is not there, with
// those that are.
MaximumEntropyAnswer solve_maximum_entropy(const MaximumEntropyRequest& request);

std::string format_maximum_entropy(const MaximumEntropyAnswer& answer);
Json maximum_entropy_json(const MaximumEntropyAnswer& answer);

}  // namespace croft
