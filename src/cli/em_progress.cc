#include "cli/em_progress.h"

#include <fmt/format.h>

#include <filesystem>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"

namespace croft::cli {

double EmProgress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void EmProgress::data_read(const std::string& what) {
  if (!quiet_) std::fprintf(stderr, "%s (read in %.1f s)\n", what.c_str(), seconds());
}

void EmProgress::iteration(const Step& step) {
  Json line = {{"event", "iteration"},
               {"iteration", step.iteration},
               {"objective", step.objective},
               {"seconds", seconds()}};
  if (step.start) line["start"] = *step.start;
  if (step.log_likelihood) line["log_likelihood"] = *step.log_likelihood;
  log_.write(line);
  if (quiet_ || (step.iteration % 10 != 0 && Clock::now() - last_ < std::chrono::seconds(2)))
    return;
  last_ = Clock::now();
  std::string text = step.start ? fmt::format("start {}  ", *step.start) : "";
  text += fmt::format("iteration {}  objective {:.4f}", step.iteration, step.objective);
  if (step.log_likelihood) text += fmt::format("  log-likelihood {:.4f}", *step.log_likelihood);
  std::fprintf(stderr, "%s  %.1f s\n", text.c_str(), seconds());
}

void EmProgress::done(const Outcome& outcome, const std::string& output) {
  Json line = {{"event", "done"},
               {"reason", interruption              ? "interrupted"
                          : outcome.iterations == 0 ? "counted"
                          : outcome.converged       ? "converged"
                                                    : "max_iterations"},
               {"iterations", outcome.iterations},
               {"seconds", seconds()}};
  if (outcome.objective) line["objective"] = *outcome.objective;
  if (outcome.log_likelihood) line["log_likelihood"] = *outcome.log_likelihood;
  log_.write(line);
  if (quiet_) return;
  const std::string text =
      outcome.iterations == 0
          ? std::string("counted")
          : fmt::format("{} after {} iterations", outcome.converged ? "converged" : "stopped",
                        outcome.iterations);
  std::fprintf(stderr, "%s, %.1f s\n%swrote %s\n", text.c_str(), seconds(), outcome.remark.c_str(),
               output.c_str());
}

void check_log_against(const std::string& log, const std::string& path) {
  std::error_code none;
  if (log.empty() || (log != path && !std::filesystem::equivalent(log, path, none))) return;
  throw UsageError("--log " + log + " would overwrite " + path + "; give another name");
}

}  // namespace croft::cli
