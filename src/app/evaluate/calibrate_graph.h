// Probabilities of a general CRF that mean what they say: a model, and graphs with labels that it
// was not trained on, to the same model with a temperature.  docs/math/calibration.md.
//
//   L(T) = sum_n q_n [log Z_n(theta / T | evidence) - log Z_n(theta / T | evidence, labels)]
//
// Variables without a label are summed over; those that the data knows are evidence.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/evaluate/calibrate.h"
#include "app/label/gold_labels.h"
#include "model/kinds/graph_model.h"

namespace croft {

struct GraphCalibrateRequest {
  std::optional<double> memory;  // bytes that an instance's inference may take
  std::size_t threads = 1;
  std::uint64_t seed = 1;
};

// A calibration that the model has is replaced.  The model with the new one, and what it was fitted
// to; where some junction tree takes too much memory, by belief propagation, which a warning says.
// Throws Error where no instance is left to fit to, or no temperature is best.
//   data   : its cliques are taken
//   name   : of the model's file, for messages
struct CalibratedGraph {
  CalibrateReport report;
  ContainerWriter model;
};
CalibratedGraph calibrate_graph(const GraphModel& model, CliqueData& data, const GoldLabels& gold,
                                const GraphCalibrateRequest& request, const std::string& name);

}  // namespace croft
