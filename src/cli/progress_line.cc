#include "cli/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace croft::cli {
namespace {

constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (stands_) std::fputs("\n", stderr);
}

bool ProgressLine::is_due() const {
  return Clock::now() - last_shown_ >= std::chrono::milliseconds(terminal_ ? 80 : 2000);
}

void ProgressLine::stand(std::string_view text) {
  std::fprintf(stderr, "%s%.*s", kEraseLine, static_cast<int>(text.size()), text.data());
  std::fflush(stderr);
  stands_ = true;
}

void ProgressLine::bar(double fraction, std::string_view text) {
  winsize size{};
  const int columns =
      ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
  constexpr int kWidth = 20;
  const int filled = static_cast<int>(fraction * kWidth);
  std::string line;
  for (int k = 0; k < kWidth; ++k) line += k < filled ? "━" : "┄";
  line += ' ';
  line += text.substr(0, static_cast<std::size_t>(std::max(0, columns - kWidth - 2)));
  stand(line);
}

void ProgressLine::put(std::string_view text) {
  std::fprintf(stderr, "%s%.*s", stands_ ? kEraseLine : "", static_cast<int>(text.size()),
               text.data());
  stands_ = false;
}

void ProgressLine::print(std::string_view lines) {
  if (!quiet_ && !lines.empty()) put(lines);
}

void ProgressLine::warn(std::string_view line) { put(std::string(line) + "\n"); }

}  // namespace croft::cli
