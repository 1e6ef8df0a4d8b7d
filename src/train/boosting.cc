#include "croft/train/boosting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/chain_viterbi.h"
#include "croft/train/train_options.h"

namespace croft {
namespace {

constexpr std::size_t kParts = 16;  // of the features, where one tree is grown by all threads

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return Random(a * 0x9E3779B97F4A7C15u + b + 1).next();
}

// Rows with a large gradient; the others together have no more than the share alpha of all.
//   size_of : |g| of a row
template <class SizeOf>
void trim_rows(std::span<const std::uint32_t> rows, double alpha, const SizeOf& size_of,
               std::vector<std::uint32_t>& out) {
  out.assign(rows.begin(), rows.end());
  if (alpha <= 0) return;
  constexpr int kShift = 18;  // 5 bits of the fraction: 32 steps of an order of magnitude
  const auto step = [&](std::uint32_t row) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(size_of(row))) >> kShift;
  };
  std::vector<double> sums(std::size_t{1} << (31 - kShift));
  double total = 0;
  for (const std::uint32_t row : rows) {
    sums[step(row)] += size_of(row);
    total += size_of(row);
  }
  if (!(total > 0)) return;
  std::size_t cut = 0;
  for (double below = sums[0]; below <= alpha * total; below += sums[cut]) ++cut;
  std::erase_if(out, [&](std::uint32_t row) { return step(row) < cut; });
}

// The tree of the first of two labels as that of both: what the one gains the other loses.
void mirror(FittedTree& tree) {
  std::vector<double> values;
  for (const double value : tree.value) values.insert(values.end(), {value, -value});
  tree.value = std::move(values);
  tree.width = 2;
}

std::size_t tested_attributes(const TreeArrays& trees) {
  std::vector<std::uint32_t> used;
  for (const TreeNode& node : trees.nodes) used.push_back(node.attribute);
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used.size();
}

}  // namespace

void BoostingOptions::validate() const {
  const auto require = [](bool right, const std::string& what) {
    if (!right) throw UsageError(what);
  };
  tree.validate();
  require(shrinkage > 0 && shrinkage <= 1, "--shrinkage is above 0 and not above 1");
  require(row_share > 0 && row_share <= 1, "--row-share is above 0 and not above 1");
  require(trim >= 0 && trim < 1, "--trim is 0 or more, and below 1");
  require(bins >= 2 && bins <= 256, "--bins is from 2 to 256");
  require(tolerance >= 0 && std::isfinite(tolerance), "--tolerance is a number of 0 or more");
}

// What a run needs beside the model.
struct Boosting::Growth {
  explicit Growth(std::size_t threads) : pool(threads) {}
  ThreadPool pool;
  PotentialGradient gradient;
  std::vector<std::uint32_t> rows;                   // that a round is fitted to
  std::vector<std::uint32_t> later;                  // of these, those that are no first positions
  std::vector<std::unique_ptr<TreeFitter>> fitters;  // one a worker, of width 1
  std::unique_ptr<TreeFitter> shared;                // of all labels
  std::vector<std::vector<std::uint32_t>> grown;     // of each worker
  std::vector<std::vector<std::uint16_t>> leaf_of;   // [trees of a round at a time][rows]
  std::vector<FittedTree> trees;                     // likewise
};

void Boosting::Round::archive(StateArchive& state) {
  state(roots);
  state(nodes);
  state(values);
  state(pair_roots);
  state(pair_nodes);
  state(pair_values);
  state(transition);
}

