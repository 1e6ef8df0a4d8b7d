// croft infer
#include <fmt/format.h>

#include <chrono>
#include <new>

#include "app/infer/decide.h"
#include "app/infer/graph_picture.h"
#include "app/infer/graph_view.h"
#include "bugs/exact/graph_of_model.h"
#include "cli/common.h"
#include "cli/infer/infer_questions.h"
#include "cli/infer/infer_request.h"
#include "cli/infer/infer_stream.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "core/files.h"
#include "core/json.h"
#include "croft/app/infer.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/data/graph_file.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kInferFooter = R"(
Example:
  croft infer sprinkler.bif --observe "slippery=yes" --task marginals
  croft infer grid.uai --evidence grid.uai.evid --to uai
  croft infer grid.uai --task map --time 10 --json
  croft infer sprinkler.bif --task map --k-best 5
  croft infer sprinkler.bif --observe "slippery=yes" --task marginal-map --over rain,sprinkler
  croft infer sprinkler.bif --picture sprinkler.svg --save sprinkler.uai
  croft infer sprinkler.bif --independent "rain;sprinkler|season"
  croft infer sprinkler.bif --observe "grass=0.1:0.3:0.9" --query "rain=yes, sprinkler=on" \
       --query "rain=slippery"
  croft infer garden.net --observe "forecast=good" --decide
  croft infer harbour.bif --stream harbour.csv --lag 2
  croft infer asia.bug --data asia-data.R --task marginals
  croft infer harbour.bif --unroll 5 --observe "flag_4=up" --task marginals

docs/infer.md explains tasks, methods and every field of --json.)";

// What inference has, and questions that need no numbers do not.
std::span<const OptionRow> number_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      words("method", "METHOD", "How; the methods of each task are listed below"),
      option::size("memory", "LIMIT",
                   "What a method may take that predicts it, such as 4G; without: half of the "
                   "machine's"),
      number("time", "SECONDS", "Stop after so many seconds, with what is there"),
      number("tolerance", "X", "Of iterations: end at a change below this"),
      whole("max-iterations", "N", "Of iterations: end after so many").from(1),
      words("set", "NAME=VALUE ...",
            "A setting of the method, as listed below; may be given several times")
          .repeated(),
      whole("samples", "N=1", "How many assignments --task sample draws").from(1),
      whole("k-best", "K", "The K best assignments of --task map, with probabilities").from(1),
      words("over", "A,B,...",
            "Of --task marginal-map: the variables whose best states are looked for, by name or "
            "number; all others are summed out"),
      choice("to", "FORMAT=table", {"table", "uai", "csv"},
             "table, uai, or of samples csv, which croft train --model bayes-net reads")
          .or_called("output"),
  });
  return kRows;
}

std::span<const OptionRow> graph_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("GRAPH", "FILE",
           "Factor graph: UAI, LG, libDAI's .fg, BIF, XMLBIF, Hugin's .net or GeNIe's .xdsl; or a "
           "discrete BUGS model, .bug or .jags")
          .needed()
          .unnamed(),
      choice("format", "FORMAT", {"uai", "lg", "fg", "bif", "xmlbif", "net", "xdsl"},
             "uai, lg, fg, bif, xmlbif, net or xdsl; without: by the extension, else by the "
             "beginning"),
      file("evidence", "FILE", "What is observed, in UAI's format (.evid)"),
      file("data", "FILE ...",
           "Of a BUGS model: its data, as a dump of R, JSON or CSV; may be given several times")
          .repeated(),
      words("observe", "V=S ...",
            "VARIABLE=STATE, by name or number, or VARIABLE=0.3:0.7, the likelihood of each state; "
            "may be given several times")
          .repeated(),
      choice("task", "TASK", {"partition", "marginals", "map", "marginal-map", "sample"},
             "partition (default), marginals, map, marginal-map or sample")
          .without("independent"),
  });
  return kRows;
}

std::span<const OptionRow> inference_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      json_row("One JSON document").without("to"),
      words("independent", "QUESTION",
            "\"A;B|C\": is A independent of B given C (and what is observed)? By the shape of the "
            "graph alone; commas within a set")
          .without("blanket"),
      words("blanket", "VARIABLE",
            "The Markov blanket of a variable: given it, the rest does not matter")
          .without("task"),
      file("picture", "FILE",
           "Draw the graph in this file, .svg, .html or .dot; without --task: only that; with "
           "--task marginals the probabilities stand in the nodes")
          .written_as("the picture "),
      file("save", "FILE",
           "Write the graph in the format of this file, .uai, .LG or .bif; likewise")
          .written_as("the graph "),
  });
  return kRows;
}

