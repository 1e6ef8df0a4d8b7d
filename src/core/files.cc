#include "core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "core/mapped_file.h"
#include "croft/core/error.h"

namespace croft {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw Error(path.string() + ": cannot " + what + ": " + std::strerror(errno) +
              "; the file that was there, if any, is unchanged");
}

// The mode of the file that is there.  A folder, a pipe or a device is refused: a rename would put
// a file in its place.
std::optional<mode_t> mode_of(const std::filesystem::path& path) {
  struct stat existing;
  if (::stat(path.c_str(), &existing) != 0) return std::nullopt;
  if (!S_ISREG(existing.st_mode)) {
    throw Error(path.string() + ": cannot write: " +
                (S_ISDIR(existing.st_mode) ? "this is a folder" : "this is a pipe or a device") +
                ", which stays as it is; give the name of a file");
  }
  return existing.st_mode & 07777;
}

// Where links lead, whether or not there is a file.
std::filesystem::path behind_links(std::filesystem::path path) {
  std::error_code failure;
  for (int links = 0; std::filesystem::is_symlink(path, failure); ++links) {
    const auto next = std::filesystem::read_symlink(path, failure);
    if (failure || links == 40) {
      errno = ELOOP;
      fail(path, "follow the link");
    }
    path = path.parent_path() / next;  // an absolute one replaces all
  }
  return path;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::string own_link(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// A file without a name, which is gone when the process is killed before it gives it one; below 0
// where the file system or the machine has no such thing.
int open_nameless(const std::filesystem::path& folder, mode_t mode) {
  const int descriptor = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (descriptor < 0 || ::access(own_link(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

// A name that nobody has foreseen.
std::string temporary_name(const std::filesystem::path& path) {
  static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz012345";
  unsigned char bytes[8];
  if (::getentropy(bytes, sizeof bytes) != 0) fail(path, "draw a name for a temporary file");
  std::string name = path.string() + ".";
  for (const unsigned char byte : bytes) name += kLetters[byte % 32];
  return name;
}

}  // namespace

// A link keeps pointing where it points: the file behind it is the one that is replaced.
AtomicFile::AtomicFile(std::filesystem::path path, const std::filesystem::path& like)
    : path_(behind_links(std::move(path))) {
  if (path_ == "-") {
    throw UsageError(
        "-: a file that appears whole or not at all cannot be standard output; give a name (./- "
        "is one)");
  }
  std::optional<mode_t> mode = mode_of(path_);
  if (!mode && !like.empty()) mode = mode_of(like);
  const mode_t access = mode.value_or(0666) & 0666;
  descriptor_ = open_nameless(folder_of(path_), access);
  while (descriptor_ < 0) {
    temporary_ = temporary_name(path_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, access);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) fail(path_, "create a temporary file beside it");
  if (mode) ::fchmod(descriptor_, *mode);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
  if (temporary_.empty()) {
    const std::string name = temporary_name(path_);
    if (::linkat(AT_FDCWD, own_link(descriptor_).c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) != 0) {
      fail(path_, "name the new file");
    }
    temporary_ = name;
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "rename the new file over it");
  ::close(descriptor_);
  descriptor_ = -1;
  // The directory entry too must reach the disk; some file systems refuse this, harmlessly.
  const int directory = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

void copy_whole(const std::filesystem::path& from, const std::filesystem::path& to) {
  const MappedFile source(from);
  AtomicFile copy(to, from);
  copy.write({reinterpret_cast<const char*>(source.bytes().data()), source.bytes().size()});
  source.check_unchanged();
  copy.commit();
}

}  // namespace croft
