#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "app/file_checks.h"
#include "cli/common.h"
#include "cli/processes.h"
#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "train/course/report.h"

namespace croft::cli {
namespace {

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

void add_fields(const Fields& fields, Json& line) {
  for (const Field& each : fields) {
    if (each.where == Shown::program) continue;
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (!std::is_same_v<T, std::monostate>) line[each.name] = value;
        },
        each.value);
  }
}

void add_holdout(const std::optional<HoldoutScore>& score, Json& line) {
  if (!score) return;
  if (score->log_likelihood) {
    line["holdout_log_likelihood"] = *score->log_likelihood;
    return;
  }
  line["holdout_accuracy"] = score->token_accuracy;
  if (score->chunk_f1) line["holdout_f1"] = *score->chunk_f1;
}

// The log is emptied before anything is read: it must not be a file that training reads or writes.
void check_log(const std::string& log, const TrainFiles& files) {
  if (log.empty()) return;
  std::vector<std::string> others = files.inputs;
  others.push_back(files.output);
  for (const std::string& other : others) {
    if (!same_file(log, other)) continue;
    throw UsageError("--log ", log, " would overwrite ", other, "; give another name");
  }
}

}  // namespace

JsonLog::JsonLog(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  file_.reset(std::fopen(path_.c_str(), "w"));
  if (!file_) throw Error(path_ + ": cannot write the log: " + std::strerror(errno));
}

std::string JsonLog::write(const Json& line) {
  if (!file_) return {};
  if (std::fputs((line.dump() + "\n").c_str(), file_.get()) >= 0 && std::fflush(file_.get()) == 0) {
    return {};
  }
  const std::string reason = std::strerror(errno);
  file_.reset();
  return path_ + ": cannot write the log: " + reason;
}

TrainingReport::TrainingReport(const StoppingRule& rule, const std::string& log_path, bool quiet)
    : rule_(rule), line_(quiet), log_(log_path) {}

double TrainingReport::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void TrainingReport::log(const Json& line) {
  const std::string problem = log_.write(line);
  if (!problem.empty()) warn(problem + "; training goes on without a log");
}

void TrainingReport::warn(std::string_view what) { line_.warn(fmt::format("warning: {}", what)); }

void TrainingReport::reading(std::string_view what) {
  if (!line_.is_quiet() && line_.on_terminal()) line_.stand(fmt::format("reading: {}", what));
}

void TrainingReport::data_read(const DataSummary& data) {
  first_iteration_seconds_ = seconds();
  line_.print(fmt::format("{} (read in {:.1f} s)\n", data.text, seconds()));
}

void TrainingReport::part(std::string_view what) { line_.print(fmt::format("{}\n", what)); }

bool TrainingReport::stop() { return interruption; }

// Seconds to the end: the objective's change falls about geometrically, so its logarithm is
// followed down to the tolerance; never more than the iterations that are left.  Nothing is known
// before there are two windows of it: the most iterations that may come say little.
std::optional<double> TrainingReport::remaining(const TrainStep& step) {
  const std::size_t k = objectives_.size() - 1, window = rule_.window;
  const double each = (seconds() - first_iteration_seconds_) /
                      static_cast<double>(std::max<std::size_t>(1, step.number));
  double left = static_cast<double>(step.most - std::min(step.number, step.most));
  const auto change = [&](std::size_t at) {
    return (objectives_[at - window] - objectives_[at]) / std::max(1.0, std::abs(objectives_[at]));
  };
  if (rule_.tolerance > 0 && k < 2 * window && left > static_cast<double>(2 * window)) {
    return std::nullopt;
  }
  if (k >= 2 * window && rule_.tolerance > 0) {
    const double before = change(k - window), now = change(k);
    if (now > 0 && before > now) {
      const double rate = std::log(before / now) / static_cast<double>(window);
      left = std::min(left, std::max(0.0, std::log(now / rule_.tolerance) / rate));
    }
  }
  return left * each;
}

void TrainingReport::show_bar(const TrainStep& step, const std::string& line) {
  const std::optional<double> left = remaining(step);
  const double spent = seconds() - first_iteration_seconds_;
  if (!left) {
    line_.bar(0, line);
    return;
  }
  line_.bar(spent / std::max(1e-9, spent + *left),
            fmt::format("{} left  {}", duration(*left), line));
}

bool TrainingReport::see(const TrainStep& step) {
  objectives_.push_back(step.objective);
  Json line = {{"event", "iteration"}, {"iteration", step.number}, {"objective", step.objective}};
  add_fields(step.further, line);
  add_holdout(step.holdout, line);
  line["seconds"] = seconds();
  log(line);
  if (line_.is_quiet()) return !interruption;
  std::string text = step.text;
  if (step.holdout) text += "  " + holdout_text(*step.holdout);
  const bool shows =
      line_.is_due() || (!line_.on_terminal() && (step.number % 10 == 0 || step.milestone));
  if (!shows) return !interruption;
  line_.shown();
  if (line_.on_terminal()) {
    show_bar(step, text);
  } else {
    line_.print(fmt::format("{}  {:.1f} s\n", text, seconds()));
  }
  return !interruption;
}

void TrainingReport::round(const FeatureRound& round) {
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
  add_holdout(round.holdout, line);
  line["seconds"] = seconds();
  log(line);
  std::string text =
      fmt::format("{}, round {}: objective {:.2f}", round.what, round.number, round.objective);
  if (round.errors) text += fmt::format(", {} in error", counted(*round.errors, "position"));
  if (round.added > 0) text += fmt::format(", {} added", counted(round.added, "feature"));
  if (round.best_gain) {
    text += fmt::format(" (gains {:.1f} to {:.1f})", *round.best_gain, *round.least_gain);
  }
  if (round.dropped > 0) text += fmt::format(", {} dropped", counted(round.dropped, "feature"));
  text += fmt::format(", {}", counted(round.features, "feature"));
  if (round.conjunctions > 0)
    text += fmt::format(", {}", counted(round.conjunctions, "conjunction"));
  if (round.holdout) text += ", " + holdout_text(*round.holdout);
  line_.print(fmt::format("{}  {:.1f} s\n", text, seconds()));
}

void TrainingReport::done(const TrainOutcome& outcome, const std::string& output) {
  Json line = {{"event", "done"}, {"reason", outcome.reason}, {"iterations", outcome.iterations}};
  if (outcome.objective) line["objective"] = *outcome.objective;
  add_fields(outcome.further, line);
  line["seconds"] = seconds();
  log(line);
  line_.print(fmt::format("{}{}, {:.1f} s{}\nwrote {}\n", outcome.ahead, outcome.head, seconds(),
                          outcome.tail, output));
  std::fputs(outcome.warning.c_str(), stderr);  // --quiet or not
}

int run_training(Trainer& trainer, const std::string& log, bool quiet) {
  const TrainFiles files = trainer.files();
  check_log(log, files);
  handle_interrupts();
  const std::string warning = trainer.warning();
  if (!quiet && !warning.empty()) std::fprintf(stderr, "%s\n", warning.c_str());
  // The first of several processes writes it.
  TrainingReport report(trainer.stopping(), processes().first() ? log : std::string(), quiet);
  report.done(train(trainer, report), files.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
