// croft predict
#include <cstdio>
#include <memory>

#include "app/label/tag_files.h"
#include "cli/code_decoder.h"
#include "cli/common.h"
#include "cli/predict_graph.h"
#include "croft/app/chunks.h"
#include "croft/app/predict.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft predict -m m.croft new.conll > labelled.conll
  croft predict -m m.croft --output json --marginals --probability new.conll
  croft predict -m m.croft --spans --constrain bio new.conll
  croft predict -m m.croft --format spans new.jsonl > labelled.jsonl
  croft predict -m graph.croft --database pages.sqlite --table
  croft predict -m m.croft --rule "at-most 1 PER" --rule "agree 0" new.conll
  tail -f stream.conll | croft predict -m m.croft -

Rows may come with or without the label column; the label is added as a last one.
docs/predict.md explains every question, limit and rule.)";

struct PredictCommand {
  std::string model;
  std::vector<std::string> data;
  // empty: columns for columns, spans for spans, labels for others, json for what only it has
  std::string output;
  std::string format;  // empty: what the model was trained on
  std::string marginals, constrain, penalties, decoder;
  std::string scheme = "auto";
  std::string separator = "|";
  bool partial = false;
  TagRequest request;
  TagOptions ask;
  CommonOptions common;
  GraphPredictCommand graph;
};

PredictOptions make_options(const PredictCommand& c, const SequenceModel& model, bool spans) {
  PredictOptions options;
  options.ask = c.ask;
  options.ask.seed = c.common.seed;
  options.ask.edges = c.marginals == "edges";
  options.marginals = c.marginals == "predicted" ? MarginalOutput::predicted
                      : c.marginals == "all"     ? MarginalOutput::all
                                                 : MarginalOutput::none;
  if (!c.output.empty()) {
    options.output = c.output == "json"     ? OutputFormat::json
                     : c.output == "spans"  ? OutputFormat::spans
                     : c.output == "labels" ? OutputFormat::labels
                                            : OutputFormat::columns;
  } else if (spans) {
    options.output = OutputFormat::spans;
  } else if (options.ask.spans || options.ask.edges) {
    options.output = OutputFormat::json;
  } else {
    options.output = model.extractor().config().format == InputFormat::columns
                         ? OutputFormat::columns
                         : OutputFormat::labels;
  }
  return options;
}

TagRequest make_request(const PredictCommand& c, const SequenceModel& model) {
  TagRequest request = c.request;
  request.scheme = chunk_scheme_from_name(c.scheme);
  read_limits(model, c.constrain, c.penalties, request);
  if (c.partial) request.partial = PartialLabels{c.separator[0], "?"};
  return request;
}

int run(const PredictCommand& c) {
  const auto model = open_with_decoder(c.model, c.decoder);
  const TagPlan plan(*model, make_request(c, *model));
  const auto spans = spans_for(*model, c.format, chunk_scheme_from_name(c.scheme));
  if (spans && c.partial) {
    throw UsageError("--partial reads sets of labels, and spans are known or not; give columns");
  }
  const PredictOptions options = make_options(c, *model, spans.has_value());
  handle_interrupts();
  ThreadPool pool(c.common.threads);
  PredictCounts counts;
  for (const std::string& path : c.data) {
    SequenceSource source(path, model->extractor(), Labels::optional, spans);
    predict_stream(
        plan, source, options, pool,
        [&](std::string_view text) {
          write_result(text);
          if (!source.ready()) flush_result();
        },
        interruption, counts);
    if (interruption) throw Interrupted(source.name() + ": interrupted while reading");
  }
  if (const auto warning = counts.attributes.warning("the data")) {
    std::fprintf(stderr, "warning: %s\n", warning->c_str());
  }
  require_all_labelled(counts);
  return kDone;
}

void add_questions(CLI::App& verb, PredictCommand& c) {
  constexpr std::uint64_t kMost = 1'000'000;
  verb.add_option("--output", c.output,
                  "columns: rows with the label added; labels: one a line; json: one object a "
                  "sequence; spans: the same, with the tokens and what the data had beside them")
      ->check(CLI::IsMember({"columns", "labels", "json", "spans"}));
  verb.add_flag("--marginals{predicted}", c.marginals,
                "Add the probability of each predicted label; --marginals=all: of every label; "
                "--marginals=edges (JSON): of every two neighbouring labels, from --smallest on")
      ->check(CLI::IsMember({"predicted", "all", "edges"}));
  verb.add_flag("--probability", c.ask.probability, "Add the probability of each labelling");
  verb.add_option("--k-best", c.ask.k_best, "The K most probable labellings, with probabilities")
      ->transform(whole_number(1, kMost));
  verb.add_flag("--spans", c.ask.spans, "Add the predicted chunks and their probabilities (JSON)");
  verb.add_flag("--entropy", c.ask.entropy, "Add the entropy of the labellings, in nats");
  verb.add_flag("--expected-counts", c.ask.expected_counts,
                "Add how often each label is to be expected; in JSON each transition, too, from "
                "--smallest on");
  verb.add_option("--smallest", c.ask.smallest_edge,
                  "The smallest number of a pair of labels that is written; 0: all of them")
      ->transform(finite_number(0))
      ->option_text("NUMBER=1e-6");
  verb.add_option("--samples", c.ask.samples, "Draw N labellings at random; --seed decides which")
      ->transform(whole_number(1, kMost));
}

