#include "model/file/container.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>

#include "croft/core/error.h"
#include "features/vocabulary.h"  // hash_string: XXH3, the checksum

namespace croft::container_test {
namespace {

namespace fs = std::filesystem;
using Kind = ContainerWriter::Kind;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ContainerWriter example() {
  ContainerWriter writer;
  writer.add("labels", "B-NP\nI-NP\nO\n");
  writer.add("weights", bytes_of(std::string(200, 'w')), Kind::bulk);
  writer.add("empty", "");
  writer.add("options", "{\"l2\":1}");
  return writer;
}

std::string message_of(std::vector<std::byte> bytes) {
  try {
    Container::from_bytes(std::move(bytes), "m.croft");
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

TEST(Container, GivesBackWhatWasWritten) {
  const Container container = Container::from_bytes(example().bytes(), "m.croft");
  EXPECT_EQ(container.text("labels"), "B-NP\nI-NP\nO\n");
  EXPECT_EQ(text_of(container.section("weights")), std::string(200, 'w'));
  EXPECT_EQ(container.text("empty"), "");
  EXPECT_TRUE(container.has("options"));
  EXPECT_FALSE(container.has("option"));
  EXPECT_EQ(container.name(), "m.croft");
  ASSERT_EQ(container.entries().size(), 4u);
  EXPECT_TRUE(container.entries()[1].bulk);
  EXPECT_FALSE(container.entries()[3].bulk);
  container.verify();
}

TEST(Container, AnySectionsComeBackAndBeginAtMultiplesOf64) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& contents) {
    ContainerWriter writer;
    for (std::size_t k = 0; k < contents.size(); ++k) {
      writer.add("section " + std::to_string(k), bytes_of(contents[k]),
                 k % 2 == 0 ? Kind::small : Kind::bulk);
    }
    const Container container = Container::from_bytes(writer.bytes(), "");
    ASSERT_EQ(container.entries().size(), contents.size());
    for (std::size_t k = 0; k < contents.size(); ++k) {
      const auto& entry = container.entries()[k];
      EXPECT_EQ(entry.offset % 64, 0u);
      EXPECT_EQ(entry.size, contents[k].size());
      EXPECT_EQ(text_of(container.section("section " + std::to_string(k))), contents[k]);
    }
    container.verify();
  }));
}

TEST(Container, ARequiredSectionIsOneThatTheReaderMustKnow) {
  ContainerWriter writer;
  writer.add("a", "1", ContainerWriter::Kind::required);
  writer.add("b", "2");
  const Container container = Container::from_bytes(writer.bytes(), "m.croft");
  const auto major = [](const ContainerWriter& file) {
    return std::to_integer<int>(file.bytes()[8]);
  };
  EXPECT_EQ(major(writer), 2);  // which readers that know nothing of this refuse
  EXPECT_EQ(major(example()), 1);
  EXPECT_TRUE(container.entries()[0].required);
  EXPECT_FALSE(container.entries()[1].required);
  const std::array<std::string_view, 2> known = {"x", "a"};
  EXPECT_NO_THROW(container.refuse_required_but(known));
  try {
    container.refuse_required_but(std::span(known).first(1));
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "m.croft: it needs a Croft that knows its section \"a\"; use the one that wrote it, "
        "or a newer one");
  }
}

TEST(Container, WithoutSectionsItIsTheHeaderAlone) {
  EXPECT_EQ(ContainerWriter().bytes().size(), 64u);
  EXPECT_TRUE(Container::from_bytes(ContainerWriter().bytes(), "").entries().empty());
}

std::string hex(std::span<const std::byte> bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    out += "0123456789abcdef"[static_cast<int>(b >> 4)];
    out += "0123456789abcdef"[static_cast<int>(b & std::byte{15})];
  }
  return out;
}

TEST(Container, TheBytesAreThoseOfTheExampleInFormatMd) {
  ContainerWriter writer;
  writer.add("labels", "B\nI\nO\n");
  const std::string zeros(64, '0');
  EXPECT_EQ(hex(writer.bytes()),
            "43524f46540d0a1a0100000001000000860000000000000000000000000000" + std::string("00") +
                zeros.substr(32) +
                "54183a770d1433b828fbdc3a743f7fba6c6162656c7300000000000000000000"
                "00000000000000000000000000000000" +
                "80000000000000000600000000000000"
                "91d049616b729059" +
                "0000000000000000420a490a4f0a");
}

