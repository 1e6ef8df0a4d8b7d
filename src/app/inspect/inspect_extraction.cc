// How a chain's data becomes features, as its summary says it.
#include <fmt/format.h>

#include <algorithm>

#include "app/inspect/inspect_parts.h"
#include "core/words/counted.h"
#include "features/conjunctions.h"
#include "model/file/extraction_record.h"

namespace croft {
namespace {

// Of the template, without line ends; the last one may lack its line feed.
Json lines_of(std::string_view text) {
  Json lines = Json::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void add_text(const ExtractionConfig& config, const Json& text, View& view) {
  const TextOptions& options = config.text;
  view.line(
      "terms",
      fmt::format("{}, {} to {}{}{}", text["analyzer"].string(), options.tokenizer.shortest,
                  options.tokenizer.longest, options.tokenizer.lower_case ? ", lower case" : "",
                  options.tokenizer.stop_words.empty() ? "" : ", without stop words"));
  view.line("values", fmt::format("{}{}, norm {}", text["values"].string(),
                                  options.sublinear ? ", sublinear" : "", text["norm"].string()));
  view.line("vocabulary",
            options.hash_bits > 0
                ? fmt::format("none: hashed to {}",
                              counted(std::size_t{1} << options.hash_bits, "number"))
            : config.terms ? fmt::format("{} of {}", counted(config.terms->terms().size(), "term"),
                                         counted(config.terms->documents(), "text"))
                           : "none: every term counts");
}

void add_table(const CsvColumns& csv, View& view) {
  const auto numeric = std::ranges::count(csv.columns, CsvKind::numeric, &CsvColumn::kind);
  view.line("label", escaped(csv.label));
  view.line("columns", fmt::format("{} numeric{}, {} categorical, {} ignored", numeric,
                                   csv.standardised ? " (standardised)" : "",
                                   static_cast<std::ptrdiff_t>(csv.columns.size()) - numeric,
                                   csv.ignored.size()));
}

void add_template(const Extractor& extractor, View& view) {
  const ExtractionConfig& config = extractor.config();
  Json& document = view.json["extraction"]["template"] = nullptr;
  if (!extractor.has_template()) {
    if (config.cell_attributes != CellAttributes::none) {
      view.line("template", "none: features are the cells of each row");
    } else if (config.format == InputFormat::columns) {
      view.line("template", "none: default features for words");
    } else if (config.format == InputFormat::attributes) {
      view.line("template", "none: features are the attributes of each line");
    }
    return;
  }
  const std::string language = extraction_record(config).at("language").string();
  document = {{"language", language}, {"lines", lines_of(config.template_text)}};
  view.line("template", language);
  for (const Json& line : document["lines"]) view.text += "  " + escaped(line.string()) + "\n";
}

// People see the first of those that induction found.
void add_conjunctions(const ExtractionConfig& config, View& view) {
  constexpr std::size_t kShown = 10;
  const std::size_t count = config.conjunctions.size();
  if (count == 0) return;
  view.line("conjunctions", fmt::format("{}", count));
  for (std::size_t k = 0; k < count; ++k) {
    const Conjunction& each = config.conjunctions[k];
    const bool pair = is_of_edge(each);
    if (k < kShown) {
      view.text += "  " + escaped(pair ? edge_name(each) : each.name()) +
                   (pair ? ", with two labels\n" : "\n");
    }
    const std::vector<std::string> parts(each.parts.begin() + (pair ? 1 : 0), each.parts.end());
    view.json["extraction"][pair ? "pair_conjunctions" : "conjunctions"].push_back(parts);
  }
  if (count > kShown)
    view.text += Message("  and ", count - kShown, " more: see --weights\n").text();
}

}  // namespace

void add_extraction(const SequenceModel& model, View& view) {
  const ExtractionConfig& config = model.extractor().config();
  const Json record = extraction_record(config);
  Json& document = view.json["extraction"] = {{"format", format_name(config.format)},
                                              {"boundaries", config.boundaries}};
  for (const char* of : {"text", "csv"}) {
    if (record.contains(of)) document[of] = record[of];
  }
  view.text += '\n';
  view.line("format", format_name(config.format));
  if (config.format == InputFormat::text) add_text(config, record.at("text"), view);
  if (config.format == InputFormat::csv) add_table(config.csv, view);
  if (config.format == InputFormat::columns) {
    view.line("columns", fmt::format("{}{}, and the label", config.columns,
                                     config.more_columns ? " or more" : ""));
    document["columns"] = config.columns;
    if (config.form.label_column > 0) {
      view.line("label column", fmt::format("{}, counted from 1", config.form.label_column));
      document["label_column"] = config.form.label_column;
    }
    if (!config.form.ignored.empty()) {
      view.line("ignored lines", config.form.ignored);
      document["ignored_lines"] = config.form.ignored;
    }
  }
  view.line("boundaries", config.boundaries ? "START and STOP" : "none");
  add_template(model.extractor(), view);
  add_kit(model, view);
  add_conjunctions(config, view);
}

}  // namespace croft
