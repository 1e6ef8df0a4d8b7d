#include "cli/network_verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "app/infer/network_cases.h"
#include "cli/common.h"
#include "cli/graph_verbs.h"
#include "cli/model_options.h"
#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "data/comma_list.h"
#include "data/csv.h"
#include "data/settings/state_rows.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr std::size_t kBatch = 8192;  // rows

struct NetworkCommand {
  explicit NetworkCommand(const OptionValues& values)
      : path(values.text("model")), net(read_graph(path)) {
    warn_of(net.notes);
    check_cases_network(net, path);
    if (values.given("target")) target = find_variable(net, values.text("target"));
    const std::vector<std::string>& cases = values.list("DATA");
    const bool tabs = std::ranges::all_of(cases, [](const auto& s) { return s.ends_with(".tsv"); });
    rows.delimiter = tabs && !cases.empty() ? '\t' : ',';
    read_delimiter(values, rows.delimiter);
    for (const std::string& list : values.list("missing")) {
      for (const std::string_view each : between_commas(list)) rows.missing.emplace_back(each);
    }
  }

  const std::string path;
  const GraphFile net;
  std::optional<Variable> target;
  StateRowsOptions rows;
};

enum class CaseOutput { columns, labels, json };

CaseOutput case_output_of(const OptionValues& values) {
  const std::string_view name = values.text("to");
  if (name.empty() || name == "columns") return CaseOutput::columns;
  if (name == "labels") return CaseOutput::labels;
  if (name == "json") return CaseOutput::json;
  throw UsageError("--to ", name,
                   " has no meaning for a Bayesian network; take columns, labels or json");
}

std::string case_line(const NetworkCommand& c, const std::vector<double>& p, CaseOutput output) {
  const auto name = [&](State s) { return state_name(c.net.names, *c.target, s); };
  const auto best = static_cast<State>(std::ranges::max_element(p) - p.begin());
  if (output == CaseOutput::json) {
    Json line{{"label", nullptr}, {"probability", nullptr}};
    if (!p.empty()) {
      line["label"] = name(best);
      line["probability"] = p[best];
      for (State s = 0; s < p.size(); ++s) line["probabilities"][name(s)] = p[s];
    }
    return line.dump(-1, InvalidUtf8::replace) + "\n";
  }
  std::string line = p.empty() ? "" : csv_cell(name(best), c.rows.delimiter);
  if (output == CaseOutput::labels) return (p.empty() ? "" : name(best)) + "\n";
  for (State s = 0; s < c.net.graph.states(*c.target); ++s) {
    line += c.rows.delimiter;
    if (!p.empty()) line += fmt::format("{:.6g}", p[s]);
  }
  return line + "\n";
}

std::string case_header(const NetworkCommand& c) {
  std::string line = csv_cell(variable_name(c.net.names, *c.target), c.rows.delimiter);
  for (State s = 0; s < c.net.graph.states(*c.target); ++s) {
    line += c.rows.delimiter;
    line += csv_cell("p(" + state_name(c.net.names, *c.target, s) + ")", c.rows.delimiter);
  }
  return line + "\n";
}

}  // namespace

std::span<const OptionRow> network_options() {
  using namespace option;
  const auto net = [](const OptionRow& row) { return row.of(kBayesNetBit).in(kNetworkGroup); };
  static const auto kRows = std::to_array<OptionRow>({
      net(words("target", "VARIABLE",
                "The variable that is predicted from what else a row of DATA (CSV with a header of "
                "variables) knows")),
      net(words("missing", "A,B,...", "Cells that say nothing, beside the empty one").repeated()),
      net(delimiter_row()),
  });
  return kRows;
}

int run_network_prediction(const OptionValues& values) {
  check_kind_options(values, kBayesNetBit);
  const CaseOutput output = case_output_of(values);
  const NetworkCommand c(values);
  if (!c.target) throw UsageError("a Bayesian network needs --target, the variable to predict");
  handle_interrupts();
  ThreadPool pool(common_of(values).threads);
  std::vector<CaseRow> rows;
  std::size_t impossible = 0;
  bool first = true;
  const auto flush = [&] {
    std::string text;
    if (first && output == CaseOutput::columns) text = case_header(c);
    first = false;
    for (const CaseAnswer& each : answer_cases(c.net.graph, c.target, rows, pool)) {
      if (each.posterior.empty()) ++impossible;
      text += case_line(c, each.posterior, output);
    }
    write_result(text);
    rows.clear();
    if (interruption) throw Interrupted("interrupted");
  };
  for (const std::string& path :
       values.list("DATA").empty() ? std::vector<std::string>{"-"} : values.list("DATA")) {
    read_state_rows(LineReader(path), c.net, c.rows, [&](std::span<const State> row) {
      rows.emplace_back(row.begin(), row.end());
      if (rows.size() == kBatch) flush();
    });
  }
  flush();
  if (impossible > 0) {
    fmt::print(stderr,
               "warning: {} impossible in the network, without a label (--smoothing in training "
               "helps)\n",
               counted(impossible, "case"));
  }
  return kDone;
}

int run_network_evaluation(const OptionValues& values) {
  check_kind_options(values, kBayesNetBit);
  const NetworkCommand c(values);
  handle_interrupts();
  ThreadPool pool(common_of(values).threads);
  std::vector<CaseRow> rows;
  const std::string data(values.text("DATA"));
  read_state_rows(LineReader(data), c.net, c.rows,
                  [&](std::span<const State> row) { rows.emplace_back(row.begin(), row.end()); });
  const NetworkEvaluation evaluation = evaluate_network(c.net, c.target, rows, pool);
  write_answer(
      values.flag("json"), [&] { return to_json(evaluation); },
      [&] { return format_table(evaluation); });
  return kDone;
}

}  // namespace croft::cli
