#include "sql/tables/grmm_tables.h"

#include <algorithm>
#include <cstdint>

#include "core/unicode.h"
#include "croft/core/error.h"
#include "sql/sqlite_calls.h"

namespace croft {
namespace {

constexpr std::string_view kDashes = "----";
constexpr std::size_t kColumns = 10;  // of labels, at least
constexpr std::size_t kMostLabels = 100;

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\f\v\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

struct Position {
  std::int64_t id = 0, instance = 0;
  std::vector<std::string> labels, features;
};

class GrmmLines {
 public:
  explicit GrmmLines(std::vector<LineReader> files) : files_(std::move(files)) {}

  // Of all lines, for the columns.
  std::size_t tracks() const { return tracks_; }

  std::vector<Position> read() {
    for (LineReader& each : files_) {
      read(each);
      ++instance_;
    }
    return std::move(positions_);
  }

 private:
  void read(LineReader& lines) {
    bool inside = false;
    for (std::string_view line; lines.next(line);) {
      const std::vector<std::string_view> words = words_of(line);
      if (words.empty()) {
        instance_ += inside ? 1 : 0;
        inside = false;
        continue;
      }
      inside = true;
      add(lines, line, words);
    }
  }

  void add(const LineReader& lines, std::string_view line,
           const std::vector<std::string_view>& words) {
    const auto fail = [&](const std::string& problem, std::string_view remedy) {
      throw InputError(lines.location(), problem, line, remedy);
    };
    const auto dashes = std::ranges::find(words, kDashes);
    if (dashes == words.end()) {
      fail("a line of GRMM without ----", "write LABEL1 LABEL2 ---- FEATURES");
    }
    if (!is_valid_utf8(line)) fail("a line that is not UTF-8", "convert the file to UTF-8");
    const auto labels = static_cast<std::size_t>(dashes - words.begin());
    if (labels > kMostLabels) {
      fail("more than " + std::to_string(kMostLabels) + " labels", "labels stand before ----");
    }
    if (labels > 0 && tracks_ > 0 && labels != tracks_) {
      fail(std::to_string(labels) + " labels, where lines before have " + std::to_string(tracks_),
           "give each line a label of each track, or none");
    }
    tracks_ = std::max(tracks_, labels);
    Position position;
    position.id = static_cast<std::int64_t>(positions_.size()) + 1;
    position.instance = instance_;
    position.labels.assign(words.begin(), dashes);
    position.features.assign(dashes + 1, words.end());
    positions_.push_back(std::move(position));
  }

  std::vector<LineReader> files_;
  std::vector<Position> positions_;
  std::int64_t instance_ = 1;
  std::size_t tracks_ = 0;
};

}  // namespace

bool is_grmm_data(const std::string& path) {
  if (path.ends_with(".csv") || path.ends_with(".tsv")) return false;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> words = words_of(line);
    if (!words.empty()) return std::ranges::find(words, kDashes) != words.end();
  }
  return false;
}

void import_grmm(std::vector<LineReader> files, sqlite3* database) {
  const std::string name = files.empty() ? "" : files.front().name();
  GrmmLines lines(std::move(files));
  const std::vector<Position> positions = lines.read();
  const std::size_t columns = std::max(kColumns, lines.tracks());
  std::string declared, marks;
  for (std::size_t k = 0; k < columns; ++k) {
    declared += ", label" + std::to_string(k) + " TEXT";
    marks += ", ?";
  }
  // What templates may name is there, and takes no place: that it has no label is said of them.
  for (std::size_t k = columns; k < kMostLabels; ++k) {
    declared += ", label" + std::to_string(k) + " TEXT AS (NULL)";
  }
  execute(database, "BEGIN", name);
  execute(database,
          "CREATE TABLE token(id INTEGER PRIMARY KEY, instance INTEGER, next INTEGER" + declared +
              ");CREATE TABLE feature(token INTEGER, name TEXT)",
          name);
  Statement token(database, "INSERT INTO token VALUES(?, ?, ?" + marks + ")", name);
  Statement feature(database, "INSERT INTO feature VALUES(?, ?)", name);
  for (std::size_t t = 0; t < positions.size(); ++t) {
    const Position& each = positions[t];
    token.bind(0, each.id);
    token.bind(1, each.instance);
    const bool last = t + 1 == positions.size() || positions[t + 1].instance != each.instance;
    last ? token.bind_null(2) : token.bind(2, each.id + 1);
    for (std::size_t k = 0; k < columns; ++k) {
      k < each.labels.size() ? token.bind(3 + k, std::string_view(each.labels[k]))
                             : token.bind_null(3 + k);
    }
    token.run();
    for (const std::string& word : each.features) {
      feature.bind(0, each.id);
      feature.bind(1, std::string_view(word));
      feature.run();
    }
  }
  execute(database, "COMMIT", name);
}

}  // namespace croft
