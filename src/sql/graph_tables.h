// A spec's queries, run: the variables, cliques and features of a database, as data to train on or
// to label.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/label/gold_labels.h"
#include "features/clique_data.h"
#include "model/kinds/graph_model.h"
#include "sql/database.h"
#include "sql/graph_spec.h"
#include "sql/row_ids.h"
#include "train/generative/measured_field.h"

namespace croft {

// What the variables' labels are for.
enum class LabelUse {
  known,   // CliqueData::known(): to train on, or to condition on; those alone of which a column
           // `known` says so, where there is one
  gold,    // gold(): to compare with
  rest,    // the labels that a column `known` says are known: known(); all others: gold()
  ignored  // nothing: the column need not be there
};

// What the ids of variables are in the database, and so in a table that is to be joined with it.
enum class IdType { number, text, mixed };

// The variables of a database: ids, groups and labels.
class VariableTable {
 public:
  //   domain : its number in the schema
  std::uint32_t find(std::uint32_t domain, const RowId& id) const;  // kUnknown
  std::string id(std::uint32_t variable) const;
  RowId row_id(std::uint32_t variable) const { return ids_[domain_[variable]][number_[variable]]; }
  std::size_t size() const { return number_.size(); }
  IdType id_type() const;
  // Whether some query has a column `known`.
  bool says_known() const { return says_known_; }
  // Of LabelUse::gold and rest, with the column `sequence`.
  const GoldLabels& gold() const { return gold_; }
  std::uint32_t gold(std::uint32_t variable) const { return gold_.state[variable]; }

 private:
  friend class VariableReader;
  std::vector<RowIds> ids_;                           // [domains]
  std::vector<std::vector<std::uint32_t>> variable_;  // [domains][ids]
  std::vector<std::uint32_t> domain_, number_;        // [variables] number: of its id
  GoldLabels gold_;                                   // its state: or empty
  StringTable sequences_;
  bool says_known_ = false, has_number_ids_ = false, has_text_ids_ = false;
};

class FeatureNumbers;

class GraphTables {
 public:
  // Called now and then with what has been read.
  using Progress = std::function<void(std::size_t variables, std::size_t cliques)>;
  // Of training.
  struct Reading {
    Progress progress{};
    // Once the variables are known: may weigh them, and hold some out.
    std::function<void(CliqueData& data)> variables{};
    bool sequences = false;  // the column `sequence` is read, for what is held out
  };

  // To train on: labels (where the spec does not list them), columns and features are those of the
  // data.  Labels are in the order of their bytes, or of their value where all are numbers.
  // Throws InputError, which names the template and the query, for bad SQL, columns that are
  // missing or too many, ids twice or of no variable, cliques across groups, labels that the spec
  // does not list, columns of numbers with a text.
  static GraphTables read(const Database& database, GraphSpec spec, const Reading& reading);
  static GraphTables read(const Database& database, GraphSpec spec) {
    return read(database, std::move(spec), Reading());
  }
  // With the labels, columns and features of a training's tables, which are kept by reference: what
  // it holds out (LabelUse::rest), or has no labels (ignored).
  static GraphTables read(const Database& database, const GraphTables& training, LabelUse use,
                          const Progress& progress = {});
  // To label by a model, which is kept by reference; features that it does not know are left out.
  static GraphTables read(const Database& database, GraphSpec spec, const GraphModel& model,
                          LabelUse use, const Progress& progress = {});

  const CliqueSchema& schema() const { return *schema_; }
  CliqueData& data() { return *data_; }
  const CliqueData& data() const { return *data_; }
  const VariableTable& variables() const { return *variables_; }
  const GraphSpec& spec() const { return spec_; }  // with its columns
  GraphSpec& spec() { return spec_; }
  std::size_t cliques() const { return cliques_; }
  // Of training: the rows of templates whose densities stand beside p(y), in their order.
  const std::vector<Measurements>& measurements() const { return measurements_; }
  // What a training should be told of.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Of training: [templates] names, by their numbers in the data.
  std::vector<StringTable>& features() { return features_; }

 private:
  GraphTables() = default;
  // Of a template, by its number in the schema.
  using Numbers = std::function<FeatureNumbers(std::uint32_t clique_template)>;
  void read_templates(const Database& database, const Numbers& numbers, const Progress& progress);

  GraphSpec spec_;
  std::unique_ptr<CliqueSchema> own_schema_;
  const CliqueSchema* schema_ = nullptr;
  std::unique_ptr<CliqueData> data_;
  std::unique_ptr<VariableTable> variables_;
  std::vector<StringTable> features_;
  std::vector<Measurements> measurements_;
  std::vector<std::string> warnings_;
  std::size_t cliques_ = 0;
};

}  // namespace croft
