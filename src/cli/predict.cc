// croft predict
#include <cstdio>

#include "app/label/chunks.h"
#include "app/label/predict.h"
#include "app/train/file_shares.h"
#include "cli/common.h"
#include "cli/graph_verbs.h"
#include "cli/label/labelling_options.h"
#include "cli/model_options.h"
#include "cli/network_verbs.h"
#include "cli/processes.h"
#include "cli/verb.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/data/graph_file.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kPredictFooter = R"(
Example:
  croft predict -m m.croft new.conll > labelled.conll
  croft predict -m m.croft --to json --marginals --probability new.conll
  croft predict -m m.croft --append new.conll > labelled.conll
  croft predict -m m.croft --spans --constrain bio new.conll
  croft predict -m m.croft --format spans new.jsonl > labelled.jsonl
  croft predict -m m.croft --format raw -o labelled.jsonl article.txt
  croft predict -m graph.croft --database pages.sqlite --table
  croft predict -m net.bif --target lung cases.csv > lung.csv
  croft predict -m m.croft --rule "at-most 1 PER" --rule "agree 0" new.conll
  tail -f stream.conll | croft predict -m m.croft -

Rows may come with or without the label column; the label is added as a last one.
docs/predict.md explains every question, limit and rule.)";

constexpr double kMost = kMostLabellings;

std::span<const OptionRow> answer_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      model_row(),
      data_row("Data in the model's format; without: standard input")
          .of(kSequenceModels | kBayesNetBit),
      data_format_row().of(kSequenceModels),
      data_label_row().of(kSequenceModels),
      data_misaligned_row().of(kSequenceModels),
      ignore_lines_row().of(kSequenceModels),
      tokenizer_row().of(kSequenceModels),
      data_text_column_row().of(kSequenceModels),
      file("output", "FILE", "Write there, and not to standard output")
          .written_as("")
          .repeated()
          .short_as('o'),
      flag("append",
           "Give the input back as it stands, with the label and its probability behind each row "
           "of columns, text or record of csv (but of --text-column); of JSON lines (spans, "
           "prodigy, doccano) the object "
           "with its spans and their probabilities")
          .without("to")
          .of(kSequenceModels),
      choice("to", "FORMAT", {"columns", "labels", "json", "spans"},
             "columns: rows with the label added; labels: one a line; json: one object a "
             "sequence; spans: the same, with the tokens and what the data had beside them"),
      flag("marginals",
           "Add the probability of each predicted label; --marginals=all: of every label; "
           "--marginals=edges (JSON): of every two neighbouring labels, from --smallest on")
          .valued({"predicted", "all", "edges"}, "predicted")
          .of(kModelFiles),
      flag("probability", "Add the probability of each labelling").of(kSequenceModels),
      flag("score",
           "Add the score of each labelling, the sum of its weights, and the logarithm of the "
           "partition function: log p is their difference")
          .of(kSequenceModels),
      whole("k-best", "K", "The K most probable labellings, with probabilities")
          .between(1, kMost)
          .of(kSequenceModels),
      flag("spans", "Add the predicted chunks and their probabilities (JSON)").of(kSequenceModels),
      flag("entropy", "Add the entropy of the labellings, in nats").of(kSequenceModels),
      flag("expected-counts",
           "Add how often each label is to be expected; in JSON each transition, too, from "
           "--smallest on")
          .of(kSequenceModels),
      number("smallest", "NUMBER=1e-6",
             "The smallest number of a pair of labels that is written; 0: all of them")
          .of(kSequenceModels),
      whole("samples", "N", "Draw N labellings at random; --seed decides which")
          .between(1, kMost)
          .of(kSequenceModels),
  });
  return kRows;
}

std::span<const OptionRow> further_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      flag("partial",
           "The labels of the data restrict: ? is any label, A is forced, A|B is one of these")
          .of(kSequenceModels),
      letter("partial-separator", "CHARACTER=|", "Character between the labels of a set")
          .at_first("|")
          .beside("partial")
          .of(kSequenceModels),
      chunks_row("How labels spell chunks, for --spans, --rule and spans: auto, bio, bio1, ioe, "
                 "bioes, raw or none")
          .of(kSequenceModels),
  });
  return kRows;
}

OptionTables predict_options() {
  return {answer_options(),      labelling_options(),     further_options(), decision_options(),
          graph_label_options(), graph_predict_options(), network_options(), common_options()};
}

// Columns for columns, spans for spans, labels for others, JSON for what only it has.
OutputFormat output_by_default(const TagOptions& ask, const SequenceModel& model, bool spans) {
  if (spans) return OutputFormat::spans;
  if (ask.spans || ask.edges) return OutputFormat::json;
  return model.extractor().config().format == InputFormat::columns ? OutputFormat::columns
                                                                   : OutputFormat::labels;
}

