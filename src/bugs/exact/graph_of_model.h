// A discrete BUGS model as the graph that `croft infer` asks: with names of variables and states.
#pragma once
#include <string>
#include <vector>

#include "bugs/arrays.h"
#include "bugs/program.h"
#include "croft/data/graph_file.h"

namespace croft::bugs {

bool is_program_file(const std::string& path);  // model.bug, model.jags, in letters of any case

// Variables are the unobserved stochastic nodes, by name; states are named by their values.  What
// the data observes is in the factors, so log Z is log p(observed); without observed nodes the
// graph is directed.  Throws Error, naming the node, for a model that is not discrete, InputError
// for one that does not compile.
GraphFile graph_of_model(const Program& program, const Arrays& data);

// The same from files.
GraphFile read_model_graph(const std::string& program, const std::vector<std::string>& data);

}  // namespace croft::bugs
