// Classes of words from raw text, as lines of a file that feature kits read.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace croft {

struct ClusterRequest {
  std::vector<std::string> data;  // text, a sentence a line, tokens with blanks between; "-": stdin
  std::string output;
  std::size_t clusters = 1000;
  std::size_t min_count = 1;  // rarer words are left out: no cluster, and no neighbour
  // Data is columns, as for training: the tokens are the cells of that column, and an empty line
  // ends a sentence.
  std::size_t column = 0;
  bool columns = false;
  bool fold = false;  // tokens in lower case
  void validate() const;
};

struct ClusterResult {
  std::size_t tokens, words, kept, pairs;  // kept: words that have a cluster
  std::size_t clusters;
  double quality;  // mutual information of the clusters of neighbours, in nats
};

struct ClusterWatcher {
  std::function<void(std::size_t tokens)> reading;                 // now and then
  std::function<bool(std::size_t done, std::size_t words)> words;  // false: stop
};

// Writes "path TAB word TAB count" for each word, by path, and within a path the frequent words
// first (features/brown_clustering.h).  Throws UsageError for 0 clusters or too many, InputError
// for text that is not UTF-8 and for data without a word of the count, Interrupted where the
// watcher stops.
ClusterResult cluster_words(const ClusterRequest& request, const ClusterWatcher& watcher);

}  // namespace croft
