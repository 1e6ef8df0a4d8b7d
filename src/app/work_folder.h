// A folder for files that are gone at the end.
#pragma once
#include <filesystem>
#include <string>

namespace croft {

// In TMPDIR, for its owner alone.  A process that was killed leaves its folder behind, which the
// next one that makes such a folder removes.
class WorkFolder {
 public:
  // Throws Error where there is no folder for it or the disk is full.
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  int lock_ =
      -1;  // held while the process lives: whoever gets it knows that the folder is nobody's
};

}  // namespace croft
