#include "core/byte_places.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/simd.h"
#include "croft/core/random.h"

namespace croft::byte_places_test {
namespace {

std::vector<std::size_t> places_of(std::string_view text) {
  std::vector<std::size_t> places;
  for_each_byte(text, '\t', ' ', [&](std::size_t at) { places.push_back(at); });
  return places;
}

std::vector<std::size_t> one_by_one(std::string_view text) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\t' || text[k] == ' ') places.push_back(k);
  }
  return places;
}

TEST(BytePlaces, AreThoseOfAWalkForAnyLengthAtAnyAlignmentOnAnyTarget) {
  const std::string before = simd_target();
  Random random(7);
  for (const std::string& target : simd_targets()) {
    force_simd_target(target);
    for (std::size_t size = 0; size < 200; ++size) {
      std::string text(size + 64, ' ');  // what is around does not count
      for (std::size_t k = 0; k < text.size(); ++k) text[k] = "\t a\xFF"[random.next() % 4];
      const std::size_t begin = random.next() % 64;
      const std::string_view part = std::string_view(text).substr(begin, size);
      EXPECT_EQ(places_of(part), one_by_one(part)) << target << ", " << size << " bytes";
    }
  }
  force_simd_target(before);
}

TEST(BytePlaces, GoOnThroughALongText) {
  std::string text(5000, 'x');
  for (const std::size_t at : {0u, 1023u, 1024u, 1025u, 2047u, 4095u, 4999u}) text[at] = '\t';
  EXPECT_EQ(places_of(text), one_by_one(text));
  EXPECT_EQ(places_of(std::string(3000, ' ')), one_by_one(std::string(3000, ' ')));
}

}  // namespace
}  // namespace croft::byte_places_test
