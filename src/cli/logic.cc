// croft logic
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "app/file_checks.h"
#include "app/infer/graph_picture.h"
#include "app/infer/infer_methods.h"
#include "cli/common.h"
#include "cli/infer/infer_request.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "core/files.h"
#include "core/json.h"
#include "core/words/counted.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "logic/network_parser.h"
#include "logic/network_writer.h"
#include "sql/logic/learn/structure_learning.h"
#include "sql/logic/logic_learning.h"
#include "sql/logic/logic_methods.h"
#include "sql/logic/logic_question.h"
#include "sql/logic/logic_source.h"
#include "sql/logic/logic_views.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr std::array<std::string_view, 6> kStructureSettings{"beam",    "literals",   "variables",
                                                             "clauses", "least-gain", "groundings"};

constexpr const char* kLogicFooter = R"help(
Example:
  croft logic friends.mln -e friends.db --query Cancer
  croft logic friends.mln -e friends.db --query "Smokes(Anna), Friends(Anna, x)" --json
  croft logic friends.mln -e friends.db --task map
  croft logic friends.mln --weights clausal --task partition
  croft logic rules.mln -e facts.db --learn pseudo-likelihood --query Cancer -o learnt.mln
  croft logic rules.mln -e facts.db --inspect
  croft logic rules.mln -e facts.db --explain "Cancer(Anna)" --picture anna.svg
  croft logic rules.mln --world one.db --world two.db --learn diagonal-newton --query Cancer -o learnt.mln

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
      choice("dialect", "DIALECT=any", {"any", "alchemy", "tuffy", "lomrf", "pracmln"},
             "Whose signs the network may have"),
      number("soft-hard", "WEIGHT",
             "Hard rules are soft ones of this weight: to go on where they contradict each other"),
      file("world", "FILE ...",
           "Of --learn: a database that is a world of its own, with constants of its own; may be "
           "given several times.  The facts of --evidence are true in each")
          .repeated()
          .beside("learn"),
      choice(
          "learn", "OBJECTIVE", logic_objective_names(),
          "Learn the weights of the soft rules from the evidence, in which atoms of --query that "
          "it does not name are false; the objectives are below")
          .beside("output"),
      words(
          "hidden", "P,Q,...",
          "Of --learn: predicates whose atoms are not known where the evidence does not name them")
          .beside("learn"),
      choice("prior", "MEAN=zero", {"zero", "written"},
             "Of --learn: where --l2 pulls the weights to, 0 or what the network has written")
          .beside("l2"),
      flag("learn-structure",
           "Learn rules, too: clauses that tell atoms of --query from all others, by a beam search "
           "with pseudo-likelihood; the rules that are there stay")
          .beside("output")
          .without("learn"),
      file("output", "FILE", "Where the network that was learnt goes")
          .written_as("the network ")
          .short_as('o'),
      flag("inspect",
           "The rules, with their weights and how many of their groundings the evidence makes true")
          .without("learn"),
      words("explain", "ATOM",
            "Which ground clauses speak for and against the atom, all others given as in the best "
            "world; the amounts add up to its log-odds there")
          .without("learn"),
      file("picture", "FILE.svg", "Of --explain: the ground network around the atom")
          .written_as("the picture ")
          .beside("explain"),
      number("l2", "X=0", "Of learning: the penalty (X/2)|w|^2, a Gaussian prior of variance 1/X")
          .at_first("0"),
      words("open", "P,Q,...", "Predicates that are open all the same").without("learn"),
      words("closed", "P,Q,...", "Predicates that are closed all the same").without("learn"),
      choice("grounding", "HOW=auto", {"auto", "lazy", "full"},
             "full: every clause that the evidence leaves open; lazy: those that can matter where "
             "most atoms are false, for map and for mc-sat; auto: lazy for map where full has more "
             "than 3,000,000 rows")
          .at_first("auto")
          .without("learn"),
      words("method", "METHOD=auto", "How; the methods of `croft infer`, and those below")
          .without("learn"),
      option::size("memory", "LIMIT",
                   "What ground clauses, and a method that predicts it, may take, such as 4G"),
      number("time", "SECONDS",
             "Stop after so many seconds: a method with what is there, grounding with an error"),
      number("tolerance", "X", "Of iterations: end at a change below this").without("learn"),
      whole("max-iterations", "N", "Of iterations: end after so many").from(1),
      words("set", "NAME=VALUE ...",
            "A setting of the method or of what learns; may be given several times")
          .repeated(),
      json_row("One JSON document"),
  });
  return kRows;
}

