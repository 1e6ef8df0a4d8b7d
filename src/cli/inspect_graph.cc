// croft inspect --picture
#include <array>
#include <filesystem>

#include "app/infer/graph_picture.h"
#include "cli/graph_verbs.h"
#include "core/atomic_file.h"
#include "croft/core/error.h"
#include "sql/graph_sample.h"
#include "train/options/training_options.h"

namespace croft::cli {

std::span<const OptionRow> graph_inspect_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      file("picture", "FILE", "Draw a part of the graph of --database: .svg, or .dot for Graphviz")
          .of(kGraphBit)
          .in(kGraphGroup)
          .beside("database"),
      database_row("A file of SQLite, or files NAME.csv, NAME.tsv").beside("picture"),
      spec_row().beside("picture"),
      whole("variables", "N=40", "How many variables the picture has at most")
          .at_first("40")
          .between(1, 1000)
          .of(kGraphBit)
          .in(kGraphGroup)
          .beside("picture"),
  });
  return kRows;
}

int draw_graph_sample(const OptionValues& values, const GraphModel& model) {
  const std::string path(values.text("model")), picture(values.text("picture"));
  const bool svg = picture.ends_with(".svg");
  if (!svg && !picture.ends_with(".dot")) {
    throw UsageError("--picture ", in_quotes(picture), " ends in neither .dot nor .svg");
  }
  std::vector<std::string> inputs = values.list("database");
  inputs.insert(inputs.end(), {path, std::string(values.text("spec"))});
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!input.empty() && (input == picture || std::filesystem::equivalent(input, picture, none))) {
      throw UsageError("--picture ", picture, " would replace the input ", input,
                       "; give another name");
    }
  }
  AtomicFile file(picture);
  handle_interrupts();
  GraphTables tables = read_graph_tables(values, model, path, LabelUse::known);
  std::size_t variables = 0;
  values.read("variables", variables);
  const GraphSample sample = sample_graph(tables, variables);
  file.write(svg ? graph_svg(sample.file, sample.known) : graph_dot(sample.file, sample.known));
  file.commit();
  std::fprintf(stderr, "drew %zu of %zu variables; those with a label are grey\n",
               sample.file.graph.variables(), tables.variables().size());
  return kDone;
}

}  // namespace croft::cli
