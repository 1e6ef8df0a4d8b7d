#include "train/kinds/self_training.h"

#include <algorithm>
#include <array>

#include "croft/core/matrix.h"
#include "objective/log_partition.h"
#include "train/functions/chain_batch_function.h"

namespace croft {
namespace {

// Where both are sure and disagree, neither is.
std::vector<Label> joined(const std::vector<Label>& a, const std::vector<Label>& b) {
  std::vector<Label> out(a.size());
  for (std::size_t p = 0; p < a.size(); ++p) {
    out[p] = a[p] == kAnyLabel ? b[p] : b[p] == kAnyLabel || a[p] == b[p] ? a[p] : kAnyLabel;
  }
  return out;
}

std::size_t known(const std::vector<Label>& labels) {
  return static_cast<std::size_t>(std::ranges::count_if(labels, is_one_label));
}

}  // namespace

ChainData seen_of(const ChainData& data, const std::vector<bool>& view, SeenAttributes seen) {
  ChainData out = data;
  if (seen == SeenAttributes::all) return out;
  const bool first = seen == SeenAttributes::first_view;
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

void append_some(const ChainData& others, std::span<const std::size_t> which, ChainData& data) {
  ChainData some;
  for (const std::size_t n : which) some.append(others, n);
  if (others.weight.empty()) some.weight.clear();
  data.append(some);
}

Label sure_label(std::span<const double> marginals, double confidence) {
  const auto best = std::ranges::max_element(marginals);
  return *best >= confidence ? static_cast<Label>(best - marginals.begin()) : kAnyLabel;
}

OptimizeResult self_train(SelfTrained& data, std::size_t rounds, bool two_views,
                          std::span<double> w, SelfTrainingReport& report) {
  using enum SeenAttributes;
  const std::size_t views = two_views ? 2 : 1;
  const std::array<SeenAttributes, 2> seen{two_views ? first_view : all, second_view};
  std::array<std::vector<double>, 2> weights;
  std::array<std::vector<Label>, 2> sure;
  OptimizeResult result;
  const auto stopped = [&] { return result.reason == StopReason::stopped; };
  const auto find_sure = [&] {
    for (std::size_t v = 0; v < views; ++v) sure[v] = data.sure_labels(seen[v], weights[v]);
  };
  for (std::size_t v = 0; v < views && !stopped(); ++v) {
    weights[v].assign(w.begin(), w.end());
    result = data.train(seen[v], {}, weights[v]);
  }
  for (std::size_t round = 0; round < rounds && !stopped(); ++round) {
    const auto before = sure;
    find_sure();
    if (sure == before) break;
    report.positions = known(two_views ? joined(sure[0], sure[1]) : sure[0]);
    for (std::size_t v = 0; v < views && !stopped(); ++v) {
      result = data.train(seen[v], sure[views - 1 - v], weights[v]);
    }
    ++report.rounds;
  }
  if (!two_views || stopped()) {
    std::ranges::copy(weights[0], w.begin());
  } else {
    find_sure();
    result = data.train(all, joined(sure[0], sure[1]), w);
  }
  return result;
}

std::vector<Label> SelfTrainedChains::sure_labels(SeenAttributes seen, std::span<const double> w) {
  const ChainData data = seen_of(other_, options_.view, seen);
  ChainBatchFunction<double> log_z(data, layout_, pool_,
                                   [] { return std::make_unique<ChainLogPartition<double>>(); });
  Matrix<float> marginals(data.positions(), layout_.labels);
  std::vector<double> gradient(layout_.dimension()), of(layout_.labels);
  log_z.evaluate(w, gradient, 0, marginals);
  std::vector<Label> out;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const double weight = data.sequence_weight(n);  // marginals are times it
    for (std::uint64_t p = data.sequence_begin[n]; p < data.sequence_begin[n + 1]; ++p) {
      std::ranges::copy(marginals[p], of.begin());
      out.push_back(sure_label(of, options_.confidence * weight));
    }
  }
  return out;
}

// On the labelled data, and the sequences of the other in which some label is known now.
OptimizeResult SelfTrainedChains::train(SeenAttributes seen, std::span<const Label> labels,
                                        std::span<double> w) {
  ChainData data = seen_of(labelled_, options_.view, seen);
  if (labels.empty()) return train_(data, seen, w);
  ChainData others = seen_of(other_, options_.view, seen);
  others.label.assign(labels.begin(), labels.end());
  std::vector<std::size_t> which;
  for (std::size_t n = 0; n < others.sequences(); ++n) {
    if (std::ranges::any_of(others.gold(n).known, is_one_label)) which.push_back(n);
  }
  append_some(others, which, data);
  return train_(data, seen, w);
}

}  // namespace croft
