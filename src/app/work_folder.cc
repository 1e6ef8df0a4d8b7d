#include "app/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "croft/core/error.h"

namespace croft {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "croft-work-";

fs::path folder_of_temporaries() {
  std::error_code failure;
  const fs::path folder = fs::temp_directory_path(failure);
  if (!failure) return folder;
  const char* const named = std::getenv("TMPDIR");
  throw Error(std::string(named == nullptr ? "/tmp" : named),
              ": there is no such folder for temporary files; set TMPDIR to one");
}

// The lock of a folder; below 0 where it is another's.
int locked(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  if (descriptor >= 0) ::close(descriptor);
  return -1;
}

// A folder is made a moment before it is locked: young ones are left alone.
void remove_those_of_killed_processes(const fs::path& parent) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(1);
  std::error_code none;
  for (fs::directory_iterator each(parent, none), end; each != end; each.increment(none)) {
    if (none || !each->path().filename().string().starts_with(kPrefix)) continue;
    if (each->last_write_time(none) > old || none) continue;
    const int lock = locked(each->path());
    if (lock < 0) continue;
    fs::remove_all(each->path(), none);
    ::close(lock);
  }
}

}  // namespace

WorkFolder::WorkFolder() {
  const fs::path parent = folder_of_temporaries();
  remove_those_of_killed_processes(parent);
  std::string name = (parent / kPrefix).string() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(name, ": cannot create this folder: ", std::string(std::strerror(errno)),
                "; set TMPDIR to one that takes it");
  }
  path_ = name;
  lock_ = locked(path_);
}

WorkFolder::~WorkFolder() {
  std::error_code none;
  fs::remove_all(path_, none);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace croft
