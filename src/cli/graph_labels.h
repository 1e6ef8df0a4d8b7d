// What predict and evaluate have in common for models of kind graph.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common.h"
#include "sql/label_graph.h"

namespace croft::cli {

struct GraphLabelCommand {
  std::vector<std::string> databases;
  std::string spec, method, search, memory;
  std::optional<std::size_t> max_iterations;
};

inline constexpr const char* kGraphGroup = "Models of kind graph";
void add_graph_label_options(CLI::App& verb, GraphLabelCommand& command);
// Their names without dashes.
std::span<const std::string_view> graph_label_option_names();

// Whether the file is a model of kind graph; throws Error where it cannot be read.
bool is_graph_model(const std::string& path);

// Throws UsageError for an option that was given and that graphs have no use for; for other kinds
// (graph: false), for one that only graphs have.
//   shared : names that both have;  only : those of graphs alone, beside graph_label_option_names()
void check_graph_options(const CLI::App& verb, bool graph, std::span<const std::string_view> shared,
                         std::span<const std::string_view> only);

// Throws UsageError for values that are none.
GraphLabelOptions graph_label_options(const GraphLabelCommand& command, GraphDecode decode,
                                      const CommonOptions& common);

// The tables that the command names, by the model's queries or those of --spec.
//   path : of the model, for messages
GraphTables read_graph_tables(const GraphLabelCommand& command, const GraphModel& model,
                              const std::string& path, LabelUse use);

// On stderr, where answers are not exact, or inference has not converged.
void warn_of(const GraphLabels& labels, std::size_t instances);

}  // namespace croft::cli
