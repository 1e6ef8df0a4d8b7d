// The objectives that models are trained by: one list for all structures, with one set of names.
// docs/objectives.md
#pragma once
#include <string_view>
#include <vector>

#include "train/methods/methods.h"

namespace croft {

// Checkpoints keep the number: new ones stand at the end.
enum class Objective {
  likelihood,
  pseudolikelihood,
  per_edge,
  composite,
  marginal,
  piecewise,
  local,
  softmax_margin,
  max_margin,
  perceptron,
  passive_aggressive,
  arow,
  // Of graphs alone.
  bethe,
  mean_field,
  piecewise_pseudolikelihood,
  tree_reweighted,
  product_of_beliefs,
  gibbs,
  contrastive_divergence,
  persistent_contrastive_divergence,
  sample_rank
};

// An objective of one structure.
struct ObjectiveInfo {
  Objective objective;
  std::string_view name;
  Form form;
  bool neighbours = false;  // means nothing where positions do not depend on each other
  std::string_view summary{};
  Method by_default = Method::lbfgs, with_l1 = Method::owlqn;  // the same: l1 is not possible
  bool partial = false;  // labels may be known in part; variables of a graph may be hidden
  bool order = false;    // of chains: order 2 and more
  bool cost = false;     // takes a cost of mistakes
  // Of inference inside of a graph's objective (GraphInferenceSettings), by their option's name.
  std::vector<std::string_view> settings{};
};

// Those that the structure has, in one order for all.
const std::vector<ObjectiveInfo>& objective_table(Structure structure = Structure::chain);
const ObjectiveInfo& info(Objective objective, Structure structure = Structure::chain);
std::string_view name_of(Objective objective);  // the same for all structures
// Throws UsageError that lists all names.
Objective objective_named(std::string_view name, Structure structure = Structure::chain);

// The one statement of which method minimises which objective: the method takes functions of the
// objective's form, and the structure has them.
bool goes_with(Method method, Objective objective, Structure structure = Structure::chain);
std::vector<Objective> objectives_of(Method method, Structure structure = Structure::chain);
std::vector<Method> methods_of(Objective objective, Structure structure = Structure::chain);

// The method where none is asked for.
//   from_weights : training goes on from a model: passes of SGD would leave a good start
Method default_method(Objective objective, const Regulariser& regulariser,
                      bool from_weights = false, Structure structure = Structure::chain);

}  // namespace croft
