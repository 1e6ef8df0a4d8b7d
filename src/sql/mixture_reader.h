// A template of measurements: densities of its columns given a variable's label (LG.5).
#pragma once
#include <vector>

#include "sql/graph_tables.h"

namespace croft {

class MixtureReader {
 public:
  // Keeps all by reference.
  //   measurements : of training, of densities that stand beside p(y); these are added
  MixtureReader(const Database& database, TemplateSpec& spec, std::uint32_t clique_template,
                const VariableTable& variables, CliqueData& data,
                std::vector<Measurements>& measurements)
      : database_(database),
        spec_(spec),
        template_(clique_template),
        variables_(variables),
        data_(data),
        measurements_(measurements) {}

  // Where the spec has no densities yet, they are fitted to the variables whose label is known, and
  // put into it; the cliques, with their scores, are then added to the data.  Where the densities
  // stand beside p(y) (MixtureSpec::generative) only those of held-out variables are, and labels
  // that no variable is known to have leave the spec without densities.  Returns the number of rows
  // without a NULL.
  std::size_t read(const GraphTables::Progress& progress);

 private:
  void read_rows(const GraphTables::Progress& progress);
  void check_columns(const Query& query);
  void fit();
  bool knows_all_labels() const;
  void drop_held_out();
  void add_cliques(bool held_out);
  std::span<const double> row(std::size_t i) const {
    return std::span(x_).subspan(i * dimension_, dimension_);
  }

  const Database& database_;
  TemplateSpec& spec_;
  std::uint32_t template_;
  const VariableTable& variables_;
  CliqueData& data_;
  std::vector<Measurements>& measurements_;
  std::vector<std::uint32_t> variable_;  // [rows]
  std::vector<double> x_;                // [rows][dimension]
  std::size_t dimension_ = 0;
};

}  // namespace croft
