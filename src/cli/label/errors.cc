// croft errors
#include <array>

#include "app/evaluate/label_errors.h"
#include "cli/common.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "core/json.h"
#include "croft/core/error.h"

namespace croft::cli {
namespace {

constexpr const char* kErrorsFooter = R"(
Example:
  croft errors -m m.croft test.conll
  croft errors -m m.croft --train train.conll --kind missed --top 50 test.conll
  croft errors -m m.croft --explain --json test.conll > errors.json

Of chunks: boundary (it begins or ends elsewhere), type, both, missed (nothing was predicted there),
invented (nothing is there).  Of other labels each wrong one.  The surest mistakes come first: they
are what the model has learnt wrongly, or what is labelled wrongly.)";

std::span<const OptionRow> errors_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      model_row(),
      file("DATA", "FILE",
           "Labelled data that the model was not trained on, in the form of its training data")
          .needed()
          .unnamed(),
      file("train", "FILE", "What it was trained on: tells words that it has not seen"),
      choice("kind", "KIND", {kErrorKinds.begin(), kErrorKinds.end()}, "List errors of this kind"),
      whole("top", "N=20", "So many errors are listed, the surest first").at_first("20"),
      flag("explain", "With what speaks for the predicted label against the gold one"),
      chunks_row("auto, bio, bio1, ioe, bioes, raw or none"),
      json_row("One JSON document instead of text"),
  });
  return kRows;
}

int run_errors(const OptionValues& values) {
  const std::string data(values.text("DATA"));
  if (data == "-") throw UsageError("errors reads DATA twice: give a file");
  ErrorOptions options;
  options.scheme = chunk_scheme(values);
  options.train = values.text("train");
  values.read("top", options.top);
  options.explain = values.flag("explain");
  if (values.given("kind")) {
    ErrorKind kind{};
    values.choose("kind",
                  {ErrorKind::boundary, ErrorKind::type, ErrorKind::both, ErrorKind::missed,
                   ErrorKind::invented, ErrorKind::label},
                  kind);
    options.kind = kind;
  }
  const ErrorReport report =
      find_errors(*open_model(std::string(values.text("model"))), data, options);
  write_answer(
      values.flag("json"), [&] { return to_json(report); }, [&] { return format_errors(report); });
  return kDone;
}

}  // namespace

const Verb kErrors = {.name = "errors",
                      .summary = "Show where a model is wrong, the surest mistakes first",
                      .options = [] { return tables(errors_options(), common_options()); },
                      .footer = [] { return std::string(kErrorsFooter); },
                      .run = run_errors,
                      .gives_up = true};

}  // namespace croft::cli
