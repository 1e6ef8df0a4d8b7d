#include "features/kit/brown_clustering.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft::brown_clustering_test {
namespace {

using Kept = BigramCounts::Kept;

// (WC.1) of the pairs between words that have a cluster (< none), from its definition.
constexpr std::uint32_t kNone = 0xFFFFFFFF;
double information(const Kept& kept, const std::vector<std::uint32_t>& cluster) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> both;
  std::map<std::uint32_t, double> first, second;
  double total = 0;
  for (const auto& pair : kept.pairs) {
    const std::uint32_t a = cluster[pair.first], b = cluster[pair.second];
    if (a == kNone || b == kNone) continue;
    const auto count = static_cast<double>(pair.count);
    both[{a, b}] += count;
    first[a] += count;
    second[b] += count;
    total += count;
  }
  double sum = 0;
  for (const auto& [ab, count] : both) {
    sum += count / total * std::log(count * total / (first[ab.first] * second[ab.second]));
  }
  return sum;
}

Kept random_text(Random& random, std::size_t words, std::size_t sentences) {
  BigramCounts counts;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < words; ++k) names.push_back("w" + std::to_string(k));
  for (std::size_t n = 0; n < sentences; ++n) {
    std::vector<std::string_view> sentence;
    std::size_t at = random.below(words);
    for (std::uint64_t t = random.below(12); t > 0; --t) {
      sentence.push_back(names[at]);
      // Neighbours depend on each other, so that there is something to find.
      at = (at * 3 + random.below(1 + words / 2)) % words;
    }
    counts.add(sentence);
  }
  return counts.kept(1);
}

// The algorithm as Brown et al. describe it, with (WC.1) of every merge computed from nothing: the
// information that is left after the merges of each word, and after each merge down to one.
struct Definition {
  std::vector<double> left;
  std::vector<std::uint32_t> cluster;
};
Definition by_definition(const Kept& kept, std::size_t clusters) {
  Definition out;
  std::vector<std::uint32_t>& cluster = out.cluster;
  cluster.assign(kept.word.size(), kNone);
  const auto merge_best = [&] {
    std::set<std::uint32_t> names;
    for (const std::uint32_t c : cluster) {
      if (c != kNone) names.insert(c);
    }
    double best = -1;
    std::vector<std::uint32_t> best_cluster;
    for (const std::uint32_t a : names) {
      for (const std::uint32_t b : names) {
        if (b <= a) continue;
        std::vector<std::uint32_t> merged = cluster;
        for (std::uint32_t& c : merged) c = c == b ? a : c;
        const double left = information(kept, merged);
        if (left > best) {
          best = left;
          best_cluster = merged;
        }
      }
    }
    cluster = best_cluster;
    out.left.push_back(best);
  };
  for (std::uint32_t word = 0; word < kept.word.size(); ++word) {
    cluster[word] = word;
    if (word >= clusters) merge_best();
  }
  return out;
}

std::size_t distinct(const std::vector<std::uint32_t>& cluster) {
  return std::set<std::uint32_t>(cluster.begin(), cluster.end()).size();
}

TEST(BrownClusters, LoseWhatTheDefinitionLosesOnRandomTexts) {
  Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t words = 4 + random.below(9), clusters = 1 + random.below(5);
    const Kept kept = random_text(random, words, 20 + random.below(60));
    if (kept.word.size() <= clusters) continue;
    const BrownClustering found = brown_clusters(kept, {.clusters = clusters});
    const Definition expected = by_definition(kept, clusters);
    ASSERT_TRUE(found.finished);
    EXPECT_EQ(distinct(found.cluster), clusters);
    EXPECT_NEAR(found.quality, information(kept, found.cluster), 1e-10);
    EXPECT_NEAR(found.quality, expected.left.back(), 1e-10) << "trial " << trial;
  }
}

