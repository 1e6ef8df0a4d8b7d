#include "croft/train/chain_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "croft/core/error.h"
#include "croft/inference/chain_viterbi.h"
#include "croft/train/gold_check.h"

namespace croft {

void TrainOptions::validate() const {
  if (min_count < 1) throw UsageError("--min-count must be at least 1; 1 keeps every feature");
  if (order < 1 || order > kMostOrder) {
    throw UsageError("--order " + std::to_string(order) + " is not 1 to " +
                     std::to_string(kMostOrder));
  }
  if (order == 1 && histories) {
    throw UsageError("--histories goes with --order 2 or more; a chain of order 1 has none");
  }
  if (block < 1) throw UsageError("--block is 0; it must be at least 1");
  regulariser.validate();
  stop.validate();
}

void check_init(const ChainModel& init, const TrainOptions& options) {
  if (init.vote() != nullptr || init.kernel() != nullptr) {
    throw UsageError(init.container().name() +
                     ": a vote or a kernel is not one vector of weights to start from");
  }
  if (init.order() == options.order) return;
  throw UsageError(init.container().name() + ": this model is of order " +
                   std::to_string(init.order()) + "; go on from it with --order " +
                   std::to_string(init.order()));
}

ChainTraining::ChainTraining(const Extractor& extractor, std::shared_ptr<const ChainModel> init)
    : extractor_(extractor), init_(std::move(init)) {
  if (init_) keep_features_of(*init_);
}

void ChainTraining::read_partial_labels(const PartialLabels& how) {
  for (Label y = 0; init_ && y < init_->labels(); ++y) {
    const std::string& name = init_->label(y);
    if (name != how.any && name.find(how.separator) == name.npos) continue;
    throw UsageError(init_->container().name() + ": the label " + in_quotes(name) +
                     " would be read as a set of labels, or as any; choose another " +
                     "--partial-separator, or rename it and train from the start");
  }
  encoder_.partial = how;
}

void ChainTraining::add(const TextSequence& sequence, std::string_view file) {
  if (files_.empty() || files_.back().second != file) files_.emplace_back(sequences(), file);
  encoder_.add(sequence, file);
}

std::size_t ChainTraining::partial_positions() const {
  const auto known = std::ranges::count_if(encoder_.data.label, is_one_label);
  return positions() - static_cast<std::size_t>(known);
}

double ChainTraining::total_weight() const {
  CompensatedSum sum;
  for (std::size_t n = 0; n < sequences(); ++n) sum.add(encoder_.data.sequence_weight(n));
  return sum.value();
}

Precision ChainTraining::precision(const TrainOptions& options) const {
  if (options.precision != Precision::automatic) return options.precision;
  return positions() < kFewPositions ? Precision::twice : Precision::single;
}

void ChainTraining::add_holdout(TextSequence sequence) {
  if (sequence.length() > 0) holdout_text_.push_back(std::move(sequence));
}

// Hold-out attributes that training does not know have no weight and are left out.
void ChainTraining::encode_holdout() {
  const auto encode = [](const StringLists& lists, const StringTable& names, AttributeLists& out) {
    std::size_t k = 0;
    for (std::size_t p = 0; p < lists.lists(); ++p) {
      for (; k < lists.list_end(p); ++k) {
        const std::uint32_t id = names.find(lists.item(k));
        if (id == kUnknown) continue;
        out.id.push_back(id);
        out.value.push_back(lists.value(k));
      }
      out.begin.push_back(out.id.size());
    }
  };
  holdout_ = ChainData();
  for (const TextSequence& text : holdout_text_) {
    encode(text.node, encoder_.node_names, holdout_.node);
    if (encoder_.data.has_edges()) encode(text.edge, encoder_.edge_names, holdout_.edge);
    holdout_.label.resize(holdout_.label.size() + text.length());
    holdout_.sequence_begin.push_back(holdout_.label.size());
  }
  renumber_lists(renumbering_.node, layout_.node_classes, holdout_.node);
  renumber_lists(renumbering_.edge, RowClasses(), holdout_.edge);
}

// Of weights w of a layout, whose ids the hold-out has.
HoldoutScore ChainTraining::score_holdout(const ChainLayout& layout, const ChainData& holdout,
                                          std::span<const double> w, const HoldoutScorer& scorer,
                                          ThreadPool& pool) const {
  LinearScorer<float> linear(layout);
  linear.set_weights(w, pool);
  std::vector<std::vector<std::string_view>> predicted(holdout.sequences());
  struct Worker {
    ChainScores<float> scores, lifted;
    ViterbiWorkspace<float> viterbi;
    std::vector<Label> y;
  };
  std::vector<Worker> workers(pool.threads());
  pool.run(holdout.sequences(), [&](std::size_t n, std::size_t worker) {
    Worker& own = workers[worker];
    linear.score(holdout, n, own.scores);
    own.y.resize(own.scores.length());
    const HistoryScores<float>* histories = linear.histories();
    if (histories != nullptr) histories->lift(own.scores, own.lifted);
    const double best =
        viterbi<float>(histories != nullptr ? own.lifted : own.scores, own.viterbi, own.y);
    if (!(best > -std::numeric_limits<double>::infinity())) {
      predicted[n].resize(own.y.size());  // no labelling at all: every position is wrong
      return;
    }
    for (const Label y : own.y) {
      predicted[n].push_back(
          encoder_.label_names[histories != nullptr ? histories->histories().label_of[y] : y]);
    }
  });
  return scorer(predicted);
}

// With order >= 2.  Every sequence must have a labelling that the model gives a probability.
void ChainTraining::set_histories(const TrainOptions& options) {
  if (options.order == 1) return;
  const ChainData& data = encoder_.data;
  layout_.histories = choose_histories(data, labels(),
                                       {.order = options.order,
                                        .histories = options.histories.value_or(HistorySet::seen),
                                        .features = options.features,
                                        .min_count = options.min_count,
                                        .constraint = layout_.constraint.get(),
                                        .kept = init_ ? init_->histories() : nullptr});
  const std::size_t n = first_without_path(*layout_.histories, data, layout_.constraint.get());
  if (n == data.sequences()) return;
  throw InputError(
      {file_of(n), data.first_line[n]},
      "no labelling that fits what is known of the sequence that begins here is made of "
      "runs of labels that the data shows",
      "", "take --histories allowed, or label more of the data in full");
}

const std::string& ChainTraining::file_of(std::size_t n) const {
  const auto next = std::ranges::upper_bound(files_, n, {}, &decltype(files_)::value_type::first);
  return std::prev(next)->second;
}

std::vector<std::string> ChainTraining::names_of_labels() const {
  std::vector<std::string> names;
  for (Label y = 0; y < labels(); ++y) names.emplace_back(encoder_.label_names[y]);
  return names;
}

// Of the labels as they are now; null: everything is allowed.
std::shared_ptr<const ChainConstraint> ChainTraining::make_constraint(
    const TrainOptions& options) const {
  const std::vector<std::string> names = names_of_labels();
  std::shared_ptr<const ChainConstraint> constraint;
  if (options.constraint) {
    constraint = std::make_shared<const ChainConstraint>(options.constraint(names));
  } else if (init_ && init_->constraint()) {
    if (init_->labels() < labels()) {
      throw UsageError(init_->container().name() + ": its constraint does not say what the label " +
                       in_quotes(names[init_->labels()]) + " may follow; say it with --constrain");
    }
    constraint = std::make_shared<const ChainConstraint>(*init_->constraint());
  }
  if (!constraint) return nullptr;
  check_gold(*constraint, encoder_.data, names, [&](std::size_t n) { return file_of(n); });
  return constraint;
}

// Numbers the features, and says what is known of labellings: layout_.
void ChainTraining::lay_out(const TrainOptions& options, TrainResult& result) {
  if (init_) widen_kept_pairs(init_->labels());
  auto constraint = make_constraint(options);
  std::optional<TransitionGroups> groups;
  if (options.transition_groups && extractor_.tied_names().empty()) {
    throw UsageError(
        "--transition-groups shares weights of transitions, and the template has no line " +
        std::string("for transitions (B) that all positions have"));
  }
  if (options.transition_groups) groups = options.transition_groups(names_of_labels());
  layout_ = make_chain_layout(encoder_.data, labels(), encoder_.node_names.size(),
                              encoder_.edge_names.size(),
                              {.features = options.features,
                               .min_count = options.min_count,
                               .tied_rows = extractor_.tied_names().size(),
                               .groups = groups ? &*groups : nullptr,
                               .kept = &kept_},
                              renumbering_);
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

void ChainTraining::set_cost(const TrainOptions& options) {
  if (!info(options.objective).cost) return;
  std::vector<std::string_view> names;
  for (Label y = 0; y < labels(); ++y) names.push_back(encoder_.label_names[y]);
  cost_ = options.cost ? options.cost(names) : hamming_cost(names.size(), 1);
}

// Weights of `init` as the mean, variances by name.
void ChainTraining::set_prior(const TrainOptions& options, std::span<const FeatureWeight> start) {
  prior_ = WeightPrior();
  if (options.prior) {
    prior_.mean.assign(layout_.dimension(), 0.0);
    for (const FeatureWeight& each : start) prior_.mean[each.feature] = each.weight;
  }
  if (!options.variance) return;
  prior_.scale.assign(layout_.dimension(), 1.0);
  const auto set_row = [&](const RowLayout& rows, std::size_t row, std::string_view name) {
    const double scale = std::sqrt(options.variance(name));
    for (std::uint64_t k = rows.begin[row]; k < rows.begin[row + 1]; ++k) prior_.scale[k] = scale;
  };
  for (std::size_t row = 0; row < layout_.tied.rows(); ++row) {
    set_row(layout_.tied, row, extractor_.tied_names()[row]);
  }
  const auto set_rows = [&](const StringTable& names, const std::vector<std::uint32_t>& new_id,
                            const RowLayout& rows) {
    for (std::uint32_t a = 0; a < new_id.size(); ++a) {
      if (new_id[a] != kUnknown) set_row(rows, new_id[a], names[a]);
    }
  };
  set_rows(encoder_.node_names, renumbering_.node, layout_.node);
  set_rows(encoder_.edge_names, renumbering_.edge, layout_.edge);
}

Method ChainTraining::method(const TrainOptions& options) const {
  const Method chosen = options.chosen_method(init_ != nullptr);
  const MethodSettings& s = options.settings;
  const bool asked_for = options.method || s.passes || s.step || s.batch;
  // Where L-BFGS takes no time to speak of, the shortest way is the best.
  const bool few = positions() < kFewPositions;
  const bool dual = !info(chosen).init;
  if (dual && options.order > 1 && !options.method) return Method::averaged_sgd;
  return chosen == Method::sgd_lbfgs && few && !asked_for ? Method::lbfgs : chosen;
}

MethodChoice ChainTraining::choice(const TrainOptions& options) const {
  return {.objective = options.objective,
          .method = method(options),
          .regulariser = options.regulariser,
          .settings = options.settings,
          .partial = partial_positions() > 0,
          .init = init_ != nullptr,
          .prior = options.prior,
          .variances = static_cast<bool>(options.variance),
          .order = options.order};
}

ChainProblem ChainTraining::problem(const TrainOptions& options, ThreadPool& pool) const {
  return {.data = encoder_.data,
          .layout = layout_,
          .pool = pool,
          .objective = options.objective,
          .block = options.block,
          .cost = cost_.labels() > 0 ? &cost_ : nullptr,
          .twice = precision(options) == Precision::twice,
          .method = method(options),
          .settings = options.settings,
          .regulariser = options.regulariser,
          .prior = &prior_,
          .stop = options.stop,
          .seed = options.seed};
}

// Of everything that decides what a training does, but for when it stops.
std::uint64_t ChainTraining::fingerprint(const ChainProblem& problem) const {
  Fingerprint of;
  const auto add_lists = [&](const AttributeLists& lists) {
    of.add(lists.begin);
    of.add(lists.id);
    of.add(lists.value);
  };
  const ChainData& data = problem.data;
  of.add(data.sequence_begin);
  of.add(data.label);
  of.add(data.label_sets.label);
  of.add(data.weight);
  add_lists(data.node);
  add_lists(data.edge);
  of.add(layout_.node.begin);
  of.add(layout_.node.cell);
  of.add(prior_.mean);
  of.add(prior_.scale);
  for (std::size_t y = 0; y < cost_.labels(); ++y) of.add(cost_.table[y]);
  StateArchive options;
  const auto add = [&](auto value) { options(value); };
  add(problem.objective);
  add(problem.block);
  add(problem.method);
  add(problem.twice);
  add(problem.regulariser.l1);
  add(problem.regulariser.l2);
  add(problem.seed);
  add(layout_.dimension());
  const MethodSettings& s = problem.settings;
  add(s.history);
  add(s.step);
  add(s.schedule);
  add(s.decay);
  add(s.batch);
  add(s.average_from);
  add(s.passes);
  add(s.aggressiveness);
  add(s.best);
  add(s.variance);
  add(s.gamma);
  if (s.kernel) {
    add(s.kernel->type);
    add(s.kernel->scale);
    add(s.kernel->offset);
    add(s.kernel->degree);
    add(s.kernel->gamma);
  }
  of.add(std::span(options.bytes()));
  return of.value();
}

OptimizeResult ChainTraining::train_all(const ChainProblem& problem,
                                        std::span<const FeatureWeight> start,
                                        const HoldoutScorer& scorer, TrainingWatch& watch,
                                        Checkpointer* checkpoints) {
  weights_.assign(layout_.dimension(), 0.0);
  for (const FeatureWeight& each : start) weights_[each.feature] = each.weight;
  const auto see = [&](const Iteration& iteration) {
    std::optional<HoldoutScore> score;
    if (holdout_.sequences() > 0 && !iteration.w.empty()) {
      score = score_holdout(layout_, holdout_, iteration.w, scorer, problem.pool);
    }
    return watch.see(iteration, score, nullptr);
  };
  return train_chain(problem, weights_, see, checkpoints, findings_);
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
        holdout = holdout_;
        renumber(set.selection, holdout);
        round = set.round;
      }
      score = score_holdout(set.selection.layout, holdout, iteration.w, scorer, problem.pool);
    }
    return watch.see(iteration, score, &set.selection);
  };
  const auto make = [&](const ChainData& data, const ChainLayout& layout) {
    return make_chain_function(problem, data, layout);
  };
  LbfgsOptions owlqn;
  owlqn.history = options.settings.history;
  owlqn.stop = options.stop;
  return train_active_set(encoder_.data, layout_, make, start, options.regulariser, owlqn,
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
  if (holdout_text_.empty() || !(vote || options.settings.kernel)) return;
  throw UsageError(std::string("--holdout scores one vector of weights, which ") +
                   (vote ? "a vote" : "a kernel") + " is not; evaluate the model afterwards");
}

