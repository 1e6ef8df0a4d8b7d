#include "croft/data/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "croft/core/interrupt.h"
#include "data/text_files.h"

namespace croft::line_reader_test {
namespace {

using Lines = std::vector<std::string>;

Lines all_lines(LineReader reader) {
  Lines lines;
  std::string_view line;
  while (reader.next(line)) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.line_number(), lines.size());
  }
  EXPECT_FALSE(reader.next(line));  // and stays at the end
  return lines;
}

Lines lines_of(std::string_view text) { return all_lines(LineReader(text, "text")); }

// Makes `descriptor` standard input for the length of a scope.
class StandardInput {
 public:
  explicit StandardInput(int descriptor) : saved_(::dup(STDIN_FILENO)) {
    ::dup2(descriptor, STDIN_FILENO);
    ::close(descriptor);
  }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

TEST(LineReader, LastLineCountsWithAndWithoutNewline) {
  EXPECT_EQ(lines_of("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("\n"), (Lines{""}));
  EXPECT_EQ(lines_of("a\n\n"), (Lines{"a", ""}));
  EXPECT_EQ(lines_of(""), Lines{});
}

TEST(LineReader, CarriageReturnBeforeTheNewlineIsNotPartOfTheLine) {
  EXPECT_EQ(lines_of("a\r\n\r\nb\r\n"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\r\nb\r"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\rb\r\r\n"), (Lines{"a\rb\r"}));
}

TEST(LineReader, ByteOrderMarkIsSkippedAtTheStartOnly) {
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a\n\xEF\xBB\xBF"
                     "b"),
            (Lines{"a",
                   "\xEF\xBB\xBF"
                   "b"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF\n"), (Lines{""}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"), Lines{});
  EXPECT_EQ(lines_of("\xEF\xBB"), (Lines{"\xEF\xBB"}));
  const TemporaryFile file(
      "\xEF\xBB\xBF"
      "a");
  EXPECT_EQ(all_lines(LineReader(file.path(), 1)), (Lines{"a"}));
}

TEST(LineReader, BytesOfAnyKindAreKept) {
  const std::string text("\0\xFF\x01 jalapeño\t", 14);
  EXPECT_EQ(lines_of(text), (Lines{text}));
}

RC_GTEST_PROP(LineReader, BlocksOfAnySizeGiveTheSameLinesAsText, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab\r\n\xEF\xBB\xBF")));
  const auto block = *rc::gen::inRange<std::size_t>(1, 9);
  const TemporaryFile file(text);
  RC_ASSERT(all_lines(LineReader(file.path(), block)) == lines_of(text));
}

TEST(LineReader, LinesThatCrossBlocksOfTheUsualSizeAreWhole) {
  Lines expected;
  std::string text;
  for (std::size_t k = 0; text.size() < 3 * LineReader::kBlockSize; ++k) {
    expected.push_back(std::to_string(k) + std::string(k * 7919 % 1500, 'x'));
    text += expected.back() + "\n";
  }
  const TemporaryFile file(text);
  EXPECT_TRUE(all_lines(LineReader(file.path())) == expected);
}

TEST(LineReader, LineOfTenMegabytesIsWhole) {
  const std::string longest(10'000'000, 'x');
  const TemporaryFile file("a\n" + longest + "\nb");
  EXPECT_TRUE(all_lines(LineReader(file.path())) == (Lines{"a", longest, "b"}));
}

TEST(LineReader, DashReadsStandardInputAndGivesALineBeforeTheNextIsWritten) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const StandardInput input(ends[0]);
  LineReader reader("-");
  std::string_view line;
  ASSERT_EQ(::write(ends[1], "one\n", 4), 4);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  ASSERT_EQ(::write(ends[1], "two", 3), 3);
  ::close(ends[1]);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.name(), "<stdin>");
}

TEST(LineReader, StandardInputStaysOpenWhenTheReaderIsGone) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const StandardInput input(ends[0]);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  ::close(ends[1]);
  { const LineReader reader("-"); }
  char byte = 0;
  EXPECT_EQ(::read(STDIN_FILENO, &byte, 1), 1);
}