Boosting::Boosting(const Extractor& extractor, std::string_view kind)
    : extractor_(extractor), kind_(kind) {
  if (kind_ == kBoostedMaxent) {
    if (extractor.has_edge_templates()) {
      throw UsageError(
          "a model of kind boosted-maxent labels each position by itself, and has no "
          "use for templates of pairs of labels; delete the lines that begin with B");
    }
    if (extractor.config().boundaries) {
      throw UsageError("--boundaries has no meaning for --model boosted-maxent; leave it out");
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

void Boosting::add(const TextSequence& sequence, std::string_view file) {
  if (kind_ == kBoostedMaxent) {
    encoder_.add_positions(sequence, file);
  } else {
    encoder_.add(sequence, file);
  }
}

void Boosting::add_holdout(TextSequence sequence) {
  if (sequence.length() > 0) holdout_.push_back(std::move(sequence));
}

std::size_t Boosting::partial_positions() const {
  const auto known = std::ranges::count_if(encoder_.data.label, is_one_label);
  return positions() - static_cast<std::size_t>(known);
}

void Boosting::encode_holdout(AttributeLists& rows) {
  for (const TextSequence& text : holdout_) {
    for (std::size_t t = 0; t < text.length(); ++t) {
      for (std::size_t k = text.node.list_begin(t); k < text.node.list_end(t); ++k) {
        const std::uint32_t id = encoder_.node_names.find(text.node.item(k));
        if (id == kUnknown) continue;
        rows.id.push_back(id);
        rows.value.push_back(text.node.value(k));
      }
      rows.begin.push_back(rows.id.size());
    }
  }
}

// Binned features, and potentials of no rounds.
void Boosting::start(const BoostingOptions& options) {
  ChainData& data = encoder_.data;
  if (data.sequences() == 0) throw Error("there is no sequence to train on");
  if (labels() == 0) throw Error("no label is known: there is nothing to learn from");
  if (options.label_weights) {
    std::vector<std::string_view> names;
    for (std::uint32_t y = 0; y < labels(); ++y) names.push_back(encoder_.label_names[y]);
    weigh_by_label(*options.label_weights, names, data);
  }
  double heaviest = 1;
  if (!data.weight.empty()) heaviest = *std::ranges::max_element(data.weight);
  const bool shared = options.trees == TreeSharing::shared;
  const auto count = static_cast<double>(labels());
  const double most =
      heaviest * (tree_width(options) > 1 || count == 1 ? 1.0 : count / (4 * (count - 1)));
  const auto heavy =
      static_cast<std::size_t>(std::min(std::ceil(options.tree.min_child_weight / most), 4e9));
  AttributeLists held;
  encode_holdout(held);
  features_ = std::make_unique<BinnedFeatures>(
      data.node, held, attributes(),
      BinOptions{.bins = options.bins,
                 .min_positions = std::max(options.tree.min_child_count, heavy),
                 .parts = shared ? kParts : 1});
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
  if (kind_ == kBoostedChain) potentials_.transition.assign(labels(), labels(), 0.0);
  if (options.pair_trees) {
    for (std::size_t n = 0; n < data.sequences(); ++n) {
      const Gold gold = data.gold(n);
      for (std::size_t t = 1; t < gold.length(); ++t) {
        const Edge edge{gold.known[t - 1], gold.known[t]};
        if (is_one_label(edge.from) && is_one_label(edge.to)) potentials_.pairs.push_back(edge);
      }
    }
    auto& pairs = potentials_.pairs;
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    potentials_.pair.assign(pairs.size(), std::vector<float>(features_->rows()));
  }
  trees_ = pair_trees_ = {};
  rounds_.clear();
}

void Boosting::draw_rows(const BoostingOptions& options, std::size_t round, Growth& growth) const {
  const ChainData& data = encoder_.data;
  growth.rows.clear();
  growth.later.clear();
  const auto add = [&](std::size_t n) {
    for (std::uint64_t p = data.sequence_begin[n]; p < data.sequence_begin[n + 1]; ++p) {
      growth.rows.push_back(static_cast<std::uint32_t>(p));
      if (p > data.sequence_begin[n]) growth.later.push_back(static_cast<std::uint32_t>(p));
    }
  };
  Random random(mix(options.seed, round));
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    if (options.row_share >= 1 || random.uniform() < options.row_share) add(n);
  }
  if (growth.rows.empty()) add(random.below(data.sequences()));
}

// Leaf values are rounded to float here, once: potentials and model file have the same.
void Boosting::append(const FittedTree& tree, std::uint32_t output, double shrinkage,
                      TreeArrays& to) const {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (to.nodes.size() + tree.nodes.size() > kMost || to.values.size() + tree.value.size() > kMost) {
    throw Error("the trees have more than 2,147,483,647 nodes or values; train for fewer rounds");
  }
  const auto first_node = static_cast<std::int32_t>(to.nodes.size());
  const auto first_value = static_cast<std::int32_t>(to.values.size());
  const auto child = [&](std::int32_t at) {
    return at >= 0 ? at + first_node : ~(~at * static_cast<std::int32_t>(tree.width) + first_value);
  };
  to.roots.push_back({child(tree.nodes.empty() ? ~0 : 0), output});
  for (const FittedTree::Node& node : tree.nodes) {
    const std::uint32_t first_bin = features_->first_bin(node.feature);
    to.nodes.push_back({.attribute = features_->attribute(node.feature),
                        .left = child(node.left),
                        .right = child(node.right),
                        .count = node.count,
                        .threshold = node.cut == 0 ? -std::numeric_limits<double>::infinity()
                                                   : features_->upper(first_bin + node.cut - 1),
                        .gain = static_cast<float>(node.gain),
                        .absent_left = node.absent_left ? 1u : 0u});
  }
  for (const double value : tree.value) {
    to.values.push_back(static_cast<float>(shrinkage * value));
  }
}

TreeArrays Boosting::trees() const {
  TreeArrays all = trees_;
  const auto nodes = static_cast<std::int32_t>(all.nodes.size());
  const auto values = static_cast<std::int32_t>(all.values.size());
  const auto moved = [&](std::int32_t at) { return at >= 0 ? at + nodes : ~(~at + values); };
  for (const TreeRoot& root : pair_trees_.roots) {
    all.roots.push_back({moved(root.root), root.output});
  }
  for (TreeNode node : pair_trees_.nodes) {
    node.left = moved(node.left);
    node.right = moved(node.right);
    all.nodes.push_back(node);
  }
  all.values.insert(all.values.end(), pair_trees_.values.begin(), pair_trees_.values.end());
  return all;
}

void Boosting::fit_states(const BoostingOptions& options, std::size_t round, Growth& growth) {
  const bool shared = growth.shared != nullptr;
  const std::size_t positions = encoder_.data.positions(), count = shared ? 1 : labels();
  const std::size_t width = tree_width(options), stride = TreeGradient::stride(width);
  growth.leaf_of.resize(std::max(growth.leaf_of.size(), count));
  growth.trees.resize(std::max(growth.trees.size(), count));
  const auto fit = [&](std::size_t y, std::size_t worker, TreeFitter& fitter, ThreadPool* pool) {
    const float* const gradient = growth.gradient.state.data() + y * positions * 2 * stride;
    trim_rows(
        growth.rows, options.trim,
        [&](std::uint32_t row) {
          double size = 0;
          for (std::size_t k = 0; k < width; ++k) {
            size += std::abs(double{gradient[row * 2 * stride + k]});
          }
          return size;
        },
        growth.grown[worker]);
    growth.leaf_of[y].resize(features_->rows());
    fitter.fit(growth.grown[worker], growth.rows, {gradient}, options.tree,
               mix(mix(options.seed, round), y), pool, growth.trees[y], growth.leaf_of[y]);
  };
  if (shared) {
    fit(0, 0, *growth.shared, &growth.pool);
    if (width < labels()) mirror(growth.trees[0]);
  } else {
    growth.pool.run(count, [&](std::size_t y, std::size_t worker) {
      fit(y, worker, *growth.fitters[worker], nullptr);
    });
  }
  std::vector<std::size_t> first_value;  // of each tree
  for (std::size_t y = 0; y < count; ++y) {
    first_value.push_back(trees_.values.size());
    append(growth.trees[y], shared ? kAllOutputs : static_cast<std::uint32_t>(y), options.shrinkage,
           trees_);
  }
  add_to_states(growth, first_value);
}

void Boosting::add_to_states(Growth& growth, std::span<const std::size_t> first_value) {
  constexpr std::size_t kBlock = 8192;  // rows
  const bool shared = growth.shared != nullptr;
  const std::size_t width = shared ? labels() : 1;
  growth.pool.run((features_->rows() + kBlock - 1) / kBlock, [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min(features_->rows(), (block + 1) * kBlock);
    for (std::size_t row = block * kBlock; row < end; ++row) {
      const std::span<double> state = potentials_.state[row];
      for (std::size_t y = 0; y < state.size(); ++y) {
        const std::size_t tree = shared ? 0 : y;
        const std::size_t at = growth.leaf_of[tree][row] * width + (shared ? y : 0);
        state[y] += double{trees_.values[first_value[tree] + at]};
      }
    }
  });
}

void Boosting::fit_pairs(const BoostingOptions& options, std::size_t round, Growth& growth) {
  const std::size_t positions = encoder_.data.positions(), pairs = potentials_.pairs.size();
  if (growth.later.empty()) return;
  growth.trees.resize(std::max(growth.trees.size(), pairs));
  growth.leaf_of.resize(std::max(growth.leaf_of.size(), growth.pool.threads()));
  growth.pool.run(pairs, [&](std::size_t k, std::size_t worker) {
    const float* const gradient = growth.gradient.pair.data() + k * positions * 2;
    trim_rows(
        growth.later, options.trim,
        [&](std::uint32_t row) { return std::abs(double{gradient[row * 2]}); },
        growth.grown[worker]);
    std::vector<std::uint16_t>& leaf_of = growth.leaf_of[worker];
    leaf_of.resize(features_->rows());
    growth.fitters[worker]->fit(growth.grown[worker], growth.later, {gradient}, options.tree,
                                mix(mix(options.seed, round), labels() + k), nullptr,
                                growth.trees[k], leaf_of);
    for (std::size_t row = 0; row < features_->rows(); ++row) {
      potentials_.pair[k][row] +=
          static_cast<float>(options.shrinkage * growth.trees[k].value[leaf_of[row]]);
    }
  });
  for (std::size_t k = 0; k < pairs; ++k) {
    const Edge pair = potentials_.pairs[k];
    append(growth.trees[k], static_cast<std::uint32_t>(labels() + pair.from * labels() + pair.to),
           options.shrinkage, pair_trees_);
  }
}

// (TB.7)
void Boosting::step_transitions(const BoostingOptions& options, const PotentialGradient& gradient) {
  for (std::size_t i = 0; i < potentials_.transition.rows(); ++i) {
    for (std::size_t j = 0; j < labels(); ++j) {
      const std::size_t at = i * labels() + j;
      const double curvature = std::max(gradient.curvature[at] + options.tree.l2, kLeastCurvature);
      const double step =
          std::clamp(-gradient.transition[at] / curvature, -kLargestLeaf, kLargestLeaf);
      potentials_.transition(i, j) += options.shrinkage * step;
    }
  }
}

void Boosting::close_round() {
  Round round{trees_.roots.size(),
              trees_.nodes.size(),
              trees_.values.size(),
              pair_trees_.roots.size(),
              pair_trees_.nodes.size(),
              pair_trees_.values.size(),
              {}};
  for (std::size_t i = 0; i < potentials_.transition.rows(); ++i) {
    const std::span<const double> row = potentials_.transition[i];
    round.transition.insert(round.transition.end(), row.begin(), row.end());
  }
  rounds_.push_back(std::move(round));
}

// To the model of so many rounds.
void Boosting::cut_back(std::size_t rounds) {
  rounds_.resize(rounds);
  const Round end = rounds == 0 ? Round() : rounds_.back();
  trees_.roots.resize(end.roots);
  trees_.nodes.resize(end.nodes);
  trees_.values.resize(end.values);
  pair_trees_.roots.resize(end.pair_roots);
  pair_trees_.nodes.resize(end.pair_nodes);
  pair_trees_.values.resize(end.pair_values);
  for (std::size_t i = 0; i < potentials_.transition.rows(); ++i) {
    for (std::size_t j = 0; j < labels(); ++j) {
      potentials_.transition(i, j) = rounds == 0 ? 0 : end.transition[i * labels() + j];
    }
  }
}

std::vector<std::vector<std::string_view>> Boosting::label_holdout(ThreadPool& pool) const {
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

BoostingResult Boosting::run(const BoostingOptions& asked, const HoldoutScorer& scorer,
                             const Callback& callback) {
  asked.validate();
  BoostingOptions options = asked;
  if (labels() == 2) {
    options.trees =
        TreeSharing::shared;  // the same model either way: one tree, and its mirror image
  }
  if (options.pair_trees && kind_ == kBoostedMaxent) {
    throw UsageError("--pair-trees has no meaning for --model boosted-maxent; leave it out");
  }
  start(options);
  return positions() < kFewPositions ? run_in<double>(options, scorer, callback)
                                     : run_in<float>(options, scorer, callback);
}

// Of what trees of labels are fitted to: one label's gradient, or that of all.
std::size_t Boosting::tree_width(const BoostingOptions& options) const {
  return options.trees == TreeSharing::shared && labels() > 2 ? labels() : 1;
}

std::size_t Boosting::leaves(bool shared) const {
  return trees_.values.size() / (shared ? labels() : 1) + pair_trees_.values.size();
}

// All that later rounds depend on.
void Boosting::archive_model(StateArchive& state) {
  std::string bytes;
  const auto plain = [&](auto& values) {  // numbers that stand in memory as in the file
    using Value = typename std::remove_reference_t<decltype(values)>::value_type;
    bytes.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
    state(bytes);
    if (!state.reading()) return;
    values.resize(bytes.size() / sizeof(Value));
    std::copy_n(bytes.data(), values.size() * sizeof(Value),
                reinterpret_cast<char*>(values.data()));
  };
  state(rounds_);
  for (TreeArrays* trees : {&trees_, &pair_trees_}) {
    plain(trees->roots);
    plain(trees->nodes);
    plain(trees->values);
  }
  for (std::size_t r = 0; r < potentials_.state.rows(); ++r) state(potentials_.state[r]);
  for (std::size_t i = 0; i < potentials_.transition.rows(); ++i) {
    state(potentials_.transition[i]);
  }
  for (std::vector<float>& pair : potentials_.pair) state(std::span<float>(pair));
}

template <class Real>
BoostingResult Boosting::run_in(const BoostingOptions& options, const HoldoutScorer& scorer,
                                const Callback& callback) {
  Growth growth(options.threads);
  const bool shared = options.trees == TreeSharing::shared;
  PotentialFunction<Real> function(encoder_.data, labels(), tree_width(options), growth.pool);
  growth.grown.resize(growth.pool.threads());
  if (shared) growth.shared = std::make_unique<TreeFitter>(*features_, tree_width(options));
  for (std::size_t w = 0; w < growth.pool.threads() && (!shared || options.pair_trees); ++w) {
    growth.fitters.push_back(std::make_unique<TreeFitter>(*features_, 1));
  }
  struct Best {
    std::size_t round = 0;
    double objective = 0;
    HoldoutScore score;
    void archive(StateArchive& state) {
      state(round);
      state(objective);
      state(score);
    }
  };
  std::optional<Best> best;
  double before = std::numeric_limits<double>::infinity();
  const auto archive = [&](StateArchive& state) {
    archive_model(state);
    state(best);
    state(before);
  };
  if (options.checkpoints != nullptr) {
    options.checkpoints->set_fingerprint(fingerprint(options));
    options.checkpoints->restore(archive);
  }
  BoostingResult result;
  result.sharing = options.trees;
  result.features = features_->features();
  for (;;) {
    const std::size_t round = rounds_.size();
    const double objective = function.evaluate(potentials_, growth.gradient);
    result.objective = objective;
    result.holdout.reset();
    if (!holdout_.empty()) result.holdout = scorer(label_holdout(growth.pool));
    double squares = 0;
    const std::size_t stride = TreeGradient::stride(tree_width(options));
    for (std::size_t k = 0; k < growth.gradient.state.size(); k += 2 * stride) {
      for (std::size_t c = 0; c < stride; ++c) {
        squares += double{growth.gradient.state[k + c]} * double{growth.gradient.state[k + c]};
      }
    }
    if (result.holdout && options.early_stop > 0 &&
        (!best || result.holdout->score() > best->score.score())) {
      best = Best{round, objective, *result.holdout};
    }
    const BoostingProgress progress{round,
                                    options.rounds,
                                    objective,
                                    std::sqrt(squares),
                                    trees_.roots.size() + pair_trees_.roots.size(),
                                    leaves(shared),
                                    result.holdout};
    if (callback && !callback(progress)) result.stop = "stopped";
    if (result.stop.empty() && best && round >= best->round + options.early_stop) {
      result.stop = "early_stop";
    }
    if (result.stop.empty() && options.tolerance > 0 &&
        before - objective <= options.tolerance * std::max(1.0, std::abs(objective))) {
      result.stop = "converged";
    }
    if (result.stop.empty() && round >= options.rounds) result.stop = "max_rounds";
    if (!result.stop.empty()) break;
    if (options.checkpoints != nullptr) options.checkpoints->offer(archive);
    before = objective;
    draw_rows(options, round, growth);
    fit_states(options, round, growth);
    step_transitions(options, growth.gradient);
    if (options.pair_trees) {  // at what the others have left: three steps at once would overshoot
      function.evaluate(potentials_, growth.gradient);
      fit_pairs(options, round, growth);
    }
    close_round();
  }
  if (best && best->round < rounds_.size()) {
    cut_back(best->round);
    result.objective = best->objective;
    result.holdout = best->score;
  }
  result.rounds = rounds_.size();
  result.trees = trees_.roots.size() + pair_trees_.roots.size();
  result.leaves = leaves(shared);
  result.attributes = tested_attributes(trees());
  return result;
}

std::uint64_t Boosting::fingerprint(const BoostingOptions& options) const {
  Fingerprint of;
  const ChainData& data = encoder_.data;
  of.add(data.sequence_begin);
  of.add(data.label);
  of.add(data.label_sets.begin);
  of.add(data.label_sets.label);
  of.add(data.weight);
  of.add(data.node.begin);
  of.add(data.node.id);
  of.add(data.node.value);
  for (const StringTable* names : {&encoder_.node_names, &encoder_.label_names}) {
    for (std::uint32_t k = 0; k < names->size(); ++k) of.add((*names)[k]);
  }
  for (const TextSequence& text : holdout_) {
    for (const StringLists* lists : {&text.node, &text.labels}) {
      for (std::size_t k = 0; k < lists->items(); ++k) {
        of.add(lists->item(k));
        const double value = lists->value(k);
        of.add(std::span(&value, 1));
      }
    }
  }
  StateArchive settings;
  const auto add = [&](auto value) { settings(value); };
  add(options.shrinkage);
  add(options.tree.leaves);
  add(options.tree.depth);
  add(options.tree.l2);
  add(options.tree.min_child_weight);
  add(options.tree.min_child_count);
  add(options.tree.min_gain);
  add(options.tree.feature_share);
  add(options.trees);
  add(options.pair_trees);
  add(options.row_share);
  add(options.trim);
  add(options.bins);
  add(options.early_stop);
  add(options.seed);
  of.add(settings.bytes());
  of.add(kind_);
  return of.value();
}

ContainerWriter Boosting::model(const nlohmann::json& training) const {
  BoostedParts parts;
  parts.kind = kind_;
  for (std::uint32_t y = 0; y < labels(); ++y) {
    parts.labels.emplace_back(encoder_.label_names[y]);
  }
  parts.extraction = &extractor_.config();
  for (std::uint32_t a = 0; a < attributes(); ++a) parts.names.push_back(encoder_.node_names[a]);
  parts.base = base_;
  for (std::size_t i = 0; i < potentials_.transition.rows(); ++i) {
    const std::span<const double> row = potentials_.transition[i];
    parts.transitions.insert(parts.transitions.end(), row.begin(), row.end());
  }
  const TreeArrays all = trees();
  parts.trees = &all;
  parts.rounds = rounds_.size();
  parts.training = &training;
  return make_boosted_model(parts);
}

}  // namespace croft