TrainResult ChainTraining::run(const TrainOptions& options, const HoldoutScorer& scorer,
                               const Callback& callback) {
  options.validate();
  if (init_) check_init(*init_, options);
  check_choice(choice(options));
  check_holdout(options);
  if (sequences() == 0) throw Error("there is no sequence to train on");
  if (labels() == 0) {
    throw Error(
        "no position of the training data says which label it may have; label some of them");
  }
  TrainResult result;
  lay_out(options, result);
  set_histories(options);
  if (layout_.dimension() == 0) {
    throw Error("no feature is left to train; lower --min-count, or give positions attributes");
  }
  std::vector<FeatureWeight> start;
  if (init_) start = initial_weights(*init_);
  encode_holdout();
  set_cost(options);

  set_prior(options, start);

  ThreadPool pool(options.threads);
  const ChainProblem problem = this->problem(options, pool);
  TrainingWatch watch(options.stop.max_iterations, options.early_stop, callback);
  if (options.checkpoints != nullptr) options.checkpoints->set_fingerprint(fingerprint(problem));
  NestedCheckpoints checkpoints(options.checkpoints,
                                [&](StateArchive& state) { watch.archive(state); });
  checkpoints.resume();
  result.dimension = layout_.dimension();
  FeatureSelection selection;
  if (uses_active_set(options)) {
    ActiveSetResult trained = train_some(options, problem, start, scorer, watch, &checkpoints);
    result.optimization = std::move(trained.optimization);
    result.active_set = {trained.set.round, trained.weights.size(), trained.largest_violation};
    weights_ = std::move(trained.weights);
    selection = std::move(trained.set.selection);
  } else {
    result.optimization = train_all(problem, start, scorer, watch, &checkpoints);
  }
  if (watch.gave_up() && result.optimization.reason == StopReason::stopped) {
    result.optimization.message = "the hold-out score has not improved for " +
                                  std::to_string(options.early_stop) + " iterations";
  }
  result.holdout = watch.last_score();
  if (std::optional<TrainingWatch::Best> best = watch.go_back()) {
    weights_ = std::move(best->weights);
    std::ranges::sort(best->features);
    if (result.active_set) selection = select_features(layout_, best->features);
    result.best_iteration = best->iteration;
    result.optimization.objective = best->objective;  // what is reported is of the weights kept
    result.optimization.gradient_norm = best->gradient_norm;
    result.holdout = best->score;
    if (result.active_set) result.active_set->largest_violation.reset();
  }
  if (result.active_set) narrow_to(std::move(selection));
  result.active =
      static_cast<std::size_t>(std::ranges::count_if(weights_, [](double w) { return w != 0; }));
  return result;
}

