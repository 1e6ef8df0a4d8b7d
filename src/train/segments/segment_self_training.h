// Self-training and co-training of a segment model: positions are labelled, as data has labels.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "train/kinds/self_training.h"
#include "train/segments/segment_data.h"

namespace croft {

class SelfTrainedSegments final : public SelfTrained {
 public:
  // Minimises from w (in and out) on data of the layout's ids.
  using Train = std::function<OptimizeResult(const ChainData& data, const SegmentExamples& examples,
                                             SeenAttributes seen, std::span<double> w)>;
  struct Sequences {
    const ChainData& data;
    const SegmentExamples& examples;
  };
  // All are kept by reference.
  SelfTrainedSegments(const SelfTraining& options, const Sequences& labelled,
                      const Sequences& other, const ChainLayout& layout, ThreadPool& pool,
                      const Train& train)
      : options_(options),
        labelled_(labelled),
        other_(other),
        layout_(layout),
        pool_(pool),
        train_(train) {}
  // Nothing of a sequence in which no segmentation has all labels that are sure.
  std::vector<Label> sure_labels(SeenAttributes seen, std::span<const double> w) override;
  OptimizeResult train(SeenAttributes seen, std::span<const Label> labels,
                       std::span<double> w) override;

 private:
  const SelfTraining& options_;
  const Sequences labelled_, other_;
  const ChainLayout& layout_;
  ThreadPool& pool_;
  const Train& train_;
};

}  // namespace croft
