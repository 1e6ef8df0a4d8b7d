// Self-training and co-training: a model labels data, and is trained on what it is sure of.
//
// In each round positions of the data without labels whose most probable label has at least the
// given probability get that label, and the next training is on the labelled data and on them; the
// positions beside them are summed over, as all that are not known.  With two views of the
// attributes there are two models, each trained on the labels of the other, and at the end one of
// all attributes, on what either is sure of and the other does not contradict.  Scudder (1965);
// Yarowsky (1995); Blum & Mitchell (1998).  docs/math/unlabelled.md section 4.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "croft/core/parallel.h"
#include "croft/optimize/result.h"
#include "features/chain_data.h"
#include "model/chain_layout.h"

namespace croft {

struct SelfTraining {
  std::size_t rounds = 1;
  double confidence = 0.95;
  std::vector<bool> view;  // [node rows of the layout] whether of the first view; empty: one view
};

struct SelfTrainingReport {
  std::size_t rounds = 0;     // that were trained
  std::size_t positions = 0;  // that had labels in the last one
};

// Minimises from w (in and out) on data of the layout's ids.
//   last : whether this is a model of all attributes, which the caller may want to look at
using TrainOn =
    std::function<OptimizeResult(const ChainData& data, std::span<double> w, bool last)>;

// Ends early where a round would label as the one before it did, and where `train` was stopped.
//   unlabelled : its labels are not looked at
OptimizeResult self_train(const SelfTraining& options, const ChainData& labelled,
                          const ChainData& unlabelled, const ChainLayout& layout, ThreadPool& pool,
                          const TrainOn& train, std::span<double> w, SelfTrainingReport& report);

}  // namespace croft
