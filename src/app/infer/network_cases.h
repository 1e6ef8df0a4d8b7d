// A Bayesian network and rows of cases: what is probable of a target, and how good the network is.
//
//   p(target | row) by a junction tree over those variables alone that are not known, have a known
//   descendant or the target behind them, and reach the target without passing what is known
//   (docs/infer.md#cases).
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/evaluate/evaluation.h"
#include "croft/core/parallel.h"
#include "croft/data/graph_file.h"

namespace croft {
class Json;

using CaseRow = std::vector<State>;  // [variables]; kUnobserved: not known

struct CaseAnswer {
  double log_probability = 0;     // of what is known of the row beside the target; -inf: impossible
  std::vector<double> posterior;  // of the target, [states]; empty without one, or if impossible
};

// The network must be one: throws UsageError for an undirected graph, a network with decisions, and
// one that check_directed() refuses.
void check_cases_network(const GraphFile& net, const std::string& path);

// Exact.  What a row knows of the target is left aside.  The same for any number of threads.
// Throws Error where the junction tree of a row would take more than 8 GB.
std::vector<CaseAnswer> answer_cases(const FactorGraph& graph, std::optional<Variable> target,
                                     std::span<const CaseRow> rows, ThreadPool& pool);

struct NetworkEvaluation {
  std::size_t cases = 0, impossible = 0;  // rows of probability 0
  double log_likelihood = 0;              // of what is known of the others, nats
  std::size_t parameters = 0;             // free ones
  double bic() const;                     // log-likelihood - ln(cases) / 2 * parameters

  struct OfTarget {
    std::string variable;
    std::vector<std::string> states;
    std::size_t unknown = 0;  // rows whose target is not known: not counted below
    EvaluationSummary summary;
    std::vector<std::vector<std::size_t>> confusion;  // [state in the data][predicted]
    // Of each state against all others: the chance that a case in it gets a higher probability of
    // it than one that is not.  None where the data has no case of one of the two sorts.
    std::vector<std::optional<double>> auc;
  };
  std::optional<OfTarget> target;
};
NetworkEvaluation evaluate_network(const GraphFile& net, std::optional<Variable> target,
                                   std::span<const CaseRow> rows, ThreadPool& pool);

std::string format_table(const NetworkEvaluation& evaluation);
Json to_json(const NetworkEvaluation& evaluation);

}  // namespace croft
