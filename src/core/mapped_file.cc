#include "core/mapped_file.h"

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
