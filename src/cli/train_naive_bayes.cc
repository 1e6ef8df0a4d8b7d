#include "cli/train_naive_bayes.h"

#include <fmt/format.h>

#include <array>

#include "cli/em_progress.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr std::size_t kOwn = 6;
constexpr std::array<std::string_view, 44> kUsed = {
    // those of no other kind
    "event", "alpha", "prior-probabilities", "binarize", "variance-floor", "complement-norm",
    // what is read, and how
    "help", "model", "DATA", "output", "format", "template", "template-language", "partial",
    "partial-separator", "weights", "class-weights", "init", "tolerance", "em-iterations", "seed",
    "threads", "log", "quiet",
    // texts and tables
    "analyzer", "ngrams", "keep-case", "stop-words", "term-weights", "sublinear", "norm",
    "min-documents", "max-documents", "max-terms", "hash-bits", "delimiter", "label", "numeric",
    "categorical", "ignore", "missing", "standardise", "standardize", "help-all"};

std::string text_of(const NaiveBayesWatcher::Data& data) {
  std::string text = fmt::format("{} sequences, {} positions, {} labels, {} attributes",
                                 data.sequences, data.positions, data.labels, data.attributes);
  if (data.partial_positions > 0) {
    text += fmt::format("; {} without a single label", data.partial_positions);
  }
  return text;
}

}  // namespace

void add_naive_bayes_options(CLI::App& verb, NaiveBayesCommand& command) {
  constexpr const char* kGroup = "Naive Bayes (--model naive-bayes)";
  NaiveBayesRequest& r = command.request;
  verb.add_option(
          "--event", r.event,
          "What attributes are: multinomial (counts), bernoulli (there or not), complement, "
          "gaussian (measurements) or categorical (COLUMN=VALUE; all columns of a table, also of "
          "numbers); auto: columns of a table gaussian or categorical, all else multinomial")
      ->check(CLI::IsMember(
          {"auto", "multinomial", "bernoulli", "complement", "gaussian", "categorical"}))
      ->option_text("MODEL=auto")
      ->group(kGroup);
  verb.add_option("--alpha", r.alpha, "Added to each count: 1 is Laplace's, less Lidstone's")
      ->transform(finite_number(0))
      ->option_text("NUMBER=1")
      ->group(kGroup);
  verb.add_option(
          "--prior-probabilities", r.prior,
          "Of the labels: learnt, uniform, LABEL=P,LABEL=P,… or a file of lines LABEL TAB P")
      ->option_text("PRIORS=learnt")
      ->group(kGroup);
  verb.add_option("--binarize", r.binarize,
                  "bernoulli: an attribute is there where its value is above this")
      ->transform(finite_number(0))
      ->option_text("NUMBER=0")
      ->group(kGroup);
  verb.add_option("--variance-floor", r.variance_floor,
                  "gaussian: this share of the largest variance is added to all")
      ->transform(finite_number(0))
      ->option_text("NUMBER=1e-9")
      ->group(kGroup);
  verb.add_flag_callback(
          "--complement-norm", [&r] { r.norm = true; },
          "complement: the weights of a label sum to 1")
      ->group(kGroup);
}

std::span<const std::string_view> naive_bayes_option_names() { return kUsed; }
std::span<const std::string_view> naive_bayes_only_option_names() {
  return std::span(kUsed).first(kOwn);
}

int run_naive_bayes(const NaiveBayesCommand& command, const TrainRequest& shared,
                    std::optional<std::size_t> em_iterations, const std::string& log, bool quiet) {
  NaiveBayesRequest request = command.request;
  request.source = shared;
  request.em_iterations = em_iterations;
  request.em_tolerance = shared.tolerance;
  check_log_against(log, request.prior);
  handle_interrupts();
  EmProgress progress(log, quiet);
  const NaiveBayesResult result = train_naive_bayes(
      request,
      {.data_read = [&](const NaiveBayesWatcher::Data& d) { progress.data_read(text_of(d)); },
       .reading = {},
       .iteration =
           [&](const EmIteration& now) {
             progress.iteration({{}, now.iteration, -now.log_likelihood, {}});
             return !interruption;
           }});
  EmProgress::Outcome outcome{result.log_likelihood.size(), result.converged, {}, {}, ""};
  if (outcome.iterations > 0) outcome.objective = -result.log_likelihood.back();
  progress.done(outcome, shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
