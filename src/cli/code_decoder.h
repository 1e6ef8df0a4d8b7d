// --decoder of predict and evaluate: how the binary chains of an error-correcting model make
// labels.
#pragma once
#include <memory>
#include <string>

#include "cli/common.h"
#include "croft/model/sequence_model.h"

namespace croft::cli {

void add_decoder_option(CLI::App& verb, std::string& decoder);

// The model; `decoder`, where it is not empty, in the place of its own.  Throws UsageError where
// the model is of another kind and there is one.
std::shared_ptr<const SequenceModel> open_with_decoder(const std::string& path,
                                                       const std::string& decoder);

}  // namespace croft::cli
