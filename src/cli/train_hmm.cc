#include "cli/train_hmm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/json_log.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kShared = 13;
constexpr std::array<std::string_view, 21> kUsed = {
    "help", "model", "DATA", "output", "format", "partial", "partial-separator", "boundaries",
    "tolerance", "seed", "threads", "log", "quiet",
    // those of no other kind
    "smoothing", "transition-smoothing", "rare", "suffix", "states", "unlabelled", "em-iterations",
    "starts"};

// Lines on stderr, JSON lines in a log.
class HmmProgressLines {
 public:
  HmmProgressLines(const std::string& log_path, bool quiet) : quiet_(quiet), log_(log_path) {}

  void data_read(const HmmWatcher::Data& data) {
    if (quiet_) return;
    std::string text = fmt::format("{} sequences, {} positions, {} values", data.sequences,
                                   data.positions, data.values);
    if (data.hidden > 0) text += fmt::format("; {} without a single label", data.hidden);
    std::fprintf(stderr, "%s (read in %.1f s)\n", text.c_str(), seconds());
  }

  void iteration(const HmmProgress& now) {
    log_.write({{"event", "iteration"},
                {"start", now.start},
                {"iteration", now.iteration},
                {"objective", now.objective},
                {"log_likelihood", now.log_likelihood},
                {"seconds", seconds()}});
    if (quiet_ || (now.iteration % 10 != 0 && Clock::now() - last_ < std::chrono::seconds(2))) {
      return;
    }
    last_ = Clock::now();
    std::fprintf(stderr, "start %zu  iteration %zu  objective %.4f  log-likelihood %.4f  %.1f s\n",
                 now.start, now.iteration, now.objective, now.log_likelihood, seconds());
  }

  void done(const HmmResult& result, const std::string& output) {
    const char* reason = interruption             ? "interrupted"
                         : result.iterations == 0 ? "counted"
                         : result.converged       ? "converged"
                                                  : "max_iterations";
    log_.write({{"event", "done"},
                {"reason", reason},
                {"objective", result.objective},
                {"log_likelihood", result.log_likelihood},
                {"iterations", result.iterations},
                {"seconds", seconds()}});
    if (quiet_) return;
    std::string text = "counted";
    if (result.iterations > 0) {
      text = fmt::format("{} after {} iterations", result.converged ? "converged" : "stopped",
                         result.iterations);
    }
    std::fprintf(stderr, "%s, %.1f s\nlog-likelihood %.4f, %zu probabilities\nwrote %s\n",
                 text.c_str(), seconds(), result.log_likelihood, result.parameters, output.c_str());
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  bool quiet_;
  JsonLog log_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

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
                  "Iterations at most of Baum-Welch, or of naive Bayes' EM, where labels are not "
                  "known; 0: only what is known counts")
      ->transform(whole_number())
      ->capture_default_str()
      ->group(kGroup);
  verb.add_option(
          "--starts", c.options.starts,
          "Random starts of Baum-Welch, of which the best is kept; default: 5 where nothing is "
          "labelled, otherwise 1")
      ->transform(whole_number(1))
      ->option_text("N")
      ->group(kGroup);
}

std::span<const std::string_view> hmm_option_names() { return kUsed; }
std::span<const std::string_view> hmm_only_option_names() {
  return std::span(kUsed).subspan(kShared);
}

int run_hmm(const HmmCommand& c, const TrainRequest& shared, const std::string& log, bool quiet) {
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
  for (const std::string& path : c.unlabelled) {
    std::error_code none;
    if (!log.empty() && (log == path || std::filesystem::equivalent(log, path, none))) {
      throw UsageError("--log " + log + " would overwrite " + path + "; give another name");
    }
  }
  handle_interrupts();
  HmmProgressLines progress(log, quiet);
  const HmmResult result =
      train_hmm(request, {.data_read = [&](const HmmWatcher::Data& d) { progress.data_read(d); },
                          .reading = {},
                          .iteration =
                              [&](const HmmProgress& now) {
                                progress.iteration(now);
                                return !interruption;
                              }});
  progress.done(result, shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
