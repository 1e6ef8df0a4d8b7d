// Files that appear whole or not at all, and files mapped into memory.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace croft {

// Writes to a temporary beside `path`; commit() syncs it and renames it over `path`.  Destroyed
// without commit(), the temporary is removed and whatever was at `path` is as before.
// What is there and is no regular file (a folder, a pipe, a device) is refused at once.
// Every failure (permission, full disk) throws Error naming the path and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
};

// A file mapped read-only into memory.
class MappedFile {
 public:
  MappedFile() = default;
  // Throws Error naming the path and the reason when the file cannot be opened or mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace croft