TEST(LineReader, MovedReaderGoesOnWhereItWas) {
  const TemporaryFile file("a\nb\nc");
  LineReader first(file.path(), 3);
  std::string_view line;
  ASSERT_TRUE(first.next(line));
  LineReader second = std::move(first);
  ASSERT_TRUE(second.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_EQ(second.line_number(), 2u);
  EXPECT_FALSE(first.next(line));
}

TEST(LineReader, TextIsCopied) {
  std::string text = "a\nb";
  LineReader reader(text, "text");
  text = "???";
  EXPECT_EQ(all_lines(std::move(reader)), (Lines{"a", "b"}));
}

TEST(LineReader, FilesThatCannotBeReadAreErrorsWithPathAndReason) {
  EXPECT_EQ(message_of<Error>([] { LineReader("/no/such/file"); }),
            "/no/such/file: cannot open: No such file or directory");
  EXPECT_EQ(message_of<Error>([] { LineReader("/"); }), "/: cannot read: Is a directory");
}

TEST(LineReader, ReadErrorOfStandardInputIsAnError) {
  const int folder = ::open("/", O_RDONLY);
  ASSERT_GE(folder, 0);
  const StandardInput input(folder);
  LineReader reader("-");
  std::string_view line;
  EXPECT_EQ(message_of<Error>([&] { reader.next(line); }), "<stdin>: cannot read: Is a directory");
}

TEST(LineReader, AnInterruptionByAnotherThreadEndsTheWaitForInput) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const StandardInput input(ends[0]);
  LineReader reader("-");
  std::string_view line;
  ASSERT_EQ(::write(ends[1], "one\n", 4), 4);
  ASSERT_TRUE(reader.next(line));
  std::jthread other([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    interruption = true;
  });
  EXPECT_EQ(message_of<Interrupted>([&] { reader.next(line); }),
            "<stdin>: interrupted while reading");
  interruption = false;
  ::close(ends[1]);
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, ANamedPipeIsReadOnceAThreadWrites) {
  const TemporaryFile file("");
  ASSERT_EQ(::unlink(file.path().c_str()), 0);
  ASSERT_EQ(::mkfifo(file.path().c_str(), 0600), 0);
  LineReader reader(file.path());
  std::size_t waits = 0;
  reader.before_waiting([&] { ++waits; });
  std::jthread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const int end = ::open(file.path().c_str(), O_WRONLY);
    EXPECT_EQ(::write(end, "a\nb", 3), 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(::write(end, "c\n", 2), 2);
    ::close(end);
  });
  EXPECT_EQ(all_lines(std::move(reader)), (Lines{"a", "bc"}));
  writer.join();
  EXPECT_GE(waits, 1);
  EXPECT_LE(waits, 3);  // for the first bytes, for the next ones and for the end
}

TEST(LineReader, LocationNamesTheLineLastReturned) {
  LineReader reader("a\nb", "d.txt");
  std::string_view line;
  reader.next(line);
  reader.next(line);
  const Location where = reader.location(3);
  EXPECT_EQ(where.file, "d.txt");
  EXPECT_EQ(where.line, 2u);
  EXPECT_EQ(where.column, 3u);
}

