// croft train
#include <filesystem>
#include <memory>

#include "cli/common.h"
#include "cli/data_options.h"
#include "cli/kind_options.h"
#include "cli/progress.h"
#include "cli/train_bayes_net.h"
#include "cli/train_boosted.h"
#include "cli/train_error_correcting.h"
#include "cli/train_graph.h"
#include "cli/train_hidden_chain.h"
#include "cli/train_hmm.h"
#include "cli/train_joint.h"
#include "cli/train_methods.h"
#include "cli/train_naive_bayes.h"
#include "cli/train_pool.h"
#include "cli/train_rounds.h"
#include "cli/train_segment.h"
#include "croft/app/row_reader.h"
#include "croft/app/train.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "model/kinds/graph_model.h"
#include "model/kinds/hmm_model.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
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
  croft train -o m.croft --objective max-margin --optimizer smo --kernel poly:3 letters.conll
  croft train -o m.croft --model hidden-chain --hidden-states 3 --starts 5 train.conll
  croft train -o m.croft --model pool --experts all --experts random:4 --holdout 0.1 train.conll
  croft train -o m.croft --model error-correcting --code random:60 --threads 2 train.conll
  croft train -o m.croft --model boosted-chain --holdout 0.1 --early-stop 20 train.conll
  croft train -o m.croft --model boosted-segment --segment-template names.txt train.conll
  croft train -o m.croft --model segment --segment-template whole.template train.conll
  croft train -o m.croft --model graph --spec pages.toml --database pages.sqlite
  croft train -o m.croft --checkpoint state train.conll   # after a crash: the same, and --resume

The objective is  -sum log p(y|x) + l1 |w|_1 + (l2/2) |w|_2^2.  CRFsuite's c2 is l2/2, Wapiti's rho2 is l2,
CRF++'s C and MALLET's variance are 1/l2.  A first Ctrl-C ends the training and keeps the model.
docs/objectives.md explains objectives, optimizers, priors and checkpoints, docs/training.md partial labels, weights, costs, constraints and groups of transitions.)";

struct TrainCommand {
  TrainRequest request;
  TrainingNames names;
  DataOptions data;
  RoundOptions rounds;
  CommonOptions common;
  std::string separator = "|";  // with --partial
  bool partial = false;
  bool spans = false;  // --format spans
  std::string intercept;
  std::string model = "chain";
  NaiveBayesCommand naive_bayes;
  HmmCommand hmm;
  HiddenChainCommand hidden_chain;
  PoolCommand pool;
  CodeCommand code;
  JointCommand joint;
  SegmentCommand segment;
  BoostedCommand boosted;
  GraphTrainCommand graph;
  BayesNetCommand bayes_net;
  const CLI::App* verb = nullptr;  // which options were given
  std::string log;
  bool quiet = false;
};

