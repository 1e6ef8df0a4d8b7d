// What predict, evaluate and inspect have in common for models of kind graph.
#pragma once
#include <span>
#include <string>

#include "app/label/label_chooser.h"
#include "app/label/label_graph.h"
#include "cli/common.h"
#include "core/option_row.h"
#include "sql/graph_tables.h"

namespace croft::cli {

inline constexpr const char* kGraphGroup = "Models of kind graph";

OptionRow database_row(std::string_view help);
OptionRow spec_row();
// These, and how labels are found.
std::span<const OptionRow> graph_label_options();

// Whether the file is a model of kind graph; throws Error where it cannot be read.
bool is_graph_model(const std::string& path);

// Throws UsageError for an option that was given and that a model has no use for.
//   kinds : kGraphBit, kBayesNetBit (a network in a file of its own), or kSequenceModels
void check_kind_options(const OptionValues& values, KindSet kinds);

// Throws UsageError for options that do not go together.
GraphLabelOptions read_graph_label_options(const OptionValues& values, GraphDecode decode);
// The rules of --costs and --threshold into the options, which then decode marginals.
//   decoded : whether another way to decode was asked for
void read_graph_decision(const ChoiceRequest& request, const GraphModel& model, bool decoded,
                         GraphLabelOptions& options);
OptionRow use_known_row(std::string_view help);

// The tables of --database, by the model's queries or those of --spec.
//   path : of the model, for messages
GraphTables read_graph_tables(const OptionValues& values, const GraphModel& model,
                              const std::string& path, LabelUse use);

// On stderr, where answers are not exact, or inference has not converged.
void warn_of(const GraphLabels& labels, std::size_t instances);

// The verbs with a model of kind graph; return the exit status.  (inspect: a sample of the graph
// that the database unrolls to, as --picture.)
std::span<const OptionRow> graph_predict_options();
int run_graph_prediction(const OptionValues& values);
std::span<const OptionRow> graph_evaluate_options();
int run_graph_evaluation(const OptionValues& values);
std::span<const OptionRow> graph_explain_options();
int run_graph_explanation(const OptionValues& values);
std::span<const OptionRow> graph_inspect_options();
int draw_graph_sample(const OptionValues& values, const GraphModel& model);

}  // namespace croft::cli
