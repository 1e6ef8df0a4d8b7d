// How far the sampling of a BUGS model is: a bar on a terminal, plain lines elsewhere, JSON lines
// in a log.
#pragma once
#include <chrono>
#include <mutex>
#include <string>

#include "bugs/posterior/summary.h"
#include "bugs/sampling.h"
#include "cli/progress.h"
#include "cli/progress_line.h"

namespace croft::cli {

class BugsReport {
 public:
  // log_path: a file for JSON lines, or empty.  quiet: nothing on stderr.
  BugsReport(const std::string& log_path, bool quiet);

  void start(const std::string& program, const bugs::BugsOptions& options);
  // For sample(): false after Ctrl-C or SIGTERM.  May be called by several threads.
  bool see(const bugs::BugsProgress& progress);
  void done(const bugs::BugsResult& result, const std::vector<bugs::NodeSummary>& nodes);
  void wrote(const std::string& what);
  void warn(const std::string& what);  // --quiet or not

 private:
  double seconds() const;
  void log(const Json& line);

  using Clock = std::chrono::steady_clock;
  ProgressLine line_;
  Clock::time_point start_ = Clock::now();
  std::size_t logged_ = 0;  // iterations done at the last line of the log
  JsonLog log_;
  std::mutex mutex_;
};

}  // namespace croft::cli
