#include "features/compact_offsets.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::compact_offsets_test {
namespace {

void expect_rows(const std::vector<std::uint32_t>& lengths) {
  const auto image = CompactOffsets::build(lengths);
  const CompactOffsets offsets(image);
  ASSERT_EQ(offsets.size(), lengths.size());
  std::uint64_t begin = 0;
  for (std::uint32_t i = 0; i < lengths.size(); ++i) {
    offsets.prefetch(i);
    ASSERT_EQ(offsets(i), (CompactOffsets::Row{begin, lengths[i]})) << i;
    begin += lengths[i];
  }
  EXPECT_EQ(offsets.total(), begin);
  EXPECT_EQ(offsets(static_cast<std::uint32_t>(lengths.size())), (CompactOffsets::Row{0, 0}));
  EXPECT_EQ(offsets(0xFFFFFFFF), (CompactOffsets::Row{0, 0}));
  offsets.prefetch(0xFFFFFFFF);
}

TEST(CompactOffsets, RowsBeginWhereTheLengthsBeforeThemEnd) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& lengths) {
    expect_rows({lengths.begin(), lengths.end()});
  }));
  EXPECT_TRUE(rc::check([](const std::vector<std::uint16_t>& lengths) {
    expect_rows({lengths.begin(), lengths.end()});
  }));
  EXPECT_TRUE(rc::check([](const std::vector<std::uint32_t>& lengths) { expect_rows(lengths); }));
}

TEST(CompactOffsets, TheLongestLengthsOfEachWidthAndTheirNeighbours) {
  for (const std::uint32_t longest : {0u, 1u, 255u, 256u, 65535u, 65536u, 4294967295u}) {
    expect_rows(std::vector<std::uint32_t>(200, longest));  // the last: begins beyond 2^32
    std::vector<std::uint32_t> mixed(200, 3);
    mixed[77] = longest;
    expect_rows(mixed);
  }
}

TEST(CompactOffsets, TakesAboutOneAndOneSeventhBytesARow) {
  const std::vector<std::uint32_t> lengths(56000, 22);
  EXPECT_EQ(CompactOffsets::build(lengths).size(), 64u + 64u * 1000u);
}

TEST(CompactOffsets, WithoutRowsThereIsNothing) {
  EXPECT_EQ(CompactOffsets().size(), 0u);
  EXPECT_EQ(CompactOffsets()(0), (CompactOffsets::Row{0, 0}));
  expect_rows({});
}

TEST(CompactOffsets, NoDamageLeadsOutsideTheImageOrBeyondTheTotal) {
  Random random(1);
  for (const std::uint32_t longest : {22u, 1000u, 100000u}) {
    std::vector<std::uint32_t> lengths(100);
    for (auto& length : lengths) length = static_cast<std::uint32_t>(random.below(longest));
    const auto image = CompactOffsets::build(lengths);
    for (std::size_t size = 0; size < image.size(); ++size) {
      EXPECT_THROW(CompactOffsets({image.data(), size}), Error);
    }
    for (std::size_t at = 0; at < image.size(); ++at) {
      const auto copy = std::make_unique<std::byte[]>(image.size());  // its end is the heap block's
      std::copy(image.begin(), image.end(), copy.get());
      copy[at] ^= std::byte{0xFF};
      try {
        const CompactOffsets offsets({copy.get(), image.size()});
        for (std::uint32_t i = 0; i < offsets.size(); ++i) {
          const auto row = offsets(i);
          ASSERT_LE(row.begin, offsets.total());
          ASSERT_LE(row.length, offsets.total() - row.begin);
        }
      } catch (const Error&) {
        EXPECT_LT(at, 64u) << "only the header is checked";
      }
    }
  }
}

TEST(CompactOffsets, MessagesSayWhatIsWrong) {
  auto image = CompactOffsets::build(std::vector<std::uint32_t>{1, 2, 3});
  const auto message = [&](std::size_t at, int value) {
    const std::byte old = std::exchange(image[at], static_cast<std::byte>(value));
    std::string what;
    try {
      CompactOffsets offsets(image);
    } catch (const Error& error) {
      what = error.what();
    }
    image[at] = old;
    return what;
  };
  EXPECT_EQ(message(0, 2),
            "the table of offsets has layout 2, this Croft reads layout 1; use a newer Croft");
  EXPECT_EQ(message(4, 3), "the table of offsets is damaged: lengths of 3 bytes");
  EXPECT_EQ(message(8, 57),
            "the table of offsets is damaged: 128 bytes where its header promises 192");
  EXPECT_EQ(message(0, 1), "");
}

}  // namespace
}  // namespace croft::compact_offsets_test