std::vector<AtomPattern> read_queries(const OptionValues& values, const LogicNetwork& network) {
  const std::string file(values.text("query-file"));
  // An atom to explain is asked for, too.
  const std::string text(values.text(values.given("query") ? "query" : "explain"));
  if (!file.empty()) return parse_atom_patterns(network, read_fact_tokens(LineReader(file)));
  return read_atom_patterns(network, text);
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
  std::string line = fmt::format("{}, {}; {}: {}", counted(answer.ground_atoms, "ground atom"),
                                 counted(answer.clauses, "clause"), answer.result.method,
                                 name_of(answer.result.kind));
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

// The clock of --time, from the start of the verb.
class LogicClock {
 public:
  explicit LogicClock(const InferRequest& request) : seconds_(request.seconds) {}
  double left() const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    return seconds_ ? *seconds_ - took.count() : HUGE_VAL;
  }
  void check_reading() const {
    if (interruption.load()) throw Interrupted("reading the evidence was interrupted");
    if (left() > 0) return;
    throw Error("reading the evidence took longer than --time allows; raise it");
  }
  // What is left of it for what comes now.
  void pass_on(InferRequest& request) const {
    if (seconds_) request.seconds = std::max(left(), 1e-9);
  }

 private:
  std::optional<double> seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

LogicSource source_of(const OptionValues& values, const LogicClock& clock) {
  LogicSource source{.network = std::string(values.text("NETWORK")),
                     .evidence = values.list("evidence"),
                     .check = [&clock] { clock.check_reading(); }};
  if (values.given("dialect")) source.dialect = logic_dialect(values.text("dialect"));
  values.read("soft-hard", source.soft_hard);
  return source;
}

LogicInput read_input(const OptionValues& values, const LogicClock& clock) {
  const LogicSource source = source_of(values, clock);
  LogicNetwork network = read_rules(source);
  for (const char* option : {"output", "picture"}) {
    if (values.given(option)) {
      check_not_read(network.files, option, std::string(values.text(option)),
                     option == std::string_view("output") ? "the network " : "the picture ");
    }
  }
  for (const std::string& warning : network.warnings) {
    std::fprintf(stderr, "croft: warning: %s\n", warning.c_str());
  }
  LogicEvidence evidence = read_facts(source, network);
  std::vector<AtomPattern> queries = read_queries(values, network);
  const WeightReading reading = values.given("weights") ? weight_reading(values.text("weights"))
                                                        : usual_reading(source.dialect);
  return {std::move(network), std::move(evidence), std::move(queries), reading};
}

void write_learned(const OptionValues& values, LogicObjective objective,
                   const LearnedNetwork& learned) {
  if (values.flag("json")) {
    Json document = {{"objective", name_of(objective)},
                     {"converged", learned.result.converged()},
                     {"iterations", learned.result.iterations},
                     {"message", learned.result.message},
                     {"weights", learned.weights},
                     {"ground_atoms", learned.ground_atoms},
                     {"ground_clauses", learned.clauses}};
    if (learned.log_likelihood) document["log_likelihood"] = *learned.log_likelihood;
    if (learned.log_pseudo_likelihood) {
      document["log_pseudo_likelihood"] = *learned.log_pseudo_likelihood;
    }
    if (learned.result.gap) document["gap"] = *learned.result.gap;
    for (const Message& each : learned.warnings) document["warnings"].push_back(each.text());
    write_answer(
        true, [&] { return document; }, [] { return std::string(); });
  }
  for (const Message& warning : learned.warnings) {
    std::fprintf(stderr, "croft: warning: %s\n", warning.text().c_str());
  }
  if (values.flag("quiet")) return;
  std::string line =
      fmt::format("{} from {}, {}: ", counted(learned.weights.size(), "weight"),
                  counted(learned.ground_atoms, "ground atom"), counted(learned.clauses, "clause"));
  if (learned.log_likelihood) {
    line += fmt::format(
        "log-{} {:.10g}; ",
        objective == LogicObjective::pseudo_likelihood ? "pseudo-likelihood" : "likelihood",
        *learned.log_likelihood);
  } else if (learned.log_pseudo_likelihood) {
    line += fmt::format("log-pseudo-likelihood {:.10g}; ", *learned.log_pseudo_likelihood);
  }
  std::fprintf(stderr, "%s%s\n", line.c_str(), learned.result.message.c_str());
}

// Writes the network with its weights, and tells what they are worth.
int run_learn(const OptionValues& values, LogicInput input, const InferRequest& request,
              const LogicClock& clock) {
  if (input.queries.empty()) {
    throw UsageError("--learn needs --query: the predicates that the rules are to foretell");
  }
  LogicLearnOptions options;
  options.reading = input.reading;
  options.objective = logic_objective(values.text("learn"));
  options.prior_as_written = values.text("prior") == "written";
  options.seed = request.seed;
  options.threads = request.threads;
  options.settings = request.settings;
  values.read("l2", options.l2);
  values.read("max-iterations", options.max_iterations);
  if (request.memory > 0) options.memory = request.memory;
  if (values.given("hidden")) {
    options.hidden = predicates_of(input.network, names_in(values.text("hidden")));
  }
  const std::vector<bool> open = predicates_of(input.network, input.queries);
  std::vector<LogicEvidence> worlds;
  if (values.given("world")) {
    worlds = read_worlds(source_of(values, clock), values.list("world"), input.network);
  } else {
    worlds.push_back(std::move(input.evidence));
  }
  const auto begin = std::chrono::steady_clock::now();
  const LearnedNetwork learned =
      learn_weights(input.network, worlds, open, options, [&](const Iteration&) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        return !interruption.load() && took.count() < request.seconds.value_or(HUGE_VAL);
      });
  AtomicFile out{std::string(values.text("output"))};
  out.write(write_network(learned.network));
  out.commit();
  write_learned(values, options.objective, learned);
  return interruption ? kInterrupted : kDone;
}

