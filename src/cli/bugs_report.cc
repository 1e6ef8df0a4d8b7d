#include "cli/bugs_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

// Of the chains so far; nothing where it is not yet known.
std::string convergence_text(const bugs::BugsProgress& progress) {
  std::string out;
  if (progress.r_hat > 0) out += fmt::format("  R-hat {:.3f}", progress.r_hat);
  if (progress.effective_samples > 0) {
    out += fmt::format("  effective samples {:.0f}", progress.effective_samples);
  }
  return out;
}

}  // namespace

BugsReport::BugsReport(const std::string& log_path, bool quiet) : line_(quiet), log_(log_path) {}

double BugsReport::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void BugsReport::log(const Json& line) {
  const std::string problem = log_.write(line);
  if (!problem.empty()) warn(problem + "; sampling goes on without a log");
}

void BugsReport::warn(const std::string& what) { line_.warn("croft: warning: " + what); }

void BugsReport::start(const std::string& program, const bugs::BugsOptions& options) {
  log({{"event", "start"},
       {"program", program},
       {"chains", options.chains},
       {"burn_in", options.burn_in},
       {"samples", options.samples},
       {"seed", options.seed},
       {"seconds", seconds()}});
}

bool BugsReport::see(const bugs::BugsProgress& progress) {
  const std::lock_guard lock(mutex_);
  // At most 200 lines in the log of a run.
  if (progress.done >= logged_ + std::max<std::size_t>(1, progress.all / 200)) {
    logged_ = progress.done;
    Json line = {{"event", "iteration"}, {"iteration", progress.done}, {"of", progress.all}};
    if (progress.r_hat > 0) line["r_hat"] = progress.r_hat;
    if (progress.effective_samples > 0) line["effective_samples"] = progress.effective_samples;
    line["seconds"] = seconds();
    log(line);
  }
  if (line_.is_quiet() || !line_.is_due()) return !interruption;
  line_.shown();
  const std::string text =
      fmt::format("{} of {}{}  {:.1f} s", progress.done, counted(progress.all, "iteration"),
                  convergence_text(progress), seconds());
  if (line_.on_terminal()) {
    line_.bar(static_cast<double>(progress.done) /
                  static_cast<double>(std::max<std::size_t>(1, progress.all)),
              text);
  } else {
    line_.print(text + "\n");
  }
  return !interruption;
}

void BugsReport::done(const bugs::BugsResult& result, const std::vector<bugs::NodeSummary>& nodes) {
  for (const bugs::SamplerUse& each : result.samplers) {
    log({{"event", "sampler"}, {"sampler", each.sampler}, {"nodes", each.nodes}});
  }
  double r_hat = 0, fewest = HUGE_VAL;
  for (const bugs::NodeSummary& node : nodes) {
    if (!std::isnan(node.r_hat)) r_hat = std::max(r_hat, node.r_hat);
    if (!std::isnan(node.effective)) fewest = std::min(fewest, node.effective);
  }
  Json line = {{"event", "done"},
               {"reason", !result.exact.empty() ? "exact"
                          : result.stopped      ? "stopped"
                                                : "finished"},
               {"iterations", result.iterations},
               {"observed", result.observed},
               {"unobserved", result.unobserved}};
  if (r_hat > 0) line["r_hat"] = r_hat;
  if (fewest < HUGE_VAL) line["effective_samples"] = fewest;
  line["seconds"] = seconds();
  log(line);
  std::string text = fmt::format("{} observed and {} unobserved stochastic nodes; ",
                                 result.observed, result.unobserved);
  if (!result.exact.empty()) {
    text += "exact, by a junction tree: no sampling error";
  } else {
    text += fmt::format("{}{}", counted(result.iterations, "iteration"),
                        result.stopped ? ", stopped" : "");
    if (r_hat > 0) text += fmt::format(", R-hat at most {:.3f}", r_hat);
    if (fewest < HUGE_VAL) text += fmt::format(", {:.0f} effective samples or more", fewest);
  }
  line_.print(text + fmt::format(", {:.1f} s\n", seconds()));
}

void BugsReport::wrote(const std::string& what) { line_.print("wrote " + what + "\n"); }

}  // namespace croft::cli
