#include "app/train/file_shares.h"

#include <gtest/gtest.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "croft/core/error.h"
#include "croft/core/random.h"
#include "support/thread_ranks.h"

namespace croft::file_shares_test {
namespace {

class FileShares : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  ~FileShares() override { std::filesystem::remove_all(folder_); }

 private:
  static std::filesystem::path make_folder() {
    std::string name = testing::TempDir() + "sharesXXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    return name;
  }
  std::filesystem::path folder_ = make_folder();
};

struct Line {
  std::string text;
  std::size_t number;
  bool operator==(const Line&) const = default;
};

std::vector<Line> lines_of(LineReader lines) {
  std::vector<Line> all;
  for (std::string_view line; lines.next(line);) {
    all.push_back({std::string(line), lines.line_number()});
  }
  return all;
}

std::size_t blocks_of(LineReader lines, const BlockForm& form) {
  DataBlocks blocks;
  return append_blocks(lines, form, blocks);
}

// Every number of processes reads each line once, as in the file, and each sequence whole.
void expect_all_read_once(const std::vector<std::string>& files, const BlockForm& form) {
  std::vector<Line> whole;
  std::size_t sequences = 0;
  for (const std::string& path : files) {
    const std::vector<Line> lines = lines_of(LineReader(path));
    whole.insert(whole.end(), lines.begin(), lines.end());
    sequences += blocks_of(LineReader(path), form);
  }
  for (const std::size_t size : {1, 2, 3, 7, 40}) {
    std::vector<std::vector<Line>> parts(size);
    std::vector<std::size_t> counts(size);
    for_ranks(size, [&](Ranks& ranks) {
      const std::vector<FileShare> shares = share_files(ranks, files, form);
      counts[ranks.rank()] = count_sequences(shares, form);
      for (const FileShare& share : shares) {
        std::vector<Line> lines = lines_of(share.lines());
        const auto head = static_cast<std::ptrdiff_t>(
            std::count(share.part.head.begin(), share.part.head.end(), '\n'));
        parts[ranks.rank()].insert(parts[ranks.rank()].end(), lines.begin() + head, lines.end());
      }
    });
    std::vector<Line> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    EXPECT_EQ(all.size(), whole.size()) << size;
    EXPECT_TRUE(all == whole) << size;
    std::size_t count = 0;
    for (const std::size_t each : counts) count += each;
    EXPECT_EQ(count, sequences) << size;
  }
}

TEST_F(FileShares, OfColumnsAreCutAtBlankLines) {
  std::string text = "\n\n";
  Random random(1);
  for (int n = 0; n < 60; ++n) {
    for (std::size_t length = 1 + random.below(6); length > 0; --length) {
      text += "w" + std::to_string(random.below(1000)) + " L\n";
    }
    text += random.below(4) == 0 ? " \t\n\n" : "\n";
  }
  const BlockForm form{.format = InputFormat::columns};
  expect_all_read_once({file("a", text)}, form);
  expect_all_read_once({file("a", text), file("b", "x L\n"), file("c", text + "last L")}, form);
}

TEST_F(FileShares, WithLineEndsOfWindowsAreThoseWithout) {
  std::string text;
  for (int n = 0; n < 40; ++n) text += "a L\r\nb" + std::to_string(n) + " L\r\n\r\n";
  expect_all_read_once({file("a", text)}, {.format = InputFormat::columns});
  expect_all_read_once({file("b", text)}, {.format = InputFormat::attributes});
}

TEST_F(FileShares, OfTextsAreCutAtAnyLine) {
  std::string text;
  for (int n = 0; n < 50; ++n) text += "L\tsome words " + std::to_string(n * n * n) + "\n";
  expect_all_read_once({file("a", text)}, {.format = InputFormat::text});
  expect_all_read_once({file("b", text + "\n\n \n" + text + "\n\n")},
                       {.format = InputFormat::text});
}

TEST_F(FileShares, OfRowsOfOneGroupStayTogether) {
  std::string text = "# rows\n";
  for (int n = 0; n < 60; ++n) text += "1 qid:" + std::to_string(n / 7) + " a:1\n";
  expect_all_read_once({file("a", text)}, {.format = InputFormat::svmlight});
  text.clear();
  for (int n = 0; n < 60; ++n) text += "1 a:1 b:" + std::to_string(n) + "\n";
  expect_all_read_once({file("b", text)}, {.format = InputFormat::svmlight});
}

TEST_F(FileShares, OfTablesAreCutWhereNoQuoteIsOpen) {
  std::string text = "name,\"the\nlabel\"\n";
  for (int n = 0; n < 50; ++n) text += "\"a\n\"\"b\"\",\n" + std::to_string(n) + "\",x\n";
  expect_all_read_once({file("a", text), file("b", text)}, {.format = InputFormat::csv});
}

TEST_F(FileShares, OfPackedFilesAreWholeFiles) {
  // What is in them does not matter here.
  const std::vector<std::string> files = {file("a.gz", std::string(10, 'x')),
                                          file("b.gz", std::string(1000, 'x'))};
  std::vector<std::size_t> seen(3);
  for_ranks(3, [&](Ranks& ranks) {
    for (const FileShare& share : share_files(ranks, files, {})) {
      EXPECT_TRUE(share.whole);
      seen[ranks.rank()] += share.file + 1;
    }
  });
  EXPECT_EQ(seen[0] + seen[1] + seen[2], 3u);  // each once
}

// As of one process, which reads it whole and finds nothing.
TEST_F(FileShares, OfBlankLinesAreTheWholeFileAndOfAnEmptyFileAnError) {
  const std::vector<std::string> blank = {file("a", std::string(1000, '\n'))};
  for (const InputFormat format : {InputFormat::columns, InputFormat::attributes, InputFormat::text,
                                   InputFormat::svmlight, InputFormat::csv}) {
    std::vector<std::size_t> seen(3);
    for_ranks(3, [&](Ranks& ranks) {
      for (const FileShare& share : share_files(ranks, blank, {.format = format})) {
        EXPECT_TRUE(share.whole);
        ++seen[ranks.rank()];
      }
    });
    EXPECT_EQ(seen[0] + seen[1] + seen[2], 1u);
  }
  const std::vector<std::string> empty = {file("b", "")};
  EXPECT_THROW(for_ranks(2, [&](Ranks& ranks) { share_files(ranks, empty, {}); }), Error);
}

TEST_F(FileShares, OfStandardInputAreNone) {
  const std::vector<std::string> input = {"-"};
  EXPECT_THROW(for_ranks(2, [&](Ranks& ranks) { share_files(ranks, input, {}); }), UsageError);
}

TEST_F(FileShares, OfAFileThatIsNotThereSaySo) {
  const std::vector<std::string> nothing = {file("a", "") + "nothing"};
  EXPECT_THROW(for_ranks(2, [&](Ranks& ranks) { share_files(ranks, nothing, {}); }), Error);
}

}  // namespace
}  // namespace croft::file_shares_test
