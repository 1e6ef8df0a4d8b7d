#include "cli/train_hidden_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "cli/progress.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "data/parse_number.h"

namespace croft::cli {
namespace {

constexpr std::size_t kOwn = 2;  // the first ones, of no other kind
constexpr auto kUsed = std::to_array<std::string_view>(
    {"hidden-states", "start-deviation", "starts", "em-iterations", "help", "help-all", "model",
     "DATA", "kit", "output", "format", "template", "kit", "template-language", "intercept",
     "no-intercept", "boundaries", "partial", "partial-separator", "weights", "features",
     "min-count", "constrain", "objective", "optimizer", "l1", "l2", "max-iterations", "tolerance",
     "window", "gradient-tolerance", "target", "history", "sgd-passes", "step", "schedule", "decay",
     "batch", "average-from", "precision", "holdout", "early-stop", "threads", "seed", "checkpoint",
     "resume", "checkpoint-interval", "log", "quiet",
     // refused where the optimiser has no use for them
     "gap", "aggressiveness", "best", "variance", "gamma", "kernel", "block", "cost"});

std::size_t read_count(const std::string& item, const std::string& text) {
  double value = 0;
  if (parse_number(text, value) == NumberKind::finite && value >= 1 && value <= 4096 &&
      value == static_cast<double>(static_cast<std::size_t>(value))) {
    return static_cast<std::size_t>(value);
  }
  throw UsageError("--hidden-states " + item + ": " + in_quotes(text) +
                   " is not a whole number from 1 to 4096; write K, or LABEL=K");
}

HiddenChainOptions read_states(const HiddenChainCommand& c) {
  HiddenChainOptions options;
  std::set<std::string> named;  // labels, and "" of all others
  for (const std::string& item : c.states) {
    const std::size_t at = item.rfind('=');
    const std::string label = at == item.npos ? "" : item.substr(0, at);
    if (!named.insert(label).second) {
      throw UsageError("--hidden-states " + item + ": the states of " +
                       (at == item.npos ? "labels" : in_quotes(label)) +
                       " are given twice; leave out one");
    }
    if (at == item.npos) {
      options.states = read_count(item, item);
    } else {
      options.states_of.emplace_back(label, read_count(item, item.substr(at + 1)));
    }
  }
  if (c.start_deviation) options.start_deviation = *c.start_deviation;
  return options;
}

}  // namespace

void add_hidden_chain_options(CLI::App& verb, HiddenChainCommand& c) {
  constexpr const char* kGroup = "Hidden states (--model hidden-chain)";
  verb.add_option("--hidden-states", c.states,
                  "States that each label has: K, or LABEL=K of one label; may be given several "
                  "times")
      ->allow_extra_args(false)
      ->option_text("K=2|LABEL=K")
      ->group(kGroup);
  verb.add_option("--start-deviation", c.start_deviation,
                  "Training starts at random weights of this standard deviation (--starts and "
                  "--em-iterations are as for other kinds with hidden variables)")
      ->transform(finite_number(0))
      ->option_text("NUMBER=0.1")
      ->group(kGroup);
}

std::span<const std::string_view> hidden_chain_option_names() { return kUsed; }
std::span<const std::string_view> hidden_chain_only_option_names() {
  return std::span(kUsed).first(kOwn);
}

int run_hidden_chain(const CLI::App& verb, const HiddenChainCommand& c, const TrainRequest& shared,
                     const std::string& log, bool quiet) {
  HiddenChainRequest request{with_defaults(shared), read_states(c)};
  if (verb.count("--starts") > 0) {
    request.hidden.starts = verb.get_option("--starts")->as<std::size_t>();
  }
  const bool one = request.hidden.states == 1 &&
                   std::ranges::all_of(request.hidden.states_of,
                                       [](const auto& own) { return own.second == 1; });
  if (one && (c.start_deviation || request.hidden.starts > 1)) {
    throw UsageError(std::string(c.start_deviation ? "--start-deviation" : "--starts") +
                     " is of the random weights that hidden states need, and here each label has "
                     "one state: leave it out");
  }
  if (verb.count("--em-iterations") > 0) {
    if (shared.max_iterations) {
      throw UsageError("--em-iterations and --max-iterations are both of EM: leave out one");
    }
    request.hidden.em_iterations = verb.get_option("--em-iterations")->as<std::size_t>();
    request.train.options.stop.max_iterations = *request.hidden.em_iterations;
  }
  handle_interrupts();
  TrainingProgress progress(request.train.options, log, quiet);
  std::size_t start = 0;
  const HiddenChainTraining::Result result = train_hidden_chain(
      request, {.data_read = [&](const TrainData& data) { progress.data_read(data); },
                .reading = [&](std::size_t positions) { progress.reading(positions); },
                .iteration =
                    [&](std::size_t which, const TrainProgress& now) {
                      if (which != start && !quiet) {
                        std::fprintf(stderr, "start %zu of %zu\n", which + 1,
                                     request.hidden.starts);
                      }
                      start = which;
                      progress.iteration(now);
                      return !interruption;
                    }});
  if (!quiet && result.objectives.size() > 1) {
    std::string text = fmt::format("kept start {}; objectives", result.kept_start + 1);
    for (const double objective : result.objectives) text += fmt::format(" {:.2f}", objective);
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  progress.done(result.train, shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
