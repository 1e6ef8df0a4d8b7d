#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/files.h"
#include "croft/core/error.h"

namespace croft::file_test {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  FileTest() {
    folder_ = fs::temp_directory_path() / ("croft_file_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  ~FileTest() override { fs::remove_all(folder_); }
  std::string read(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  fs::path folder_;
};

TEST_F(FileTest, WithoutCommitTheOldFileStaysAndNoTemporaryIsLeft) {
  const fs::path path = folder_ / "model";
  std::ofstream(path) << "old";
  {
    AtomicFile file(path);
    file.write("new");
  }
  EXPECT_EQ(read(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileTest, CommitReplacesTheFileWhole) {
  const fs::path path = folder_ / "model";
  std::ofstream(path) << "old";
  AtomicFile file(path);
  file.write("new ");
  file.write("bytes");
  file.commit();
  EXPECT_EQ(read(path), "new bytes");
}

TEST_F(FileTest, AFolderThatDoesNotExistIsAnErrorThatNamesThePath) {
  try {
    AtomicFile file(folder_ / "none" / "model");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("none/model"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST_F(FileTest, WhatIsNoRegularFileIsRefusedAndStays) {
  const fs::path pipe = folder_ / "pipe", folder = folder_ / "folder", link = folder_ / "link";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_directory(folder);
  fs::create_symlink(pipe, link);
  for (const auto& [path, what] :
       {std::pair{pipe, "is a pipe"}, {folder, "is a folder"}, {link, "is a pipe"}}) {
    try {
      AtomicFile file(path);
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_TRUE(fs::is_directory(folder));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 3);
}

TEST_F(FileTest, AFolderMayNotBeWritable) {
  if (::geteuid() == 0) GTEST_SKIP() << "everything is writable for the superuser";
  const fs::path closed = folder_ / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(AtomicFile(closed / "model"), Error);
}

TEST_F(FileTest, ALinkToNothingIsFollowedAndStays) {
  fs::create_directory(folder_ / "there");
  fs::create_symlink("there/model", folder_ / "link");
  fs::create_symlink(folder_ / "link", folder_ / "link of link");
  AtomicFile file(folder_ / "link of link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link of link"));
  EXPECT_EQ(read(folder_ / "there" / "model"), "new");
  fs::create_symlink("round", folder_ / "round");
  EXPECT_THROW(AtomicFile(folder_ / "round"), Error);
}

TEST_F(FileTest, ANewFileHasTheModeOfTheProcessAndAnOldOneKeepsItsOwn) {
  const auto mode_after_writing = [](const fs::path& path) {
    AtomicFile file(path);
    file.commit();
    return fs::status(path).permissions();
  };
  const mode_t before = ::umask(027);
  EXPECT_EQ(mode_after_writing(folder_ / "new"), fs::perms(0640));
  ::umask(before);
  std::ofstream(folder_ / "own");
  fs::permissions(folder_ / "own", fs::perms(0606));
  EXPECT_EQ(mode_after_writing(folder_ / "own"), fs::perms(0606));
}

TEST_F(FileTest, StandardOutputIsNoNameOfAFile) { EXPECT_THROW(AtomicFile("-"), UsageError); }

}  // namespace
}  // namespace croft::file_test
