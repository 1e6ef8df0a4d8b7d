// The options of train that say how texts and tables become features.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "croft/app/train.h"

namespace croft::cli {

// As they are written; set_format_options() makes sense of them.
struct DataOptions {
  TextOptions text;
  std::string ngrams, min_documents, max_documents, stop_words;
  CsvOptions csv;
  std::vector<std::string> numeric, categorical, ignored, missing;  // lists, as CSV has them
  std::vector<const CLI::Option*> of_text, of_csv;                  // the options themselves
};

// In groups of their own.
// What --delimiter takes, as ->transform(…): comma, tab or semicolon, or one of , and ; itself.
CLI::Validator delimiter_name();

void add_format_options(CLI::App& verb, DataOptions& options);

// Puts what was asked for into the request, whose format is known.  Throws UsageError for an option
// that the format does not use, and for values that cannot be read.
void set_format_options(const DataOptions& options, TrainRequest& request);

// What they are for, with examples; for the end of --help.
extern const char* const kDataHelp;

}  // namespace croft::cli
