// Puts the checksums of a model file right, so that a fuzz target reaches what comes after them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "features/vocabulary.h"

namespace croft::fuzz {

// Writes the checksums where docs/format.md places them: sections, table, header.
class Repair {
 public:
  explicit Repair(std::vector<std::byte>& bytes) : bytes_(bytes) {
    if (bytes.size() < 64) return;
    const std::uint64_t sections = number<std::uint32_t>(12);
    const std::uint64_t table_size = 64 * sections;
    if (table_size <= bytes.size() - 64) {
      for (std::uint64_t k = 0; k < sections; ++k) repair_section(64 + 64 * k);
      put(48, sum(64, table_size));
    }
    put(56, sum(0, 56));
  }

 private:
  template <class T>
  T number(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  void put(std::size_t at, std::uint64_t value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  std::uint64_t sum(std::size_t begin, std::size_t size) const {
    return hash_string({reinterpret_cast<const char*>(bytes_.data()) + begin, size});
  }
  void repair_section(std::size_t entry) {
    const auto offset = number<std::uint64_t>(entry + 32), size = number<std::uint64_t>(entry + 40);
    if (offset > bytes_.size() || size > bytes_.size() - offset) return;
    put(entry + 48, sum(offset, size));
  }
  std::vector<std::byte>& bytes_;
};

inline void repair_checksums(std::vector<std::byte>& bytes) { Repair repair(bytes); }

}  // namespace croft::fuzz
