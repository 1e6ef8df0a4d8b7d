#include "train/options/kinds.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace croft {

std::span<const KindName> kind_names() {
  static constexpr auto kNames = std::to_array<KindName>({
      {kChainBit, "chain", "labels that depend on their neighbours"},
      {kMaxentBit, "maxent", "each by itself (logistic regression)"},
      {kMemmBit, "memm", "each given the one before"},
      {kNaiveBayesBit, "naive-bayes", "attributes that are independent, given the label"},
      {kHmmBit, "hmm", "the same, and labels given the one before (hidden Markov model)"},
      {kHiddenChainBit, "hidden-chain", "a chain whose labels have hidden states"},
      {kPoolBit, "pool", "the product of several chains, each to a power"},
      {kSegmentBit, "segment",
       "segments, and not positions, that depend on their neighbours (semi-Markov CRF)"},
      {kErrorCorrectingBit, "error-correcting", "binary chains of the bits of a code"},
      {kBoostedChainBit, "boosted-chain", "chain with trees for weights"},
      {kBoostedMaxentBit, "boosted-maxent", "maxent with trees for weights"},
      {kBoostedSegmentBit, "boosted-segment", "segment with trees for weights"},
      {kBayesNetBit, "bayes-net", "the tables of a Bayesian network"},
      {kGraphBit, "graph", "variables in tables, whose cliques are SQL queries"},
  });
  return kNames;
}

KindSet kind_bit(std::string_view name) {
  const auto at = std::ranges::find(kind_names(), name, &KindName::name);
  assert(at != kind_names().end());
  return at->bit;
}

}  // namespace croft