// Clauses, and weights of all rules.
int run_learn_structure(const OptionValues& values, const LogicInput& input,
                        const InferRequest& request) {
  if (input.queries.empty()) {
    throw UsageError("--learn-structure needs --query: the predicates that rules are to foretell");
  }
  StructureOptions options;
  if (values.given("l2")) values.read("l2", options.l2);
  if (request.memory > 0) options.memory = request.memory;
  for (const auto& [name, value] : request.settings) {
    if (std::ranges::find(kStructureSettings, name) == kStructureSettings.end()) {
      throw UsageError("--learn-structure has no setting ", in_quotes(name), "; it has ",
                       fmt::format("{}", fmt::join(kStructureSettings, ", ")));
    }
  }
  Settings(request)
      .read("beam", options.beam)
      .read("literals", options.literals)
      .read("variables", options.variables)
      .read("clauses", options.clauses)
      .read("least-gain", options.least_gain)
      .read("groundings", options.groundings);
  const std::vector<bool> open = predicates_of(input.network, input.queries);
  const bool quiet = values.flag("quiet");
  const auto begin = std::chrono::steady_clock::now();
  std::size_t told = 0;
  const LearnedStructure learned =
      learn_structure(input.network, input.evidence, open, options, [&](const auto& steps) {
        for (; !quiet && told < steps.size(); ++told) {
          std::fprintf(stderr, "log-pseudo-likelihood %.6f%s%s\n",
                       steps[told].log_pseudo_likelihood, told == 0 ? "" : " with ",
                       steps[told].clause.c_str());
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        return took.count() < request.seconds.value_or(HUGE_VAL);
      });
  AtomicFile out{std::string(values.text("output"))};
  out.write(write_network(learned.network));
  out.commit();
  write_answer(
      values.flag("json"),
      [&] {
        Json clauses = Json::array();
        for (std::size_t i = 1; i < learned.steps.size(); ++i) {
          clauses.push_back({{"clause", learned.steps[i].clause},
                             {"log_pseudo_likelihood", learned.steps[i].log_pseudo_likelihood}});
        }
        return Json{{"clauses", std::move(clauses)},
                    {"log_pseudo_likelihood", learned.log_pseudo_likelihood},
                    {"looked_at", learned.looked_at},
                    {"passed_over", learned.passed_over},
                    {"stopped", learned.stopped}};
      },
      [] { return std::string(); });
  if (!quiet) {
    std::fprintf(stderr,
                 "%zu clauses were added; %zu were looked at, %zu passed over, of too many "
                 "groundings\n",
                 learned.steps.size() - 1, learned.looked_at, learned.passed_over);
  }
  return interruption ? kInterrupted : kDone;
}

int run_inspect(const OptionValues& values, const LogicInput& input, const InferRequest& request) {
  const std::vector<RuleView> rules = inspect_rules(
      input.network, input.evidence, {.memory = request.memory, .seconds = request.seconds});
  write_answer(
      values.flag("json"), [&] { return rules_json(input.network, rules); },
      [&] { return rules_text(input.network, rules); });
  return kDone;
}

// What speaks for and against an atom in the best world.
void explain(const OptionValues& values, const LogicInput& input, const GroundNetwork& ground,
             InferRequest request, const InferCalls& calls) {
  const std::vector<AtomPattern> asked = parse_atom_patterns(
      input.network, read_fact_tokens(LineReader(values.text("explain"), "--explain")));
  if (asked.size() != 1) throw UsageError("--explain takes one atom");
  request.task = GraphTask::map;
  const InferResult best = ground.answer(request, calls).result;
  const std::vector<std::uint8_t> world(best.assignment.begin(), best.assignment.end());
  const AtomExplanation found = explain_atom(ground, asked[0], world);
  if (values.given("picture")) {
    AtomicFile out{std::string(values.text("picture"))};
    out.write(graph_svg(neighbourhood(ground, asked[0])));
    out.commit();
  }
  write_answer(
      values.flag("json"), [&] { return explanation_json(input.network, found); },
      [&] { return explanation_text(input.network, found); });
}

int run_answer(const OptionValues& values, const LogicInput& input, InferRequest request,
               const LogicClock& clock) {
  const bool quiet = values.flag("quiet");
  const AtomSpace space(
      input.network, input.evidence,
      open_predicates(input.network, input.evidence, input.queries, names_in(values.text("open")),
                      names_in(values.text("closed"))));
  const GroundNetwork ground(
      space, input.queries,
      {.reading = input.reading,
       .memory = request.memory,
       .seconds = request.seconds,
       .progress = LogicProgress(quiet)},
      values.given("explain") ? Grounding::full : grounding_named(values.text("grounding")),
      request.task);
  clock.pass_on(request);
  InferCalls calls;
  if (!quiet) {
    calls.plan = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  }
  calls.progress = [](const GraphProgress&) { return !interruption.load(); };
  if (values.given("explain")) {
    explain(values, input, ground, request, calls);
    return interruption ? kInterrupted : kDone;
  }
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
  InferRequest request = infer_request(values, GraphTask::marginals);
  const LogicClock clock(request);
  const bool learns = values.given("learn") || values.flag("learn-structure");
  if (values.given("output") && !learns) {
    throw UsageError("--output is for --learn and --learn-structure");
  }
  if (values.given("l2") && !learns) throw UsageError("--l2 is for --learn and --learn-structure");
  const bool answers = !learns && !values.flag("inspect") && !values.given("explain");
  if (values.given("grounding") && !answers) {
    throw UsageError("--grounding is for probabilities and best worlds");
  }
  LogicInput input = read_input(values, clock);
  clock.pass_on(request);
  if (values.flag("learn-structure")) return run_learn_structure(values, input, request);
  if (values.flag("inspect")) return run_inspect(values, input, request);
  return values.given("learn") ? run_learn(values, std::move(input), request, clock)
                               : run_answer(values, input, request, clock);
}

}  // namespace

const Verb kLogic = {.name = "logic",
                     .summary = "Inference on a Markov logic network, and learning of its weights",
                     .options = [] { return tables(logic_options(), common_options()); },
                     .footer =
                         [] {
                           return kLogicFooter + describe_logic_methods() +
                                  "Objectives of --learn, with their settings:\n" +
                                  describe_logic_objectives() +
                                  fmt::format(
                                      "Settings of --learn-structure, whose --l2 is 0.1 where "
                                      "none is given: {}\n",
                                      fmt::join(kStructureSettings, ", "));
                         },
                     .run = run_logic,
                     .need_of_memory = "ask with fewer constants or rules, or on a larger machine"};

}  // namespace croft::cli
