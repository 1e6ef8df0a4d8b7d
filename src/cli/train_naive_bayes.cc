#include "cli/train_naive_bayes.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/json_log.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kOwn = 6;
constexpr std::array<std::string_view, 43> kUsed = {
    // those of no other kind
    "event", "alpha", "prior-probabilities", "binarize", "variance-floor", "complement-norm",
    // what is read, and how
    "help", "model", "DATA", "output", "format", "template", "template-language", "partial",
    "partial-separator", "weights", "init", "tolerance", "em-iterations", "seed", "threads", "log",
    "quiet",
    // texts and tables
    "analyzer", "ngrams", "keep-case", "stop-words", "term-weights", "sublinear", "norm",
    "min-documents", "max-documents", "max-terms", "hash-bits", "delimiter", "label", "numeric",
    "categorical", "ignore", "missing", "standardise", "standardize", "help-all"};

// Lines on stderr, JSON lines in a log.
class NaiveBayesProgress {
 public:
  NaiveBayesProgress(const std::string& log_path, bool quiet) : quiet_(quiet), log_(log_path) {}

  void data_read(const NaiveBayesWatcher::Data& data) {
    if (quiet_) return;
    std::string text = fmt::format("{} sequences, {} positions, {} labels, {} attributes",
                                   data.sequences, data.positions, data.labels, data.attributes);
    if (data.partial_positions > 0) {
      text += fmt::format("; {} without a single label", data.partial_positions);
    }
    std::fprintf(stderr, "%s (read in %.1f s)\n", text.c_str(), seconds());
  }

  void iteration(const EmIteration& now) {
    log_.write({{"event", "iteration"},
                {"iteration", now.iteration},
                {"objective", now.log_likelihood},
                {"seconds", seconds()}});
    if (quiet_ || (now.iteration % 10 != 0 && Clock::now() - last_ < std::chrono::seconds(2))) {
      return;
    }
    last_ = Clock::now();
    std::fprintf(stderr, "iteration %zu  log-likelihood %.4f  %.1f s\n", now.iteration,
                 now.log_likelihood, seconds());
  }

  void done(const NaiveBayesResult& result, const std::string& output) {
    const std::size_t iterations = result.log_likelihood.size();
    const char* reason = interruption       ? "interrupted"
                         : result.converged ? "converged"
                                            : "max_iterations";
    json line = {
        {"event", "done"}, {"reason", reason}, {"iterations", iterations}, {"seconds", seconds()}};
    if (iterations > 0) line["objective"] = result.log_likelihood.back();
    log_.write(line);
    if (quiet_) return;
    const std::string text =
        iterations == 0 ? std::string("counted")
                        : fmt::format("{} after {} iterations",
                                      result.converged ? "converged" : "stopped", iterations);
    std::fprintf(stderr, "%s, %.1f s\nwrote %s\n", text.c_str(), seconds(), output.c_str());
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  bool quiet_;
  JsonLog log_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace

void add_naive_bayes_options(CLI::App& verb, NaiveBayesCommand& command) {
  constexpr const char* kGroup = "Naive Bayes (--model naive-bayes)";
  NaiveBayesRequest& r = command.request;
  verb.add_option(
          "--event", r.event,
          "What attributes are: multinomial (counts), bernoulli (there or not), complement, "
          "gaussian (measurements) or categorical (COLUMN=VALUE); auto: columns of a table "
          "gaussian or categorical, all else multinomial")
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
  std::error_code none;
  const std::string& prior = request.prior;
  if (!log.empty() && (log == prior || std::filesystem::equivalent(log, prior, none))) {
    throw UsageError("--log " + log + " would overwrite " + prior + "; give another name");
  }
  handle_interrupts();
  NaiveBayesProgress progress(log, quiet);
  const NaiveBayesResult result = train_naive_bayes(
      request, {.data_read = [&](const NaiveBayesWatcher::Data& d) { progress.data_read(d); },
                .reading = {},
                .iteration =
                    [&](const EmIteration& now) {
                      progress.iteration(now);
                      return !interruption;
                    }});
  progress.done(result, shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
