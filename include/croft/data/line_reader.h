// Lines of a file or of standard input, of any length, in memory bounded by the longest line.  A
// file that is packed (gzip, xz, zstd, by how it begins) is unpacked as it is read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/core/error.h"

namespace croft {

// Consecutive bytes of a file: whole lines.
struct LinesOfFile {
  std::uint64_t begin = 0, end = 0;  // bytes
  std::size_t lines_before = 0;      // those that stand before `begin`
  std::string head{};  // lines that come first: the names of the columns, of a part of a table
};

// What stands in an input byte for byte, for who adds to its lines and gives them back.
struct GivenLines {
  struct Line {
    std::size_t begin, end;  // of `text`; what ends the line is behind it
  };
  std::string text;          // lines with their ends, those too that no reader makes anything of
  std::vector<Line> marked;  // those that something is added to, in order
};

class PackedFile;

// Lines that are made of something else as they are asked for.
class LineSource {
 public:
  virtual ~LineSource() = default;
  // The next lines, each with its end, or nothing at the end; valid until the next call.
  //   made_from : gets the number of the line, of another file, that each was made from
  virtual std::string_view more(std::vector<std::uint32_t>& made_from) = 0;
  // As LineReader has it.
  virtual void before_waiting(std::function<void()> ready) = 0;
};

class LineReader {
 public:
  static constexpr std::size_t kBlockSize = std::size_t{1} << 18;  // bytes

  // path "-" reads standard input (a file of that name is "./-").  Throws Error (path, reason) when
  // the file cannot be opened or is a folder.
  //   block_size : bytes asked for in one read, >= 1; tests make it small to cut lines everywhere
  explicit LineReader(const std::string& path, std::size_t block_size = kBlockSize);
  // A part of a regular file.  Lines are counted as in the file, after those of the head.
  LineReader(const std::string& path, const LinesOfFile& part);
  // Lines of a text in memory (tests, fuzzing, front ends that hold the text), which is copied;
  // `name` for messages.
  //   made_from : the numbers of the lines, of another file, that each was made from; empty: it
  //               has its own
  LineReader(std::string_view text, std::string name, std::vector<std::uint32_t> made_from = {});
  // Lines that are made as they are read; `name` for messages.
  LineReader(std::unique_ptr<LineSource> source, std::string name);
  ~LineReader();
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&&) = delete;

  // The next line without "\n" or "\r\n"; valid until the next call.  A last line without a newline
  // counts (a "\r" at its end is taken for half of one); a file that ends in a newline has no
  // further empty line.  False at the end.  A UTF-8 byte order mark at the start of the input is
  // skipped. Throws Error on a read error, Interrupted once `interruption` is set
  // (core/interrupt.h) and more would have to be read.  Returns as soon as the line is there: a
  // pipe is not read ahead.
  bool next(std::string_view& line);

  // Lines for which `skipped` holds are counted, and next() goes on behind them.
  void skip(std::function<bool(std::string_view)> skipped) { skipped_ = std::move(skipped); }
  bool skips() const { return skipped_ != nullptr; }

  // From now on what is read is also kept as it stands, until it is taken.
  void keep_given() { keeps_ = true; }
  bool keeps_given() const { return keeps_; }
  void mark_given() {  // the line last returned
    if (keeps_) marked_.push_back(last_);
  }
  void unmark_given() { marked_.resize(marks_taken_); }
  // What is kept, up to the line before the marked one that follows `lines` of them.
  void take_given(std::size_t lines, GivenLines& out);

  // `ready` is called whenever next() is about to wait for a pipe or a terminal: time to finish
  // what has been read.  What it throws, next() throws.
  void before_waiting(std::function<void()> ready) {
    if (source_) return source_->before_waiting(std::move(ready));
    before_waiting_ = std::move(ready);
  }

  // Called with the place of the first line that is not UTF-8, once more is asked for: who cannot
  // make anything of that line says so instead.
  void when_not_utf8(std::function<void(const Location&)> seen) { not_utf8_ = std::move(seen); }

  std::size_t line_number() const {  // of the line last returned, from 1
    return line_number_ == 0 || made_from_.empty() ? line_number_ : made_from_[line_number_ - 1];
  }
  const std::vector<std::uint32_t>& made_from() const { return made_from_; }
  const std::string& name() const { return name_; }  // for messages: path, or "<stdin>"
  // "name:line" of the last line, as the start of an InputError.
  Location location(std::size_t column = 0) const { return {name_, line_number(), column}; }

 private:
  bool read_line(std::string_view& line);
  void keep(std::string_view raw, std::string_view line);
  void open(const std::string& path);
  bool fill();
  bool fill_from_source();
  std::size_t read_some(char* to, std::size_t size);
  void wait_for_input() const;
  std::string name_;
  int descriptor_ = -1;         // -1: all of the input is in the buffer, packed_ or source_
  bool may_be_packed_ = false;  // a stream of which nothing was read yet
  std::unique_ptr<PackedFile> packed_;
  std::unique_ptr<LineSource> source_;
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();  // bytes, of a part
  std::size_t head_lines_ = 0, lines_before_ = 0;                   // likewise
  std::vector<char> buffer_;  // [begin_, end_) is read and not yet handed out
  std::size_t begin_ = 0, end_ = 0;
  std::size_t line_number_ = 0;
  bool at_end_ = false;  // nothing more to read into the buffer
  std::function<void()> before_waiting_;
  std::function<bool(std::string_view)> skipped_;
  std::vector<std::uint32_t> made_from_;
  std::function<void(const Location&)> not_utf8_;
  bool is_not_utf8_ = false;  // the line last returned, and nobody was told
  bool keeps_ = false;
  std::string given_;                     // from given_taken_ on it has not been taken
  std::vector<GivenLines::Line> marked_;  // of given_, likewise
  GivenLines::Line last_{};
  std::size_t given_taken_ = 0, marks_taken_ = 0;
};

}  // namespace croft
