// JSON in the sections of a model file, read by type and range.
//
//   const Record text = Record(container, "meta", meta).at("extraction").at("text");
//   options.hash_bits = text.at("hash_bits").whole<unsigned>(0, 31);
//
// What is not as docs/format.md has it is an InputError that names the file, the section and the
// key:
//   m.croft: section meta is damaged: extraction.text.hash_bits is -1, and a whole number from 0 to
//   31 was expected; restore the file from a copy or train again
#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/file/container.h"

namespace croft {
class Json;

// Refers to the container, the section's name and the value.
class Record {
 public:
  Record(const Container& container, std::string_view section, const Json& value)
      : container_(&container), section_(section), value_(&value) {}

  Record at(std::string_view key) const;                   // of an object; absent: an error
  std::optional<Record> find(std::string_view key) const;  // of an object; absent: none
  std::vector<Record> list() const;                        // the values of a list
  const Record& object() const;                            // itself, where it is an object

  bool is_null() const;
  bool is_text() const;
  bool flag() const;
  const std::string& text() const;
  std::vector<std::string> texts() const;
  double number() const;     // finite
  bool is_fraction() const;  // a number with a point
  std::vector<double> numbers() const;

  template <std::integral T>
  T whole(T least, T most) const {
    return static_cast<T>(integer(bound(least), bound(most)));
  }
  template <std::integral T>
  std::vector<T> wholes(T least, T most) const {
    std::vector<T> values;
    for (const Record& each : list()) values.push_back(each.whole<T>(least, most));
    return values;
  }
  // The value that goes by the name which this is.
  template <class T, std::size_t N>
  T one_of(const std::array<std::pair<T, std::string_view>, N>& names) const {
    for (const auto& [value, name] : names) {
      if (text() == name) return value;
    }
    fail("another name");
  }

  void require(bool holds, std::string_view expected) const {
    if (!holds) fail(expected);
  }
  // "KEY is VALUE, and EXPECTED was expected"
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  template <std::integral T>
  static constexpr std::int64_t bound(T value) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value) : kMost;
  }
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  Record part(std::string path, const Json& value) const;

  const Container* container_;
  std::string_view section_;
  const Json* value_;
  std::string path_;  // of the keys that lead here
};

}  // namespace croft