void add_data_options(CLI::App& verb, TrainCommand& c) {
  TrainRequest& r = c.request;
  verb.add_option("DATA", r.data,
                  "Labelled data; several files are read one after the other (required, but for "
                  "--model graph)");
  verb.add_option("-o,--output", r.output, "Model file to write")->required();
  verb.add_option_function<std::string>(
          "--format",
          [&c](const std::string& name) {
            c.spans = name == kSpanFormat;
            c.request.format = c.spans ? InputFormat::columns : *format_of(name);
          },
          "columns (CoNLL; last one: label), spans (JSON lines of tokens and labelled spans), "
          "attributes (CRFsuite), text (LABEL TAB TEXT), svmlight or csv (with a header)")
      ->check(CLI::IsMember({"columns", "spans", "attributes", "text", "svmlight", "csv"}))
      ->option_text("FORMAT=columns");
  verb.add_option("--template", r.template_path,
                  "Feature templates, CRF++'s or Wapiti's; without: default features for words")
      ->option_text("FILE");
  verb.add_option("--kit", r.kit,
                  "Further features: TOML that declares gazetteers, word clusters, embeddings, "
                  "n-grams, patterns, binned numbers (docs/features.md)")
      ->option_text("FILE");
  add_choice<TemplateLanguage>(verb, "--template-language", r.language,
                               {{"auto", TemplateLanguage::automatic},
                                {"crfpp", TemplateLanguage::crfpp},
                                {"wapiti", TemplateLanguage::wapiti}},
                               "auto, crfpp or wapiti: how --template is read")
      ->option_text("LANGUAGE=auto");
  CLI::Option* intercept =
      verb.add_flag("--intercept{penalised}", c.intercept,
                    "A weight for each label whatever the data says: an attribute (intercept) of "
                    "every position, penalised as others; the default of --model maxent, but for "
                    "the default features for words.  --intercept=unpenalised: without a penalty")
          ->check(CLI::IsMember({"penalised", "unpenalised"}));
  verb.add_flag_callback(
          "--no-intercept", [&r] { r.intercept = false; }, "Without it")
      ->excludes(intercept);
  verb.add_flag("--boundaries", r.boundaries,
                "START and STOP as labels before the first and after the last position");
  CLI::Option* partial = verb.add_flag(
      "--partial", c.partial, "Labels may be known in part: ? is any label, A|B one of these");
  verb.add_option("--partial-separator", c.separator, "Character between the labels of a set")
      ->check(separator())
      ->needs(partial)
      ->option_text("CHARACTER=|");
  verb.add_option("--weights", r.weights,
                  "Weights of the sequences of DATA: one number a line, in their order")
      ->option_text("FILE");
  verb.add_option(
          "--class-weights", r.class_weights,
          "maxent and naive-bayes: weights of examples by their label: balanced (all labels "
          "weigh the same together), or a file of lines LABEL TAB WEIGHT")
      ->option_text("balanced|FILE");
}

void add_feature_options(CLI::App& verb, TrainCommand& c) {
  add_choice<std::optional<FeatureSet>>(
      verb, "--features", c.request.features,
      {{"auto", std::nullopt}, {"observed", FeatureSet::observed}, {"all", FeatureSet::all}},
      "observed: pairs of attribute and label that occur (CRFsuite); all: every pair "
      "(CRF++, Wapiti); auto: all with a template")
      ->option_text("SET=auto");
  verb.add_option("--min-count", c.request.options.min_count,
                  "Occurrences a feature needs: of the attribute for all, of the pair for observed")
      ->transform(whole_number(1))
      ->capture_default_str();
}

void add_model_options(CLI::App& verb, TrainCommand& c) {
  TrainOptions& o = c.request.options;
  verb.add_option(
          "--model", c.model,
          "chain: labels that depend on their neighbours; maxent: each by itself (logistic "
          "regression); memm: each given the one before; naive-bayes: "
          "attributes that are independent, given the label; hmm: the same, and labels given the "
          "one before (hidden Markov model); hidden-chain: a chain whose labels have hidden "
          "states; "
          "pool: the product of several chains, each to a power; error-correcting: binary chains "
          "of "
          "the bits of a code; "
          "boosted-chain, boosted-maxent, boosted-segment: chain, maxent and segment with trees "
          "for "
          "weights; "
          "segment: segments, and not positions, that depend on their neighbours (semi-Markov "
          "CRF); "
          "bayes-net: the tables of a Bayesian network; "
          "graph: variables in tables, whose cliques are SQL queries")
      ->check(CLI::IsMember(
          std::vector<std::string>{"chain", "maxent", "memm", "naive-bayes", "hmm", "hidden-chain",
                                   "pool", "segment", "error-correcting", "boosted-chain",
                                   "boosted-maxent", "boosted-segment", "bayes-net", "graph"}))
      ->option_text("KIND=chain");
  verb.add_option(
          "--order", o.order,
          "How many labels back scores look, 1 to 8: 2 also weighs runs of three labels, 3 of "
          "four, ...")
      ->transform(whole_number(1, kMostOrder))
      ->option_text("N=1");
  add_choice<std::optional<HistorySet>>(
      verb, "--histories", o.histories,
      {{"seen", HistorySet::seen}, {"allowed", HistorySet::allowed}},
      "With --order 2 or more, the runs of labels that are possible: those seen in the data, or "
      "all that --constrain allows")
      ->option_text("SET=seen");
}

