// What the data and the model expect of every feature: the two sides of the constraints of maximum
// entropy, (ME.2).
#pragma once
#include <vector>

#include "train/training_fingerprint.h"

namespace croft {

struct FeatureExpectations {
  const ChainLayout* layout = nullptr;  // the training's
  ChainNames names;                     // of its rows and labels; views into the training
  std::vector<double> weight;           // [dimension]
  std::vector<bool> in_model;           // [dimension] whether the model has a weight for it
  std::vector<double> empirical;        // [dimension] sum_n q_n f_k(x_n, y_n)
  std::vector<double> expected;         // [dimension] sum_n q_n E_p f_k(x_n, .)
  double loss = 0;                      // -sum_n q_n log p(y_n | x_n)
};

// The first of the two alone.  Requires labels that are fully known.
std::vector<double> empirical_counts(const ChainData& data, const ChainLayout& layout,
                                     ThreadPool& pool);

}  // namespace croft
