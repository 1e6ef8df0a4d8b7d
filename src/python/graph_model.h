// A trained general CRF as Python sees it: what makes its graphs is a function of Python
// (graph_crf.cc), or a spec's queries (graph_tables.cc).
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "model/kinds/graph_model.h"

namespace croft::python {

struct PythonGraphModel {
  explicit PythonGraphModel(Container container) : model(std::move(container)) {}
  GraphModel model;
};

using SharedGraphModel = std::shared_ptr<PythonGraphModel>;

// What a training starts from; null: nothing.
//   prior : its weights are the penalty's mean, too
struct GraphStart {
  SharedGraphModel init, prior;
};
template <class Request>
void start_from(const GraphStart& start, Request& request) {
  const SharedGraphModel& from = start.prior ? start.prior : start.init;
  if (!from) return;
  if (start.prior && start.init) {
    throw UsageError("--prior is also what training starts from: leave out --init");
  }
  from->model.container().verify();  // training would carry damage on
  request.options.init = {from, &from->model};
  request.options.prior = start.prior != nullptr;
}

// Data that is handed over is held out, and no share of the rest.
//   name : of the argument
template <class Request>
void hold_out_dev(std::string_view name, Request& request) {
  if (!request.holdout.empty()) {
    throw UsageError("holdout is a fraction to set aside, and ", name, " is given: one of them");
  }
  request.holdout = std::string(name);
}

}  // namespace croft::python
