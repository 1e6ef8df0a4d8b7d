// Sequences from the formats of other programs: one table, which readers are found by.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/convert/texts/text_record.h"
#include "croft/data/line_reader.h"
#include "data/csv.h"

namespace croft {

// What readers have to be told; each takes what its format has.
// Which column of a table is the label of a row's text.
enum class TableLabels {
  named,    // label_column; where that is empty, none
  needed,   // label_column; where that is empty, `label`, else `class`.  None is an error
  if_there  // the same; none is fine
};

struct TextReading {
  std::shared_ptr<const TextTokenizer> tokenizer;  // null: the usual one
  Misaligned misaligned = Misaligned::refuse;
  std::string text_column, label_column;  // of csv their names; of conllu and columns the label's
  TableLabels labels = TableLabels::named;
  char delimiter = CsvRecordReader::kByName;  // of csv
  std::string ignore_lines;              // a regular expression: of columns lines to be skipped
  std::vector<std::string> label_names;  // what numbers stand for
  std::vector<std::string> cells;        // of conllu: the columns that a token has
  bool unlabelled = false;               // of columns: the last one is no label
  // For foreign_lines(): they are called as LineReader::before_waiting() has it, and at the end
  // with what is to be said of spans that do not fit their tokens.  Both may be null.
  std::function<void()> before_waiting = {};
  std::function<void(const std::string&)> warn = {};
};

class TextReader {
 public:
  virtual ~TextReader() = default;
  // The next sequence, or false at the end.  Throws InputError (file, line, text, remedy).
  virtual bool next(TextRecord& record) = 0;
  const ChangedSpans& changed() const { return changed_; }
  // After the end: why there was none of what stood there; empty: nothing stood there.
  virtual std::string why_none() const { return {}; }

 protected:
  ChangedSpans changed_;
};

struct TextFormat {
  std::string_view name, help;
  bool trains = false;  // it has labels, and all that training has to be told of it is its name
  // Options of TextReading beside the tokenizer's that it takes, by their names.
  std::vector<std::string_view> takes;
  bool cuts = false;           // texts into tokens, by a tokenizer
  bool labels_tokens = false;  // and not spans: columns, conllu, huggingface
  // null: of files that belong together
  std::unique_ptr<TextReader> (*open)(LineReader lines, const TextReading& reading) = nullptr;
};
bool takes(const TextFormat& format, std::string_view option);
std::span<const TextFormat> text_formats();
// Throws UsageError that lists them.
const TextFormat& text_format(std::string_view name);
const TextFormat* find_text_format(std::string_view name);  // null: there is none
// Throws UsageError for an option that the format does not take, and for options that contradict
// each other.
std::unique_ptr<TextReader> open_texts(const std::string& path, std::string_view format,
                                       const TextReading& reading);
// The files that open_texts() reads, also those that the path only implies.
std::vector<std::string> files_of_texts(const std::string& path, std::string_view format);

// --- internal: what is in which file; these need a tokenizer where the format cuts texts

std::unique_ptr<TextReader> open_raw(LineReader lines, const TextReading&);
std::unique_ptr<TextReader> open_spans(LineReader lines, const TextReading&);
std::unique_ptr<TextReader> open_doccano(LineReader lines, const TextReading&);
std::unique_ptr<TextReader> open_prodigy(LineReader lines, const TextReading&);
std::unique_ptr<TextReader> open_hugging_face(LineReader lines, const TextReading&);
std::unique_ptr<TextReader> open_suggested(LineReader lines, const TextReading&);
std::unique_ptr<TextReader> open_conllu(LineReader lines, const TextReading&);
std::unique_ptr<TextReader> open_columns(LineReader lines, const TextReading&);
std::unique_ptr<TextReader> open_segmented(LineReader lines, const TextReading&);
std::unique_ptr<TextReader> open_csv(LineReader lines, const TextReading&);
// FILE.txt or FILE.ann: both; a folder: all of its pairs, by their names.
std::unique_ptr<TextReader> open_brat(const std::string& path, const TextReading& reading);
std::vector<std::string> files_of_brat(const std::string& path);
// A text and what is annotated in it.
std::unique_ptr<TextReader> open_brat(LineReader text, LineReader annotations,
                                      const TextReading& reading);

}  // namespace croft
