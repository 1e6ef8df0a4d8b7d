// A factor graph as Python sees it.
#pragma once
#include <pybind11/pybind11.h>

#include "croft/structure/factor_graph.h"

namespace croft::python {

// A croft._core.Graph of it.
pybind11::object python_graph(FactorGraph graph);

}  // namespace croft::python