// Once there are as many clusters as words the window does nothing, and the tree is that of merging
// the whole vocabulary greedily: every prefix of the paths is a clustering, and each is the best
// that one merge makes of the next finer one.
TEST(BrownClusters, TheTreeIsThatOfTheBestMergeEachTime) {
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    const Kept kept = random_text(random, 4 + random.below(6), 60);
    const std::size_t words = kept.word.size();
    const BrownClustering found = brown_clusters(kept, {.clusters = words});
    ASSERT_EQ(found.paths.size(), words);
    std::vector<std::uint32_t> cluster(words);
    std::iota(cluster.begin(), cluster.end(), 0u);
    // Two paths that are equal but for their last sign were merged; the order is not in the paths,
    // so every merge of the definition must be one of the tree's.
    std::set<std::set<std::uint32_t>> in_tree;
    for (std::size_t k = 0; k < words; ++k) {
      for (std::size_t n = 0; n <= found.paths[k].size(); ++n) {
        std::set<std::uint32_t> below;
        for (std::uint32_t j = 0; j < words; ++j) {
          if (found.paths[j].starts_with(found.paths[k].substr(0, n))) below.insert(j);
        }
        in_tree.insert(below);
      }
    }
    EXPECT_EQ(in_tree.size(), 2 * words - 1) << "a binary tree";
    for (std::size_t left = words; left > 1; --left) {
      double best = -1, second = -1;
      std::vector<std::uint32_t> best_cluster;
      for (std::uint32_t a = 0; a < words; ++a) {
        for (std::uint32_t b = a + 1; b < words; ++b) {
          if (cluster[a] != a || cluster[b] != b) continue;
          std::vector<std::uint32_t> merged = cluster;
          for (std::uint32_t& c : merged) c = c == b ? a : c;
          const double information_left = information(kept, merged);
          if (information_left > best) {
            second = best;
            best = information_left;
            best_cluster = merged;
          } else {
            second = std::max(second, information_left);
          }
        }
      }
      if (best - second < 1e-9) break;  // a tie: which one is taken is not said here
      for (std::uint32_t a = 0; a < words; ++a) {
        if (best_cluster[a] == cluster[a]) continue;
        std::set<std::uint32_t> together;
        for (std::uint32_t j = 0; j < words; ++j) {
          if (best_cluster[j] == best_cluster[a]) together.insert(j);
        }
        EXPECT_TRUE(in_tree.contains(together)) << "trial " << trial << ", left " << left;
      }
      cluster = best_cluster;
    }
  }
}

TEST(BrownClusters, WordsWithTheSameNeighboursComeTogether) {
  BigramCounts counts;
  const std::vector<std::vector<std::string_view>> classes = {
      {"monday", "tuesday", "friday"}, {"he", "she"}, {"came", "went", "slept"}};
  for (const auto day : classes[0]) {
    for (const auto who : classes[1]) {
      for (const auto verb : classes[2]) {
        counts.add(std::vector<std::string_view>{"on", day, who, verb, "on"});
      }
    }
  }
  const Kept kept = counts.kept(1);
  const BrownClustering found = brown_clusters(kept, {.clusters = kept.word.size()});
  // Merging words of a class loses nothing, and comes before what loses something.
  for (const auto& members : classes) {
    std::string prefix;
    for (std::size_t k = 0; k < kept.word.size(); ++k) {
      if (counts.words()[kept.word[k]] == members[0]) prefix = found.paths[found.cluster[k]];
    }
    std::set<std::string_view> below;
    while (below.size() < members.size()) {
      prefix.pop_back();
      for (std::size_t k = 0; k < kept.word.size(); ++k) {
        const bool is_below = found.paths[found.cluster[k]].starts_with(prefix);
        if (is_below) below.insert(counts.words()[kept.word[k]]);
      }
    }
    EXPECT_EQ(below, std::set<std::string_view>(members.begin(), members.end()));
  }
}

TEST(BrownClusters, FewerWordsThanClustersAndOneCluster) {
  BigramCounts counts;
  counts.add(std::vector<std::string_view>{"a", "b", "a"});
  const Kept kept = counts.kept(1);
  EXPECT_EQ(brown_clusters(kept, {.clusters = 10}).paths, (std::vector<std::string>{"0", "1"}));
  const BrownClustering one = brown_clusters(kept, {.clusters = 1});
  EXPECT_EQ(one.paths, std::vector<std::string>{""});
  EXPECT_NEAR(one.quality, 0, 1e-12);
  EXPECT_TRUE(brown_clusters(Kept(), {.clusters = 3}).finished);
  EXPECT_THROW(brown_clusters(kept, {.clusters = 0}), UsageError);
}

TEST(BrownClusters, CanBeStopped) {
  Random random(2);
  const Kept kept = random_text(random, 9, 40);
  BrownOptions options{.clusters = 3, .progress = [](std::size_t, std::size_t) { return false; }};
  EXPECT_FALSE(brown_clusters(kept, options).finished);
}

TEST(BigramCounts, CountWordsAndPairsWithinSentences) {
  BigramCounts counts;
  counts.add(std::vector<std::string_view>{"a", "b", "a", "b"});
  counts.add(std::vector<std::string_view>{"b", "c"});
  counts.add(std::vector<std::string_view>{});
  EXPECT_EQ(counts.tokens(), 6u);
  const Kept all = counts.kept(1);
  EXPECT_EQ(all.count, (std::vector<std::uint64_t>{3, 2, 1}));  // b, a, c
  ASSERT_EQ(all.pairs.size(), 3u);                              // ba, bc, ab
  EXPECT_EQ(all.pairs[0].first, 0u);
  EXPECT_EQ(all.pairs[0].second, 1u);
  EXPECT_EQ(all.pairs[0].count, 1u);
  EXPECT_EQ(all.pairs[2].count, 2u);
  EXPECT_EQ(counts.kept(2).pairs.size(), 2u);
  EXPECT_EQ(counts.kept(7).word.size(), 0u);
}

}  // namespace
}  // namespace croft::brown_clustering_test
