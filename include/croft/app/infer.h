// Answers questions about a given factor graph.  The method goes by its name; the answer says what
// it is worth.
//
//   const GraphFile file = read_graph("sprinkler.bif");
//   const InferResult r = infer(file.graph, evidence, {.task = GraphTask::marginals});
//
// infer_methods() is the one table of methods by name.  A new method is a new line of it.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/data/graph_file.h"
#include "croft/inference/elimination_order.h"
#include "croft/inference/graph_result.h"
#include "croft/inference/markov_chains.h"

namespace croft {

enum class GraphTask { partition, marginals, map, marginal_map, sample };
std::string_view name_of(GraphTask task);
GraphTask graph_task(std::string_view name);  // throws UsageError that lists the names

// A field that is not set has the method's own default.  To set one that the method ignores is an
// error.
struct InferRequest {
  GraphTask task = GraphTask::partition;
  std::string method = "auto";
  double memory = 0;  // bytes that a method which looks at it may take; 0: half of the machine's
  std::optional<double> seconds;  // for methods that can stop early
  std::optional<double> tolerance;
  std::optional<std::size_t> max_iterations;
  std::optional<std::size_t> samples;  // for the task sample; 1 when not set
  // For the tasks map and marginal_map: how many assignments, the best first.
  std::optional<std::size_t> k_best;
  std::vector<Variable> over;  // for the task marginal_map: all others are summed out; each once
  // Settings of a single method, by name: see InferMethod::settings.
  std::vector<std::pair<std::string, std::string>> settings;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // for methods that use more; changes no result
  // For metropolis-hastings; empty: one variable to another state.  It sees the states of the graph
  // that is asked about, and must not change observed variables.
  Proposal proposal = {};
};

struct RankedAssignment {
  std::vector<State> states;  // [variables]
  double log_score = 0;
  std::optional<double> probability;  // where the method has log Z
};

// A number is there where the task and the method have it.  States are those of the graph before
// conditioning: an observed variable has the marginal 1 of its state.
struct InferResult {
  GraphTask task = GraphTask::partition;
  std::string method;  // that answered; never auto
  Message reason;      // of auto: why this one
  ResultKind kind = ResultKind::exact;
  bool converged = true;
  bool stopped = false;  // before its end, by the callback or the time limit
  double seconds = 0;    // without reading
  std::optional<double> log_partition;
  std::optional<double> log_partition_error;  // its standard error, where it is estimated by draws
  std::optional<double>
      log_partition_least;  // of an estimate: bounds of log Z, where they are known
  std::optional<double> log_partition_most;
  VariableMarginals standard_errors;  // of these, by sampling; likewise
  VariableMarginals marginals;        // [variables][states]
  std::vector<State> assignment;      // [variables]; of marginal_map those that are asked for count
  // Of the assignment; of marginal_map log of the sum over all others of exp(score).
  std::optional<double> log_score;
  std::optional<double> bound;              // that no assignment's score exceeds
  std::vector<Variable> over;               // of marginal_map: the request's
  std::optional<double> probability;        // of marginal_map, where log Z was found, too
  std::vector<RankedAssignment> k_best;     // as many as were asked for, or all that are allowed
  std::optional<double> bound_of_others;    // that no other assignment's score exceeds
  std::vector<std::vector<State>> samples;  // [samples][variables]
  std::optional<std::size_t> iterations;
  std::optional<double> residual;
  std::optional<double> effective_samples;  // of the state that has the fewest
  std::vector<Message> notes;               // what one must know to trust the numbers, sentences
  std::vector<Message> warnings;            // why they are not to be trusted, sentences
  std::optional<double> memory_bytes;       // that the method takes at most, as predicted
};

// What infer() reports on the way; each may be empty.
struct InferCalls {
  // Before the work begins: a sentence that says what infer() is going to do.
  std::function<void(const std::string&)> plan;
  GraphCallback progress;
};

// Throws UsageError for a method or an option that does not go with the task (the message lists
// those that do) and for evidence that does not fit.  Throws Error where a method needs more memory
// than is allowed, and where no assignment is allowed (the task partition then answers -inf).
InferResult infer(const FactorGraph& graph, std::span<const State> evidence,
                  const InferRequest& request, const InferCalls& calls = {});

// What a method is run with: the conditioned graph, and the request without `auto`.  Most methods
// see marginal_map as map, in a graph without the variables that are summed out.
struct InferProblem {
  const FactorGraph& graph;
  const InferRequest& request;
  double memory;                                        // bytes that may be taken
  GraphCallback progress;                               // never empty; false when time is over, too
  const std::function<void(const std::string&)>& plan;  // never empty
  std::optional<EliminationOrder> order;                // where one is known already
  std::span<const State> evidence = {};                 // that the graph is conditioned on
  // The same graph for methods of tables: what counts many variables is a chain of counters, which
  // follow the graph's own variables.  infer() takes them out of every answer.
  const FactorGraph& for_tables = graph;
  // Of auto, for an exact method that an estimate may follow: false when it has had its share.
  GraphCallback share = {};
};

struct InferOptions {  // that a method looks at
  bool tolerance = false, max_iterations = false, seconds = false, memory = false, proposal = false;
  bool k_best = false;
};

struct InferSetting {
  std::string_view name, values;
};

struct InferMethod {
  std::string_view name, summary;
  std::vector<GraphTask> tasks;
  InferOptions uses;
  std::vector<InferSetting> settings;
  void (*run)(const InferProblem& problem, InferResult& result);
};
std::span<const InferMethod> infer_methods();
// "partition: junction-tree, …" in lines, for help and messages.
std::string list_infer_methods();
std::string describe_infer_methods();  // their summaries and settings, likewise

// {"task", "method", "kind", "converged", "seconds", …}; docs/infer.md says which and when.
std::string format_json(const InferResult& result, const GraphFile& file);
// For people, with names where the file has them.
std::string format_table(const InferResult& result, const GraphFile& file);
// Samples as CSV with a header of names, as tables of cases are read.  UsageError for other tasks.
std::string format_csv(const InferResult& result, const GraphFile& file);
// The format of the UAI competitions (PR in log10, MAR, MPE).  Throws UsageError for samples.
std::string format_uai(const InferResult& result);

}  // namespace croft
