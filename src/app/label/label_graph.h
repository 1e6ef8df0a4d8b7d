// Labels and their probabilities for the variables of graphs, by a model.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/label/gold_labels.h"
#include "app/label/label_chooser.h"
#include "model/kinds/graph_model.h"

namespace croft {

enum class GraphDecode {
  best,     // of each instance the most probable labelling
  marginal  // of each variable the most probable label
};

struct GraphLabelOptions {
  GraphDecode decode = GraphDecode::best;
  bool probabilities = true;                 // of labels; always with GraphDecode::marginal
  bool keep_marginals = false;               // of all labels
  bool keep_instances = false;               // scored, in the place of giving memory back
  bool held_out_alone = false;               // instances that the data holds out, and no others
  std::vector<LabelChooser> decisions = {};  // [domains], of GraphDecode::marginal; or none
  // Decodes marginals by these rules, unless there are none.  Throws as label_choosers().
  void decide(const ChoiceRequest& request, const CliqueSchema& schema);
  std::string method = "auto";                     // for marginals, of infer_methods()
  std::string search = "auto";                     // for the best labelling, likewise
  std::optional<double> memory = {};               // bytes that an instance's inference may take
  std::optional<std::size_t> max_iterations = {};  // of both, where they iterate
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // instances side by side; changes no result
};

struct GraphLabels {
  std::vector<State> label;              // [variables]
  std::vector<double> probability;       // [variables] of the label; empty where not asked for
  std::vector<std::uint64_t> begin;      // [variables + 1] into `marginals`; likewise
  std::vector<double> marginals;         // of all labels
  std::vector<GraphInstance> instances;  // if kept
  std::size_t estimated = 0;             // instances whose probabilities are estimates
  std::size_t not_converged = 0;         // instances whose inference has not
  std::size_t not_proved = 0;            // instances whose labelling may not be the best
  std::span<const double> marginals_of(std::uint32_t variable) const {
    return std::span(marginals).subspan(begin[variable], begin[variable + 1] - begin[variable]);
  }
};

// Takes the data's cliques.  Known variables are conditioned on.  Throws UsageError for methods
// that do not answer or do not fit the graph, Error naming the instance where inference needs more
// memory than there is, Interrupted once `interruption` is set.
//   progress : now and then, with the number of instances that are done
GraphLabels label_graph(const GraphModel& model, CliqueData& data, const GraphLabelOptions& options,
                        const std::function<void(std::size_t)>& progress = {});

// Of each variable with a gold label its most probable label (or that of options.decisions), given
// those of all others; variables without one are summed over.  Its marginals are kept.  Labels that
// the model does not have are no evidence.  options.decode and search have no meaning.
// Cost: an inference for each variable, over those that no known one cuts off from it.
GraphLabels label_given_others(const GraphModel& model, CliqueData& data, const GoldLabels& gold,
                               const GraphLabelOptions& options,
                               const std::function<void(std::size_t)>& progress = {});

}  // namespace croft
