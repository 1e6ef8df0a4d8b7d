#include "python/column_names.h"

#include <algorithm>
#include <utility>

#include "croft/core/error.h"
#include "features/extraction.h"

namespace croft::python {
namespace {

// The sorted attributes in the order of the table's header.
std::vector<std::string> of_table(const CsvColumns& table, const std::vector<std::string>& sorted,
                                  const std::string& file) {
  if (table.standardised) {
    throw Error(file,
                ": the program standardised the columns of its table (--standardise); train on "
                "numbers as they are, or ask croft.load for the model");
  }
  std::vector<std::string> names;
  for (const CsvColumn& column : table.columns) {
    if (column.kind == CsvKind::categorical) {
      throw Error(file + ": the column " + in_quotes(column.name) + " of its table is one of " +
                  "categories, and the columns of a matrix are numbers; ask croft.load for the " +
                  "model");
    }
    if (std::ranges::binary_search(sorted, column.name)) names.push_back(column.name);
  }
  return names;
}

// Digits without leading zeros.
bool smaller_index(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

std::vector<std::string> column_names(const SequenceModel& model,
                                      std::vector<std::string> attributes) {
  const ExtractionConfig& config = model.extractor().config();
  if (config.intercept) std::erase(attributes, kIntercept);
  const bool by_index = config.format == InputFormat::svmlight;
  if (by_index) {
    std::ranges::sort(attributes, smaller_index);
  } else {
    std::ranges::sort(attributes);
  }
  if (config.format != InputFormat::csv) return attributes;
  return of_table(config.csv, attributes, model.container().name());
}

}  // namespace croft::python
