#include "cli/train_error_correcting.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "cli/em_progress.h"
#include "cli/json_log.h"
#include "cli/progress.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"

namespace croft::cli {
namespace {

constexpr std::size_t kOwn = 2;  // the first ones, of no other kind
constexpr auto kUsed = std::to_array<std::string_view>(
    {"code", "decoder", "help", "help-all", "model", "DATA", "kit", "output", "format", "template",
     "kit", "template-language", "intercept", "no-intercept", "boundaries", "partial",
     "partial-separator", "weights", "features", "min-count", "objective", "optimizer", "l1", "l2",
     "max-iterations", "tolerance", "window", "gradient-tolerance", "target", "history",
     "sgd-passes", "step", "schedule", "decay", "batch", "average-from", "precision", "holdout",
     "threads", "seed", "checkpoint", "resume", "checkpoint-interval", "log", "quiet",
     // refused where the optimiser has no use for them
     "gap", "aggressiveness", "best", "variance", "gamma", "kernel", "block", "cost"});

bool names_a_code(const std::string& code) {
  const std::string kind = code.substr(0, code.find(':'));
  return kind == "one-vs-rest" || kind == "all-pairs" || kind == "random" || kind == "minimum-loss";
}

}  // namespace

void add_code_options(CLI::App& verb, CodeCommand& c) {
  constexpr const char* kGroup = "Error-correcting codes (--model error-correcting)";
  verb.add_option("--code", c.code,
                  "one-vs-rest, all-pairs, random[:BITS] (the best of some draws), "
                  "minimum-loss[:BITS[:CANDIDATES]] (the BITS of so many random ones that leave "
                  "the least loss on --holdout, or on DATA), or a file of lines LABEL BITS of 0, 1 "
                  "and -; BITS: 10 log2 of the labels, CANDIDATES: twice as many")
      ->option_text("CODE=one-vs-rest")
      ->group(kGroup);
  verb.add_option("--decoder", c.decoder,
                  "How the chains' answers make a label, unless predict names another: product (a "
                  "chain over labels), marginal, distance or bits")
      ->check(CLI::IsMember({"product", "marginal", "distance", "bits"}))
      ->option_text("DECODER=product")
      ->group(kGroup);
}

std::span<const std::string_view> code_option_names() { return kUsed; }
std::span<const std::string_view> code_only_option_names() { return std::span(kUsed).first(kOwn); }

int run_error_correcting(const CodeCommand& c, const TrainRequest& shared, const std::string& log,
                         bool quiet) {
  CodeRequest request;
  request.train = with_code_defaults(shared);
  request.code.decoder = code_decoder_named(c.decoder);
  (names_a_code(c.code) ? request.code.code : request.code_path) = c.code;
  check_log_against(log, request.code_path);
  handle_interrupts();
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  auto shown = begin;
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  JsonLog lines(log);
  double objective = 0;
  const CodeTraining::Result result = train_error_correcting(
      request,
      {.data_read =
           [&](const TrainData& data) {
             if (quiet) return;
             std::fprintf(stderr, "%zu sequences, %zu positions, %zu labels, %zu attributes\n",
                          data.sequences, data.positions, data.labels, data.attributes);
           },
       .reading = {},
       .bit =
           [&](std::size_t done, std::size_t of, const OptimizeResult& bit) {
             objective += bit.objective;
             lines.write({{"event", "iteration"},
                          {"iteration", done},
                          {"of", of},
                          {"objective", bit.objective},
                          {"gradient_norm", bit.gradient_norm},
                          {"iterations", bit.iterations},
                          {"seconds", seconds()}});
             if (!quiet && (done == of || Clock::now() - shown > std::chrono::seconds(2))) {
               shown = Clock::now();
               std::fprintf(stderr, "%zu of %zu bits, %.1f s\n", done, of, seconds());
             }
             return !interruption;
           },
       .stop = [] { return interruption.load(); }});
  if (result.stopped && !quiet) {
    std::fprintf(stderr, "stopped: %zu of %zu bits trained; the model's code has these alone\n",
                 result.trained, result.planned);
  }
  lines.write({{"event", "done"},
               {"reason", result.stopped ? "stopped" : "done"},
               {"objective", result.objective},
               {"iterations", result.iterations},
               {"bits", result.bits},
               {"distance", result.distance.least},
               {"seconds", seconds()}});
  if (!quiet) {
    std::fprintf(stderr, "%s",
                 fmt::format("{} bits, of which {} converged, {:.1f} s; distance {}, {} weights\n"
                             "wrote {}\n",
                             result.bits, result.converged, seconds(), result.distance.least,
                             result.weights, shared.output)
                     .c_str());
  }
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
