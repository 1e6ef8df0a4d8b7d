#include "train/boosting/boosting.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "train/boosting/tree_growth.h"

namespace croft {

void BoostingOptions::validate() const {
  const auto require = [](bool right, const Message& what) {
    if (!right) throw UsageError(what);
  };
  tree.validate();
  require(shrinkage > 0 && shrinkage <= 1, "--shrinkage is above 0 and not above 1");
  require(row_share > 0 && row_share <= 1, "--row-share is above 0 and not above 1");
  require(trim >= 0 && trim < 1, "--trim is 0 or more, and below 1");
  require(bins >= 2 && bins <= 256, "--bins is from 2 to 256");
  require(tolerance >= 0 && std::isfinite(tolerance), "--tolerance is a number of 0 or more");
}

// All but the number of rounds, threads, and the tolerance: more rounds go on from a checkpoint.
void BoostingOptions::archive(StateArchive& settings) const {
  BoostingOptions o = *this;
  settings(o.shrinkage, o.tree.leaves, o.tree.depth, o.tree.l2, o.tree.min_child_weight,
           o.tree.min_child_count, o.tree.min_gain, o.tree.feature_share, o.trees, o.pair_trees,
           o.row_share, o.trim, o.bins, o.early_stop, o.seed);
}

namespace {

constexpr std::size_t kParts = 16;  // of the features, where one tree is grown by all threads

}  // namespace

// What a run needs beside the model.
struct Boosting::Growth {
  explicit Growth(std::size_t threads) : pool(threads) {}
  ThreadPool pool;
  std::unique_ptr<PotentialObjective> objective;
  PotentialGradient gradient;
  std::vector<std::uint32_t> rows;  // that a round is fitted to
  std::unique_ptr<TreeGrowth> states, second;
  std::vector<std::vector<std::uint16_t>> leaf_of;  // [trees of labels of a round][rows]
  std::vector<FittedTree> trees;                    // of a family of a round
};

struct Boosting::Best {
  std::size_t round = 0;
  double objective = 0;
  HoldoutScore score;
  void archive(StateArchive& state) { state(round, objective, score); }
};

Boosting::Boosting(const Extractor& extractor) : extractor_(extractor) {}
Boosting::~Boosting() = default;

void Boosting::add_holdout(TextSequence sequence, std::string_view) {
  if (sequence.length() > 0) holdout_.push_back(std::move(sequence));
}

void Boosting::add_holdout_to(Fingerprint& of) const {
  for (const TextSequence& text : holdout_) {
    for (const StringLists* lists : {&text.node, &text.labels}) {
      for (std::size_t k = 0; k < lists->items(); ++k) {
        of.add(lists->item(k));
        const double value = lists->value(k);
        of.add(std::span(&value, 1));
      }
    }
  }
}

// Of what trees of labels are fitted to: one label's gradient, or that of all.
std::size_t Boosting::tree_width(const BoostingOptions& options) const {
  return options.trees == TreeSharing::shared && labels() > 2 ? labels() : 1;
}

// Of a leaf of such a tree: two mirrored ones where there are two labels.
std::size_t Boosting::leaf_values(const BoostingOptions& options) const {
  return options.trees == TreeSharing::shared ? labels() : 1;
}

// Binned features, and potentials of no rounds.
void Boosting::start(const BoostingOptions& options) {
  if (sequences() == 0) throw Error("there is no sequence to train on");
  if (labels() == 0) throw Error("no label is known: there is nothing to learn from");
  lay_out(options);
  const ChainData& data = this->data();
  double heaviest = 1;
  if (!data.weight.empty()) heaviest = *std::ranges::max_element(data.weight);
  const auto count = static_cast<double>(labels());
  const double most =
      heaviest * (tree_width(options) > 1 || count == 1 ? 1.0 : count / (4 * (count - 1)));
  const auto heavy =
      static_cast<std::size_t>(std::min(std::ceil(options.tree.min_child_weight / most), 4e9));
  features_ = std::make_unique<BinnedFeatures>(
      data.node, held_, attributes(),
      BinOptions{.bins = options.bins,
                 .min_positions = std::max(options.tree.min_child_count, heavy),
                 .parts = options.trees == TreeSharing::shared ? kParts : 1});
  // The logarithm of each label's share, one occurrence added.
  std::vector<double> weight(labels(), 1.0);
  double total = count;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    for (const Label known : data.gold(n).known) {
      if (!is_one_label(known)) continue;
      weight[known] += data.sequence_weight(n);
      total += data.sequence_weight(n);
    }
  }
  base_.clear();
  for (const double each : weight) base_.push_back(std::log(each / total));
  potentials_ = {};
  potentials_.state.reshape(features_->rows(), labels());
  for (std::size_t r = 0; r < features_->rows(); ++r) {
    std::ranges::copy(base_, potentials_.state.row(r));
  }
  rounds_.clear();
  start_others(options);
}

