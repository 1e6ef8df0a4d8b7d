// croft check
#include <array>

#include "app/check/data_check.h"
#include "cli/common.h"
#include "cli/verb.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kCheckFooter = R"(
Example:
  croft check train.conll test.conll
  croft check --format text --json train.tsv > findings.json
  croft check --format csv --label income people.csv

Says how often each label occurs, and what is strange: labels that spell no chunks, sequences that
are there twice or labelled in two ways, labels that occur once, lines that are no UTF-8, columns of
numbers whose size is not that of the others; of TEST, what the training data has, too, or has not.
Nothing of it need be wrong.  croft convert makes one of these formats of the others (BRAT, CoNLL-U,
doccano, ...).  docs/formats.md)";

std::span<const OptionRow> files() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("TRAIN", "FILE", "Labelled data to train on").needed().unnamed(),
      file("TEST", "FILE ...", "Labelled data to evaluate on, compared with TRAIN")
          .unnamed()
          .listed(),
      json_row("One JSON document instead of text"),
  });
  return kRows;
}

int run_check(const OptionValues& values) {
  const CheckOptions options = check_options(values);
  std::vector<std::string> tests;
  values.read("TEST", tests);
  const std::string train(values.text("TRAIN"));
  tests.push_back(train);
  if (std::ranges::find(tests, "-") != tests.end()) {
    throw UsageError("check reads its data twice: give files");
  }
  tests.pop_back();
  const DataCheck found = check_data(train, tests, options);
  write_answer(
      values.flag("json"), [&] { return to_json(found); }, [&] { return format_check(found); });
  return kDone;
}

}  // namespace

const Verb kCheck = {.name = "check",
                     .summary = "Say what is strange in labelled data, before training on it",
                     .options = [] { return tables(files(), check_rows(), common_options()); },
                     .footer = [] { return std::string(kCheckFooter); },
                     .run = run_check,
                     .gives_up = true};

}  // namespace croft::cli
