// Files that are packed, unpacked as they are read: gzip, xz and zstd, by how they begin.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace croft {

class PackedFile {
 public:
  virtual ~PackedFile() = default;
  // The next bytes, 0 at the end.  Throws Error for a file that is damaged or cut off.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

// Whether it is a regular file that is packed; false where it cannot be read.
bool is_packed(const std::string& path);

// Of a regular file at its start; null: it is not packed, and the descriptor stays the caller's.
// Throws Error for a file of Git LFS that stands for one that was not fetched.
std::unique_ptr<PackedFile> open_packed(int descriptor, const std::string& name);
// Of a stream, whose first bytes were read already.
std::unique_ptr<PackedFile> open_packed(int descriptor, const std::string& name,
                                        std::string_view begun);

}  // namespace croft
