#include "cli/verb.h"

#include <fmt/format.h>

#include <utility>

#include "app/train/requests.h"
#include "cli/processes.h"
#include "cli/progress.h"
#include "sql/logic/logic_learning.h"
#include "sql/train/table_trainers.h"
#include "train/generative/hmm_criterion.h"
#include "train/methods/objectives.h"

namespace croft::cli {
namespace {

constexpr const char* kTextsAndTables = R"(
Texts and tables become features by the options of their groups; the model keeps what they say, and
predict, evaluate and explain repeat it:
  croft train -o m.croft --format text --term-weights tf-idf --ngrams 1-2 news.tsv
  croft train -o m.croft --format csv --label income --ignore id --missing '?' --standardise a.csv
  croft train -o m.croft --format svmlight train.svm
docs/formats.md describes the formats.
)";

constexpr const char* kExamples = R"(
Example:
  croft train -o m.croft train.conll
  croft train -o m.croft --template chunk.template --l2 1 --threads 2 train.conll
  croft train -o m.croft --kit kit.toml train.conll
  croft train -o m.croft --format attributes --l1 1 --l2 0 train.attributes
  croft train -o m.croft --format spans --label-scheme bioes train.jsonl
  croft train -o m.croft --constrain bio --partial train.conll
  croft train -o m.croft --induce --holdout 0.1 train.conll
  croft train -o m.croft --model maxent --format text --intercept=unpenalised train.tsv
  croft train -o m.croft --model maxent --joint-template joint.template words.txt
  croft train -o fitted.bif --model bayes-net --structure net.bif --smoothing 1 cases.csv
  croft train -o learnt.bif --model bayes-net --learn-structure hill-climbing cases.csv
  croft train -o m.croft --objective max-margin --optimizer smo --kernel poly:3 letters.conll
  croft train -o m.croft --model hidden-chain --hidden-states 3 --starts 5 train.conll
  croft train -o m.croft --model pool --experts all --experts random:4 --holdout 0.1 train.conll
  croft train -o m.croft --model error-correcting --code random:60 --threads 2 train.conll
  croft train -o m.croft --model boosted-chain --holdout 0.1 --early-stop 20 train.conll
  croft train -o m.croft --model boosted-segment --segment-template names.txt train.conll
  croft train -o m.croft --model segment --segment-template whole.template train.conll
  croft train -o m.croft --model graph --spec pages.toml --database pages.sqlite
  croft train -o learnt.mln --model logic --program rules.mln --query Cancer facts.db
  croft train -o m.croft --checkpoint state train.conll   # after a crash: the same, and --resume
  mpirun -n 4 croft train -o m.croft train.conll          # on several machines: docs/distributed

The objective is  -sum log p(y|x) + l1 |w|_1 + (l2/2) |w|_2^2.  CRFsuite's c2 is l2/2, Wapiti's rho2 is l2,
CRF++'s C and MALLET's variance are 1/l2.  A first Ctrl-C ends the training and keeps the model.
docs/objectives.md explains objectives, optimizers, priors and checkpoints, docs/training.md partial labels,
weights, costs, constraints and groups of transitions; docs/options.md says which kinds have which options.)";

std::string objectives_text() {
  std::string text = "\nObjectives (and their optimizer by default):\n";
  for (const ObjectiveInfo& each : objective_table()) {
    const bool dual = each.objective == Objective::likelihood;
    text += fmt::format("  {:<20}{} ({}{})\n", each.name, each.summary,
                        dual ? "dual-ascent, or " : "", info(each.by_default).name);
  }
  text += "\nOptimizers:\n";
  for (const MethodInfo& each : method_table()) {
    text +=
        fmt::format("  {:<20}{}{}\n", each.name, each.summary, each.passes ? "; by passes" : "");
  }
  return text + "\nA pair that does not go together is refused with a list of those that do.\n";
}

std::string graph_objectives_text() {
  std::string text = "\nObjectives of --model graph (and their optimizer by default):\n";
  for (const ObjectiveInfo& each : objective_table(Structure::graph)) {
    // A long name has a line of its own.
    const std::string_view gap = each.name.size() < 20 ? "" : "\n                      ";
    text += fmt::format("  {:<20}{}{} ({})\n", each.name, gap, each.summary,
                        info(each.by_default).name);
  }
  return text + fmt::format(
                    "With {} instances or more lbfgs comes after passes of SGD, as sgd-lbfgs, "
                    "unless labels are hidden or --init or --prior is given.\n",
                    GraphTrainOptions::kManyInstances);
}

std::string hmm_objectives_text() {
  std::string text = "\nObjectives of --model hmm (the last three by L-BFGS):\n";
  for (const HmmObjectiveInfo& each : hmm_objectives()) {
    text += fmt::format("  {:<20}{}\n", each.name, each.what);
  }
  return text;
}

std::string train_footer() {
  return objectives_text() + hmm_objectives_text() + graph_objectives_text() +
         "\nObjectives of --model logic, with their settings:\n" + describe_logic_objectives() +
         kTextsAndTables + kExamples;
}

// The kind that --model or --format names; a wrong combination is told when it is run.
KindChoice kind_of_help(const OptionValues& values) {
  try {
    return chosen_kind(values);
  } catch (const UsageError&) {
    return {kChainBit, "chain"};
  }
}

std::string brief_train_footer(const OptionValues& values) {
  constexpr std::size_t kWidth = 100;
  std::string kinds, line = "   ";
  for (const KindName& each : kind_names()) {
    if (line.size() + each.name.size() > kWidth) kinds += std::exchange(line, "   ") + "\n";
    line += fmt::format(" {}", each.name);
  }
  kinds += line;
  return fmt::format(R"(
Example:
  croft train -o m.croft train.conll
  croft train -o m.croft --holdout 0.1 --early-stop 10 --log m.log train.conll
  croft train -o m.croft --format text news.tsv

These are the options that most trainings of --model {} need.
  croft train --help=all               all options, objectives and optimizers
  croft train --model KIND --help      those of another kind:
{}
docs/training.md is a guide, docs/options.md says which kinds have which options.)",
                     kind_of_help(values).shown.text(), kinds);
}

}  // namespace

const Verb kTrain = {.name = "train",
                     .summary = "Fit a model to labelled sequences",
                     .options = training_options,
                     .footer = train_footer,
                     .run = run_train,
                     .need_of_memory =
                         "use less data, a larger machine or, for a model of kind chain, maxent "
                         "or memm, fewer features: --features observed, --min-count",
                     .own_company = true,
                     .kinds = [](const OptionValues& values) { return kind_of_help(values).bit; },
                     .brief_footer = brief_train_footer,
                     .several_processes = true};

int run_train(const OptionValues& values) {
  const auto trainer = make_trainer(values, table_trainer_rows());
  if (started_by_mpi()) trainer->work_with(processes());
  if (const std::string_view kind = kind_of_format(values);
      !kind.empty() && !values.flag("quiet")) {
    fmt::print(stderr,
               "a model of kind {}, as each text has a label of its own (--model names another)\n",
               kind);
  }
  return run_training(*trainer, std::string(values.text("log")), values.flag("quiet"));
}

}  // namespace croft::cli