void add_transition_options(CLI::App& verb, TrainCommand& c) {
  verb.add_option(
          "--constrain", c.request.constrain,
          "Labels that may follow each other: bio, bioes, or a file of rules; the model then "
          "has no other labellings")
      ->option_text("RULES");
  verb.add_option("--transition-groups", c.request.transition_groups,
                  "Lines FROM TO GROUP: transitions that share a weight; those in - have none")
      ->option_text("FILE");
}

void add_run_options(CLI::App& verb, TrainCommand& c) {
  verb.add_option(
          "--holdout", c.request.holdout,
          "A labelled file, or a fraction of the data to set aside, for a score as training "
          "goes on")
      ->option_text("FILE|FRACTION");
  verb.add_option("--early-stop", c.request.options.early_stop,
                  "Stop after N iterations without a better hold-out score, and keep the best "
                  "weights; 0: off")
      ->transform(whole_number())
      ->option_text("N=0");
  verb.add_option("--init", c.request.init,
                  "Start from this model: its weights, features and labels are kept")
      ->option_text("MODEL");
  CLI::Option* checkpoint =
      verb.add_option("--checkpoint", c.request.checkpoint,
                      "Keep the state of the training in this folder, to go on from after a crash")
          ->option_text("FOLDER");
  verb.add_flag("--resume", c.request.resume,
                "Go on from the --checkpoint, to the very model of a training without a break");
  verb.add_option("--checkpoint-interval", c.request.checkpoint_interval,
                  "Seconds between two states that are kept; 0: every iteration")
      ->transform(finite_number(0))
      ->needs(checkpoint)
      ->capture_default_str();
  verb.add_option("--log", c.log, "Write one JSON object a line to this file")->option_text("FILE");
  verb.add_flag("--quiet", c.quiet, "No progress on stderr");
}

// An empty value, of a shell variable that is not set, would be as if the option were not there.
void refuse_empty_values(CLI::App& verb) {
  const auto look = [](const std::string& text) {
    return text.empty() ? std::string("its value is empty; give one, or leave out the option")
                        : std::string();
  };
  for (CLI::Option* option : verb.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(look);
  }
}

// The log is emptied before anything is read: it must not be a file that training reads or writes.
void check_log(const TrainCommand& c) {
  if (c.log.empty()) return;
  const TrainRequest& r = c.request;
  std::vector<std::string> others = input_files(r);
  others.insert(others.end(), {r.init, r.prior, r.output});
  for (const std::string& other : others) {
    std::error_code none;
    if (c.log == other || std::filesystem::equivalent(c.log, other, none)) {
      throw UsageError("--log " + c.log + " would overwrite " + other + "; give another name");
    }
  }
}

// Spans become labels in a scheme, for kinds that read columns by the common reader.
void set_spans(TrainCommand& c) {
  if (!c.spans) return;
  constexpr auto kKinds = std::to_array<std::string_view>(
      {"chain", "maxent", "memm", "hidden-chain", "pool", "error-correcting", "boosted-chain",
       "boosted-maxent", "boosted-segment", SegmentModel::kKind});
  if (std::ranges::find(kKinds, c.model) == kKinds.end() || !c.joint.joint_template.empty()) {
    throw UsageError(
        "--format spans goes with --model chain, segment, maxent, memm, hidden-chain, pool, "
        "error-correcting and the boosted ones; for others write columns: croft convert --to "
        "columns");
  }
  if (c.partial) {
    throw UsageError(
        "--partial reads sets of labels, and spans are known or not; write columns: croft convert "
        "--to columns");
  }
  const ChunkScheme scheme = chunk_scheme_from_name(c.segment.chunks);
  c.request.spans = scheme == ChunkScheme::automatic ? ChunkScheme::bio : scheme;
  if (scheme == ChunkScheme::raw || scheme == ChunkScheme::none) {
    throw UsageError("--label-scheme " + c.segment.chunks +
                     " cannot spell a span; take bio, bio1, ioe or bioes");
  }
}

