#include "train/kinds/segment_training.h"

#include <algorithm>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/segment_viterbi.h"
#include "train/course/watched_run.h"
#include "train/gold_check.h"
#include "train/methods/limits.h"
#include "train/segments/segment_rows_objective.h"
#include "train/segments/segment_self_training.h"

namespace croft {
namespace {

template <class Real>
SegmentObjectiveMaker<Real> objective_maker(const TrainOptions& options,
                                            const SegmentLabels& labels, const LabelCost& cost) {
  switch (options.objective) {
    case Objective::likelihood:
      return [&] { return std::make_unique<SegmentLikelihood<Real>>(labels); };
    case Objective::pseudolikelihood:
      return [&] { return std::make_unique<SegmentCompositeLikelihood<Real>>(labels, 1); };
    case Objective::per_edge:
      return [&] {
        return std::make_unique<SegmentCompositeLikelihood<Real>>(labels, 2, BlockCount::blocks);
      };
    case Objective::composite:
      return [&, block = options.block] {
        return std::make_unique<SegmentCompositeLikelihood<Real>>(labels, block);
      };
    case Objective::marginal:
      return [&] { return std::make_unique<SegmentMarginalLikelihood<Real>>(labels); };
    case Objective::piecewise:
      return [] { return std::make_unique<SegmentPiecewise<Real>>(); };
    case Objective::softmax_margin:
      return [&] { return std::make_unique<SegmentSoftmaxMargin<Real>>(labels, cost); };
    case Objective::perceptron:
      return [] { return std::make_unique<SegmentHinge<Real>>(); };
    default:  // max-margin, passive-aggressive, AROW
      break;
  }
  return [&] { return std::make_unique<SegmentHinge<Real>>(labels, cost); };
}

template <class Real>
ObjectiveMaker<Real> rows_maker(const SegmentExamples& examples, SegmentObjectiveMaker<Real> make) {
  return [&examples, make = std::move(make)] {
    return std::make_unique<SegmentRowsObjective<Real>>(examples, make());
  };
}

// Rows of positions without shared weights, which are added to those that have a part in them.
// Numbers of cells stay what they are.
struct SummedRows {
  ChainLayout layout;
  std::vector<double> weights;

  SummedRows(const SegmentModelParts& parts, std::span<const Label> shared)
      : layout(*parts.layout) {
    const RowLayout from = layout.node;
    const auto keep = [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t k = begin; k < end; ++k) weights.push_back(parts.weights[k]);
    };
    keep(0, from.begin[0]);
    RowLayout& to = layout.node;
    to.begin.assign(1, from.begin[0]);
    to.cell.clear();
    std::vector<double> sum(layout.labels);
    for (std::size_t r = 0; r < from.rows(); ++r) {
      std::ranges::fill(sum, 0.0);
      for (std::size_t k = 0; k < from.length(r); ++k) {
        const double w = parts.weights[from.begin[r] + k];
        const std::uint32_t cell = from.cell_of(r, k);
        const bool is_shared = !parts.of_segments[r] && cell >= parts.labels.size();
        if (!is_shared) sum[cell] += w;
        for (std::size_t c = 0; is_shared && c < shared.size(); ++c) {
          if (shared[c] == cell) sum[c] += w;
        }
      }
      for (std::uint32_t c = 0; c < parts.labels.size(); ++c) {
        if (sum[c] == 0) continue;
        to.cell.push_back(c);
        weights.push_back(sum[c]);
      }
      to.begin.push_back(weights.size());
    }
    // All rows full would be no list of cells.
    if (to.cell.empty()) to.cell.push_back(0);
    const std::uint64_t first_edge = from.begin.back(), moved = weights.size();
    keep(first_edge, layout.edge.begin.back());
    for (std::uint64_t& begin : layout.edge.begin) begin = begin - first_edge + moved;
  }
};

}  // namespace

// The dual ways of training are those of a chain's parts.  Of the others, SGD is lower on the hinge
// than averaged SGD and AdaGrad after the same time.
Method segment_method(const TrainOptions& options, std::size_t positions, bool from_weights) {
  const Method chosen = options.chosen_method(from_weights, positions);
  if (options.method || goes_with(chosen, options.objective, Structure::segments)) return chosen;
  return options.objective == Objective::max_margin  ? Method::sgd
         : positions < kFewPositions || from_weights ? Method::lbfgs
                                                     : Method::sgd_lbfgs;
}

void check_segment_choice(const TrainOptions& options, bool from_weights, bool by_default) {
  if (options.objective == Objective::local) {
    throw UsageError("--objective local is the likelihood of --model memm");
  }
  MethodChoice choice = options.choice(from_weights, kFewPositions);
  choice.structure = Structure::segments;
  choice.method = segment_method(options, kFewPositions, from_weights);
  choice.by_default = by_default || !options.method;
  check_choice(choice);
}

