#include "cli/code_decoder.h"

#include "croft/core/error.h"
#include "croft/model/model_file.h"
#include "model/kinds/error_correcting_model.h"

namespace croft::cli {

void add_decoder_option(CLI::App& verb, std::string& decoder) {
  verb.add_option("--decoder", decoder,
                  "Of a model of kind error-correcting: product (of the bits' chains, a chain over "
                  "labels), marginal, distance or bits; default: what it was trained with")
      ->check(CLI::IsMember({"product", "marginal", "distance", "bits"}))
      ->option_text("DECODER");
}

std::shared_ptr<const SequenceModel> open_with_decoder(const std::string& path,
                                                       const std::string& decoder) {
  auto model = open_model(path);
  if (decoder.empty()) return model;
  if (model->kind() != ErrorCorrectingModel::kKind) {
    throw UsageError("--decoder is of models of kind error-correcting, and " + path +
                     " is of kind " + model->kind());
  }
  return ErrorCorrectingModel::open(path, code_decoder_named(decoder));
}

}  // namespace croft::cli
