// croft cluster
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "app/train/cluster.h"
#include "cli/common.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
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

struct ClusterCommand {
  ClusterRequest request;
  bool quiet = false;
  CommonOptions common;
};

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

int run(ClusterCommand& c) {
  handle_interrupts();
  ClusterProgress progress(c.quiet);
  const ClusterWatcher watcher{
      .reading = [&](std::size_t tokens) { progress.show(fmt::format("{} tokens read", tokens)); },
      .words =
          [&](std::size_t done, std::size_t words) {
            progress.show(fmt::format("{} of {} words have a cluster, {:.0f} s", done, words,
                                      progress.seconds()));
            return !interruption;
          }};
  const ClusterResult result = cluster_words(c.request, watcher);
  if (!c.quiet) {
    std::fprintf(stderr, "%s",
                 fmt::format("{} tokens, {} words, of which {} in {} clusters; mutual information "
                             "of neighbours {:.4f} nats; {:.1f} s -> {}\n",
                             result.tokens, result.words, result.kept, result.clusters,
                             result.quality, progress.seconds(), c.request.output)
                     .c_str());
  }
  return kDone;
}

}  // namespace

void add_cluster(Program& program) {
  CLI::App* verb = program.app.add_subcommand(
      "cluster", "Find classes of words in raw text (Brown clusters), for feature kits");
  auto c = std::make_shared<ClusterCommand>();
  ClusterRequest& r = c->request;
  verb->add_option("DATA", r.data,
                   "Text: a sentence a line, tokens with blanks between; without: standard input")
      ->default_val(std::vector<std::string>{"-"});
  verb->add_option("-o,--output", r.output, "File to write: PATH TAB WORD TAB COUNT")->required();
  verb->add_option("--clusters", r.clusters, "How many clusters")
      ->transform(whole_number(1))
      ->option_text("N=1000");
  verb->add_option("--min-count", r.min_count, "Occurrences a word needs to have a cluster")
      ->transform(whole_number(1))
      ->option_text("N=1");
  add_choice<bool>(*verb, "--format", r.columns, {{"text", false}, {"columns", true}},
                   "text, or columns as `croft train` has them: one token a line")
      ->option_text("FORMAT=text");
  verb->add_option("--column", r.column, "The column of the tokens, with --format columns")
      ->transform(whole_number())
      ->option_text("K=0");
  verb->add_flag("--fold-case", r.fold, "Take tokens in lower case");
  verb->add_flag("--quiet", c->quiet, "No progress on stderr");
  add_common(*verb, c->common);
  verb->footer(kFooter);
  verb->callback([c, &program] { program.status = run(*c); });
}

}  // namespace croft::cli
