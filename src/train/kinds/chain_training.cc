#include "train/kinds/chain_training.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/json.h"
#include "core/vector_math.h"
#include "croft/core/error.h"

#include "train/course/watched_run.h"
#include "train/gold_check.h"
#include "train/induction/feature_rounds.h"

namespace croft {

void check_init(const ChainModel& init, const TrainOptions& options) {
  if (init.vote() != nullptr || init.kernel() != nullptr) {
    throw UsageError(init.container().name() +
                     ": a vote or a kernel is not one vector of weights to start from");
  }
  if (chain_kind(init.kind()) != options.kind) {
    throw UsageError(init.container().name(), ": this model is of kind ", init.kind(),
                     "; go on from it with --model ", init.kind());
  }
  if (init.order() == options.order) return;
  throw UsageError(init.container().name(), ": this model is of order ", init.order(),
                   "; go on from it with --order ", init.order());
}

WeightPrior make_prior(const TrainOptions& options, const ChainLayout& layout,
                       std::span<const FeatureWeight> start,
                       const std::function<ChainNames()>& names) {
  WeightPrior prior;
  if (options.prior) {
    prior.mean.assign(layout.dimension(), 0.0);
    for (const FeatureWeight& each : start) prior.mean[each.feature] = each.weight;
  }
  if (!options.variances) return prior;
  const ChainNames each = names();
  std::vector<std::string_view> all(each.tied.begin(), each.tied.begin() + layout.tied.rows());
  all.insert(all.end(), each.node.begin(), each.node.end());
  all.insert(all.end(), each.edge.begin(), each.edge.end());
  prior.scale = prior_scale(layout, options.variances(all));
  return prior;
}

ChainTraining::ChainTraining(const Extractor& extractor, std::shared_ptr<const ChainModel> init,
                             ChainKind kind)
    : extractor_(extractor), kind_(kind), init_(std::move(init)) {
  if (kind != ChainKind::maxent) {
    tied_names_ = extractor.tied_names();
  } else if (extractor.has_edge_templates()) {
    throw UsageError(
        extractor.config().template_name +
        ": lines for pairs of labels (B) have no place in a model of kind maxent, whose "
        "labels do not depend on each other; delete them");
  }
  if (init_) keep_features_of(*init_);
}

void ChainTraining::read_partial_labels(const PartialLabels& how) {
  if (init_) check_labels_of(*init_, how);
  EncodedTraining::read_partial_labels(how);
}

void ChainTraining::add(const TextSequence& sequence, std::string_view file) {
  if (kind_ != ChainKind::maxent || sequence.length() <= 1) {
    EncodedTraining::add(sequence, file);
    return;
  }
  note_file(file);
  encoder_.add_positions(sequence, file);
}

// Whatever the labels of the data are: nothing is known here.
void ChainTraining::add_unlabelled(TextSequence sequence, std::string_view file) {
  if (!labelled_) labelled_ = encoder_.data.sequences();
  sequence.labels.clear();
  const std::optional<PartialLabels> partial = encoder_.partial;
  encoder_.partial.emplace();
  add(sequence, file);
  encoder_.partial = partial;
}

std::size_t ChainTraining::unlabelled_sequences() const {
  if (!labelled_) return unlabelled_.sequences();
  return encoder_.data.sequences() - *labelled_ + unlabelled_.sequences();
}

void ChainTraining::set_data(ChainEncoder encoded, std::optional<std::size_t> labelled) {
  assert(sequences() == 0 && !init_);
  note_file("");
  encoder_ = std::move(encoded);
  labelled_ = labelled;
}

void ChainTraining::add_holdout(TextSequence sequence, std::string_view) {
  holdout_.add(std::move(sequence));
}

std::shared_ptr<const LabelHistories> ChainTraining::histories_of(
    const TrainOptions& options) const {
  return choose_histories(encoder_.data, labels(),
                          {.order = options.order,
                           .histories = options.histories.value_or(HistorySet::seen),
                           .features = options.features,
                           .min_count = options.min_count,
                           .constraint = layout_.constraint.get(),
                           .kept = init_ ? init_->histories() : nullptr,
                           .ranks = options.ranks});
}

// With order >= 2.  Every sequence must have a labelling that the model gives a probability.
void ChainTraining::set_histories(const TrainOptions& options) {
  if (options.order == 1) return;
  const ChainData& data = encoder_.data;
  layout_.histories = histories_of(options);
  run_together(*options.ranks, [&] {
    const std::size_t n = first_without_path(*layout_.histories, data, layout_.constraint.get());
    if (n == data.sequences()) return;
    throw InputError({file_of(n), data.first_line[n]},
                     "no labelling that fits what is known of the sequence that begins here is "
                     "made of runs of labels that the data shows",
                     "", "take --histories allowed, or label more of the data in full");
  });
}

// Of the layout's rows: after lay_out().
ChainNames ChainTraining::names() const {
  const std::vector<std::string>& tied = tied_names_;
  return {.labels = encoder_.label_names.strings(),
          .tied = {tied.begin(), tied.end()},
          .node = row_names(encoder_.node_names, renumbering_.node, layout_.node),
          .edge = row_names(encoder_.edge_names, renumbering_.edge, layout_.edge)};
}

// Of the labels as they are now; null: everything is allowed.
std::shared_ptr<const ChainConstraint> ChainTraining::make_constraint(
    const TrainOptions& options) const {
  if (options.constraint || !init_ || !init_->constraint()) {
    return checked_constraint(options.constraint, *options.ranks);
  }
  const ConstraintMaker of_init = [&](std::span<const std::string> names) {
    if (init_->labels() == names.size()) return *init_->constraint();
    throw UsageError(init_->container().name(), ": its constraint does not say what the label ",
                     in_quotes(names[init_->labels()]), " may follow; say it with --constrain");
  };
  return checked_constraint(of_init, *options.ranks);
}

// Numbers the features, and says what is known of labellings: layout_.
void ChainTraining::lay_out(const TrainOptions& options, TrainResult& result) {
  if (init_) widen_kept_pairs(init_->labels());
  set_unlabelled(options);
  auto constraint = make_constraint(options);
  std::optional<TransitionGroups> groups;
  if (options.transition_groups && tied_names_.empty()) {
    throw UsageError(
        "--transition-groups shares weights of transitions, and the template has no line "
        "for transitions (B) that all positions have");
  }
  if (options.transition_groups) groups = options.transition_groups(label_list());
  encoder_.data.append(unlabelled_);  // its attributes count, too
  layout_ = make_chain_layout(encoder_.data, labels(), encoder_.node_names.size(),
                              encoder_.edge_names.size(),
                              {.features = options.features,
                               .min_count = options.min_count,
                               .tied_rows = tied_names_.size(),
                               .groups = groups ? &*groups : nullptr,
                               .kept = &kept_,
                               .ranks = options.ranks},
                              renumbering_);
  if (labelled_) unlabelled_ = encoder_.data.split_off(*labelled_);
  layout_.constraint = std::move(constraint);
  if (!groups) return;
  result.dropped_transitions =
      static_cast<std::size_t>(std::ranges::count(groups->of, TransitionGroups::kNone));
  const std::vector<std::uint32_t>& begin = layout_.shared.begin;
  for (std::size_t k = 0; k + 1 < begin.size(); ++k) {
    const std::uint32_t members = begin[k + 1] - begin[k];
    if (members > 1) result.shared_transitions += members;
  }
}

// What has no labels, apart; and features that expectations are of, whatever the data shows.
void ChainTraining::set_unlabelled(const TrainOptions& options) {
  if (!labelled_) return;
  std::vector<bool> present(encoder_.node_names.size());
  for (const std::uint32_t a : unlabelled_.node.id) present[a] = true;
  expectations_ = attribute_expectations(options.unlabelled, encoder_.label_names,
                                         encoder_.node_names, encoder_.data, present);
  for (const AttributeExpectation& each : expectations_) {
    for (Label y = 0; y < labels(); ++y) kept_.node.push_back({each.attribute, y});
  }
  std::ranges::sort(kept_.node);
  const auto same = std::ranges::unique(kept_.node);
  kept_.node.erase(same.begin(), same.end());
}

void ChainTraining::set_terms(const TrainOptions& options) {
  if (!options.unlabelled.terms()) return;
  const auto known =
      static_cast<std::size_t>(std::ranges::count_if(encoder_.data.label, is_one_label));
  terms_ = unlabelled_terms(options.unlabelled, expectations_, layout_, renumbering_, labels(),
                            known, unlabelled_.positions());
}

void ChainTraining::set_cost(const TrainOptions& options) {
  if (!info(options.objective).cost) return;
  const std::vector<std::string_view> labels = encoder_.label_names.strings();
  cost_ = options.cost ? options.cost(labels) : hamming_cost(labels.size(), 1);
}

// Those of kIntercept stand side by side; none where no position had it often enough.
Run ChainTraining::intercept_weights() const {
  const std::uint32_t attribute = encoder_.node_names.find(kIntercept);
  if (attribute == kUnknown || renumbering_.node[attribute] == kUnknown) return {0, 0};
  const std::uint32_t row = renumbering_.node[attribute];
  return {layout_.node.begin[row], static_cast<std::uint32_t>(layout_.node.length(row))};
}

ChainProblem ChainTraining::problem(const TrainOptions& options, ThreadPool& pool) const {
  // Methods that compute in double ask for whole gradients in single, where there are many
  // positions.
  const Method chosen = method(options);
  const Precision asked =
      has_precision(chosen) ? precision(options) : options.chosen_precision(positions());
  // A constraint leaves less to be lost: what single precision cannot tell is then more than the
  // gap that dual ascent is to end at.
  const bool fine = chosen == Method::dual_ascent && options.constraint &&
                    options.precision == Precision::automatic;
  const bool twice = fine || asked == Precision::twice;
  ChainProblem problem = problem_of(options, encoder_.data, layout_, pool);
  problem.block = options.block;
  problem.observed_pieces = options.observed_pieces;
  problem.cost = cost_.labels() > 0 ? &cost_ : nullptr;
  problem.twice = twice;
  problem.show_weights = holdout_.sequences() > 0;
  problem.method = method(options);
  // Each iteration solves for a whole step, where those of other methods are a direction.
  if (problem.method == Method::truncated_newton && kind_ == ChainKind::chain &&
      !options.own_stop) {
    problem.stop.window = 3;
  }
  if (options.free_intercept) problem.regulariser.free = intercept_weights();
  problem.prior = &prior_;
  if (terms_.any()) {
    problem.unlabelled = &unlabelled_;
    problem.terms = &terms_;
  }
  return problem;
}

std::uint64_t ChainTraining::fingerprint(const TrainOptions& options, const ChainProblem& problem,
                                         std::span<const FeatureWeight> start) const {
  const ChainNames all = names();
  return TrainingFingerprint{.problem = problem,
                             .names = all,
                             .partial = encoder_.partial,
                             .early_stop = options.early_stop,
                             .start = start,
                             .active_set = uses_active_set(options) ? &options.active_set : nullptr,
                             .holdout = &holdout_}
      .value();
}

OptimizeResult ChainTraining::train_all(const ChainProblem& problem,
                                        std::span<const FeatureWeight> start,
                                        const HoldoutScorer& scorer, TrainingWatch& watch,
                                        Checkpointer* checkpoints) {
  weights_.assign(layout_.dimension(), 0.0);
  for (const FeatureWeight& each : start) weights_[each.feature] = each.weight;
  return train_chain(problem, weights_, seen_by(watch, scorer, problem), checkpoints, findings_);
}

IterationCallback ChainTraining::seen_by(TrainingWatch& watch, const HoldoutScorer& scorer,
                                         const ChainProblem& problem) {
  return [&](const Iteration& iteration) {
    std::optional<HoldoutScore> score;
    if (holdout_.sequences() > 0 && !iteration.w.empty()) {
      score = scorer(
          best_labels(layout_, holdout_.data(), iteration.w, encoder_.label_names, problem.pool));
    }
    return watch.see(iteration, score, nullptr);
  };
}

// Iterations are counted over all rounds; those of a view have no hold-out score.
OptimizeResult ChainTraining::train_in_rounds(const UnlabelledOptions& options,
                                              const ChainProblem& problem,
                                              std::span<const FeatureWeight> start,
                                              const HoldoutScorer& scorer, TrainingWatch& watch,
                                              std::size_t& before, SelfTrainingReport& report) {
  weights_.assign(layout_.dimension(), 0.0);
  for (const FeatureWeight& each : start) weights_[each.feature] = each.weight;
  const IterationCallback shown = seen_by(watch, scorer, problem);
  const SelfTraining rounds{options.self_training, options.confidence,
                            rows_of_view(options.view, names().node)};
  const SelfTrainedChains::Train train = [&](const ChainData& data, SeenAttributes seen,
                                             std::span<double> w) {
    ChainProblem one{.data = data, .layout = layout_, .pool = problem.pool};
    one.cost = problem.cost;
    one.twice = problem.twice;
    one.show_weights = problem.show_weights;
    one.method = problem.method;
    one.settings = problem.settings;
    one.regulariser = problem.regulariser;
    one.prior = problem.prior;
    one.stop = problem.stop;
    one.seed = problem.seed;
    const OptimizeResult result = train_chain(
        one, w,
        [&](const Iteration& iteration) {
          return seen == SeenAttributes::all ? shown(iteration)
                                             : watch.see(iteration, std::nullopt, nullptr);
        },
        nullptr, findings_);
    before += result.iterations;
    return result;
  };
  SelfTrainedChains data(rounds, encoder_.data, unlabelled_, layout_, problem.pool, train);
  return self_train(data, rounds.rounds, !rounds.view.empty(), weights_, report);
}

ActiveSetResult ChainTraining::train_some(const TrainOptions& options, const ChainProblem& problem,
                                          std::span<const FeatureWeight> start,
                                          const HoldoutScorer& scorer, TrainingWatch& watch,
                                          Checkpointer* checkpoints) {
  std::size_t round = 0;
  ChainData holdout;  // with the ids of the round's layout
  const auto see = [&](const ActiveSet& set, const Iteration& iteration) {
    std::optional<HoldoutScore> score;
    if (holdout_.sequences() > 0) {
      if (set.round != round) {
        holdout = holdout_.data();
        renumber(set.selection, holdout);
        round = set.round;
      }
      score = scorer(best_labels(set.selection.layout, holdout, iteration.w, encoder_.label_names,
                                 problem.pool));
    }
    return watch.see(iteration, score, &set.selection);
  };
  const auto make = [&](const ChainData& data, const ChainLayout& layout) {
    return make_chain_function(problem, data, layout);
  };
  LbfgsOptions owlqn;
  owlqn.history = options.settings.history;
  owlqn.stop = options.stop;
  return train_active_set(encoder_.data, layout_, make, start, problem.regulariser, owlqn,
                          options.active_set, problem.pool, see, checkpoints);
}

// From the candidates to those that were trained.
void ChainTraining::narrow_to(FeatureSelection selection) {
  const auto follow = [](const std::vector<std::uint32_t>& next, std::vector<std::uint32_t>& ids) {
    for (std::uint32_t& id : ids) {
      if (id != kUnknown) id = next[id];
    }
  };
  follow(selection.renumbering.node, renumbering_.node);
  follow(selection.renumbering.edge, renumbering_.edge);
  layout_ = std::move(selection.layout);
}

// The hold-out is labelled by one vector of weights.
void ChainTraining::check_holdout(const TrainOptions& options) const {
  const bool vote = method(options) == Method::voted_perceptron;
  if (holdout_.sequences() == 0 || !(vote || options.settings.kernel)) return;
  throw UsageError("--holdout scores one vector of weights, which ",
                   vote ? Message("a vote") : "a kernel", " is not; evaluate the model afterwards");
}

void ChainTraining::check(const TrainOptions& options) const {
  options.validate();
  options.unlabelled.check_data(unlabelled_sequences());
  if (init_) check_init(*init_, options);
  MethodChoice choice = options.choice(init_ != nullptr, positions());
  choice.partial = partial_positions() > 0;
  choice.weighted = weighted();
  check_choice(choice);
  check_holdout(options);
  if (choice.partial && (options.rounds.induction || options.rounds.unsupported)) {
    throw UsageError(
        "--induce and --unsupported compare probabilities with the true label, and some positions "
        "have several: label them, or leave these options out");
  }
  if (options.free_intercept && !extractor_.config().intercept) {
    throw UsageError("the intercept is to be unpenalised, and there is none: give --intercept");
  }
  require_data();
}

TrainResult ChainTraining::run(const TrainOptions& options, const HoldoutScorer& scorer,
                               const Callback& callback) {
  layout_.histories.reset();
  if (labelled_) unlabelled_ = encoder_.data.split_off(*labelled_);
  if (options.label_weights) {
    weigh_by_label(*options.label_weights, encoder_.label_names.strings(), encoder_.data);
  }
  check(options);
  take_waves(*options.ranks, labels());
  TrainResult result;
  ChainData whole;  // by the encoder's numbers, where other features are to be chosen of it
  if (options.rounds.any()) whole = encoder_.data;
  lay_out(options, result);
  set_histories(options);
  if (layout_.dimension() == 0) {
    throw Error("no feature is left to train; lower --min-count, or give positions attributes");
  }
  std::vector<FeatureWeight> start;
  if (init_) start = initial_weights(*init_);
  holdout_.encode(encoder_, renumbering_, layout_);
  set_cost(options);
  set_terms(options);
  prior_ = make_prior(options, layout_, start, [&] { return names(); });

  ThreadPool pool(options.threads, *options.ranks, *options.helpers);
  const ChainProblem problem = this->problem(options, pool);
  std::size_t before = 0;  // iterations of rounds after which features changed
  const Callback counted = [&](const TrainProgress& local) {
    if (before == 0) return callback(local);
    if (local.iteration.number == 0) return true;  // the end of the last round
    Iteration now = local.iteration;
    now.number += before;
    return callback({now, local.max_iterations, local.holdout});
  };
  TrainingWatch watch(options.stop.max_iterations, options.early_stop, counted);
  if (options.checkpoints != nullptr) {
    options.checkpoints->set_fingerprint(fingerprint(options, problem, start));
  }
  NestedCheckpoints checkpoints(options.checkpoints,
                                [&](StateArchive& state) { watch.archive(state); });
  checkpoints.resume();
  result.dimension = layout_.dimension();
  FeatureSelection selection;
  if (options.rounds.any()) {
    FeatureRoundsTraining rounds(*this, std::move(whole), options, pool, scorer, callback);
    result.optimization = rounds.run(start, watch, before, result.rounds.emplace());
    result.dimension = layout_.dimension();
    conjunctions_ = rounds.conjunctions();
  } else if (uses_active_set(options)) {
    ActiveSetResult trained = train_some(options, problem, start, scorer, watch, &checkpoints);
    result.optimization = std::move(trained.optimization);
    result.active_set = {trained.set.round, trained.weights.size(), trained.largest_violation};
    weights_ = std::move(trained.weights);
    selection = std::move(trained.set.selection);
  } else if (options.unlabelled.self_training > 0) {
    result.optimization = train_in_rounds(options.unlabelled, problem, start, scorer, watch, before,
                                          result.self_training.emplace());
  } else {
    result.optimization = train_all(problem, start, scorer, watch, &checkpoints);
  }
  if (!init_) require_progress(result.optimization);
  if (auto best = end_watch(watch, options.early_stop, weights_, result)) {
    *result.best_iteration += before;
    std::ranges::sort(best->features);
    if (result.active_set) {
      selection = select_features(layout_, best->features);
      result.active_set->largest_violation.reset();
    }
  }
  if (result.active_set) narrow_to(std::move(selection));
  result.active = count_nonzero(weights_);
  return result;
}

// Where many features have a weight that OWL-QN would leave at 0.
bool ChainTraining::uses_active_set(const TrainOptions& options) const {
  return method(options) == Method::owlqn && options.regulariser.l1 > 0 && !options.variances &&
         !options.unlabelled.any() &&
         (options.objective == Objective::likelihood ||
          options.objective == Objective::softmax_margin) &&
         layout_.dimension() >= options.active_set_from;
}

ContainerWriter ChainTraining::model(const Json& training) const {
  ChainNames all = names();
  ChainModelParts parts;
  parts.kind = name_of(kind_);
  parts.labels.assign(all.labels.begin(), all.labels.end());
  parts.tied_names.assign(all.tied.begin(), all.tied.end());
  parts.node_names = std::move(all.node);
  parts.edge_names = std::move(all.edge);
  ExtractionConfig extraction = extractor_.config();
  extraction.conjunctions.insert(extraction.conjunctions.end(), conjunctions_.begin(),
                                 conjunctions_.end());
  parts.extraction = &extraction;
  parts.layout = &layout_;
  parts.weights = weights_;
  parts.training = &training;
  if (findings_.vote) parts.vote = &*findings_.vote;
  if (findings_.kernel) parts.kernel = &*findings_.kernel;
  return make_chain_model(parts);
}

}  // namespace croft
