// What is strange in labelled data, before anything is trained on it: croft check.
//
// Nothing of it need be wrong.  Each finding has a count, and the lines of some cases.
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/convert/texts/text_readers.h"
#include "core/option_values.h"
#include "data/columns.h"
#include "data/csv_table.h"

namespace croft {
class Json;

struct CheckOptions {
  std::string format = "columns";  // as croft train reads it
  std::size_t shown = 5;           // cases of each finding
  ColumnsForm form{};              // of columns
  CsvOptions table{};              // of csv
  // The format of another program that `format` is made of, and how; csv is a table of texts.
  std::string foreign{};
  TextReading reading{};
};

// The options of croft check, for every front end.
std::span<const OptionRow> check_rows();
// Throws UsageError for those of a format that is not the data's.
CheckOptions check_options(const OptionValues& values);

// One kind of finding.
struct Finding {
  std::string name;  // as the JSON has it: invalid_chunks, …
  std::string text;  // for people: what was found
  std::size_t count = 0;
  struct Case {
    std::size_t line = 0;   // of the file that was checked
    std::string what{};     // the word, the label, …
    std::size_t other = 0;  // another line that it belongs with; 0: none
  };
  std::vector<Case> cases{};  // the first ones
};

struct FileCheck {
  std::string name;
  std::size_t sequences = 0, positions = 0, longest = 0;
  std::map<std::string, std::size_t> labels{};  // how often each occurs
  std::vector<Finding> findings{};              // those that have a count above 0
};

struct DataCheck {
  FileCheck train;
  std::vector<FileCheck> tests;  // with what they have to do with the training data
};

// Throws InputError for data that cannot be read.  Tables of tests have the columns of the training
// data.  Memory: that of the training data's text, once, and of the names of attributes.
DataCheck check_data(const std::string& train, const std::vector<std::string>& tests,
                     const CheckOptions& options);

// What fits on a line for people: line ends as blanks, and a long text cut.
std::string shortened(std::string text);

std::string format_check(const DataCheck& check);
Json to_json(const DataCheck& check);

}  // namespace croft
