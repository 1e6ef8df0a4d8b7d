#include "train/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <optional>

#include "croft/core/error.h"

namespace croft::checkpoint_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class Checkpoints : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("croft_checkpoint_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void keep(int number, std::uint64_t fingerprint) {
    CheckpointFolder folder(folder_, false, seconds(0));
    folder.set_fingerprint(fingerprint);
    folder.offer([&](StateArchive& state) { state(number); });
  }
  int read(std::uint64_t fingerprint) {
    CheckpointFolder folder(folder_, true, seconds(0));
    folder.set_fingerprint(fingerprint);
    int number = 0;
    EXPECT_TRUE(folder.restore([&](StateArchive& state) { state(number); }));
    return number;
  }
  std::string error_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  fs::path folder_;
};

TEST_F(Checkpoints, AreReadBack) {
  keep(42, 7);
  EXPECT_EQ(read(7), 42);
}

TEST_F(Checkpoints, OfAnotherTrainingAreRefused) {
  keep(42, 7);
  EXPECT_NE(error_of([&] { read(8); }).find("another training"), std::string::npos);
}

TEST_F(Checkpoints, ThatAreDamagedAreRefused) {
  keep(42, 7);
  const fs::path file = folder_ / "checkpoint";
  const auto size = fs::file_size(file);
  for (std::uintmax_t length = 0; length < size; ++length) {
    fs::resize_file(file, length);
    EXPECT_NE(error_of([&] { read(7); }).find("damaged"), std::string::npos) << length;
    fs::remove_all(folder_);
    keep(42, 7);
  }
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(-1, std::ios::end);
    bytes.put('\x55');
  }
  EXPECT_NE(error_of([&] { read(7); }).find("damaged"), std::string::npos);
}

TEST_F(Checkpoints, AreNotOverwrittenUnawares) {
  keep(42, 7);
  EXPECT_NE(error_of([&] { keep(43, 7); }).find("--resume"), std::string::npos);
  EXPECT_EQ(read(7), 42);
}

TEST_F(Checkpoints, ResumeInAFolderThatIsThereOnly) {
  EXPECT_NE(error_of([&] { read(7); }).find("is not there"), std::string::npos);
}

TEST_F(Checkpoints, OfATrainingThatWasKilledBeforeTheFirstResumeFromTheBeginning) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "checkpoint.AbCdEf") << "half of one";
  CheckpointFolder folder(folder_, true, seconds(0));
  EXPECT_FALSE(folder.restore([](StateArchive&) { FAIL(); }));
  EXPECT_FALSE(fs::exists(folder_ / "checkpoint.AbCdEf"));
}

TEST_F(Checkpoints, ThatCannotBeWrittenAreAWarning) {
  CheckpointFolder folder(folder_, false, seconds(0));
  std::string warning;
  folder.set_warning([&](std::string_view text) { warning = text; });
  fs::remove_all(folder_);
  EXPECT_EQ(error_of([&] { folder.offer([](StateArchive&) {}); }), "");
  EXPECT_NE(warning.find("training goes on"), std::string::npos) << warning;
}

TEST_F(Checkpoints, AreKeptNoMoreOftenThanAsked) {
  CheckpointFolder folder(folder_, false, seconds(3600));
  folder.offer([&](StateArchive&) { FAIL() << "an hour has not passed"; });
  EXPECT_FALSE(fs::exists(folder_ / "checkpoint"));
}

TEST_F(Checkpoints, NestedOnesRestoreWhatIsAroundFirst) {
  int around = 1, inner = 2;
  const auto save = [](int& value) { return [&](StateArchive& state) { state(value); }; };
  {
    CheckpointFolder folder(folder_, false, seconds(0));
    NestedCheckpoints nested(&folder, save(around));
    EXPECT_FALSE(nested.resume());
    EXPECT_FALSE(nested.restore(save(inner)));
    nested.offer(save(inner));
  }
  around = inner = 0;
  CheckpointFolder folder(folder_, true, seconds(0));
  NestedCheckpoints nested(&folder, save(around));
  EXPECT_TRUE(nested.resume());
  EXPECT_EQ(around, 1);
  EXPECT_EQ(inner, 0);
  EXPECT_TRUE(nested.restore(save(inner)));
  EXPECT_EQ(inner, 2);
  EXPECT_FALSE(nested.restore(save(inner)));  // only once
}

TEST_F(Checkpoints, ThatAreNoneAreRefused) {
  fs::create_directories(folder_);
  for (const char* bytes :
       {"", "C", "CROFTCP1", "CROFTCP2 and so on, for as long as a header is"}) {
    std::ofstream(folder_ / "checkpoint") << bytes;
    EXPECT_NE(error_of([&] { read(7); }).find("not a checkpoint"), std::string::npos) << bytes;
  }
}

TEST(StateArchives, GoBackToWhatWasWritten) {
  std::vector<std::vector<double>> nested{{1, 2}, {}, {3}};
  std::vector<bool> bits{true, false, true};
  std::deque<double> queue{4, 5};
  std::string text = "text";
  std::optional<int> some = 6, none;
  StateArchive out;
  const auto archive = [](StateArchive& state, auto&... values) { (state(values), ...); };
  archive(out, nested, bits, queue, text, some, none);
  // Over what is there: more, or less, than what comes.
  std::vector<std::vector<double>> other_nested{{9}, {8, 7}, {}, {6}};
  std::vector<bool> other_bits{false};
  std::deque<double> other_queue(5);
  std::string other_text;
  std::optional<int> other_some, other_none = 3;
  StateArchive in(out.bytes());
  archive(in, other_nested, other_bits, other_queue, other_text, other_some, other_none);
  in.finish();
  EXPECT_EQ(other_nested, nested);
  EXPECT_EQ(other_bits, bits);
  EXPECT_EQ(other_queue, queue);
  EXPECT_EQ(other_text, text);
  EXPECT_EQ(other_some, some);
  EXPECT_EQ(other_none, none);
}

// A count far beyond the bytes that follow, and one that they could be if items took none.
TEST(StateArchives, TakeNoMoreMemoryThanWhatWasWritten) {
  const auto refused = [](std::uint64_t count, std::size_t rest, auto values) {
    StateArchive out;
    out(count);
    const std::string bytes = out.bytes() + std::string(rest, '\1');
    StateArchive in{std::string_view(bytes)};
    EXPECT_THROW(in(values), Error) << count;
    EXPECT_LT(values.size(), 200u);
  };
  for (const std::uint64_t count :
       {std::uint64_t{1000}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    refused(count, 999, std::vector<double>());
    refused(count, 1000, std::vector<std::vector<double>>());
    refused(count, 1000, std::deque<std::vector<std::string>>());
    refused(count, 999, std::string());
    refused(count, 999, std::vector<bool>());
  }
}

TEST(StateArchives, ATruthValueIsZeroOrOne) {
  bool value = false;
  StateArchive yes(std::string_view("\1")), both(std::string_view("\2"));
  yes(value);
  EXPECT_TRUE(value);
  EXPECT_THROW(both(value), Error);
}

TEST(StateArchives, RefuseWhatWasNotWrittenByTheSameFunction) {
  std::vector<double> values{1, 2, 3};
  StateArchive out;
  out(values);
  std::vector<std::uint64_t> others;
  double number = 0;
  StateArchive in(out.bytes());
  EXPECT_THROW(
      {
        in(others);
        in(number);
      },
      Error);
  StateArchive rest(out.bytes());
  EXPECT_THROW(rest.finish(), Error);
}

}  // namespace
}  // namespace croft::checkpoint_test
