#include "app/infer/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "app/infer/infer_methods.h"
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

constexpr double kMostTermBytes = 1 << 30;
constexpr double kLeastSeconds = 1e-3;  // of a sum, when the time is over

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
  std::vector<State> states;
  const auto mark = [&](std::string_view name) {
    const auto state = find_state(file, term.a, without_spaces(name));
    if (state) states.push_back(*state);
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
    std::ranges::sort(states);
    states.erase(std::ranges::unique(states).begin(), states.end());
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

// The table of a term.
void check_table(const GraphEvent& event, double scores) {
  const double bytes = sizeof(double) * scores;
  if (bytes <= kMostTermBytes) return;
  throw Error("the query ", in_quotes(event.text), " takes a table of ", memory_text(bytes),
              " of memory, and ", memory_text(kMostTermBytes), " are allowed");
}

bool holds(const GraphEvent::Term& term, State s) {
  return std::ranges::binary_search(term.states, s) == term.equal;
}

void add_once(const Message& text, std::vector<Message>& list) {
  const auto same = [&](const Message& each) { return each.text() == text.text(); };
  if (std::ranges::none_of(list, same)) list.push_back(text);
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
  const auto score = [](bool allowed) { return allowed ? 0 : -kInf; };
  for (const GraphEvent::Term& term : event.terms) {
    std::vector<double> scores;
    const auto states = static_cast<double>(graph.states(term.a));
    check_table(event, states * (term.b ? static_cast<double>(graph.states(*term.b)) : 1));
    if (!term.b) {
      for (State s = 0; s < graph.states(term.a); ++s) scores.push_back(score(holds(term, s)));
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

namespace {

// States of a variable for which several terms hold.
struct HeldStates {
  std::optional<std::vector<State>> in;
  std::vector<State> out;

  void add(const GraphEvent::Term& term) {
    std::vector<State> both;
    if (!term.equal) {
      std::ranges::set_union(out, term.states, std::back_inserter(both));
      out = std::move(both);
    } else if (in) {
      std::ranges::set_intersection(*in, term.states, std::back_inserter(both));
      in = std::move(both);
    } else {
      in = term.states;
    }
  }
  double count(double states) const {
    if (!in) return states - static_cast<double>(out.size());
    return static_cast<double>(
        std::ranges::count_if(*in, [&](State s) { return !std::ranges::binary_search(out, s); }));
  }
};

// An event without the terms whose probability needs no sums, and the logarithm of that.
struct Simplified {
  GraphEvent event;
  double log_share = 0;
};

// States of observed variables are known; those of variables in no factor are equally probable.
Simplified simplified(const FactorGraph& graph, std::span<const State> evidence,
                      const GraphEvent& event) {
  std::vector<bool> joined(graph.variables(), false);
  for (Factor f = 0; f < graph.factors(); ++f) {
    for (const Variable v : graph.scope(f)) joined[v] = true;
  }
  for (const GraphEvent::Term& term : event.terms) {
    if (term.b) joined[term.a] = joined[*term.b] = true;
  }
  Simplified out{.event = {.text = event.text, .terms = {}}};
  std::map<Variable, HeldStates> free;
  for (const GraphEvent::Term& term : event.terms) {
    const bool observed = term.a < evidence.size() && evidence[term.a] != kUnobserved;
    if (!term.b && observed) {
      if (!holds(term, evidence[term.a])) out.log_share = -kInf;
    } else if (!joined[term.a]) {
      free[term.a].add(term);
    } else {
      out.event.terms.push_back(term);
    }
  }
  for (const auto& [v, held] : free) {
    const auto states = static_cast<double>(graph.states(v));
    out.log_share += std::log(held.count(states) / states);
  }
  return out;
}

// Answers events one after the other, within the time of the request.
class EventSums {
 public:
  EventSums(const GraphFile& file, const FactorGraph& graph, std::span<const State> evidence,
            const InferRequest& request, const InferCalls& calls)
      : file_(file), graph_(graph), evidence_(evidence), request_(request), calls_(calls) {}

  std::vector<EventAnswer> run(const std::vector<GraphEvent>& events) {
    to_do_ = events.size() + 1;
    whole_ = ask(graph_, GraphTask::partition);
    if (*whole_.log_partition == -kInf) fail_impossible();
    std::vector<EventAnswer> answers;
    for (const GraphEvent& each : events) {
      answers.push_back(answer(each));
      to_do_ = events.size() - answers.size();
    }
    return answers;
  }

 private:
  // With an equal share of the time that is left for each of the sums to come.
  InferResult ask(const FactorGraph& graph, GraphTask task) {
    InferRequest own = request_;
    own.task = task;
    if (request_.seconds) {
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
      const double left = *request_.seconds - taken.count();
      own.seconds = std::max(left / static_cast<double>(to_do_), kLeastSeconds);
    }
    InferResult result = infer(graph, evidence_, own, calls_);
    if (to_do_ > 1) --to_do_;
    return result;
  }

  EventAnswer answer(const GraphEvent& event) {
    const auto [left, log_share] = simplified(graph_, evidence_, event);
    EventAnswer out{.text = event.text, .log_probability = log_share, .method = whole_.method};
    if (left.terms.empty() || log_share == -kInf) return out;
    const bool single = left.terms.size() == 1 && !left.terms.front().b;
    if (whole_.kind == ResultKind::exact || !single || !add_marginal(left.terms.front(), out)) {
      add_sum(left, out);
    }
    return out;
  }

  // False where the marginals are not to be had.
  bool add_marginal(const GraphEvent::Term& term, EventAnswer& out) {
    try {
      if (!marginals_) marginals_ = ask(graph_, GraphTask::marginals);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error&) {
      return false;
    }
    const std::vector<double>& p = marginals_->marginals[term.a];
    double sum = 0;
    for (State s = 0; s < p.size(); ++s) sum += holds(term, s) ? p[s] : 0;
    add(*marginals_, std::log(std::min(1.0, sum)), out);
    return true;
  }

  void add_sum(const GraphEvent& left, EventAnswer& out) {
    const InferResult part = ask(restricted_to(file_, graph_, left), GraphTask::partition);
    const double log_ratio = *part.log_partition - *whole_.log_partition;
    add(part, std::min(0.0, log_ratio), out);
    out.kind = kind_of_ratio(part, whole_);
    out.converged = part.converged && whole_.converged;
    for (const Message& each : whole_.warnings) add_once(each, out.warnings);
    if (out.kind == ResultKind::exact || log_ratio < 0) return;
    out.warnings.push_back({"the sum over what ", in_quotes(out.text),
                            " allows is estimated as no less than the sum over all: a probability "
                            "of 1 is not meant"});
  }

  static void add(const InferResult& result, double log_probability, EventAnswer& out) {
    out.log_probability += log_probability;
    out.method = result.method;
    out.kind = result.kind == ResultKind::exact ? ResultKind::exact : ResultKind::estimate;
    out.converged = result.converged;
    for (const Message& each : result.warnings) add_once(each, out.warnings);
  }

  const GraphFile& file_;
  const FactorGraph& graph_;
  const std::span<const State> evidence_;
  const InferRequest& request_;
  const InferCalls& calls_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::size_t to_do_ = 1;  // sums, with the one that comes next
  InferResult whole_;
  std::optional<InferResult> marginals_;  // where the whole is no exact sum
};

}  // namespace

std::vector<EventAnswer> ask_events(const GraphFile& file, const FactorGraph& graph,
                                    std::span<const State> evidence,
                                    const std::vector<GraphEvent>& events,
                                    const InferRequest& request, const InferCalls& calls) {
  return EventSums(file, graph, evidence, request, calls).run(events);
}

std::vector<Message> warnings_of(const std::vector<EventAnswer>& answers) {
  std::vector<Message> all;
  for (const EventAnswer& answer : answers) {
    for (const Message& each : answer.warnings) add_once(each, all);
  }
  return all;
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
    Json one{{"query", each.text},
             {"probability", std::exp(each.log_probability)},
             {"log_probability", each.log_probability},
             {"method", each.method},
             {"kind", name_of(each.kind)},
             {"converged", each.converged}};
    for (const Message& warning : each.warnings) one["warnings"].push_back(warning.text());
    list.push_back(std::move(one));
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
