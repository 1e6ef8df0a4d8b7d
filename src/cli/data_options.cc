#include "cli/data_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/common.h"
#include "croft/core/error.h"
#include "croft/data/csv.h"
#include "data/parse_number.h"

namespace croft::cli {
namespace {

constexpr const char *kTextGroup = "Texts (--format text)", *kCsvGroup = "Tables (--format csv)";

void add_text_options(CLI::App& verb, DataOptions& o) {
  const auto add = [&](CLI::Option* option, const char* shown) {
    option->group(kTextGroup);
    if (shown != nullptr) option->option_text(shown);
    o.of_text.push_back(option);
  };
  add(add_choice<Analyzer>(
          verb, "--analyzer", o.text.tokenizer.analyzer,
          {{"word", Analyzer::word}, {"char", Analyzer::char_}, {"char_wb", Analyzer::char_wb}},
          "Terms are words (two or more letters, digits, underscores), n-grams of "
          "characters, or n-grams inside of words"),
      "ANALYZER=word");
  add(verb.add_option("--ngrams", o.ngrams, "Lengths of the n-grams: N, or MIN-MAX such as 1-2"),
      "N=1");
  add(verb.add_flag_callback(
          "--keep-case", [&o] { o.text.tokenizer.lower_case = false; },
          "Do not change capitals to small letters"),
      nullptr);
  add(verb.add_option("--stop-words", o.stop_words,
                      "Words to leave out: english, or a file with a word a line"),
      "english|FILE");
  add(add_choice<TermValues>(verb, "--term-weights", o.text.values,
                             {{"counts", TermValues::counts},
                              {"binary", TermValues::binary},
                              {"tf-idf", TermValues::tf_idf}},
                             "Value of a term: its count, 1, or the count times "
                             "ln((1 + N) / (1 + df)) + 1"),
      "WEIGHTS=counts");
  add(verb.add_flag("--sublinear", o.text.sublinear, "1 + ln(count) in the place of counts"),
      nullptr);
  add(add_choice<std::optional<TermNorm>>(
          verb, "--norm", o.text.norm,
          {{"none", TermNorm::none}, {"l1", TermNorm::l1}, {"l2", TermNorm::l2}},
          "Divide the values of a text by their norm; l2 with tf-idf, otherwise none"),
      "NORM");
  add(verb.add_option("--min-documents", o.min_documents,
                      "Leave out terms of fewer texts: a number, or a fraction such as 0.001"),
      "NUMBER=1");
  add(verb.add_option("--max-documents", o.max_documents,
                      "Leave out terms of more texts: a number, or a fraction such as 0.5"),
      "NUMBER=1.0");
  add(verb.add_option("--max-terms", o.text.max_terms, "Keep the N most frequent terms")
          ->transform(whole_number(1)),
      "N");
  add(verb.add_option("--hash-bits", o.text.hash_bits,
                      "Hash terms to 2^BITS features; the model then keeps no vocabulary")
          ->transform(whole_number(1, TextOptions::kMostBits)),
      "BITS");
}

void add_csv_options(CLI::App& verb, DataOptions& o) {
  const auto add = [&](CLI::Option* option, const char* shown) {
    option->group(kCsvGroup);
    if (shown != nullptr) option->option_text(shown);
    o.of_csv.push_back(option);
  };
  const auto add_list = [&](const char* name, std::vector<std::string>& lists, const char* what) {
    add(verb.add_option(name, lists, what)->allow_extra_args(false), "A,B,...");
  };
  add(add_choice<char>(verb, "--delimiter", o.csv.delimiter,
                       {{"comma", ','}, {",", ','}, {"tab", '\t'}, {"semicolon", ';'}, {";", ';'}},
                       "What is between cells: comma, tab or semicolon")
          ->transform(delimiter_name()),
      "DELIMITER=comma");
  add(verb.add_option("--label", o.csv.label,
                      "The column of labels; without: `label`, else `class`, else the last one"),
      "COLUMN");
  add_list("--numeric", o.numeric,
           "Columns of numbers; of others, those where every cell of DATA is a number are");
  add_list("--categorical", o.categorical, "Columns of names, even where they look like numbers");
  add_list("--ignore", o.ignored, "Columns to leave out");
  add_list("--missing", o.missing, "Cells that say nothing, beside the empty one");
  add(verb.add_flag("--standardise,--standardize", o.csv.standardise,
                    "Numbers minus their mean in DATA, divided by their deviation"),
      nullptr);
}

// A list as one record of CSV: a name with a comma in it stands in quotes.
std::vector<std::string> read_lists(const std::vector<std::string>& lists) {
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
DocumentLimit read_limit(const std::string& text, const char* option) {
  double value = 0;
  if (parse_number(text, value) == NumberKind::finite) {
    return {value, text.find_first_of(".eE") != std::string::npos};
  }
  throw UsageError(std::string(option) + " " + in_quotes(text) +
                   " is neither a number of texts, such as 2, nor a fraction, such as 0.01");
}

void read_ngrams(const std::string& text, TokenizerOptions& out) {
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
  throw UsageError("--ngrams " + in_quotes(text) +
                   " is neither a length from 1 on, such as 2, nor a range of them, such as 1-2");
}

// Whether any of the options is there.
bool any_given(const std::vector<const CLI::Option*>& options, const char* format,
               InputFormat given, bool used) {
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    if (used) return true;
    throw UsageError(option->get_name() + " goes with --format " + format + ", and the format is " +
                     std::string(format_name(given)));
  }
  return false;
}

}  // namespace

CLI::Validator delimiter_name() {
  const auto read = [](const std::string& text) {
    for (const char* known : {"comma", "tab", "semicolon", ",", ";"}) {
      if (text == known) return std::string();
    }
    return in_quotes(text) + " is none; choose comma, tab or semicolon";
  };
  return CLI::Validator([read](std::string& text) { return read(text); }, "");
}

const char* const kDataHelp = R"(
Texts and tables become features by the options of their groups; the model keeps what they say, and
predict, evaluate and explain repeat it:
  croft train -o m.croft --format text --term-weights tf-idf --ngrams 1-2 news.tsv
  croft train -o m.croft --format csv --label income --ignore id --missing '?' --standardise a.csv
  croft train -o m.croft --format svmlight train.svm
docs/formats.md describes the formats.
)";

void add_format_options(CLI::App& verb, DataOptions& options) {
  add_text_options(verb, options);
  add_csv_options(verb, options);
}

void set_format_options(const DataOptions& options, TrainRequest& request) {
  const InputFormat format = request.format;
  if (any_given(options.of_text, "text", format, format == InputFormat::text)) {
    TextOptions text = options.text;
    if (!options.ngrams.empty()) read_ngrams(options.ngrams, text.tokenizer);
    if (!options.min_documents.empty()) {
      text.min_documents = read_limit(options.min_documents, "--min-documents");
    }
    if (!options.max_documents.empty()) {
      text.max_documents = read_limit(options.max_documents, "--max-documents");
    }
    request.stop_words = options.stop_words;
    request.text = std::move(text);
  }
  if (any_given(options.of_csv, "csv", format, format == InputFormat::csv)) {
    CsvOptions csv = options.csv;
    csv.numeric = read_lists(options.numeric);
    csv.categorical = read_lists(options.categorical);
    csv.ignored = read_lists(options.ignored);
    csv.missing = read_lists(options.missing);
    request.csv = std::move(csv);
  }
}

}  // namespace croft::cli
