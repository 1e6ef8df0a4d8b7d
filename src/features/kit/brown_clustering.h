// Classes of words from raw text (Brown et al. 1992): merged pair by pair so that the classes of
// neighbours tell as much of each other as they can.  docs/math/word_clusters.md has the equations.
//
//   quality(C) = sum_{a,b} p(a, b) log( p(a, b) / (p(a) p(b)) )                          (WC.1)
//
// with p(a, b) the share of pairs of neighbours whose first word is in class a and whose second in
// b, p(a) and p(b) the shares as first and as second.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "features/vocabulary.h"

namespace croft {

// Words and how often each follows each other, from sentences.
class BigramCounts {
 public:
  // The tokens of one sentence, first to last; pairs do not cross its ends.
  void add(std::span<const std::string_view> sentence);

  std::size_t tokens() const { return tokens_; }
  const StringTable& words() const { return words_; }                   // by first appearance
  const std::vector<std::uint64_t>& counts() const { return counts_; }  // of each

  // The words of `min_count` or more, the most frequent first (of equally frequent ones the first
  // to appear), and the pairs of neighbours that are both among them.
  struct Kept {
    std::vector<std::uint32_t> word;  // number in words()
    std::vector<std::uint64_t> count;
    struct Pair {
      std::uint32_t first, second;  // index in `word`
      std::uint64_t count;
    };
    std::vector<Pair> pairs;  // ascending by (first, second)
  };
  Kept kept(std::uint64_t min_count);

 private:
  struct Counted {
    std::uint64_t pair, count;  // pair: first << 32 | second
  };
  void compact();  // pending_ into counted_

  StringTable words_;
  std::vector<std::uint64_t> counts_;
  std::vector<Counted> counted_;  // ascending
  std::vector<std::uint64_t> pending_;
  std::size_t tokens_ = 0;
};

struct BrownOptions {
  std::size_t clusters = 1000;  // from 1 to kMostBrownClusters
  // Called now and then with the words that have a cluster; false stops.
  std::function<bool(std::size_t done, std::size_t words)> progress = {};
};
inline constexpr std::size_t kMostBrownClusters = 20'000;

struct BrownClustering {
  std::vector<std::uint32_t> cluster;  // [words] of Kept::word
  std::vector<std::string> paths;  // [clusters] in the binary tree of merges; "" if there is one
  double quality = 0;              // (WC.1) of the final clusters, in nats
  bool finished = false;           // false: stopped, and all else is empty
};

// The greedy algorithm with a window of `clusters` + 1 (Brown et al., section 3): the most frequent
// words are clusters of their own; each further word becomes one more, and the two whose merging
// loses least are merged, by (WC.1) of the pairs among the words that have a cluster so far.  Of
// losses that are equal but for rounding the first in order of numbers is taken.  In the end the
// clusters are merged down to one: the tree that gives the paths. Time: clusters^2 / 2 comparisons
// a word (0.2 ms for 1000 clusters), and about clusters times the neighbours of the smaller cluster
// of each merge.  Memory 24 bytes * clusters^2 + 32 * pairs.
BrownClustering brown_clusters(const BigramCounts::Kept& kept, const BrownOptions& options);

}  // namespace croft
