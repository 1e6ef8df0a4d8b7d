// Options that verbs with a model and data have in common.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "app/label/chunks.h"
#include "app/label/label_chooser.h"
#include "core/option_row.h"
#include "core/option_values.h"
#include "croft/data/line_reader.h"
#include "data/text_tokenizer.h"
#include "model/kinds/sequence_model.h"
#include "train/options/training_options.h"

namespace croft::cli {

// Networks that are files of their own are no model files.
inline constexpr KindSet kModelFiles = kEveryKind & ~kBayesNetBit & ~kLogicBit;
// All but graph, which labels a database.
inline constexpr KindSet kSequenceModels = kModelFiles & ~kGraphBit;

OptionRow model_row();                        // --model: required
OptionRow data_row(std::string_view help);    // DATA: several files; without: standard input
OptionRow data_format_row();                  // --format of a model's data
OptionRow tokenizer_row();                    // --tokenizer: of texts in it
OptionRow data_label_row();                   // --label-column of a model's data
OptionRow chunks_row(std::string_view help);  // --chunks
OptionRow decoder_row();                      // --decoder
// --costs and --threshold: how labels are chosen from probabilities.
std::span<const OptionRow> decision_options();
ChoiceRequest read_decision(const OptionValues& values);
OptionRow json_row(std::string_view help);  // --json

// As data_format_row() and chunks_row() have them.
std::string data_format(const OptionValues& values);  // empty: what the model was trained on
ChunkScheme chunk_scheme(const OptionValues& values);
// Whether data of the format is spans for a model, or becomes it: raw, prodigy and others.
bool is_read_as_spans(std::string_view format);

// How DATA is read: what the model was trained on, or what another program wrote, which becomes
// spans or columns in memory.
class DataForm {
 public:
  // Throws UsageError as spans_for() and read_columns_form() do, and for --tokenizer where nothing
  // is cut into tokens.
  DataForm(const OptionValues& values, const SequenceModel& model,
           ChunkScheme chunks = ChunkScheme::automatic);
  std::optional<ChunkScheme> spans() const { return spans_; }
  // Of rows of columns: as the model has it, but for what the options say.
  const ColumnsForm& columns() const { return columns_; }
  LineReader lines(const std::string& path) const;
  bool is_foreign() const { return !format_.empty(); }  // of another program
  bool is_json_lines() const { return format_ == "prodigy" || format_ == "doccano"; }

 private:
  std::string format_;
  std::shared_ptr<const TextTokenizer> tokenizer_;  // null: the usual one
  bool utf8_ = true;
  std::optional<ChunkScheme> spans_;
  ColumnsForm columns_;
};

// The model of --model; with --decoder in the place of its own.  Throws UsageError where the model
// is of another kind and there is one.
std::shared_ptr<const SequenceModel> open_with_decoder(const OptionValues& values);

}  // namespace croft::cli
