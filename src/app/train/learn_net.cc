#include "app/train/learn_net.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "data/csv.h"

namespace croft {
namespace {

CaseTable complete_cases(const GraphFile& variables, const std::vector<std::vector<State>>& rows) {
  std::vector<std::size_t> states;
  for (Variable v = 0; v < variables.graph.variables(); ++v) {
    states.push_back(variables.graph.states(v));
  }
  CaseTable cases(std::move(states));
  for (const auto& row : rows) {
    if (std::ranges::find(row, kUnobserved) == row.end()) cases.add(row);
  }
  cases.merge();
  return cases;
}

std::size_t count_edges(const Parents& parents) {
  std::size_t edges = 0;
  for (const auto& each : parents) edges += each.size();
  return edges;
}

std::string step_text(const ShapeOptions& shape, const ShapeProgress& now) {
  if (shape.method == ShapeMethod::pc) {
    const auto edges = static_cast<std::size_t>(now.score);
    return fmt::format("tests given {}: {} {} left", counted(now.step, "variable"),
                       counted(edges, "edge"), edges == 1 ? "is" : "are");
  }
  return fmt::format("step {}  {} {:.4f}", now.step, name_of(shape.score.score), now.score);
}

void tell(const ShapeOptions& shape, const LearntShape& found, std::size_t left_out,
          LearntNet& net) {
  const std::size_t edges = count_edges(found.parents);
  net.text = fmt::format("structure: {}, {}, {} {:.4f}", name_of(shape.method),
                         counted(edges, "edge"), name_of(shape.score.score), found.score);
  net.further = {{"structure_score", found.score, Shown::everywhere}, {"edges", edges}};
  if (shape.method == ShapeMethod::pc) {
    net.text += fmt::format(", {} tests", found.tests);
    net.further.push_back({"tests", found.tests});
    net.further.push_back({"contradictions", found.contradictions});
  }
  if (found.contradictions > 0 || !found.consistent) {
    net.text += fmt::format(
        "\n{} pairs of arrows contradict each other: the tests are of no network, and this one is "
        "near to them",
        std::max<std::size_t>(found.contradictions, 1));
  }
  if (left_out > 0) {
    net.text += fmt::format("\n{} are not complete: the structure was learnt without them",
                            counted(left_out, "case"));
  }
  net.further.push_back({"left_out", left_out});
}

}  // namespace

LearntNet learn_net(const GraphFile& variables, const std::vector<std::vector<State>>& rows,
                    const LearnNetRequest& request, const Parents& start, TrainObserver& observer) {
  const ShapeOptions& shape = *request.shape;
  const CaseTable cases = complete_cases(variables, rows);
  LearntNet net;
  observer.part(fmt::format("structure by {}", name_of(shape.method)));
  const LearntShape found = learn_shape(cases, shape, start, [&](const ShapeProgress& now) {
    const bool score = shape.method != ShapeMethod::pc;
    return observer.iteration({.text = step_text(shape, now),
                               .number = now.step,
                               .objective = score ? -now.score : now.score});
  });
  net.parents = found.parents;
  tell(shape, found, rows.size() - cases.cases(), net);
  if (request.bootstrap == 0 || observer.stopped()) return net;
  observer.part(fmt::format("confidence of edges by {}", counted(request.bootstrap, "sample")));
  net.confidence = bootstrap_edges(cases, shape, request.bootstrap, start, [&](std::size_t done) {
    return observer.iteration({.text = fmt::format("sample {}", done),
                               .number = done,
                               .most = request.bootstrap,
                               .objective = -found.score});
  });
  return net;
}

GraphFile with_parents(const GraphFile& variables, const Parents& parents) {
  GraphFile net;
  net.directed = true;
  net.names = variables.names;
  for (Variable v = 0; v < parents.size(); ++v) net.graph.add_variable(variables.graph.states(v));
  for (Variable v = 0; v < parents.size(); ++v) {
    std::vector<Variable> scope = parents[v];
    scope.push_back(v);
    double joint = 1;
    for (const Variable u : scope) joint *= static_cast<double>(net.graph.states(u));
    if (joint > kMostNumbers) {
      throw Error(Message("the table of ", in_quotes(variable_name(net.names, v)), " has ",
                          parents[v].size(), " parents and more than 1e8 numbers; give ",
                          Message::option("max-parents")));
    }
    const auto own = static_cast<double>(net.graph.states(v));
    const std::vector<double> table(static_cast<std::size_t>(joint), -std::log(own));
    net.graph.add_factor(scope, net.graph.add_table(table));
  }
  return net;
}

std::string edges_csv(const GraphNames& names, const LearntNet& net) {
  const auto has = [&](Variable from, Variable to) {
    return std::ranges::binary_search(net.parents[to], from);
  };
  std::string out = "from,to,confidence,direction,learnt\n";
  for (const EdgeConfidence& each : net.confidence) {
    out += csv_cell(variable_name(names, each.from)) + "," +
           csv_cell(variable_name(names, each.to)) +
           fmt::format(",{:.6g},{:.6g},{}\n", each.confidence, each.direction,
                       has(each.from, each.to)   ? "yes"
                       : has(each.to, each.from) ? "reversed"
                                                 : "no");
  }
  return out;
}

}  // namespace croft