SegmentTraining::SegmentTraining(const Extractor& extractor, const SegmentOptions& segments,
                                 std::shared_ptr<const SegmentModel> init)
    : extractor_(extractor),
      options_(segments),
      init_(std::move(init)),
      encoder_(extractor, segments, init_.get()) {}

void SegmentTraining::read_partial_labels(const PartialLabels& how) {
  if (init_) check_labels_of(*init_, how);
  encoder_.partial = how;
}

void SegmentTraining::add_holdout(TextSequence sequence, std::string_view) {
  if (sequence.length() > 0) holdout_.push_back(std::move(sequence));
}

void SegmentTraining::add_unlabelled(TextSequence sequence, std::string_view) {
  if (sequence.length() > 0) unlabelled_.push_back(std::move(sequence));
}

Method SegmentTraining::method(const TrainOptions& options) const { return choose(options).method; }

// Dual ascent is taken if its variables fit and nothing is asked for that it does not have, as for
// a chain (ChainTraining::dual_check).
ChosenMethod SegmentTraining::choose(const TrainOptions& options) const {
  check_segment_choice(options, init_ != nullptr);
  const Method chosen = segment_method(options, positions(), init_ != nullptr);
  if (chosen != Method::sgd_lbfgs || options.method || options.unlabelled.any()) {
    return {chosen, common_reason(options, chosen, positions())};
  }
  const ChainData& data = encoder_.data();  // with rows of segments once it is laid out
  std::string against = against_dual(options, data.node, positions());
  if (!against.empty()) return {chosen, std::move(against)};
  if (init_) return {chosen, "dual-ascent does not start from a model"};
  if (options.regulariser.l2 <= 0) return {chosen, "dual-ascent needs an L2 penalty"};
  if (data.has_edges()) return {chosen, "dual-ascent has no attributes of label pairs"};
  if (partial_positions() > 0) return {chosen, "dual-ascent has no partly labelled sequences"};
  // Before the data is laid out, the words count.
  const std::size_t rows = std::max(data.positions(), positions());
  const std::size_t most = std::max<std::size_t>(encoder_.layout().labels, labels());
  const auto bytes = static_cast<double>(2 * rows * padded(most) * sizeof(double));
  const double limit =
      method_limits(options.ranks->alone() && options.helpers->alone()).dual_variables;
  return {bytes <= limit ? Method::dual_ascent : chosen, dual_variables_reason(bytes, limit)};
}

// Half the lanes cost little where additions, not exponentials, are most of the work; and single
// precision ends in line searches that its rounding decides: on CoNLL-2002 it took half as many
// evaluations again.
Precision SegmentTraining::precision(const TrainOptions& options) const {
  return options.precision == Precision::single && has_precision(method(options))
             ? Precision::single
             : Precision::twice;
}

void SegmentTraining::check(const TrainOptions& options) const {
  options.validate();
  options.unlabelled.check_data(unlabelled_.size());
  MethodChoice choice = options.choice(init_ != nullptr, positions());
  choice.structure = Structure::segments;
  choice.method = method(options);
  choice.partial = partial_positions() > 0;
  choice.weighted = std::ranges::any_of(encoder_.data().weight, [](double w) { return w != 1; });
  check_choice(choice);
  if (options.free_intercept && !extractor_.config().intercept) {
    throw UsageError("the intercept is to be unpenalised, and there is none: give --intercept");
  }
  require_data();
}

void SegmentTraining::lay_out(const TrainOptions& options) {
  encoder_.expect(options.unlabelled, unlabelled_);
  encoder_.lay_out(options.features, options.min_count);
  // In the place of labels, which the objective has, the sequence's number.
  ChainData& data = encoder_.data();
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    data.label[data.sequence_begin[n]] = static_cast<Label>(n);
  }
  if (info(options.objective).cost) {
    std::vector<std::string_view> names(encoder_.labels().begin(), encoder_.labels().end());
    cost_ = options.cost ? options.cost(names) : hamming_cost(names.size(), 1);
  }
  weights_.assign(encoder_.layout().dimension(), 0.0);
  encoder_.encode_others(unlabelled_, unlabelled_data_, unlabelled_examples_);
  for (std::size_t n = 0; n < unlabelled_data_.sequences(); ++n) {
    unlabelled_data_.label[unlabelled_data_.sequence_begin[n]] = static_cast<Label>(n);
  }
}

ObjectiveMakers SegmentTraining::make_objectives(const TrainOptions& options,
                                                 const SegmentExamples& examples) {
  return {.single =
              rows_maker<float>(examples, objective_maker<float>(options, examples.labels, cost_)),
          .twice = rows_maker<double>(examples,
                                      objective_maker<double>(options, examples.labels, cost_)),
          .positions = [&examples](std::size_t n) { return examples.length(n); }};
}

