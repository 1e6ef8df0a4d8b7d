// croft infer
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <new>

#include "app/infer/graph_picture.h"
#include "app/infer/graph_view.h"
#include "cli/common.h"
#include "core/atomic_file.h"
#include "croft/app/infer.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/json.h"
#include "croft/data/bif.h"
#include "croft/data/uai.h"

namespace croft::cli {
namespace {

constexpr const char* kFooter = R"(
Example:
  croft infer asia.bif --observe "smoke=yes" --task marginals
  croft infer grid.uai --evidence grid.uai.evid --output uai
  croft infer grid.uai --task map --time 10 --json
  croft infer asia.bif --picture asia.svg --save asia.uai
  croft infer asia.bif --independent "smoke;xray|lung"

docs/infer.md explains tasks, methods and every field of --json.)";

struct InferCommand {
  std::string graph, format, evidence, task, memory, picture, save, independent, blanket;
  std::string output = "table";
  std::vector<std::string> observe, settings;
  InferRequest request;
  double tolerance = 0, seconds = 0;
  std::size_t max_iterations = 0, samples = 1;
  bool json = false, quiet = false;
  CommonOptions common;
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

std::string picture_of(const std::string& path, const GraphFile& file, const Evidence& evidence) {
  if (ends_with(path, ".dot")) return graph_dot(file, evidence);
  if (ends_with(path, ".svg")) return graph_svg(file, evidence);
  throw UsageError("--picture " + in_quotes(path) + " ends in neither .dot nor .svg");
}

std::string saved(const std::string& path, const GraphFile& file) {
  if (ends_with(path, ".uai")) return write_uai(file);
  if (ends_with(path, ".lg") || ends_with(path, ".LG")) return write_lg(file);
  if (ends_with(path, ".bif")) return write_bif(file);
  throw UsageError("--save " + in_quotes(path) + " ends in neither .uai, .LG nor .bif");
}

void write_file(const std::string& option, const std::string& path, const InferCommand& c,
                const std::string& content) {
  for (const std::string& input : {c.graph, c.evidence}) {
    std::error_code none;
    if (!input.empty() && (input == path || std::filesystem::equivalent(input, path, none))) {
      throw UsageError(option + " " + path + " would replace the input " + input +
                       "; give another name");
    }
  }
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void answer(const InferCommand& c, const GraphFile& file, const Evidence& evidence) {
  InferCalls calls;
  if (!c.quiet) {
    calls.plan = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  }
  calls.progress = InferProgress(c.quiet);
  const InferResult result = infer(file.graph, evidence, c.request, calls);
  if (c.json) {
    write_json(to_json(result, file));
  } else {
    write_result(c.output == "uai" ? format_uai(result) : format_table(result, file));
  }
}

// Whether the numbers are asked for: a picture, another format or a question to the shape are not,
// unless there is a task, too.  UsageError for an option that is then ignored.
bool asks_numbers(const InferCommand& c, const CLI::App& verb) {
  const bool others =
      !c.independent.empty() || !c.blanket.empty() || !c.picture.empty() || !c.save.empty();
  if (!c.task.empty() || !others) return true;
  for (const char* option : {"--method", "--memory", "--time", "--tolerance", "--max-iterations",
                             "--set", "--samples", "--output"}) {
    if (verb.count(option) == 0) continue;
    throw UsageError(std::string(option) +
                     " is for inference, which --picture, --save, --independent and --blanket do "
                     "not need; give --task, too, or leave it out");
  }
  return false;
}

// What needs no numbers.
void answer_shape(const InferCommand& c, const GraphFile& file, const Evidence& evidence) {
  if (!c.independent.empty()) {
    const IndependenceAnswer found = ask_independence(file, c.independent, evidence);
    if (c.json) {
      write_json(to_json(found, file));
    } else {
      write_result(format_answer(found, file));
    }
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

int run(InferCommand& c, const CLI::App& verb) {
  c.request.task = graph_task(c.task.empty() ? "partition" : c.task);
  if (!c.memory.empty()) c.request.memory = read_memory(c.memory);
  if (verb.count("--tolerance") > 0) c.request.tolerance = c.tolerance;
  if (verb.count("--time") > 0) c.request.seconds = c.seconds;
  if (verb.count("--max-iterations") > 0) c.request.max_iterations = c.max_iterations;
  if (verb.count("--samples") > 0) {
    if (c.request.task != GraphTask::sample) throw UsageError("--samples is for --task sample");
    c.request.samples = c.samples;
  }
  if (c.request.task == GraphTask::sample && c.output == "uai") {
    throw UsageError("--output uai has no samples; take table, or --json");
  }
  for (const std::string& each : c.settings) {
    const std::size_t equal = each.find('=');
    if (equal == each.npos) {
      throw UsageError("--set takes NAME=VALUE, not " + in_quotes(each));
    }
    c.request.settings.emplace_back(each.substr(0, equal), each.substr(equal + 1));
  }
  const bool numbers = asks_numbers(c, verb);
  c.request.seed = c.common.seed;
  c.request.threads = c.common.threads;
  const GraphFile file =
      read_graph(c.graph, c.format.empty() ? std::nullopt : std::optional(graph_format(c.format)));
  Evidence evidence(file.graph.variables(), kUnobserved);
  if (!c.evidence.empty()) evidence = read_uai_evidence(LineReader(c.evidence), file.graph);
  for (const std::string& each : c.observe) observe(file, each, evidence);
  if (!c.picture.empty())
    write_file("--picture", c.picture, c, picture_of(c.picture, file, evidence));
  if (!c.save.empty()) write_file("--save", c.save, c, saved(c.save, file));
  answer_shape(c, file, evidence);
  if (numbers) answer(c, file, evidence);
  return interruption ? kInterrupted : kDone;
}

}  // namespace

void add_infer(Program& program) {
  CLI::App* verb = program.app.add_subcommand("infer", "Inference on a given factor graph");
  auto c = std::make_shared<InferCommand>();
  verb->add_option("GRAPH", c->graph, "Factor graph: UAI, LG, libDAI's .fg or BIF")->required();
  verb->add_option("--format", c->format,
                   "uai, lg, fg or bif; without: by the extension, else by the first word")
      ->option_text("FORMAT");
  verb->add_option("--evidence", c->evidence, "What is observed, in UAI's format (.evid)")
      ->option_text("FILE");
  verb->add_option("--observe", c->observe,
                   "VARIABLE=STATE, by name or number; may be given several times")
      ->allow_extra_args(false)
      ->option_text("V=S ...");
  verb->add_option("--task", c->task, "partition (default), marginals, map or sample")
      ->option_text("TASK");
  verb->add_option("--method", c->request.method, "How; the methods of each task are listed below")
      ->capture_default_str()
      ->option_text("METHOD");
  verb->add_option(
          "--memory", c->memory,
          "What a method may take that predicts it, such as 4G; without: half of the machine's")
      ->option_text("LIMIT");
  verb->add_option("--time", c->seconds, "Stop after so many seconds, with what is there")
      ->transform(finite_number(0))
      ->option_text("SECONDS");
  verb->add_option("--tolerance", c->tolerance, "Of iterations: end at a change below this")
      ->transform(finite_number(0))
      ->option_text("X");
  verb->add_option("--max-iterations", c->max_iterations, "Of iterations: end after so many")
      ->transform(whole_number(1))
      ->option_text("N");
  verb->add_option("--set", c->settings,
                   "A setting of the method, as listed below; may be given several times")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE ...");
  verb->add_option("--samples", c->samples, "How many assignments --task sample draws")
      ->transform(whole_number(1))
      ->capture_default_str();
  CLI::Option* output = verb->add_option("--output", c->output, "table or uai")
                            ->check(CLI::IsMember({"table", "uai"}))
                            ->capture_default_str();
  verb->add_flag("--json", c->json, "One JSON document")->excludes(output);
  CLI::Option* task = verb->get_option("--task");
  CLI::Option* independent =
      verb->add_option("--independent", c->independent,
                       "\"A;B|C\": is A independent of B given C (and what is observed)? By the "
                       "shape of the graph alone; commas within a set")
          ->excludes(task)
          ->option_text("QUESTION");
  verb->add_option("--blanket", c->blanket,
                   "The Markov blanket of a variable: given it, the rest does not matter")
      ->excludes(task)
      ->excludes(independent)
      ->option_text("VARIABLE");
  verb->add_option("--picture", c->picture,
                   "Draw the graph in this file, .svg or .dot; without --task: only that")
      ->option_text("FILE");
  verb->add_option("--save", c->save,
                   "Write the graph in the format of this file, .uai, .LG or .bif; likewise")
      ->option_text("FILE");
  verb->add_flag("--quiet", c->quiet, "No progress on stderr");
  add_common(*verb, c->common);
  verb->footer("\nMethods by task:\n" + list_infer_methods() + "\nMethods and their settings:\n" +
               describe_infer_methods() + kFooter);
  verb->callback([c, verb, &program] {
    try {
      program.status = run(*c, *verb);
    } catch (const std::bad_alloc&) {
      throw Error(
          "out of memory: the graph, or what this method keeps for each state of a variable, is "
          "too large; another --method may take less");
    }
  });
}

}  // namespace croft::cli
