// The bytes of another program's binary file, which may say anything.  Numbers are little-endian.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "croft/core/error.h"

namespace croft {

// Reads with bounds: what lies outside is an InputError that names the file and the byte.
class ForeignBytes {
 public:
  //   begin : of `bytes` in the file, for messages; both must outlive this
  ForeignBytes(std::string_view bytes, const std::string& file, std::uint64_t begin = 0)
      : bytes_(bytes), file_(&file), begin_(begin) {}

  std::uint64_t size() const { return bytes_.size(); }
  std::string_view text() const { return bytes_; }

  // A number; `what` it is, for the message.
  template <class T>
  T number(std::uint64_t at, std::string_view what) const {
    T value;
    std::memcpy(&value, piece(at, sizeof value, what).data(), sizeof value);
    return value;
  }
  std::uint32_t u32(std::uint64_t at, std::string_view what) const {
    return number<std::uint32_t>(at, what);
  }
  std::string_view piece(std::uint64_t at, std::uint64_t size, std::string_view what) const {
    if (at > bytes_.size() || size > bytes_.size() - at) {
      fail(std::string(what) + " lies outside the file", at);
    }
    return bytes_.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
  }
  // The same as bytes of their own.
  ForeignBytes part(std::uint64_t at, std::uint64_t size, std::string_view what) const {
    return {piece(at, size, what), *file_, begin_ + at};
  }
  ForeignBytes rest(std::uint64_t at, std::string_view what) const {
    return part(at, at < size() ? size() - at : 0, what);
  }

  [[noreturn]] void fail(const std::string& what, std::uint64_t at) const {
    throw InputError({*file_}, what + ", at byte " + std::to_string(begin_ + at), "",
                     "the file is damaged; restore it from a copy or train again");
  }

 private:
  std::string_view bytes_;
  const std::string* file_;
  std::uint64_t begin_;
};

// The writer's side.
template <class T>
void append_number(T number, std::string& out) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}
template <class T>
void store_number(T number, std::size_t at, std::string& out) {
  std::memcpy(out.data() + at, &number, sizeof number);
}

}  // namespace croft
