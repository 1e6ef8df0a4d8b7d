// The atoms of a Markov logic network over its facts, with their probabilities, to look at one by
// one.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/explain/labelled_graph.h"
#include "sql/logic/logic_source.h"

namespace croft {

// Atoms that the evidence does not decide.  Labels are those of the best world.
//   query   : predicates and atoms that are open, as croft logic --query; empty: without
//   seconds : for reading, for probabilities, and for the world, each
// Throws what GroundNetwork does.
std::unique_ptr<LabelledGraph> label_atoms(const LogicSource& source, const std::string& query,
                                           double seconds, std::size_t threads);

}  // namespace croft
