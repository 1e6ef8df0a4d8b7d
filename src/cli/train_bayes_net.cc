#include "cli/train_bayes_net.h"

#include <fmt/format.h>

#include <array>

#include "cli/common.h"
#include "cli/em_progress.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr std::array<std::string_view, 19> kUsed = {
    "structure",  // of no other kind
    "help",      "help-all",  "model", "DATA",    "output",    "format",
    "delimiter", "missing",   "init",  "holdout", "smoothing", "em-iterations",
    "starts",    "tolerance", "seed",  "threads", "log",       "quiet"};

template <class T>
T value_or(const CLI::App& verb, const char* option, T otherwise) {
  const CLI::Option* given = verb.get_option(option);
  return given->count() > 0 ? given->as<T>() : otherwise;
}

std::string summary(const BayesNetReport& r) {
  std::string text =
      fmt::format("log-likelihood {:.4f}, {:.6f} a row; {} free parameters\n", r.fit.log_likelihood,
                  r.fit.log_likelihood / static_cast<double>(r.rows), r.fit.parameters);
  if (r.fit.unseen > 0) {
    text += fmt::format("{} rows of tables have no data: they are uniform\n", r.fit.unseen);
  }
  if (r.holdout) {
    const std::size_t possible = r.holdout->rows - r.holdout->impossible;
    text += fmt::format("held out: {} rows, log-likelihood {:.4f}", r.holdout->rows,
                        r.holdout->log_likelihood);
    if (possible > 0) {
      text +=
          fmt::format(", {:.6f} a row", r.holdout->log_likelihood / static_cast<double>(possible));
    }
    if (r.holdout->impossible > 0) {
      text += fmt::format("; {} rows more have probability 0 (--smoothing)", r.holdout->impossible);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

void add_bayes_net_options(CLI::App& verb, BayesNetCommand& command) {
  verb.add_option("--structure", command.structure,
                  "The network, BIF or UAI's BAYES, whose variables and parents are taken; DATA is "
                  "a table with a column of states for each variable, -o ends in .bif or .uai, "
                  "--init gives tables for EM to start from")
      ->option_text("FILE")
      ->group("Bayesian networks (--model bayes-net)");
}

std::span<const std::string_view> bayes_net_option_names() { return kUsed; }
std::span<const std::string_view> bayes_net_only_option_names() {
  return std::span(kUsed).first(1);
}

int run_bayes_net(const CLI::App& verb, const BayesNetCommand& command, const TrainRequest& shared,
                  const std::string& log, bool quiet) {
  if (shared.format != InputFormat::csv) {
    throw UsageError("--model bayes-net reads tables with a header: --format csv, or none");
  }
  BayesNetRequest request;
  request.data = shared.data;
  request.structure = command.structure;
  request.output = shared.output;
  request.init = shared.init;
  request.holdout = shared.holdout;
  if (shared.csv) {
    request.rows.delimiter = shared.csv->delimiter;
    request.rows.missing = shared.csv->missing;
  }
  BayesNetOptions& o = request.options;
  o.smoothing = value_or(verb, "--smoothing", o.smoothing);
  o.em_iterations = value_or(verb, "--em-iterations", o.em_iterations);
  o.starts = value_or(verb, "--starts", o.starts);
  o.tolerance = value_or(verb, "--tolerance", o.tolerance);
  o.seed = shared.seed;
  o.threads = shared.options.threads;
  for (const std::string& path : {command.structure, shared.holdout}) {
    if (!path.empty()) check_log_against(log, path);
  }
  handle_interrupts();
  EmProgress progress(log, quiet);
  const BayesNetReport report = train_bayes_net(
      request,
      {.data_read =
           [&](const BayesNetWatcher::Data& d) {
             std::string text = fmt::format("{} rows, {} variables", d.rows, d.variables);
             if (d.missing > 0) text += fmt::format("; {} values are missing", d.missing);
             progress.data_read(text);
             if (d.missing > 0) return;
             for (const char* name : {"--em-iterations", "--starts", "--tolerance"}) {
               if (verb.count(name) == 0) continue;
               throw UsageError(std::string(name) +
                                " is of EM, and no value is missing: leave it out");
             }
           },
       .iteration =
           [&](const BayesNetProgress& now) {
             progress.iteration({now.start, now.iteration, now.objective, now.log_likelihood});
             return !interruption;
           }});
  progress.done({report.fit.iterations, report.fit.converged, report.fit.objective,
                 report.fit.log_likelihood, summary(report)},
                shared.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
