// What trainings on parts of the data need: files that are gone at the end, and a score.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

#include "app/evaluate/evaluation.h"
#include "app/search/search.h"

namespace croft {

// A folder that is gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "croft-search-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(name + ": cannot create this folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Temporary, sync, rename.
void write_text(const std::string& path, const std::string& text);

// Of log_loss the smaller the better.  Throws UsageError where the labels have no such score.
double score_of(SearchMetric metric, const EvaluationSummary& summary);
bool in_percent(SearchMetric metric);

}  // namespace croft
