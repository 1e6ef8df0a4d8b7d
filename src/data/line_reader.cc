#include "croft/data/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/unicode.h"
#include "croft/core/interrupt.h"
#include "data/packed_file.h"

namespace croft {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kLongestLine = std::size_t{1} << 30;  // bytes; text has none longer

[[noreturn]] void fail(const std::string& name, const char* what, int reason) {
  throw Error(name + ": cannot " + what + ": " + std::strerror(reason));
}

}  // namespace

LineReader::LineReader(const std::string& path, std::size_t block_size)
    : name_(path == "-" ? "<stdin>" : path), buffer_(std::max<std::size_t>(block_size, 1)) {
  open(path);
}

LineReader::LineReader(const std::string& path, const LinesOfFile& part) : LineReader(path) {
  if (::lseek(descriptor_, static_cast<off_t>(part.begin), SEEK_SET) < 0) {
    fail(name_, "read", errno);
  }
  left_ = part.end - part.begin;
  head_lines_ = static_cast<std::size_t>(std::ranges::count(part.head, '\n'));
  lines_before_ = part.lines_before;
  buffer_.resize(std::max(buffer_.size(), part.head.size()));
  std::ranges::copy(part.head, buffer_.begin());
  end_ = part.head.size();
}

void LineReader::open(const std::string& path) {
  if (path == "-") {
    descriptor_ = STDIN_FILENO;
    may_be_packed_ = true;
    return;
  }
  // A named pipe that nobody writes to yet is waited for in fill(), where an interruption ends it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(name_, "open", errno);
  struct stat status;
  int reason = ::fstat(descriptor, &status) != 0 ? errno : 0;
  if (reason == 0 && S_ISDIR(status.st_mode)) reason = EISDIR;
  if (reason != 0) {
    ::close(descriptor);
    fail(name_, "read", reason);
  }
  if (S_ISREG(status.st_mode)) packed_ = open_packed(descriptor, name_);
  if (!packed_) descriptor_ = descriptor;
}

LineReader::LineReader(std::string_view text, std::string name,
                       std::vector<std::uint32_t> made_from)
    : name_(std::move(name)),
      buffer_(text.begin(), text.end()),
      end_(text.size()),
      at_end_(true),
      made_from_(std::move(made_from)) {}

LineReader::LineReader(std::unique_ptr<LineSource> source, std::string name)
    : name_(std::move(name)), source_(std::move(source)), buffer_(1) {}

LineReader::~LineReader() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

