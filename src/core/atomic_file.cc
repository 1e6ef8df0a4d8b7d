#include "croft/core/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "croft/core/error.h"

namespace croft {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw Error(path.string() + ": cannot " + what + ": " + std::strerror(errno) +
              "; the file that was there, if any, is unchanged");
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // A link keeps pointing where it points: the file behind it is the one that is replaced.
  std::error_code ignored;
  if (std::filesystem::is_symlink(path_, ignored)) {
    const auto target = std::filesystem::weakly_canonical(path_, ignored);
    if (!ignored) path_ = target;
  }
  std::string pattern = path_.string() + ".XXXXXX";
  descriptor_ = ::mkstemp(pattern.data());
  if (descriptor_ < 0) fail(path_, "create a temporary file beside it");
  temporary_ = pattern;
  struct stat existing;
  mode_t mode = 0666;
  if (::stat(path_.c_str(), &existing) == 0) {
    mode = existing.st_mode & 07777;
  } else {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode &= ~mask;
  }
  ::fchmod(descriptor_, mode);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail(path_, "sync");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "rename the new file over it");
  ::close(descriptor_);
  descriptor_ = -1;
  // The directory entry too must reach the disk; some file systems refuse this, harmlessly.
  const auto parent = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  const int directory = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

}  // namespace croft