void add_limits(CLI::App& verb, PredictCommand& c) {
  add_choice<std::optional<Decode>>(
      verb, "--decode", c.request.decode,
      {{"viterbi", Decode::viterbi},
       {"best", Decode::viterbi},
       {"marginal", Decode::marginal},
       {"risk", Decode::risk},
       {"labelling", Decode::labelling}},
      "viterbi (of a graph: best): the most probable labelling; marginal: at each position the "
      "most "
      "probable label; risk: the fewest errors expected among allowed labellings; labelling: of "
      "a hidden-chain, whose viterbi is the best path of states, the most probable labelling")
      ->default_str("viterbi, of hidden-chain marginal");
  add_decoder_option(verb, c.decoder);
  verb.add_option("--constrain", c.constrain,
                  "Labels that may follow each other: bio, bioes, or a file of rules");
  CLI::Option* partial = verb.add_flag(
      "--partial", c.partial,
      "The labels of the data restrict: ? is any label, A is forced, A|B is one of these");
  verb.add_option("--partial-separator", c.separator, "Character between the labels of a set")
      ->check(separator())
      ->needs(partial)
      ->capture_default_str();
  verb.add_option("--penalties", c.penalties, "File of lines TEST LABEL PENALTY: soft penalties");
  verb.add_option("--rule", c.request.rules,
                  "What the labelling obeys as a whole: at-most|at-least|exactly K TYPE, "
                  "at-most|… K label LABEL, occurs LABEL, not-both A B, agree COLUMN (for "
                  "attributes: agree PREFIX); may be given several times")
      ->allow_extra_args(false);
  verb.add_option("--limit", c.request.limit,
                  "Steps of a search for one sequence, where rules or --decode labelling need one")
      ->transform(whole_number(1))
      ->capture_default_str();
  verb.add_option_function<std::string>(
          "--chunks",
          [&c](const std::string& name) {
            chunk_scheme_from_name(name);
            c.scheme = name;
          },
          "How labels spell chunks, for --spans, --rule and spans: auto, bio, bio1, ioe, bioes, "
          "raw "
          "or none")
      ->default_str("auto");
}

// What CLI11 cannot say.
void check_usage(const CLI::App& verb, const PredictCommand& c) {
  if (verb.count("--smallest") > 0 && c.marginals != "edges" && !c.ask.expected_counts) {
    throw UsageError(
        "--smallest is of the pairs of labels that --marginals=edges and --expected-counts write: "
        "neither is there");
  }
  if (verb.count("--limit") > 0 && c.request.rules.empty() &&
      c.request.decode != Decode::labelling) {
    throw UsageError(
        "--limit is of the search for --rule and --decode labelling: neither is there");
  }
  if (c.scheme != "auto" && !c.ask.spans && c.request.rules.empty() && c.output != "spans" &&
      c.format != kSpanFormat) {
    throw UsageError(
        "--chunks says how --spans, --rule and --format or --output spans read labels, and there "
        "is none of these");
  }
}

}  // namespace

void add_predict(Program& program) {
  CLI::App* verb = program.app.add_subcommand("predict", "Label sequences");
  auto c = std::make_shared<PredictCommand>();
  verb->add_option("-m,--model", c->model, "Model file")->required();
  verb->add_option("DATA", c->data, "Data in the model's format; without: standard input")
      ->default_val(std::vector<std::string>{"-"});
  add_model_format(*verb, c->format);
  add_questions(*verb, *c);
  add_limits(*verb, *c);
  add_graph_predict_options(*verb, c->graph);
  add_common(*verb, c->common);
  verb->footer(kFooter);
  verb->callback([c, verb, &program] {
    if (is_graph_model(c->model)) {
      program.status = run_graph_prediction(*verb, c->graph, c->model, c->common);
      return;
    }
    check_not_graph(*verb);
    check_usage(*verb, *c);
    program.status = run(*c);
  });
}

}  // namespace croft::cli
