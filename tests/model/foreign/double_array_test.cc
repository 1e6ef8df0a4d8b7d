#include "model/foreign/double_array.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "croft/core/random.h"

namespace croft::double_array_test {
namespace {

struct Cell {
  std::int32_t base;
  std::uint32_t check;
};

std::vector<Cell> cells_of(const std::map<std::string, std::uint32_t>& strings) {
  const std::vector<std::pair<std::string, std::uint32_t>> list(strings.begin(), strings.end());
  const std::string bytes = build_double_array(list);
  std::vector<Cell> cells(bytes.size() / sizeof(Cell));
  std::memcpy(cells.data(), bytes.data(), bytes.size());
  return cells;
}

// As Darts looks a string up; -1: it is not there.
std::int64_t find(const std::vector<Cell>& cells, const std::string& string) {
  std::int32_t base = cells.at(0).base;
  for (const char c : string) {
    const Cell& cell = cells.at(static_cast<std::size_t>(base) + static_cast<unsigned char>(c) + 1);
    if (cell.check != static_cast<std::uint32_t>(base)) return -1;
    base = cell.base;
  }
  const Cell& end = cells.at(static_cast<std::size_t>(base));
  if (end.check != static_cast<std::uint32_t>(base) || end.base >= 0) return -1;
  return -std::int64_t{end.base} - 1;
}

std::string random_string(Random& random, std::size_t letters) {
  std::string out;
  for (std::size_t k = random.below(9); k > 0; --k) {
    out += static_cast<char>(1 + random.below(letters) * (255 / letters));
  }
  return out;
}

TEST(DoubleArray, HasEveryStringWithItsNumberAndNoOther) {
  Random random(1);
  for (const std::size_t letters : {1, 2, 5, 255}) {
    for (const std::size_t count : {0, 1, 10, 3000}) {
      std::map<std::string, std::uint32_t> strings;
      for (std::size_t k = 0; k < count; ++k) {
        strings[random_string(random, letters)] =
            static_cast<std::uint32_t>(random.below(1u << 31));
      }
      const std::vector<Cell> cells = cells_of(strings);
      for (const auto& [string, number] : strings) ASSERT_EQ(find(cells, string), number);
      for (int k = 0; k < 3000; ++k) {
        const std::string other = random_string(random, letters);
        ASSERT_EQ(find(cells, other) >= 0, strings.contains(other));
      }
    }
  }
}

TEST(DoubleArray, IsNotMuchLargerThanItsStrings) {
  std::map<std::string, std::uint32_t> strings;
  std::size_t bytes = 0;
  Random random(2);
  for (std::uint32_t k = 0; k < 20000; ++k) {
    const std::string string =
        "U" + std::to_string(k % 20) + ":" + std::to_string(random.below(1u << 30));
    bytes += string.size() + 1;
    strings[string] = k;
  }
  EXPECT_LT(cells_of(strings).size(), bytes);
}

}  // namespace
}  // namespace croft::double_array_test
