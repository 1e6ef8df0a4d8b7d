#include "app/train/data_fit.h"

#include <filesystem>

#include "core/unicode.h"
#include "croft/core/error.h"
#include "data/checks.h"
#include "data/csv_table.h"
#include "data/labelled_text.h"
#include "data/settings/field_files.h"

namespace croft {
namespace {

TermStatistics fit_terms(std::span<const RepeatableFile> data, const TextOptions& options) {
  TermFit fit(options);
  LabelledText document;
  for (const RepeatableFile& file : data) {
    LabelledTextReader reader(file.lines());
    if (!reader.next(document)) fail_no_sequences(reader.name());
    do {
      fit.add(document.text);
    } while (reader.next(document));
  }
  return fit.finish();
}

std::shared_ptr<const FeatureKit> fit_kit(std::span<const RepeatableFile> data,
                                          const ExtractionConfig& config,
                                          std::optional<ChunkScheme> spans) {
  const Extractor extractor(config);
  KitFit fit(extractor);
  InputSequence sequence;
  for (const RepeatableFile& file : data) {
    SequenceSource source(file.lines(), extractor, Labels::required, spans);
    while (source.next(sequence)) {
      source.parse(sequence);
      fit.add(sequence, source.name());
    }
  }
  return fit.finish();
}

}  // namespace

KitFit::KitFit(const Extractor& extractor)
    : kit_(extractor.config().kit),
      format_(extractor.config().format),
      values_(kit_->features().size()),
      known_(kit_->features().size()) {}

void KitFit::add(const InputSequence& sequence, std::string_view file) {
  if (format_ == InputFormat::text) {
    kit_->start(sequence.document.text, scratch_);
  } else if (format_ == InputFormat::columns) {
    kit_->start(sequence.rows, scratch_, file);
  } else {
    kit_->start(sequence.text, scratch_, file);
  }
  kit_->visit_numbers(scratch_, [&](std::size_t k, double value) { values_[k].push_back(value); });
  kit_->visit_known(scratch_, [&](std::size_t k, std::uint32_t word) { known_[k].insert(word); });
}

std::shared_ptr<const FeatureKit> KitFit::finish() const {
  std::vector<KitFeatureFit> fit(values_.size());
  for (std::size_t k = 0; k < values_.size(); ++k) {
    fit[k].known.assign(known_[k].begin(), known_[k].end());
    const auto* number = std::get_if<NumberFeature>(&kit_->features()[k].what);
    if (number == nullptr || !number->needs_fit()) continue;
    fit[k].scaling = fit_numbers(values_[k], number->binning, number->bins);
  }
  return kit_->fitted(fit);
}

RepeatableFile::RepeatableFile(const std::string& path) : name_(path) {
  std::error_code none;
  if (path != "-" && std::filesystem::is_regular_file(path, none)) return;
  LineReader lines(path);
  name_ = lines.name();
  text_ = text_of(lines);
}

RepeatableFile::RepeatableFile(LineReader lines)
    : name_(lines.name()), text_(text_of(lines)), made_from_(lines.made_from()) {}

bool needs_fit(const ExtractionConfig& config) {
  if (config.kit && config.kit->needs_fit()) return true;
  if (config.format == InputFormat::csv) return config.csv.columns.empty();
  return config.format == InputFormat::text && config.text.is_fitted() && !config.terms;
}

void fit_extraction(std::span<const RepeatableFile> data, const CsvOptions& csv,
                    ExtractionConfig& config, std::optional<ChunkScheme> spans,
                    const std::function<void(const std::string&)>& warn) {
  if (config.format == InputFormat::text) {
    if (config.text.is_fitted() && !config.terms) config.terms = fit_terms(data, config.text);
  }
  if (config.format == InputFormat::csv && config.csv.columns.empty()) {
    CsvColumnFinder finder(csv);
    for (const RepeatableFile& file : data) finder.read(file.lines());
    config.csv = finder.columns();
    for (const std::string& warning : finder.warnings()) {
      if (warn) warn(warning);
    }
  }
  if (config.kit && config.kit->needs_fit()) config.kit = fit_kit(data, config, spans);
}

std::vector<std::string> read_stop_words(const std::string& name) {
  if (name == "english") return english_stop_words();
  LineReader lines(name);
  std::vector<std::string> words;
  for (std::string_view line; lines.next(line);) {
    if (!is_valid_utf8(line)) {
      throw InputError(lines.location(), "a stop word that is not UTF-8", line,
                       "convert the file to UTF-8");
    }
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    if (!line.empty()) words.emplace_back(line);
  }
  if (words.empty()) {
    throw InputError({lines.name()}, "no stop words", "",
                     "write one a line, or leave out --stop-words");
  }
  return words;
}

}  // namespace croft
