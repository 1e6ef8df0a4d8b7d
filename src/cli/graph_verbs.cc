#include "cli/graph_verbs.h"

#include <fmt/format.h>

#include "app/evaluate/evaluate_graph.h"
#include "app/evaluate/reliability_plot.h"
#include "app/infer/graph_picture.h"
#include "cli/label/labelling_options.h"
#include "cli/model_options.h"
#include "core/files.h"
#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "model/foreign/foreign_chain.h"
#include "model/kinds/graph_model.h"
#include "sql/explain_graph.h"
#include "sql/graph_sample.h"
#include "train/options/training_options.h"

namespace croft::cli {

OptionRow database_row(std::string_view help) {
  return option::file("database", "FILE", help).of(kGraphBit).in(kGraphGroup).repeated();
}

OptionRow spec_row() {
  return option::file("spec", "FILE", "TOML as in training, with other queries for other tables")
      .of(kGraphBit)
      .in(kGraphGroup);
}

std::span<const OptionRow> graph_label_options() {
  using namespace option;
  const auto graph = [](const OptionRow& row) { return row.of(kGraphBit).in(kGraphGroup); };
  static const auto kRows = std::to_array<OptionRow>({
      database_row("The variables: a file of SQLite, or files NAME.csv, NAME.tsv, each a table "
                   "NAME (give the option several times)"),
      spec_row(),
      graph(query_seconds_row()),
      graph(query_memory_row()),
      graph(words("method", "METHOD=auto", "Inference for probabilities; see croft infer --help")),
      graph(
          words("search", "METHOD=auto", "Search for the best labelling; see croft infer --help")),
      graph(whole("inference-iterations", "N", "Of inference, where it iterates").from(1)),
      graph(option::size("memory", "SIZE",
                         "What inference may take: a number with K, M, G or T (powers of 1024); "
                         "without: half of the machine's")),
  });
  return kRows;
}

bool is_graph_model(const std::string& path) {
  return foreign_format_of_file(path) == nullptr && GraphModel::is_in(Container::open(path));
}

void check_kind_options(const OptionValues& values, KindSet kinds) {
  const auto named = [](KindSet bits) -> std::string_view {
    return (bits & kGraphBit) != 0 ? "a model of kind graph" : "a Bayesian network";
  };
  for (const std::span<const OptionRow> table : values.tables()) {
    for (const OptionRow& row : table) {
      if ((row.kinds & kinds) != 0 || !values.given(row.name)) continue;
      if (kinds == kSequenceModels) {
        throw UsageError(Message::option(row.name), " is for ", named(row.kinds),
                         ", which this is not");
      }
      if (row.positional) {
        throw UsageError("a model of kind graph reads --database: leave out ",
                         values.list(row.name).front());
      }
      throw UsageError(Message::option(row.name), " has no meaning for ", named(kinds),
                       "; leave it out");
    }
  }
}

GraphLabelOptions read_graph_label_options(const OptionValues& values, GraphDecode decode) {
  if (!values.given("database")) throw UsageError("a model of kind graph needs --database");
  if (decode == GraphDecode::marginal && values.given("search")) {
    throw UsageError("--search is for --decode best; --decode marginal goes by --method");
  }
  GraphLabelOptions options;
  options.decode = decode;
  values.read("method", options.method);
  values.read("search", options.search);
  values.read("memory", options.memory);
  values.read("inference-iterations", options.max_iterations);
  if (options.max_iterations && (options.method == "auto" || options.search == "auto")) {
    note("note: --inference-iterations makes auto choose among the methods that iterate");
  }
  values.read("seed", options.seed);
  values.read("threads", options.threads);
  return options;
}

GraphTables read_graph_tables(const OptionValues& values, const GraphModel& model,
                              const std::string& path, LabelUse use) {
  GraphSpec spec =
      reading(model.container(), "meta", [&] { return graph_spec_from(model.source(), path); });
  if (values.given("spec")) {
    spec = with_queries_of(spec, GraphSpec::read(std::string(values.text("spec"))));
  }
  const Database database = Database::open(values.list("database"), query_limits(values));
  return GraphTables::read(database, std::move(spec), model, use);
}

void read_graph_decision(const ChoiceRequest& request, const GraphModel& model, bool decoded,
                         GraphLabelOptions& options) {
  if (request.empty()) return;
  if (decoded) {
    throw UsageError(
        "--costs and --threshold choose by marginals: take --decode marginal, or none");
  }
  if (!options.probabilities) {
    throw UsageError(
        "--costs and --threshold choose by probabilities: leave out --no-probabilities");
  }
  options.decide(request, model.schema());
}

OptionRow use_known_row(std::string_view help) {
  return option::flag("use-known", help).of(kGraphBit).in(kGraphGroup);
}

void warn_of(const GraphLabels& labels, std::size_t instances) {
  const auto said = [&](std::string_view what, std::size_t count) {
    return fmt::format("{} in {} of {}", what, count, counted(instances, "instance"));
  };
  if (labels.estimated > 0) note(said("note: probabilities are estimates", labels.estimated));
  if (labels.not_proved > 0) {
    note(said("note: the labelling may not be the most probable one", labels.not_proved));
  }
  if (labels.not_converged > 0) {
    fmt::print(stderr, "{}\n", said("warning: inference has not converged", labels.not_converged));
  }
}

// --- croft evaluate ----------------------------------------------------------------------------

std::span<const OptionRow> graph_evaluate_options() {
  static const auto kRows = std::to_array<OptionRow>({
      use_known_row("Known labels are evidence: those that the column known says are, for the "
                    "others; without the column, of each variable those of all others"),
  });
  return kRows;
}

namespace {

GraphLabels labels_to_evaluate(const OptionValues& values, const GraphModel& model,
                               GraphTables& tables, const GraphLabelOptions& options) {
  if (!values.flag("use-known") || tables.variables().says_known()) {
    return label_graph(model, tables.data(), options);
  }
  for (const std::string_view name : {"decode", "search"}) {
    if (!values.given(name) || values.text(name) == "marginal") continue;
    throw UsageError(
        "--use-known, without a column known, goes by the marginals of each variable "
        "given all others: leave out ",
        Message::option(name));
  }
  return label_given_others(model, tables.data(), tables.variables().gold(), options);
}

void draw_graph_reliability(const OptionValues& values, const std::string& model,
                            const GraphEvaluation& evaluation) {
  if (!values.given("reliability")) return;
  const DomainEvaluation* drawn = nullptr;
  for (const DomainEvaluation& each : evaluation.domains) {
    if (each.summary.tokens == 0) continue;
    if (drawn != nullptr) {
      throw UsageError("--reliability draws one domain, and ", drawn->domain, " and ", each.domain,
                       " have labels: leave out those of the others by --spec");
    }
    drawn = &each;
  }
  AtomicFile file{std::string(values.text("reliability"))};
  file.write(reliability_svg(drawn->summary, model + ", " + drawn->domain));
  file.commit();
}

}  // namespace

int run_graph_evaluation(const OptionValues& values) {
  check_kind_options(values, kGraphBit);
  const GraphDecode decode = graph_decode_of(values);
  GraphLabelOptions options = read_graph_label_options(values, decode);
  options.keep_marginals = true;
  handle_interrupts();
  const std::string path(values.text("model"));
  const auto model = GraphModel::open(path);
  EvaluateRequest request(chunk_scheme(values));
  request.report.confusion = values.flag("confusion");
  request.ranking = values.flag("ranking");
  const ChoiceRequest decision = read_decision(values);
  request.report.costs = decision.costs;
  read_graph_decision(decision, *model, values.given("decode") && decode == GraphDecode::best,
                      options);
  GraphTables tables = read_graph_tables(
      values, *model, path, values.flag("use-known") ? LabelUse::rest : LabelUse::gold);
  const std::size_t instances = tables.data().groups();
  const GraphLabels labels = labels_to_evaluate(values, *model, tables, options);
  warn_of(labels, instances);
  const GraphEvaluation evaluation =
      evaluate_graph(tables.data(), tables.variables().gold(), labels, request);
  draw_graph_reliability(values, path, evaluation);
  write_answer(
      values.flag("json"), [&] { return to_json(evaluation); },
      [&] { return format_table(evaluation); });
  return kDone;
}

// --- croft explain -----------------------------------------------------------------------------

std::span<const OptionRow> graph_explain_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      words("variable", "ID ...",
            "Explain these variables only: ids, or DOMAIN:ID where several domains have the id")
          .listed()
          .of(kGraphBit)
          .in(kGraphGroup),
      use_known_row("Labels in the database are known: the others are explained given them"),
  });
  return kRows;
}

