#include <algorithm>
#include <vector>

#include "app/check/data_check.h"
#include "app/label/data_form.h"
#include "app/train/requests.h"

namespace croft {

std::span<const OptionRow> check_rows() {
  using namespace option;
  static const std::vector<OptionRow> kRows = [] {
    std::vector<OptionRow> rows = {
        choice("format", "FORMAT=columns",
               {"columns", "spans", "attributes", "text", "svmlight", "csv"},
               "As croft train reads them: columns, spans, attributes, text, svmlight or csv")
            .at_first("columns"),
        whole("show", "N=5", "So many cases of each finding").at_first("5"),
        label_column_row(kLabelColumnHelp),
        ignore_lines_row(),
    };
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
  read_columns_form(values, out.format == "columns", out.form);
  if (read_table_of_texts(values, out.format, out.texts)) {
    out.format = "text";
  } else {
    read_table_options(values, out.format, out.table);
  }
  return out;
}

}  // namespace croft
