// Answers of infer() as JSON, as a table, in the format of the UAI competitions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "app/infer/graph_view.h"
#include "app/infer/infer_methods.h"
#include "app/infer/table_text.h"
#include "app/inspect/inspect.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "data/csv.h"

namespace croft {
namespace {

double log10_of(double log) { return log / std::numbers::ln10; }

// By how much a better assignment could be better; none where none is, or that is not known.
std::optional<double> gap_of(const InferResult& r) {
  if (!r.bound || !r.log_score || r.kind == ResultKind::exact) return {};
  return gap_between(*r.log_score, *r.bound);
}

// Of the variables that are asked for; none: of all.
std::vector<Variable> asked_of(const InferResult& r, std::size_t variables) {
  std::vector<Variable> all = r.over;
  if (all.empty()) {
    all.resize(variables);
    std::iota(all.begin(), all.end(), Variable{0});
  }
  return all;
}

Json states_json(const std::vector<State>& states, const std::vector<Variable>& asked,
                 const GraphFile& file) {
  Json list = Json::array();
  for (const Variable v : asked) {
    if (file.names.states.empty()) {
      list.push_back(states[v]);
    } else {
      list.push_back(file.names.states[v][states[v]]);
    }
  }
  return list;
}

void append_head(const InferResult& r, std::vector<std::vector<std::string>>& rows) {
  rows.push_back({"task", std::string(name_of(r.task))});
  rows.push_back({"method", r.method});
  rows.push_back({"kind", std::string(name_of(r.kind))});
  if (r.iterations) {
    rows.push_back({"iterations", fmt::format("{}{}", *r.iterations,
                                              r.converged ? ", converged"
                                              : r.stopped ? ", stopped"
                                                          : ", not converged")});
  }
  if (r.log_partition) {
    rows.push_back({"log Z", fmt::format("{:.10g}", *r.log_partition)});
    rows.push_back({"log10 Z", fmt::format("{:.10g}", log10_of(*r.log_partition))});
    if (r.log_partition_error) {
      rows.push_back(
          {"error", fmt::format("{:.2g} of log Z (standard error)", *r.log_partition_error)});
    }
  }
  if (r.log_partition_least && r.log_partition_most) {
    rows.push_back({"bounds", fmt::format("{:.10g} to {:.10g} of log Z", *r.log_partition_least,
                                          *r.log_partition_most)});
  }
  if (r.log_score) rows.push_back({"log score", fmt::format("{:.10g}", *r.log_score)});
  if (r.probability) rows.push_back({"probability", fmt::format("{:.6g}", *r.probability)});
  if (r.bound) rows.push_back({"at most", fmt::format("{:.10g}", *r.bound)});
  if (const auto gap = gap_of(r)) rows.push_back({"gap", fmt::format("{:.6g}", *gap)});
  if (r.bound_of_others) {
    rows.push_back({"others", fmt::format("at most {:.10g}", *r.bound_of_others)});
  }
  if (r.effective_samples) {
    rows.push_back({"samples", fmt::format("{:.0f} effective", *r.effective_samples)});
  }
  if (r.memory_bytes) rows.push_back({"memory", memory_text(*r.memory_bytes)});
  rows.push_back({"seconds", fmt::format("{:.3f}", r.seconds)});
  for (const Message& note : r.notes) rows.push_back({"note", note.text()});
  for (const Message& warning : r.warnings) rows.push_back({"warning", warning.text()});
}

}  // namespace

Json to_json(const InferResult& r, const GraphFile& file) {
  Json out = {{"task", name_of(r.task)},
              {"method", r.method},
              {"kind", name_of(r.kind)},
              {"converged", r.converged},
              {"seconds", r.seconds}};
  if (!r.reason.empty()) out["reason"] = r.reason.text();
  if (r.stopped) out["stopped"] = true;
  if (r.log_partition) {  // -inf is null: JSON has no infinity
    out["log_partition"] = *r.log_partition;
    out["log10_partition"] = log10_of(*r.log_partition);
    if (r.log_partition_error && std::isfinite(*r.log_partition_error)) {
      out["log_partition_standard_error"] = *r.log_partition_error;
    }
  }
  if (r.log_partition_least) out["log_partition_least"] = *r.log_partition_least;
  if (r.log_partition_most) out["log_partition_most"] = *r.log_partition_most;
  if (r.log_score) out["log_score"] = *r.log_score;
  if (r.bound) out["bound"] = *r.bound;
  if (const auto gap = gap_of(r)) out["gap"] = *gap;
  if (r.bound_of_others) out["bound_of_others"] = *r.bound_of_others;
  if (r.iterations) out["iterations"] = *r.iterations;
  if (r.residual && std::isfinite(*r.residual)) out["residual"] = *r.residual;
  if (r.effective_samples) out["effective_samples"] = *r.effective_samples;
  for (const Message& note : r.notes) out["notes"].push_back(note.text());
  for (const Message& warning : r.warnings) out["warnings"].push_back(warning.text());
  if (!r.standard_errors.empty()) out["standard_errors"] = r.standard_errors;
  if (r.memory_bytes) out["memory_bytes"] = *r.memory_bytes;
  if (!file.names.variables.empty()) out["variables"] = file.names.variables;
  if (!file.names.states.empty()) out["states"] = file.names.states;
  if (r.task == GraphTask::marginals) out["marginals"] = r.marginals;
  if (r.probability) out["probability"] = *r.probability;
  const std::vector<Variable> asked = asked_of(r, file.graph.variables());
  for (const Variable v : r.over) out["over"].push_back(variable_name(file.names, v));
  if (r.task == GraphTask::map || r.task == GraphTask::marginal_map) {
    out["assignment"] = states_json(r.assignment, asked, file);
  }
  for (const RankedAssignment& each : r.k_best) {
    Json one{{"assignment", states_json(each.states, asked, file)}, {"log_score", each.log_score}};
    if (each.probability) one["probability"] = *each.probability;
    out["k_best"].push_back(std::move(one));
  }
  if (r.task == GraphTask::sample) {
    out["samples"] = Json::array();
    for (const auto& sample : r.samples) out["samples"].push_back(states_json(sample, asked, file));
  }
  return out;
}

std::string format_json(const InferResult& result, const GraphFile& file) {
  return to_json(result, file).dump(2, InvalidUtf8::replace) + "\n";
}

std::string format_table(const InferResult& r, const GraphFile& file) {
  const auto variable = [&](Variable v) { return escaped(variable_name(file.names, v)); };
  const auto state = [&](Variable v, State s) { return escaped(state_name(file.names, v, s)); };
  const std::vector<Variable> asked = asked_of(r, r.assignment.size());
  std::vector<std::vector<std::string>> head, rows;
  append_head(r, head);
  if (r.task == GraphTask::marginals) {
    rows.push_back({"variable", "state", "probability"});
    if (!r.standard_errors.empty()) rows.back().push_back("standard error");
    for (Variable v = 0; v < r.marginals.size(); ++v) {
      for (State s = 0; s < r.marginals[v].size(); ++s) {
        rows.push_back({variable(v), state(v, s), fmt::format("{:.6g}", r.marginals[v][s])});
        if (r.standard_errors.empty()) continue;
        const double error = r.standard_errors[v][s];
        rows.back().push_back(std::isnan(error) ? "unknown" : fmt::format("{:.2g}", error));
      }
    }
  } else if (!r.k_best.empty()) {
    rows.push_back({"rank", "log score"});
    const bool known = r.k_best.front().probability.has_value();
    if (known) rows.back().push_back("probability");
    for (const Variable v : asked) rows.back().push_back(variable(v));
    for (const RankedAssignment& each : r.k_best) {
      rows.push_back({std::to_string(rows.size()), fmt::format("{:.10g}", each.log_score)});
      if (known) rows.back().push_back(fmt::format("{:.6g}", *each.probability));
      for (const Variable v : asked) rows.back().push_back(state(v, each.states[v]));
    }
  } else if (r.task == GraphTask::map || r.task == GraphTask::marginal_map) {
    rows.push_back({"variable", "state"});
    for (const Variable v : asked) rows.push_back({variable(v), state(v, r.assignment[v])});
  } else if (r.task == GraphTask::sample) {
    rows.emplace_back();
    for (Variable v = 0; v < file.graph.variables(); ++v) rows[0].push_back(variable(v));
    for (const auto& sample : r.samples) {
      rows.emplace_back();
      for (Variable v = 0; v < sample.size(); ++v) rows.back().push_back(state(v, sample[v]));
    }
  }
  return aligned(head) + (rows.empty() ? "" : "\n" + aligned(rows));
}

std::string format_csv(const InferResult& r, const GraphFile& file) {
  if (r.task != GraphTask::sample) throw UsageError("only samples are written as CSV");
  std::string out;
  const auto add_row = [&](const auto& cell_of) {
    for (Variable v = 0; v < file.graph.variables(); ++v) {
      if (v > 0) out += ',';
      out += csv_cell(cell_of(v));
    }
    out += '\n';
  };
  add_row([&](Variable v) { return variable_name(file.names, v); });
  for (const std::vector<State>& sample : r.samples) {
    add_row([&](Variable v) { return state_name(file.names, v, sample[v]); });
  }
  return out;
}

std::string format_uai(const InferResult& r) {
  switch (r.task) {
    case GraphTask::partition:
      return fmt::format("PR\n{:.15g}\n", log10_of(*r.log_partition));
    case GraphTask::marginals: {
      std::string out = fmt::format("MAR\n{}", r.marginals.size());
      for (const std::vector<double>& p : r.marginals) {
        out += fmt::format(" {}", p.size());
        for (const double each : p) out += fmt::format(" {:.10g}", each);
      }
      return out + "\n";
    }
    case GraphTask::map: {
      std::string out = fmt::format("MPE\n{}", r.assignment.size());
      for (const State s : r.assignment) out += fmt::format(" {}", s);
      return out + "\n";
    }
    case GraphTask::marginal_map: {
      std::string out = fmt::format("MMAP\n{}", r.over.size());
      for (const Variable v : r.over) out += fmt::format(" {} {}", v, r.assignment[v]);
      return out + "\n";
    }
    case GraphTask::sample:
      break;
  }
  throw UsageError("the format of the UAI competitions has no samples; --to table, or --json");
}

}  // namespace croft
