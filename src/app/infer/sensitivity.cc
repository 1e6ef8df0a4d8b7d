#include "app/infer/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/infer/infer_methods.h"
#include "app/infer/table_text.h"
#include "app/inspect/inspect.h"
#include "core/infinity.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/junction_tree.h"

namespace croft {
namespace {

constexpr double kNoChange = 1e-15;

// The graph with evidence as factors, so that all scopes and tables stay whole.
FactorGraph with_evidence(const FactorGraph& graph, std::span<const State> evidence) {
  FactorGraph out = graph;
  for (Variable v = 0; v < evidence.size(); ++v) {
    if (evidence[v] == kUnobserved) continue;
    std::vector<double> scores(graph.states(v), -kInf);
    scores[evidence[v]] = 0;
    out.add_factor({v}, out.add_table(scores));
  }
  return out;
}

// The same with another table of factor f.
FactorGraph with_table(const FactorGraph& graph, Factor f, std::span<const double> scores) {
  FactorGraph out;
  for (Variable v = 0; v < graph.variables(); ++v) out.add_variable(graph.states(v));
  for (Factor g = 0; g < graph.factors(); ++g) {
    out.add_factor(graph.scope(g),
                   g == f ? out.add_table(scores) : out.add_copy(graph, graph.potential_of(g)));
  }
  return out;
}

struct Sums {
  double log_z = -kInf;
  std::vector<std::vector<double>> factor;  // marginals of those that were asked for
};

class Derivatives {
 public:
  Derivatives(const FactorGraph& graph, const EliminationOrder& order, double memory,
              std::size_t factors)
      : graph_(graph), order_(order), memory_(memory) {
    std::vector<Factor> all(factors);
    std::iota(all.begin(), all.end(), Factor{0});
    sums_ = sums_of(graph_, all);
  }
  double log_z() const { return sums_.log_z; }

  // Of Z by each number of a factor's table, over exp(log_scale): [joint states].
  std::vector<double> by_table(Factor f, double log_scale) const {
    const std::vector<double> scores = graph_.table(f);
    const bool zeros = std::ranges::find(scores, -kInf) != scores.end();
    std::vector<double> out(scores.size(), 0);
    if (!zeros) {
      if (sums_.log_z == -kInf) return out;
      const double scale = std::exp(sums_.log_z - log_scale);
      for (std::size_t k = 0; k < out.size(); ++k) {
        out[k] = sums_.factor[f][k] / std::exp(scores[k]) * scale;
      }
      return out;
    }
    const std::vector<double> ones(scores.size(), 0);
    const FactorGraph open = with_table(graph_, f, ones);
    const Sums sums = sums_of(open, std::span(&f, 1));
    if (sums.log_z == -kInf) return out;
    const double scale = std::exp(sums.log_z - log_scale);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = sums.factor[0][k] * scale;
    return out;
  }

 private:
  Sums sums_of(const FactorGraph& graph, std::span<const Factor> factors) const {
    JunctionTree tree(graph, order_, until_interrupted());
    if (tree.bytes() > memory_) {
      throw Error("the junction tree needs ", memory_text(tree.bytes()), " of memory, and ",
                  memory_text(memory_), " are allowed (--memory)");
    }
    Sums sums;
    sums.log_z = tree.log_partition();
    if (sums.log_z == -kInf) return sums;
    GraphMarginals found = tree.marginals(factors);
    sums.log_z = found.log_partition;
    sums.factor = std::move(found.factor);
    return sums;
  }

  const FactorGraph& graph_;
  const EliminationOrder& order_;
  const double memory_;
  Sums sums_;
};

// c of c t + d: the derivative along t, the rest of the row in its proportions.
double slope(std::span<const double> row, std::span<const double> derivatives, std::size_t s) {
  double rest = 0, weights = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k != s) weights += row[k];
  }
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k == s) continue;
    const double share = weights > 0 ? row[k] / weights : 1 / static_cast<double>(row.size() - 1);
    rest += share * derivatives[k];
  }
  return derivatives[s] - rest;
}

