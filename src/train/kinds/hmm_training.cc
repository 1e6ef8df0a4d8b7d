#include "train/kinds/hmm_training.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "model/kinds/hmm_model.h"
#include "train/generative/hmm_expectations.h"

namespace croft {
namespace {

// Of a start: without it, what the labelled part of the data does not show would never be found.
constexpr double kLeastSmoothing = 0.01;

struct Course {
  HmmParameters parameters;
  HmmCounts counts;  // at the last E-step
  HmmResult result;
  bool stopped = false;
};

// Baum-Welch from `course.parameters` on: E-steps, each followed by an M-step but the last, which
// is left to the caller.
void run_em(const HmmLayout& layout, const HmmOptions& options, std::size_t start,
            HmmExpectations& expectations, const HmmTraining::Callback& callback, Course& course) {
  HmmResult& result = course.result;
  result.start = start;
  result.converged = false;
  for (std::size_t iteration = 1; iteration <= options.em_iterations; ++iteration) {
    if (iteration > 1) {
      estimate_hmm(layout, course.counts, options.smoothing, course.parameters);
    }
    const double before = result.objective;
    result.log_likelihood = expectations.evaluate(course.parameters, course.counts);
    result.iterations = iteration;
    if (!std::isfinite(result.log_likelihood)) {
      throw Error("a sequence of the data has probability 0; give --smoothing above 0");
    }
    result.objective =
        -result.log_likelihood - log_prior(layout, options.smoothing, course.parameters);
    course.stopped = callback && !callback({.start = start,
                                            .iteration = iteration,
                                            .objective = result.objective,
                                            .log_likelihood = result.log_likelihood});
    if (course.stopped) return;
    if (iteration == 1) continue;
    result.converged =
        before - result.objective <= options.tolerance * std::max(std::abs(result.objective), 1.0);
    if (result.converged) return;
  }
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
      const std::size_t line = sequence.first_line == 0 ? 0 : sequence.first_line + t;
      throw InputError({std::string(file), line},
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

std::size_t HmmTraining::hidden_positions() const {
  const auto known = std::ranges::count_if(encoder_.data.label, is_one_label);
  return positions() - static_cast<std::size_t>(known);
}

// Labels of the data, then S1, S2, … as far as they are free.
void HmmTraining::name_states(std::size_t states) {
  labels_.clear();
  for (std::uint32_t y = 0; y < encoder_.label_names.size(); ++y) {
    labels_.emplace_back(encoder_.label_names[y]);
  }
  if (labels_.empty() && states == 0) {
    throw UsageError("no position has a label; say how many states there are with --states");
  }
  if (states > 0 && states < labels_.size()) {
    throw UsageError("--states ", states, " is less than the ", labels_.size(),
                     " labels of the data");
  }
  if (states > labels_.size() && hidden_positions() == 0) {
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
  HmmSmoothing smoothing = options.smoothing;
  smoothing.emission = std::max(smoothing.emission, kLeastSmoothing);
  smoothing.transition = std::max(smoothing.transition, kLeastSmoothing);
  estimate_hmm(layout, counts, smoothing, p);
}

HmmResult HmmTraining::run(const HmmOptions& options, const Callback& callback) {
  options.validate();
  if (sequences() == 0) throw Error("there is no sequence to train on");
  name_states(options.states);
  const HmmLayout layout = make_hmm_layout(encoder_.data, encoder_.node_names, labels_.size());
  parameters_ = hmm_shape(layout, encoder_.node_names);
  ThreadPool pool(options.threads);
  HmmExpectations expectations(encoder_.data, layout, pool);
  Course best;
  if (!expectations.any_hidden() || options.em_iterations == 0) {
    best.counts.reset(layout);
    count_labels(encoder_.data, layout, Counted::known, best.counts);
    if (encoder_.label_names.size() < labels_.size()) {
      throw UsageError("--em-iterations 0 finds out nothing of states without a label; give more");
    }
  }
  const bool em = expectations.any_hidden() && options.em_iterations > 0;
  const std::size_t starts = options.starts > 0                 ? options.starts
                             : encoder_.label_names.size() == 0 ? kRandomStarts
                                                                : 1;
  for (std::size_t start = 0; em && start < starts; ++start) {
    Course course{.parameters = parameters_, .counts = {}, .result = {}};
    start_at(layout, options, start, course.parameters);
    run_em(layout, options, start, expectations, callback, course);
    const bool stopped = course.stopped;
    if (start == 0 || course.result.objective < best.result.objective) best = std::move(course);
    if (stopped) break;
  }
  estimate_hmm(layout, best.counts, options.smoothing, options.unknown, parameters_);
  HmmResult result = best.result;
  result.parameters = labels_.size() * (1 + labels_.size() + 2 * layout.tracks.size()) +
                      parameters_.end.size() + parameters_.log.size();
  if (!em) {
    result.log_likelihood = log_joint(layout, best.counts, parameters_);
    result.objective = -result.log_likelihood - log_prior(layout, options.smoothing, parameters_);
  }
  return result;
}

ContainerWriter HmmTraining::model(const Json& training) const {
  return make_hmm_model(parameters_, labels_, extractor_.config(), training);
}

}  // namespace croft
