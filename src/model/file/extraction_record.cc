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

namespace croft {
namespace {

// Sections of what was learnt of the terms of texts.
constexpr const char *kTermNames = "terms.names", *kTermDocuments = "terms.documents";
// Section of the parts of conjunctions: for each, their number as text, and they themselves.
constexpr const char* kConjunctions = "conjunctions";

template <class T, std::size_t N>
using Names = std::array<std::pair<T, std::string_view>, N>;

constexpr Names<Analyzer, 3> kAnalyzers = {
    {{Analyzer::word, "word"}, {Analyzer::char_, "char"}, {Analyzer::char_wb, "char_wb"}}};
constexpr Names<TermValues, 3> kValues = {{{TermValues::counts, "counts"},
                                           {TermValues::binary, "binary"},
                                           {TermValues::tf_idf, "tf-idf"}}};
constexpr Names<TermNorm, 3> kNorms = {
    {{TermNorm::none, "none"}, {TermNorm::l1, "l1"}, {TermNorm::l2, "l2"}}};
constexpr Names<CsvKind, 2> kKinds = {
    {{CsvKind::numeric, "numeric"}, {CsvKind::categorical, "categorical"}}};
constexpr Names<bool, 2> kLanguages = {{{true, "wapiti"}, {false, "crfpp"}}};

template <class T, std::size_t N>
std::string name_of(const Names<T, N>& names, T value) {
  for (const auto& [known, name] : names) {
    if (known == value) return std::string(name);
  }
  throw std::logic_error("a value without a name");
}

// Throws where it is none of the names.
template <class T, std::size_t N>
T value_of(const Names<T, N>& names, const Json& name) {
  for (const auto& [value, known] : names) {
    if (name == known) return value;
  }
  throw std::invalid_argument("unknown");
}

// --- text

Json limit_record(DocumentLimit limit) {
  return limit.fraction ? Json(limit.value) : Json(static_cast<std::uint64_t>(limit.value));
}

DocumentLimit read_limit(const Json& record) {
  require(record.is_number());
  return {record.get<double>(), record.is_number_float()};
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

TextOptions read_text(const Json& record) {
  TextOptions text;
  TokenizerOptions& tokenizer = text.tokenizer;
  tokenizer.analyzer = value_of(kAnalyzers, record.at("analyzer"));
  tokenizer.shortest = record.at("ngrams").at(0).get<std::size_t>();
  tokenizer.longest = record.at("ngrams").at(1).get<std::size_t>();
  tokenizer.lower_case = record.at("lower_case").get<bool>();
  tokenizer.stop_words = record.at("stop_words").get<std::vector<std::string>>();
  text.values = value_of(kValues, record.at("values"));
  text.sublinear = record.at("sublinear").get<bool>();
  text.norm = value_of(kNorms, record.at("norm"));
  text.min_documents = read_limit(record.at("min_documents"));
  text.max_documents = read_limit(record.at("max_documents"));
  text.max_terms = record.at("max_terms").get<std::uint64_t>();
  text.hash_bits = record.at("hash_bits").get<unsigned>();
  text.validate();
  return text;
}

// Views into the container.
std::optional<TermStatistics> read_terms(const Container& container, const TextOptions& text,
                                         const Json& record) {
  if (!text.is_fitted()) return std::nullopt;
  const auto documents = record.at("documents").get<std::uint64_t>();
  std::span<const std::byte> names;
  std::span<const std::uint32_t> frequency;
  if (text.hash_bits == 0) names = container.section(kTermNames);
  if (text.values == TermValues::tf_idf)
    frequency = container.numbers<std::uint32_t>(kTermDocuments);
  require(text.hash_bits == 0 || frequency.size() == std::size_t{1} << text.hash_bits);
  return TermStatistics(documents, names, frequency);
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

CsvColumns read_csv(const Json& record) {
  CsvColumns csv;
  const auto delimiter = record.at("delimiter").get<std::string>();
  require(delimiter.size() == 1);
  csv.delimiter = delimiter[0];
  csv.label = record.at("label").get<std::string>();
  csv.ignored = record.at("ignored").get<std::vector<std::string>>();
  csv.missing = record.at("missing").get<std::vector<std::string>>();
  csv.standardised = record.at("standardised").get<bool>();
  for (const Json& one : record.at("columns")) {
    CsvColumn& column = csv.columns.emplace_back();
    column.name = one.at("name").get<std::string>();
    column.kind = value_of(kKinds, one.at("kind"));
    if (!csv.standardised || column.kind != CsvKind::numeric) continue;
    column.mean = one.at("mean").get<double>();
    column.deviation = one.at("deviation").get<double>();
    require(std::isfinite(column.mean) && std::isfinite(column.deviation) && column.deviation > 0);
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
      throw Error(container.name() + ": section " + kConjunctions + std::string(kDamaged));
    }
    conjunctions.push_back({{at(k + 1), at(end)}});
    k = end;
  }
  return conjunctions;
}

}  // namespace

Json extraction_record(const ExtractionConfig& config) {
  const bool wapiti = config.language == TemplateLanguage::wapiti;
  Json record = {{"format", format_name(config.format)},
                 {"columns", config.columns},
                 {"boundaries", config.boundaries},
                 {"language", name_of(kLanguages, wapiti)}};
  if (config.intercept) record["intercept"] = true;  // said only where there is one
  if (!config.cells.empty()) record["cells"] = config.cells;
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
  try {
    const Json& extraction = meta.at("extraction");
    const auto format = format_of(extraction.at("format").get<std::string>());
    require(format.has_value());
    config.format = *format;
    config.columns = extraction.at("columns").get<std::size_t>();
    config.boundaries = extraction.at("boundaries").get<bool>();
    config.intercept = extraction.value("intercept", false);
    config.cells = extraction.value("cells", std::vector<std::size_t>());
    for (const std::size_t column : config.cells) require(column < config.columns);
    config.language = value_of(kLanguages, extraction.at("language")) ? TemplateLanguage::wapiti
                                                                      : TemplateLanguage::crfpp;
    if (config.format == InputFormat::text) config.text = read_text(extraction.at("text"));
    if (config.format == InputFormat::csv) config.csv = read_csv(extraction.at("csv"));
    if (config.format == InputFormat::text) {
      config.terms = read_terms(container, config.text, extraction.at("text"));
    }
  } catch (const std::exception&) {
    throw Error(container.name() + ": section meta" + std::string(kDamaged));
  }
  config.kit = read_kit(container);
  if (container.has("template")) config.template_text = container.text("template");
  if (container.has(kConjunctions)) config.conjunctions = unpack_conjunctions(container);
  config.template_name = container.name() + " (template)";
  return config;
}

}  // namespace croft
