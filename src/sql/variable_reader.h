// The [[variables]] of a spec.
#pragma once
#include <vector>

#include "sql/graph_tables.h"

namespace croft {

// The domains of a spec with their labels: those listed, or those in the data.
std::vector<Domain> find_domains(const Database& database, const GraphSpec& spec);

class VariableReader {
 public:
  // Keeps all by reference.
  //   sequences : the column `sequence` is read although labels are not compared
  VariableReader(const Database& database, const GraphSpec& spec, const CliqueSchema& schema,
                 LabelUse use, bool sequences = false)
      : database_(database), spec_(spec), schema_(schema), use_(use), sequences_(sequences) {}

  void read(CliqueData& data, VariableTable& table, const GraphTables::Progress& progress);

 private:
  void read(const VariableSpec& variables, CliqueData& data, VariableTable& table,
            const GraphTables::Progress& progress);
  void weigh(const Query& query, std::size_t column, std::uint32_t variable,
             const CliqueData& data);
  std::uint32_t domain_named(const Query& query, std::string_view name) const;

  const Database& database_;
  const GraphSpec& spec_;
  const CliqueSchema& schema_;
  LabelUse use_;
  bool sequences_;
  std::vector<StringTable> labels_;  // [domains]
  std::vector<double> weight_;       // [groups so far], NaN: not said yet; empty: no query says it
};

}  // namespace croft
