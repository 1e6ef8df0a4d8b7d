#include "app/train/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "app/file_checks.h"
#include "core/files.h"
#include "core/unicode.h"
#include "croft/core/interrupt.h"
#include "data/columns.h"
#include "features/kit/brown_clustering.h"

namespace croft {
namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

// Sentences of files, as lists of tokens.
class SentenceReader {
 public:
  SentenceReader(const ClusterRequest& request, const ClusterWatcher& watcher)
      : request_(request), watcher_(watcher) {}

  void read(const std::string& path, BigramCounts& counts) {
    if (request_.columns) {
      read_columns(path, counts);
    } else {
      read_lines(path, counts);
    }
  }

 private:
  void read_lines(const std::string& path, BigramCounts& counts) {
    LineReader lines(path);
    for (std::string_view line; lines.next(line);) {
      check_utf8(line, lines.location());
      for (std::size_t at = line.find_first_not_of(kBlanks); at != line.npos;
           at = line.find_first_not_of(kBlanks, at)) {
        const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
        add_token(line.substr(at, end - at));
        at = end;
      }
      end_sentence(counts);
    }
  }

  void read_columns(const std::string& path, BigramCounts& counts) {
    ColumnsReader reader{LineReader(path)};
    ColumnSequence rows;
    while (reader.next(rows)) {
      for (std::size_t t = 0; t < rows.rows(); ++t) {
        const Location where{reader.name(), rows.line_of(t)};
        if (request_.column >= rows.columns(t)) {
          throw InputError(where, fmt::format("there is no column {}", request_.column),
                           rows.line(t), "the first is 0; name another by --column");
        }
        check_utf8(rows.cell(t, request_.column), where);
        add_token(rows.cell(t, request_.column));
      }
      end_sentence(counts);
    }
  }

  static void check_utf8(std::string_view text, const Location& where) {
    if (is_valid_utf8(text)) return;
    throw InputError(where, "text that is not UTF-8", text, "convert the file to UTF-8");
  }

  void add_token(std::string_view token) {
    if (request_.fold) {
      append_lower(token, text_);
    } else {
      text_ += token;
    }
    end_.push_back(text_.size());
  }

  void end_sentence(BigramCounts& counts) {
    tokens_.clear();
    std::size_t begin = 0;
    for (const std::size_t end : end_) {
      tokens_.push_back(std::string_view(text_).substr(begin, end - begin));
      begin = end;
    }
    counts.add(tokens_);
    text_.clear();
    end_.clear();
    if (++sentences_ % 10'000 == 0 && watcher_.reading) watcher_.reading(counts.tokens());
  }

  const ClusterRequest& request_;
  const ClusterWatcher& watcher_;
  std::string text_;
  std::vector<std::size_t> end_;
  std::vector<std::string_view> tokens_;
  std::size_t sentences_ = 0;
};

void write_clusters(const BigramCounts& counts, const BigramCounts::Kept& kept,
                    const BrownClustering& found, AtomicFile& out) {
  std::vector<std::uint32_t> order(kept.word.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t k) -> const std::string& {
    return found.paths[found.cluster[k]];
  });
  for (const std::uint32_t k : order) {
    const std::string& path = found.paths[found.cluster[k]];
    // One cluster has no tree, and its path no sign: 0 stands for it.
    out.write(fmt::format("{}\t{}\t{}\n", path.empty() ? "0" : path, counts.words()[kept.word[k]],
                          kept.count[k]));
  }
}

}  // namespace

void ClusterRequest::validate() const {
  if (data.empty()) throw UsageError("no data: name a file");
  if (clusters == 0 || clusters > kMostBrownClusters) {
    throw UsageError("--clusters ", clusters, " is not from 1 to ", kMostBrownClusters);
  }
  if (column != 0 && !columns) {
    throw UsageError("--column goes with --format columns, and the format is text");
  }
}

ClusterResult cluster_words(const ClusterRequest& request, const ClusterWatcher& watcher) {
  request.validate();
  check_files(request.data, request.output, "the clusters ");
  AtomicFile out(request.output);
  BigramCounts counts;
  SentenceReader reader(request, watcher);
  for (const std::string& path : request.data) reader.read(path, counts);
  const BigramCounts::Kept kept = counts.kept(request.min_count);
  if (kept.word.empty()) {
    throw InputError({request.data.front()},
                     fmt::format("no word that occurs {} times", request.min_count), "",
                     "give text, a sentence a line, or a smaller --min-count");
  }
  BrownOptions options;
  options.clusters = request.clusters;
  options.progress = watcher.words;
  const BrownClustering found = brown_clusters(kept, options);
  if (!found.finished) throw Interrupted("stopped; there are no clusters to keep yet");
  write_clusters(counts, kept, found, out);
  out.commit();
  return {counts.tokens(),   counts.words().size(), kept.word.size(),
          kept.pairs.size(), found.paths.size(),    found.quality};
}

}  // namespace croft
