// Factor graphs: built from numbers, read from files, asked by app/infer.h.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "app/infer/decide.h"
#include "app/infer/queries.h"
#include "app/infer/sensitivity.h"
#include "core/json.h"
#include "croft/app/infer.h"
#include "croft/core/error.h"
#include "croft/data/graph_file.h"
#include "inference/graph/exact/joint_marginal.h"
#include "python/bind.h"
#include "python/graph.h"
#include "python/matrix_rows.h"
#include "python/options.h"
#include "python/read/sequences.h"
#include "structure/separation.h"

namespace croft::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

using Doubles = std::vector<double>;
using Terms = std::vector<std::pair<Variable, std::vector<State>>>;
using Likelihoods = std::vector<std::pair<Variable, Doubles>>;  // of findings that leave doubt

std::vector<SoftFinding> soft_findings(const FactorGraph& graph, const Likelihoods& all) {
  std::vector<SoftFinding> findings;
  for (const auto& [v, likelihoods] : all) {
    bool fits = v < graph.variables() && likelihoods.size() == graph.states(v);
    double largest = 0;
    for (const double each : likelihoods) {
      fits = fits && each >= 0 && !std::isinf(each);
      largest = std::max(largest, each);
    }
    if (!fits || largest == 0) {
      throw UsageError("likelihoods are a number >= 0 for each state, and one of them is not 0");
    }
    findings.push_back({v, likelihoods});
  }
  return findings;
}

// Hands progress to the caller, and notices Ctrl-C; an exception of either stops the method.
class GraphObserver {
 public:
  explicit GraphObserver(py::object callback) : callback_(std::move(callback)) {}

