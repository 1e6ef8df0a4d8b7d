// croft._core: what the Python package calls.  Its functions take and give plain Python objects;
// the package's own files give them names, defaults and documentation.
#include "python/bind.h"

PYBIND11_MODULE(_core, module) {
  namespace python = croft::python;
  module.doc() = "Croft's library, as the package croft calls it.";
  module.attr("version") = CROFT_VERSION;
  python::bind_errors(module);
  python::bind_sequences(module);
  python::bind_model(module);
  python::bind_tagging(module);
  python::bind_spans(module);
  python::bind_options(module);
  python::bind_training(module);
  python::bind_chain(module);
  python::bind_naive_bayes(module);
  python::bind_logistic_regression(module);
  python::bind_text(module);
  python::bind_maximum_entropy(module);
  python::bind_graph(module);
  python::bind_graph_crf(module);
  python::bind_bayes_net(module);
  python::bind_search(module);
}
