#include "app/check/data_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "app/check/labelled_data.h"
#include "app/label/chunks.h"
#include "app/label/row_reader.h"
#include "core/unicode.h"
#include "croft/core/error.h"
#include "croft/data/line_reader.h"
#include "data/checks.h"
#include "features/vocabulary.h"
#include "train/kinds/chain_training.h"

namespace croft {
namespace {

// The cases of a finding as far as they are shown.
class Findings {
 public:
  Findings(std::string name, std::string text, std::size_t shown)
      : finding_{.name = std::move(name), .text = std::move(text)}, shown_(shown) {}
  void add(std::size_t line, std::string what, std::size_t other = 0) {
    ++finding_.count;
    if (finding_.cases.size() < shown_) finding_.cases.push_back({line, std::move(what), other});
  }
  void hand_on(FileCheck& file) && {
    if (finding_.count > 0) file.findings.push_back(std::move(finding_));
  }

 private:
  Finding finding_;
  std::size_t shown_;
};

bool has_words(const CheckOptions& options) {
  return options.format == "columns" || options.format == kSpanFormat;
}
// Whether a position is a case of its own, and no word of a sentence.
bool is_alone(const CheckOptions& options) {
  return options.format == "text" || options.format == "svmlight" || options.format == "csv";
}

// Texts and rows of numbers as they are; of others the first cell of each, as far as they fit.
std::string opening(const LabelledRows& read, const CheckOptions& options) {
  std::string out;
  if (is_alone(options)) {
    for (const std::string& each : read.words) out += (out.empty() ? "" : " | ") + each;
    return shortened(std::move(out));
  }
  for (const std::string& each : read.words) {
    out += (out.empty() ? "" : " ") + each.substr(0, each.find_first_of(" \t"));
  }
  return shortened(std::move(out));
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& each : parts) out += each + "\n";
  return out;
}

void find_invalid_utf8(const std::string& path, std::size_t shown, FileCheck& file) {
  Findings found("invalid_utf8", "lines that are no UTF-8", shown);
  LineReader lines(path);
  std::string_view line;
  for (std::size_t number = 1; lines.next(line); ++number) {
    if (!is_valid_utf8(line)) found.add(number, "");
  }
  std::move(found).hand_on(file);
}

constexpr const char* kOutside = "O";

// Sequences by what they hold, each with the first one's line and labels.
struct Known {
  std::size_t line;
  std::vector<std::string> labels;
};
using Sequences = std::unordered_map<std::string, Known>;

// What there is to look at in one file.
class FileChecker {
 public:
  FileChecker(const std::string& path, const LabelledFormat& format, const CheckOptions& options)
      : path_(path), format_(format), options_(options) {
    file_.name = path;
  }

  FileCheck run() {
    if (options_.foreign.empty()) find_invalid_utf8(path_, options_.shown, file_);
    Findings twice("repeated_sequences", "sequences that were there before, with the same labels",
                   options_.shown),
        otherwise("labelled_differently", "sequences that were there before, with other labels",
                  options_.shown);
    read_labelled(path_, format_, [&](const LabelledRows& read) {
      if (read.words.empty()) return;
      count(read);
      measure(read);
      const auto [at, is_new] = sequences_.try_emplace(joined(read.words), read.line, read.labels);
      if (is_new) return;
      const auto [here, there] = std::ranges::mismatch(read.labels, at->second.labels);
      if (here == read.labels.end()) {
        twice.add(read.line, opening(read, options_), at->second.line);
      } else {
        const auto t = static_cast<std::size_t>(here - read.labels.begin());
        otherwise.add(read.line_of(t), shortened(read.words[t]) + ": " + *here + ", and " + *there,
                      at->second.line);
      }
    });
    if (file_.sequences == 0) {
      throw Error(path_ +
                  ": there is no labelled sequence in it; check that this is the file that was "
                  "meant, and that what wrote it succeeded");
    }
    if (!is_alone(options_)) find_invalid_chunks();
    std::move(otherwise).hand_on(file_);
    std::move(twice).hand_on(file_);
    find_rare_labels();
    const bool by_lines = options_.format == "columns" || options_.format == "attributes";
    if (by_lines && lacks_empty_lines(file_.sequences, file_.positions)) {
      file_.findings.push_back({.name = "very_long_sequences",
                                .text = "sequences as long as no sentence is: are empty lines "
                                        "missing?",
                                .count = file_.sequences});
    }
    find_uneven_values();
    return std::move(file_);
  }

  const Sequences& sequences() const { return sequences_; }
  const std::unordered_set<std::string>& words() const { return words_; }