// Beside --append, which adds the label and its probability.
constexpr std::string_view kOtherAnswers[] = {"marginals", "probability",    "score",
                                              "k-best",    "spans",          "entropy",
                                              "samples",   "expected-counts"};

// JSON lines come back as spans with what is asked of them; other lines as they stand.
void set_append(const SequenceModel& model, const DataForm& form, PredictOptions& options) {
  const InputFormat format = model.extractor().config().format;
  if (format == InputFormat::attributes || format == InputFormat::svmlight) {
    throw UsageError("--append: another field of a line of ", format_name(format),
                     " would be read as one of its attributes; --to columns writes the "
                     "labels alone");
  }
  if (form.is_foreign() && !form.is_json_lines()) {
    throw UsageError(
        "--append gives lines of columns, spans, text, prodigy, doccano and of csv without "
        "--text-column back; of other formats --output says what is written");
  }
  if (form.spans()) {
    options.output = OutputFormat::spans;
    options.ask.spans = options.ask.probability = true;
  } else {
    options.output = OutputFormat::given;
    options.marginals = MarginalOutput::predicted;
  }
}

PredictOptions make_options(const OptionValues& values, const SequenceModel& model, bool spans) {
  PredictOptions options;
  TagOptions& ask = options.ask;
  values.read("probability", ask.probability);
  values.read("score", ask.score);
  values.read("k-best", ask.k_best);
  values.read("spans", ask.spans);
  values.read("entropy", ask.entropy);
  values.read("expected-counts", ask.expected_counts);
  values.read("smallest", ask.smallest_edge);
  values.read("samples", ask.samples);
  values.read("seed", ask.seed);
  ask.edges = values.text("marginals") == "edges";
  values.choose("marginals", {MarginalOutput::predicted, MarginalOutput::all, MarginalOutput::none},
                options.marginals);
  options.output = output_by_default(ask, model, spans);
  values.choose(
      "to", {OutputFormat::columns, OutputFormat::labels, OutputFormat::json, OutputFormat::spans},
      options.output);
  return options;
}

TagRequest make_request(const OptionValues& values, const SequenceModel& model) {
  TagRequest request = read_labelling(values, model);
  if (values.flag("partial")) {
    request.partial = PartialLabels{values.text("partial-separator")[0], "?"};
  }
  return request;
}

void check_usage(const OptionValues& values) {
  for (const std::string_view name : kOtherAnswers) {
    if (!values.flag("append") || !values.given(name)) continue;
    throw UsageError("--append adds the label and its probability; ", Message::option(name),
                     " goes with --to json");
  }
  check_labelling_options(values);
  if (values.given("smallest") && values.text("marginals") != "edges" &&
      !values.flag("expected-counts")) {
    throw UsageError(
        "--smallest is of the pairs of labels that --marginals=edges and --expected-counts write: "
        "neither is there");
  }
  if (values.text("chunks") != "auto" && !values.flag("spans") && !values.given("rule") &&
      values.text("to") != "spans" && !is_read_as_spans(values.text("format"))) {
    throw UsageError(
        "--chunks says how --spans, --rule, --to spans and data of spans (--format spans, raw "
        "and others) read labels, and there is none of these");
  }
}

int report(const PredictCounts& counts) {
  if (const auto warning = counts.attributes.warning("the data")) {
    std::fprintf(stderr, "warning: %s\n", warning->c_str());
  }
  require_all_labelled(counts);
  return kDone;
}

// Of several processes: the first one writes its share as it goes, then those of the others, in the
// order of the data.
int label_share(const TagPlan& plan, const std::vector<std::string>& data,
                const DataForm& data_form, const PredictOptions& options, ThreadPool& pool) {
  const std::optional<ChunkScheme> spans = data_form.spans();
  Ranks& ranks = processes();
  const Extractor& extractor = plan.model().extractor();
  BlockForm form = form_of(extractor.config(), spans.has_value());
  form.ignored = data_form.columns().ignored;
  const std::vector<FileShare> shares = share_files(ranks, data, form);
  PredictCounts counts;
  if (options.ask.samples > 0) {  // which are drawn by the number of the sequence
    std::size_t own = 0;
    run_together(ranks, [&] { own = count_sequences(shares, form); });
    counts.sequences = sum_of_earlier(ranks, own);
  }
  std::string text;
  const auto write = [&](std::string_view some) {
    if (ranks.first()) {
      write_result(some);
    } else {
      text += some;
    }
  };
  run_together(ranks, [&] {
    for (const FileShare& share : shares) {
      SequenceSource source(share.lines(), plan.model(), Labels::optional, spans,
                            data_form.columns());
      if (!share.whole) source.allow_none();
      predict_stream(plan, source, options, pool, {write, [] {}}, interruption, counts);
      if (interruption) throw Interrupted(source.name() + ": interrupted while reading");
    }
  });
  ranks.hand_to_first(text, [](std::string_view some) { write_result(some); });
  return report(counts_of_all(ranks, counts));
}

