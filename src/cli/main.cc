// croft: conditional random fields from the command line.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "cli/processes.h"
#include "cli/program.h"

// Highway's library times the clock when it is loaded, for its benchmarks alone: that was 4 ms of
// the 6 that the program takes to start.  The loader finds this function first.
namespace hwy::platform {
std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform

namespace {

// A file that is opened gets the first free number: without a standard stream, results or messages
// would go into it.  What is missing can be neither read nor written, which is an error when it is
// used; messages alone are dropped.
void fill_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    [[maybe_unused]] const int opened =
        ::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write: ReaderLeft
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that is as large as `ulimit -f` allows
  const auto ending = croft::cli::run_program(argc, argv);
  croft::cli::end_processes(ending.status, ending.message);
  return ending.status;
}