LineReader::LineReader(LineReader&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      may_be_packed_(other.may_be_packed_),
      packed_(std::move(other.packed_)),
      source_(std::move(other.source_)),
      left_(other.left_),
      head_lines_(other.head_lines_),
      lines_before_(other.lines_before_),
      buffer_(std::move(other.buffer_)),
      begin_(std::exchange(other.begin_, 0)),
      end_(std::exchange(other.end_, 0)),
      line_number_(other.line_number_),
      at_end_(std::exchange(other.at_end_, true)),
      before_waiting_(std::move(other.before_waiting_)),
      skipped_(std::move(other.skipped_)),
      made_from_(std::move(other.made_from_)),
      not_utf8_(std::move(other.not_utf8_)),
      is_not_utf8_(other.is_not_utf8_),
      keeps_(other.keeps_),
      given_(std::move(other.given_)),
      marked_(std::move(other.marked_)),
      last_(other.last_),
      given_taken_(other.given_taken_),
      marks_taken_(other.marks_taken_) {}

bool LineReader::next(std::string_view& line) {
  do {
    if (is_not_utf8_) {
      is_not_utf8_ = false;
      std::exchange(not_utf8_, nullptr)(location());
    }
    if (!read_line(line)) return false;
    is_not_utf8_ = not_utf8_ && !is_valid_utf8(line);
  } while (skipped_ && skipped_(line));
  return true;
}

void LineReader::keep(std::string_view raw, std::string_view line) {
  const std::size_t begin = given_.size() + static_cast<std::size_t>(line.data() - raw.data());
  given_.append(raw);
  last_ = {begin, begin + line.size()};
}

void LineReader::take_given(std::size_t lines, GivenLines& out) {
  const std::size_t count = std::min(lines, marked_.size() - marks_taken_);
  const bool all = marks_taken_ + count == marked_.size();
  const std::size_t end = all ? given_.size() : marked_[marks_taken_ + count].begin;
  out.text.assign(given_, given_taken_, end - given_taken_);
  out.marked.clear();
  for (std::size_t k = marks_taken_; k < marks_taken_ + count; ++k) {
    out.marked.push_back({marked_[k].begin - given_taken_, marked_[k].end - given_taken_});
  }
  given_taken_ = end;
  marks_taken_ += count;
  if (!all) return;
  given_.clear();
  marked_.clear();
  given_taken_ = marks_taken_ = 0;
}

bool LineReader::read_line(std::string_view& line) {
  bool has_newline = true;
  std::string_view raw;
  // Bytes already searched are not searched again: a line over many blocks costs linear time.
  for (std::size_t searched = 0;;) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const std::size_t length = rest.find('\n', searched);
    if (length != std::string_view::npos) {
      line = rest.substr(0, length);
      raw = rest.substr(0, length + 1);
      begin_ += length + 1;
      break;
    }
    searched = rest.size();
    if (fill()) continue;
    raw = line = {buffer_.data() + begin_, end_ - begin_};  // not `rest`: fill() may have moved it
    begin_ = end_;
    has_newline = false;
    break;
  }
  if (head_lines_ == 0) line_number_ = std::max(line_number_, lines_before_);
  if (line_number_ == 0 && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (!has_newline && line.empty()) {
    if (keeps_) keep(raw, line);
    return false;
  }
  ++line_number_;
  head_lines_ -= head_lines_ > 0;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (keeps_) keep(raw, line);
  return true;
}

// Returns when there is something to read, an end or an error.  A signal ends poll() at once, but
// not one that another thread took or that came just before: hence the time limit.
void LineReader::wait_for_input() const {
  constexpr int kMilliseconds = 200;
  pollfd request{descriptor_, POLLIN, 0};
  if (before_waiting_ && ::poll(&request, 1, 0) == 0) before_waiting_();
  do {
    if (interruption) throw Interrupted(name_ + ": interrupted while reading");
  } while (::poll(&request, 1, kMilliseconds) <= 0);
}

// Reads more behind what is left of the buffer, which moves to the front, or grows when it is full.
// False at the end of the input.
bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (source_) return fill_from_source();
  if (end_ == buffer_.size()) {
    if (end_ >= kLongestLine) {
      throw Error(name_, ":", line_number_ + 1,
                  ": the line is longer than 1 GiB: is this a file of text?");
    }
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t room = std::min<std::uint64_t>(buffer_.size() - end_, left_);
  std::size_t got = room == 0 ? 0 : read_some(buffer_.data() + end_, room);
  if (std::exchange(may_be_packed_, false) && got > 0) {
    packed_ = open_packed(descriptor_, name_, {buffer_.data() + end_, got});
    if (packed_) got = read_some(buffer_.data() + end_, room);
  }
  at_end_ = got == 0;
  end_ += got;
  left_ -= got;
  return got > 0;
}

bool LineReader::fill_from_source() {
  const std::string_view some = source_->more(made_from_);
  at_end_ = some.empty();
  buffer_.resize(std::max(buffer_.size(), end_ + some.size()));
  std::ranges::copy(some, buffer_.begin() + static_cast<std::ptrdiff_t>(end_));
  end_ += some.size();
  return !at_end_;
}

std::size_t LineReader::read_some(char* to, std::size_t size) {
  if (packed_) {
    if (interruption) throw Interrupted(name_ + ": interrupted while reading");
    return packed_->read(to, size);
  }
  ssize_t got = 0;
  do {
    wait_for_input();
    got = ::read(descriptor_, to, size);
  } while (got < 0 && (errno == EINTR || errno == EAGAIN));
  if (got < 0) fail(name_, "read", errno);
  return static_cast<std::size_t>(got);
}

}  // namespace croft
