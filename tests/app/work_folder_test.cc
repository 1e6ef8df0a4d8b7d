// Folders that are gone at the end, also those of processes that were killed.
#include "app/work_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>

#include "croft/core/error.h"

namespace croft::work_folder_test {
namespace {

namespace fs = std::filesystem;

class WorkFolders : public testing::Test {
 protected:
  WorkFolders() {
    fs::create_directory(here_);
    ::setenv("TMPDIR", here_.c_str(), 1);
  }
  ~WorkFolders() override {
    ::unsetenv("TMPDIR");
    fs::remove_all(here_);
  }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(here_), fs::directory_iterator()));
  }
  // As if nothing had been written for an hour.
  void age() const {
    for (const auto& each : fs::directory_iterator(here_)) {
      fs::last_write_time(each, fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
  }
  const fs::path here_ = fs::path(testing::TempDir()) / ("folders" + std::to_string(::getpid()));
};

TEST_F(WorkFolders, AreGoneAtTheEnd) {
  {
    const WorkFolder folder;
    std::ofstream(folder.file("data")) << "x";
    EXPECT_EQ(count(), 1u);
    EXPECT_EQ(fs::status(fs::path(folder.file("data")).parent_path()).permissions(),
              fs::perms::owner_all);
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(WorkFolders, OfAKilledProcessAreRemovedByTheNextAndThoseOfTheLivingStay) {
  const pid_t child = ::fork();
  if (child == 0) {
    const WorkFolder folder;
    std::ofstream(folder.file("data")) << "secret";
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(count(), 1u);
  std::optional<WorkFolder> own(std::in_place);
  EXPECT_EQ(count(), 2u);  // too young to be sure
  age();
  const WorkFolder next;
  EXPECT_EQ(count(), 2u);
  std::ofstream(own->file("data")) << "still here";
  EXPECT_TRUE(fs::exists(own->file("data")));
}

TEST_F(WorkFolders, AFolderThatIsNotThereIsNamed) {
  ::setenv("TMPDIR", "/no/such/folder", 1);
  try {
    const WorkFolder folder;
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "/no/such/folder: there is no such folder for temporary files; set TMPDIR to one");
  }
}

}  // namespace
}  // namespace croft::work_folder_test
