// croft predict with a model of kind graph
#include <fmt/format.h>

#include <array>

#include "cli/graph_verbs.h"
#include "cli/label/labelling_options.h"
#include "cli/model_options.h"
#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "model/kinds/graph_model.h"
#include "sql/prediction_table.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

enum class Output { text, json };
Output output_of(const OptionValues& values) {
  const std::string_view name = values.text("to");
  if (name.empty() || name == "columns") return Output::text;
  if (name == "json") return Output::json;
  fail_other_kind(values, "to", "columns or json");
}

GraphLabelOptions label_options(const OptionValues& values) {
  const GraphDecode decode = graph_decode_of(values);
  GraphLabelOptions options = read_graph_label_options(values, decode);
  if (values.text("marginals") == "edges") {
    throw UsageError(
        "--marginals=edges has no meaning for a model of kind graph; take --marginals");
  }
  options.keep_marginals = values.given("marginals");
  options.probabilities = !values.flag("no-probabilities");
  if (options.probabilities) return options;
  const auto refuse = [](const Message& what) {
    throw UsageError(what, " probabilities: leave out --no-probabilities");
  };
  if (decode == GraphDecode::marginal) refuse("--decode marginal goes by");
  if (values.given("method")) refuse("--method is for");
  if (options.keep_marginals) refuse("--marginals are");
  return options;
}

std::string text_line(const GraphTables& tables, const GraphLabels& labels, std::uint32_t v) {
  const Domain& domain = tables.schema().domains[tables.data().domain(v)];
  std::string line;
  if (tables.schema().domains.size() > 1) line += domain.name + "\t";
  line += tables.variables().id(v) + "\t" + domain.labels[labels.label[v]];
  if (!labels.probability.empty()) line += fmt::format("\t{:.6f}", labels.probability[v]);
  if (!labels.begin.empty()) {
    const auto marginals = labels.marginals_of(v);
    for (std::size_t k = 0; k < marginals.size(); ++k) {
      line += fmt::format("\t{}:{:.6f}", domain.labels[k], marginals[k]);
    }
  }
  return line + "\n";
}

std::string json_line(const GraphTables& tables, const GraphLabels& labels, std::uint32_t v) {
  const Domain& domain = tables.schema().domains[tables.data().domain(v)];
  const RowId id = tables.variables().row_id(v);
  Json line = {{"domain", domain.name},
               {"instance", std::string(tables.data().group_name(v))},
               {"label", domain.labels[labels.label[v]]}};
  if (id.is_text) {
    line["id"] = std::string(id.text);
  } else {
    line["id"] = id.number;
  }
  if (!labels.probability.empty()) line["probability"] = labels.probability[v];
  if (!labels.begin.empty()) {
    const auto marginals = labels.marginals_of(v);
    for (std::size_t k = 0; k < marginals.size(); ++k) {
      line["marginals"][domain.labels[k]] = marginals[k];
    }
  }
  return line.dump(-1, InvalidUtf8::replace) + "\n";
}

void write_lines(const GraphTables& tables, const GraphLabels& labels, Output output) {
  std::string text;
  for (std::uint32_t v = 0; v < tables.variables().size(); ++v) {
    text += output == Output::json ? json_line(tables, labels, v) : text_line(tables, labels, v);
    if (text.size() < (1 << 16)) continue;
    write_result(text);
    text.clear();
  }
  write_result(text);
}

}  // namespace

std::span<const OptionRow> graph_predict_options() {
  using namespace option;
  const auto graph = [](const OptionRow& row) { return row.of(kGraphBit).in(kGraphGroup); };
  static const auto kRows = std::to_array<OptionRow>({
      graph(row("table", OptionType::flag, "[=NAME]",
                "Write a table (domain, id, label, probability) into the database instead; "
                "--table=NAME: of this name; with --marginals also NAME_marginals")
                .valued({}, "predictions")),
      graph(flag("overwrite", "Replace a table even if croft did not make it")),
      use_known_row("Labels in the database are known: the others are found given them"),
      graph(flag("no-probabilities", "Labels alone, by --search: quicker on large graphs")),
  });
  return kRows;
}

int run_graph_prediction(const OptionValues& values) {
  check_kind_options(values, kGraphBit);
  GraphLabelOptions options = label_options(values);
  const ChoiceRequest decision = read_decision(values);
  const Output output = output_of(values);
  const std::vector<std::string>& databases = values.list("database");
  const PredictionTable table{.path = databases.front(),
                              .table = std::string(values.text("table")),
                              .marginals = options.keep_marginals,
                              .overwrite = values.flag("overwrite")};
  if (!table.table.empty()) {
    if (values.given("to")) {
      throw UsageError(
          "--to is of what is printed, and --table writes into the database: leave out one");
    }
    if (databases.size() > 1) {
      throw UsageError("--table writes into one database of SQLite, and there are several files");
    }
    check_prediction_table(table);
  } else if (table.overwrite) {
    throw UsageError("--overwrite is for --table, which is not given");
  }
  handle_interrupts();
  const std::string path(values.text("model"));
  const auto model = GraphModel::open(path);
  read_graph_decision(decision, *model, values.text("decode") == "best", options);
  GraphTables tables = read_graph_tables(
      values, *model, path, values.flag("use-known") ? LabelUse::known : LabelUse::ignored);
  const std::size_t instances = tables.data().groups();
  const GraphLabels labels = label_graph(*model, tables.data(), options);
  warn_of(labels, instances);
  if (table.table.empty()) {
    write_lines(tables, labels, output);
  } else {
    write_prediction_table(table, tables, labels);
    note(fmt::format("wrote the table {} ({}) into {}", table.table,
                     counted(tables.variables().size(), "row"), table.path));
  }
  return kDone;
}

}  // namespace croft::cli
