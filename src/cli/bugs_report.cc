#include "cli/bugs_report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/json.h"
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

BugsReport::BugsReport(const std::string& log_path, bool quiet)
    : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1), log_(log_path) {}

BugsReport::~BugsReport() {
  if (bar_on_screen_) std::fputs("\n", stderr);
}

double BugsReport::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void BugsReport::log(const Json& line) {
  const std::string problem = log_.write(line);
  if (!problem.empty()) warn(problem + "; sampling goes on without a log");
}

void BugsReport::print(const std::string& text) {
  if (quiet_) return;
  std::fprintf(stderr, "%s%s\n", bar_on_screen_ ? "\r\033[K" : "", text.c_str());
  bar_on_screen_ = false;
}

void BugsReport::warn(const std::string& what) {
  std::fprintf(stderr, "%scroft: warning: %s\n", bar_on_screen_ ? "\r\033[K" : "", what.c_str());
  bar_on_screen_ = false;
}

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
  const auto pause = std::chrono::milliseconds(terminal_ ? 80 : 2000);
  if (!quiet_ && Clock::now() - last_shown_ >= pause) {
    last_shown_ = Clock::now();
    const std::string text = fmt::format("{} of {} iterations{}  {:.1f} s", progress.done,
                                         progress.all, convergence_text(progress), seconds());
    terminal_ ? show_bar(progress, text) : print(text);
  }
  return !interruption;
}

void BugsReport::show_bar(const bugs::BugsProgress& progress, const std::string& text) {
  winsize size{};
  const int columns =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
  constexpr int kWidth = 20;
  const double share = static_cast<double>(progress.done) /
                       static_cast<double>(std::max<std::size_t>(1, progress.all));
  std::string bar;
  for (int k = 0; k < kWidth; ++k) bar += k < static_cast<int>(share * kWidth) ? "━" : "┄";
  std::fprintf(stderr, "\r\033[K%s %.*s", bar.c_str(), std::max(0, columns - kWidth - 2),
               text.c_str());
  std::fflush(stderr);
  bar_on_screen_ = true;
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
    text += fmt::format("{} iterations{}", result.iterations, result.stopped ? ", stopped" : "");
    if (r_hat > 0) text += fmt::format(", R-hat at most {:.3f}", r_hat);
    if (fewest < HUGE_VAL) text += fmt::format(", {:.0f} effective samples or more", fewest);
  }
  print(text + fmt::format(", {:.1f} s", seconds()));
}

void BugsReport::wrote(const std::string& what) { print("wrote " + what); }

}  // namespace croft::cli
