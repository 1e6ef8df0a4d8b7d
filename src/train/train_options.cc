#include "train/train_options.h"

#include <algorithm>

#include "croft/core/error.h"

namespace croft {
namespace {

std::vector<double> balanced_weights(const ChainData& data, std::size_t labels) {
  std::vector<double> count(labels, 0.0);
  for (const Label y : data.label) ++count[y];
  const auto seen = std::ranges::count_if(count, [](double n) { return n > 0; });
  const double share = static_cast<double>(data.sequences()) / static_cast<double>(seen);
  for (double& n : count) n = n > 0 ? share / n : 1;
  return count;
}

}  // namespace

void weigh_by_label(const LabelWeights& weights, std::span<const std::string_view> names,
                    ChainData& data) {
  const std::vector<double> of_label =
      weights.file ? weights_of(*weights.file, names) : balanced_weights(data, names.size());
  data.weight.resize(data.sequences(), 1.0);
  for (std::size_t n = 0; n < data.sequences(); ++n) data.weight[n] *= of_label[data.label[n]];
}

namespace {

// What goes with features that change as training goes on.
void check_rounds(const TrainOptions& o) {
  const FeatureRounds& rounds = o.rounds;
  if (!rounds.any()) return;
  rounds.validate();
  const Message name = rounds.induction     ? "--induce"
                       : rounds.unsupported ? Message("--unsupported")
                                            : "--select";
  const auto require = [&](bool holds, const Message& what) {
    if (!holds) throw UsageError(name, " ", what);
  };
  const bool by_position = o.objective == Objective::likelihood || o.objective == Objective::local;
  require(!rounds.select_l1 || info(o.objective).by_default != info(o.objective).with_l1,
          {"selects by l1, which --objective ", info(o.objective).name, " has not"});
  require(rounds.select_l1 || by_position,
          "looks at the probabilities of single labels: it goes with --objective likelihood");
  require(!o.method || *o.method == Method::lbfgs || *o.method == Method::owlqn,
          "trains by lbfgs, or with --l1 by owlqn; leave out --optimizer");
  require(o.order == 1, "goes with --order 1");
  require(!o.prior && !o.variances,
          {"has no use for ", o.prior ? Message("--prior") : "--variances"});
  require(o.checkpoints == nullptr,
          "keeps no state of rounds whose features change: leave out the checkpoint");
  require(!rounds.induction || o.regulariser.l2 > 0,
          "needs --l2 above 0: without it a feature that is never wrong has no best weight");
  require(!(rounds.induction && rounds.induction->pairs) || o.kind == ChainKind::chain,
          "finds features of two labels (--induce-pairs) for --model chain alone");
  require(!rounds.select_l1 || o.regulariser.l1 == 0,
          "l1:VALUE fits the features that are left without l1; leave out --l1");
  require(!rounds.unsupported || o.features == FeatureSet::observed,
          "adds to the features that the data shows, and --features all has all of them: take "
          "--features observed");
}

void check_unlabelled(const TrainOptions& o) {
  if (!o.unlabelled.any()) return;
  o.unlabelled.validate();
  const auto require = [&](bool holds, const Message& what) {
    if (!holds) throw UsageError("data without labels (--unlabelled) ", what);
  };
  require(o.objective == Objective::likelihood, "goes with --objective likelihood");
  require(o.kind != ChainKind::memm, "goes with --model chain, segment and maxent");
  require(!o.rounds.any(), "does not go with --induce, --unsupported and --select");
  require(
      o.unlabelled.self_training == 0 || o.checkpoints == nullptr,
      "is labelled anew in each round of --self-training, of which --checkpoint keeps no state");
}

}  // namespace

void TrainOptions::validate() const {
  if (min_count < 1) throw UsageError("--min-count must be at least 1; 1 keeps every feature");
  if (order < 1 || order > kMostOrder) {
    throw UsageError("--order ", order, " is not 1 to ", kMostOrder);
  }
  if (order == 1 && histories) {
    throw UsageError("--histories goes with --order 2 or more; a chain of order 1 has none");
  }
  if ((kind == ChainKind::memm) != (objective == Objective::local)) {
    throw UsageError(kind == ChainKind::memm
                         ? Message("a memm is trained by its own likelihood; leave out --objective")
                         : "--objective local is the likelihood of --model memm");
  }
  if (kind == ChainKind::maxent && info(objective).neighbours) {
    throw UsageError("--objective ", info(objective).name,
                     " leaves out neighbours, and the positions of a maxent model have none: it is "
                     "the likelihood; leave out --objective");
  }
  if (block < 1) throw UsageError("--block is 0; it must be at least 1");
  check_rounds(*this);
  check_unlabelled(*this);
  regulariser.validate();
  stop.validate();
}

Method TrainOptions::chosen_method(bool from_weights) const {
  const bool by_batch = rounds.any() || unlabelled.any();
  if (by_batch && !method) return regulariser.l1 > 0 ? Method::owlqn : Method::lbfgs;
  const Method chosen = method.value_or(default_method(objective, regulariser, from_weights));
  if (free_intercept && !method && chosen == Method::sgd_lbfgs) return Method::lbfgs;
  if (settings.gap && !method && chosen == Method::sgd_lbfgs) return Method::dual_ascent;
  const bool dual = !info(chosen).init;
  return dual && order > 1 && !method ? Method::averaged_sgd : chosen;
}

// Where L-BFGS takes no time to speak of, the shortest way is the best.
Method TrainOptions::chosen_method(bool from_weights, std::size_t positions) const {
  const Method chosen = chosen_method(from_weights);
  const bool asked_for = method || settings.passes || settings.step || settings.batch;
  const bool few = positions < kFewPositions;
  return chosen == Method::sgd_lbfgs && few && !asked_for ? Method::lbfgs : chosen;
}

Precision TrainOptions::chosen_precision(std::size_t positions) const {
  if (precision != Precision::automatic) return precision;
  return positions < kFewPositions ? Precision::twice : Precision::single;
}

MethodChoice TrainOptions::choice(bool from_weights, std::size_t positions) const {
  return {.objective = objective,
          .method = chosen_method(from_weights, positions),
          .regulariser = regulariser,
          .settings = settings,
          .max_iterations = stop.max_iterations,
          .unlabelled = unlabelled.any(),
          .init = from_weights,
          .prior = prior,
          .variances = static_cast<bool>(variances),
          .free_intercept = free_intercept,
          .independent = kind == ChainKind::maxent,
          .order = order,
          .block = block != TrainOptions().block,
          .window = stop.window != StoppingRule().window,
          .single = precision == Precision::single};
}

ChainProblem problem_of(const TrainOptions& options, const ChainData& data,
                        const ChainLayout& layout, ThreadPool& pool) {
  return {.data = data,
          .layout = layout,
          .pool = pool,
          .objective = options.objective,
          .by_default = !options.method && !options.settings.gap,
          .settings = options.settings,
          .regulariser = options.regulariser,
          .stop = options.stop,
          .seed = options.seed};
}

}  // namespace croft
