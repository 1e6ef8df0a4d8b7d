#include "app/infer/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "app/infer/table_text.h"
#include "app/inspect/inspect.h"
#include "core/infinity.h"
#include "core/json.h"
#include "core/parse_number.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/inference/junction_tree.h"
#include "data/comma_list.h"
#include "structure/counters.h"

namespace croft {
namespace {

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Names may have an = in them: the first place that makes the left side a variable counts.
std::optional<GraphEvent::Term> term_at(const GraphFile& file, std::string_view text,
                                        std::size_t equal) {
  const bool negated = equal > 0 && text[equal - 1] == '!';
  GraphEvent::Term term;
  term.equal = !negated;
  try {
    term.a = find_variable(file, without_spaces(text.substr(0, equal - (negated ? 1 : 0))));
  } catch (const UsageError&) {
    return {};
  }
  return term;
}

void read_right_side(const GraphFile& file, std::string_view text, GraphEvent::Term& term) {
  std::vector<bool> states(file.graph.states(term.a), !term.equal);
  const auto mark = [&](std::string_view name) {
    const auto state = find_state(file, term.a, without_spaces(name));
    if (state) states[*state] = term.equal;
    return state.has_value();
  };
  const auto all = [&] {  // between | there are states
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('|', begin), text.size());
      if (!mark(text.substr(begin, end - begin))) return false;
      begin = end + 1;
    }
    return true;
  };
  if (mark(text) || all()) {
    term.states = std::move(states);
    return;
  }
  try {
    term.b = find_variable(file, text);
  } catch (const UsageError&) {
    throw UsageError(in_quotes(text), " is neither a state of ",
                     in_quotes(variable_name(file.names, term.a)), " nor a variable");
  }
  if (*term.b == term.a) throw UsageError("a query compares a variable with itself");
}

GraphEvent::Term read_term(const GraphFile& file, std::string_view text) {
  for (std::size_t at = text.find('='); at != text.npos; at = text.find('=', at + 1)) {
    if (auto term = term_at(file, text, at)) {
      read_right_side(file, without_spaces(text.substr(at + 1)), *term);
      return *term;
    }
  }
  const std::size_t equal = text.find('=');
  if (equal == text.npos) {
    throw UsageError("a query is VARIABLE=STATE or VARIABLE=VARIABLE, with != and commas, not ",
                     in_quotes(text));
  }
  find_variable(file, without_spaces(text.substr(0, equal)));  // says which there are
  throw UsageError("no query: ", in_quotes(text));
}

ResultKind kind_of_ratio(const InferResult& part, const InferResult& whole) {
  const bool exact = part.kind == ResultKind::exact && whole.kind == ResultKind::exact;
  return exact ? ResultKind::exact : ResultKind::estimate;
}

[[noreturn]] void fail_impossible() {
  throw Error("what is observed is impossible: its probability is 0");
}

double numeric_name(const GraphFile& file, Variable v, State s) {
  double value = 0;
  const auto& names = file.names.states;
  if (names.empty() || parse_number(names[v][s], value) != NumberKind::finite) return kInf;
  return value;
}

EntropyAnswer::OfVariable measured(const GraphFile& file, Variable v,
                                   const std::vector<double>& p) {
  EntropyAnswer::OfVariable out;
  double mean = 0, squares = 0;
  for (State s = 0; s < p.size(); ++s) {
    if (p[s] > 0) out.entropy -= p[s] * std::log(p[s]);
    const double value = numeric_name(file, v, s);
    mean += value == kInf ? kInf : p[s] * value;
  }
  if (!std::isfinite(mean)) return out;
  for (State s = 0; s < p.size(); ++s) {
    const double away = numeric_name(file, v, s) - mean;
    squares += p[s] * away * away;
  }
  out.mean = mean;
  out.deviation = std::sqrt(squares);
  return out;
}

}  // namespace

GraphEvent graph_event(const GraphFile& file, std::string_view text) {
  GraphEvent event{.text = std::string(text), .terms = {}};
  for (const std::string_view each : between_commas(text)) {
    event.terms.push_back(read_term(file, without_spaces(each)));
  }
  return event;
}

FactorGraph restricted_to(const GraphFile& file, const FactorGraph& graph,
                          const GraphEvent& event) {
  FactorGraph out = graph;
  const auto score = [](bool holds) { return holds ? 0 : -kInf; };
  for (const GraphEvent::Term& term : event.terms) {
    std::vector<double> scores;
    if (!term.b) {
      for (const bool holds : term.states) scores.push_back(score(holds));
      out.add_factor({term.a}, out.add_table(scores));
      continue;
    }
    for (State s = 0; s < graph.states(term.a); ++s) {
      for (State t = 0; t < graph.states(*term.b); ++t) {
        const bool same = state_name(file.names, term.a, s) == state_name(file.names, *term.b, t);
        scores.push_back(score(same == term.equal));
      }
    }
    out.add_factor({term.a, *term.b}, out.add_table(scores));
  }
  return out;
}

std::vector<EventAnswer> ask_events(const GraphFile& file, const FactorGraph& graph,
                                    std::span<const State> evidence,
                                    const std::vector<GraphEvent>& events, InferRequest request,
                                    const InferCalls& calls) {
  request.task = GraphTask::partition;
  const InferResult whole = infer(graph, evidence, request, calls);
  if (*whole.log_partition == -kInf) fail_impossible();
  std::vector<EventAnswer> answers;
  for (const GraphEvent& each : events) {
    const InferResult part = infer(restricted_to(file, graph, each), evidence, request, calls);
    answers.push_back({each.text, std::min(0.0, *part.log_partition - *whole.log_partition),
                       part.method, kind_of_ratio(part, whole), part.converged && whole.converged});
  }
  return answers;
}

