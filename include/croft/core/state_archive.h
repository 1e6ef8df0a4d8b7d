// The state of a computation as bytes, written and read back by one function.
//
//   void archive(StateArchive& state) { state(iteration_); state(w_); state(history_); }
//
// An archive either writes a value or overwrites it with what was written, so the two directions
// cannot disagree.  It is for checkpoints on the machine that wrote them: numbers are copied as
// they stand in memory, bit by bit.  Bytes from elsewhere give an Error or other numbers, and take
// memory in proportion to their length.
#pragma once
#include <cstddef>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace croft {

class StateArchive {
 public:
  StateArchive() = default;                                                      // writes
  explicit StateArchive(std::string_view bytes) : in_(bytes), reading_(true) {}  // reads
  bool reading() const { return reading_; }
  // Writes to nowhere: for who has to take part, and not to keep anything.
  static StateArchive forgetful() {
    StateArchive archive;
    archive.forgets_ = true;
    return archive;
  }

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(T& value) { copy(&value, sizeof value); }
  void operator()(bool& value);
  template <class T, class Allocator>
  void operator()(std::vector<T, Allocator>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
      values.resize(size(values.size(), sizeof(T)));
      copy(values.data(), values.size() * sizeof(T));
    } else {
      each(values);
    }
  }
  void operator()(std::vector<bool>& values);
  template <class T>
  void operator()(std::deque<T>& values) {
    each(values);
  }
  void operator()(std::string& text) {
    text.resize(size(text.size(), 1));
    copy(text.data(), text.size());
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool has = value.has_value();
    (*this)(has);
    if (reading_) value = has ? std::optional<T>(T{}) : std::nullopt;
    if (has) (*this)(*value);
  }
  // Numbers that the caller holds: as many must have been written.
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(std::span<T> values) {
    if (size(values.size(), sizeof(T)) != values.size()) damaged();
    copy(values.data(), values.size_bytes());
  }
  // Anything with a member  void archive(StateArchive&).
  template <class T>
  requires requires(T& value, StateArchive& state) { value.archive(state); }
  void operator()(T& value) { value.archive(*this); }

  // Several, one after the other.
  template <class... Values>
  requires(sizeof...(Values) > 1) void operator()(Values&&... values) {
    ((*this)(std::forward<Values>(values)), ...);
  }

  const std::string& bytes() const { return out_; }  // written so far
  // What another archive has written, as if this one had; requires !reading().
  void append(std::string_view bytes) {
    if (!forgets_) out_.append(bytes);
  }
  // Throws Error unless everything has been read.
  void finish() const;

 private:
  // Throws Error: what is read was not written by this program from this state.
  [[noreturn]] static void damaged();
  void copy(void* value, std::size_t bytes);
  // A count, and on reading a check that so many items of at least `bytes` can follow.
  std::size_t size(std::size_t count, std::size_t bytes);
  // Items of any size: made one by one as they are read, so that no count asks for more memory than
  // a few times what was written.
  template <class Values>
  void each(Values& values) {
    const std::size_t count = size(values.size(), 1);
    if (values.size() > count) values.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      if (k == values.size()) values.emplace_back();
      (*this)(values[k]);
    }
  }

  std::string out_;
  std::string_view in_;
  bool reading_ = false, forgets_ = false;
};

}  // namespace croft