// Where many features have a weight that OWL-QN would leave at 0.
bool ChainTraining::uses_active_set(const TrainOptions& options) const {
  return method(options) == Method::owlqn && options.regulariser.l1 > 0 &&
         !options.variance &&
         (options.objective == Objective::likelihood ||
          options.objective == Objective::softmax_margin) &&
         layout_.dimension() >= options.active_set_from;
}

ContainerWriter ChainTraining::model(const nlohmann::json& training) const {
  ChainModelParts parts;
  for (Label y = 0; y < labels(); ++y) parts.labels.emplace_back(encoder_.label_names[y]);
  const auto name_rows = [](const StringTable& table, const std::vector<std::uint32_t>& new_id,
                            const RowLayout& layout, std::vector<std::string_view>& names) {
    names.resize(layout.rows());
    for (std::uint32_t a = 0; a < new_id.size(); ++a) {
      if (new_id[a] != kUnknown) names[new_id[a]] = table[a];
    }
  };
  name_rows(encoder_.node_names, renumbering_.node, layout_.node, parts.node_names);
  name_rows(encoder_.edge_names, renumbering_.edge, layout_.edge, parts.edge_names);
  for (const std::string& name : extractor_.tied_names()) parts.tied_names.push_back(name);
  parts.extraction = &extractor_.config();
  parts.layout = &layout_;
  parts.weights = weights_;
  parts.training = &training;
  if (findings_.vote) parts.vote = &*findings_.vote;
  if (findings_.kernel) parts.kernel = &*findings_.kernel;
  return make_chain_model(parts);
}

}  // namespace croft
