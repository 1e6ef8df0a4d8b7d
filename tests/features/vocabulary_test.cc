#include "features/vocabulary.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::vocabulary_test {
namespace {

using Strings = std::set<std::string>;

std::vector<std::string_view> views(const Strings& strings) {
  return {strings.begin(), strings.end()};
}

// Every string has an id of its own below the size, and comes back from it; strings that differ
// from them in one place are unknown.
void expect_holds_exactly(const Strings& strings, const CompactVocabulary& vocabulary,
                          const std::vector<std::uint32_t>& id) {
  ASSERT_EQ(vocabulary.size(), strings.size());
  std::set<std::uint32_t> seen;
  std::size_t k = 0;
  for (const std::string& text : strings) {
    const std::uint32_t found = vocabulary.find(text);
    ASSERT_EQ(found, id[k++]) << in_quotes(text);
    ASSERT_LT(found, strings.size());
    EXPECT_TRUE(seen.insert(found).second) << "one id for two strings";
    EXPECT_TRUE(vocabulary.string(found) == text) << in_quotes(text);
    vocabulary.prefetch(hash_string(text));
    for (std::string other : {text + '\0', text + "a", text.substr(0, text.size() / 2)}) {
      if (strings.contains(other)) continue;
      EXPECT_EQ(vocabulary.find(other), kUnknown) << in_quotes(other);
    }
  }
}

void expect_round_trip(const Strings& strings) {
  using Coding = CompactVocabulary::Coding;
  for (const Coding coding : {Coding::smallest, Coding::quick}) {
    const auto built = CompactVocabulary::build(views(strings), coding);
    expect_holds_exactly(strings, CompactVocabulary(built.image), built.id);
  }
}

// Attributes as templates make them: few prefixes, a body over a small alphabet.
Strings random_attributes(Random& random, std::size_t count) {
  const char* const prefix[] = {"w[0]=", "w[-1]|w[0]=", "", "p[1]=", "U07:%x[0,1]/"};
  Strings strings;
  while (strings.size() < count) {
    std::string text = prefix[random.below(5)];
    for (std::uint64_t n = random.below(12); n > 0; --n) {
      text += static_cast<char>('a' + random.below(8));
    }
    strings.insert(text);
  }
  return strings;
}

TEST(CompactVocabulary, HoldsExactlyTheStringsGivenWhateverTheirBytes) {
  const auto any_string = rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  EXPECT_TRUE(rc::check([&] { expect_round_trip(*rc::gen::container<Strings>(any_string)); }));
}

TEST(CompactVocabulary, SharedPrefixesAndEveryNumberOfStringsUpTo300) {
  Random random(1);
  for (std::size_t count = 0; count < 300; count += 1 + count / 20) {
    expect_round_trip(random_attributes(random, count));
  }
}

TEST(CompactVocabulary, EmptyStringAndZeroBytesAreStringsLikeAnyOther) {
  expect_round_trip({std::string()});
  Strings zeros;
  for (std::size_t n = 0; n < 40; ++n) zeros.insert(std::string(n, '\0'));
  expect_round_trip(zeros);
}

TEST(CompactVocabulary, VeryLongStringsBesideShortOnes) {
  Random random(2);
  Strings strings = random_attributes(random, 200);
  for (const std::size_t size : {127u, 253u, 254u, 255u, 256u, 4096u, 4097u, 100000u}) {
    strings.insert(std::string(size, 'x'));
    std::string noise(size, ' ');
    for (char& c : noise) c = static_cast<char>(random.below(256));
    strings.insert(noise);
  }
  expect_round_trip(strings);
}

TEST(CompactVocabulary, TheImageDependsOnTheSetOfStringsOnly) {
  Random random(3);
  const Strings strings = random_attributes(random, 2000);
  auto order = views(strings);
  const auto sorted = CompactVocabulary::build(order);
  shuffle(order, random);
  const auto shuffled = CompactVocabulary::build(order);
  EXPECT_EQ(sorted.image, shuffled.image);
  const CompactVocabulary vocabulary(shuffled.image);
  for (std::size_t k = 0; k < order.size(); ++k) {
    ASSERT_EQ(vocabulary.find(order[k]), shuffled.id[k]);
  }
}

TEST(CompactVocabulary, IdsRankTheStringsByHash) {
  Random random(4);
  const Strings strings = random_attributes(random, 500);
  const auto built = CompactVocabulary::build(views(strings));
  const CompactVocabulary vocabulary(built.image);
  for (std::uint32_t id = 1; id < vocabulary.size(); ++id) {
    EXPECT_LT(hash_string(vocabulary.string(id - 1)), hash_string(vocabulary.string(id)));
  }
}

TEST(CompactVocabulary, WithoutStringsEverythingIsUnknown) {
  const CompactVocabulary none;
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.find(""), kUnknown);
  none.prefetch(7);
  const auto built = CompactVocabulary::build({});
  EXPECT_EQ(CompactVocabulary(built.image).find("a"), kUnknown);
}

