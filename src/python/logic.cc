// Markov logic networks from files, for croft.Logic.
#include <pybind11/stl.h>

#include <array>
#include <filesystem>
#include <optional>

#include "app/file_checks.h"
#include "app/infer/graph_picture.h"
#include "core/files.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "logic/network_parser.h"
#include "logic/network_writer.h"
#include "python/bind.h"
#include "python/options.h"
#include "python/read/sequences.h"
#include "sql/logic/learn/structure_learning.h"
#include "sql/logic/logic_learning.h"
#include "sql/logic/logic_question.h"
#include "sql/logic/logic_views.h"

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
    for (const auto& path : evidence) files_.push_back(path.string());
    read_files(network_, files_, evidence_);
  }

  // As croft logic --json has it.
  std::string infer(const std::string& query, InferRequest request,
                    const std::string& grounding) const {
    const py::gil_scoped_release release;
    const std::vector<AtomPattern> queries = queries_of(query);
    const AtomSpace space(network_, evidence_,
                          open_predicates(network_, evidence_, queries, open_, closed_));
    const GroundNetwork ground(
        space, queries,
        {.reading = reading_,
         .memory = request.memory,
         .seconds = request.seconds,
         .progress = [](std::size_t, std::size_t, std::size_t) { see_signals(); }},
        grounding_named(grounding), request.task);
    InferCalls calls;
    calls.progress = [](const GraphProgress&) {
      see_signals();
      return true;
    };
    const LogicAnswer answer = ground.answer(request, calls);
    Json said = to_json(answer);
    if (!answer.result.warnings.empty()) said["warnings"] = Json::array();
    for (const Message& each : answer.result.warnings) {
      said["warnings"].push_back(in_python(each));
    }
    return said.dump(-1, InvalidUtf8::replace);
  }

  // The weights, what they are worth, and warnings; writes the network to `output`.
  //   worlds : files of worlds of their own; empty: the evidence is the world
  py::tuple learn(const std::string& query, const std::filesystem::path& output,
                  const std::vector<std::filesystem::path>& worlds,
                  const std::vector<std::string>& hidden, LogicLearnOptions options) const {
    std::optional<LearnedNetwork> learned;
    check_is_free("output", output, "the network ");
    for (const auto& each : worlds) {
      check_not_read(std::array{each.string()}, "output", output.string(), "the network ");
    }
    {
      const py::gil_scoped_release release;
      LogicNetwork network = network_;
      std::vector<LogicEvidence> facts = read_worlds(network, worlds);
      if (facts.size() > 1) {
        share_constants(network, facts);
        facts = read_worlds(network, worlds);
      }
      std::vector<bool> open(network.predicates.size(), false);
      for (const AtomPattern& each : queries_of(query)) open[each.predicate] = true;
      if (!hidden.empty()) options.hidden.assign(open.size(), false);
      for (const std::string& name : hidden) {
        const std::uint32_t number = network.predicate_names.find(name);
        if (number == kNoNumber) throw UsageError("the network has no predicate ", in_quotes(name));
        options.hidden[number] = true;
      }
      options.reading = reading_;
      learned = learn_weights(network, facts, open, options, [](const Iteration&) {
        see_signals();
        return true;
      });
      AtomicFile file(output);
      file.write(write_network(learned->network));
      file.commit();
    }
    std::vector<std::string> warnings;
    for (const Message& each : learned->warnings) warnings.push_back(in_python(each));
    return py::make_tuple(learned->weights, learned->log_likelihood, learned->log_pseudo_likelihood,
                          learned->result.converged(), learned->result.message, warnings);
  }

  // As croft logic --inspect --json has it.
  std::string inspect() const {
    const py::gil_scoped_release release;
    return rules_json(network_, inspect_rules(network_, evidence_, grounding()))
        .dump(-1, InvalidUtf8::replace);
  }

  // As croft logic --explain --json has it; draws the network around the atom where a file is
  // given.
  std::string explain(const std::string& atom, const std::string& query,
                      const std::optional<std::filesystem::path>& picture,
                      InferRequest request) const {
    if (picture) check_is_free("picture", *picture, "the picture ");
    const py::gil_scoped_release release;
    const std::vector<AtomPattern> asked = queries_of(atom);
    if (asked.size() != 1) throw UsageError("explain() takes one atom, not ", in_quotes(atom));
    const std::vector<AtomPattern> queries = query.empty() ? asked : queries_of(query);
    const AtomSpace space(network_, evidence_,
                          open_predicates(network_, evidence_, queries, open_, closed_));
    const GroundNetwork ground(space, queries, grounding());
    request.task = GraphTask::map;
    InferCalls calls;
    calls.progress = [](const GraphProgress&) {
      see_signals();
      return true;
    };
    const InferResult best = ground.answer(request, calls).result;
    const std::vector<std::uint8_t> world(best.assignment.begin(), best.assignment.end());
    if (picture) {
      AtomicFile file(*picture);
      file.write(graph_svg(neighbourhood(ground, asked[0])));
      file.commit();
    }
    return explanation_json(network_, explain_atom(ground, asked[0], world))
        .dump(-1, InvalidUtf8::replace);
  }

  // [(clause, log-pseudo-likelihood)]; writes the network to `output`.
  std::vector<std::pair<std::string, double>> learn_structure(const std::string& query,
                                                              const std::filesystem::path& output,
                                                              StructureOptions options) const {
    check_is_free("output", output, "the network ");
    const py::gil_scoped_release release;
    std::vector<bool> open(network_.predicates.size(), false);
    for (const AtomPattern& each : queries_of(query)) open[each.predicate] = true;
    const LearnedStructure learned =
        croft::learn_structure(network_, evidence_, open, options, [](const auto&) {
          see_signals();
          return true;
        });
    AtomicFile file(output);
    file.write(write_network(learned.network));
    file.commit();
    std::vector<std::pair<std::string, double>> steps;
    for (const StructureStep& each : learned.steps) {
      steps.emplace_back(each.clause, each.log_pseudo_likelihood);
    }
    return steps;
  }

  std::string text() const { return write_network(network_); }
  const std::vector<std::string>& warnings() const { return network_.warnings; }

 private:
  // Throws UsageError where the file is one of the network or the evidence.
  void check_is_free(std::string_view option, const std::filesystem::path& path,
                     std::string_view what) const {
    check_not_read(network_.files, option, path.string(), what);
    check_not_read(files_, option, path.string(), what);
  }

  static void see_signals() {
    const py::gil_scoped_acquire lock;
    check_signals();
  }
  GroundOptions grounding() const {
    return {.reading = reading_,
            .progress = [](std::size_t, std::size_t, std::size_t) { see_signals(); }};
  }
  std::vector<AtomPattern> queries_of(const std::string& text) const {
    return parse_atom_patterns(network_,
                               read_fact_tokens(LineReader(std::string_view(text), "query")));
  }

  static void read_files(const LogicNetwork& network, const std::vector<std::string>& files,
                         LogicEvidence& evidence) {
    for (const std::string& path : files) {
      add_evidence(network, read_fact_tokens(LineReader(path)), evidence);
    }
  }
  std::vector<LogicEvidence> read_worlds(const LogicNetwork& network,
                                         const std::vector<std::filesystem::path>& worlds) const {
    std::vector<LogicEvidence> out;
    if (worlds.empty()) out.push_back(evidence_);
    for (const auto& world : worlds) {
      LogicEvidence& evidence = out.emplace_back(network);
      read_files(network, files_, evidence);
      read_files(network, {world.string()}, evidence);
    }
    return out;
  }

  LogicNetwork network_;
  std::vector<std::string> files_;  // of the evidence
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
              std::size_t threads, const std::string& grounding) {
             return logic.infer(query,
                                request_of(task, method, memory, seconds, tolerance, max_iterations,
                                           std::move(settings), seed, threads),
                                grounding);
           })
      .def("learn",
           [](const PythonLogic& logic, const std::string& query,
              const std::filesystem::path& output, const std::string& objective, double l2,
              bool prior_as_written, std::optional<std::size_t> max_iterations,
              const std::vector<std::filesystem::path>& worlds,
              const std::vector<std::string>& hidden,
              std::vector<std::pair<std::string, std::string>> settings, std::uint64_t seed,
              std::size_t threads) {
             LogicLearnOptions options;
             options.objective = logic_objective(objective);
             options.l2 = l2;
             options.prior_as_written = prior_as_written;
             options.max_iterations = max_iterations;
             options.seed = seed;
             options.threads = threads;
             options.settings = std::move(settings);
             return logic.learn(query, output, worlds, hidden, std::move(options));
           })
      .def("inspect", &PythonLogic::inspect)
      .def("explain",
           [](const PythonLogic& logic, const std::string& atom, const std::string& query,
              const std::optional<std::filesystem::path>& picture, const std::string& method,
              std::optional<std::size_t> max_iterations, std::uint64_t seed, std::size_t threads) {
             return logic.explain(
                 atom, query, picture,
                 request_of("map", method, 0, {}, {}, max_iterations, {}, seed, threads));
           })
      .def("learn_structure",
           [](const PythonLogic& logic, const std::string& query,
              const std::filesystem::path& output, std::size_t beam, std::size_t literals,
              std::size_t variables, std::size_t clauses, double least_gain, double groundings,
              double l2) {
             return logic.learn_structure(query, output,
                                          {.beam = beam,
                                           .literals = literals,
                                           .variables = variables,
                                           .clauses = clauses,
                                           .least_gain = least_gain,
                                           .groundings = groundings,
                                           .l2 = l2});
           })
      .def_property_readonly("text", &PythonLogic::text)
      .def_property_readonly("warnings", &PythonLogic::warnings);
}

}  // namespace croft::python
