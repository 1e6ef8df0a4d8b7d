// A template of a spec: its cliques with their features.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "features/given_weights.h"
#include "sql/graph_tables.h"
#include "sql/row_ids.h"

namespace croft {

// From a feature's name to its number: one that grows while training, that of a training that is
// read, a model's, or that of weights that are given.
class FeatureNumbers {
 public:
  explicit FeatureNumbers(StringTable& names) : names_(&names) {}
  explicit FeatureNumbers(const StringTable& known) : known_(&known) {}
  explicit FeatureNumbers(GivenWeights& given) : given_(&given) {}
  FeatureNumbers(const GraphModel& model, std::uint32_t clique_template)
      : model_(&model), template_(clique_template) {}
  // kUnknown: the model has none of this name.
  std::uint32_t operator()(std::string_view name) {
    if (given_ != nullptr) return given_->find(name);
    if (known_ != nullptr) return known_->find(name);
    return names_ != nullptr ? names_->insert(name) : model_->find(template_, name);
  }
  const GivenWeights* given() const { return given_; }  // null: weights are trained

 private:
  StringTable* names_ = nullptr;
  const StringTable* known_ = nullptr;
  GivenWeights* given_ = nullptr;
  const GraphModel* model_ = nullptr;
  std::uint32_t template_ = 0;
};

class CliqueReader {
 public:
  // Keeps all by reference.  Where the spec has no columns yet, they are found and put into it.
  CliqueReader(const Database& database, TemplateSpec& spec, std::uint32_t clique_template,
               const VariableTable& variables, FeatureNumbers features, CliqueData& data);

  // Returns the number of cliques.
  std::size_t read(const GraphTables::Progress& progress);

 private:
  enum class Kind { open, numeric, categorical };
  struct Column {
    std::size_t at = 0;  // in the query
    FeatureColumn feature;
    Kind kind = Kind::open;
    bool stated = false;    // to be categorical
    std::string beginning;  // "NAME="
    std::uint32_t number = kUnknown;
    bool looked_up = false;
  };

  void find_columns(const Query& query);
  void find_new_columns(const Query& query);
  void measure(Query& query);  // means and deviations
  void read_variables(const Query& query);
  void read_list(const Query& query, std::size_t place);
  void add_variable(const Query& query, std::size_t place, const RowId& id);
  void read_constraints(Query& query, const GraphTables::Progress& progress);
  void set_prefix(const Query& query);
  void add_column(const Query& query, Column& column);
  void add(std::string_view name, double value);
  void add_cached(std::string_view name, double value, bool& looked_up, std::uint32_t& number);
  std::string ids_of(std::span<const std::uint32_t> variables) const;
  //   row : of the query, where it is another than the one being read
  void add_clique(const Query& query, std::size_t row, std::span<const std::uint32_t> variables,
                  std::span<const CliqueFeature> features, std::span<const std::uint32_t> sizes);
  void read_feature_rows(const Query& cliques);
  void read_feature_rows(const QueryText& text, CliqueIndex& index);
  void keep_columns();

  const Database& database_;
  TemplateSpec& spec_;
  std::uint32_t template_;
  const VariableTable& variables_;
  FeatureNumbers features_;
  CliqueData& data_;
  std::size_t arity_;
  bool training_;

  std::vector<Column> columns_;
  std::size_t tie_at_ = Query::kNone, key_at_ = Query::kNone;
  bool bias_looked_up_ = false;
  std::uint32_t bias_number_ = kUnknown;
  // Of the row being read.
  std::vector<std::uint32_t> clique_;  // variables
  std::vector<std::uint32_t> sizes_;   // of places, where some have lists
  std::vector<CliqueFeature> found_, scores_;
  std::string prefix_, scratch_;
  // Where features come in rows of their own: all cliques, until these are known.
  std::unique_ptr<StagedCliques> staged_;
};

}  // namespace croft