  bool see(const GraphProgress& now) {
    const py::gil_scoped_acquire lock;
    try {
      check_signals();
      if (callback_.is_none()) return true;
      py::dict event("iteration"_a = now.iteration, "residual"_a = now.residual);
      if (now.value) event["value"] = *now.value;
      if (now.best) event["best"] = *now.best;
      if (now.bound) event["bound"] = *now.bound;
      const py::object answer = callback_(event);
      return !py::isinstance<py::bool_>(answer) || answer.cast<bool>();
    } catch (py::error_already_set&) {
      error_ = std::current_exception();
      return false;
    }
  }
  // What a proposal of the caller's would change, and log q(back) - log q(there).
  void ask(py::handle propose, std::span<const State> x, Move& move) {
    const py::gil_scoped_acquire lock;
    try {
      using Answer = std::pair<std::vector<std::pair<Variable, State>>, double>;
      auto [changes, log_ratio] = propose(std::vector<State>(x.begin(), x.end())).cast<Answer>();
      move.changes = std::move(changes);
      move.log_ratio = log_ratio;
    } catch (py::error_already_set&) {
      error_ = std::current_exception();
      throw Error("a proposal has failed");
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  py::object callback_;
  std::exception_ptr error_;
};

py::object assignment_of(const InferResult& r) {  // of a graph without variables it is empty
  const bool best = r.task == GraphTask::map || r.task == GraphTask::marginal_map;
  return best ? py::cast(r.assignment) : py::object(py::none());
}

py::list ranked(const InferResult& r) {
  py::list all;
  for (const RankedAssignment& each : r.k_best) {
    all.append(py::make_tuple(each.states, each.log_score, each.probability));
  }
  return all;
}

py::dict dict_of(const InferResult& r) {
  std::vector<std::string> notes;
  for (const Message& note : r.notes) notes.push_back(in_python(note));
  std::vector<std::string> warnings;
  for (const Message& warning : r.warnings) warnings.push_back(in_python(warning));
  return py::dict("task"_a = std::string(name_of(r.task)), "method"_a = r.method,
                  "reason"_a = in_python(r.reason), "kind"_a = std::string(name_of(r.kind)),
                  "converged"_a = r.converged, "stopped"_a = r.stopped, "seconds"_a = r.seconds,
                  "iterations"_a = r.iterations, "residual"_a = r.residual,
                  "log_partition"_a = r.log_partition, "marginals"_a = r.marginals,
                  "standard_errors"_a = r.standard_errors, "assignment"_a = assignment_of(r),
                  "log_score"_a = r.log_score, "bound"_a = r.bound, "samples"_a = r.samples,
                  "k_best"_a = ranked(r), "bound_of_others"_a = r.bound_of_others,
                  "effective_samples"_a = r.effective_samples, "over"_a = r.over,
                  "probability"_a = r.probability, "notes"_a = notes, "memory"_a = r.memory_bytes,
                  "log_partition_error"_a = r.log_partition_error,
                  "log_partition_least"_a = r.log_partition_least,
                  "log_partition_most"_a = r.log_partition_most, "warnings"_a = warnings);
}

class Graph {
 public:
  Graph() = default;
  explicit Graph(GraphFile file) : file_(std::move(file)) {}

  const FactorGraph& graph() const { return file_.graph; }
  const GraphFile& file() const { return file_; }
  // To be added to.  Throws while a method reads the graph without Python's lock.
  FactorGraph& growing() {
    if (readers_ == 0) return file_.graph;
    throw UsageError("a graph cannot change while it is asked, by a callback or another thread");
  }
  Factor add_factor(const std::vector<Variable>& scope, PotentialId id) {
    FactorGraph& graph = growing();
    if (id >= graph.potentials()) throw UsageError("there is no such potential");
    file_.directed = false;  // it need not be the probability of a variable given the others
    return graph.add_factor(scope, id);
  }
  std::size_t states(Variable v) const { return graph().states(checked(v)); }
  Variable checked(Variable v) const {
    if (v < graph().variables()) return v;
    throw UsageError("there is no variable " + std::to_string(v));
  }
  Factor checked_factor(Factor f) const {
    if (f < graph().factors()) return f;
    throw UsageError("there is no factor " + std::to_string(f));
  }
  double score(const std::vector<State>& x) const {
    bool fits = x.size() == graph().variables();
    for (Variable v = 0; fits && v < x.size(); ++v) fits = x[v] < graph().states(v);
    if (!fits) throw UsageError("an assignment needs a state of each variable");
    return graph().score(x);
  }

  // For files that have names.
  void set_names(std::vector<std::string> variables, std::vector<std::vector<std::string>> states) {
    bool fits = variables.size() == graph().variables() && states.size() == variables.size();
    for (Variable v = 0; fits && v < variables.size(); ++v) {
      fits = states[v].size() == graph().states(v);
    }
    if (!fits) throw UsageError("a graph needs a name for each variable and state");
    file_.names.variables = std::move(variables);
    file_.names.states = std::move(states);
  }

  py::dict infer(const Evidence& evidence, const py::dict& options, const py::object& callback) {
    InferRequest request;
    request.task = graph_task(options["task"].cast<std::string>());
    request.method = options["method"].cast<std::string>();
    request.memory = options["memory"].cast<double>();
    request.seconds = options["time"].cast<std::optional<double>>();
    request.tolerance = options["tolerance"].cast<std::optional<double>>();
    request.max_iterations = options["max_iterations"].cast<std::optional<std::size_t>>();
    request.samples = options["samples"].cast<std::optional<std::size_t>>();
    request.k_best = options["k_best"].cast<std::optional<std::size_t>>();
    request.over = options["over"].cast<std::vector<Variable>>();
    request.settings = options["settings"].cast<std::vector<std::pair<std::string, std::string>>>();
    request.seed = options["seed"].cast<std::uint64_t>();
    request.threads = options["threads"].cast<std::size_t>();
    const auto soft = soft_findings(graph(), options["soft"].cast<Likelihoods>());
    GraphObserver observer(callback);
    if (!options["proposal"].is_none()) {
      // No reference of its own: it is copied while other threads of Python go on.
      request.proposal = [&observer, propose = py::handle(options["proposal"])](
                             std::span<const State> x, Random&, Move& move) {
        observer.ask(propose, x, move);
      };
    }
    InferCalls calls;
    calls.progress = [&](const GraphProgress& now) { return observer.see(now); };
    const auto result = asked(observer, [&] {
      check_decided(file_, evidence);
      if (soft.empty()) return croft::infer(graph(), evidence, request, calls);
      return croft::infer(with_findings(graph(), soft), evidence, request, calls);
    });
    observer.rethrow();
    return dict_of(result);
  }
  // Questions beside the tasks, answered as croft infer --json does.
  //   terms : of the question "query" instead of a text: states of variables
  std::string ask(const std::string& question, const std::string& text, const Terms& terms,
                  Evidence evidence, const Likelihoods& soft, double memory) {
    evidence.resize(graph().variables(), kUnobserved);
    GraphObserver observer{py::none()};
    InferRequest request;
    request.memory = memory;
    InferCalls calls;
    calls.progress = [&](const GraphProgress& now) { return observer.see(now); };
    return asked(observer, [&] {
      const auto findings = soft_findings(graph(), soft);
      const FactorGraph given = with_findings(graph(), findings);
      const auto answer = [&]() -> Json {
        if (question == "decide") return to_json(decide(file_, given, evidence, findings), file_);
        check_decided(file_, evidence);
        if (question == "entropy") {
          return to_json(ask_entropy(file_, given, evidence, request, calls), file_);
        }
        const GraphEvent event = terms.empty() ? graph_event(file_, text) : event_of(terms);
        if (question == "sensitivity") {
          return to_json(ask_sensitivity(file_, given, evidence, event, request), file_);
        }
        return to_json(ask_events(file_, given, evidence, {event}, request, calls));
      };
      return answer().dump(-1, InvalidUtf8::replace);
    });
  }
  py::object joint_marginal(const std::vector<Variable>& variables, const Evidence& evidence,
                            const std::optional<double>& memory) {
    GraphObserver observer{py::none()};
    JointMarginalOptions options{.evidence = evidence};
    if (memory) options.memory = *memory;
    options.progress = [&](const GraphProgress& now) { return observer.see(now); };
    return bytearray_of(
        asked(observer, [&] { return croft::joint_marginal(graph(), variables, options); }));
  }

 private:
  GraphEvent event_of(const Terms& terms) const {
    GraphEvent event;
    for (const auto& [v, states] : terms) {
      GraphEvent::Term term{.a = checked(v), .b = {}, .states = {}, .equal = true};
      for (const State s : states) {
        if (s >= graph().states(v)) throw UsageError("there is no state ", s);
      }
      term.states = states;
      std::ranges::sort(term.states);
      term.states.erase(std::ranges::unique(term.states).begin(), term.states.end());
      event.terms.push_back(std::move(term));
    }
    return event;
  }
  // The answer to a question, found without Python's lock.
  template <class Ask>
  std::invoke_result_t<Ask> asked(const GraphObserver& observer, const Ask& ask) {
    struct Reader {
      explicit Reader(int& count) : readers(count) { ++readers; }
      ~Reader() { --readers; }
      int& readers;
    } const reader(readers_);
    try {
      const py::gil_scoped_release release;
      return ask();
    } catch (const Error&) {
      observer.rethrow();  // stopped too early for a result
      throw;
    }
  }

  GraphFile file_;
  int readers_ = 0;  // with Python's lock
};

std::string write(const Graph& graph, const std::string& format) {
  switch (graph_format(format)) {
    case GraphFormat::uai:
      return write_uai(graph.file());
    case GraphFormat::lg:
      return write_lg(graph.file());
    case GraphFormat::bif:
      return write_bif(graph.file());
    default:
      break;
  }
  throw UsageError("graphs are written as uai, lg or bif, not as " + in_quotes(format));
}

GraphFile read(const std::filesystem::path& path, const std::optional<std::string>& format) {
  const py::gil_scoped_release release;
  return read_graph(path.string(), format ? std::optional(graph_format(*format)) : std::nullopt);
}

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// A byte for each state of the scope's variables; empty: state 1 of two.
CountedStates counted_states(const py::bytes& bytes) {
  const std::string_view marks = bytes;
  return {{marks.begin(), marks.end()}, marks.empty()};
}

py::list methods() {
  py::list list;
  for (const InferMethod& each : infer_methods()) {
    std::vector<std::string> tasks, settings, uses;
    for (const GraphTask task : each.tasks) tasks.emplace_back(name_of(task));
    for (const InferSetting& setting : each.settings) {
      settings.push_back(std::string(setting.name) + "=" + std::string(setting.values));
    }
    if (each.uses.tolerance) uses.emplace_back("tolerance");
    if (each.uses.max_iterations) uses.emplace_back("max_iterations");
    if (each.uses.seconds) uses.emplace_back("time");
    if (each.uses.memory) uses.emplace_back("memory");
    if (each.uses.k_best) uses.emplace_back("k_best");
    if (each.uses.proposal) uses.emplace_back("proposal");
    list.append(py::dict("name"_a = std::string(each.name), "summary"_a = std::string(each.summary),
                         "tasks"_a = tasks, "options"_a = uses, "settings"_a = settings));
  }
  return list;
}

// Of a directed graph separation is d-separation.
bool separated(Graph& graph, const std::vector<Variable>& a, const std::vector<Variable>& b,
               const std::vector<Variable>& given) {
  for (const auto* const each : {&a, &b, &given}) {
    for (const Variable v : *each) graph.checked(v);
  }
  if (graph.file().directed) return BayesianNetwork(graph.graph()).separated(a, b, given);
  return MarkovNetwork(graph.graph()).separated(a, b, given);
}

std::vector<Variable> blanket(Graph& graph, Variable v) {
  graph.checked(v);
  if (graph.file().directed) return BayesianNetwork(graph.graph()).markov_blanket(v);
  return MarkovNetwork(graph.graph()).neighbours(v);
}

}  // namespace

py::object python_graph(FactorGraph graph) {
  GraphFile file;
  file.graph = std::move(graph);
  return py::cast(Graph(std::move(file)));
}

void bind_graph(py::module_& module) {
  module.def("infer_methods", &methods);
  py::class_<Graph>(module, "Graph")
      .def(py::init<>())
      .def_static("read",
                  [](const std::filesystem::path& path, const std::optional<std::string>& format) {
                    return Graph(read(path, format));
                  })
      .def_static("parse",
                  [](const std::string& text, const std::string& format) {
                    return Graph(read_graph(LineReader(text, "text"), graph_format(format)));
                  })
      .def("write", &write)
      .def("set_names", &Graph::set_names)
      .def("names",
           [](Graph& g) { return std::pair(g.file().names.variables, g.file().names.states); })
      .def_property_readonly("directed", [](Graph& g) { return g.file().directed; })
      .def_property_readonly("notes",
                             [](Graph& g) {
                               std::vector<std::string> notes;
                               for (const Message& each : g.file().notes) {
                                 notes.push_back(each.text());
                               }
                               return notes;
                             })
      .def_property_readonly("variables", [](Graph& g) { return g.graph().variables(); })
      .def_property_readonly("factors", [](Graph& g) { return g.graph().factors(); })
      .def("states", &Graph::states)
      .def("scope",
           [](Graph& g, Factor f) {
             const auto scope = g.graph().scope(g.checked_factor(f));
             return std::vector<Variable>(scope.begin(), scope.end());
           })
      .def("table",
           [](Graph& g, Factor f) { return bytearray_of(g.graph().table(g.checked_factor(f))); })
      .def("score", &Graph::score)
      .def("add_variable", [](Graph& g, std::size_t n) { return g.growing().add_variable(n); })
      .def("add_table",
           [](Graph& g, const py::buffer& scores) {
             return g.growing().add_table(Numbers<const double>(scores));
           })
      .def("add_sparse",
           [](Graph& g, const std::vector<std::uint64_t>& states, const Doubles& scores,
              double others) { return g.growing().add_sparse(states, scores, others); })
      .def("add_potts", [](Graph& g, double a, double b) { return g.growing().add_potts(a, b); })
      .def("add_truncated_linear",
           [](Graph& g, double weight, double limit) {
             return g.growing().add_truncated_linear(weight, limit);
           })
      .def("add_truncated_quadratic",
           [](Graph& g, double weight, double limit) {
             return g.growing().add_truncated_quadratic(weight, limit);
           })
      .def("add_parity",
           [](Graph& g, bool odd, const py::bytes& counted) {
             return g.growing().add_parity(odd, counted_states(counted));
           })
      .def("add_cardinality",
           [](Graph& g, const Doubles& scores, const py::bytes& counted) {
             return g.growing().add_cardinality(scores, counted_states(counted));
           })
      .def("add_between",
           [](Graph& g, std::size_t least, std::optional<std::size_t> most, double broken,
              const py::bytes& counted) {
             return g.growing().add_between(least, most.value_or(kNoLimit), broken,
                                            counted_states(counted));
           })
      .def("add_factor", &Graph::add_factor)
      .def("infer", &Graph::infer)
      .def("ask", &Graph::ask)
      .def("decisions",
           [](Graph& g) {
             std::vector<std::pair<Variable, std::vector<Variable>>> all;
             for (const GraphDecision& each : g.file().decisions) {
               all.emplace_back(each.variable, each.known);
             }
             return all;
           })
      .def("joint_marginal", &Graph::joint_marginal)
      .def("separated", &separated)
      .def("blanket", &blanket);
}

}  // namespace croft::python