void Boosting::draw_rows(const BoostingOptions& options, std::size_t round, Growth& growth) {
  const ChainData& data = this->data();
  std::vector<bool> drawn(data.sequences());
  Random random(mix(options.seed, round));
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    drawn[n] = options.row_share >= 1 || random.uniform() < options.row_share;
  }
  if (std::ranges::find(drawn, true) == drawn.end()) drawn[random.below(data.sequences())] = true;
  growth.rows.clear();
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    if (!drawn[n]) continue;
    for (std::uint64_t p = data.sequence_begin[n]; p < data.sequence_begin[n + 1]; ++p) {
      growth.rows.push_back(static_cast<std::uint32_t>(p));
    }
  }
  draw(drawn);
}

void Boosting::fit_states(const BoostingOptions& options, std::size_t round, Growth& growth) {
  const bool shared = options.trees == TreeSharing::shared;
  const std::size_t count = shared ? 1 : labels(), width = tree_width(options);
  const std::size_t step = positions() * 2 * TreeGradient::stride(width);
  growth.leaf_of.resize(count);
  growth.trees.resize(std::max(growth.trees.size(), count));
  growth.states->grow(
      count, growth.rows, [&](std::size_t y) { return growth.gradient.state.data() + y * step; },
      options, mix(options.seed, round), 0,
      [&](std::size_t y, FittedTree& tree, std::vector<std::uint16_t>& leaf_of) {
        std::swap(growth.trees[y], tree);
        std::swap(growth.leaf_of[y], leaf_of);
      });
  if (shared && width < labels()) mirror(growth.trees[0]);
  std::vector<std::size_t> first_value;  // of each tree
  for (std::size_t y = 0; y < count; ++y) {
    first_value.push_back(rounds_.first.values.size());
    append_tree(growth.trees[y], shared ? kAllOutputs : static_cast<std::uint32_t>(y),
                options.shrinkage, *features_, rounds_.first);
  }
  add_to_states(growth, leaf_values(options), first_value);
}

// width : values of a leaf
void Boosting::add_to_states(Growth& growth, std::size_t width,
                             std::span<const std::size_t> first_value) {
  constexpr std::size_t kBlock = 8192;  // rows
  growth.pool.run((features_->rows() + kBlock - 1) / kBlock, [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min(features_->rows(), (block + 1) * kBlock);
    for (std::size_t row = block * kBlock; row < end; ++row) {
      const std::span<double> state = potentials_.state[row];
      for (std::size_t y = 0; y < state.size(); ++y) {
        const std::size_t tree = width > 1 ? 0 : y;
        const std::size_t at = growth.leaf_of[tree][row] * width + (width > 1 ? y : 0);
        state[y] += double{rounds_.first.values[first_value[tree] + at]};
      }
    }
  });
}

// At what the others have left: three steps at once would overshoot.
void Boosting::fit_second(const BoostingOptions& options, std::size_t round, Growth& growth) {
  if (potentials_.pairs.empty() && potentials_.spans.empty()) return;
  growth.objective->evaluate(potentials_, PotentialGradient::Part::second, growth.gradient);
  const SecondTrees second = this->second(growth.gradient);
  if (second.rows.empty()) return;
  const std::size_t count = second.outputs.size();
  if (!growth.second) {
    growth.second = std::make_unique<TreeGrowth>(*second.features, 1, false, growth.pool);
  }
  growth.trees.resize(std::max(growth.trees.size(), count));
  growth.second->grow(
      count, second.rows,
      [&](std::size_t k) { return second.gradient->data() + k * second.gradient_rows * 2; },
      options, mix(options.seed, round), labels(),
      [&](std::size_t k, FittedTree& tree, std::vector<std::uint16_t>& leaf_of) {
        std::vector<float>& sums = (*second.sums)[k];
        for (std::size_t row = 0; row < sums.size(); ++row) {
          sums[row] += static_cast<float>(options.shrinkage * tree.value[leaf_of[row]]);
        }
        std::swap(growth.trees[k], tree);
      });
  for (std::size_t k = 0; k < count; ++k) {
    append_tree(growth.trees[k], second.outputs[k], options.shrinkage, *second.features,
                rounds_.second);
  }
}

// (TB.7)
void Boosting::step_transitions(const BoostingOptions& options, const PotentialGradient& gradient) {
  const std::size_t labels = potentials_.transition.rows();
  for (std::size_t i = 0; i < labels; ++i) {
    for (std::size_t j = 0; j < labels; ++j) {
      const std::size_t at = i * labels + j;
      const double curvature = std::max(gradient.curvature[at] + options.tree.l2, kLeastCurvature);
      const double step =
          std::clamp(-gradient.transition[at] / curvature, -kLargestLeaf, kLargestLeaf);
      potentials_.transition(i, j) += options.shrinkage * step;
    }
  }
}