struct InferCommand {
  std::string text(std::string_view name) const { return std::string(values.text(name)); }

  const OptionValues& values;
  InferRequest request;
  const std::string picture = text("picture"), save = text("save"), blanket = text("blanket"),
                    independent = text("independent");
  const bool json = values.flag("json"), quiet = values.flag("quiet");
};

// A line every two seconds.  Methods that call it stop cleanly at a Ctrl-C; others end at once.
class InferProgress {
 public:
  explicit InferProgress(bool quiet) : quiet_(quiet) {}

  bool operator()(const GraphProgress& p) {
    using Clock = std::chrono::steady_clock;
    if (!begun_) handle_interrupts();  // from here on a Ctrl-C is looked at
    begun_ = true;
    if (!quiet_ && Clock::now() - last_ >= std::chrono::seconds(2)) {
      last_ = Clock::now();
      std::string text = fmt::format("iteration {}", p.iteration);
      if (p.residual > 0) text += fmt::format("  residual {:.3g}", p.residual);
      if (p.value) text += fmt::format("  log Z {:.8g}", *p.value);
      if (p.best) text += fmt::format("  best {:.8g}", *p.best);
      if (p.bound) text += fmt::format("  at most {:.8g}", *p.bound);
      std::fprintf(stderr, "%s\n", text.c_str());
    }
    return !interruption;
  }

