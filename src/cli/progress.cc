#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "croft/core/json.h"

namespace croft::cli {
namespace {

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string holdout_text(const HoldoutScore& score) {
  return score.chunk_f1 ? fmt::format("hold-out F1 {:.2f}", 100 * *score.chunk_f1)
                        : fmt::format("hold-out accuracy {:.2f}", 100 * score.token_accuracy);
}

// What is known of the weights that were not trained.
std::string active_set_text(const ActiveSetReport& set, double l1) {
  std::string text = fmt::format("trained {} weights in {} rounds", set.trained, set.rounds);
  if (!set.largest_violation) return text + "; the others were not checked at the end";
  if (*set.largest_violation == 0) return text + "; the others, at 0, are optimal";
  return text + fmt::format("; of the others, at 0, no derivative exceeds l1 by more than {:.2g} %",
                            100 * *set.largest_violation / l1);
}

}  // namespace

TrainingProgress::TrainingProgress(const TrainOptions& options, const std::string& log_path,
                                   bool quiet)
    : options_(options), quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1), log_(log_path) {}

TrainingProgress::~TrainingProgress() {
  if (bar_on_screen_) std::fputs("\n", stderr);
}

double TrainingProgress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void TrainingProgress::reading(std::size_t positions) {
  reading(fmt::format("{} positions", positions));
}

void TrainingProgress::reading(const std::string& what) {
  if (quiet_ || !terminal_) return;
  std::fprintf(stderr, "\r\033[Kreading: %s", what.c_str());
  std::fflush(stderr);
  bar_on_screen_ = true;
}

void TrainingProgress::data_read(const TrainData& data) {
  std::string text = fmt::format("{} sequences, {} positions, {} labels, {} attributes",
                                 data.sequences, data.positions, data.labels, data.attributes);
  if (data.holdout_sequences > 0) text += fmt::format("; {} held out", data.holdout_sequences);
  if (data.partial_positions > 0) {
    text += fmt::format("; {} without a single label", data.partial_positions);
  }
  if (data.default_features) {
    text += "\nno --template given: using the default features for words";
  }
  data_read(text);
}

void TrainingProgress::data_read(const std::string& what) {
  first_iteration_seconds_ = seconds();
  if (quiet_) return;
  std::fprintf(stderr, "%s%s (read in %.1f s)\n", terminal_ ? "\r\033[K" : "", what.c_str(),
               seconds());
  bar_on_screen_ = false;
}

// Seconds to the end: the objective's change falls about geometrically, so its logarithm is
// followed down to the tolerance; never more than the iterations that are left.
double TrainingProgress::remaining(const TrainProgress& progress) {
  const std::size_t k = progress.iteration.number, window = options_.stop.window;
  const double each =
      (seconds() - first_iteration_seconds_) / static_cast<double>(std::max<std::size_t>(1, k));
  double left = static_cast<double>(progress.max_iterations - std::min(k, progress.max_iterations));
  const auto change = [&](std::size_t at) {
    return (objectives_[at - window] - objectives_[at]) / std::max(1.0, std::abs(objectives_[at]));
  };
  const double tolerance = options_.stop.tolerance;
  if (k >= 2 * window && tolerance > 0) {
    const double before = change(k - window), now = change(k);
    if (now > 0 && before > now) {
      const double rate = std::log(before / now) / static_cast<double>(window);
      left = std::min(left, std::max(0.0, std::log(now / tolerance) / rate));
    }
  }
  return left * each;
}

void TrainingProgress::show_bar(const TrainProgress& progress, const std::string& line) {
  winsize size{};
  const int columns =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
  const double left = remaining(progress);
  const double spent = seconds() - first_iteration_seconds_;
  const double fraction = spent / std::max(1e-9, spent + left);
  const int width = 20, filled = static_cast<int>(fraction * width);
  std::string bar;
  for (int k = 0; k < width; ++k) bar += k < filled ? "━" : "┄";
  const std::string text = fmt::format("{} left  {}", duration(left), line);
  std::fprintf(stderr, "\r\033[K%s %.*s", bar.c_str(), std::max(0, columns - width - 2),
               text.c_str());
  std::fflush(stderr);
  bar_on_screen_ = true;
}

