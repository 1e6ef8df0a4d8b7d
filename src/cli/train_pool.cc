#include "cli/train_pool.h"

#include <fmt/format.h>

#include <array>

#include "cli/em_progress.h"
#include "cli/progress.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr std::size_t kOwn = 4;  // the first ones, of no other kind
constexpr auto kUsed = std::to_array<std::string_view>(
    {"experts", "expert", "pool-weights", "dirichlet", "label-classes", "help", "help-all", "model",
     "DATA", "kit", "output", "format", "template", "kit", "template-language", "intercept",
     "no-intercept", "boundaries", "partial", "partial-separator", "weights", "features",
     "min-count", "constrain", "objective", "optimizer", "l1", "l2", "max-iterations", "tolerance",
     "window", "gradient-tolerance", "target", "history", "sgd-passes", "step", "schedule", "decay",
     "batch", "average-from", "precision", "holdout", "threads", "seed", "checkpoint", "resume",
     "checkpoint-interval", "log", "quiet",
     // refused where the optimiser has no use for them
     "gap", "aggressiveness", "best", "variance", "gamma", "kernel", "block", "cost"});

// Of the training of experts, and of the fit of their weights.
constexpr auto kOfExperts = std::to_array<std::string_view>(
    {"objective",      "optimizer", "l1",           "l2",        "features",
     "min-count",      "history",   "sgd-passes",   "step",      "schedule",
     "decay",          "batch",     "average-from", "precision", "gap",
     "aggressiveness", "best",      "variance",     "gamma",     "kernel",
     "block",          "cost"});
constexpr auto kOfWeights =
    std::to_array<std::string_view>({"max-iterations", "tolerance", "window", "gradient-tolerance",
                                     "target", "checkpoint", "resume", "checkpoint-interval"});

// Experts that are all there already leave little to say.
void check_untrained(const CLI::App& verb, const PoolCommand& c) {
  const auto refuse = [&](std::span<const std::string_view> names, const std::string& why) {
    for (const std::string_view name : names) {
      if (verb.count("--" + std::string(name)) == 0) continue;
      throw UsageError("--" + std::string(name) + " has no meaning where " + why +
                       "; leave it out");
    }
  };
  refuse(kOfExperts, "nothing is trained: every expert is a model that --expert names");
  if (c.weights == "uniform" || c.weights == "unit") {
    refuse(kOfWeights,
           "nothing is trained, and the weights are fixed by --pool-weights " + c.weights);
  }
}

}  // namespace

void add_pool_options(CLI::App& verb, PoolCommand& c) {
  constexpr const char* kGroup = "Pools of experts (--model pool)";
  verb.add_option("--experts", c.train,
                  "Experts to train: all (every feature), random:N (features dealt to N), "
                  "random:N:FRACTION (N, each with that share of the features), position (past, "
                  "present, future), labels (one for each chunk type, label or --label-classes "
                  "class); may be given several times")
      ->allow_extra_args(false)
      ->option_text("EXPERTS")
      ->group(kGroup);
  verb.add_option("--expert", c.models,
                  "A chain that is trained already, as one expert; may be given several times")
      ->allow_extra_args(false)
      ->option_text("MODEL")
      ->group(kGroup);
  verb.add_option("--pool-weights", c.weights,
                  "Of the experts: free, dirichlet (on the simplex, with a prior), both learnt on "
                  "--holdout, or without it on DATA; uniform (1/N each) or unit (1 each)")
      ->check(CLI::IsMember({"free", "dirichlet", "uniform", "unit"}))
      ->option_text("HOW=free")
      ->group(kGroup);
  verb.add_option("--dirichlet", c.alpha,
                  "Of the Dirichlet prior; above 1 it draws to equal weights, below to few experts")
      ->transform(finite_number(0))
      ->option_text("ALPHA=1")
      ->group(kGroup);
}

std::span<const std::string_view> pool_option_names() { return kUsed; }
std::span<const std::string_view> pool_only_option_names() { return std::span(kUsed).first(kOwn); }

int run_pool(const CLI::App& verb, const PoolCommand& c, const std::string& label_classes,
             const TrainRequest& shared, const std::string& log, bool quiet) {
  if (c.train.empty() && !c.models.empty()) check_untrained(verb, c);
  PoolRequest request;
  request.train = with_pool_defaults(shared);
  request.pool.experts = c.train;
  request.pool.weights.weights = pool_weights_named(c.weights);
  if (c.alpha) request.pool.weights.alpha = *c.alpha;
  request.classes_path = label_classes;
  request.experts = c.models;
  check_log_against(log, label_classes);
  for (const std::string& model : c.models) check_log_against(log, model);
  handle_interrupts();
  TrainingProgress progress(request.train.options, log, quiet);
  std::size_t expert = static_cast<std::size_t>(-1);
  const PoolTraining::Result result = train_pool(
      request, {.data_read = [&](const TrainData& data) { progress.data_read(data); },
                .reading = [&](std::size_t positions) { progress.reading(positions); },
                .iteration =
                    [&](std::size_t which, std::size_t count, const TrainProgress& now) {
                      if (which != expert && !quiet) {
                        std::fprintf(
                            stderr, "%s",
                            which == count
                                ? "the experts' weights\n"
                                : fmt::format("expert {} of {}\n", which + 1, count).c_str());
                      }
                      expert = which;
                      progress.iteration(now);
                      return !interruption;
                    }});
  if (!quiet) {
    std::string text =
        fmt::format("{:<40}{:>10}{:>12}{:>10}\n", "expert", "weight", "features", "KL");
    for (const PoolTraining::Expert& each : result.experts) {
      text += fmt::format("{:<40}{:>10.4f}{:>12}{:>10.4f}\n", each.name, each.weight, each.features,
                          each.divergence);
    }
    std::fprintf(stderr, "%s", text.c_str());
  }
  progress.done(result.train, shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
