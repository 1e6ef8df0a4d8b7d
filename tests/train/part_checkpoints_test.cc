#include "train/part_checkpoints.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "croft/core/error.h"

namespace croft::part_checkpoints_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

// Three parts, each of which counts to 4 and is then done with its square.
class PartCheckpointsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kParts = 3;
  struct Process {
    Process(const fs::path& path, bool resume)
        : folder(path, resume, seconds(0)), checkpoints(prepared(), kParts, done()) {
      resumed = checkpoints.resume();
    }
    CheckpointFolder* prepared() {
      folder.set_fingerprint(7);
      return &folder;
    }
    Checkpointer::State done() {
      return [this](StateArchive& state) { state(squares); };
    }
    // So many steps of one part; true where it has ended.
    bool run(std::size_t part, int steps) {
      Checkpointer& own = *checkpoints.part(part);
      int number = 0;
      const auto state = [&](StateArchive& archive) { archive(number); };
      const bool known = own.restore(state);
      EXPECT_TRUE(!known || number > 0);
      for (; steps > 0 && number < 4; --steps) {
        ++number;
        ++taken;
        own.offer(state);
      }
      if (number < 4) return false;
      checkpoints.done(part, [&] { squares.push_back(static_cast<double>(part * part)); });
      return true;
    }

    CheckpointFolder folder;
    std::vector<double> squares;
    PartCheckpoints checkpoints;
    bool resumed = false;
    int taken = 0;
  };

  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("croft_parts_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(PartCheckpointsTest, GoOnWithWhatIsDoneAndWhatRan) {
  {
    Process first(folder_, false);
    EXPECT_FALSE(first.resumed);
    EXPECT_TRUE(first.run(0, 4));
    EXPECT_FALSE(first.run(1, 3));
    EXPECT_FALSE(first.run(2, 1));
  }
  Process second(folder_, true);
  EXPECT_TRUE(second.resumed);
  EXPECT_EQ(second.squares, std::vector<double>{0});
  EXPECT_TRUE(second.run(1, 4));
  EXPECT_EQ(second.taken, 1);
  EXPECT_TRUE(second.run(2, 4));
  EXPECT_EQ(second.taken, 1 + 3);
  EXPECT_EQ(second.squares, (std::vector<double>{0, 1, 4}));
}

TEST_F(PartCheckpointsTest, OfAPartThatIsDoneHaveItsResultAlone) {
  {
    Process first(folder_, false);
    first.run(0, 2);
    EXPECT_TRUE(first.run(1, 4));
  }
  Process second(folder_, true);
  EXPECT_EQ(second.squares, std::vector<double>{1});
  second.run(1, 1);  // would be its first step
  EXPECT_EQ(second.taken, 1);
  second.run(0, 4);
  EXPECT_EQ(second.taken, 1 + 2);
}

// The interval is the folder's: of other parts, the file has what they had when they were asked.
TEST_F(PartCheckpointsTest, OfPartsThatRunBesideEachOtherMayBeOfAnEarlierTime) {
  CheckpointFolder folder(folder_, false, seconds(0));
  folder.set_fingerprint(7);
  PartCheckpoints parts(&folder, 2, [](StateArchive&) {});
  std::array<int, 2> number{};
  const auto offer = [&](std::size_t part) {
    ++number[part];
    parts.part(part)->offer([&](StateArchive& state) { state(number[part]); });
  };
  for (const std::size_t part : {0, 1, 0, 0}) offer(part);
  CheckpointFolder again(folder_, true, seconds(0));
  again.set_fingerprint(7);
  PartCheckpoints resumed(&again, 2, [](StateArchive&) {});
  ASSERT_TRUE(resumed.resume());
  std::array<int, 2> found{};
  for (const std::size_t part : {0, 1}) {
    EXPECT_TRUE(resumed.part(part)->restore([&](StateArchive& state) { state(found[part]); }));
  }
  EXPECT_EQ(found, (std::array<int, 2>{3, 1}));
}

TEST_F(PartCheckpointsTest, WithoutAFolderKeepNothing) {
  PartCheckpoints parts(nullptr, 2, [](StateArchive&) { FAIL(); });
  EXPECT_FALSE(parts.resume());
  EXPECT_EQ(parts.part(1), nullptr);
  bool kept = false;
  parts.done(1, [&] { kept = true; });
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace croft::part_checkpoints_test
