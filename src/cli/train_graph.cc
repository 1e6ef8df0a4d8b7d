#include "cli/train_graph.h"

#include <fmt/format.h>

#include <array>

#include "cli/em_progress.h"
#include "cli/progress.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "data/parse_number.h"
#include "sql/train_graph.h"

namespace croft::cli {
namespace {

constexpr std::size_t kShared = 34;
constexpr std::array<std::string_view, 41> kUsed = {
    "help", "model", "output", "features", "min-count", "objective", "optimizer", "cost", "l1",
    "l2", "max-iterations", "tolerance", "window", "gradient-tolerance", "target", "history",
    "step", "schedule", "batch", "sgd-passes", "average-from", "gap", "checkpoint", "resume",
    "checkpoint-interval", "log", "quiet", "threads", "seed", "starts", "em-iterations", "init",
    "prior", "variances",
    // those of no other kind
    "spec", "database", "memory", "inference-iterations", "damping", "search", "pairs"};

std::string joined_searches() {
  std::string list;
  for (const std::string_view each : graph_search_names()) {
    list += (list.empty() ? "" : ", ") + std::string(each);
  }
  return list;
}

std::string text_of(const GraphTrainData& d) {
  std::string text = fmt::format(
      "{} variables in {} instances, {} cliques of {} templates, {} "
      "features",
      d.variables, d.instances, d.cliques, d.templates, d.features);
  if (d.hidden > 0) text += fmt::format("; {} variables without a label", d.hidden);
  return text;
}

// Where many runs end early the objective has no derivative to follow.
void warn_of_inference(const GraphFindings& found, const GraphTrainOptions& options) {
  if (found.not_converged == 0) return;
  if (searches(options.objective)) {
    fmt::print(
        stderr,
        "warning: the labelling that the search found was not proven to be the best in {} of "
        "{} runs during training, in {} of the last evaluation, and learning may be misled; "
        "try --search junction-tree or trw-s, or another objective, such as "
        "pseudolikelihood\n",
        found.not_converged, found.inferences, found.last_not_converged);
    return;
  }
  std::string remedy = "try --damping 0.5";
  if (options.inference.max_iterations) remedy += ", more --inference-iterations";
  fmt::print(stderr,
             "warning: inference has not converged in {} of {} runs during training, in {} of the "
             "last evaluation; {}, or another objective, such as pseudolikelihood or piecewise\n",
             found.not_converged, found.inferences, found.last_not_converged, remedy);
}

GraphTrainRequest make_request(const CLI::App& verb, const GraphTrainCommand& c,
                               const TrainRequest& shared, const TrainingNames& names) {
  if (c.spec.empty()) throw UsageError("--model graph needs --spec, which declares the graph");
  if (c.databases.empty()) throw UsageError("--model graph needs --database");
  GraphTrainRequest request;
  request.spec = c.spec;
  request.databases = c.databases;
  request.output = shared.output;
  request.l2 = shared.l2;
  request.tolerance = shared.tolerance;
  request.gradient_tolerance = shared.gradient_tolerance;
  request.max_iterations = shared.max_iterations;
  request.window = shared.window;
  request.init = shared.init;
  request.prior = shared.prior;
  request.variances = shared.variances;
  request.checkpoint = shared.checkpoint;
  request.resume = shared.resume;
  request.checkpoint_interval = shared.checkpoint_interval;
  GraphTrainOptions& o = request.options;
  o.features = shared.features.value_or(FeatureSet::all);
  o.min_count = shared.options.min_count;
  o.objective = objective_named(names.objective, Structure::graph);
  if (!names.optimizer.empty()) o.method = method_named(names.optimizer);
  o.settings = shared.options.settings;
  o.settings.schedule = step_schedule(names);
  o.regulariser = shared.options.regulariser;
  o.stop = shared.options.stop;
  o.seed = shared.seed;
  o.threads = shared.options.threads;
  if (!c.memory.empty()) o.inference.memory = read_memory(c.memory);
  o.inference.max_iterations = c.inference_iterations;
  o.inference.damping = c.damping;
  if (!c.search.empty()) o.inference.search = c.search;
  if (c.pairs) o.inference.pairs = true;
  if (!shared.cost.empty()) {
    double cost = 0;
    if (parse_number(shared.cost, cost) != NumberKind::finite || cost < 0) {
      throw UsageError("--cost " + shared.cost + " of a graph is a number from 0 on");
    }
    o.inference.cost = cost;
  }
  const CLI::Option* starts = verb.get_option_no_throw("--starts");
  if (starts != nullptr && starts->count() > 0) o.starts = starts->as<std::size_t>();
  const CLI::Option* em = verb.get_option_no_throw("--em-iterations");
  if (em != nullptr && em->count() > 0) {
    if (request.max_iterations) {
      throw UsageError("--em-iterations and --max-iterations are both of EM: leave out one");
    }
    o.em.emplace();
    request.max_iterations = em->as<std::size_t>();
    if (*request.max_iterations == 0) throw UsageError("--em-iterations of a graph is 1 or more");
  }
  return with_defaults(request);
}

}  // namespace

void add_graph_train_options(CLI::App& verb, GraphTrainCommand& c) {
  constexpr const char* kGroup = "Graphs from tables (--model graph)";
  verb.add_option("--spec", c.spec,
                  "TOML: queries for variables and cliques; see docs/graphs_from_tables.md")
      ->option_text("FILE")
      ->group(kGroup);
  verb.add_option(
          "--database", c.databases,
          "A file of SQLite; or files NAME.csv, NAME.tsv, each a table NAME (give the option "
          "several times)")
      ->option_text("FILE")
      ->allow_extra_args(false)
      ->group(kGroup);
  verb.add_option("--memory", c.memory,
                  "What junction trees may take: a number with K, M, G or T (powers of 1024)")
      ->option_text("SIZE=8G")
      ->group(kGroup);
  verb.add_option("--inference-iterations", c.inference_iterations,
                  "Iterations of inference in each evaluation, where it iterates")
      ->transform(whole_number(1))
      ->option_text("N")
      ->group(kGroup);
  verb.add_option("--damping", c.damping, "Share of the old message in the new one, in [0, 1)")
      ->transform(finite_number(0))
      ->option_text("NUMBER=0")
      ->group(kGroup);
  verb.add_option("--search", c.search,
                  "How perceptron and max-margin find the best labelling: " + joined_searches())
      ->option_text("SEARCH=auto")
      ->group(kGroup);
  verb.add_flag("--pairs", c.pairs,
                "sample-rank: proposals that change two neighbouring variables at once, too")
      ->group(kGroup);
}

std::span<const std::string_view> graph_option_names() { return kUsed; }
std::span<const std::string_view> graph_only_option_names() {
  return std::span(kUsed).subspan(kShared);
}

std::string graph_objective_help() {
  std::string text = "\nObjectives of --model graph (and their optimizer by default):\n";
  for (const ObjectiveInfo& each : objective_table(Structure::graph)) {
    // A long name has a line of its own.
    const std::string_view gap = each.name.size() < 20 ? "" : "\n                      ";
    text += fmt::format("  {:<20}{}{} ({})\n", each.name, gap, each.summary,
                        info(each.by_default).name);
  }
  text += fmt::format(
      "With {} instances or more lbfgs comes after passes of SGD, as sgd-lbfgs, unless "
      "labels are hidden or --init or --prior is given.\n",
      GraphTrainOptions::kManyInstances);
  return text;
}

int run_graph_training(const CLI::App& verb, const GraphTrainCommand& c, const TrainRequest& shared,
                       const TrainingNames& names, const std::string& log, bool quiet) {
  const GraphTrainRequest request = make_request(verb, c, shared, names);
  check_log_against(log, c.spec);
  for (const std::string& each : c.databases) check_log_against(log, each);
  handle_interrupts();
  TrainOptions shown;  // what the progress looks at
  shown.stop = request.options.stop;
  shown.regulariser = request.options.regulariser;
  TrainingProgress progress(shown, log, quiet);
  const GraphTrainWatcher watcher{
      .data_read = [&](const GraphTrainData& data) { progress.data_read(text_of(data)); },
      .reading =
          [&](std::size_t variables, std::size_t cliques) {
            progress.reading(fmt::format("{} variables, {} cliques", variables, cliques));
          },
      .iteration =
          [&](const TrainProgress& now) {
            progress.iteration(now);
            return !interruption;
          }};
  const GraphTrainResult result = train_graph_model(request, watcher);
  TrainResult shown_result;
  shown_result.optimization = result.optimization;
  shown_result.dimension = result.dimension;
  shown_result.active = result.active;
  progress.done(shown_result, shared.output);
  warn_of_inference(result.findings, request.options);
  return interruption ? kInterrupted : kDone;
}

}  // namespace croft::cli
