// A model's posteriors as features of another: attribute lines with `hmm=LABEL` and its probability
// beside the attributes that the data has anyway.  docs/hmm.md.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kinds/sequence_model.h"

namespace croft {

// Less is not written: it tells nothing that a weight could use.
inline constexpr double kSmallestPosterior = 1e-4;

struct StackRequest {
  std::string model;
  std::vector<std::string> data;  // "-" is standard input
  std::string template_path;      // of the other attributes of columns; empty: those for words
  std::string kit;                // further features (app/feature_kit_file.h); empty: none
  // 0: as the model says.  Otherwise the data, all of it labelled, is cut into so many parts, and
  // each is labelled by a hidden Markov model trained on the others as the model's was.
  std::size_t jackknife = 0;
  std::size_t threads = 1;
};

// Hands attribute lines (docs/formats.md) to `write`, in the order of the data.  Each position has
// the attributes that training would give it, and KIND=LABEL for every label whose posterior is
// kSmallestPosterior or more, with that as its value.
// Throws UsageError for a model without probabilities or of a format other than columns and
// attributes, for a jackknife of a kind other than hmm, and for templates with edge observations,
// which attribute lines cannot hold; InputError for bad data.
void stack(const StackRequest& request, const std::function<void(std::string_view)>& write);

}  // namespace croft
