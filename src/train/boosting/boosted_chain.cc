#include "train/boosting/boosted_chain.h"

#include <algorithm>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/chain_viterbi.h"
#include "model/kinds/boosted_model.h"
#include "train/boosting/boosted_potentials.h"
#include "train/train_options.h"

namespace croft {

BoostedChain::BoostedChain(const Extractor& extractor, std::string_view kind)
    : Boosting(extractor), kind_(kind) {
  if (kind_ == kBoostedMaxent) {
    if (extractor.has_edge_templates()) {
      throw UsageError(
          "a model of kind boosted-maxent labels each position by itself, and has no "
          "use for templates of pairs of labels; delete the lines that begin with B");
    }
    return;
  }
  const TemplateSet& templates = extractor.templates();
  for (std::size_t k = 0; k < templates.size(); ++k) {
    if (!templates.on_edges(k) || templates.is_constant(k)) continue;
    throw UsageError(
        "a template makes attributes for pairs of labels, which trees do not test: make them "
        "attributes of positions (U in the place of B), and add --pair-trees to have trees for "
        "pairs of labels");
  }
}

void BoostedChain::add(const TextSequence& sequence, std::string_view file) {
  if (kind_ == kBoostedMaxent) {
    encoder_.add_positions(sequence, file);
  } else {
    encoder_.add(sequence, file);
  }
}

std::size_t BoostedChain::partial_positions() const {
  const auto known = std::ranges::count_if(encoder_.data.label, is_one_label);
  return positions() - static_cast<std::size_t>(known);
}

void BoostedChain::lay_out(const BoostingOptions& options) {
  if (options.label_weights) {
    weigh_by_label(*options.label_weights, encoder_.label_names.strings(), encoder_.data);
  }
  held_ = {};
  for (const TextSequence& text : holdout_) {
    for (std::size_t t = 0; t < text.length(); ++t) {
      for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
        const std::uint32_t id = encoder_.node_names.find(text.node.item(k));
        if (id == kUnknown) continue;
        held_.id.push_back(id);
        held_.value.push_back(text.node.value(k));
      }
      held_.begin.push_back(held_.id.size());
    }
  }
}

void BoostedChain::start_others(const BoostingOptions& options) {
  const ChainData& data = encoder_.data;
  if (kind_ == kBoostedChain) potentials_.transition.assign(labels(), labels(), 0.0);
  if (!options.pair_trees) return;
  auto& pairs = potentials_.pairs;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const Gold gold = data.gold(n);
    for (std::size_t t = 1; t < gold.length(); ++t) {
      const Edge edge{gold.known[t - 1], gold.known[t]};
      if (is_one_label(edge.from) && is_one_label(edge.to)) pairs.push_back(edge);
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  potentials_.pair.assign(pairs.size(), std::vector<float>(features_->rows()));
}

std::unique_ptr<PotentialObjective> BoostedChain::objective(std::size_t width, ThreadPool& pool) {
  if (kind_ == kBoostedMaxent) {
    return std::make_unique<LabelPotentialFunction>(encoder_.data, labels(), width, pool);
  }
  if (positions() < kFewPositions) {
    return std::make_unique<PotentialFunction<double>>(encoder_.data, labels(), width, pool);
  }
  return std::make_unique<PotentialFunction<float>>(encoder_.data, labels(), width, pool);
}

void BoostedChain::draw(const std::vector<bool>& sequences) {
  const ChainData& data = encoder_.data;
  later_.clear();
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    if (!sequences[n]) continue;
    for (std::uint64_t p = data.sequence_begin[n] + 1; p < data.sequence_begin[n + 1]; ++p) {
      later_.push_back(static_cast<std::uint32_t>(p));
    }
  }
}

SecondTrees BoostedChain::second(const PotentialGradient& gradient) {
  SecondTrees second{features_.get(), {}, later_, &gradient.pair, positions(), &potentials_.pair};
  for (const Edge pair : potentials_.pairs) {
    second.outputs.push_back(static_cast<std::uint32_t>(labels() + pair.from * labels() + pair.to));
  }
  return second;
}

std::vector<std::vector<std::string_view>> BoostedChain::label_holdout(ThreadPool& pool) const {
  struct Worker {
    ChainScores<double> scores;
    ViterbiWorkspace<double> viterbi;
    std::vector<Label> y;
  };
  TransitionScores<double> tied(labels());
  if (potentials_.transition.rows() > 0) tied.assign(potentials_.transition);
  std::vector<std::size_t> first{positions()};
  for (const TextSequence& text : holdout_) first.push_back(first.back() + text.length());
  std::vector<std::vector<std::string_view>> names(holdout_.size());
  std::vector<Worker> workers(pool.threads());
  pool.run(holdout_.size(), [&](std::size_t n, std::size_t worker) {
    Worker& own = workers[worker];
    copy_scores(potentials_, first[n], holdout_[n].length(), tied, own.scores);
    own.y.resize(holdout_[n].length());
    viterbi<double>(own.scores, own.viterbi, own.y);
    for (const Label y : own.y) names[n].push_back(encoder_.label_names[y]);
  });
  return names;
}

void BoostedChain::add_to(Fingerprint& of) const {
  const ChainData& data = encoder_.data;
  of.add(data.sequence_begin, data.label, data.label_sets.begin, data.label_sets.label, data.weight,
         data.node.begin, data.node.id, data.node.value);
  for (const StringTable* names : {&encoder_.node_names, &encoder_.label_names}) {
    for (std::uint32_t k = 0; k < names->size(); ++k) of.add((*names)[k]);
  }
  add_holdout_to(of);
  of.add(kind_);
}

ContainerWriter BoostedChain::model(const Json& training) const {
  const TreeArrays all = trees();
  BoostedParts parts = this->parts(all, training);
  parts.kind = kind_;
  for (const std::string_view label : encoder_.label_names.strings()) {
    parts.labels.emplace_back(label);
  }
  parts.names = encoder_.node_names.strings();
  return make_boosted_model(parts);
}

}  // namespace croft
