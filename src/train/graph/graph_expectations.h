// What is expected of the labels of a general CRF's variables, over the weights of its layout.
//
// An attribute is a feature of a template whose cliques are of one variable, with a weight for each
// label: TEMPLATE:FEATURE.
#pragma once
#include <span>

#include "features/clique_data.h"
#include "model/graph_layout.h"
#include "train/unlabelled_terms.h"

namespace croft {

// What data without labels is asked about.
struct GraphExpectationData {
  const CliqueData& data;
  const GraphLayout& layout;
  std::span<const StringTable> features;      // [templates]
  std::span<const GraphInstance> labelled;    // that are trained on, of the data
  std::span<const GraphInstance> unlabelled;  // whose hidden variables count
};

// Throws InputError (file, line, text, remedy) for a feature that no hidden variable has, or that
// has no weight for each label, for a label that is none of the variable's, for bounds that no
// shares keep, and for a feature with a value below 0; Error where the labelled data is to say what
// to expect, and says nothing.
UnlabelledTerms graph_terms(const UnlabelledOptions& options, const GraphExpectationData& data);

}  // namespace croft