// The kinds that have a trainer of their own; none where it is one that all other options are for.
std::optional<int> run_other_kind(TrainCommand& c) {
  if (c.model == GraphModel::kKind) {
    refuse_other_options(*c.verb, c.model, graph_option_names());
    c.request.options.threads = c.common.threads;
    c.request.seed = c.common.seed;
    return run_graph_training(*c.verb, c.graph, c.request, c.names, c.log, c.quiet);
  }
  if (c.request.data.empty()) throw CLI::RequiredError("DATA");
  if (!c.joint.label_classes.empty() && c.joint.joint_template.empty() && c.model != "pool") {
    throw UsageError(
        "--label-classes goes with --joint-template, and with --experts labels of --model pool");
  }
  if (!c.joint.joint_template.empty()) {
    if (c.model != name_of(ChainKind::maxent)) {
      throw UsageError("--joint-template goes with --model maxent, not with " + c.model);
    }
    refuse_other_options(*c.verb, "maxent with --joint-template", joint_option_names());
    set_methods(c.names, c.request);
    c.request.options.threads = c.common.threads;
    c.request.seed = c.common.seed;
    return run_joint(c.joint, c.request, c.log, c.quiet);
  }
  if (c.model == HiddenChainModel::kKind) {
    refuse_other_options(*c.verb, c.model, hidden_chain_option_names());
    set_methods(c.names, c.request);
    c.request.options.threads = c.common.threads;
    c.request.seed = c.common.seed;
    return run_hidden_chain(*c.verb, c.hidden_chain, c.request, c.log, c.quiet);
  }
  refuse_options(*c.verb, c.model, hidden_chain_only_option_names());
  if (c.model == SegmentModel::kKind) {
    refuse_other_options(*c.verb, c.model, segment_option_names());
    set_methods(c.names, c.request);
    c.request.options.threads = c.common.threads;
    c.request.seed = c.common.seed;
    return run_segment(c.segment, c.request, c.log, c.quiet);
  }
  if (c.model != kBoostedSegment) {
    refuse_options(*c.verb, c.model, segment_only_option_names());
  }
  if (c.model == "pool") {
    refuse_other_options(*c.verb, c.model, pool_option_names());
    set_methods(c.names, c.request);
    c.request.options.threads = c.common.threads;
    c.request.seed = c.common.seed;
    return run_pool(*c.verb, c.pool, c.joint.label_classes, c.request, c.log, c.quiet);
  }
  refuse_options(*c.verb, c.model, pool_only_option_names());
  if (c.model == ErrorCorrectingModel::kKind) {
    refuse_other_options(*c.verb, c.model, code_option_names());
    set_methods(c.names, c.request);
    c.request.options.threads = c.common.threads;
    c.request.seed = c.common.seed;
    return run_error_correcting(c.code, c.request, c.log, c.quiet);
  }
  refuse_options(*c.verb, c.model, code_only_option_names());
  if (is_boosted(c.model)) {
    refuse_other_options(*c.verb, c.model, boosted_option_names(c.model));
    c.request.options.threads = c.common.threads;
    c.request.seed = c.common.seed;
    return run_boosted(c.model, c.boosted, segment_request(c.segment, c.log), c.request, c.log,
                       c.quiet);
  }
  refuse_options(*c.verb, c.model, boosted_only_option_names());
  if (c.model == HmmModel::kKind) {
    refuse_other_options(*c.verb, c.model, hmm_option_names());
    c.request.options.threads = c.common.threads;
    c.request.seed = c.common.seed;
    return run_hmm(*c.verb, c.hmm, c.request, c.log, c.quiet);
  }
  if (c.model == kBayesNet) {
    refuse_other_options(*c.verb, c.model, bayes_net_option_names());
    c.request.options.threads = c.common.threads;
    c.request.seed = c.common.seed;
    return run_bayes_net(*c.verb, c.bayes_net, c.request, c.log, c.quiet);
  }
  refuse_options(*c.verb, c.model, bayes_net_only_option_names());
  if (c.model != kNaiveBayes) {
    refuse_options(*c.verb, c.model, naive_bayes_only_option_names());
    refuse_options(*c.verb, c.model, hmm_only_option_names());
    refuse_options(*c.verb, c.model, graph_only_option_names());
    return std::nullopt;
  }
  refuse_other_options(*c.verb, c.model, naive_bayes_option_names());
  std::optional<std::size_t> em_iterations;
  const CLI::Option* option = c.verb->get_option_no_throw("--em-iterations");
  if (option != nullptr && option->count() > 0) em_iterations = option->as<std::size_t>();
  return run_naive_bayes(c.naive_bayes, c.request, em_iterations, c.log, c.quiet);
}

