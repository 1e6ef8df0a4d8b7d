#include "train/kinds/hidden_chain_training.h"

#include <limits>

#include "core/json.h"
#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/chain_risk.h"
#include "croft/inference/chain_sum.h"
#include "model/linear_scorer.h"
#include "train/course/watched_run.h"
#include "train/functions/chain_em.h"
#include "train/part_checkpoints.h"

namespace croft {
void HiddenChainOptions::validate() const {
  if (states < 1) throw UsageError("--hidden-states must be at least 1");
  for (const auto& [label, count] : states_of) {
    if (count < 1) throw UsageError("--hidden-states ", label, "=0: a label has at least 1");
  }
  if (!(start_deviation >= 0)) throw UsageError("--start-deviation must be 0 or more");
  if (starts < 1) throw UsageError("--starts must be at least 1");
  if (em_iterations == 0) throw UsageError("--em-iterations of a hidden-chain is 1 or more");
}

HiddenChainTraining::HiddenChainTraining(const Extractor& extractor) : extractor_(extractor) {}

Method HiddenChainTraining::method(const TrainOptions& options) const {
  return options.chosen_method(true, positions());
}

// EM compares objectives that differ by little.
Precision HiddenChainTraining::precision(const TrainOptions& options,
                                         const HiddenChainOptions& hidden) const {
  if (!has_precision(method(options))) return Precision::twice;
  if (hidden.em_iterations && options.precision == Precision::automatic) return Precision::twice;
  return options.chosen_precision(positions());
}

void HiddenChainTraining::check(const TrainOptions& options,
                                const HiddenChainOptions& hidden) const {
  options.validate();
  hidden.validate();
  if (options.objective != Objective::likelihood) {
    throw UsageError("--objective ", info(options.objective).name,
                     " knows no hidden states, which are summed over: leave it out");
  }
  MethodChoice choice = options.choice(true, positions());
  choice.partial = true;
  choice.weighted = weighted();
  check_choice(choice);
  require_data();
}

void HiddenChainTraining::set_states(const HiddenChainOptions& hidden) {
  std::vector<std::size_t> count(labels(), hidden.states);
  for (const auto& [label, states] : hidden.states_of) {
    const std::uint32_t id = encoder_.label_names.find(label);
    if (id == kUnknown) {
      throw UsageError("--hidden-states ", label, "=", states, ": the data has no label ",
                       in_quotes(label));
    }
    count[id] = states;
  }
  states_ = make_hidden_states(count);
  const bool random =
      hidden.starts > 1 || hidden.start_deviation != HiddenChainOptions().start_deviation;
  if (states_.size() == labels() && random) {
    throw UsageError(hidden.starts > 1 ? Message("--starts") : "--start-deviation",
                     " is of the random weights that hidden states need, and here each label has "
                     "one state: leave it out");
  }
  constexpr std::size_t kMostStates = std::size_t{1} << 15;
  if (states_.size() > kMostStates) {
    throw UsageError("--hidden-states: ", states_.size(),
                     " states in all are more than 32,768; give fewer");
  }
}

// The gold in states, and the features of states.
void HiddenChainTraining::lay_out(const TrainOptions& options) {
  constraint_ = checked_constraint(options.constraint, *options.ranks);
  StateGold gold;
  to_states(states_, encoder_.data.label, encoder_.data.label_sets, gold);
  encoder_.data.label = std::move(gold.known);
  encoder_.data.label_sets = std::move(gold.sets);
  layout_ = make_chain_layout(encoder_.data, states_.size(), encoder_.node_names.size(),
                              encoder_.edge_names.size(),
                              {.features = options.features,
                               .min_count = options.min_count,
                               .tied_rows = extractor_.tied_names().size(),
                               .ranks = options.ranks},
                              renumbering_);
  if (constraint_) {
    layout_.constraint =
        std::make_shared<const ChainConstraint>(over_states(*constraint_, states_));
  }
  if (layout_.dimension() == 0) {
    throw Error("no feature is left to train; lower --min-count, or give positions attributes");
  }
}

// 0 where a label has one state: it needs no telling apart, and a chain without hidden states
// starts as one.
std::vector<double> HiddenChainTraining::random_start(const TrainOptions& options,
                                                      const HiddenChainOptions& hidden,
                                                      std::size_t start) const {
  Random random(options.seed + start);
  std::vector<double> w(layout_.dimension());
  const auto several = [&](std::uint32_t s) { return states_.count(states_.label_of[s]) > 1; };
  const auto draw = [&](const RowLayout& rows, bool pairs) {
    const std::size_t states = states_.size();
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      for (std::size_t k = 0; k < rows.length(r); ++k) {
        const std::uint32_t cell = rows.cell_of(r, k);
        const bool drawn = pairs ? several(static_cast<std::uint32_t>(cell / states)) ||
                                       several(static_cast<std::uint32_t>(cell % states))
                                 : several(cell);
        if (drawn) w[rows.begin[r] + k] = hidden.start_deviation * random.normal();
      }
    }
  };
  draw(layout_.tied, true);
  draw(layout_.node, false);
  draw(layout_.edge, true);
  return w;
}

