#include "cli/model_options.h"

#include <array>
#include <cstdio>
#include <utility>

#include "croft/core/error.h"
#include "croft/data/line_reader.h"
#include "model/kinds/error_correcting_model.h"
#include "model/kinds/model_file.h"

namespace croft::cli {

OptionRow model_row() { return option::file("model", "FILE", "Model file").short_as('m').needed(); }

OptionRow data_row(std::string_view help) {
  return option::file("DATA", "FILE=- ...", help).at_first("-").repeated().unnamed();
}

OptionRow chunks_row(std::string_view help) {
  return option::choice("chunks", "SCHEME=auto",
                        {"auto", "bio", "bio1", "ioe", "bioes", "raw", "none"}, help)
      .at_first("auto");
}

OptionRow decoder_row() {
  return option::choice(
      "decoder", "DECODER", {"product", "marginal", "distance", "bits"},
      "Of a model of kind error-correcting: product (of the bits' chains, a chain over labels), "
      "marginal, distance or bits; default: what it was trained with");
}

std::span<const OptionRow> decision_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("costs", "FILE",
           "Lines GOLD PREDICTED COST: choose the label of least expected cost under the marginals")
          .without("threshold")
          .of(kModelFiles),
      words("threshold", "LABEL=P ...",
            "Choose LABEL where its probability reaches P, and otherwise the most probable label "
            "without a threshold; may be given several times")
          .repeated()
          .of(kModelFiles),
  });
  return kRows;
}

ChoiceRequest read_decision(const OptionValues& values) {
  ChoiceRequest request;
  values.read("threshold", request.thresholds);
  if (!values.given("costs")) return request;
  LineReader lines{std::string(values.text("costs"))};
  request.costs = read_cost_file(lines);
  return request;
}

OptionRow json_row(std::string_view help) { return option::flag("json", help); }

LineReader data_lines(const DataForm& form, const std::string& path, bool labelled) {
  return form.lines(path, labelled, [](const std::string& warning) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  });
}

ChunkScheme chunk_scheme(const OptionValues& values) {
  return chunk_scheme_from_name(values.text("chunks"));
}

std::shared_ptr<const SequenceModel> open_with_decoder(const OptionValues& values) {
  const std::string path(values.text("model"));
  auto model = open_model(path);
  if (!values.given("decoder")) return model;
  if (model->kind() != ErrorCorrectingModel::kKind) {
    throw UsageError("--decoder is of models of kind error-correcting, and ", path, " is of kind ",
                     model->kind());
  }
  return ErrorCorrectingModel::open(path, code_decoder_named(values.text("decoder")));
}

}  // namespace croft::cli