// "grass=wet | rain=yes, hose=off"
std::string name_of_parameter(const GraphFile& file, const ParameterSensitivity& p) {
  const auto scope = file.graph.scope(p.factor);
  std::vector<std::string> terms(scope.size());
  std::uint64_t rest = p.joint;
  for (std::size_t k = scope.size(); k-- > 0;) {
    const auto states = file.graph.states(scope[k]);
    terms[k] = variable_name(file.names, scope[k]) + "=" +
               state_name(file.names, scope[k], static_cast<State>(rest % states));
    rest /= states;
  }
  std::string text = terms.back();
  for (std::size_t k = 0; k + 1 < terms.size(); ++k) text += (k == 0 ? " | " : ", ") + terms[k];
  return text;
}

}  // namespace

SensitivityAnswer ask_sensitivity(const GraphFile& file, const FactorGraph& graph,
                                  std::span<const State> evidence, const GraphEvent& event,
                                  const InferRequest& request) {
  if (!file.directed) {
    throw UsageError(
        "--sensitivity is of the probabilities of a Bayesian network, and this graph "
        "has none");
  }
  const FactorGraph observed = with_evidence(graph, evidence);
  const FactorGraph both = restricted_to(file, observed, event);
  const EliminationOrder order = find_elimination_order(both, {.progress = until_interrupted()});
  const double memory = request.memory > 0 ? request.memory : kInf;
  const Derivatives of_observed(observed, order, memory, file.graph.factors());
  if (of_observed.log_z() == -kInf) {
    throw Error("what is observed is impossible: its probability is 0");
  }
  const Derivatives of_both(both, order, memory, file.graph.factors());
  const double log_scale = of_observed.log_z();
  SensitivityAnswer answer;
  answer.event = event.text;
  answer.probability = std::min(1.0, std::exp(of_both.log_z() - log_scale));
  for (Factor f = 0; f < file.graph.factors(); ++f) {
    const std::size_t own = file.graph.states(file.graph.scope(f).back());
    if (own < 2) continue;
    std::vector<double> table = file.graph.table(f);
    for (double& each : table) each = std::exp(each);
    const std::vector<double> d_observed = of_observed.by_table(f, log_scale);
    const std::vector<double> d_both = of_both.by_table(f, log_scale);
    for (std::size_t k = 0; k < table.size(); ++k) {
      const std::size_t first = k - k % own;
      const auto row = std::span<const double>(table).subspan(first, own);
      ParameterSensitivity p{.factor = f, .joint = k, .value = table[k]};
      p.a = slope(row, std::span(d_both).subspan(first, own), k - first);
      p.c = slope(row, std::span(d_observed).subspan(first, own), k - first);
      p.b = answer.probability - p.a * p.value;
      p.d = 1 - p.c * p.value;
      p.derivative = p.a - p.c * answer.probability;  // c t + d is 1 here
      if (std::abs(p.derivative) > kNoChange) answer.parameters.push_back(p);
    }
  }
  std::ranges::stable_sort(answer.parameters, std::greater(),
                           [](const ParameterSensitivity& p) { return std::abs(p.derivative); });
  return answer;
}

std::string format_answer(const SensitivityAnswer& answer, const GraphFile& file,
                          std::size_t most) {
  std::vector<std::vector<std::string>> rows{
      {"parameter", "value", "derivative", "as a function of t"}};
  for (std::size_t k = 0; k < answer.parameters.size() && k < most; ++k) {
    const ParameterSensitivity& p = answer.parameters[k];
    rows.push_back({escaped(name_of_parameter(file, p)), fmt::format("{:.6g}", p.value),
                    fmt::format("{:.6g}", p.derivative),
                    fmt::format("({:.6g} t {:+.6g}) / ({:.6g} t {:+.6g})", p.a, p.b, p.c, p.d)});
  }
  std::string text = fmt::format("p({})  {:.6g}\n\n", answer.event, answer.probability);
  text += aligned(rows);
  if (answer.parameters.size() > most) {
    text +=
        fmt::format("… and {} more, with smaller derivatives\n", answer.parameters.size() - most);
  }
  return text;
}

Json to_json(const SensitivityAnswer& answer, const GraphFile& file) {
  Json parameters = Json::array();
  for (const ParameterSensitivity& p : answer.parameters) {
    parameters.push_back(
        {{"parameter", name_of_parameter(file, p)},
         {"variable", variable_name(file.names, file.graph.scope(p.factor).back())},
         {"value", p.value},
         {"derivative", p.derivative},
         {"a", p.a},
         {"b", p.b},
         {"c", p.c},
         {"d", p.d}});
  }
  return {{"query", answer.event},
          {"probability", answer.probability},
          {"parameters", std::move(parameters)}};
}

}  // namespace croft
