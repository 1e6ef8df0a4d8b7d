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
  std::vector<bool> view{};  // [node rows of the layout] whether of the first view; empty: one view
};

struct SelfTrainingReport {
  std::size_t rounds = 0;     // that were trained
  std::size_t positions = 0;  // that had labels in the last one
};

// What a model sees of the attributes: those of a view, or all.
enum class SeenAttributes { first_view, second_view, all };

// Labelled data, and other data whose labels are not looked at.
class SelfTrained {
 public:
  virtual ~SelfTrained() = default;
  // [positions of the other data] the label that the model is this sure of, or kAnyLabel.
  virtual std::vector<Label> sure_labels(SeenAttributes seen, std::span<const double> w) = 0;
  // Minimises from w (in and out), on the labelled data and on what `labels` say of the other.
  //   labels : as sure_labels() returns them; empty: on the labelled data alone
  virtual OptimizeResult train(SeenAttributes seen, std::span<const Label> labels,
                               std::span<double> w) = 0;
};

// Ends early where a round would label as the one before it did, and where a training was stopped.
OptimizeResult self_train(SelfTrained& data, std::size_t rounds, bool views, std::span<double> w,
                          SelfTrainingReport& report);

// The data with the attributes that are seen.
ChainData seen_of(const ChainData& data, const std::vector<bool>& view, SeenAttributes seen);
// Adds those sequences of others with these label sets.
void append_some(const ChainData& others, std::span<const std::size_t> which, ChainData& data);
// The most probable label, where it has at least this probability, or kAnyLabel.
Label sure_label(std::span<const double> marginals, double confidence);

// Of chains.
class SelfTrainedChains final : public SelfTrained {
 public:
  // Minimises from w (in and out) on data of the layout's ids.
  using Train = std::function<OptimizeResult(const ChainData& data, SeenAttributes seen,
                                             std::span<double> w)>;
  // All are kept by reference.
  SelfTrainedChains(const SelfTraining& options, const ChainData& labelled, const ChainData& other,
                    const ChainLayout& layout, ThreadPool& pool, const Train& train)
      : options_(options),
        labelled_(labelled),
        other_(other),
        layout_(layout),
        pool_(pool),
        train_(train) {}
  std::vector<Label> sure_labels(SeenAttributes seen, std::span<const double> w) override;
  OptimizeResult train(SeenAttributes seen, std::span<const Label> labels,
                       std::span<double> w) override;

 private:
  const SelfTraining& options_;
  const ChainData &labelled_, &other_;
  const ChainLayout& layout_;
  ThreadPool& pool_;
  const Train& train_;
};

}  // namespace croft