std::string format_answers(const std::vector<EventAnswer>& answers) {
  std::vector<std::vector<std::string>> rows{{"query", "probability", "log", "kind"}};
  for (const EventAnswer& each : answers) {
    rows.push_back({escaped(each.text), fmt::format("{:.6g}", std::exp(each.log_probability)),
                    fmt::format("{:.10g}", each.log_probability),
                    std::string(name_of(each.kind)) + (each.converged ? "" : ", not converged")});
  }
  return aligned(rows);
}

Json to_json(const std::vector<EventAnswer>& answers) {
  Json list = Json::array();
  for (const EventAnswer& each : answers) {
    list.push_back({{"query", each.text},
                    {"probability", std::exp(each.log_probability)},
                    {"log_probability", each.log_probability},
                    {"method", each.method},
                    {"kind", name_of(each.kind)},
                    {"converged", each.converged}});
  }
  return list;
}

namespace {

// The same distribution, with tables whose largest score is 0: what is subtracted from log Z is as
// small as can be.
FactorGraph with_relative_tables(const FactorGraph& graph) {
  FactorGraph out;
  for (Variable v = 0; v < graph.variables(); ++v) out.add_variable(graph.states(v));
  for (Factor f = 0; f < graph.factors(); ++f) {
    std::vector<double> scores = graph.table(f);
    const double most = *std::ranges::max_element(scores);
    for (double& each : scores) each -= most == -kInf ? 0 : most;
    out.add_factor(graph.scope(f), out.add_table(scores));
  }
  return out;
}

// Marginals of all factors, within the time that is left since `begin`.
GraphMarginals marginals_of_factors(const FactorGraph& tables, std::span<const Factor> all,
                                    const InferRequest& request, const InferCalls& calls,
                                    std::chrono::steady_clock::time_point begin) {
  const GraphCallback wanted = calls.progress ? calls.progress : until_interrupted();
  const GraphCallback go_on = [&](const GraphProgress& now) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return (!request.seconds || taken.count() < *request.seconds) && wanted(now);
  };
  try {
    JunctionTree tree(tables, find_elimination_order(tables, {.progress = go_on}), go_on);
    return tree.marginals(all);
  } catch (const Interrupted& stop) {
    const Message text("the entropy's junction-tree was ", stop.message(), "; give it more time");
    if (interruption) throw Interrupted(text);
    throw Error(text);
  }
}

}  // namespace

// H = log Z - E[score].
EntropyAnswer ask_entropy(const GraphFile& file, const FactorGraph& graph,
                          std::span<const State> evidence, const InferRequest& request,
                          const InferCalls& calls) {
  const auto begin = std::chrono::steady_clock::now();
  InferRequest own = request;
  own.task = GraphTask::marginals;
  own.method = "junction-tree";
  const InferResult found = infer(graph, evidence, own, calls);
  const FactorGraph given = evidence.empty() ? graph : condition(graph, evidence);
  const FactorGraph tables =
      with_relative_tables(needs_counters(given) ? with_counters(given).graph : given);
  std::vector<Factor> all(tables.factors());
  std::iota(all.begin(), all.end(), Factor{0});
  const GraphMarginals p = marginals_of_factors(tables, all, request, calls, begin);
  CompensatedSum score;
  for (const Factor f : all) {
    const std::vector<double> scores = tables.table(f);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (p.factor[f][k] > 0) score.add(p.factor[f][k] * scores[k]);
    }
  }
  EntropyAnswer answer{p.log_partition - score.value(), {}};
  double most = 0, sum = 0;  // what rounding may not leave
  for (Variable v = 0; v < found.marginals.size(); ++v) {
    answer.variables.push_back(measured(file, v, found.marginals[v]));
    most = std::max(most, answer.variables.back().entropy);
    sum += answer.variables.back().entropy;
  }
  answer.joint = std::clamp(answer.joint, most, std::max(most, sum));
  return answer;
}

std::string format_answer(const EntropyAnswer& answer, const GraphFile& file) {
  const bool means =
      std::ranges::any_of(answer.variables, [](const auto& v) { return v.mean.has_value(); });
  std::vector<std::vector<std::string>> rows{{"variable", "entropy"}};
  if (means) rows.back().insert(rows.back().end(), {"mean", "deviation"});
  for (Variable v = 0; v < answer.variables.size(); ++v) {
    const EntropyAnswer::OfVariable& of = answer.variables[v];
    rows.push_back(
        {escaped(variable_name(file.names, v)), fmt::format("{:.6g}", std::abs(of.entropy))});
    if (!of.mean) continue;
    rows.back().push_back(fmt::format("{:.6g}", *of.mean));
    rows.back().push_back(fmt::format("{:.6g}", *of.deviation));
  }
  return fmt::format("entropy  {:.10g} nats, of all variables together\n\n", answer.joint) +
         aligned(rows);
}

Json to_json(const EntropyAnswer& answer, const GraphFile& file) {
  Json variables = Json::array();
  for (Variable v = 0; v < answer.variables.size(); ++v) {
    const EntropyAnswer::OfVariable& of = answer.variables[v];
    Json one{{"variable", variable_name(file.names, v)}, {"entropy", std::abs(of.entropy)}};
    if (of.mean) one["mean"] = *of.mean, one["deviation"] = *of.deviation;
    variables.push_back(std::move(one));
  }
  return {{"entropy", answer.joint}, {"variables", std::move(variables)}};
}

}  // namespace croft
