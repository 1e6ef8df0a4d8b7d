#include "app/check/data_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "app/label/chunks.h"
#include "app/label/row_reader.h"
#include "core/unicode.h"
#include "croft/core/error.h"
#include "croft/data/line_reader.h"
#include "data/attributes.h"
#include "data/labelled_text.h"

namespace croft {
namespace {

// A sequence as it was read, without what training makes of it.
struct Read {
  std::size_t line = 0;  // of the first position
  std::vector<std::string> words{}, labels{};
};
using Visit = std::function<void(const Read&)>;

std::string row_before_label(const ColumnSequence& rows, std::size_t t) {
  std::string row;
  for (std::size_t c = 0; c + 1 < rows.columns(t); ++c) {
    if (c > 0) row += ' ';
    row += rows.cell(t, c);
  }
  return row;
}

void read_rows(const std::string& path, std::optional<ChunkScheme> spans, const ColumnsForm& form,
               const Visit& visit) {
  RowReader reader(LineReader(path), spans, 0, false, false, form);
  ColumnSequence rows;
  std::string line;
  Read read;
  while (reader.next(rows, line)) {
    read = {.line = rows.first_line};
    for (std::size_t t = 0; t < rows.rows(); ++t) {
      if (rows.columns(t) < 2) {
        throw InputError({path, rows.first_line + t}, "a row without a label", rows.line(t),
                         "the last column is the label");
      }
      read.words.push_back(row_before_label(rows, t));
      read.labels.emplace_back(rows.cell(t, rows.columns(t) - 1));
    }
    visit(read);
  }
}

void read_attributes(const std::string& path, const Visit& visit) {
  AttributesReader reader{LineReader(path)};
  TextSequence sequence;
  AttributeLines lines;
  Read read;
  while (reader.next(sequence, lines)) {
    read = {.line = sequence.first_line};
    std::size_t begin = 0;
    for (std::size_t t = 0; t < sequence.length(); ++t) {
      const std::size_t end = lines.text.find('\n', begin);
      const std::string line = lines.text.substr(begin, end - begin);
      const std::size_t tab = line.find('\t');
      read.words.push_back(tab == line.npos ? "" : line.substr(tab + 1));
      read.labels.emplace_back(sequence.labels.item(t));
      begin = end + 1;
    }
    visit(read);
  }
}

void read_texts(const std::string& path, const Visit& visit) {
  LabelledTextReader reader{LineReader(path)};
  LabelledText text;
  while (reader.next(text))
    visit({.line = text.line, .words = {text.text}, .labels = {text.label}});
}

void read_data(const std::string& path, const CheckOptions& options, const Visit& visit) {
  const std::string& format = options.format;
  if (format == "columns") return read_rows(path, std::nullopt, options.form, visit);
  if (format == kSpanFormat) return read_rows(path, ChunkScheme::bio, {}, visit);
  if (format == "attributes") return read_attributes(path, visit);
  if (format == "text") return read_texts(path, visit);
  throw UsageError("check reads columns, spans, attributes and text; ", format, " is none of them");
}

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

// A text as it is; of rows and attributes the first cell of each, as far as they fit.
std::string opening(const Read& read, const CheckOptions& options) {
  if (options.format == "text") return shortened(read.words[0]);
  std::string out;
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

// Sequences by what they hold, each with the first one's line and labels.
struct Known {
  std::size_t line;
  std::vector<std::string> labels;
};
using Sequences = std::unordered_map<std::string, Known>;

// What there is to look at in one file.
class FileChecker {
 public:
  FileChecker(const std::string& path, const CheckOptions& options)
      : path_(path), options_(options) {
    file_.name = path;
  }

  FileCheck run() {
    find_invalid_utf8(path_, options_.shown, file_);
    Findings twice("repeated_sequences", "sequences that were there before, with the same labels",
                   options_.shown),
        otherwise("labelled_differently", "sequences that were there before, with other labels",
                  options_.shown);
    read_data(path_, options_, [&](const Read& read) {
      if (read.words.empty()) return;
      count(read);
      const auto [at, is_new] = sequences_.try_emplace(joined(read.words), read.line, read.labels);
      if (is_new) return;
      const auto [here, there] = std::ranges::mismatch(read.labels, at->second.labels);
      if (here == read.labels.end()) {
        twice.add(read.line, opening(read, options_), at->second.line);
      } else {
        const auto t = static_cast<std::size_t>(here - read.labels.begin());
        otherwise.add(read.line + (options_.format == "text" ? 0 : t),
                      shortened(read.words[t]) + ": " + *here + ", and " + *there, at->second.line);
      }
    });
    if (file_.sequences == 0) throw Error(path_ + ": there is no labelled sequence in it");
    find_invalid_chunks();
    std::move(otherwise).hand_on(file_);
    std::move(twice).hand_on(file_);
    find_rare_labels();
    return std::move(file_);
  }

  const Sequences& sequences() const { return sequences_; }
  const std::unordered_set<std::string>& words() const { return words_; }

 private:
  void count(const Read& read) {
    ++file_.sequences;
    file_.positions += read.words.size();
    file_.longest = std::max(file_.longest, read.words.size());
    for (std::size_t t = 0; t < read.words.size(); ++t) {
      if (++file_.labels[read.labels[t]] == 1) first_line_[read.labels[t]] = read.line + t;
      words_.insert(read.words[t].substr(0, read.words[t].find(' ')));
    }
    all_.push_back({read.line, read.labels});
  }

  void find_rare_labels() {
    Findings found("labels_seen_once", "labels that occur once", options_.shown);
    for (const auto& [label, times] : file_.labels) {
      if (times == 1) found.add(first_line_[label], shortened(label));
    }
    std::move(found).hand_on(file_);
  }

  // Where labels are not those that their own chunks would be spelled by.
  void find_invalid_chunks() {
    std::vector<std::string_view> names;
    for (const auto& [label, times] : file_.labels) names.emplace_back(label);
    ChunkScheme scheme = detect_scheme(names);
    if (scheme == ChunkScheme::none) return;
    if (scheme == ChunkScheme::bio && is_bio1()) scheme = ChunkScheme::bio1;
    Findings found("invalid_chunks",
                   "labels that do not spell chunks of " + std::string(chunk_scheme_name(scheme)),
                   options_.shown);
    for (const Known& each : all_) {
      const std::vector<std::string> spelled = spelled_in(each.labels, scheme);
      for (std::size_t t = 0; t < spelled.size(); ++t) {
        if (spelled[t] == each.labels[t]) continue;
        const std::string before = t == 0 ? "at the start" : "after " + each.labels[t - 1];
        found.add(each.line + t, shortened(each.labels[t]) + " " + before);
        break;  // what follows a wrong label is wrong for its sake
      }
    }
    std::move(found).hand_on(file_);
  }
  static std::vector<std::string> spelled_in(const std::vector<std::string>& labels,
                                             ChunkScheme scheme) {
    const std::vector<std::string_view> views(labels.begin(), labels.end());
    return convert_labels(views, scheme, scheme);
  }
  // Chunks begin with I there, but behind one of the same type.
  bool is_bio1() const {
    std::size_t bio = 0, bio1 = 0;  // sequences
    for (const Known& each : all_) {
      bio += spelled_in(each.labels, ChunkScheme::bio) == each.labels ? 1 : 0;
      bio1 += spelled_in(each.labels, ChunkScheme::bio1) == each.labels ? 1 : 0;
    }
    return bio1 > bio;
  }

  const std::string& path_;
  const CheckOptions& options_;
  FileCheck file_;
  Sequences sequences_;
  std::unordered_set<std::string> words_;  // the first cells
  std::map<std::string, std::size_t> first_line_;
  std::vector<Known> all_;
};

// What a test file has to do with the training data.
void compare_with(const FileChecker& train, const FileCheck& trained, const CheckOptions& options,
                  FileCheck& test) {
  Findings overlap("in_training_data", "sequences that the training data has, too", options.shown),
      other("labelled_differently_in_training", "of these, sequences with other labels there",
            options.shown),
      unseen("labels_not_in_training", "labels that the training data has not", options.shown),
      words("words_not_in_training", "words that the training data has not", 0);
  std::set<std::string> said;
  read_data(test.name, options, [&](const Read& read) {
    for (std::size_t t = 0; t < read.words.size(); ++t) {
      if (!trained.labels.contains(read.labels[t]) && said.insert(read.labels[t]).second) {
        unseen.add(read.line + t, shortened(read.labels[t]));
      }
      const std::string word = read.words[t].substr(0, read.words[t].find(' '));
      if (!train.words().contains(word)) words.add(read.line + t, word);
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
  if (options.format == "columns" || options.format == kSpanFormat) std::move(words).hand_on(test);
}

}  // namespace

std::string shortened(std::string text) {
  constexpr std::size_t kMost = 60;  // bytes
  std::ranges::replace(text, '\n', ' ');
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

DataCheck check_data(const std::string& train, const std::vector<std::string>& tests,
                     const CheckOptions& options) {
  FileChecker checker(train, options);
  DataCheck out{checker.run(), {}};
  for (const std::string& path : tests) {
    out.tests.push_back(FileChecker(path, options).run());
    compare_with(checker, out.train, options, out.tests.back());
  }
  return out;
}

}  // namespace croft
