// croft stack
#include <memory>

#include "app/convert/stack.h"
#include "cli/common.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft stack -m hmm.croft --jackknife 10 train.conll > train.attributes
  croft train --format attributes -o crf.croft train.attributes
  croft stack -m hmm.croft new.conll | croft predict -m crf.croft -

Writes attribute lines: the attributes that `croft train` would give the data, and KIND=LABEL with
the model's probability of LABEL as its value. On the data that the model was trained on take
--jackknife: there it is surer of itself than it is elsewhere, and who learns from it would trust it
too much.  docs/hmm.md)";

struct StackCommand {
  StackRequest request;
  CommonOptions common;
};

}  // namespace

void add_stack(Program& program) {
  CLI::App* verb = program.app.add_subcommand(
      "stack", "Write data with a model's label probabilities as attributes, for another model");
  auto c = std::make_shared<StackCommand>();
  verb->add_option("-m,--model", c->request.model, "Model file")->required();
  verb->add_option("DATA", c->request.data, "Data in the model's format; without: standard input")
      ->default_val(std::vector<std::string>{"-"});
  verb->add_option("--jackknife", c->request.jackknife,
                   "Cut the labelled data into K parts, each labelled by a hidden Markov model "
                   "trained on the others as this one was")
      ->transform(whole_number(2))
      ->option_text("K");
  verb->add_option("--template", c->request.template_path,
                   "Templates of the other attributes; without: the default features for words")
      ->option_text("FILE");
  verb->add_option("--kit", c->request.kit,
                   "Further features beside the other attributes (docs/features.md)")
      ->option_text("FILE");
  add_common(*verb, c->common);
  verb->footer(kFooter);
  verb->callback([c, &program] {
    c->request.threads = c->common.threads;
    stack(c->request, write_result);
    program.status = kDone;
  });
}

}  // namespace croft::cli