// Asks for everything; what matters is that nothing outside the image is read (the sanitizers'
// part) and that ids stay below the size.
void probe(const CompactVocabulary& vocabulary, const Strings& strings) {
  for (const std::string& text : strings) {
    vocabulary.prefetch(hash_string(text));
    const std::uint32_t id = vocabulary.find(text);
    ASSERT_TRUE(id == kUnknown || id < vocabulary.size());
  }
  const auto some = static_cast<std::uint32_t>(std::min<std::size_t>(vocabulary.size(), 50));
  for (std::uint32_t id = 0; id < some; ++id) vocabulary.string(id);
  if (some > 0) vocabulary.string(static_cast<std::uint32_t>(vocabulary.size() - 1));
}

// Runs on a heap copy of exactly the image's size, so that a read past its end is seen.
void probe_copy(const std::vector<std::byte>& image, std::size_t size, const Strings& strings) {
  const auto copy = std::make_unique<std::byte[]>(size);
  std::copy_n(image.begin(), size, copy.get());
  try {
    probe(CompactVocabulary({copy.get(), size}), strings);
  } catch (const Error&) {
  }
}

TEST(CompactVocabulary, TruncatedImagesAreRefused) {
  Random random(5);
  const auto image = CompactVocabulary::build(views(random_attributes(random, 60))).image;
  for (std::size_t size = 0; size < image.size(); ++size) {
    EXPECT_THROW(CompactVocabulary({image.data(), size}), Error) << size;
  }
}

TEST(CompactVocabulary, NoFlippedByteLeadsOutsideTheImage) {
  Random random(6);
  Strings strings = random_attributes(random, 60);
  strings.insert(std::string(300, '\xEE'));  // a long one
  auto image = CompactVocabulary::build(views(strings)).image;
  for (std::size_t at = 0; at < image.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      image[at] ^= static_cast<std::byte>(flip);
      probe_copy(image, image.size(), strings);
      image[at] ^= static_cast<std::byte>(flip);
    }
  }
}

TEST(CompactVocabulary, RandomDamageLeadsNowhereElse) {
  Random random(7);
  const Strings strings = random_attributes(random, 300);
  const auto image = CompactVocabulary::build(views(strings)).image;
  for (int repeat = 0; repeat < 300; ++repeat) {
    auto damaged = image;
    for (std::uint64_t n = random.below(60); n > 0; --n) {
      // After the symbols, where the constructor checks nothing but sizes.
      damaged[4416 + random.below(damaged.size() - 4416)] =
          static_cast<std::byte>(random.below(256));
    }
    probe_copy(damaged, damaged.size(), strings);
  }
}

TEST(CompactVocabulary, MessagesSayWhatIsWrong) {
  auto image = CompactVocabulary::build({"a", "b"}).image;
  const auto message = [&](std::size_t at, int value) {
    const std::byte old = std::exchange(image[at], static_cast<std::byte>(value));
    std::string what;
    try {
      CompactVocabulary vocabulary(image);
    } catch (const Error& error) {
      what = error.what();
    }
    image[at] = old;
    return what;
  };
  EXPECT_EQ(message(0, 9),
            "the vocabulary has layout 9, this Croft reads layout 1; use a newer Croft");
  EXPECT_EQ(message(8, 0), "the vocabulary is damaged: no buckets");
  EXPECT_EQ(message(8, 3), "the vocabulary is damaged: " + std::to_string(image.size()) +
                               " bytes where its header promises " +
                               std::to_string(image.size() + 16));
  EXPECT_EQ(message(64, 17), "the vocabulary is damaged: a symbol's length is not 1 to 16");
  EXPECT_EQ(message(64, 0), "the vocabulary is damaged: a symbol's length is not 1 to 16");
  EXPECT_EQ(message(4, 2), "") << "the number of strings as it is";
}

std::string hex(std::span<const std::byte> bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    out += "0123456789abcdef"[static_cast<int>(b >> 4)];
    out += "0123456789abcdef"[static_cast<int>(b & std::byte{15})];
  }
  return out;
}

