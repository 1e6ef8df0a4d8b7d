// A model's posteriors as features of another: attribute lines with `hmm=LABEL` and its probability
// beside the attributes that the data has anyway, and what the model thinks of the same word
// elsewhere in its document.  docs/features.md, docs/hmm.md.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kinds/sequence_model.h"

namespace croft {

struct StackRequest {
  std::string model;
  std::vector<std::string> data;  // "-" is standard input
  std::string template_path;      // of the other attributes of columns; empty: those for words
  std::string kit;                // further features (app/feature_kit_file.h); empty: none
  // 0: as the model says.  Otherwise the data, all of it labelled, is cut into so many parts, and
  // each is labelled by a model trained on the others as this one was (app/train/retrain.h).
  std::size_t jackknife = 0;
  std::vector<std::string> options = {};  // of train, for these models: arguments
  // What makes sequences a document (app/train/data_groups.h), which no part divides; empty: each
  // sequence is one.
  std::string group_by = {};
  bool contiguous = false;  // parts are runs of neighbours
  // The column of words, from 0 on, whose labels elsewhere in the document become attributes.
  std::optional<std::size_t> elsewhere = {};
  std::size_t threads = 1;
};

struct StackCalls {
  std::function<void(std::string_view)> write;  // attribute lines (docs/formats.md)
  std::function<void(std::string_view)> warn;   // what the user should know; once
  std::function<void(std::size_t done, std::size_t parts)>
      progress;  // of a jackknife; may be empty
};

// Hands attribute lines to calls.write, in the order of the data.  Each position has the attributes
// that training would give it, and KIND=LABEL for every label whose posterior is kSmallestPosterior
// or more, with that as its value.  With `elsewhere`, a position whose word (in lower case) has
// other positions in its document has elsewhere=LABEL with the mean of their posteriors, and
// elsewhere.best=LABEL of the largest mean.
// Sequence n is in part n mod K of a jackknife, or where there are groups, group g in part g mod K;
// with `contiguous` the parts are runs of neighbours.
// Memory: without jackknife and elsewhere some 20,000 positions, otherwise all of the data.
// Throws UsageError for a model without probabilities or of a format other than columns and
// attributes, for templates with edge observations, which attribute lines cannot hold, and as
// retrain() does; InputError for bad data.
void stack(const StackRequest& request, const StackCalls& calls);

}  // namespace croft