// What stands between files that are written one after the other, where the first one does not end
// with it: a line end, or the empty line between two sequences.
class FileSeam {
 public:
  explicit FileSeam(std::string_view wanted) : wanted_(wanted) {}
  void add(std::string_view text) {
    for (const char c : text.substr(text.size() - std::min<std::size_t>(text.size(), 4))) {
      if (c != '\r') (end_ += c).erase(0, end_.size() > 2 ? 1 : 0);
    }
  }
  std::string_view between() const {
    if (end_.empty() || end_.ends_with(wanted_)) return {};
    return wanted_.substr(end_.ends_with('\n') ? 1 : 0);
  }

 private:
  std::string_view wanted_;
  std::string end_;  // the last two characters so far, but for carriage returns
};

int label_sequences(const OptionValues& values) {
  const auto model = open_with_decoder(values);
  const TagPlan plan(*model, make_request(values, *model));
  const DataForm form(values, *model, chunk_scheme(values));
  const auto spans = form.spans();
  if (spans && values.flag("partial")) {
    throw UsageError("--partial reads sets of labels, and spans are known or not; give columns");
  }
  PredictOptions options = make_options(values, *model, spans.has_value());
  const bool append = values.flag("append");
  if (append) set_append(*model, form, options);
  handle_interrupts();
  ThreadPool pool(common_of(values).threads);
  std::vector<std::string> data;
  values.read("DATA", data);
  if (append) require_one_process("--append");
  if (!processes().alone() && form.is_foreign()) {
    throw UsageError(
        "several processes share out data of the model's own format: convert it first");
  }
  if (!processes().alone()) return label_share(plan, data, form, options, pool);
  PredictCounts counts;
  const bool lists = model->extractor().config().format == InputFormat::columns && !spans;
  FileSeam seam(lists ? "\n\n" : "\n");
  std::string header;  // of the first table
  for (const std::string& path : data) {
    LineReader lines = data_lines(form, path);
    if (append && !spans) lines.keep_given();
    SequenceSource source(std::move(lines), *model, Labels::optional, spans, form.columns());
    source.share_header(header);
    if (path == "-") source.allow_none();  // a stream may have nothing to say
    if (append) write_result(seam.between());
    const auto write = [&](std::string_view text) {
      if (append) seam.add(text);
      write_result(text);
    };
    predict_stream(plan, source, options, pool, {write, flush_result}, interruption, counts);
    if (interruption) throw Interrupted(source.name() + ": interrupted while reading");
  }
  return report(counts);
}

int predict_by(const OptionValues& values) {
  const std::string model(values.text("model"));
  const bool network = is_network_file(model);
  if (network || is_graph_model(model)) {
    require_one_process("a model of graphs");
    return network ? run_network_prediction(values) : run_graph_prediction(values);
  }
  check_kind_options(values, kSequenceModels);
  check_usage(values);
  return label_sequences(values);
}

// `--output json` is `--to json`: a file of this name is ./json.
struct Outputs {
  std::string file;
  OptionValues values;  // with the form at its place
};

Outputs outputs_of(const OptionValues& given) {
  Outputs out{.file = {}, .values = OptionValues(given.tables())};
  constexpr std::string_view kOutput = "--output=";
  const std::vector<std::string_view>& forms = given.row("to").choices;
  for (const std::string& each : given.arguments()) {
    if (!each.starts_with(kOutput)) {
      out.values.set_argument(each);
      continue;
    }
    const std::string name = each.substr(kOutput.size());
    if (std::ranges::find(forms, name) != forms.end()) {
      out.values.set("to", name);
    } else if (out.file.empty()) {
      out.file = name;
    } else {
      throw UsageError("--output is given twice; leave out one");
    }
  }
  out.values.check_company();
  return out;
}

int run_predict(const OptionValues& given) {
  const Outputs outputs = outputs_of(given);
  ResultFile file;
  if (!outputs.file.empty()) {
    if (given.given("table")) {
      throw UsageError(
          "--output is of what is printed, and --table writes into the database: leave out one");
    }
    require_one_process("--output");
    file.open(outputs.file);
  }
  const int status = predict_by(outputs.values);
  file.commit();
  return status;
}

}  // namespace

const Verb kPredict = {.name = "predict",
                       .summary = "Label sequences",
                       .options = predict_options,
                       .footer = [] { return std::string(kPredictFooter); },
                       .run = run_predict,
                       .several_processes = true};

}  // namespace croft::cli