std::unique_ptr<ChainFunction> SegmentTraining::function(const TrainOptions& options,
                                                         ThreadPool& pool) {
  return std::make_unique<ChainBatchFunction<double>>(
      encoder_.data(), encoder_.layout(), pool,
      make_objectives(options, encoder_.examples()).twice);
}

ObjectiveMaker<double> SegmentTraining::partition_maker() const {
  return rows_maker<double>(unlabelled_examples_,
                            [] { return std::make_unique<SegmentLogPartition<double>>(); });
}

std::unique_ptr<CurvedFunction> SegmentTraining::log_partition(ThreadPool& pool) {
  return std::make_unique<ChainBatchFunction<double>>(unlabelled_data_, encoder_.layout(), pool,
                                                      partition_maker());
}

void SegmentTraining::set_terms(const TrainOptions& options, ChainProblem& problem) {
  if (!options.unlabelled.terms()) return;
  terms_ = encoder_.terms(options.unlabelled, unlabelled_examples_.known.size());
  problem.unlabelled = &unlabelled_data_;
  problem.terms = &terms_;
  problem.log_partition = partition_maker();
}

// Of the layout's rows: after lay_out().
ChainNames SegmentTraining::names() const {
  const ChainLayout& layout = encoder_.layout();
  ChainNames names;
  names.labels.assign(encoder_.labels().begin(), encoder_.labels().end());
  names.tied.assign(layout.tied.rows(), "");
  for (std::uint32_t r = 0; r < layout.node.rows(); ++r) {
    names.node.push_back(encoder_.node_name(r).name);
  }
  for (std::uint32_t r = 0; r < layout.edge.rows(); ++r) {
    names.edge.push_back(encoder_.pair_name(r));
  }
  return names;
}

// The names of the best labels of the hold-out.
std::vector<std::vector<std::string_view>> SegmentTraining::label_holdout(std::span<const double> w,
                                                                          ThreadPool& pool) const {
  LinearScorer<float> linear(encoder_.layout());
  linear.set_weights(w, pool);
  struct Worker {
    explicit Worker(const SegmentExamples& examples) : reader(examples) {}
    ChainScores<float> rows;
    SegmentRowReader<float> reader;
    SegmentBest best;
    std::vector<Segment> segments;
    std::vector<Label> columns;
  };
  std::vector<std::vector<std::string_view>> names(holdout_.size());
  std::vector<Worker> workers(pool.threads(), Worker(holdout_examples_));
  pool.run(holdout_.size(), [&](std::size_t n, std::size_t worker) {
    Worker& own = workers[worker];
    linear.score(holdout_data_, n, own.rows);
    const SegmentScores<float>& theta = own.reader.read(n, own.rows);
    const std::size_t length = holdout_examples_.length(n);
    names[n].resize(length);
    if (!(viterbi<float>(theta, own.best, own.segments) > SegmentScores<double>::kForbidden)) {
      return;
    }
    own.columns.resize(length);
    spell(holdout_examples_.labels, own.segments, own.columns);
    for (std::size_t t = 0; t < length; ++t) names[n][t] = encoder_.labels()[own.columns[t]];
  });
  return names;
}

TrainResult SegmentTraining::run(const TrainOptions& options,
                                 const ChainTraining::HoldoutScorer& scorer,
                                 const TrainingCallback& callback) {
  check(options);
  lay_out(options);
  if (options.method == Method::dual_ascent && encoder_.data().has_edges()) {
    throw UsageError(
        "--optimizer dual-ascent has no features of a segment and the label before it, which the "
        "lines B of the segment template ask for; choose another, such as sgd-lbfgs");
  }
  if (encoder_.layout().dimension() == 0) {
    throw Error("no feature is left to train; lower --min-count, or give positions attributes");
  }
  encoder_.encode_others(holdout_, holdout_data_, holdout_examples_);
  const ObjectiveMakers own = make_objectives(options, encoder_.examples());
  ThreadPool pool(options.threads, no_other_ranks(), *options.helpers);
  ChainProblem problem = problem_of(options, encoder_.data(), encoder_.layout(), pool);
  problem.block = options.block;
  problem.cost = cost_.labels() > 0 ? &cost_ : nullptr;
  problem.method = method(options);
  // Of float the entropies of dual ascent, differences of sums over whole sentences, would keep
  // little.
  problem.twice =
      problem.method == Method::dual_ascent ||
      (has_precision(problem.method) ? precision(options)
                                     : options.chosen_precision(positions())) == Precision::twice;
  problem.show_weights = !holdout_.empty();
  if (options.free_intercept) problem.regulariser.free = encoder_.intercept_weights();
  problem.own_objective = &own;
  const std::vector<FeatureWeight> start = encoder_.initial_weights();
  for (const FeatureWeight& each : start) weights_[each.feature] = each.weight;
  prior_ = make_prior(options, encoder_.layout(), start, [&] { return names(); });
  problem.prior = &prior_;
  set_terms(options, problem);
  if (options.checkpoints != nullptr) {
    options.checkpoints->set_fingerprint(fingerprint(options, problem, start));
  }
  WatchedRun run{.max_iterations = options.stop.max_iterations,
                 .early_stop = options.early_stop,
                 .callback = callback,
                 .checkpoints = options.checkpoints};
  if (!holdout_.empty()) run.score = [&](auto w) { return scorer(label_holdout(w, pool)); };
  TrainResult result;
  if (options.unlabelled.self_training > 0) {
    result.self_training.emplace();
    run.optimise = [&](std::span<double> w, const IterationCallback& see, Checkpointer*) {
      return train_in_rounds(options, problem, w, see, *result.self_training);
    };
  }
  run_watched(run, problem, weights_, result);
  if (!init_) require_progress(result.optimization);
  return result;
}