 private:
  bool quiet_, begun_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

bool ends_with(const std::string& path, std::string_view extension) {
  return path.size() > extension.size() && path.ends_with(extension);
}

std::string picture_of(const std::string& path, const GraphFile& file, const Evidence& evidence,
                       const VariableMarginals& bars = {}) {
  if (ends_with(path, ".dot")) return graph_dot(file, evidence);
  if (ends_with(path, ".svg")) return graph_svg(file, evidence, bars);
  if (ends_with(path, ".html")) return graph_html(file, evidence, bars);
  throw UsageError("--picture ", in_quotes(path), " ends in neither .dot, .svg nor .html");
}

std::string saved(const std::string& path, const GraphFile& file) {
  if (ends_with(path, ".uai")) return write_uai(file);
  if (ends_with(path, ".lg") || ends_with(path, ".LG")) return write_lg(file);
  if (ends_with(path, ".bif")) return write_bif(file);
  throw UsageError("--save ", in_quotes(path), " ends in neither .uai, .LG nor .bif");
}

void write_file(const std::string& path, const std::string& content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

// The picture and the graph, or neither.
void write_files(const InferCommand& c, const GraphFile& graph, const Evidence& evidence) {
  const std::string picture = c.picture.empty() ? "" : picture_of(c.picture, graph, evidence);
  const std::string content = c.save.empty() ? "" : saved(c.save, graph);
  if (!c.picture.empty()) write_file(c.picture, picture);
  if (!c.save.empty()) write_file(c.save, content);
}

InferCalls calls_of(const InferCommand& c) {
  InferCalls calls;
  if (!c.quiet) {
    calls.plan = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  }
  calls.progress = InferProgress(c.quiet);
  return calls;
}

void answer(const InferCommand& c, const GraphFile& file, const Findings& known) {
  check_decided(file, known.states);
  const InferResult result =
      infer(with_findings(file.graph, known.soft), known.states, c.request, calls_of(c));
  warn_of(result.warnings);  // also where progress is not wanted
  if (!c.picture.empty() && c.request.task == GraphTask::marginals) {
    write_file(c.picture, picture_of(c.picture, file, known.states, result.marginals));
  }
  const std::string_view output = c.values.text("to");
  write_answer(
      c.json, [&] { return to_json(result, file); },
      [&] {
        if (output == "csv") return format_csv(result, file);
        return output == "uai" ? format_uai(result) : format_table(result, file);
      });
}

// Whether the numbers are asked for: a picture, another format or a question to the shape are not,
// unless there is a task, too.  UsageError for an option that is then ignored.
bool asks_numbers(const InferCommand& c) {
  const bool others =
      !c.independent.empty() || !c.blanket.empty() || !c.picture.empty() || !c.save.empty();
  if (c.values.given("task") || (!others && !asks_question(c.values))) return true;
  for (const OptionRow& row : number_options()) {
    if (!c.values.given(row.name) || question_takes(c.values, row.name)) continue;
    throw UsageError(Message::option(row.name),
                     " is for inference, which --picture, --save, --independent, --blanket and "
                     "what is asked here do not need; give --task, too, or leave it out");
  }
  return false;
}

// What needs no numbers.
void answer_shape(const InferCommand& c, const GraphFile& file, const Evidence& evidence) {
  if (!c.independent.empty()) {
    const IndependenceAnswer found = ask_independence(file, c.independent, evidence);
    write_answer(
        c.json, [&] { return to_json(found, file); }, [&] { return format_answer(found, file); });
  }
  if (!c.blanket.empty()) {
    Json names = Json::array();
    for (const Variable v : markov_blanket(file, find_variable(file, c.blanket))) {
      names.push_back(variable_name(file.names, v));
      if (!c.json) write_result(variable_name(file.names, v) + "\n");
    }
    if (c.json) write_json({{"variable", c.blanket}, {"markov_blanket", names}});
  }
}

// Throws UsageError for options that do not go together.
InferRequest read_request(const OptionValues& values) {
  InferRequest request = infer_request(values, GraphTask::partition);
  values.read("samples", request.samples);
  values.read("k-best", request.k_best);
  const bool marginal = request.task == GraphTask::marginal_map;
  if (request.k_best && request.task != GraphTask::map && !marginal) {
    throw UsageError("--k-best is for --task map and marginal-map");
  }
  if (marginal && !values.given("over")) {
    throw UsageError(
        "--task marginal-map needs --over A,B,…: the variables whose best states are looked for");
  }
  if (!marginal && values.given("over")) throw UsageError("--over is for --task marginal-map");
  if (request.k_best && values.text("to") == "uai") {
    throw UsageError("--to uai has one assignment; take table, or --json");
  }
  if (request.samples && request.task != GraphTask::sample) {
    throw UsageError("--samples is for --task sample");
  }
  if (request.task == GraphTask::sample && values.text("to") == "uai") {
    throw UsageError("--to uai has no samples; take table, or --json");
  }
  if (values.text("to") == "csv" && request.task != GraphTask::sample) {
    throw UsageError("--to csv is for --task sample");
  }
  return request;
}

std::optional<GraphFormat> format_of(const OptionValues& values) {
  if (!values.given("format")) return std::nullopt;
  return graph_format(std::string(values.text("format")));
}

GraphFile asked_graph(const OptionValues& values) {
  const std::string path(values.text("GRAPH"));
  if (!bugs::is_program_file(path)) {
    if (values.given("data")) throw UsageError("--data is for BUGS models (.bug, .jags)");
    GraphFile file = read_graph(path, format_of(values));
    warn_of(file.notes);
    return file;
  }
  if (values.given("format")) {
    throw UsageError("--format is for files of graphs, and ", in_quotes(path),
                     " is a BUGS model by its extension");
  }
  return bugs::read_model_graph(path, values.list("data"));
}

int answer_all(InferCommand& c) {
  if (c.values.given("stream")) {
    answer_stream(c.values, asked_graph(c.values));
    return interruption ? kInterrupted : kDone;
  }
  const bool numbers = asks_numbers(c);
  const GraphFile file = unrolled_as_asked(c.values, asked_graph(c.values));
  Findings known{Evidence(file.graph.variables(), kUnobserved), {}};
  Evidence& evidence = known.states;
  if (c.values.given("evidence")) {
    evidence = read_uai_evidence(LineReader(c.text("evidence")), file.graph);
  }
  for (const std::string& each : c.values.list("observe")) {
    if (const auto soft = soft_finding(file, each)) {
      known.soft.push_back(*soft);
    } else {
      observe(file, each, evidence);
    }
  }
  if (c.values.given("over")) c.request.over = find_variables(file, c.text("over"));
  write_files(c, file, evidence);
  answer_shape(c, file, evidence);
  if (asks_question(c.values)) {
    answer_questions(c.values, file, with_findings(file.graph, known.soft), known, c.request,
                     calls_of(c));
  }
  if (numbers) answer(c, file, known);
  return interruption ? kInterrupted : kDone;
}

int run_infer(const OptionValues& values) {
  InferCommand c{values, read_request(values)};
  try {
    return answer_all(c);
  } catch (const std::bad_alloc&) {
    throw Error(
        "out of memory: the graph, or what this method keeps for each state of a variable, is "
        "too large; another --method may take less");
  }
}

OptionTables infer_options() {
  return {graph_options(), number_options(),    question_options(),
          slice_options(), inference_options(), common_options()};
}

std::string infer_footer() {
  return "\nMethods by task:\n" + list_infer_methods() + "\nMethods and their settings:\n" +
         describe_infer_methods() + kInferFooter;
}

}  // namespace

const Verb kInfer = {.name = "infer",
                     .summary = "Inference on a given factor graph",
                     .options = infer_options,
                     .footer = infer_footer,
                     .run = run_infer};

}  // namespace croft::cli
