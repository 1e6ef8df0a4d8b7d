// Runs many command lines of croft in one process: a process takes longer to start than most of
// them to be refused.
//   many_runs <COMMANDS
// A line of standard input is a JSON list of arguments.  A line of standard output answers it:
// {"status": exit status, "stdout": text, "stderr": text}.  A run has an empty standard input.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"

namespace {

// A standard stream that goes into memory.
class Caught {
 public:
  explicit Caught(int stream) : file_(::memfd_create("caught", MFD_CLOEXEC)) {
    if (file_ == -1 || ::dup2(file_, stream) == -1) {
      std::perror("many_runs");
      std::exit(1);
    }
  }
  // Returns the text that was written since the last call.
  std::string take() {
    const off_t size = ::lseek(file_, 0, SEEK_CUR);  // the stream shares this position
    std::string text(static_cast<std::size_t>(size), '\0');
    const ssize_t read = ::pread(file_, text.data(), text.size(), 0);
    if (read != size || ::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) != 0)
      std::exit(1);
    return text;
  }

 private:
  int file_;
};

int run(std::vector<std::string> words) {
  words.insert(words.begin(), "croft");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return croft::cli::run_program(static_cast<int>(words.size()), arguments.data()).status;
}

}  // namespace

int main() {
  std::FILE* const answers = ::fdopen(::dup(STDOUT_FILENO), "w");
  const int commands = ::dup(STDIN_FILENO);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  std::FILE* const input = ::fdopen(commands, "r");
  Caught out(STDOUT_FILENO), messages(STDERR_FILENO);
  char* line = nullptr;
  std::size_t room = 0;
  while (::getline(&line, &room, input) > 0) {
    const int status = run(nlohmann::json::parse(line).get<std::vector<std::string>>());
    std::fflush(nullptr);
    const nlohmann::json answer = {
        {"status", status}, {"stdout", out.take()}, {"stderr", messages.take()}};
    std::fprintf(answers, "%s\n",
                 answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    std::fflush(answers);
  }
  std::free(line);
}
