#include "train/kinds/hmm_training.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "model/kinds/hmm_model.h"
#include "train/generative/hmm_ascent.h"
#include "train/generative/hmm_expectations.h"
#include "train/training_fingerprint.h"

namespace croft {
namespace {

// Of a start: without it, what the labelled part of the data does not show would never be found.
constexpr double kLeastSmoothing = 0.01;

HmmSmoothing raised(HmmSmoothing smoothing) {
  smoothing.emission = std::max(smoothing.emission, kLeastSmoothing);
  smoothing.transition = std::max(smoothing.transition, kLeastSmoothing);
  return smoothing;
}

void check_at_least_0(double value, const Message& option) {
  if (value >= 0 && std::isfinite(value)) return;
  throw UsageError(option, " is a count that is added: 0 or more");
}

}  // namespace

void HmmOptions::validate() const {
  check_at_least_0(smoothing.emission, "--smoothing");
  check_at_least_0(smoothing.transition, "--transition-smoothing");
  check_at_least_0(tolerance, "--tolerance");
  criterion.validate();
  if (criterion.objective != HmmObjective::likelihood && em_iterations == 0) {
    throw UsageError("--objective ", name_of(criterion.objective),
                     " takes iterations: --em-iterations is 1 or more");
  }
  if (unknown.suffix > 0 && unknown.rare == 0) {
    throw UsageError("--suffix learns from rare values; give --rare above 0, or leave it out");
  }
  constexpr std::size_t kMostLetters = 64;
  if (unknown.suffix > kMostLetters) throw UsageError("--suffix is at most 64 letters");
}

void HmmTraining::check_values(const TextSequence& sequence, std::string_view file) const {
  if (sequence.node.all_values_are_one()) return;
  for (std::size_t t = 0; t < sequence.length(); ++t) {
    for (std::size_t k = sequence.node.list_begin(t); k < sequence.node.list_end(t); ++k) {
      if (sequence.node.value(k) >= 0) continue;
      throw InputError({std::string(file), sequence.line_of(t)},
                       "an attribute with a value below 0, where values are numbers of occurrences",
                       sequence.node.item(k), "delete it, or make its value part of its name");
    }
  }
}

void HmmTraining::add(const TextSequence& sequence, std::string_view file) {
  if (!sequence.has_labels()) {
    add_unlabelled(sequence, file);
    return;
  }
  check_values(sequence, file);
  encoder_.partial = partial_;
  encoder_.add(sequence, file);
}

void HmmTraining::add_unlabelled(TextSequence sequence, std::string_view file) {
  check_values(sequence, file);
  sequence.labels.clear();
  encoder_.partial = PartialLabels();
  encoder_.add(sequence, file);
}

// Labels of the data, then S1, S2, … as far as they are free.
void HmmTraining::name_states(std::size_t states) {
  labels_ = label_list();
  if (labels_.empty() && states == 0) {
    throw UsageError("no position has a label; say how many states there are with --states");
  }
  if (states > 0 && states < labels_.size()) {
    throw UsageError("--states ", states, " is less than the ", labels_.size(),
                     " labels of the data");
  }
  if (states > labels_.size() && partial_positions() == 0) {
    throw UsageError("--states ", states, " is more than the ", labels_.size(),
                     " labels of the data, of which every position has one");
  }
  for (std::size_t next = 1; labels_.size() < states; ++next) {
    const std::string name = "S" + std::to_string(next);
    if (encoder_.label_names.find(name) == kUnknown) labels_.push_back(name);
  }
}

// The counts of what is known, smoothed; a label that nothing is known of gets counts at random,
// near those of all labels together.
void HmmTraining::start_at(const HmmLayout& layout, const HmmOptions& options, std::size_t start,
                           HmmParameters& p) const {
  HmmCounts counts;
  counts.reset(layout);
  count_labels(encoder_.data, layout, Counted::known, counts);
  Random random(Random(options.seed).next() + start);
  std::vector<bool> known(layout.labels);
  for (std::size_t c = 0; c < layout.cell.size(); ++c) {
    if (counts.emission[c] > 0) known[layout.cell[c]] = true;
  }
  const auto part = [&] { return (0.5 + random.uniform()) / static_cast<double>(layout.labels); };
  for (std::size_t v = 0; v < layout.values(); ++v) {
    for (std::uint64_t c = layout.begin[v]; c < layout.begin[v + 1]; ++c) {
      if (!known[layout.cell[c]]) {
        counts.emission[c] = part() * static_cast<double>(layout.occurrences[v]);
      }
    }
  }
  const double sequences = static_cast<double>(this->sequences());
  const double positions = static_cast<double>(this->positions());
  for (Label i = 0; i < layout.labels; ++i) {
    if (!known[i]) {
      counts.start[i] = part() * sequences;
      counts.end[i] = part() * sequences;
    }
    for (Label j = 0; j < layout.labels; ++j) {
      if (known[i] && known[j]) continue;
      counts.transition(i, j) = part() * positions / static_cast<double>(layout.labels);
    }
  }
  estimate_hmm(layout, counts, raised(options.smoothing), p);
}

// The M-step of the last E-step is left to who runs it: it knows of unknown values.
class HmmTraining::BaumWelch final : public EmSteps {
 public:
  BaumWelch(HmmTraining& training, const HmmLayout& layout, const HmmOptions& options,
            HmmExpectations& expectations, HmmCounts& counts)
      : training_(training),
        layout_(layout),
        options_(options),
        expectations_(expectations),
        p_(training.parameters_),
        counts_(counts) {}

