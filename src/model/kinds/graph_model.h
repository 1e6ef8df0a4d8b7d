// A trained general CRF: its schema and rows of weights.  docs/format.md, "General CRFs".
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "features/clique_data.h"
#include "model/feature_table.h"
#include "model/graph_layout.h"
#include "model/kinds/stored_model.h"

namespace croft {
class Json;

// Immutable; share it between threads.
class GraphModel final : public StoredModel, public OpensFile<GraphModel> {
 public:
  static constexpr std::string_view kKind = "graph";
  // Whether the file says that it is of this kind; false for a file that says nothing of the sort.
  static bool is_in(const Container& container);
  // Maps the file: the cost grows with labels and templates, not with weights.
  explicit GraphModel(Container container);

  const CliqueSchema& schema() const { return schema_; }
  // What the front end that made the model says of where its data comes from: whatever it wrote.
  const Json& source() const;

  // The number of a feature of a template, kUnknown.
  std::uint32_t find(std::uint32_t clique_template, std::string_view feature) const {
    return tables_[clique_template].names().find(feature);
  }
  // Rows of weights over the interaction's cells, by feature.
  const FeatureTable& table(std::uint32_t clique_template) const {
    return tables_[clique_template];
  }

  // What all scores are divided by, given weights and penalties included
  // (docs/math/calibration.md); 1 without a calibration.
  double temperature() const { return temperature_; }
  bool calibrated() const { return container_.has("calibration"); }

  // Sets the numbers of the instance's graph.  Threads: each needs its own scratch.  Throws Error
  // where a score is no finite number.
  //   rows : features by the numbers of find()
  void score(const CliqueRows& rows, GraphInstance& instance, std::vector<double>& scratch) const;

 private:
  CliqueSchema schema_;
  std::vector<FeatureTable> tables_;  // [templates]
  double temperature_ = 1;
};

// What a model is made of; views.
struct GraphModelParts {
  const CliqueSchema* schema = nullptr;
  const GraphLayout* layout = nullptr;
  std::span<const StringTable> features;  // [templates] names, by the layout's ids
  std::span<const double> weights;        // in the layout's order
  const Json* source = nullptr;           // the front end's; may be null
  const Json* training = nullptr;         // the record to keep
};
ContainerWriter make_graph_model(const GraphModelParts& parts);

}  // namespace croft