void TrainingProgress::iteration(const TrainProgress& progress) {
  const Iteration& now = progress.iteration;
  objectives_.push_back(now.objective);
  Json line = {{"event", "iteration"},
               {"iteration", now.number},
               {"evaluations", now.evaluations},
               {"objective", now.objective},
               {"gradient_norm", now.gradient_norm},
               {"active_features", now.active},
               {"step", now.step}};
  if (now.gap) line["gap"] = *now.gap;
  if (progress.holdout) {
    line["holdout_accuracy"] = progress.holdout->token_accuracy;
    if (progress.holdout->chunk_f1) line["holdout_f1"] = *progress.holdout->chunk_f1;
  }
  line["seconds"] = seconds();
  log_.write(line);
  if (quiet_) return;
  std::string text = fmt::format("iteration {}  objective {:.2f}  gradient {:.3g}  active {}",
                                 now.number, now.objective, now.gradient_norm, now.active);
  if (now.gap) text += fmt::format("  gap {:.2g}", *now.gap);
  if (progress.holdout) text += "  " + holdout_text(*progress.holdout);
  const bool recent = Clock::now() - last_shown_ < std::chrono::milliseconds(terminal_ ? 80 : 2000);
  if (terminal_ && !recent) {
    show_bar(progress, text);
  } else if (!terminal_ && (!recent || now.number % 10 == 0)) {
    std::fprintf(stderr, "%s  %.1f s\n", text.c_str(), seconds());
  } else {
    return;
  }
  last_shown_ = Clock::now();
}

void TrainingProgress::round(const FeatureRound& round) {
  Json line = {{"event", "features"},
               {"what", round.what},
               {"round", round.number},
               {"iteration", round.iterations},
               {"objective", round.objective},
               {"added", round.added},
               {"dropped", round.dropped},
               {"features", round.features},
               {"conjunctions", round.conjunctions}};
  if (round.errors) line["errors"] = *round.errors;
  if (round.best_gain) line["best_gain"] = *round.best_gain;
  if (round.least_gain) line["least_gain"] = *round.least_gain;
  if (round.holdout) {
    line["holdout_accuracy"] = round.holdout->token_accuracy;
    if (round.holdout->chunk_f1) line["holdout_f1"] = *round.holdout->chunk_f1;
  }
  line["seconds"] = seconds();
  log_.write(line);
  if (quiet_) return;
  std::string text =
      fmt::format("{}, round {}: objective {:.2f}", round.what, round.number, round.objective);
  if (round.errors) text += fmt::format(", {} positions in error", *round.errors);
  if (round.added > 0) text += fmt::format(", {} features added", round.added);
  if (round.best_gain) {
    text += fmt::format(" (gains {:.1f} to {:.1f})", *round.best_gain, *round.least_gain);
  }
  if (round.dropped > 0) text += fmt::format(", {} features dropped", round.dropped);
  text += fmt::format(", {} features", round.features);
  if (round.conjunctions > 0) text += fmt::format(", {} conjunctions", round.conjunctions);
  if (round.holdout) text += ", " + holdout_text(*round.holdout);
  std::fprintf(stderr, "%s%s  %.1f s\n", bar_on_screen_ ? "\r\033[K" : "", text.c_str(), seconds());
  bar_on_screen_ = false;
}

void TrainingProgress::done(const TrainResult& result, const std::string& output) {
  const OptimizeResult& o = result.optimization;
  Json line = {{"event", "done"},
               {"reason", stop_reason_name(o.reason)},
               {"message", o.message},
               {"objective", o.objective},
               {"iterations", o.iterations},
               {"evaluations", o.evaluations},
               {"active_features", result.active}};
  if (result.best_iteration) line["kept_iteration"] = *result.best_iteration;
  if (result.active_set) {
    line["rounds"] = result.active_set->rounds;
    line["trained_features"] = result.active_set->trained;
    if (result.active_set->largest_violation) {
      line["largest_violation"] = *result.active_set->largest_violation;
    }
  }
  line["seconds"] = seconds();
  log_.write(line);
  if (quiet_) return;
  std::string text =
      fmt::format("{} after {} iterations, {:.1f} s: {}\nobjective {:.2f}, {} weights, {} not zero",
                  o.converged() ? "converged" : "stopped", o.iterations, seconds(), o.message,
                  o.objective, result.dimension, result.active);
  if (result.holdout) text += ", " + holdout_text(*result.holdout);
  if (result.best_iteration)
    text += fmt::format(" (weights of iteration {})", *result.best_iteration);
  if (result.active_set)
    text += "\n" + active_set_text(*result.active_set, options_.regulariser.l1);
  std::fprintf(stderr, "%s%s\nwrote %s\n", bar_on_screen_ ? "\r\033[K" : "", text.c_str(),
               output.c_str());
  bar_on_screen_ = false;
}

}  // namespace croft::cli
