// Instances of a general CRF that are not trained on, labelled as training goes on.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "croft/core/parallel.h"
#include "inference/graph/oracles/max_oracle.h"
#include "model/graph_layout.h"
#include "structure/picked_graph.h"

namespace croft {

class GraphHoldout {
 public:
  // Keeps the data, whose rows the instances have, by reference.  What they know is evidence.
  GraphHoldout(const CliqueData& data, std::vector<GraphInstance> instances);
  std::size_t instances() const { return instances_.size(); }
  const CliqueData& data() const { return data_; }

  // The best labels under these weights, given the evidence: [variables of the data].  kUnobserved
  // for variables that are not held out, and where an instance has no labelling at all.
  //   best : always the same
  std::vector<State> labels(const GraphLayout& layout, std::span<const double> w,
                            const MaxOracleMaker& best, ThreadPool& pool);

 private:
  // How the rest of an instance is found, given what is known of it.
  struct Search {
    std::optional<PickedGraph> rest;  // where something is known
    std::unique_ptr<MaxOracle> best;
  };
  void label(std::size_t n, std::vector<State>& labels);

  const CliqueData& data_;
  std::vector<GraphInstance> instances_;
  std::vector<Search> searches_;  // [instances], once asked
};

// The instances that the data holds out, without what their labels are; `instances` keeps the rest,
// in its order.
std::vector<GraphInstance> take_held_out(const CliqueData& data,
                                         std::vector<GraphInstance>& instances);

}  // namespace croft
