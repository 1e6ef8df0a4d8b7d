#include "core/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "croft/core/error.h"

namespace croft {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw Error(path.string() + ": cannot " + what + ": " + std::strerror(errno) +
              "; the file that was there, if any, is unchanged");
}

// The mode of the file that is there, or that of a new one.  A folder, a pipe or a device is
// refused: a rename would put a file in its place.
mode_t mode_for(const std::filesystem::path& path) {
  struct stat existing;
  if (::stat(path.c_str(), &existing) != 0) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
  }
  if (!S_ISREG(existing.st_mode)) {
    throw Error(path.string() + ": cannot write: " +
                (S_ISDIR(existing.st_mode) ? "this is a folder" : "this is a pipe or a device") +
                ", which stays as it is; give the name of a file");
  }
  return existing.st_mode & 07777;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // A link keeps pointing where it points: the file behind it is the one that is replaced.
  std::error_code ignored;
  if (std::filesystem::is_symlink(path_, ignored)) {
    const auto target = std::filesystem::weakly_canonical(path_, ignored);
    if (!ignored) path_ = target;
  }
  const mode_t mode = mode_for(path_);
  std::string pattern = path_.string() + ".XXXXXX";
  descriptor_ = ::mkstemp(pattern.data());
  if (descriptor_ < 0) fail(path_, "create a temporary file beside it");
  temporary_ = pattern;
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

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int descriptor, const char* what,
                       int reason) {
  if (descriptor >= 0) ::close(descriptor);
  throw Error(path.string() + ": cannot " + what + ": " + std::strerror(reason));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, descriptor, "open", errno);
  struct stat status;
  if (::fstat(descriptor, &status) != 0) fail(path, descriptor, "read", errno);
  if (S_ISDIR(status.st_mode)) fail(path, descriptor, "read", EISDIR);
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) fail(path, descriptor, "map", errno);
    data_ = static_cast<const std::byte*>(data);
  }
  ::close(descriptor);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace croft
