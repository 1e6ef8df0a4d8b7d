// Lines of a file or of standard input, of any length, in memory bounded by the longest line.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/core/error.h"

namespace croft {

class LineReader {
 public:
  static constexpr std::size_t kBlockSize = std::size_t{1} << 18;  // bytes

  // path "-" reads standard input (a file of that name is "./-").  Throws Error (path, reason) when
  // the file cannot be opened or is a folder.
  //   block_size : bytes asked for in one read, >= 1; tests make it small to cut lines everywhere
  explicit LineReader(const std::string& path, std::size_t block_size = kBlockSize);
  // Lines of a text in memory (tests, fuzzing, front ends that hold the text), which is copied;
  // `name` for messages.
  LineReader(std::string_view text, std::string name);
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

  // `ready` is called whenever next() is about to wait for a pipe or a terminal: time to finish
  // what has been read.  What it throws, next() throws.
  void before_waiting(std::function<void()> ready) { before_waiting_ = std::move(ready); }

  std::size_t line_number() const { return line_number_; }  // of the line last returned, from 1
  const std::string& name() const { return name_; }         // for messages: path, or "<stdin>"
  // "name:line" of the last line, as the start of an InputError.
  Location location(std::size_t column = 0) const { return {name_, line_number_, column}; }

 private:
  bool fill();
  void wait_for_input() const;
  std::string name_;
  int descriptor_ = -1;       // -1: all of the input is in the buffer
  std::vector<char> buffer_;  // [begin_, end_) is read and not yet handed out
  std::size_t begin_ = 0, end_ = 0;
  std::size_t line_number_ = 0;
  bool at_end_ = false;  // nothing more to read into the buffer
  std::function<void()> before_waiting_;
};

}  // namespace croft