// All that later rounds depend on.
void Boosting::archive(StateArchive& state) {
  rounds_.archive(state);
  for (std::size_t r = 0; r < potentials_.state.rows(); ++r) state(potentials_.state[r]);
  for (std::size_t i = 0; i < potentials_.transition.rows(); ++i) {
    state(potentials_.transition[i]);
  }
  for (auto* family : {&potentials_.pair, &potentials_.span}) {
    for (std::vector<float>& sums : *family) state(std::span<float>(sums));
  }
}

std::uint64_t Boosting::fingerprint(const BoostingOptions& options) const {
  Fingerprint of;
  add_to(of);
  StateArchive settings;
  options.archive(settings);
  of.add(settings.bytes());
  return of.value();
}

// The model so far, with the derivatives of labels' scores in growth.gradient.
BoostingProgress Boosting::look(const BoostingOptions& options, const HoldoutScorer& scorer,
                                Growth& growth) {
  BoostingProgress now;
  now.round = rounds_.size();
  now.max_rounds = options.rounds;
  now.objective =
      growth.objective->evaluate(potentials_, PotentialGradient::Part::states, growth.gradient);
  if (!holdout_.empty()) now.holdout = scorer(label_holdout(growth.pool));
  double squares = 0;
  const std::size_t stride = TreeGradient::stride(tree_width(options));
  for (std::size_t k = 0; k < growth.gradient.state.size(); k += 2 * stride) {
    for (std::size_t c = 0; c < stride; ++c) {
      squares += double{growth.gradient.state[k + c]} * double{growth.gradient.state[k + c]};
    }
  }
  now.gradient_norm = std::sqrt(squares);
  now.trees = rounds_.trees();
  now.leaves = rounds_.leaves(leaf_values(options));
  return now;
}

void Boosting::grow_round(const BoostingOptions& options, Growth& growth) {
  const std::size_t round = rounds_.size();
  draw_rows(options, round, growth);
  fit_states(options, round, growth);
  step_transitions(options, growth.gradient);
  fit_second(options, round, growth);
  rounds_.close(potentials_.transition);
}

BoostingResult Boosting::run(const BoostingOptions& asked, const HoldoutScorer& scorer,
                             const Callback& callback) {
  asked.validate();
  BoostingOptions options = asked;
  // Of two labels the same model either way: one tree, and its mirror image.
  if (labels() == 2) options.trees = TreeSharing::shared;
  start(options);
  Growth growth(options.threads);
  growth.objective = objective(tree_width(options), growth.pool);
  growth.states = std::make_unique<TreeGrowth>(*features_, tree_width(options),
                                               options.trees == TreeSharing::shared, growth.pool);
  std::optional<Best> best;
  double before = std::numeric_limits<double>::infinity();
  const auto archived = [&](StateArchive& state) {
    archive(state);
    state(best, before);
  };
  if (options.checkpoints != nullptr) {
    options.checkpoints->set_fingerprint(fingerprint(options));
    options.checkpoints->restore(archived);
  }
  BoostingResult result;
  for (;;) {
    const BoostingProgress now = look(options, scorer, growth);
    result.objective = now.objective;
    result.holdout = now.holdout;
    if (now.holdout && options.early_stop > 0 &&
        (!best || now.holdout->score() > best->score.score())) {
      best = Best{now.round, now.objective, *now.holdout};
    }
    if (callback && !callback(now)) {
      result.stop = "stopped";
    } else if (best && now.round >= best->round + options.early_stop) {
      result.stop = "early_stop";
    } else if (options.tolerance > 0 &&
               before - now.objective <=
                   options.tolerance * std::max(1.0, std::abs(now.objective))) {
      result.stop = "converged";
    } else if (now.round >= options.rounds) {
      result.stop = "max_rounds";
    }
    if (!result.stop.empty()) break;
    if (options.checkpoints != nullptr) options.checkpoints->offer(archived);
    before = now.objective;
    grow_round(options, growth);
  }
  if (best && best->round < rounds_.size()) {
    rounds_.cut_back(best->round, potentials_.transition);
    result.objective = best->objective;
    result.holdout = best->score;
  }
  const TreeArrays all = trees();
  result.rounds = rounds_.size();
  result.trees = rounds_.trees();
  result.leaves = rounds_.leaves(leaf_values(options));
  result.attributes = tested_attributes(all);
  result.features = features();
  result.sharing = options.trees;
  return result;
}

BoostedParts Boosting::parts(const TreeArrays& trees, const Json& training) const {
  BoostedParts parts;
  parts.extraction = &extractor_.config();
  parts.base = base_;
  for (std::size_t i = 0; i < potentials_.transition.rows(); ++i) {
    const std::span<const double> row = potentials_.transition[i];
    parts.transitions.insert(parts.transitions.end(), row.begin(), row.end());
  }
  parts.trees = &trees;
  parts.rounds = rounds_.size();
  parts.training = &training;
  return parts;
}

}  // namespace croft