TEST(CompactVocabulary, TheBytesAreThoseOfTheExampleInFormatMd) {
  const auto built = CompactVocabulary::build({"w=he", "w=the", "w=then"});
  const std::span image = built.image;
  EXPECT_EQ(hex(image.first(24)),
            "0100000003000000010000000000000"
            "00b00000000000000");
  EXPECT_EQ(hex(image.subspan(64, 5)), "0502020101");
  EXPECT_EQ(hex(image.subspan(320, 6)), "773d74686500");
  EXPECT_EQ(hex(image.subspan(336, 3)), "686500");
  EXPECT_EQ(hex(image.subspan(352, 3)), "773d00");
  EXPECT_EQ(hex(image.subspan(368, 2)), "6e00");
  EXPECT_EQ(hex(image.subspan(4416)),
            "8bfe8f020201000302010000000000000000000000000000"
            "0b00000003000000");
  EXPECT_EQ(built.id, (std::vector<std::uint32_t>{1, 2, 0}));
}

TEST(CompactVocabulary, TakesLessThanTheStringsAloneWould) {
  Random random(8);
  const char* const syllable[] = {"ba", "ren", "to", "mil", "ka", "son", "er", "in"};
  Strings strings;
  while (strings.size() < 20000) {
    std::string text = random.below(2) == 0 ? "w[-1]|w[0]=" : "w[0]|w[1]=";
    for (std::uint64_t n = 3 + random.below(3); n > 0; --n) text += syllable[random.below(8)];
    strings.insert(text);
  }
  std::size_t bytes = 0;
  for (const std::string& text : strings) bytes += text.size();
  const auto image = CompactVocabulary::build(views(strings)).image;
  EXPECT_LT(image.size(), bytes / 2) << "with the hash table, of " << bytes;
}

TEST(StringTable, NumbersStringsInOrderOfFirstAppearanceLikeAMap) {
  const auto any_string = rc::gen::container<std::string>(rc::gen::inRange<char>('\0', '\3'));
  EXPECT_TRUE(rc::check([&] {
    StringTable table;
    std::map<std::string, std::uint32_t> expected;
    for (const auto& text : *rc::gen::container<std::vector<std::string>>(any_string)) {
      EXPECT_EQ(table.find(text) != kUnknown, expected.contains(text));
      const auto next = static_cast<std::uint32_t>(expected.size());
      const std::uint32_t id = expected.emplace(text, next).first->second;
      table.prefetch(hash_string(text));
      EXPECT_EQ(table.insert(text), id);
    }
    EXPECT_EQ(table.size(), expected.size());
    for (const auto& [text, id] : expected) {
      EXPECT_EQ(table.find(text), id);
      EXPECT_EQ(table[id], text);
    }
  }));
}

TEST(StringTable, GrowsAndKeepsEveryString) {
  StringTable table;
  for (std::uint32_t k = 0; k < 100000; ++k) ASSERT_EQ(table.insert(std::to_string(k)), k);
  for (std::uint32_t k = 0; k < 100000; ++k) {
    ASSERT_EQ(table.find(std::to_string(k)), k);
    ASSERT_EQ(table[k], std::to_string(k));
  }
  EXPECT_EQ(table.find("100000"), kUnknown);
}

TEST(StringTable, EqualFingerprintsAreToldApartByTheStrings) {
  StringTable table;
  const std::uint64_t top = 0xFFFFFFFF00000000;  // the last slot: the search wraps round
  for (std::uint32_t k = 0; k < 50; ++k) ASSERT_EQ(table.insert(std::to_string(k), top | k), k);
  for (std::uint32_t k = 0; k < 50; ++k) ASSERT_EQ(table.find(std::to_string(k), top), k);
  EXPECT_EQ(table.find("50", top), kUnknown);
}

TEST(StringTable, AStringOf256MiBIsRefused) {
  const std::string text(std::size_t{1} << 28, 'a');
  StringTable table;
  EXPECT_THROW(table.insert(text), Error);
  EXPECT_EQ(table.insert("a"), 0u);
}

TEST(HashString, IsXxh3OnEveryMachine) {
  EXPECT_EQ(hash_string(""), 0x2D06800538D394C2u);  // the published value of XXH3-64 for no bytes
}

TEST(CompactVocabulary, RefusesTwoStringsThatAreTheSame) {
  const std::vector<std::string_view> strings{"a", "b", "a"};
  EXPECT_THROW(CompactVocabulary::build(strings), Error);
}

}  // namespace
}  // namespace croft::vocabulary_test