 private:
  void count(const LabelledRows& read) {
    ++file_.sequences;
    file_.positions += read.words.size();
    file_.longest = std::max(file_.longest, read.words.size());
    for (std::size_t t = 0; t < read.words.size(); ++t) {
      if (++file_.labels[read.labels[t]] == 1) first_line_[read.labels[t]] = read.line_of(t);
      words_.insert(read.words[t].substr(0, read.words[t].find(' ')));
    }
    all_.push_back({.line = read.line, .lines = read.lines, .labels = read.labels});
  }

  void find_rare_labels() {
    Findings found("labels_seen_once", "labels that occur once", options_.shown);
    for (const auto& [label, times] : file_.labels) {
      if (times == 1) found.add(first_line_[label], shortened(label));
    }
    std::move(found).hand_on(file_);
  }

  void measure(const LabelledRows& read) {
    for (std::size_t t = 0; t < read.values.lists(); ++t) {
      for (std::size_t k = read.values.list_begin(t); k < read.values.list_end(t); ++k) {
        const std::uint32_t id = names_.insert(read.values.item(k));
        if (id == sizes_.size()) sizes_.emplace_back();
        sizes_[id].add(read.values.value(k), read.line_of(t));
      }
    }
  }

  // A penalty and a step of a given length weigh all values alike.  Listed are those far from the
  // middle, which is the geometric mean, the farthest first.  A column of categories is as if its
  // values were 1.
  void find_uneven_values() {
    constexpr double kFar = 10;
    std::vector<std::uint32_t> order;
    double logs = 0, least = std::numeric_limits<double>::infinity(), most = 0;
    std::size_t count = 0;
    const auto see = [&](double size) {
      logs += std::log(size);
      least = std::min(least, size);
      most = std::max(most, size);
      ++count;
    };
    for (std::uint32_t id = 0; id < sizes_.size(); ++id) {
      if (!(sizes_[id].largest > 0)) continue;
      order.push_back(id);
      see(sizes_[id].typical());
    }
    for (const CsvColumn& column : format_.table.columns) {
      if (column.kind == CsvKind::categorical) see(1);
    }
    if (order.empty() || !(most > ChainTraining::kUneven * least)) return;
    const double middle = logs / static_cast<double>(count);
    const auto distance = [&](std::uint32_t id) {
      return std::abs(std::log(sizes_[id].typical()) - middle);
    };
    std::ranges::stable_sort(order, std::ranges::greater{}, distance);
    Findings found("uneven_values",
                   "columns whose values are of another size than the others', which are about " +
                       fmt::format("{:.3g}", std::exp(middle)),
                   options_.shown);
    for (const std::uint32_t id : order) {
      if (distance(id) < std::log(kFar)) break;
      found.add(sizes_[id].line, fmt::format("{}: about {:.3g}", shortened(std::string(names_[id])),
                                             sizes_[id].typical()));
    }
    std::move(found).hand_on(file_);
  }

  // Where labels are not those that their own chunks would be spelled by, and where a label is none
  // of chunks while nearly all of the others are: a slip of the pen.
  void find_invalid_chunks() {
    const std::set<std::string> odd = labels_beside_chunks();
    if (!odd.empty()) {
      Findings found("labels_beside_chunks", "labels that are none of chunks, where the others are",
                     options_.shown);
      for (LabelledRows& each : all_) {
        for (std::size_t t = 0; t < each.labels.size(); ++t) {
          if (!odd.contains(each.labels[t])) continue;
          found.add(each.line_of(t), shortened(each.labels[t]));
          each.labels[t] = kOutside;  // the chunks around it are still looked at
        }
      }
      std::move(found).hand_on(file_);
    }
    std::vector<std::string_view> names;
    for (const auto& [label, times] : file_.labels) {
      if (!odd.contains(label)) names.emplace_back(label);
    }
    ChunkScheme scheme = detect_scheme(names);
    if (scheme == ChunkScheme::none) return;
    if (scheme == ChunkScheme::bio && is_bio1()) scheme = ChunkScheme::bio1;
    Findings found("invalid_chunks",
                   "labels that do not spell chunks of " + std::string(chunk_scheme_name(scheme)),
                   options_.shown);
    for (const LabelledRows& each : all_) {
      const std::vector<std::string> spelled = spelled_in(each.labels, scheme);
      bool was_wrong = false;  // what follows a wrong label may be wrong for its sake
      for (std::size_t t = 0; t < spelled.size(); ++t) {
        const bool wrong = spelled[t] != each.labels[t];
        if (wrong && !was_wrong) {
          const std::string before = t == 0 ? "at the start" : "after " + each.labels[t - 1];
          found.add(each.line_of(t), shortened(each.labels[t]) + " " + before);
        }
        was_wrong = wrong;
      }
    }
    std::move(found).hand_on(file_);
  }
  // Those that alone keep the labels from spelling chunks, where they are few.  Empty: all labels
  // are of chunks, or most of them are not.
  std::set<std::string> labels_beside_chunks() const {
    std::set<std::string> odd;
    std::size_t beside = 0, typed = 0;  // positions
    for (const auto& [label, times] : file_.labels) {
      if (label == kOutside) continue;
      const std::string_view alone = label;
      if (detect_scheme({&alone, 1}) != ChunkScheme::none) {
        typed += times;
      } else {
        odd.insert(label);
        beside += times;
      }
    }
    return 2 * beside <= typed ? odd : std::set<std::string>();
  }
  static std::vector<std::string> spelled_in(const std::vector<std::string>& labels,
                                             ChunkScheme scheme) {
    const std::vector<std::string_view> views(labels.begin(), labels.end());
    return convert_labels(views, scheme, scheme);
  }
  // Chunks begin with I there, but behind one of the same type.
  bool is_bio1() const {
    std::size_t bio = 0, bio1 = 0;  // sequences
    for (const LabelledRows& each : all_) {
      bio += spelled_in(each.labels, ChunkScheme::bio) == each.labels ? 1 : 0;
      bio1 += spelled_in(each.labels, ChunkScheme::bio1) == each.labels ? 1 : 0;
    }
    return bio1 > bio;
  }

