#include "cli/processes.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "croft/core/error.h"
#include "mpi/mpi_module.h"

namespace croft::cli {
namespace {

struct Joined {
  Ranks* ranks = nullptr;
  decltype(&croft_mpi_end) end = nullptr;
  decltype(&croft_mpi_host) host = nullptr;
  int messages = STDERR_FILENO;  // what the standard stream was
};
Joined joined;

// What launchers set: Open MPI's, and those that speak PMI (Slurm, MPICH).
bool is_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

// Beside the program, where it was built; and where it is installed.
void* open_module() {
  std::error_code none;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const auto& place : {folder / "libcroft_mpi.so",
                            folder / ".." / CROFT_LIBRARY_FOLDER / "croft" / "libcroft_mpi.so"}) {
    if (!std::filesystem::exists(place, none)) continue;
    // MPI loads parts of its own, which look for its names.
    void* const module = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) throw Error("cannot load MPI: ", std::string(::dlerror()));
    return module;
  }
  throw Error(
      "MPI has started several processes, and libcroft_mpi.so is not beside this croft: it was "
      "built "
      "without MPI, or stands elsewhere; install libopenmpi-dev and configure it with "
      "-DCROFT_MPI=ON");
}

template <class Function>
Function* find(void* module, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(module, name));
}

void be_silent() {
  joined.messages = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

}  // namespace

void start_processes(int* argc, char*** argv) {
  if (!is_launched()) return;
  void* const module = open_module();
  joined.end = find<void(int, const char*, int)>(module, "croft_mpi_end");
  joined.host = find<const char*()>(module, "croft_mpi_host");
  joined.ranks = find<Ranks*(int*, char***)>(module, "croft_mpi_start")(argc, argv);
  if (!joined.ranks->first()) be_silent();
}

Ranks& processes() { return joined.ranks == nullptr ? no_other_ranks() : *joined.ranks; }
bool started_by_mpi() { return joined.ranks != nullptr; }

void require_one_process(const std::string& what) {
  if (processes().alone()) return;
  throw UsageError(what, " is for one process alone; start croft without mpirun");
}

void end_processes(int status, const std::string& message) {
  if (joined.ranks == nullptr) return;
  const std::string line = "croft: process " + std::to_string(joined.ranks->rank()) + " on " +
                           joined.host() + ": " + (message.empty() ? "it has failed" : message) +
                           "\n";
  joined.end(status, joined.ranks->first() ? "" : line.c_str(), joined.messages);
}

}  // namespace croft::cli
