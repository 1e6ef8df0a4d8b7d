// croft logic
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>

#include "cli/common.h"
#include "cli/infer_request.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "core/files.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "logic/network_parser.h"
#include "logic/network_writer.h"
#include "sql/logic/logic_learning.h"
#include "sql/logic/logic_methods.h"
#include "sql/logic/logic_question.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kLogicFooter = R"help(
Example:
  croft logic friends.mln -e friends.db --query Cancer
  croft logic friends.mln -e friends.db --query "Smokes(Anna), Friends(Anna, x)" --json
  croft logic friends.mln -e friends.db --task map
  croft logic friends.mln --weights clausal --task partition
  croft logic rules.mln -e facts.db --learn pseudo-likelihood --query Cancer -o learnt.mln

Predicates that are asked for are open, and those of which the evidence says nothing: their atoms
are unknown.  All others are closed: what the evidence does not say is false.
docs/math/markov_logic.md has the language and what weights mean.  `croft infer --help` has the
methods of graphs and their settings.  auto takes an exact one of these where it fits, and else one
of the methods of ground clauses:
)help";

std::span<const OptionRow> logic_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("NETWORK", "FILE", "Markov logic network (.mln)").needed().unnamed(),
      file("evidence", "FILE ...", "Database of facts (.db); may be given several times")
          .short_as('e')
          .repeated(),
      words("query", "ATOMS",
            "What is asked for: predicates and atoms, \"Cancer, Friends(Anna, x)\"; without: all "
            "open predicates"),
      file("query-file", "FILE", "The same, an atom a line").without("query"),
      choice("task", "TASK=marginals", {"marginals", "map", "partition"},
             "marginals, map or partition")
          .without("learn"),
      choice("weights", "MEANING", {"formula", "clausal"},
             "formula: a weight counts where the formula as written is true; clausal: it is shared "
             "out over the clauses of its clausal form; without: formula, with --dialect alchemy "
             "clausal"),
      choice("dialect", "DIALECT=any", {"any", "alchemy", "tuffy", "lomrf"},
             "Whose signs the network may have"),
      number("soft-hard", "WEIGHT",
             "Hard rules are soft ones of this weight: to go on where they contradict each other"),
      choice(
          "learn", "OBJECTIVE", {"pseudo-likelihood", "likelihood"},
          "Learn the weights of the soft rules from the evidence, in which atoms of --query that "
          "it does not name are false; likelihood: by the exact gradient, where it fits")
          .beside("output"),
      file("output", "FILE", "Of --learn: where the network goes, with its weights")
          .short_as('o')
          .beside("learn"),
      number("l2", "X=0", "Of --learn: the penalty (X/2)|w|^2").at_first("0").beside("learn"),
      words("open", "P,Q,...", "Predicates that are open all the same").without("learn"),
      words("closed", "P,Q,...", "Predicates that are closed all the same").without("learn"),
      words("method", "METHOD=auto", "How; the methods of `croft infer`, and those below")
          .without("learn"),
      option::size("memory", "LIMIT",
                   "What ground clauses, and a method that predicts it, may take, such as 4G"),
      number("time", "SECONDS",
             "Stop after so many seconds: a method with what is there, grounding with an error"),
      number("tolerance", "X", "Of iterations: end at a change below this").without("learn"),
      whole("max-iterations", "N", "Of iterations: end after so many").from(1),
      words("set", "NAME=VALUE ...", "A setting of the method; may be given several times")
          .repeated()
          .without("learn"),
      json_row("One JSON document"),
      flag("quiet", "No progress on stderr"),
  });
  return kRows;
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : std::string(list) + ",") {
    if (c == ' ') continue;
    if (c != ',') {
      name += c;
    } else if (!name.empty()) {
      names.push_back(std::exchange(name, {}));
    }
  }
  return names;
}

std::vector<AtomPattern> read_queries(const OptionValues& values, const LogicNetwork& network) {
  const std::string file(values.text("query-file")), text(values.text("query"));
  if (!file.empty()) return parse_atom_patterns(network, read_fact_tokens(LineReader(file)));
  return parse_atom_patterns(network,
                             read_fact_tokens(LineReader(std::string_view(text), "--query")));
}

// A line an atom; of map those that are true.
std::string logic_text(const LogicAnswer& answer) {
  std::string out;
  if (answer.result.task == GraphTask::partition) {
    return fmt::format("log Z = {} ({}, {})\n", *answer.log_partition, answer.result.method,
                       name_of(answer.result.kind));
  }
  for (const AtomAnswer& each : answer.atoms) {
    if (answer.result.task == GraphTask::marginals) {
      out += fmt::format("{}\t{:.6f}\n", each.atom, each.probability);
    } else if (each.probability != 0) {
      out += each.atom + "\n";
    }
  }
  return out;
}

