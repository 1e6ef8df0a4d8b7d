#include "cli/inspect_graph.h"

#include <filesystem>

#include "app/infer/graph_picture.h"
#include "core/atomic_file.h"
#include "croft/core/error.h"
#include "sql/graph_sample.h"

namespace croft::cli {

void add_graph_inspect_options(CLI::App& verb, GraphInspectCommand& c) {
  CLI::Option* picture =
      verb.add_option("--picture", c.picture,
                      "Draw a part of the graph of --database: .svg, or .dot for Graphviz")
          ->option_text("FILE")
          ->group(kGraphGroup);
  CLI::Option* database =
      verb.add_option("--database", c.databases, "A file of SQLite, or files NAME.csv, NAME.tsv")
          ->option_text("FILE")
          ->allow_extra_args(false)
          ->needs(picture)
          ->group(kGraphGroup);
  picture->needs(database);
  verb.add_option("--spec", c.spec, "TOML as in training, with other queries for other tables")
      ->option_text("FILE")
      ->needs(picture)
      ->group(kGraphGroup);
  verb.add_option("--variables", c.variables, "How many variables the picture has at most")
      ->transform(whole_number(1, 1000))
      ->needs(picture)
      ->option_text("N=40")
      ->group(kGraphGroup);
}

bool is_picture(const GraphInspectCommand& c) { return !c.picture.empty(); }

int draw_graph_sample(const GraphInspectCommand& c, const GraphModel& model,
                      const std::string& path) {
  const bool svg = c.picture.ends_with(".svg");
  if (!svg && !c.picture.ends_with(".dot")) {
    throw UsageError("--picture " + in_quotes(c.picture) + " ends in neither .dot nor .svg");
  }
  std::vector<std::string> inputs = c.databases;
  inputs.insert(inputs.end(), {path, c.spec});
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!input.empty() &&
        (input == c.picture || std::filesystem::equivalent(input, c.picture, none))) {
      throw UsageError("--picture " + c.picture + " would replace the input " + input +
                       "; give another name");
    }
  }
  AtomicFile file(c.picture);
  handle_interrupts();
  GraphLabelCommand from;
  from.databases = c.databases;
  from.spec = c.spec;
  GraphTables tables = read_graph_tables(from, model, path, LabelUse::known);
  const GraphSample sample = sample_graph(tables, c.variables);
  file.write(svg ? graph_svg(sample.file, sample.known) : graph_dot(sample.file, sample.known));
  file.commit();
  std::fprintf(stderr, "drew %zu of %zu variables; those with a label are grey\n",
               sample.file.graph.variables(), tables.variables().size());
  return kDone;
}

}  // namespace croft::cli
