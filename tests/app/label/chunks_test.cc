#include "app/label/chunks.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "croft/core/error.h"

namespace croft::chunks_test {
namespace {

using Labels = std::vector<std::string_view>;

Labels views(const std::vector<std::string>& labels) { return {labels.begin(), labels.end()}; }

std::vector<Chunk> chunks(const Labels& labels, ChunkScheme scheme = ChunkScheme::automatic) {
  return chunks_of(labels, scheme);
}

TEST(ChunksOf, BioChunksBeginAtEveryB) {
  EXPECT_EQ(chunks({"O", "B-NP", "I-NP", "B-NP", "O", "B-VP"}),
            (std::vector<Chunk>{{1, 3, "NP"}, {3, 4, "NP"}, {5, 6, "VP"}}));
}

TEST(ChunksOf, Bio1ChunksBeginAtAChangeOfTypeToo) {
  EXPECT_EQ(chunks({"I-NP", "I-NP", "B-NP", "I-VP", "O", "I-VP"}),
            (std::vector<Chunk>{{0, 2, "NP"}, {2, 3, "NP"}, {3, 4, "VP"}, {5, 6, "VP"}}));
}

TEST(ChunksOf, IoeChunksEndAtEveryE) {
  EXPECT_EQ(chunks({"I-NP", "E-NP", "E-NP", "I-NP", "E-NP", "E-VP", "O"}),
            (std::vector<Chunk>{{0, 2, "NP"}, {2, 3, "NP"}, {3, 5, "NP"}, {5, 6, "VP"}}));
}

TEST(ChunksOf, BioesIsReadAsTheBioItConvertsTo) {
  EXPECT_EQ(chunks({"S-A", "S-A", "B-A", "I-A", "E-A", "O", "U-B", "B-B", "L-B"}),
            (std::vector<Chunk>{{0, 1, "A"}, {1, 2, "A"}, {2, 5, "A"}, {6, 7, "B"}, {7, 9, "B"}}));
  EXPECT_EQ(chunks({"B", "M", "E", "S"}, ChunkScheme::bioes),
            (std::vector<Chunk>{{0, 3, ""}, {3, 4, ""}}));
  // Two E in a row convert to two I: one chunk, where ioe would see two.
  EXPECT_EQ(chunks({"E-A", "E-A"}, ChunkScheme::bioes), (std::vector<Chunk>{{0, 2, "A"}}));
  EXPECT_EQ(chunks({"E-A", "E-A"}, ChunkScheme::ioe),
            (std::vector<Chunk>{{0, 1, "A"}, {1, 2, "A"}}));
}

TEST(ChunksOf, RawMakesEveryLabelButOAChunkOfOnePosition) {
  EXPECT_EQ(chunks({"name", "name", "O", "B-unit"}, ChunkScheme::raw),
            (std::vector<Chunk>{{0, 1, "name"}, {1, 2, "name"}, {3, 4, "B-unit"}}));
}

TEST(ChunksOf, ATypeIsAllThatFollowsTheFirstHyphen) {
  EXPECT_EQ(chunks({"B-per-son", "I-per-son", "I-per"}),
            (std::vector<Chunk>{{0, 2, "per-son"}, {2, 3, "per"}}));
}

TEST(ChunksOf, BracketsAreChunksOfOnePositionAndOtherTagsChunksOfAType) {
  EXPECT_EQ(chunks({"[-A", "]-A", "O", "X-A", "X-A", "X-B", "__"}, ChunkScheme::bio),
            (std::vector<Chunk>{{0, 1, "A"}, {1, 2, "A"}, {3, 5, "A"}, {5, 6, "B"}, {6, 7, ""}}));
  EXPECT_EQ(chunks({".", "B-A", ".", "__"}, ChunkScheme::bio), (std::vector<Chunk>{{1, 2, "A"}}));
}

TEST(ChunksOf, NoLabelsAndNoSchemeGiveNoChunks) {
  EXPECT_TRUE(chunks({}).empty());
  EXPECT_TRUE(chunks({"B-A"}, ChunkScheme::none).empty());
  EXPECT_TRUE(chunks({"NN", "VB"}).empty());
}

// The whole table of neighbours for one type: rows are the previous tag, columns the current one.
TEST(ChunkRules, StartsAndEndsOfOneType) {
  const std::string_view tags = "OBIE";
  const std::string starts[] = {".sss", ".s..", ".s..", "..ss"};
  const std::string ends[] = {"....", "ee..", "ee..", "e.ee"};
  for (std::size_t p = 0; p < tags.size(); ++p) {
    for (std::size_t c = 0; c < tags.size(); ++c) {
      const ChunkLabel previous = read_chunk_label(tags.substr(p, 1), ChunkScheme::bio);
      const ChunkLabel current = read_chunk_label(tags.substr(c, 1), ChunkScheme::bio);
      EXPECT_EQ(chunk_starts(previous, current), starts[p][c] == 's') << tags[p] << tags[c];
      EXPECT_EQ(chunk_ends(previous, current), ends[p][c] == 'e') << tags[p] << tags[c];
    }
  }
}

TEST(DetectScheme, FollowsFromTheTagsThatOccur) {
  const auto detect = [](const Labels& labels) { return detect_scheme(labels); };
  EXPECT_EQ(detect({"O", "B-A", "I-A"}), ChunkScheme::bio);
  EXPECT_EQ(detect({"O", "I-A"}), ChunkScheme::bio);
  EXPECT_EQ(detect({"I-A", "E-A", "O"}), ChunkScheme::ioe);
  EXPECT_EQ(detect({"B-A", "I-A", "E-A"}), ChunkScheme::bioes);
  EXPECT_EQ(detect({"B-A", "S-A"}), ChunkScheme::bioes);
  EXPECT_EQ(detect({"B-A", "L-A", "U-A"}), ChunkScheme::bioes);
  EXPECT_EQ(detect({"B-A", "NN"}), ChunkScheme::none);
  EXPECT_EQ(detect({"B-A", "X-A"}), ChunkScheme::none);
  EXPECT_EQ(detect({"B", "I"}), ChunkScheme::none);
  EXPECT_EQ(detect({"O", "O"}), ChunkScheme::none);
  EXPECT_EQ(detect({}), ChunkScheme::none);
}

TEST(ChunkSchemeNames, ReadBackAndUnknownOnesAreAnErrorThatListsThem) {
  for (ChunkScheme scheme :
       {ChunkScheme::automatic, ChunkScheme::bio, ChunkScheme::bio1, ChunkScheme::ioe,
        ChunkScheme::bioes, ChunkScheme::raw, ChunkScheme::none}) {
    EXPECT_EQ(chunk_scheme_from_name(chunk_scheme_name(scheme)), scheme);
  }
  try {
    chunk_scheme_from_name("iobx");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "unknown chunk scheme \"iobx\"; choose one of auto, bio, bio1, ioe, bioes, raw, none");
  }
}

TEST(ConvertLabels, EverySchemeFromBio) {
  const Labels bio = {"B-A", "B-A", "I-A", "I-A", "O", "B-A", "B-B", "I-B"};
  const auto convert = [&](ChunkScheme to) { return convert_labels(bio, ChunkScheme::bio, to); };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(convert(ChunkScheme::bio1),
            (Texts{"I-A", "B-A", "I-A", "I-A", "O", "I-A", "I-B", "I-B"}));
  EXPECT_EQ(convert(ChunkScheme::ioe),
            (Texts{"E-A", "I-A", "I-A", "E-A", "O", "E-A", "I-B", "E-B"}));
  EXPECT_EQ(convert(ChunkScheme::bioes),
            (Texts{"S-A", "B-A", "I-A", "E-A", "O", "S-A", "B-B", "E-B"}));
}

TEST(ConvertLabels, AnInvalidSequenceBecomesAValidOneWithTheSameChunks) {
  const Labels invalid = {"O", "I-A", "I-B", "O", "I-B"};
  EXPECT_EQ(convert_labels(invalid, ChunkScheme::bio, ChunkScheme::bio),
            (std::vector<std::string>{"O", "B-A", "B-B", "O", "B-B"}));
}

TEST(SpellChunks, ImpossibleChunksAndSchemesAreErrors) {
  const std::vector<Chunk> overlapping = {{0, 2, "A"}, {1, 3, "A"}};
  EXPECT_THROW(spell_chunks(overlapping, 3, ChunkScheme::bio), Error);
  const std::vector<Chunk> empty = {{1, 1, "A"}}, long_one = {{0, 4, "A"}}, fine = {{0, 1, "A"}};
  EXPECT_THROW(spell_chunks(empty, 3, ChunkScheme::bio), Error);
  EXPECT_THROW(spell_chunks(long_one, 3, ChunkScheme::bio), Error);
  EXPECT_THROW(spell_chunks(fine, 3, ChunkScheme::raw), UsageError);
  EXPECT_THROW(spell_chunks(fine, 3, ChunkScheme::automatic), UsageError);
}

// Chunks of one to three positions and gaps of none to two, of types A and B or without a type.
struct Layout {
  std::vector<Chunk> chunks;
  std::size_t length = 0;
};

Layout any_layout() {
  Layout layout;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 27));
  for (int step : steps) {
    const std::size_t begin = layout.length + static_cast<std::size_t>(step % 3);
    const std::size_t end = begin + 1 + static_cast<std::size_t>(step / 3 % 3);
    static constexpr std::string_view kTypes[] = {"A", "B", ""};
    layout.chunks.push_back({begin, end, kTypes[step / 9]});
    layout.length = end;
  }
  layout.length += steps.size() % 2;  // a position outside at the end, or none
  return layout;
}

RC_GTEST_PROP(SpellChunks, ChunksOfReadsBackWhatItWrote, ()) {
  const Layout layout = any_layout();
  for (ChunkScheme scheme :
       {ChunkScheme::bio, ChunkScheme::bio1, ChunkScheme::ioe, ChunkScheme::bioes}) {
    const auto labels = spell_chunks(layout.chunks, layout.length, scheme);
    RC_ASSERT(chunks_of(views(labels), scheme) == layout.chunks);
  }
}

RC_GTEST_PROP(ConvertLabels, ValidBioesKeepsItsChunksAndComesBackUnchanged, ()) {
  const Layout layout = any_layout();
  const auto bioes = spell_chunks(layout.chunks, layout.length, ChunkScheme::bioes);
  const auto bio = convert_labels(views(bioes), ChunkScheme::bioes, ChunkScheme::bio);
  RC_ASSERT(chunks_of(views(bio), ChunkScheme::bio) == chunks_of(views(bioes), ChunkScheme::bioes));
  RC_ASSERT(convert_labels(views(bio), ChunkScheme::bio, ChunkScheme::bioes) == bioes);
}

}  // namespace
}  // namespace croft::chunks_test
