#include "cli/graph_labels.h"

#include <algorithm>
#include <array>

#include "croft/core/error.h"
#include "model/kinds/graph_model.h"

namespace croft::cli {
namespace {

constexpr std::array<std::string_view, 6> kOnly = {
    "database", "spec", "method", "search", "inference-iterations", "memory"};

bool is_in(std::span<const std::string_view> names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::span<const std::string_view> graph_label_option_names() { return kOnly; }

void add_graph_label_options(CLI::App& verb, GraphLabelCommand& c) {
  verb.add_option("--database", c.databases,
                  "The variables: a file of SQLite, or files NAME.csv, NAME.tsv, each a table NAME "
                  "(give the option several times)")
      ->option_text("FILE")
      ->allow_extra_args(false)
      ->group(kGraphGroup);
  verb.add_option("--spec", c.spec, "TOML as in training, with other queries for other tables")
      ->option_text("FILE")
      ->group(kGraphGroup);
  verb.add_option("--method", c.method, "Inference for probabilities; see croft infer --help")
      ->option_text("METHOD=auto")
      ->group(kGraphGroup);
  verb.add_option("--search", c.search, "Search for the best labelling; see croft infer --help")
      ->option_text("METHOD=auto")
      ->group(kGraphGroup);
  verb.add_option("--inference-iterations", c.max_iterations, "Of inference, where it iterates")
      ->transform(whole_number(1))
      ->option_text("N")
      ->group(kGraphGroup);
  verb.add_option("--memory", c.memory,
                  "What inference may take: a number with K, M, G or T (powers of 1024); without: "
                  "half of the machine's")
      ->option_text("SIZE")
      ->group(kGraphGroup);
}

bool is_graph_model(const std::string& path) { return GraphModel::is_in(Container::open(path)); }

void check_graph_options(const CLI::App& verb, bool graph, std::span<const std::string_view> shared,
                         std::span<const std::string_view> only) {
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0) continue;
    const std::string name =
        option->get_lnames().empty() ? option->get_name() : option->get_lnames().front();
    const bool graphs_alone = is_in(kOnly, name) || is_in(only, name);
    if (!graph && graphs_alone) {
      throw UsageError("--" + name + " is for a model of kind graph, which this is not");
    }
    if (!graph || graphs_alone || is_in(shared, name)) continue;
    if (name == "DATA") {
      throw UsageError("a model of kind graph reads --database: leave out " +
                       option->results().front());
    }
    throw UsageError("--" + name + " has no meaning for a model of kind graph; leave it out");
  }
}

GraphLabelOptions graph_label_options(const GraphLabelCommand& c, GraphDecode decode,
                                      const CommonOptions& common) {
  if (c.databases.empty()) throw UsageError("a model of kind graph needs --database");
  if (decode == GraphDecode::marginal && !c.search.empty()) {
    throw UsageError("--search is for --decode best; --decode marginal goes by --method");
  }
  GraphLabelOptions options;
  options.decode = decode;
  if (!c.method.empty()) options.method = c.method;
  if (!c.search.empty()) options.search = c.search;
  if (!c.memory.empty()) options.memory = read_memory(c.memory);
  options.max_iterations = c.max_iterations;
  options.seed = common.seed;
  options.threads = common.threads;
  return options;
}

GraphTables read_graph_tables(const GraphLabelCommand& c, const GraphModel& model,
                              const std::string& path, LabelUse use) {
  GraphSpec spec = graph_spec_from(model.source(), path);
  if (!c.spec.empty()) spec = with_queries_of(spec, GraphSpec::read(c.spec));
  const Database database = Database::open(c.databases);
  return GraphTables::read(database, std::move(spec), model, use);
}

void warn_of(const GraphLabels& labels, std::size_t instances) {
  const auto tell = [&](const char* what, std::size_t count) {
    if (count > 0) std::fprintf(stderr, "%s in %zu of %zu instances\n", what, count, instances);
  };
  tell("note: probabilities are estimates", labels.estimated);
  tell("note: the labelling may not be the most probable one", labels.not_proved);
  tell("warning: inference has not converged", labels.not_converged);
}

}  // namespace croft::cli