// A file of the given bytes under another name that ends in .gz.
class PackedFile {
 public:
  explicit PackedFile(std::string_view bytes) : path_(file_.path() + ".gz") {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~PackedFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  TemporaryFile file_{""};
  std::string path_;
};

std::string packed(std::string_view text) {
  const PackedFile file("");
  const gzFile out = ::gzopen(file.path().c_str(), "wb");
  ::gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(out);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string xz(std::string_view text) {
  std::string out(::lzma_stream_buffer_bound(text.size()), 0);
  std::size_t size = 0;
  EXPECT_EQ(::lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                text.size(), reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  return out.substr(0, size);
}

std::string zstd(std::string_view text) {
  std::string out(::ZSTD_compressBound(text.size()), 0);
  const std::size_t size = ::ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  EXPECT_EQ(::ZSTD_isError(size), 0U);
  return out.substr(0, size);
}

TEST(LineReader, AFileThatBeginsAsAPackedOneIsUnpackedWhateverItsName) {
  std::string text;
  Lines lines;
  for (int k = 0; k < 100'000; ++k) {
    lines.push_back("line " + std::to_string(std::int64_t{k} * k));
    text += lines.back() + "\n";
  }
  for (const auto& pack : {packed, xz, zstd}) {
    EXPECT_EQ(all_lines(LineReader(PackedFile(pack(text)).path())), lines);
    // Two packed files one behind the other are one.
    EXPECT_EQ(all_lines(LineReader(TemporaryFile(pack("a\n") + pack("b\n")).path())),
              (Lines{"a", "b"}));
    EXPECT_EQ(all_lines(LineReader(TemporaryFile(pack("")).path())), Lines());
  }
  EXPECT_EQ(all_lines(LineReader(PackedFile("as it\nstands\n").path())),
            (Lines{"as it", "stands"}));
}

TEST(LineReader, APackedStreamIsUnpacked) {
  for (const auto& pack : {packed, xz, zstd}) {
    const std::string bytes = pack("one\ntwo\n");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const StandardInput input(ends[0]);
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    EXPECT_EQ(all_lines(LineReader("-")), (Lines{"one", "two"}));
  }
}

TEST(LineReader, LinesMadeFromAnotherFileHaveItsNumbers) {
  LineReader lines("a\nb\nc\n", "other.txt", {4, 4, 9});
  std::string_view line;
  for (const std::size_t number : {4U, 4U, 9U}) {
    ASSERT_TRUE(lines.next(line));
    EXPECT_EQ(lines.line_number(), number);
    EXPECT_EQ(lines.location().line, number);
  }
  EXPECT_FALSE(lines.next(line));
}

TEST(LineReader, TheFirstLineThatIsNotUtf8IsToldOnce) {
  LineReader lines("caf\xc3\xa9\ncaf\xe9\n\xff\n", "d.txt");
  std::vector<std::size_t> told;
  lines.when_not_utf8([&](const Location& at) { told.push_back(at.line); });
  EXPECT_EQ(all_lines(std::move(lines)).size(), 3U);
  EXPECT_EQ(told, std::vector<std::size_t>{2});
}

TEST(LineReader, APackedFileThatIsCutOffOrDamagedIsAnError) {
  std::string text;
  for (int k = 0; k < 20'000; ++k) text += std::to_string(k * 7919 % 10'007) + "\n";
  for (const auto& pack : {packed, xz, zstd}) {
    const std::string whole = pack(text);
    const auto message = [](const std::string& bytes) {
      const PackedFile file(bytes);
      return message_of<Error>([&] { all_lines(LineReader(file.path())); });
    };
    for (const std::size_t lost : {1UL, 20UL, whole.size() / 2}) {
      EXPECT_NE(message(whole.substr(0, whole.size() - lost)).find("ends too early"),
                std::string::npos);
    }
    if (pack == zstd) continue;  // has no checksum unless it is asked for
    std::string damaged = whole;
    damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
    EXPECT_NE(message(damaged).find("cannot unpack"), std::string::npos);
  }
}

TEST(LineReader, APointerOfGitLfsIsAnErrorThatSaysSo) {
  const TemporaryFile file("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n");
  EXPECT_NE(message_of<Error>([&] { LineReader reader(file.path()); }).find("git lfs pull"),
            std::string::npos);
}

TEST(LineReader, APartOfAFileHasItsLinesAndTheirNumbers) {
  const TemporaryFile file("names\nfirst\nsecond\nthird\n");
  LineReader reader(file.path(), {.begin = 12, .end = 19, .lines_before = 2, .head = "names\n"});
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "names");
  EXPECT_EQ(reader.line_number(), 1u);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "second");
  EXPECT_EQ(reader.line_number(), 3u);
  EXPECT_FALSE(reader.next(line));
}

}  // namespace
}  // namespace croft::line_reader_test
