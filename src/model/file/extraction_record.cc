#include "model/file/extraction_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/json.h"
#include "croft/core/error.h"
#include "features/conjunctions.h"
#include "model/file/container.h"
#include "model/file/kit_record.h"
#include "model/file/record.h"

namespace croft {
namespace {

// Sections of what was learnt of the terms of texts.
constexpr const char *kTermNames = "terms.names", *kTermDocuments = "terms.documents";
// Section of the parts of conjunctions: for each, their number as text, and they themselves.
constexpr const char* kConjunctions = "conjunctions";

// Whole numbers that a double holds.
constexpr std::uint64_t kMostDocuments = std::uint64_t{1} << 53;

template <class T, std::size_t N>
using Names = std::array<std::pair<T, std::string_view>, N>;

constexpr Names<Analyzer, 4> kAnalyzers = {{{Analyzer::word, "word"},
                                            {Analyzer::char_, "char"},
                                            {Analyzer::char_wb, "char_wb"},
                                            {Analyzer::mixed, "mixed"}}};
constexpr Names<TermValues, 3> kValues = {{{TermValues::counts, "counts"},
                                           {TermValues::binary, "binary"},
                                           {TermValues::tf_idf, "tf-idf"}}};
constexpr Names<TermNorm, 3> kNorms = {
    {{TermNorm::none, "none"}, {TermNorm::l1, "l1"}, {TermNorm::l2, "l2"}}};
constexpr Names<CsvKind, 2> kKinds = {
    {{CsvKind::numeric, "numeric"}, {CsvKind::categorical, "categorical"}}};
constexpr Names<TemplateLanguage, 3> kLanguages = {
    {{TemplateLanguage::crfpp, "crfpp"},
     {TemplateLanguage::wapiti, "wapiti"},
     {TemplateLanguage::wapiti_bytes, "wapiti-bytes"}}};
constexpr Names<CellAttributes, 2> kCells = {
    {{CellAttributes::all, "all"}, {CellAttributes::by_prefix, "by-prefix"}}};

template <class T, std::size_t N>
std::string name_of(const Names<T, N>& names, T value) {
  for (const auto& [known, name] : names) {
    if (known == value) return std::string(name);
  }
  throw std::logic_error("a value without a name");
}

// --- text

Json limit_record(DocumentLimit limit) {
  return limit.fraction ? Json(limit.value) : Json(static_cast<std::uint64_t>(limit.value));
}

DocumentLimit read_limit(const Record& record) {
  if (record.is_fraction()) return {record.number(), true};
  return {static_cast<double>(record.whole<std::uint64_t>(0, kMostDocuments)), false};
}

Json text_record(const TextOptions& text, const std::optional<TermStatistics>& terms) {
  const TokenizerOptions& tokenizer = text.tokenizer;
  Json record = {{"analyzer", name_of(kAnalyzers, tokenizer.analyzer)},
                 {"ngrams", {tokenizer.shortest, tokenizer.longest}},
                 {"lower_case", tokenizer.lower_case},
                 {"stop_words", tokenizer.stop_words},
                 {"values", name_of(kValues, text.values)},
                 {"sublinear", text.sublinear},
                 {"norm", name_of(kNorms, text.effective_norm())},
                 {"min_documents", limit_record(text.min_documents)},
                 {"max_documents", limit_record(text.max_documents)},
                 {"max_terms", text.max_terms},
                 {"hash_bits", text.hash_bits}};
  if (terms) record["documents"] = terms->documents();
  return record;
}

TextOptions read_text(const Container& container, const Record& record) {
  constexpr std::size_t kLongest = 1 << 20;
  TextOptions text;
  TokenizerOptions& tokenizer = text.tokenizer;
  tokenizer.analyzer = record.at("analyzer").one_of(kAnalyzers);
  const auto lengths = record.at("ngrams").wholes<std::size_t>(1, kLongest);
  record.at("ngrams").require(lengths.size() == 2 && lengths[0] <= lengths[1],
                              "the smaller length and the larger one");
  tokenizer.shortest = lengths[0];
  tokenizer.longest = lengths[1];
  tokenizer.lower_case = record.at("lower_case").flag();
  tokenizer.stop_words = record.at("stop_words").texts();
  text.values = record.at("values").one_of(kValues);
  text.sublinear = record.at("sublinear").flag();
  text.norm = record.at("norm").one_of(kNorms);
  text.min_documents = read_limit(record.at("min_documents"));
  text.max_documents = read_limit(record.at("max_documents"));
  text.max_terms = record.at("max_terms").whole<std::uint64_t>(0, kMostDocuments);
  text.hash_bits = record.at("hash_bits").whole<unsigned>(0, 31);
  try {
    text.validate();
  } catch (const UsageError& error) {
    container.fail_section("meta", std::string("extraction.text: ") + error.what());
  }
  return text;
}

// Views into the container.
std::optional<TermStatistics> read_terms(const Container& container, const TextOptions& text,
                                         const Record& record) {
  if (!text.is_fitted()) return std::nullopt;
  const auto documents = record.at("documents").whole<std::uint64_t>(0, kMostDocuments);
  std::span<const std::byte> names;
  std::span<const std::uint32_t> frequency;
  if (text.hash_bits == 0) names = container.section(kTermNames);
  if (text.values == TermValues::tf_idf)
    frequency = container.numbers<std::uint32_t>(kTermDocuments);
  if (text.hash_bits > 0 && frequency.size() != std::size_t{1} << text.hash_bits) {
    container.fail_section(kTermDocuments, "its size is not that of 2^hash_bits numbers");
  }
  try {
    return TermStatistics(documents, names, frequency);
  } catch (const Error& error) {
    container.fail_section(kTermNames, error.what());
  }
}

// --- tables

Json csv_record(const CsvColumns& csv) {
  Json columns = Json::array();
  for (const CsvColumn& column : csv.columns) {
    Json& one =
        columns.emplace_back(Json{{"name", column.name}, {"kind", name_of(kKinds, column.kind)}});
    if (!csv.standardised || column.kind != CsvKind::numeric) continue;
    one["mean"] = column.mean;
    one["deviation"] = column.deviation;
  }
  return {{"delimiter", std::string(1, csv.delimiter)},
          {"label", csv.label},
          {"columns", std::move(columns)},
          {"ignored", csv.ignored},
          {"missing", csv.missing},
          {"standardised", csv.standardised}};
}

CsvColumns read_csv(const Record& record) {
  CsvColumns csv;
  const std::string& delimiter = record.at("delimiter").text();
  record.at("delimiter").require(delimiter.size() == 1, "one character");
  csv.delimiter = delimiter[0];
  csv.label = record.at("label").text();
  csv.ignored = record.at("ignored").texts();
  csv.missing = record.at("missing").texts();
  csv.standardised = record.at("standardised").flag();
  for (const Record& one : record.at("columns").list()) {
    CsvColumn& column = csv.columns.emplace_back();
    column.name = one.at("name").text();
    column.kind = one.at("kind").one_of(kKinds);
    if (!csv.standardised || column.kind != CsvKind::numeric) continue;
    column.mean = one.at("mean").number();
    column.deviation = one.at("deviation").number();
    one.at("deviation").require(column.deviation > 0, "a number above 0");
  }
  return csv;
}

// --- conjunctions

std::vector<std::byte> pack_conjunctions(const std::vector<Conjunction>& conjunctions) {
  std::vector<std::string> strings;
  for (const Conjunction& each : conjunctions) {
    strings.push_back(std::to_string(each.parts.size()));
    strings.insert(strings.end(), each.parts.begin(), each.parts.end());
  }
  return pack_strings(strings);
}

std::vector<Conjunction> unpack_conjunctions(const Container& container) {
  const std::vector<std::string> strings = unpack_strings(container, kConjunctions);
  std::vector<Conjunction> conjunctions;
  for (std::size_t k = 0; k < strings.size();) {
    std::size_t parts = 0;
    for (std::size_t n = 2; n <= kMostParts + 1; ++n) {
      parts += strings[k] == std::to_string(n) ? n : 0;
    }
    const std::size_t end = k + 1 + parts;
    const auto at = [&](std::size_t n) { return strings.begin() + static_cast<std::ptrdiff_t>(n); };
    const bool whole = parts > 0 && end <= strings.size();
    const bool edge = whole && strings[k + 1] == kEdgePart;  // has one part more
    if (!whole || parts > kMostParts + (edge ? 1 : 0) || !std::is_sorted(at(k + 1), at(end)) ||
        std::adjacent_find(at(k + 1), at(end)) != at(end)) {
      container.fail_section(kConjunctions);
    }
    conjunctions.push_back({{at(k + 1), at(end)}});
    k = end;
  }
  return conjunctions;
}

// --- documents

constexpr const char* kFirstPass = "documents.model";

void write_documents(const DocumentPass& documents, ContainerWriter& out) {
  const Json record = {{"by", documents.by}, {"column", documents.column}};
  out.add(std::string(kDocumentsSection), record.dump(1, InvalidUtf8::replace),
          ContainerWriter::Kind::required);
  out.add(kFirstPass, {documents.model.begin(), documents.model.end()},
          ContainerWriter::Kind::bulk);
}

// A view into the container.
std::shared_ptr<const DocumentPass> read_documents(const Container& container,
                                                   const ExtractionConfig& config) {
  if (!container.has(kDocumentsSection)) return nullptr;
  const Json said = parse_json_or_null(container.text(kDocumentsSection));
  const Record record(container, kDocumentsSection, said);
  auto documents = std::make_shared<DocumentPass>();
  documents->by = record.at("by").text();
  record.at("by").require(!documents->by.empty(), "what makes sequences a document");
  documents->column = record.at("column").whole<std::size_t>(0, ExtractionConfig::kMostColumns);
  record.at("column").require(documents->column < config.columns, "a column that there is");
  documents->model = container.section(kFirstPass);
  return documents;
}

// --- what cuts texts

constexpr const char* kSegmenter = "segmenter.model";

// A view into the container.
std::shared_ptr<const InnerModel> read_segmenter(const Container& container) {
  if (!container.has(kSegmenter)) return nullptr;
  auto segmenter = std::make_shared<InnerModel>();
  segmenter->file = container.section(kSegmenter);
  return segmenter;
}

}  // namespace

Json extraction_record(const ExtractionConfig& config) {
  const bool decided = config.language != TemplateLanguage::automatic;
  Json record = {
      {"format", format_name(config.format)},
      {"columns", config.columns},
      {"boundaries", config.boundaries},
      {"language", name_of(kLanguages, decided ? config.language : TemplateLanguage::crfpp)}};
  if (config.intercept) record["intercept"] = true;  // said only where there is one
  if (!config.cells.empty()) record["cells"] = config.cells;
  if (config.more_columns) record["more_columns"] = true;
  if (config.form.label_column > 0) record["label_column"] = config.form.label_column;
  if (!config.form.ignored.empty()) record["ignored_lines"] = config.form.ignored;
  if (config.untied) record["untied"] = true;
  if (config.cell_attributes != CellAttributes::none) {
    record["cell_attributes"] = name_of(kCells, config.cell_attributes);
  }
  if (config.format == InputFormat::text) record["text"] = text_record(config.text, config.terms);
  if (config.format == InputFormat::csv) record["csv"] = csv_record(config.csv);
  return record;
}

void write_extraction_sections(const ExtractionConfig& config, ContainerWriter& out) {
  if (!config.template_text.empty()) out.add("template", config.template_text);
  if (!config.conjunctions.empty()) {
    out.add(kConjunctions, pack_conjunctions(config.conjunctions), ContainerWriter::Kind::required);
  }
  if (config.kit) write_kit_sections(*config.kit, out);
  if (config.documents) write_documents(*config.documents, out);
  if (config.segmenter) {
    const std::span<const std::byte> file = config.segmenter->file;
    out.add(kSegmenter, {file.begin(), file.end()}, ContainerWriter::Kind::bulk);
  }
  if (!config.terms) return;
  const std::span<const std::byte> names = config.terms->image();
  const std::span<const std::uint32_t> frequency = config.terms->frequency();
  if (!names.empty()) {
    out.add(kTermNames, {names.begin(), names.end()}, ContainerWriter::Kind::bulk);
  }
  if (config.text.values == TermValues::tf_idf) {
    out.add_numbers(kTermDocuments, std::vector(frequency.begin(), frequency.end()),
                    ContainerWriter::Kind::bulk);
  }
}

ExtractionConfig read_extraction(const Container& container, const Json& meta) {
  ExtractionConfig config;
  const Record extraction = Record(container, "meta", meta).at("extraction");
  const auto format = format_of(extraction.at("format").text());
  if (!format) extraction.at("format").fail("columns, attributes, text, svmlight or csv");
  config.format = *format;
  config.columns = extraction.at("columns").whole<std::size_t>(0, ExtractionConfig::kMostColumns);
  config.boundaries = extraction.at("boundaries").flag();
  if (const auto intercept = extraction.find("intercept")) config.intercept = intercept->flag();
  if (const auto cells = extraction.find("cells")) {
    config.cells = cells->wholes<std::size_t>(0, ExtractionConfig::kMostColumns);
    for (const std::size_t column : config.cells) {
      cells->require(column < config.columns, "a list of columns that there are");
    }
  }
  if (const auto more = extraction.find("more_columns")) config.more_columns = more->flag();
  extraction.at("columns").require(
      config.columns > 0 || config.more_columns || config.format != InputFormat::columns,
      "how many columns a row has before its label, 1 or more");
  if (const auto label = extraction.find("label_column")) {
    config.form.label_column = label->whole<std::size_t>(1, config.columns + 1);
  }
  if (const auto ignored = extraction.find("ignored_lines")) {
    config.form.ignored = ignored->text();
    config.form.validate();
  }
  if (const auto untied = extraction.find("untied")) config.untied = untied->flag();
  if (const auto cells = extraction.find("cell_attributes")) {
    config.cell_attributes = cells->one_of(kCells);
    cells->require(config.more_columns && config.format == InputFormat::columns,
                   "rows of columns, of any number");
  }
  config.language = extraction.at("language").one_of(kLanguages);
  if (config.format == InputFormat::csv) config.csv = read_csv(extraction.at("csv"));
  if (config.format == InputFormat::text) {
    config.text = read_text(container, extraction.at("text"));
    config.terms = read_terms(container, config.text, extraction.at("text"));
  }
  config.kit = read_kit(container);
  config.documents = read_documents(container, config);
  config.segmenter = read_segmenter(container);
  if (container.has("template")) config.template_text = container.text("template");
  if (container.has(kConjunctions)) config.conjunctions = unpack_conjunctions(container);
  config.template_name = container.name() + " (template)";
  return config;
}

}  // namespace croft
