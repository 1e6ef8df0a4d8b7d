// How texts and tables become features, as the options of training say it.
#include <charconv>

#include "app/label/data_form.h"
#include "app/train/requests.h"
#include "core/parse_number.h"
#include "croft/core/error.h"
#include "data/csv.h"

namespace croft {
namespace {

// A list as one record of CSV: a name with a comma in it stands in quotes.
std::vector<std::string> names_in(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  CsvRecord record;
  for (const std::string& list : lists) {
    CsvRecordReader reader(LineReader(list, "the list of names"));
    while (reader.next(record)) {
      for (std::size_t k = 0; k < record.size(); ++k) names.emplace_back(record[k]);
    }
  }
  return names;
}

// A number with a point or an exponent is a fraction.
void read_limit(const OptionValues& values, const char* option, DocumentLimit& out) {
  if (!values.given(option)) return;
  const std::string_view text = values.text(option);
  double value = 0;
  if (parse_number(text, value) != NumberKind::finite) {
    throw UsageError(Message::option(option), " ", in_quotes(text),
                     " is neither a number of texts, such as 2, nor a fraction, such as 0.01");
  }
  out = {value, text.find_first_of(".eE") != std::string_view::npos};
}

void read_ngrams(std::string_view text, TokenizerOptions& out) {
  if (text.empty()) return;
  const char* const end = text.data() + text.size();
  const auto [middle, fault] = std::from_chars(text.data(), end, out.shortest);
  out.longest = out.shortest;
  bool good = fault == std::errc();
  if (good && middle != end) {
    good = *middle == '-';
    const auto [rest, second_fault] = std::from_chars(middle + 1, end, out.longest);
    good = good && second_fault == std::errc() && rest == end;
  }
  if (good && out.shortest >= 1 && out.shortest <= out.longest) return;
  throw UsageError("--ngrams ", in_quotes(text),
                   " is neither a length from 1 on, such as 2, nor a range of them, such as 1-2");
}

// Whether any option of a format is there.  Throws UsageError where the format is another one.
bool any_given(const OptionValues& values, std::string_view group, std::string_view format,
               std::string_view given) {
  for (const OptionRow& row : feature_options()) {
    if (row.group != group || !values.given(row.name)) continue;
    if (given == format) return true;
    throw UsageError(Message::option(row.name), " goes with --format ", format,
                     ", and the format is ", given);
  }
  return false;
}

TextOptions text_options(const OptionValues& values) {
  TextOptions text;
  values.choose("analyzer", {Analyzer::word, Analyzer::char_, Analyzer::char_wb, Analyzer::mixed},
                text.tokenizer.analyzer);
  if (values.flag("keep-case")) text.tokenizer.lower_case = false;
  values.choose("term-weights", {TermValues::counts, TermValues::binary, TermValues::tf_idf},
                text.values);
  values.read("sublinear", text.sublinear);
  values.choose("norm", {TermNorm::none, TermNorm::l1, TermNorm::l2}, text.norm);
  std::size_t terms = 0;
  if (values.given("max-terms")) values.read("max-terms", terms), text.max_terms = terms;
  std::size_t bits = 0;
  values.read("hash-bits", bits);
  if (bits > 0) text.hash_bits = static_cast<unsigned>(bits);
  read_ngrams(values.text("ngrams"), text.tokenizer);
  read_limit(values, "min-documents", text.min_documents);
  read_limit(values, "max-documents", text.max_documents);
  return text;
}

CsvOptions csv_options(const OptionValues& values) {
  CsvOptions csv;
  read_delimiter(values, csv.delimiter);
  values.read("label", csv.label);
  csv.numeric = names_in(values.list("numeric"));
  csv.categorical = names_in(values.list("categorical"));
  csv.ignored = names_in(values.list("ignore"));
  csv.missing = names_in(values.list("missing"));
  values.read("standardise", csv.standardise);
  return csv;
}

}  // namespace

bool read_table_of_texts(const OptionValues& values, std::string_view format,
                         TextReading& reading) {
  if (format != "csv" || !values.given("text-column")) return false;
  for (const OptionRow& row : feature_options()) {
    if (row.group != kTableGroup || !values.given(row.name)) continue;
    if (row.name == "text-column" || row.name == "label" || row.name == "delimiter") continue;
    throw UsageError(Message::option(row.name), " is of columns that are features, and ",
                     Message::option("text-column"),
                     " makes features of the texts alone: leave out one of them");
  }
  values.read("text-column", reading.text_column);
  values.read("label", reading.label_column);
  read_delimiter(values, reading.delimiter);
  reading.labels = TableLabels::needed;
  return true;
}

bool read_table_options(const OptionValues& values, std::string_view format, CsvOptions& table) {
  if (!any_given(values, kTableGroup, "csv", format)) return false;
  table = csv_options(values);
  return true;
}

namespace {

// As --format names it.
std::string_view data_format(const TrainRequest& request) {
  if (!request.foreign.empty()) return request.foreign;
  return request.spans ? kSpanFormat : format_name(request.format);
}

}  // namespace

void read_format_options(const OptionValues& values, TrainRequest& request) {
  const InputFormat format = request.format;
  read_columns_form(values, data_format(request), request.form, request.reading.label_column);
  read_misaligned(values, request.foreign, request.reading.misaligned);
  if (any_given(values, kTextGroup, "text", format_name(format))) {
    request.text = text_options(values);
    values.read("stop-words", request.stop_words);
  }
  CsvOptions table;
  if (!read_table_of_texts(values, request.foreign, request.reading) &&
      read_table_options(values, format_name(format), table)) {
    request.csv = table;
  }
}

}  // namespace croft
