// Files that appear whole or not at all.
#pragma once
#include <filesystem>
#include <string_view>

namespace croft {

// Writes to a temporary in the folder of `path`; commit() syncs it and renames it over `path`.
// Destroyed without commit(), the temporary is removed and whatever was at `path` is as before; so
// it is when the process is killed, where the file system has files without names.
// What is there and is no regular file (a folder, a pipe, a device) is refused at once.
// Every failure (permission, full disk) throws Error naming the path and the system's reason.
class AtomicFile {
 public:
  //   like : where nothing is at `path`, the new file has the mode of this one; empty: 0666
  explicit AtomicFile(std::filesystem::path path, const std::filesystem::path& like = {});
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
};

// `to` becomes what `from` is, whole or not at all.  It keeps its mode, or takes that of `from`
// where it is new.
void copy_whole(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace croft
