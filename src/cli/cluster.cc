// croft cluster
#include <fmt/format.h>

#include <array>
#include <chrono>

#include "app/train/cluster.h"
#include "cli/common.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "core/words/counted.h"
#include "croft/core/interrupt.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kClusterFooter = R"(
Example:
  croft cluster --clusters 500 --min-count 3 -o brown.txt sentences.txt
  croft cluster --format columns --clusters 500 -o brown.txt train.conll
  printf '[[clusters]]\nname = "brown"\nfile = "brown.txt"\nat = [-1, 0, 1]\n' > kit.toml
  croft train --kit kit.toml -o m.croft train.conll

Writes PATH TAB WORD TAB COUNT: the path of 0s and 1s leads from the root of a tree of all words to
the word's cluster, so that a prefix of it names a larger cluster.  The algorithm is that of Brown et
al. (1992) with a window of N clusters: words whose neighbours are alike come together.  Time grows
with the words times N x N: 20,000 words to 1000 clusters are a matter of a minute or less.
docs/features.md)";

std::span<const OptionRow> cluster_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      data_row("Text: a sentence a line, tokens with blanks between; without: standard input"),
      file("output", "FILE", "File to write: PATH TAB WORD TAB COUNT")
          .written_as("the clusters ")
          .short_as('o')
          .needed(),
      whole("clusters", "N=1000", "How many clusters").from(1),
      whole("min-count", "N=1", "Occurrences a word needs to have a cluster").from(1),
      choice("format", "FORMAT=text", {"text", "columns"},
             "text, or columns as `croft train` has them: one token a line"),
      whole("column", "K=0", "The column of the tokens, with --format columns"),
      flag("fold-case", "Take tokens in lower case"),
  });
  return kRows;
}

ClusterRequest read_cluster_request(const OptionValues& values) {
  ClusterRequest request;
  values.read("DATA", request.data);
  values.read("output", request.output);
  values.read("clusters", request.clusters);
  values.read("min-count", request.min_count);
  values.choose("format", {false, true}, request.columns);
  values.read("column", request.column);
  values.read("fold-case", request.fold);
  return request;
}

// Lines on stderr, a second apart.
class ClusterProgress {
 public:
  explicit ClusterProgress(bool quiet) : quiet_(quiet) {}
  void show(const std::string& line) {
    if (quiet_ || Clock::now() - last_ < std::chrono::seconds(1)) return;
    last_ = Clock::now();
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

int run_cluster(const OptionValues& values) {
  const ClusterRequest request = read_cluster_request(values);
  const bool quiet = values.flag("quiet");
  handle_interrupts();
  ClusterProgress progress(quiet);
  const ClusterWatcher watcher{
      .reading =
          [&](std::size_t tokens) {
            progress.show(fmt::format("{} read", counted(tokens, "token")));
          },
      .words =
          [&](std::size_t done, std::size_t words) {
            progress.show(fmt::format("{} of {} have a cluster, {:.0f} s", done,
                                      counted(words, "word"), progress.seconds()));
            return !interruption;
          }};
  const ClusterResult result = cluster_words(request, watcher);
  if (!quiet) {
    std::fprintf(stderr, "%s",
                 fmt::format("{}, {}, of which {} in {}; mutual information "
                             "of neighbours {:.4f} nats; {:.1f} s -> {}\n",
                             counted(result.tokens, "token"), counted(result.words, "word"),
                             result.kept, counted(result.clusters, "cluster"), result.quality,
                             progress.seconds(), request.output)
                     .c_str());
  }
  return kDone;
}

}  // namespace

const Verb kCluster = {
    .name = "cluster",
    .summary = "Find classes of words in raw text (Brown clusters), for feature kits",
    .options = [] { return tables(cluster_options(), common_options()); },
    .footer = [] { return std::string(kClusterFooter); },
    .run = run_cluster};

}  // namespace croft::cli
