#include "cli/train_hmm.h"

#include <fmt/format.h>

#include <array>

#include "cli/em_progress.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr std::size_t kShared = 13;
constexpr std::array<std::string_view, 21> kUsed = {
    "help", "model", "DATA", "output", "format", "partial", "partial-separator", "boundaries",
    "tolerance", "seed", "threads", "log", "quiet",
    // those of no other kind
    "smoothing", "transition-smoothing", "rare", "suffix", "states", "unlabelled", "em-iterations",
    "starts"};

std::string text_of(const HmmWatcher::Data& data) {
  std::string text = fmt::format("{} sequences, {} positions, {} values", data.sequences,
                                 data.positions, data.values);
  if (data.hidden > 0) text += fmt::format("; {} without a single label", data.hidden);
  return text;
}

// Of Baum-Welch, which runs where labels are not known.
void check_hidden(const CLI::App& verb, const HmmCommand& c, const TrainRequest& shared) {
  if (shared.partial || !c.unlabelled.empty() || c.options.states > 0) return;
  for (const char* name : {"--em-iterations", "--starts", "--tolerance"}) {
    if (verb.get_option(name)->count() == 0) continue;
    throw UsageError(std::string(name) +
                     " is for labels that are not known, and the data has them all: add --partial, "
                     "--unlabelled or --states, or leave it out");
  }
}

}  // namespace

void add_hmm_options(CLI::App& verb, HmmCommand& c) {
  constexpr const char* kGroup = "Hidden Markov models (--model hmm)";
  verb.add_option("--smoothing", c.options.smoothing.emission,
                  "Added to the count of every value of every label, that of all unknown ones too")
      ->transform(finite_number(0))
      ->capture_default_str()
      ->group(kGroup);
  verb.add_option("--transition-smoothing", c.transition_smoothing,
                  "Added to the count of every start, transition and end; default: as --smoothing")
      ->transform(finite_number(0))
      ->option_text("NUMBER")
      ->group(kGroup);
  verb.add_option("--rare", c.rare,
                  "Values seen N times or less stand in for unknown ones; 0: none; default: 1, "
                  "with --suffix 10")
      ->transform(whole_number())
      ->option_text("N")
      ->group(kGroup);
  verb.add_option("--suffix", c.options.unknown.suffix,
                  "Tell unknown values apart by their last N letters, or less; 0: do not")
      ->transform(whole_number(0, 64))
      ->option_text("N=0")
      ->group(kGroup);
  verb.add_option(
          "--states", c.options.states,
          "Labels in all; without --partial the data has none, and every column is observed")
      ->transform(whole_number(1, 65536))
      ->option_text("N")
      ->group(kGroup);
  verb.add_option("--unlabelled", c.unlabelled,
                  "More data, whose labels, if any, are not looked at")
      ->option_text("FILE")
      ->allow_extra_args(false)
      ->group(kGroup);
  verb.add_option("--em-iterations", c.options.em_iterations,
                  "Iterations at most of Baum-Welch, or of the EM of naive-bayes, bayes-net and "
                  "graph (otherwise trained by the gradient), where labels are not known; "
                  "0, of the first two: only what is known counts")
      ->transform(whole_number())
      ->capture_default_str()
      ->group(kGroup);
  verb.add_option(
          "--starts", c.options.starts,
          "Random starts where labels are not known, of which the best is kept; default: 1, of hmm "
          "without any labels 5")
      ->transform(whole_number(1))
      ->option_text("N")
      ->group(kGroup);
}

std::span<const std::string_view> hmm_option_names() { return kUsed; }
std::span<const std::string_view> hmm_only_option_names() {
  return std::span(kUsed).subspan(kShared);
}

int run_hmm(const CLI::App& verb, const HmmCommand& c, const TrainRequest& shared,
            const std::string& log, bool quiet) {
  check_hidden(verb, c, shared);
  HmmRequest request;
  request.data = shared.data;
  request.unlabelled = c.unlabelled;
  request.output = shared.output;
  request.format = shared.format;
  request.partial = shared.partial;
  request.options = c.options;
  HmmOptions& o = request.options;
  o.smoothing.transition = c.transition_smoothing.value_or(o.smoothing.emission);
  o.smoothing.end = shared.boundaries;
  o.unknown.rare = c.rare.value_or(o.unknown.suffix > 0 ? 10 : 1);
  if (shared.tolerance) o.tolerance = *shared.tolerance;
  o.seed = shared.seed;
  o.threads = shared.options.threads;
  for (const std::string& path : c.unlabelled) check_log_against(log, path);
  handle_interrupts();
  EmProgress progress(log, quiet);
  const HmmResult result = train_hmm(
      request,
      {.data_read = [&](const HmmWatcher::Data& d) { progress.data_read(text_of(d)); },
       .reading = {},
       .iteration =
           [&](const HmmProgress& now) {
             progress.iteration({now.start, now.iteration, now.objective, now.log_likelihood});
             return !interruption;
           }});
  progress.done({result.iterations, result.converged, result.objective, result.log_likelihood,
                 fmt::format("log-likelihood {:.4f}, {} probabilities\n", result.log_likelihood,
                             result.parameters)},
                shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
