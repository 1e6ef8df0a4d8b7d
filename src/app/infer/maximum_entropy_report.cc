#include "app/infer/maximum_entropy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/inspect/inspect.h"
#include "core/json.h"
#include "core/unicode.h"
#include "croft/core/error.h"

namespace croft {
namespace {

Relation relation_of(const std::string& sign) {
  if (sign == "<=") return Relation::at_most;
  return sign == ">=" ? Relation::at_least : Relation::equal;
}

std::size_t column_of(const ExpectationText& constraint, const OutcomeTable& table) {
  const auto at = std::ranges::find(table.columns, constraint.feature);
  if (at != table.columns.end()) return static_cast<std::size_t>(at - table.columns.begin());
  std::string names;
  for (const std::string& each : table.columns) names += (names.empty() ? "" : ", ") + each;
  throw InputError({table.file}, "a constraint on a feature that the table does not have",
                   constraint.feature, names.empty() ? "it has none" : "it has " + names);
}

std::string shown(const ExpectationText& c) {
  return fmt::format("{} {} {}", escaped(c.feature), c.relation, c.bound);
}

std::string padded_to(std::size_t size, std::string text) {
  const std::size_t has = character_count(text);
  if (has < size) text.append(size - has, ' ');
  return text;
}

void append_outcomes(std::string& out, const MaximumEntropyAnswer& answer) {
  std::size_t size = character_count("outcome");
  for (const std::string& each : answer.table.outcomes)
    size = std::max(size, character_count(escaped(each)));
  out += padded_to(size, "outcome") + "  probability\n";
  for (std::size_t i = 0; i < answer.table.outcomes.size(); ++i) {
    out += padded_to(size, escaped(answer.table.outcomes[i])) +
           fmt::format("  {:>11.6g}\n", answer.result.p[i]);
  }
}

void append_constraints(std::string& out, const MaximumEntropyAnswer& answer) {
  if (answer.constraints.empty()) return;
  const bool infeasible = answer.result.status == MaximumEntropyStatus::infeasible;
  std::size_t size = character_count("constraint");
  for (const auto& each : answer.constraints) size = std::max(size, character_count(shown(each)));
  out += (out.empty() ? "" : "\n") + padded_to(size, "constraint") +
         (infeasible ? "  certificate\n"
                     : fmt::format("  {:>12} {:>12}\n", "expectation", "multiplier"));
  for (std::size_t j = 0; j < answer.constraints.size(); ++j) {
    out += padded_to(size, shown(answer.constraints[j]));
    out += infeasible ? fmt::format("  {:>11.6g}\n", answer.result.certificate[j])
                      : fmt::format("  {:>12.8g} {:>12.6g}\n", answer.result.expectation[j],
                                    answer.result.multiplier[j]);
  }
}

}  // namespace

MaximumEntropyAnswer solve_maximum_entropy(const MaximumEntropyRequest& request) {
  MaximumEntropyAnswer answer{.table =
                                  read_outcome_table(LineReader(request.table), request.delimiter)};
  std::vector<double> base;
  if (!request.base.empty()) base = take_weights(request.base, answer.table);
  for (const std::string& each : request.constraints) {
    answer.constraints.push_back(parse_expectation(each, {"--constraint"}));
  }
  if (!request.constraint_file.empty()) {
    LineReader lines(request.constraint_file);
    for (ExpectationText& each : read_expectations(lines)) {
      answer.constraints.push_back(std::move(each));
    }
  }
  MaximumEntropyProblem problem{.outcomes = answer.table.outcomes.size(),
                                .columns = answer.table.columns.size(),
                                .features = answer.table.values,
                                .base = base,
                                .constraints = {}};
  for (const ExpectationText& each : answer.constraints) {
    problem.constraints.push_back(
        {column_of(each, answer.table), relation_of(each.relation), each.bound});
  }
  answer.result = maximum_entropy(problem, request.options);
  return answer;
}

std::string format_maximum_entropy(const MaximumEntropyAnswer& answer) {
  const MaximumEntropyResult& r = answer.result;
  std::string out;
  if (r.status != MaximumEntropyStatus::infeasible) append_outcomes(out, answer);
  append_constraints(out, answer);
  out += (out.empty() ? "" : "\n") + r.message + "\n";
  if (r.status == MaximumEntropyStatus::infeasible) return out;
  const auto line = [&](const char* name, double value, const char* what) {
    out += fmt::format("{:<22}{:>14.8g}  {}\n", name, value + 0.0, what);  // 0 rather than -0
  };
  line("entropy", r.entropy,
       fmt::format("of at most {:.6g}", std::log(static_cast<double>(r.p.size()))).c_str());
  line("divergence", r.divergence, "from the base: the primal value");
  line("dual value", r.dual, "below it, and equal at the optimum");
  out += fmt::format(
      "KKT: stationarity {:.2g}, constraints {:.2g}, sum {:.2g}, signs {:.2g}, slackness {:.2g}\n",
      r.kkt.stationarity, r.kkt.primal, r.kkt.normalisation, r.kkt.dual, r.kkt.slackness);
  return out;
}

Json maximum_entropy_json(const MaximumEntropyAnswer& answer) {
  const MaximumEntropyResult& r = answer.result;
  const bool infeasible = r.status == MaximumEntropyStatus::infeasible;
  Json outcomes = Json::array(), constraints = Json::array();
  for (std::size_t i = 0; i < r.p.size() && !infeasible; ++i) {
    outcomes.push_back({{"outcome", answer.table.outcomes[i]}, {"probability", r.p[i]}});
  }
  for (std::size_t j = 0; j < answer.constraints.size(); ++j) {
    const ExpectationText& each = answer.constraints[j];
    Json entry = {{"feature", each.feature}, {"relation", each.relation}, {"bound", each.bound}};
    if (infeasible) {
      entry["certificate"] = r.certificate[j];
    } else {
      entry["expectation"] = r.expectation[j];
      entry["multiplier"] = r.multiplier[j];
    }
    constraints.push_back(std::move(entry));
  }
  Json document = {{"status", name_of(r.status)},
                   {"message", r.message},
                   {"iterations", r.iterations},
                   {"constraints", std::move(constraints)}};
  if (infeasible) {
    document["margin"] = r.margin;
    return document;
  }
  document["outcomes"] = std::move(outcomes);
  document["entropy"] = r.entropy;
  document["divergence"] = r.divergence;
  document["dual"] = r.dual;
  document["kkt"] = {{"stationarity", r.kkt.stationarity},
                     {"primal", r.kkt.primal},
                     {"normalisation", r.kkt.normalisation},
                     {"dual", r.kkt.dual},
                     {"slackness", r.kkt.slackness}};
  return document;
}

}  // namespace croft