  void begin(std::size_t start) override { training_.start_at(layout_, options_, start, p_); }
  void maximise() override { estimate_hmm(layout_, counts_, options_.smoothing, p_); }
  EmValue expect() override {
    const double log_likelihood = expectations_.evaluate(p_, counts_);
    if (!std::isfinite(log_likelihood)) {
      throw Error("a sequence of the data has probability 0; give --smoothing above 0");
    }
    return {-log_likelihood - log_prior(layout_, options_.smoothing, p_), log_likelihood};
  }
  void archive(StateArchive& state) override {
    if (state.reading()) counts_.reset(layout_);
    state(counts_.start, counts_.end);
    for (std::size_t i = 0; i < layout_.labels; ++i) state(counts_.transition[i]);
    state(counts_.emission);
  }

 private:
  HmmTraining& training_;
  const HmmLayout& layout_;
  const HmmOptions& options_;
  HmmExpectations& expectations_;
  HmmParameters p_;
  HmmCounts& counts_;
};

std::uint64_t HmmTraining::fingerprint(const HmmOptions& options) const {
  Fingerprint print;
  add_to(print, encoder_.data);
  add_to(print, encoder_.node_names);
  for (const std::string& label : labels_) print.add(label);
  print.add({options.smoothing.emission, options.smoothing.transition,
             double(options.smoothing.end), double(options.unknown.rare),
             double(options.unknown.suffix), double(options.starts),
             double(options.criterion.objective), options.criterion.generative_weight,
             options.criterion.coupling});
  print.add(std::array{options.seed, std::uint64_t{options.early_stop.after},
                       options.early_stop.holdout});
  return print.value();
}

HmmResult HmmTraining::run(const HmmOptions& options, const EmCallback& callback) {
  options.validate();
  if (sequences() == 0) throw Error("there is no sequence to train on");
  const HmmObjective objective = options.criterion.objective;
  const bool ascent = objective != HmmObjective::likelihood;
  if (ascent && encoder_.label_names.size() == 0) {
    throw UsageError("no position has a label, and --objective ", name_of(objective),
                     " learns from labels; --objective likelihood finds states without");
  }
  name_states(options.states);
  const HmmLayout layout =
      ascent ? make_hmm_layout(without_labels(encoder_.data), encoder_.node_names, labels_.size())
             : make_hmm_layout(encoder_.data, encoder_.node_names, labels_.size(), *options.ranks);
  parameters_ = hmm_shape(layout, encoder_.node_names);
  ThreadPool pool(options.threads, no_other_ranks(), *options.helpers);
  HmmResult result;
  static_cast<EmResult&>(result) =
      ascent ? ascend(layout, options, pool, callback) : estimate(layout, options, pool, callback);
  result.parameters = labels_.size() * (1 + labels_.size() + 2 * layout.tracks.size()) +
                      parameters_.end.size() + parameters_.log.size();
  return result;
}

EmResult HmmTraining::estimate(const HmmLayout& layout, const HmmOptions& options, ThreadPool& pool,
                               const EmCallback& callback) {
  Ranks& ranks = *options.ranks;
  HmmExpectations expectations(encoder_.data, layout, pool);
  HmmCounts counts;
  counts.reset(layout);
  const auto finish = [&] {
    estimate_hmm(layout, counts, options.smoothing, options.unknown, parameters_);
  };
  const bool em = any_of_all(ranks, expectations.any_hidden()) && options.em_iterations > 0;
  if (em) {
    if (!ranks.alone()) {
      throw UsageError(
          "Baum-Welch, for labels that are not known, needs all of the data in each process; name "
          "what has no labels with --unlabelled, give --em-iterations 0 to learn from what is "
          "known, or start croft without mpirun");
    }
    BaumWelch steps(*this, layout, options, expectations, counts);
    return run_steps(steps, options, callback, finish);
  }
  count_labels(encoder_.data, layout, Counted::known, counts);
  counts.sum(ranks);
  if (encoder_.label_names.size() < labels_.size()) {
    throw UsageError("--em-iterations 0 finds out nothing of states without a label; give more");
  }
  finish();
  const double log_likelihood = log_joint(layout, counts, parameters_);
  return {.objective = -log_likelihood - log_prior(layout, options.smoothing, parameters_),
          .log_likelihood = log_likelihood};
}

// Starts from the estimate of what is known.
EmResult HmmTraining::ascend(const HmmLayout& layout, const HmmOptions& options, ThreadPool& pool,
                             const EmCallback& callback) {
  HmmCounts counts;
  counts.reset(layout);
  count_labels(encoder_.data, layout, Counted::known, counts);
  estimate_hmm(layout, counts, options.smoothing, options.unknown, parameters_);
  HmmCriterion criterion(encoder_.data, layout, options.criterion, options.smoothing, parameters_,
                         pool);
  HmmParameters start = parameters_;
  estimate_hmm(layout, counts, raised(options.smoothing), start);
  HmmAscent steps(criterion, start, pool);
  return run_steps(steps, options, callback, [&] { steps.set_probabilities(parameters_); });
}

// By EM or by the gradient, whose state is kept and which stop early.
//   finish : makes the parameters of where the steps are
EmResult HmmTraining::run_steps(EmSteps& steps, const HmmOptions& options,
                                const EmCallback& callback, const std::function<void()>& finish) {
  if (options.checkpoints != nullptr) options.checkpoints->set_fingerprint(fingerprint(options));
  const bool random = encoder_.label_names.size() == 0;
  EmRules rules{.starts = options.starts > 0 ? options.starts
                          : random           ? kRandomStarts
                                             : 1,
                .e_steps = options.em_iterations,
                .tolerance = options.tolerance,
                .early_stop = options.early_stop.after,
                .checkpoints = options.checkpoints};
  if (options.early_stop.score) {
    rules.score = [&] {
      finish();
      return options.early_stop.score(model(Json::object()));
    };
  }
  const EmResult result = run_em(steps, rules, callback);
  finish();
  return result;
}

ContainerWriter HmmTraining::model(const Json& training) const {
  return make_hmm_model(parameters_, labels_, extractor_.config(), training);
}

}  // namespace croft
