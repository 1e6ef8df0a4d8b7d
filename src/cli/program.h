// The program as a function of its command line.
#pragma once
#include <string>

namespace croft::cli {

struct Ending {
  int status = 0;       // of exit
  std::string message;  // of a failure; it stands on stderr already
};

// Runs one command line, as the program does; says on stderr why it failed.  It may be called again
// and again.
Ending run_program(int argc, char** argv);

}  // namespace croft::cli
