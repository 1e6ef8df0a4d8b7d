// What is asked of the labels of graphs, whoever made these: a function of Python (graph_crf.cc) or
// a spec's queries (graph_tables.cc).
#pragma once
#include <pybind11/pybind11.h>

#include <string>

#include "app/label/gold_labels.h"
#include "app/label/label_graph.h"
#include "python/graph_model.h"

namespace croft::python {

// From a dict as graph_question() of croft/_graph_question.py makes it.
struct GraphQuestion {
  GraphQuestion(const pybind11::dict& how, const CliqueSchema& schema);

  GraphLabelOptions options;
  ChoiceRequest decision;
};

// Ctrl-C is noticed between instances.
GraphLabels answer(const GraphModel& model, CliqueData& data, const GraphQuestion& question);

// JSON, as croft evaluate --json has it.
//   by_the_others : of each variable the label given the gold ones of all others
struct GraphEvaluationRequest {
  bool by_the_others = false, ranking = false, confusion = false;
};
std::string evaluate_json(const GraphModel& model, CliqueData& data, const GoldLabels& gold,
                          const GraphQuestion& question, const GraphEvaluationRequest& request);

// (the calibrated model, JSON of what it was fitted to)
pybind11::tuple calibrated(const GraphModel& model, CliqueData& data, const GoldLabels& gold,
                           const GraphQuestion& question);

}  // namespace croft::python
