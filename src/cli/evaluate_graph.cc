#include "cli/evaluate_graph.h"

#include <array>

#include "croft/core/error.h"
#include "croft/core/json.h"
#include "sql/evaluate_graph.h"

namespace croft::cli {
namespace {

constexpr std::array<std::string_view, 6> kShared = {"help",   "model",   "json",
                                                     "chunks", "threads", "seed"};
constexpr std::array<std::string_view, 1> kOnly = {"decode"};

}  // namespace

void add_graph_evaluate_options(CLI::App& verb, GraphEvaluateCommand& c) {
  add_graph_label_options(verb, c.labels);
  verb.add_option("--decode", c.decode,
                  "best: the most probable labelling of each instance; marginal: of each variable "
                  "the most probable label")
      ->check(CLI::IsMember({"best", "marginal"}))
      ->capture_default_str()
      ->group(kGraphGroup);
}

void check_not_graph_evaluation(const CLI::App& verb) {
  check_graph_options(verb, false, kShared, kOnly);
}

int run_graph_evaluation(const CLI::App& verb, const GraphEvaluateCommand& c,
                         const std::string& path, ChunkScheme scheme, bool json,
                         const CommonOptions& common) {
  check_graph_options(verb, true, kShared, kOnly);
  const GraphDecode decode = c.decode == "best" ? GraphDecode::best : GraphDecode::marginal;
  GraphLabelOptions options = graph_label_options(c.labels, decode, common);
  options.keep_marginals = true;
  handle_interrupts();
  const auto model = GraphModel::open(path);
  GraphTables tables = read_graph_tables(c.labels, *model, path, LabelUse::gold);
  const std::size_t instances = tables.data().groups();
  const GraphLabels labels = label_graph(*model, tables.data(), options);
  warn_of(labels, instances);
  const GraphEvaluation evaluation = evaluate_graph(tables, labels, scheme);
  if (json) {
    write_json(to_json(evaluation));
  } else {
    write_result(format_table(evaluation));
  }
  return kDone;
}

}  // namespace croft::cli
