#include "cli/predict_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/kind_options.h"
#include "croft/core/error.h"
#include "croft/core/json.h"
#include "model/kinds/graph_model.h"
#include "sql/prediction_table.h"

namespace croft::cli {
namespace {

constexpr std::array<std::string_view, 7> kShared = {"help",   "model",     "threads", "seed",
                                                     "output", "marginals", "decode"};
constexpr std::array<std::string_view, 4> kOnly = {"table", "overwrite", "use-known",
                                                   "no-probabilities"};

// --decode and --output have other values for other kinds.
GraphDecode decode_of(const CLI::App& verb) {
  if (verb.count("--decode") == 0) return GraphDecode::best;
  const std::string name = verb.get_option("--decode")->as<std::string>();
  if (name == "best") return GraphDecode::best;
  if (name == "marginal") return GraphDecode::marginal;
  throw UsageError("--decode " + name +
                   " has no meaning for a model of kind graph; take best or marginal");
}

enum class Output { text, json };
Output output_of(const CLI::App& verb) {
  if (verb.count("--output") == 0) return Output::text;
  const std::string name = verb.get_option("--output")->as<std::string>();
  if (name == "json") return Output::json;
  if (name == "columns") return Output::text;
  throw UsageError("--output " + name +
                   " has no meaning for a model of kind graph; take columns or "
                   "json");
}

// Of all labels, where asked for.
bool marginals_of(const CLI::App& verb) {
  if (verb.count("--marginals") == 0) return false;
  const std::string which = verb.get_option("--marginals")->as<std::string>();
  if (which == "edges") {
    throw UsageError(
        "--marginals=edges has no meaning for a model of kind graph; take --marginals");
  }
  return true;
}

GraphLabelOptions label_options(const CLI::App& verb, const GraphPredictCommand& c,
                                const CommonOptions& common) {
  const GraphDecode decode = decode_of(verb);
  GraphLabelOptions options = graph_label_options(c.labels, decode, common);
  options.probabilities = !c.no_probabilities;
  options.keep_marginals = marginals_of(verb);
  if (!c.no_probabilities) return options;
  const auto refuse = [](const std::string& what) {
    throw UsageError(what + " probabilities: leave out --no-probabilities");
  };
  if (decode == GraphDecode::marginal) refuse("--decode marginal goes by");
  if (!c.labels.method.empty()) refuse("--method is for");
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

void check_not_graph(const CLI::App& verb) {
  check_graph_options(verb, false, kShared, kOnly);
  if (verb.count("--decode") > 0 && verb.get_option("--decode")->as<std::string>() == "best") {
    throw UsageError(
        "--decode best is for a model of kind graph; there are viterbi, marginal and risk");
  }
}

void add_graph_predict_options(CLI::App& verb, GraphPredictCommand& c) {
  add_graph_label_options(verb, c.labels);
  verb.add_flag("--table{predictions}", c.table,
                "Write a table (domain, id, label, probability) into the database instead; "
                "--table=NAME: of this name; with --marginals also NAME_marginals")
      ->group(kGraphGroup);
  verb.add_flag("--overwrite", c.overwrite, "Replace a table even if croft did not make it")
      ->group(kGraphGroup);
  verb.add_flag("--use-known", c.use_known,
                "Labels in the database are known: the others are found given them")
      ->group(kGraphGroup);
  verb.add_flag("--no-probabilities", c.no_probabilities,
                "Labels alone, by --search: quicker on large graphs")
      ->group(kGraphGroup);
}

int run_graph_prediction(const CLI::App& verb, const GraphPredictCommand& c,
                         const std::string& path, const CommonOptions& common) {
  check_graph_options(verb, true, kShared, kOnly);
  const GraphLabelOptions options = label_options(verb, c, common);
  const Output output = output_of(verb);
  const std::string& database = c.labels.databases.front();
  const PredictionTable table{.path = database,
                              .table = c.table,
                              .marginals = options.keep_marginals,
                              .overwrite = c.overwrite};
  if (!c.table.empty()) {
    if (verb.count("--output") > 0) {
      throw UsageError(
          "--output is of stdout, and --table writes into the database: leave out one");
    }
    if (c.labels.databases.size() > 1) {
      throw UsageError("--table writes into one database of SQLite, and there are several files");
    }
    check_prediction_table(table);
  } else if (c.overwrite) {
    throw UsageError("--overwrite is for --table, which is not given");
  }
  handle_interrupts();
  const auto model = GraphModel::open(path);
  GraphTables tables =
      read_graph_tables(c.labels, *model, path, c.use_known ? LabelUse::known : LabelUse::ignored);
  const std::size_t instances = tables.data().groups();
  const GraphLabels labels = label_graph(*model, tables.data(), options);
  warn_of(labels, instances);
  if (c.table.empty()) {
    write_lines(tables, labels, output);
  } else {
    write_prediction_table(table, tables, labels);
    std::fprintf(stderr, "wrote the table %s (%zu rows) into %s\n", c.table.c_str(),
                 tables.variables().size(), database.c_str());
  }
  return kDone;
}

}  // namespace croft::cli