int run(TrainCommand& c) {
  check_log(c);
  check_class_weights(c.request, c.model);
  if (!c.intercept.empty()) c.request.intercept = true;
  c.request.options.free_intercept = c.intercept == "unpenalised";
  if (c.partial) c.request.partial = PartialLabels{c.separator[0], "?"};
  if (c.model == kBayesNet && c.verb->count("--format") == 0) c.request.format = InputFormat::csv;
  set_format_options(c.data, c.request);
  set_spans(c);
  if (const std::optional<int> status = run_other_kind(c)) return *status;
  c.request.options.kind = chain_kind(c.model);
  set_methods(c.names, c.request);
  c.request.options.rounds = feature_rounds(c.rounds);
  c.request.options.threads = c.common.threads;
  c.request.seed = c.common.seed;
  c.request = with_defaults(c.request);
  if (!c.quiet && c.request.options.method == Method::async_sgd && c.common.threads != 1) {
    std::fprintf(stderr, "async-sgd on several threads: another run will give another model\n");
  }
  handle_interrupts();
  TrainingProgress progress(c.request.options, c.log, c.quiet);
  const TrainWatcher watcher{.data_read = [&](const TrainData& data) { progress.data_read(data); },
                             .reading = [&](std::size_t positions) { progress.reading(positions); },
                             .iteration =
                                 [&](const TrainProgress& now) {
                                   progress.iteration(now);
                                   return !interruption;
                                 },
                             .round = [&](const FeatureRound& r) { progress.round(r); }};
  const TrainResult result = train_model(c.request, watcher);
  progress.done(result, c.request.output);
  return interruption ? kInterrupted : kDone;
}

}  // namespace

void add_train(Program& program) {
  CLI::App* verb = program.app.add_subcommand("train", "Fit a model to labelled sequences");
  auto command = std::make_shared<TrainCommand>();
  command->verb = verb;
  add_data_options(*verb, *command);
  add_format_options(*verb, command->data);
  add_feature_options(*verb, *command);
  add_round_options(*verb, command->rounds);
  add_model_options(*verb, *command);
  add_transition_options(*verb, *command);
  add_method_options(*verb, command->request, command->names);
  add_naive_bayes_options(*verb, command->naive_bayes);
  add_hmm_options(*verb, command->hmm);
  add_hidden_chain_options(*verb, command->hidden_chain);
  add_pool_options(*verb, command->pool);
  add_code_options(*verb, command->code);
  add_joint_options(*verb, command->joint);
  add_segment_options(*verb, command->segment);
  add_boosted_options(*verb, command->boosted);
  add_graph_train_options(*verb, command->graph);
  add_bayes_net_options(*verb, command->bayes_net);
  add_run_options(*verb, *command);
  add_common(*verb, command->common);
  refuse_empty_values(*verb);
  refuse_flag_values(*verb);
  verb->footer(method_help() + graph_objective_help() + kDataHelp + kFooter);
  verb->callback([command, &program] { program.status = run(*command); });
}

}  // namespace croft::cli