// What grounding reports: a line every two seconds.
class LogicProgress {
 public:
  explicit LogicProgress(bool quiet) : quiet_(quiet) {}
  void operator()(std::size_t done, std::size_t rules, std::size_t clauses) {
    if (quiet_ || Clock::now() - last_ < std::chrono::seconds(2)) return;
    last_ = Clock::now();
    std::fprintf(stderr, "%zu of %zu rules are ground, %zu clauses\n", done, rules, clauses);
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  Clock::time_point last_ = Clock::now();
};

void tell(const LogicAnswer& answer) {
  std::string line = fmt::format("{} ground atoms, {} clauses; {}: {}", answer.ground_atoms,
                                 answer.clauses, answer.result.method, name_of(answer.result.kind));
  if (!answer.result.converged) line += ", not converged";
  if (answer.cost) {
    line += fmt::format("; cost {:.10g}, {:.10g} of it of these clauses", *answer.cost,
                        *answer.clause_cost);
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

struct LogicInput {
  LogicNetwork network;
  LogicEvidence evidence;
  std::vector<AtomPattern> queries;
  WeightReading reading;
};

LogicNetwork read_rules(const OptionValues& values, LogicDialect dialect) {
  const std::string path(values.text("NETWORK"));
  LogicNetwork network = read_network(path, dialect);
  for (const std::string& warning : network.warnings) {
    std::fprintf(stderr, "croft: warning: %s\n", warning.c_str());
  }
  if (network.predicates.empty()) {
    throw InputError({path}, "a network without a predicate", "", "declare one: Name(type, …)");
  }
  std::optional<double> soft_hard;
  values.read("soft-hard", soft_hard);
  if (soft_hard) soften_hard_rules(network, *soft_hard);
  return network;
}

LogicInput read_input(const OptionValues& values) {
  const LogicDialect dialect =
      values.given("dialect") ? logic_dialect(values.text("dialect")) : LogicDialect::any;
  LogicNetwork network = read_rules(values, dialect);
  LogicEvidence evidence(network);
  for (const std::string& path : values.list("evidence")) {
    add_evidence(network, read_fact_tokens(LineReader(path)), evidence);
  }
  std::vector<AtomPattern> queries = read_queries(values, network);
  const WeightReading reading = values.given("weights") ? weight_reading(values.text("weights"))
                                : dialect == LogicDialect::alchemy ? WeightReading::clausal
                                                                   : WeightReading::formula;
  return {std::move(network), std::move(evidence), std::move(queries), reading};
}

// Writes the network with its weights, and tells what they are worth.
int run_learn(const OptionValues& values, const LogicInput& input, const InferRequest& request) {
  if (input.queries.empty()) {
    throw UsageError("--learn needs --query: the predicates that the rules are to foretell");
  }
  LogicLearnOptions options;
  options.reading = input.reading;
  values.choose("learn", {LogicObjective::pseudo_likelihood, LogicObjective::likelihood},
                options.objective);
  values.read("l2", options.l2);
  values.read("max-iterations", options.max_iterations);
  if (request.memory > 0) options.memory = request.memory;
  std::vector<bool> open(input.network.predicates.size(), false);
  for (const AtomPattern& query : input.queries) open[query.predicate] = true;
  const auto begin = std::chrono::steady_clock::now();
  const LearnedNetwork learned =
      learn_weights(input.network, input.evidence, open, options, [&](const Iteration&) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        return !interruption.load() && took.count() < request.seconds.value_or(HUGE_VAL);
      });
  AtomicFile out{std::string(values.text("output"))};
  out.write(write_network(learned.network));
  out.commit();
  if (values.flag("json")) {
    const Json document = {{"objective", name_of(options.objective)},
                           {"log_likelihood", learned.log_likelihood},
                           {"converged", learned.result.converged()},
                           {"iterations", learned.result.iterations},
                           {"weights", learned.weights},
                           {"ground_atoms", learned.ground_atoms},
                           {"ground_clauses", learned.clauses}};
    write_answer(
        true, [&] { return document; }, [] { return std::string(); });
  }
  if (!values.flag("quiet")) {
    std::fprintf(
        stderr, "%s\n",
        fmt::format("{} weights from {} ground atoms, {} clauses: log-{} {:.10g}; {}",
                    learned.weights.size(), learned.ground_atoms, learned.clauses,
                    name_of(options.objective), learned.log_likelihood, learned.result.message)
            .c_str());
  }
  return interruption ? kInterrupted : kDone;
}

int run_answer(const OptionValues& values, const LogicInput& input, const InferRequest& request) {
  const bool quiet = values.flag("quiet");
  const AtomSpace space(
      input.network, input.evidence,
      open_predicates(input.network, input.evidence, input.queries, names_in(values.text("open")),
                      names_in(values.text("closed"))));
  const GroundNetwork ground(space, input.queries,
                             {.reading = input.reading,
                              .memory = request.memory,
                              .seconds = request.seconds,
                              .progress = LogicProgress(quiet)});
  InferCalls calls;
  if (!quiet) {
    calls.plan = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  }
  calls.progress = [](const GraphProgress&) { return !interruption.load(); };
  const LogicAnswer answer = ground.answer(request, calls);
  for (const Message& warning : answer.result.warnings) {
    std::fprintf(stderr, "croft: warning: %s\n", warning.text().c_str());
  }
  write_answer(
      values.flag("json"), [&] { return to_json(answer); }, [&] { return logic_text(answer); });
  if (!quiet) tell(answer);
  return interruption ? kInterrupted : kDone;
}

int run_logic(const OptionValues& values) {
  handle_interrupts();
  const InferRequest request = infer_request(values, GraphTask::marginals);
  const LogicInput input = read_input(values);
  return values.given("learn") ? run_learn(values, input, request)
                               : run_answer(values, input, request);
}

}  // namespace

const Verb kLogic = {.name = "logic",
                     .summary = "Inference on a Markov logic network, and learning of its weights",
                     .options = [] { return tables(logic_options(), common_options()); },
                     .footer = [] { return kLogicFooter + describe_logic_methods(); },
                     .run = run_logic,
                     .need_of_memory = "ask with fewer constants or rules, or on a larger machine"};

}  // namespace croft::cli
