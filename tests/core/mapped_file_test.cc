// Files in memory that others change.
#include "core/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "croft/core/error.h"

namespace croft::mapped_file_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSmall = 1000, kLarge = std::size_t{3} << 20;

class MappedFileTest : public testing::TestWithParam<std::size_t> {
 protected:
  MappedFileTest() {
    folder_ = fs::temp_directory_path() / ("croft_mapped_file_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = folder_ / "data";
    write(path_, 'a');
  }
  ~MappedFileTest() override { fs::remove_all(folder_); }
  // In its place, as cp does.
  void write(const fs::path& path, char letter) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << std::string(GetParam(), letter);
  }
  // Of all bytes, so that each page is touched.
  static std::size_t count(const MappedFile& file, char letter) {
    return static_cast<std::size_t>(
        std::ranges::count(file.bytes(), static_cast<std::byte>(letter)));
  }
  fs::path folder_, path_;
};

TEST_P(MappedFileTest, ShowsTheBytesAndMoves) {
  MappedFile file(path_);
  MappedFile moved = std::move(file);
  EXPECT_EQ(count(moved, 'a'), GetParam());
  EXPECT_TRUE(file.bytes().empty());
  EXPECT_NO_THROW(moved.check_unchanged());
  EXPECT_NO_THROW(check_mapped_files());
}

TEST_P(MappedFileTest, AFileThatIsReplacedAsAWholeStaysWhatItWas) {
  const MappedFile file(path_);
  write(folder_ / "new", 'b');
  fs::rename(folder_ / "new", path_);
  EXPECT_EQ(count(file, 'a'), GetParam());
  EXPECT_NO_THROW(file.check_unchanged());
  fs::remove(path_);
  EXPECT_NO_THROW(check_mapped_files());
}

TEST_P(MappedFileTest, AFileThatIsWrittenInItsPlaceIsNoticedWhereItMatters) {
  const MappedFile file(path_);
  ::usleep(20'000);  // the clock of the file system
  write(path_, 'b');
  if (GetParam() == kSmall) {
    EXPECT_EQ(count(file, 'a'), kSmall);
    EXPECT_NO_THROW(file.check_unchanged());
  } else {
    EXPECT_THROW(file.check_unchanged(), Error);
    EXPECT_THROW(check_mapped_files(), Error);
  }
}

TEST_P(MappedFileTest, AFileThatIsCutOffReadsAsZerosAndIsNoticed) {
  const MappedFile file(path_);
  fs::resize_file(path_, 10);
  if (GetParam() == kSmall) {
    EXPECT_EQ(count(file, 'a'), kSmall);
  } else {
    EXPECT_LT(count(file, 'a'), kLarge);
    EXPECT_GT(count(file, '\0'), 0u);
    EXPECT_THROW(file.check_unchanged(), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, MappedFileTest, testing::Values(kSmall, kLarge));

TEST(MappedFile, EmptyAndMissingFilesFoldersAndPipes) {
  const fs::path folder =
      fs::temp_directory_path() / ("croft_mapped_file_kinds_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "empty");
  EXPECT_TRUE(MappedFile(folder / "empty").bytes().empty());
  EXPECT_THROW(MappedFile(folder / "missing"), Error);
  EXPECT_THROW(MappedFile{folder}, Error);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(MappedFile(folder / "pipe"), Error);
  EXPECT_THROW(MappedFile("/dev/zero"), Error);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace croft::mapped_file_test
