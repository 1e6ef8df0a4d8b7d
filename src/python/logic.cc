// Markov logic networks from files, for croft.Logic.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <optional>

#include "core/files.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "logic/network_parser.h"
#include "logic/network_writer.h"
#include "python/bind.h"
#include "python/read/sequences.h"
#include "sql/logic/logic_learning.h"
#include "sql/logic/logic_question.h"

namespace croft::python {
namespace {

namespace py = pybind11;

class PythonLogic {
 public:
  PythonLogic(const std::filesystem::path& network,
              const std::vector<std::filesystem::path>& evidence, const std::string& dialect,
              const std::optional<std::string>& weights, std::optional<double> soft_hard,
              std::vector<std::string> open, std::vector<std::string> closed)
      : network_(read_network(network.string(), logic_dialect(dialect))),
        evidence_(network_),
        open_(std::move(open)),
        closed_(std::move(closed)) {
    if (soft_hard) soften_hard_rules(network_, *soft_hard);
    if (logic_dialect(dialect) == LogicDialect::alchemy) reading_ = WeightReading::clausal;
    if (weights) reading_ = weight_reading(*weights);
    for (const auto& path : evidence) {
      add_evidence(network_, read_fact_tokens(LineReader(path.string())), evidence_);
    }
  }

  // As croft logic --json has it.
  std::string infer(const std::string& query, InferRequest request) const {
    const py::gil_scoped_release release;
    const std::vector<AtomPattern> queries = queries_of(query);
    const AtomSpace space(network_, evidence_,
                          open_predicates(network_, evidence_, queries, open_, closed_));
    const GroundNetwork ground(
        space, queries,
        {.reading = reading_,
         .memory = request.memory,
         .seconds = request.seconds,
         .progress = [](std::size_t, std::size_t, std::size_t) { see_signals(); }});
    InferCalls calls;
    calls.progress = [](const GraphProgress&) {
      see_signals();
      return true;
    };
    return to_json(ground.answer(request, calls)).dump(-1, InvalidUtf8::replace);
  }

  // The weights and what they are worth; writes the network to `output`.
  py::tuple learn(const std::string& query, const std::filesystem::path& output,
                  const std::string& objective, double l2, std::size_t max_iterations) const {
    LogicLearnOptions options{.l2 = l2, .max_iterations = max_iterations, .reading = reading_};
    if (objective == name_of(LogicObjective::likelihood)) {
      options.objective = LogicObjective::likelihood;
    } else if (objective != name_of(LogicObjective::pseudo_likelihood)) {
      throw UsageError("objective is ", in_quotes(objective),
                       "; it is \"pseudo-likelihood\" or \"likelihood\"");
    }
    std::optional<LearnedNetwork> learned;
    {
      const py::gil_scoped_release release;
      std::vector<bool> open(network_.predicates.size(), false);
      for (const AtomPattern& each : queries_of(query)) open[each.predicate] = true;
      learned = learn_weights(network_, evidence_, open, options, [](const Iteration&) {
        see_signals();
        return true;
      });
      AtomicFile file(output);
      file.write(write_network(learned->network));
      file.commit();
    }
    return py::make_tuple(learned->weights, learned->log_likelihood, learned->result.converged());
  }

  std::string text() const { return write_network(network_); }
  const std::vector<std::string>& warnings() const { return network_.warnings; }

 private:
  static void see_signals() {
    const py::gil_scoped_acquire lock;
    check_signals();
  }
  std::vector<AtomPattern> queries_of(const std::string& text) const {
    return parse_atom_patterns(network_,
                               read_fact_tokens(LineReader(std::string_view(text), "query")));
  }

  LogicNetwork network_;
  LogicEvidence evidence_;
  std::vector<std::string> open_, closed_;
  WeightReading reading_ = WeightReading::formula;
};

InferRequest request_of(const std::string& task, const std::string& method, double memory,
                        std::optional<double> seconds, std::optional<double> tolerance,
                        std::optional<std::size_t> max_iterations,
                        std::vector<std::pair<std::string, std::string>> settings,
                        std::uint64_t seed, std::size_t threads) {
  InferRequest request;
  request.task = graph_task(task);
  request.method = method;
  request.memory = memory;
  request.seconds = seconds;
  request.tolerance = tolerance;
  request.max_iterations = max_iterations;
  request.settings = std::move(settings);
  request.seed = seed;
  request.threads = threads;
  return request;
}

}  // namespace

void bind_logic(py::module_& module) {
  py::class_<PythonLogic>(module, "Logic")
      .def(py::init<const std::filesystem::path&, const std::vector<std::filesystem::path>&,
                    const std::string&, const std::optional<std::string>&, std::optional<double>,
                    std::vector<std::string>, std::vector<std::string>>())
      .def("infer",
           [](const PythonLogic& logic, const std::string& query, const std::string& task,
              const std::string& method, double memory, std::optional<double> seconds,
              std::optional<double> tolerance, std::optional<std::size_t> max_iterations,
              std::vector<std::pair<std::string, std::string>> settings, std::uint64_t seed,
              std::size_t threads) {
             return logic.infer(query,
                                request_of(task, method, memory, seconds, tolerance, max_iterations,
                                           std::move(settings), seed, threads));
           })
      .def("learn", &PythonLogic::learn)
      .def_property_readonly("text", &PythonLogic::text)
      .def_property_readonly("warnings", &PythonLogic::warnings);
}

}  // namespace croft::python
