// croft stack
#include "app/convert/stack.h"

#include <array>

#include "cli/common.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kStackFooter = R"(
Example:
  croft stack -m hmm.croft --jackknife 10 train.conll > train.attributes
  croft train --format attributes -o crf.croft train.attributes
  croft stack -m hmm.croft new.conll | croft predict -m crf.croft -

Writes attribute lines: the attributes that `croft train` would give the data, and KIND=LABEL with
the model's probability of LABEL as its value. On the data that the model was trained on take
--jackknife: there it is surer of itself than it is elsewhere, and who learns from it would trust it
too much.  docs/hmm.md)";

std::span<const OptionRow> stack_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      model_row(),
      data_row("Data in the model's format; without: standard input"),
      whole("jackknife", "K",
            "Cut the labelled data into K parts, each labelled by a hidden Markov model trained on "
            "the others as this one was")
          .from(2),
      file("template", "FILE",
           "Templates of the other attributes; without: the default features for words"),
      file("kit", "FILE", "Further features beside the other attributes (docs/features.md)"),
  });
  return kRows;
}

int run_stack(const OptionValues& values) {
  StackRequest request;
  values.read("model", request.model);
  values.read("DATA", request.data);
  values.read("jackknife", request.jackknife);
  values.read("template", request.template_path);
  values.read("kit", request.kit);
  values.read("threads", request.threads);
  stack(request, write_result);
  return kDone;
}

}  // namespace

const Verb kStack = {
    .name = "stack",
    .summary = "Write data with a model's label probabilities as attributes, for another model",
    .options = [] { return tables(stack_options(), common_options()); },
    .footer = [] { return std::string(kStackFooter); },
    .run = run_stack};

}  // namespace croft::cli
