#include <array>

#include "cli/graph_verbs.h"
#include "croft/core/error.h"
#include "model/kinds/graph_model.h"
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

bool is_graph_model(const std::string& path) { return GraphModel::is_in(Container::open(path)); }

void check_graph_options(const OptionValues& values, bool graph) {
  for (const std::span<const OptionRow> table : values.tables()) {
    for (const OptionRow& row : table) {
      if ((row.kinds & (graph ? kGraphBit : ~kGraphBit)) != 0 || !values.given(row.name)) continue;
      if (!graph) {
        throw UsageError(Message::option(row.name),
                         " is for a model of kind graph, which this is not");
      }
      if (row.positional) {
        throw UsageError("a model of kind graph reads --database: leave out ",
                         values.list(row.name).front());
      }
      throw UsageError(Message::option(row.name),
                       " has no meaning for a model of kind graph; leave it out");
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
  values.read("seed", options.seed);
  values.read("threads", options.threads);
  return options;
}

GraphTables read_graph_tables(const OptionValues& values, const GraphModel& model,
                              const std::string& path, LabelUse use) {
  GraphSpec spec = graph_spec_from(model.source(), path);
  if (values.given("spec")) {
    spec = with_queries_of(spec, GraphSpec::read(std::string(values.text("spec"))));
  }
  const Database database = Database::open(values.list("database"));
  return GraphTables::read(database, std::move(spec), model, use);
}

void warn_of(const GraphLabels& labels, std::size_t instances) {
  const auto tell = [&](const char* what, std::size_t count) {
    if (count > 0) std::fprintf(stderr, "%s in %zu of %zu instances\n", what, count, instances);
  };
  tell("note: probabilities are estimates", labels.estimated);
  tell("note: the labelling may not be the most probable one", labels.not_proved);
  tell("warning: inference has not converged", labels.not_converged);
}

}  // namespace croft::cli
