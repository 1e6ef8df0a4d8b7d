#include "train/kinds/self_training.h"

#include <algorithm>
#include <array>
#include <utility>

#include "croft/core/matrix.h"
#include "objective/log_partition.h"
#include "train/functions/chain_batch_function.h"

namespace croft {
namespace {

// The data with the attributes of one view.
ChainData seen_by(const ChainData& data, const std::vector<bool>& view, bool first) {
  ChainData out = data;
  AttributeLists& lists = out.node;
  lists = AttributeLists();
  for (std::size_t p = 0; p < data.positions(); ++p) {
    for (std::uint64_t k = data.node.begin[p]; k < data.node.begin[p + 1]; ++k) {
      if (view[data.node.id[k]] != first) continue;
      lists.id.push_back(data.node.id[k]);
      if (!data.node.value.empty()) lists.value.push_back(data.node.value[k]);
    }
    lists.begin.push_back(lists.id.size());
  }
  return out;
}

// [positions] the label that the model is this sure of, or kAnyLabel.
std::vector<Label> sure_labels(const ChainData& data, const ChainLayout& layout, ThreadPool& pool,
                               std::span<const double> w, double confidence) {
  ChainBatchFunction<double> log_z(data, layout, pool,
                                   [] { return std::make_unique<ChainLogPartition<double>>(); });
  Matrix<float> marginals(data.positions(), layout.labels);
  std::vector<double> gradient(layout.dimension());
  log_z.evaluate(w, gradient, 0, marginals);
  std::vector<Label> out(data.positions(), kAnyLabel);
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const double least = confidence * data.sequence_weight(n);  // marginals are times the weight
    for (std::uint64_t p = data.sequence_begin[n]; p < data.sequence_begin[n + 1]; ++p) {
      const std::span<const float> of = std::as_const(marginals)[p];
      const auto best = std::ranges::max_element(of);
      if (*best >= least) out[p] = static_cast<Label>(best - of.begin());
    }
  }
  return out;
}

// Where both are sure and disagree, neither is.
std::vector<Label> joined(const std::vector<Label>& a, const std::vector<Label>& b) {
  std::vector<Label> out(a.size());
  for (std::size_t p = 0; p < a.size(); ++p) {
    out[p] = a[p] == kAnyLabel ? b[p] : b[p] == kAnyLabel || a[p] == b[p] ? a[p] : kAnyLabel;
  }
  return out;
}

// The labelled data, and the sequences of the other in which some label is known now.
ChainData with_labels(const ChainData& labelled, ChainData others, std::vector<Label> labels) {
  ChainData out = labelled, some;
  others.label = std::move(labels);
  for (std::size_t n = 0; n < others.sequences(); ++n) {
    const Gold gold = others.gold(n);
    if (std::ranges::any_of(gold.known, is_one_label)) some.append(others, n);
  }
  if (others.weight.empty()) some.weight.clear();
  out.append(some);
  return out;
}

std::size_t known(const std::vector<Label>& labels) {
  return static_cast<std::size_t>(std::ranges::count_if(labels, is_one_label));
}

}  // namespace

OptimizeResult self_train(const SelfTraining& options, const ChainData& labelled,
                          const ChainData& unlabelled, const ChainLayout& layout, ThreadPool& pool,
                          const TrainOn& train, std::span<double> w, SelfTrainingReport& report) {
  const std::size_t views = options.view.empty() ? 1 : 2;
  std::array<ChainData, 2> own, other;  // what each model sees
  for (std::size_t v = 0; v < views; ++v) {
    own[v] = views == 1 ? labelled : seen_by(labelled, options.view, v == 0);
    other[v] = views == 1 ? unlabelled : seen_by(unlabelled, options.view, v == 0);
  }
  std::array<std::vector<double>, 2> weights;
  std::array<std::vector<Label>, 2> sure;
  OptimizeResult result;
  const auto stopped = [&] { return result.reason == StopReason::stopped; };
  const auto train_view = [&](std::size_t v, const ChainData& data) {
    result = train(data, weights[v], views == 1);
  };
  for (std::size_t v = 0; v < views && !stopped(); ++v) {
    weights[v].assign(w.begin(), w.end());
    train_view(v, own[v]);
  }
  for (std::size_t round = 0; round < options.rounds && !stopped(); ++round) {
    auto before = sure;
    for (std::size_t v = 0; v < views; ++v) {
      sure[v] = sure_labels(other[v], layout, pool, weights[v], options.confidence);
    }
    if (sure == before) break;
    report.positions = known(views == 1 ? sure[0] : joined(sure[0], sure[1]));
    for (std::size_t v = 0; v < views && !stopped(); ++v) {
      train_view(v, with_labels(own[v], other[v], sure[views - 1 - v]));
    }
    ++report.rounds;
  }
  if (views == 1 || stopped()) {
    std::ranges::copy(weights[0], w.begin());
  } else {
    for (std::size_t v = 0; v < views; ++v) {
      sure[v] = sure_labels(other[v], layout, pool, weights[v], options.confidence);
    }
    result = train(with_labels(labelled, unlabelled, joined(sure[0], sure[1])), w, true);
  }
  return result;
}

}  // namespace croft
