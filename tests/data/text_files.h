// Files for the tests of readers.
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/message_of.h"

namespace croft {

// A file with the given bytes, gone at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes) {
    std::string pattern = (std::filesystem::temp_directory_path() / "croft_data_XXXXXX").string();
    const int descriptor = ::mkstemp(pattern.data());
    if (descriptor < 0) throw std::runtime_error("cannot create " + pattern);
    ::close(descriptor);
    path_ = pattern;
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The folder of the larger data sets; a test that needs it is skipped where it is absent.
inline std::filesystem::path data_folder() {
  const char* const folder = std::getenv("CROFT_DATA");
  return folder != nullptr ? std::filesystem::path(folder)
                           : std::filesystem::path(CROFT_SOURCE_DIR) / ".." / "shared" / "data";
}

}  // namespace croft
