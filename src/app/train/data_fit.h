// What must be learnt of training data before it becomes strings: terms of texts, columns of
// tables, numbers of a feature kit.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/label/sequence_source.h"
#include "croft/data/line_reader.h"
#include "features/extraction.h"
#include "features/kit/feature_kit.h"

namespace croft {

// A file of which all lines can be had several times.
class RepeatableFile {
 public:
  // Standard input ("-") and what else is no regular file is read here, into memory.
  explicit RepeatableFile(const std::string& path);
  explicit RepeatableFile(LineReader lines);  // all of which are read here
  LineReader lines() const {
    return text_ ? LineReader(*text_, name_, made_from_) : LineReader(name_);
  }

 private:
  std::string name_;  // for messages; of a regular file also its path
  std::optional<std::string> text_;
  std::vector<std::uint32_t> made_from_;  // as LineReader has it
};

// Whether fit_extraction() has anything to do.
bool needs_fit(const ExtractionConfig& config);

// Learns the numbers of a kit and its known words, sequence by sequence.
class KitFit {
 public:
  // extractor : with a kit that needs_fit(); not to be used for extraction
  explicit KitFit(const Extractor& extractor);
  // Of a sequence as read; throws InputError where the kit wants a number and there is none.
  void add(const InputSequence& sequence, std::string_view file);
  std::shared_ptr<const FeatureKit> finish() const;

 private:
  std::shared_ptr<const FeatureKit> kit_;
  InputFormat format_;
  KitScratch scratch_;
  std::vector<std::vector<double>> values_;     // [features]
  std::vector<std::set<std::uint32_t>> known_;  // [features]
};

// Fills config.terms, or config.csv as `csv` asks for, and what config.kit learns, from labelled
// data, one pass over it for each.  Throws
// InputError as the readers do, and for data without any text; Error as TermFit::finish().
//   spans : of columns, as SequenceSource has it
//   warn  : what the user should know
void fit_extraction(std::span<const RepeatableFile> data, const CsvOptions& csv,
                    ExtractionConfig& config, std::optional<ChunkScheme> spans = std::nullopt,
                    const std::function<void(const std::string&)>& warn = {});

// "english": the list of the library; otherwise a file with a word a line.  Throws InputError for a
// file without words or with bytes that are not UTF-8.
std::vector<std::string> read_stop_words(const std::string& name);

}  // namespace croft