// At each position the label whose states are most probable together.
std::vector<std::vector<std::string_view>> HiddenChainTraining::label_holdout(
    std::span<const double> w, ThreadPool& pool) const {
  const ChainData& data = holdout_.data();
  LinearScorer<double> scorer(layout_);
  scorer.set_weights(w, pool);
  struct Worker {
    ChainScores<double> scores;
    ForwardBackwardWorkspace<double> sums;
    Matrix<double> states, labels;
  };
  std::vector<Worker> workers(pool.threads());
  const auto label = [&](std::size_t n, std::size_t worker, std::span<Label> y) {
    Worker& own = workers[worker];
    scorer.score(data, n, own.scores);
    own.states.reshape(y.size(), states_.size());
    const double log_z =
        marginals<double>(own.scores, 1, own.sums, {own.states.row(0), nullptr, nullptr});
    if (!(log_z > -std::numeric_limits<double>::infinity())) return;
    own.labels.assign(y.size(), labels(), 0);
    for (std::size_t t = 0; t < y.size(); ++t) {
      for (Label s = 0; s < states_.size(); ++s) {
        own.labels(t, states_.label_of[s]) += own.states(t, s);
      }
    }
    posterior_decode(own.labels, y);
  };
  return names_of_labels(
      data.sequence_begin, label, [&](Label y) { return encoder_.label_names[y]; }, pool);
}

// Of states and starts, beside what a chain over the states has.
std::uint64_t HiddenChainTraining::fingerprint(const TrainOptions& options,
                                               const HiddenChainOptions& hidden,
                                               const ChainProblem& problem) const {
  HiddenChainOptions of = hidden;
  bool em = of.em_iterations.has_value();
  std::vector<std::uint32_t> label_of(states_.label_of.begin(), states_.label_of.end());
  StateArchive own;
  own(label_of, of.start_deviation, of.starts, em);
  ChainNames names{.labels = encoder_.label_names.strings(),
                   .tied = {},
                   .node = row_names(encoder_.node_names, renumbering_.node, layout_.node),
                   .edge = row_names(encoder_.edge_names, renumbering_.edge, layout_.edge)};
  names.labels.push_back(own.bytes());
  return TrainingFingerprint{.problem = problem,
                             .names = names,
                             .partial = encoder_.partial,
                             .early_stop = options.early_stop,
                             .holdout = &holdout_}
      .value();
}

HiddenChainTraining::Result HiddenChainTraining::run(const TrainOptions& options,
                                                     const HiddenChainOptions& hidden,
                                                     const ChainTraining::HoldoutScorer& scorer,
                                                     const Callback& callback) {
  check(options, hidden);
  set_states(hidden);
  take_waves(*options.ranks, states_.size());
  lay_out(options);
  holdout_.encode(encoder_, renumbering_, layout_);
  ThreadPool pool(options.threads, *options.ranks);
  ChainProblem problem = problem_of(options, encoder_.data, layout_, pool);
  problem.twice = precision(options, hidden) == Precision::twice;
  problem.show_weights = holdout_.sequences() > 0;
  problem.method = method(options);
  if (hidden.em_iterations) problem.stop.max_iterations = *hidden.em_iterations;

  Result result;
  result.states = states_.size();
  if (options.checkpoints != nullptr) {
    options.checkpoints->set_fingerprint(fingerprint(options, hidden, problem));
  }
  TrainResult found;
  std::vector<double> w;
  const TrainStart train = [&](std::size_t start, CheckpointFolder* own_state) {
    w = random_start(options, hidden, start);
    found = {};
    const TrainingCallback report = [&](const TrainProgress& now) {
      return !callback || callback(start, now);
    };
    WatchedRun run{.max_iterations = problem.stop.max_iterations,
                   .early_stop = options.early_stop,
                   .callback = report,
                   .checkpoints = own_state};
    if (holdout_.sequences() > 0) {
      run.score = [&](auto now) { return scorer(label_holdout(now, pool)); };
    }
    if (hidden.em_iterations) {
      run.optimise = [&](std::span<double> at, const IterationCallback& see, Checkpointer* own) {
        return train_chain_em(problem, at, see, own);
      };
    }
    const bool stopped = run_watched(run, problem, w, found);
    return StartEnd{found.optimization.objective, stopped};
  };
  const auto keep = [&](std::size_t start) {
    result.kept_start = start;
    result.train = std::move(found);
    weights_ = std::move(w);
  };
  result.objectives =
      best_of_starts(hidden.starts, train, keep, options.checkpoints, [&](StateArchive& state) {
        state(result.kept_start);
        archive_result(state, result.train.optimization);
        state(result.train.holdout, result.train.best_iteration, result.train.curve, weights_);
      });
  result.train.dimension = layout_.dimension();
  result.train.active = count_nonzero(weights_);
  return result;
}

ContainerWriter HiddenChainTraining::model(const Json& training) const {
  HiddenChainParts parts;
  parts.labels = label_list();
  parts.states = &states_;
  parts.extraction = &extractor_.config();
  parts.layout = &layout_;
  parts.constraint = constraint_ ? &*constraint_ : nullptr;
  parts.tied_names.assign(extractor_.tied_names().begin(), extractor_.tied_names().end());
  parts.node_names = row_names(encoder_.node_names, renumbering_.node, layout_.node);
  parts.edge_names = row_names(encoder_.edge_names, renumbering_.edge, layout_.edge);
  parts.weights = weights_;
  parts.training = &training;
  return make_hidden_chain_model(parts);
}

}  // namespace croft
