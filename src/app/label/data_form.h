// How a file of data is written that a model is to read.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/convert/texts/text_readers.h"
#include "core/option_row.h"
#include "core/option_values.h"
#include "croft/data/line_reader.h"
#include "croft/structure/chunk_label.h"
#include "data/columns.h"

namespace croft {

class SequenceModel;

OptionRow data_format_row();       // --format of a model's data
OptionRow tokenizer_row();         // --tokenizer: of texts in it
OptionRow data_label_row();        // --label-column
OptionRow data_misaligned_row();   // --misaligned
OptionRow data_text_column_row();  // --text-column: of a table

// Whether data of the format is spans for a model, or becomes it: raw, prodigy and others.
bool is_read_as_spans(std::string_view format);

// What label_column_row() and ignore_lines_row() were given; the rest stays.  Throws UsageError as
// ColumnsForm::validate(), and for data that has no such columns.
//   format : of the data; columns, or one that labels tokens in a column with a name, such as
//   conllu field  : gets that name
void read_columns_form(const OptionValues& values, std::string_view format, ColumnsForm& form,
                       std::string& field);
// Read what misaligned_row() and tokenizer_row() were given, of data of this format; without one
// `out` stays as it is.
// Throw UsageError where it has no spans in texts, or no texts to be cut.
void read_misaligned(const OptionValues& values, std::string_view format, Misaligned& out);
void read_tokenizer(const OptionValues& values, std::string_view format,
                    std::shared_ptr<const TextTokenizer>& out);

// What the model was trained on, or what another program wrote, which becomes spans or columns in
// memory; of a table with a column of texts, these.
class DataForm {
 public:
  // As in training.
  explicit DataForm(const SequenceModel& model);
  // As the rows above and ignore_lines_row() have it, of which not all need be there.
  //   chunks : how the model's labels spell chunks, as spans_for() takes it
  // Throws UsageError as spans_for() and read_columns_form() do, and for --tokenizer and
  // --text-column where they have no meaning.  Where nothing is said of spans that do not fit their
  // tokens, they are refused if labels are needed; if not, their sequence has none.
  DataForm(const OptionValues& values, const SequenceModel& model,
           ChunkScheme chunks = ChunkScheme::automatic);
  std::optional<ChunkScheme> spans() const { return spans_; }
  // Of rows of columns: as the model has it, but for what the options say.
  const ColumnsForm& columns() const { return columns_; }
  //   labelled : a table without labels is an error
  //   warn     : of lines that are not UTF-8, where the training had none, and of spans that do not
  //              fit their tokens; may be null
  LineReader lines(const std::string& path, bool labelled,
                   const std::function<void(const std::string&)>& warn = {}) const;
  bool is_foreign() const { return !format_.empty(); }  // of another program, or a table of texts
  bool is_json_lines() const { return format_ == "prodigy" || format_ == "doccano"; }

 private:
  std::string format_;
  TextReading reading_;
  bool utf8_ = true, says_misaligned_ = false;
  std::optional<ChunkScheme> spans_;
  ColumnsForm columns_;
};

}  // namespace croft
