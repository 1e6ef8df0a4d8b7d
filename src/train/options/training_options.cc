#include "train/options/training_options.h"

#include <algorithm>
#include <array>

#include "croft/core/error.h"
#include "features/extraction.h"
#include "model/kinds/joint_model.h"

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
      {kMixtureBit, "mixture", "the weighted mean of several models' probabilities"},
      {kSegmentBit, "segment",
       "segments, and not positions, that depend on their neighbours (semi-Markov CRF)"},
      {kErrorCorrectingBit, "error-correcting", "binary chains of the bits of a code"},
      {kBoostedChainBit, "boosted-chain", "chain with trees for weights"},
      {kBoostedMaxentBit, "boosted-maxent", "maxent with trees for weights"},
      {kBoostedSegmentBit, "boosted-segment", "segment with trees for weights"},
      {kBayesNetBit, "bayes-net", "the tables of a Bayesian network, and its edges"},
      {kGraphBit, "graph", "variables in tables, whose cliques are SQL queries"},
      {kLogicBit, "logic", "the weights of a Markov logic network, whose cliques are rules"},
  });
  return kNames;
}

KindSet kind_bit(std::string_view name) {
  if (name == JointModel::kKind) return kJointBit;
  const auto at = std::ranges::find(kind_names(), name, &KindName::name);
  if (at == kind_names().end()) throw UsageError("there are no models of kind ", in_quotes(name));
  return at->bit;
}

OptionRow common(KindSet kinds, std::string_view heading) {
  return OptionRow().of(kinds).in(heading);
}

std::vector<OptionRow> with_common(std::vector<OptionRow> rows) {
  OptionRow shared;
  for (OptionRow& each : rows) {
    if (each.name.empty()) shared = each;
    if (each.kinds == kEveryKind) each.kinds = shared.kinds;
    if (each.group.empty()) each.group = shared.group;
  }
  std::erase_if(rows, [](const OptionRow& each) { return each.name.empty(); });
  return rows;
}

std::vector<std::span<const OptionRow>> training_options() {
  return {data_options(),       feature_options(),   method_options(), unlabelled_options(),
          generative_options(), structure_options(), run_options(),    common_options()};
}

void check_meaning(const OptionRow& given, KindSet bit, const Message& shown) {
  if (has_meaning(given, bit)) return;
  throw UsageError(named(given), " has no meaning for --model ", shown,
                   given.why.empty() ? Message() : Message(": ", given.why), "; leave it out");
}

void check_meaning(const OptionValues& values, KindSet bit, const Message& shown) {
  const std::string_view format = values.text("format");
  const bool spans = !format.empty() && !format_of(format) && format != "conllu";
  for (const std::span<const OptionRow> table : values.tables()) {
    for (const OptionRow& row : table) {
      if (spans && row.name == "label-scheme") continue;  // how spans become labels
      if (values.given(row.name)) check_meaning(row, bit, shown);
    }
  }
}

}  // namespace croft
