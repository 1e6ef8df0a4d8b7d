// A file as bytes in memory, which may be changed or cut off by others while it is read.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace croft {

// The bytes of a regular file.  Up to a megabyte they are copied; more is mapped, and read from the
// disk when it is touched.  A mapped file that somebody cuts off reads as zeros from then on
// instead of ending the process (SIGBUS), and check_unchanged() says so.
class MappedFile {
 public:
  MappedFile();
  // Throws Error naming the path and the reason when the file cannot be opened, read or mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }

  // Throws Error naming the file when it is no longer what was opened: written to in its place (`cp
  // new model`) or cut off.  Results that were made since the last call are not to be trusted then.
  // A file that was replaced as a whole (`mv new model`) stays what it was.  Costs a system call.
  void check_unchanged() const;

 private:
  friend void check_mapped_files();
  struct Mapping;
  std::unique_ptr<std::byte[]> copy_;
  std::unique_ptr<Mapping> mapping_;
  std::span<const std::byte> bytes_;
};

// The same of all mapped files of the process.
void check_mapped_files();

}  // namespace croft