TEST(Container, NumbersAreReadInPlace) {
  ContainerWriter writer;
  const std::vector<float> weights{1.5f, -2.0f, std::numeric_limits<float>::infinity()};
  const auto* begin = reinterpret_cast<const std::byte*>(weights.data());
  writer.add("weights", {begin, begin + 12}, Kind::bulk);
  writer.add("odd", "12345");
  const Container container = Container::from_bytes(writer.bytes(), "m.croft");
  const auto numbers = container.numbers<float>("weights");
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), weights.begin(), weights.end()));
  try {
    container.numbers<std::uint32_t>("odd");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "m.croft: section \"odd\" has 5 bytes, not a multiple of 4: the file is damaged; "
                 "restore it from a copy or train again");
  }
  try {
    container.section("labels");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "m.croft: it has no section \"labels\"; read it with the Croft that "
                 "wrote it, or train again");
  }
}

TEST(Container, EveryFlippedByteIsDetected) {
  const auto good = example().bytes();
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      auto bad = good;
      bad[at] ^= static_cast<std::byte>(1 << bit);
      EXPECT_THROW(Container::from_bytes(bad, "m.croft"), Error) << "byte " << at;
    }
  }
}

TEST(Container, BulkAndPaddingOfALargeFileAreVerifiedOnRequest) {
  ContainerWriter writer = example();
  writer.add_numbers("large", std::vector<double>(1 << 18, 0.5), ContainerWriter::Kind::bulk);
  const auto good = writer.bytes();
  const Container reference = Container::from_bytes(good, "");
  const auto& [name, offset, size, checksum, bulk, required] = reference.entries().back();
  for (const std::size_t at : {offset - 1, offset, offset + size - 1}) {
    auto bad = good;
    bad[at] ^= std::byte{4};
    const Container container = Container::from_bytes(bad, "m.croft");
    EXPECT_THROW(container.verify(), Error) << "byte " << at;
  }
  auto bad = good;
  bad[reference.entries().front().offset] ^= std::byte{4};
  EXPECT_THROW(Container::from_bytes(bad, "m.croft"), Error);
}

TEST(Container, EveryTruncationSaysHowMuchIsThere) {
  const auto good = example().bytes();
  EXPECT_EQ(message_of({}), "m.croft: not a Croft model: the file is empty");
  for (std::size_t size = 1; size < good.size(); ++size) {
    const std::string of = size < 64 ? "at least 64" : std::to_string(good.size());
    EXPECT_EQ(message_of({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}),
              "m.croft: truncated: " + std::to_string(size) + " of " + of +
                  " bytes; copy it again or train again");
  }
}

TEST(Container, AppendedBytesAreDetected) {
  auto bytes = example().bytes();
  const std::string size = std::to_string(bytes.size());
  bytes.push_back(std::byte{0});
  EXPECT_EQ(message_of(bytes), "m.croft: " + std::to_string(bytes.size()) + " bytes where " + size +
                                   " were written: the file is damaged; restore it from a copy or "
                                   "train again");
}

TEST(Container, ForeignFilesAreNamed) {
  const auto hint = [](std::string_view begin) { return message_of(bytes_of(begin)); };
  EXPECT_NE(hint("\x1F\x8B\x08").find("gzip"), std::string::npos);
  EXPECT_NE(hint("CROFT\n\x1A and so on").find("transfer as text"), std::string::npos);
  EXPECT_EQ(hint("He PRP B-NP\n"),
            "m.croft: not a Croft model: it starts with \"He PRP B\"; "
            "give a model that croft, CRFsuite, Wapiti or CRF++ wrote");
}

TEST(Container, MessagesNameWhatIsDamaged) {
  const auto good = example().bytes();
  const auto flipped = [&](std::size_t at) {
    auto bad = good;
    bad[at] ^= std::byte{1};
    return bad;
  };
  const std::string remedy = ": the file is damaged; restore it from a copy or train again";
  EXPECT_EQ(message_of(flipped(20)), "m.croft: checksum of the header is wrong" + remedy);
  EXPECT_EQ(message_of(flipped(100)), "m.croft: checksum of the section table is wrong" + remedy);
  const Container reference = Container::from_bytes(good, "");
  EXPECT_EQ(message_of(flipped(reference.entries()[0].offset)),
            "m.croft: checksum of section \"labels\" is wrong" + remedy);
  const auto verified = [&](std::size_t at) -> std::string {
    try {
      Container::from_bytes(flipped(at), "m.croft").verify();
    } catch (const Error& error) {
      return error.what();
    }
    return "verified";
  };
  const auto& weights = reference.entries()[1];
  EXPECT_EQ(verified(weights.offset + 5),
            "m.croft: checksum of section \"weights\" is wrong" + remedy);
  EXPECT_EQ(verified(weights.offset - 1),
            "m.croft: the padding before section \"weights\" is not zero" + remedy);
}

// Other writers may differ from ours: tables whose checksums are right but whose contents are not.
class ForgedTable : public testing::Test {
 protected:
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  std::string message();
  std::vector<std::byte> bytes_ = example().bytes();
};

std::uint64_t checksum(std::span<const std::byte> bytes) { return hash_string(text_of(bytes)); }

