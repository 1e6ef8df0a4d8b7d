// Options that verbs with a model and data have in common.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "app/label/chunks.h"
#include "app/label/data_form.h"
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
OptionRow chunks_row(std::string_view help);  // --chunks
OptionRow decoder_row();                      // --decoder
// --costs and --threshold: how labels are chosen from probabilities.
std::span<const OptionRow> decision_options();
ChoiceRequest read_decision(const OptionValues& values);
OptionRow json_row(std::string_view help);  // --json

// Lines of data, with warnings on standard error.
//   labelled : as DataForm::lines() has it
LineReader data_lines(const DataForm& form, const std::string& path, bool labelled = false);

// As chunks_row() has it.
ChunkScheme chunk_scheme(const OptionValues& values);

// The model of --model; with --decoder in the place of its own.  Throws UsageError where the model
// is of another kind and there is one.
std::shared_ptr<const SequenceModel> open_with_decoder(const OptionValues& values);

}  // namespace croft::cli
