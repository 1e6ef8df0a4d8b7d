#include "app/train/file_shares.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "croft/core/error.h"
#include "croft/core/state_archive.h"
#include "data/checks.h"
#include "data/packed_file.h"

namespace croft {
namespace {

std::uint64_t size_of(const std::string& path) {
  std::error_code failure;
  if (path == "-" || !std::filesystem::is_regular_file(path, failure)) {
    // What is not there is told as it is in one process.
    if (path != "-" && !std::filesystem::exists(path, failure)) {
      LineReader lines(path);
    }
    throw UsageError(path == "-" ? std::string("standard input") : path,
                     ": several processes read parts of a file, and this is no regular file; "
                     "write the data to a file on a disk that all of them see");
  }
  return std::filesystem::file_size(path);
}

// Lines with the byte where each begins.
class PlacedLines {
 public:
  PlacedLines(const std::string& path, std::uint64_t from) : file_(path, std::ios::binary) {
    if (!file_) throw Error(path, ": cannot open: ", std::string(std::strerror(errno)));
    file_.seekg(static_cast<std::streamoff>(from));
    next_ = from;
  }
  bool next() {
    begin_ = next_;
    if (!std::getline(file_, line_)) return false;
    next_ += line_.size() + 1;
    if (line_.ends_with('\r')) line_.pop_back();
    return true;
  }
  const std::string& line() const { return line_; }
  std::uint64_t begin() const { return begin_; }

 private:
  std::ifstream file_;
  std::string line_;
  std::uint64_t begin_ = 0, next_ = 0;
};

std::size_t quotes_of(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count(line, '"'));
}

// The line of names, which may go on over line ends.
std::string header_of(const std::string& path) {
  PlacedLines lines(path, 0);
  std::string header;
  for (std::size_t quotes = 0; lines.next();) {
    if (header.empty() && lines.line().empty()) continue;
    header += lines.line() + "\n";
    quotes += quotes_of(lines.line());
    if (quotes % 2 == 0) break;
  }
  return header;
}

// A record begins where no quote is open.  The header goes with the first one.
std::uint64_t record_start(const std::string& path, std::uint64_t from) {
  PlacedLines lines(path, 0);
  std::size_t quotes = 0, records = 0;
  while (lines.next()) {
    const bool begins = quotes % 2 == 0 && !lines.line().empty();
    if (begins && lines.begin() >= from) return records == 1 ? 0 : lines.begin();
    records += begins ? 1 : 0;
    quotes += quotes_of(lines.line());
  }
  return size_of(path);
}

FileShare share_of(const std::string& path, std::size_t file, std::uint64_t begin,
                   std::uint64_t end, std::uint64_t size, const BlockForm& form) {
  FileShare share{path, file};
  if (begin == 0 && end == size) return share;
  share.whole = false;
  share.part = {begin, end, 0, {}};
  if (form.format == InputFormat::csv && begin > 0) share.part.head = header_of(path);
  return share;
}

std::vector<FileShare> shares_of(std::size_t rank, std::size_t ranks,
                                 std::span<const std::string> files, const BlockForm& form) {
  std::vector<std::uint64_t> size;
  std::uint64_t all = 0;
  for (const std::string& path : files) {
    all += size.emplace_back(size_of(path));
    if (size.back() == 0) fail_no_sequences(path);
  }
  const std::uint64_t first = all / ranks * rank + all % ranks * rank / ranks;
  const std::uint64_t last = all / ranks * (rank + 1) + all % ranks * (rank + 1) / ranks;
  std::vector<FileShare> shares;
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < files.size(); before += size[k++]) {
    const auto cut = [&](std::uint64_t place) {
      const std::uint64_t from = std::clamp(place, before, before + size[k]) - before;
      return from == 0 || from == size[k] ? from : sequence_start(files[k], from, form);
    };
    const std::uint64_t begin = cut(first), end = cut(last);
    if (begin < end) shares.push_back(share_of(files[k], k, begin, end, size[k], form));
  }
  return shares;
}

std::uint64_t newlines_of(const FileShare& share) {
  if (share.whole) return 0;  // nobody reads on behind it
  std::ifstream file(share.path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(share.part.begin));
  std::uint64_t count = 0;
  std::vector<char> block(std::size_t{1} << 18);
  for (std::uint64_t left = share.part.end - share.part.begin; left > 0 && file;) {
    file.read(block.data(),
              static_cast<std::streamsize>(std::min<std::uint64_t>(left, block.size())));
    const std::streamsize got = file.gcount();
    count += static_cast<std::uint64_t>(std::count(block.begin(), block.begin() + got, '\n'));
    left -= static_cast<std::uint64_t>(got);
  }
  return count;
}

}  // namespace

BlockForm form_of(const ExtractionConfig& config, bool spans) {
  BlockForm form{config.format, spans, config.csv.delimiter, config.form.ignored};
  if (spans) form.format = InputFormat::text;
  return form;
}

std::uint64_t sequence_start(const std::string& path, std::uint64_t from, const BlockForm& form) {
  if (from == 0) return 0;
  if (is_packed(path)) return size_of(path);
  if (form.format == InputFormat::csv) return record_start(path, from);
  PlacedLines lines(path, from - 1);
  lines.next();  // the line that has the byte before
  if (form.format == InputFormat::text) {
    while (lines.next()) {
      if (!is_gap(lines.line(), form.format)) return lines.begin();
    }
    return size_of(path);
  }
  // Between two blocks of lines, or rows of another group: what is before the first of these is not
  // looked at, so that every process finds the same place.
  const bool rows = form.format == InputFormat::svmlight;
  bool after_gap = false;
  std::string group;
  bool any_row = false;
  while (lines.next()) {
    if (is_gap(lines.line(), form.format)) {
      after_gap = true;
      continue;
    }
    if (!rows && after_gap) return lines.begin();
    if (!rows) continue;
    const std::string own(group_of_row(lines.line()));
    if (any_row && (own.empty() || own != group)) return lines.begin();
    any_row = true;
    group = own;
  }
  return size_of(path);
}

void require_files(std::span<const std::string> files) {
  for (const std::string& path : files) size_of(path);
}

std::vector<FileShare> share_files(Ranks& ranks, std::span<const std::string> files,
                                   const BlockForm& form) {
  std::vector<FileShare> shares;
  std::vector<std::uint64_t> file, lines;  // of each share, and how many lines it has
  run_together(ranks, [&] {
    shares = shares_of(ranks.rank(), ranks.size(), files, form);
    for (const FileShare& share : shares) {
      file.push_back(share.file);
      lines.push_back(newlines_of(share));
    }
  });
  StateArchive out;
  out(file, lines);
  const std::vector<std::string> all = ranks.gather(out.bytes());
  // A share that begins within a file comes after all others of it, and is the first of its rank.
  if (shares.empty() || shares.front().whole || shares.front().part.begin == 0) return shares;
  for (std::size_t r = 0; r < ranks.rank(); ++r) {
    StateArchive in(all[r]);
    in(file, lines);
    for (std::size_t k = 0; k < file.size(); ++k) {
      if (file[k] == shares.front().file) shares.front().part.lines_before += lines[k];
    }
  }
  return shares;
}

std::size_t count_sequences(std::span<const FileShare> shares, const BlockForm& form) {
  std::size_t count = 0;
  for (const FileShare& share : shares) {
    DataBlocks blocks;
    LineReader lines = share.lines();
    count += append_blocks(lines, form, blocks);
  }
  return count;
}

}  // namespace croft
