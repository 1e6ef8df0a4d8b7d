// Progress on stderr: a bar that is written again in its place on a terminal, plain lines
// elsewhere.
#pragma once
#include <chrono>
#include <string>
#include <string_view>

namespace croft::cli {

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);  // quiet: warnings alone
  ~ProgressLine();                    // ends a line that stands

  bool is_quiet() const { return quiet_; }
  bool on_terminal() const { return terminal_; }
  // Whether the last one was long enough ago: 80 ms on a terminal, 2 s elsewhere.
  bool is_due() const;
  void shown() { last_shown_ = Clock::now(); }

  void bar(double fraction, std::string_view text);  // cut to the width of the terminal
  void stand(std::string_view text);                 // a line without a bar
  void print(std::string_view lines);                // in the place of what stands
  void warn(std::string_view line);                  // likewise, also where quiet

 private:
  using Clock = std::chrono::steady_clock;
  void put(std::string_view text);

  const bool quiet_, terminal_;
  bool stands_ = false;
  Clock::time_point last_shown_ = Clock::now();
};

}  // namespace croft::cli