int run_graph_explanation(const OptionValues& values) {
  check_kind_options(values, kGraphBit);
  const GraphLabelOptions options = read_graph_label_options(values, GraphDecode::best);
  GraphExplainRequest request{.variables = values.list("variable"),
                              .against = std::string(values.text("against"))};
  values.read("top", request.top);
  handle_interrupts();
  const std::string path(values.text("model"));
  const auto model = GraphModel::open(path);
  GraphTables tables = read_graph_tables(
      values, *model, path, values.flag("use-known") ? LabelUse::known : LabelUse::ignored);
  const std::size_t instances = tables.data().groups();
  const bool json = values.flag("json");
  const GraphLabels labels = explain_graph(*model, tables, options, request, [&](const View& view) {
    write_result(json ? view.json.dump(-1, InvalidUtf8::replace) + "\n" : view.text);
  });
  warn_of(labels, instances);
  return kDone;
}

// --- croft inspect --picture -------------------------------------------------------------------

std::span<const OptionRow> graph_inspect_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("picture", "FILE", "Draw a part of the graph of --database: .svg, or .dot for Graphviz")
          .written_as("the picture ")
          .of(kGraphBit)
          .in(kGraphGroup)
          .beside("database"),
      database_row("A file of SQLite, or files NAME.csv, NAME.tsv").beside("picture"),
      spec_row().beside("picture"),
      query_seconds_row().of(kGraphBit).in(kGraphGroup).beside("picture"),
      query_memory_row().of(kGraphBit).in(kGraphGroup).beside("picture"),
      whole("variables", "N=40", "How many variables the picture has at most")
          .at_first("40")
          .between(1, 1000)
          .of(kGraphBit)
          .in(kGraphGroup)
          .beside("picture"),
  });
  return kRows;
}

int draw_graph_sample(const OptionValues& values, const GraphModel& model) {
  const std::string path(values.text("model")), picture(values.text("picture"));
  const bool svg = picture.ends_with(".svg");
  if (!svg && !picture.ends_with(".dot")) {
    throw UsageError("--picture ", in_quotes(picture), " ends in neither .dot nor .svg");
  }
  AtomicFile file(picture);
  handle_interrupts();
  GraphTables tables = read_graph_tables(values, model, path, LabelUse::known);
  std::size_t variables = 0;
  values.read("variables", variables);
  const GraphSample sample = sample_graph(tables, variables);
  file.write(svg ? graph_svg(sample.file, sample.known) : graph_dot(sample.file, sample.known));
  file.commit();
  note(fmt::format("drew {} of {}; those with a label are grey", sample.file.graph.variables(),
                   counted(tables.variables().size(), "variable")));
  return kDone;
}

}  // namespace croft::cli