  // The values of an attribute or a column.
  struct Sizes {
    long double squares = 0;  // those of 1e200, too
    double largest = 0;
    std::size_t count = 0, line = 0;  // line: of the largest
    void add(double value, std::size_t at) {
      squares += static_cast<long double>(value) * value;
      ++count;
      if (std::abs(value) <= largest) return;
      largest = std::abs(value);
      line = at;
    }
    double typical() const {
      return static_cast<double>(std::sqrt(squares / static_cast<long double>(count)));
    }
  };

  const std::string& path_;
  const LabelledFormat& format_;
  const CheckOptions& options_;
  FileCheck file_;
  Sequences sequences_;
  std::unordered_set<std::string> words_;  // the first cells
  std::map<std::string, std::size_t> first_line_;
  std::vector<LabelledRows> all_;  // without their words
  StringTable names_;              // of attributes and columns of numbers
  std::vector<Sizes> sizes_;
};

// What a test file has to do with the training data.
void compare_with(const FileChecker& train, const FileCheck& trained, const LabelledFormat& format,
                  const CheckOptions& options, FileCheck& test) {
  Findings overlap("in_training_data", "sequences that the training data has, too", options.shown),
      other("labelled_differently_in_training", "of these, sequences with other labels there",
            options.shown),
      unseen("labels_not_in_training", "labels that the training data has not", options.shown),
      words("words_not_in_training", "words that the training data has not", 0);
  std::set<std::string> said;
  read_labelled(test.name, format, [&](const LabelledRows& read) {
    for (std::size_t t = 0; t < read.words.size(); ++t) {
      if (!trained.labels.contains(read.labels[t]) && said.insert(read.labels[t]).second) {
        unseen.add(read.line_of(t), shortened(read.labels[t]));
      }
      const std::string word = read.words[t].substr(0, read.words[t].find(' '));
      if (!train.words().contains(word)) words.add(read.line_of(t), word);
    }
    const auto at = train.sequences().find(joined(read.words));
    if (read.words.empty() || at == train.sequences().end()) return;
    const std::string words_of_it = opening(read, options);
    overlap.add(read.line, words_of_it, at->second.line);
    if (at->second.labels != read.labels) other.add(read.line, words_of_it, at->second.line);
  });
  std::move(unseen).hand_on(test);
  std::move(overlap).hand_on(test);
  std::move(other).hand_on(test);
  if (has_words(options)) std::move(words).hand_on(test);
}

}  // namespace

std::string shortened(std::string text) {
  constexpr std::size_t kMost = 60;  // bytes
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, kBetweenCells, ' ');
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

DataCheck check_data(const std::string& train, const std::vector<std::string>& tests,
                     const CheckOptions& options) {
  LabelledFormat format{options.format, options.form, {}, options.foreign, options.reading};
  if (options.format == "csv") {
    CsvColumnFinder finder(options.table);
    finder.read(LineReader(train));
    format.table = finder.columns();
  }
  FileChecker checker(train, format, options);
  DataCheck out{checker.run(), {}};
  for (const std::string& path : tests) {
    out.tests.push_back(FileChecker(path, format, options).run());
    compare_with(checker, out.train, format, options, out.tests.back());
  }
  return out;
}

}  // namespace croft
