// What each part of the extension adds to the module.
#pragma once
#include <pybind11/pybind11.h>

namespace croft::python {

void bind_errors(pybind11::module_& module);
void bind_sequences(pybind11::module_& module);
void bind_options(pybind11::module_& module);
void bind_training(pybind11::module_& module);
void bind_model(pybind11::module_& module);
void bind_evaluation(pybind11::module_& module);
void bind_files(pybind11::module_& module);
void bind_tagging(pybind11::module_& module);
void bind_chain(pybind11::module_& module);
void bind_naive_bayes(pybind11::module_& module);
void bind_logistic_regression(pybind11::module_& module);
void bind_maximum_entropy(pybind11::module_& module);
void bind_text(pybind11::module_& module);
void bind_graph(pybind11::module_& module);
void bind_graph_crf(pybind11::module_& module);
void bind_graph_tables(pybind11::module_& module);  // where SQLite is there
void bind_logic(pybind11::module_& module);         // likewise
void bind_bugs(pybind11::module_& module);
void bind_bayes_net(pybind11::module_& module);
void bind_slice_stream(pybind11::module_& module);
void bind_search(pybind11::module_& module);
void bind_spans(pybind11::module_& module);

}  // namespace croft::python
