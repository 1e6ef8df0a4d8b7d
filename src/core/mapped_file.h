// A file mapped read-only into memory.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

namespace croft {

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
