// croft evaluate with a model of kind graph
#include "sql/evaluate_graph.h"

#include <array>

#include "cli/graph_verbs.h"
#include "cli/model_options.h"
#include "core/json.h"
#include "croft/core/error.h"

namespace croft::cli {

std::span<const OptionRow> graph_evaluate_options() {
  static const auto kRows = std::to_array<OptionRow>({
      option::choice("decode", "DECODE=best", {"best", "marginal"},
                     "best: the most probable labelling of each instance; marginal: of each "
                     "variable the most probable label")
          .at_first("best")
          .of(kGraphBit)
          .in(kGraphGroup),
  });
  return kRows;
}

int run_graph_evaluation(const OptionValues& values) {
  check_graph_options(values, true);
  GraphDecode decode{};
  values.choose("decode", {GraphDecode::best, GraphDecode::marginal}, decode);
  GraphLabelOptions options = read_graph_label_options(values, decode);
  options.keep_marginals = true;
  handle_interrupts();
  const std::string path(values.text("model"));
  const auto model = GraphModel::open(path);
  GraphTables tables = read_graph_tables(values, *model, path, LabelUse::gold);
  const std::size_t instances = tables.data().groups();
  const GraphLabels labels = label_graph(*model, tables.data(), options);
  warn_of(labels, instances);
  const GraphEvaluation evaluation = evaluate_graph(tables, labels, chunk_scheme(values));
  write_answer(
      values.flag("json"), [&] { return to_json(evaluation); },
      [&] { return format_table(evaluation); });
  return kDone;
}

}  // namespace croft::cli
