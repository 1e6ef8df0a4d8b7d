// Which objectives, methods and settings go together.
#pragma once
#include <cstddef>

#include "train/methods/objectives.h"

namespace croft {

// What is asked of a training, as far as it decides whether objective and method go together.
struct MethodChoice {
  Structure structure = Structure::chain;
  Objective objective = Objective::likelihood;
  Method method = Method::lbfgs;
  Regulariser regulariser{};
  MethodSettings settings{};
  std::size_t max_iterations = 1000;
  bool partial = false;         // labels may be known in part
  bool unlabelled = false;      // data without labels adds terms that are not convex
  bool weighted = false;        // sequences have weights
  bool init = false;            // weights to start from
  bool prior = false;           // a prior mean
  bool variances = false;       // variances of features
  bool free_intercept = false;  // the intercept is not penalised
  bool independent = false;     // no position's label depends on another's
  bool by_default = false;      // nobody named the method
  std::size_t order = 1;
  // What somebody asked for, which is then not to be ignored:
  bool block = false;      // the length of blocks
  bool tolerance = false;  // above 0
  bool window = false;
  bool single = false;  // single precision
};
// Throws UsageError for what contradicts itself or would be ignored, naming what would go: the
// methods of the objective, the objectives of the method, the methods that take a setting.
void check_choice(const MethodChoice& choice);

}  // namespace croft
