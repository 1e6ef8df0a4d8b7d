#include "train/distributed/share_out.h"

#include <gtest/gtest.h>

#include <cstring>
#include <mutex>

#include "croft/core/random.h"
#include "support/thread_ranks.h"
#include "train/functions/waves.h"

namespace croft::share_out_test {
namespace {

constexpr std::size_t kLabels = 100;  // so that a wave is of some 10,000 positions

// Sequences of a few attributes, whose names come up again and again; some labels are sets.
std::vector<TextSequence> some_data(std::size_t sequences, std::uint64_t seed, bool weights) {
  Random random(seed);
  std::vector<TextSequence> data(sequences);
  for (std::size_t n = 0; n < sequences; ++n) {
    TextSequence& text = data[n];
    for (std::size_t length = 1 + random.below(40); length > 0; --length) {
      for (std::size_t k = random.below(4); k > 0; --k) {
        text.node.append("a" + std::to_string(random.below(3 * n / 10 + 5)),
                         random.below(50) == 0 ? 2.5 : 1);
      }
      text.node.end_list();
      std::string label = "L" + std::to_string(random.below(kLabels));
      if (random.below(20) == 0) label = "?";
      if (random.below(20) == 0) label = "L1|L" + std::to_string(2 + random.below(5));
      text.labels.append(label);
    }
    text.labels.end_list();
    if (weights && random.below(3) == 0) text.weight = 0.25 + random.uniform();
    text.first_line = n + 1;
  }
  return data;
}

ChainEncoder encoded(std::span<const TextSequence> data) {
  ChainEncoder encoder;
  encoder.partial = PartialLabels();
  for (const TextSequence& text : data) encoder.add(text, "file");
  return encoder;
}

void expect_same_names(const StringTable& a, const StringTable& b) {
  EXPECT_EQ(a.strings(), b.strings());
}

// Sequence n of one is sequence m of the other.
void expect_same_sequence(const ChainData& a, std::size_t n, const ChainData& b, std::size_t m) {
  const auto part = [](const auto& list, std::uint64_t first, std::uint64_t last) {
    return std::vector(list.begin() + static_cast<std::ptrdiff_t>(first),
                       list.begin() + static_cast<std::ptrdiff_t>(last));
  };
  const std::uint64_t first = a.sequence_begin[n], last = a.sequence_begin[n + 1];
  const std::uint64_t other = b.sequence_begin[m], other_last = b.sequence_begin[m + 1];
  EXPECT_EQ(part(a.label, first, last), part(b.label, other, other_last));
  EXPECT_EQ(part(a.node.id, a.node.begin[first], a.node.begin[last]),
            part(b.node.id, b.node.begin[other], b.node.begin[other_last]));
  EXPECT_EQ(part(a.node.value, a.node.begin[first], a.node.begin[last]),
            part(b.node.value, b.node.begin[other], b.node.begin[other_last]));
  EXPECT_EQ(a.sequence_weight(n), b.sequence_weight(m));
  EXPECT_EQ(a.first_line[n], b.first_line[m]);
}

// What `size` processes have that have read parts of the data which end at `cuts`.
void expect_shares_of(const std::vector<TextSequence>& data, const std::vector<std::size_t>& cuts) {
  const ChainEncoder whole = encoded(data);
  const std::vector<std::size_t> waves =
      wave_cuts(whole.data.sequence_begin, whole.label_names.size(), false);
  const DataTotals all = totals_of(no_other_ranks(), whole.data);
  std::mutex mutex;
  std::vector<ChainData> shares(cuts.size() - 1);
  for_ranks(shares.size(), [&](Ranks& ranks) {
    const std::size_t r = ranks.rank();
    ChainEncoder own = encoded(std::span(data).subspan(cuts[r], cuts[r + 1] - cuts[r]));
    agree_on_names(ranks, own);
    SequenceFiles files;
    files.names = {"file"};
    files.file.assign(own.data.sequences(), 0);
    share_out_waves(ranks, own.label_names.size(), own.data, files);
    const DataTotals totals = totals_of(ranks, own.data);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(files.file.size(), own.data.sequences());
    expect_same_names(own.node_names, whole.node_names);
    expect_same_names(own.label_names, whole.label_names);
    EXPECT_EQ(own.data.label_sets.label, whole.data.label_sets.label);
    EXPECT_EQ(totals.sequences, all.sequences);
    EXPECT_EQ(totals.partial_positions, all.partial_positions);
    EXPECT_EQ(totals.weight, all.weight);
    shares[r] = std::move(own.data);
  });
  std::size_t n = 0;
  for (const ChainData& share : shares) {
    // A share begins and ends with a wave of the whole.
    EXPECT_TRUE(std::ranges::binary_search(waves, n));
    for (std::size_t m = 0; m < share.sequences(); ++m) {
      expect_same_sequence(whole.data, n++, share, m);
    }
  }
  EXPECT_EQ(n, whole.data.sequences());
}

TEST(ShareOut, GivesWholeWavesInOrderWhereverThePartsEnd) {
  for (const bool weights : {false, true}) {
    const std::vector<TextSequence> data = some_data(4000, 1, weights);
    expect_shares_of(data, {0, 2000, 4000});
    expect_shares_of(data, {0, 10, 3990, 4000});
    expect_shares_of(data, {0, 0, 1333, 1333, 4000});
    expect_shares_of(data, {0, 4000, 4000, 4000});
  }
}

TEST(ShareOut, OfLessDataThanProcessesLeavesSomeWithout) {
  const std::vector<TextSequence> data = some_data(2, 3, false);
  expect_shares_of(data, {0, 1, 1, 1, 2});
}

TEST(ShareOut, OfNothingIsNothing) { expect_shares_of({}, {0, 0, 0}); }

}  // namespace
}  // namespace croft::share_out_test