std::string ForgedTable::message() {
  std::uint32_t sections;
  std::memcpy(&sections, bytes_.data() + 12, 4);
  const std::size_t table = std::min<std::size_t>(64 * std::size_t{sections}, bytes_.size() - 64);
  put(48, checksum(std::span(bytes_).subspan(64, table)));
  put(56, checksum(std::span(bytes_).first(56)));
  return message_of(bytes_);
}

TEST_F(ForgedTable, AsItIsItOpens) { EXPECT_EQ(message(), "opened"); }

TEST_F(ForgedTable, ANewerMajorVersionIsRefusedAndANewerMinorOneIsRead) {
  put<std::uint16_t>(10, 7);
  EXPECT_EQ(message(), "opened");
  put<std::uint16_t>(8, 2);
  EXPECT_EQ(message(), "opened");
  put<std::uint16_t>(8, 3);
  EXPECT_EQ(
      message(),
      "m.croft: written by a newer Croft (format 3.7, this one reads up to 2.x); use that one");
  put<std::uint16_t>(8, 0);
  EXPECT_EQ(
      message(),
      "m.croft: written by an older Croft (format 0.7, this one reads up to 2.x); train again");
}

TEST_F(ForgedTable, UnknownFlagsAndReservedBytesAreIgnored) {
  put<std::uint64_t>(24, 99);
  put<std::uint32_t>(64 + 56, 0x80);
  put<std::uint32_t>(64 + 60, 5);
  EXPECT_EQ(message(), "opened");
}

TEST_F(ForgedTable, SectionsMustLieInOrderInsideTheFile) {
  const std::string outside = "section \"labels\" lies outside its place";
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{321},
                                     std::uint64_t{1} << 40, ~std::uint64_t{63}}) {
    put(64 + 32, offset);
    EXPECT_NE(message().find(outside), std::string::npos) << offset;
  }
  bytes_ = example().bytes();
  put(64 + 40, ~std::uint64_t{0});
  EXPECT_NE(message().find(outside), std::string::npos);
  bytes_ = example().bytes();
  put(64 + 40, std::uint64_t{65});  // into the next one
  EXPECT_NE(message().find("section \"weights\" lies outside its place"), std::string::npos);
}

TEST_F(ForgedTable, NamesAreNotEmptyAndNotTwice) {
  std::memcpy(bytes_.data() + 128, bytes_.data() + 64, 32);
  EXPECT_NE(message().find("section \"labels\" occurs twice"), std::string::npos);
  std::memset(bytes_.data() + 128, 0, 32);
  EXPECT_NE(message().find("section 2 has no name"), std::string::npos);
}

TEST_F(ForgedTable, MoreSectionsThanTheFileHoldsAreRefused) {
  put<std::uint32_t>(12, 0xFFFFFFFF);
  EXPECT_NE(message().find("the section table does not fit"), std::string::npos);
}

class ContainerFile : public testing::Test {
 protected:
  ContainerFile() {
    folder_ = fs::temp_directory_path() / ("croft_container_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  ~ContainerFile() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(ContainerFile, TheFileHoldsTheSameBytesAndReplacesTheOldOneWhole) {
  const fs::path path = folder_ / "m.croft";
  std::ofstream(path) << "old";
  example().write(path);
  EXPECT_EQ(fs::file_size(path), example().bytes().size());
  Container container = Container::open(path);
  const Container moved = std::move(container);
  moved.verify();
  EXPECT_EQ(moved.text("labels"), "B-NP\nI-NP\nO\n");
  EXPECT_EQ(moved.name(), path.string());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(ContainerFile, AFailedWriteLeavesTheOldFile) {
  EXPECT_THROW(example().write(folder_ / "none" / "m.croft"), Error);
  EXPECT_THROW(Container::open(folder_ / "none" / "m.croft"), Error);
}

TEST_F(ContainerFile, AMovedContainerInMemoryKeepsItsSections) {
  Container container = Container::from_bytes(example().bytes(), "a");
  const Container moved = std::move(container);
  EXPECT_EQ(moved.text("options"), "{\"l2\":1}");
}

// The bulk is mapped, not read: 256 MB with a hole opens as fast as a small file.
TEST_F(ContainerFile, OpeningDoesNotReadTheBulk) {
  const fs::path path = folder_ / "large.croft";
  ContainerWriter writer = example();
  writer.add("bulk", std::vector<std::byte>(std::size_t{256} << 20), Kind::bulk);
  writer.write(path);
  double best = 1;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    const Container container = Container::open(path);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::min(best, seconds.count());
  }
  RecordProperty("seconds", std::to_string(best));
  EXPECT_LT(best, 0.005) << "reading 256 MB takes ten times that";
}

}  // namespace
}  // namespace croft::container_test
