#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/check/data_check.h"
#include "app/convert/texts/text_readers.h"
#include "app/label/data_form.h"
#include "app/label/row_reader.h"
#include "app/train/requests.h"

namespace croft {

std::span<const OptionRow> check_rows() {
  using namespace option;
  static const std::vector<OptionRow> kRows = [] {
    std::vector<OptionRow> rows;
    for (const std::string_view name : {"format", "label-column", "ignore-lines", "misaligned"}) {
      rows.push_back(*std::ranges::find(data_options(), name, &OptionRow::name));
    }
    rows.front() = rows.front().at_first("columns");
    for (OptionRow& row : rows) row.kinds = kEveryKind, row.front_end = false;
    rows.push_back(
        words("tokenizer", "TOKENIZER=words",
              "Of prodigy, doccano and brat: how texts become tokens: words, blanks, characters, "
              "regex:EXPRESSION, or model:FILE"));
    rows.push_back(whole("show", "N=5", "So many cases of each finding").at_first("5"));
    std::ranges::copy_if(feature_options(), std::back_inserter(rows),
                         [](const OptionRow& row) { return row.group == kTableGroup; });
    return rows;
  }();
  return kRows;
}

CheckOptions check_options(const OptionValues& values) {
  CheckOptions out;
  values.read("format", out.format);
  values.read("show", out.shown);
  read_columns_form(values, out.format, out.form, out.reading.label_column);
  read_misaligned(values, out.format, out.reading.misaligned);
  read_tokenizer(values, out.format, out.reading.tokenizer);
  out.reading.labels = TableLabels::needed;
  const TextFormat* const foreign = find_text_format(out.format);
  if (read_table_of_texts(values, out.format, out.reading)) {
    out.foreign = std::exchange(out.format, "text");
  } else if (foreign != nullptr && foreign->trains) {
    out.foreign =
        std::exchange(out.format, foreign->labels_tokens ? "columns" : std::string(kSpanFormat));
  } else {
    read_table_options(values, out.format, out.table);
  }
  return out;
}

}  // namespace croft