// Iterations are counted over all rounds; those of a view have no hold-out score.
OptimizeResult SegmentTraining::train_in_rounds(const TrainOptions& options,
                                                const ChainProblem& problem, std::span<double> w,
                                                const IterationCallback& see,
                                                SelfTrainingReport& report) {
  const UnlabelledOptions& u = options.unlabelled;
  const SelfTraining rounds{u.self_training, u.confidence, rows_of_view(u.view, names().node)};
  std::size_t before = 0;
  const SelfTrainedSegments::Train train = [&](const ChainData& data,
                                               const SegmentExamples& examples, SeenAttributes seen,
                                               std::span<double> at) {
    const ObjectiveMakers own = make_objectives(options, examples);
    ChainProblem one = problem_of(options, data, problem.layout, problem.pool);
    one.twice = problem.twice;
    one.method = problem.method;
    one.regulariser = problem.regulariser;
    one.prior = problem.prior;
    one.show_weights = problem.show_weights;
    one.own_objective = &own;
    ChainFindings findings;
    const OptimizeResult result = train_chain(
        one, at,
        [&](const Iteration& local) {
          if (before > 0 && local.number == 0) return true;  // the end of the last round
          Iteration now = local;
          now.number += before;
          if (seen != SeenAttributes::all) now.w = {};
          return see(now);
        },
        nullptr, findings);
    before += result.iterations;
    return result;
  };
  SelfTrainedSegments data(rounds, {encoder_.data(), encoder_.examples()},
                           {unlabelled_data_, unlabelled_examples_}, problem.layout, problem.pool,
                           train);
  return self_train(data, rounds.rounds, !rounds.view.empty(), w, report);
}

// Labels are in the fingerprint by the names of the segments that they make.
std::uint64_t SegmentTraining::fingerprint(const TrainOptions& options, const ChainProblem& problem,
                                           std::span<const FeatureWeight> start) const {
  const SegmentExamples& examples = encoder_.examples();
  ChainNames names = this->names();
  std::string gold;
  const auto add = [&](std::uint64_t number) { gold += std::to_string(number) + " "; };
  for (const Label known : examples.known) add(known);
  for (const Label y : examples.sets.label) add(y);
  for (Label y = 0; y < examples.shape.labels(); ++y) add(examples.shape.longest(y));
  for (const SegmentRow& row : examples.row) {
    add(static_cast<std::uint64_t>(row.reach));
    add(row.begin);
    add(row.length);
  }
  names.labels.push_back(gold);
  return TrainingFingerprint{.problem = problem,
                             .names = names,
                             .partial = encoder_.partial,
                             .early_stop = options.early_stop,
                             .start = start}
      .value();
}

ContainerWriter SegmentTraining::model(const Json& training) const {
  const ChainLayout& layout = encoder_.layout();
  SegmentModelParts parts;
  parts.labels = encoder_.labels();
  parts.extraction = &extractor_.config();
  parts.segments = &encoder_.examples().labels;
  parts.shape = &encoder_.examples().shape;
  parts.templates = &options_.templates;
  for (const NameList& list : options_.gazetteers) parts.gazetteers.push_back(list.name);
  parts.text_prefix = options_.text_prefix;
  parts.lexicon = encoder_.lexicon();
  parts.layout = &layout;
  const ChainNames names = this->names();
  parts.node_names = names.node;
  parts.pair_names = names.edge;
  for (std::uint32_t r = 0; r < layout.node.rows(); ++r) {
    parts.of_segments.push_back(encoder_.node_name(r).of_segments);
  }
  parts.weights = weights_;
  parts.training = &training;
  const std::vector<Label>& shared = encoder_.examples().shared;
  if (shared.empty()) return make_segment_model(parts);
  const SummedRows summed(parts, shared);
  parts.layout = &summed.layout;
  parts.weights = summed.weights;
  return make_segment_model(parts);
}

}  // namespace croft
