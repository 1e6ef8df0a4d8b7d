// croft calibrate
#include "app/evaluate/calibrate.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/common.h"
#include "core/json.h"

#include "app/evaluate/calibrate_graph.h"
#include "app/file_checks.h"
#include "cli/graph_verbs.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "core/files.h"
#include "croft/core/error.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kCalibrateFooter = R"(
Example:
  croft calibrate -m m.croft --method temperature heldout.tsv -o calibrated.croft
  croft predict -m calibrated.croft --marginals new.tsv
  croft evaluate -m calibrated.croft --reliability after.svg test.tsv
  croft calibrate -m graph.croft --database heldout.sqlite -o calibrated.croft

temperature and platt minimise the log-loss of what they are fitted to, isotonic squared errors;
other figures may get worse, and a warning then says so.  temperature divides all scores of a model
of any kind by one number; platt and isotonic give each label of a model of kind maxent or
naive-bayes a curve of its own, and may choose other labels.  DATA must be data that the model was
not trained on: there it is surer of itself than elsewhere, and a calibration would make it surer
still.  docs/evaluation.md, docs/math/calibration.md.)";

std::span<const OptionRow> calibration_options() {
  using namespace option;
  static const auto kRows = std::to_array<OptionRow>({
      model_row(),
      data_row("Labelled data that the model was not trained on, in the form of its training data; "
               "without: standard input")
          .of(kSequenceModels),
      file("output", "FILE", "Model file to write").written_as("the model ").short_as('o').needed(),
      choice("method", "METHOD=temperature", {"temperature", "platt", "isotonic"},
             "temperature, platt or isotonic"),
      json_row("One JSON document instead of a table"),
      database_row(
          "The variables, with labels, of a model of kind graph: a file of SQLite, or files "
          "NAME.csv, NAME.tsv"),
      spec_row(),
      query_seconds_row().of(kGraphBit).in(kGraphGroup),
      query_memory_row().of(kGraphBit).in(kGraphGroup),
      option::size("memory", "SIZE",
                   "What a junction tree may take: a number with K, M, G or T (powers of 1024); "
                   "without: 1 GB; belief propagation estimates the rest")
          .of(kGraphBit)
          .in(kGraphGroup),
  });
  return kRows;
}

std::string report_text(const CalibrateReport& report) {
  std::string out = fmt::format(
      "{}{}, fitted to {} {}s, {} {}s\n", calibration_name(report.calibrator.method),
      report.calibrator.by_label() ? std::string()
                                   : fmt::format(" {:.6g}", report.calibrator.temperature),
      report.sequences, report.sequence, report.positions, report.position);
  if (report.unknown > 0) {
    out += fmt::format("left out: {} with a label that the model does not know\n", report.unknown);
  }
  if (report.impossible > 0) {
    out +=
        fmt::format("left out: {} whose labels the model gives probability 0\n", report.impossible);
  }
  out += fmt::format("\n{:<28}{:>10}{:>10}\n", "on what it was fitted to", "before", "after");
  const auto row = [&](const char* name, double before, double after, int digits) {
    out += fmt::format("{:<28}{:>10.{}f}{:>10.{}f}\n", name, before, digits, after, digits);
  };
  const EvaluationSummary &b = report.before, &a = report.after;
  row(fmt::format("log-loss (nats a {})", report.position).c_str(), b.log_loss->per_token(),
      a.log_loss->per_token(), 6);
  if (b.brier && a.brier) row("Brier", *b.brier, *a.brier, 6);
  if (b.calibration && a.calibration) {
    row("expected calibration error %", 100 * b.calibration->expected_error,
        100 * a.calibration->expected_error, 2);
  }
  row("accuracy %", 100 * b.token_accuracy(), 100 * a.token_accuracy(), 2);
  return out;
}

void write_report(const OptionValues& values, const CalibrateReport& report) {
  for (const std::string& warning : report.warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  write_answer(
      values.flag("json"), [&] { return to_json(report); }, [&] { return report_text(report); });
}

int calibrate_graph_model(const OptionValues& values) {
  check_kind_options(values, kGraphBit);
  if (values.given("method") && values.text("method") != "temperature") {
    throw UsageError("--method ", values.text("method"),
                     " calibrates each label by itself, and a model of kind graph labels instances "
                     "as a whole; take --method temperature");
  }
  if (!values.given("database")) throw UsageError("a model of kind graph needs --database");
  const std::string path(values.text("model")), output(values.text("output"));
  std::vector<std::string> inputs = values.list("database");
  inputs.insert(inputs.end(), {path, std::string(values.text("spec"))});
  check_files(inputs, output);
  { const AtomicFile attempt{output}; }  // what forbids writing is known before the work
  const auto model = GraphModel::read(path);
  GraphTables tables = read_graph_tables(values, *model, path, LabelUse::rest);
  GraphCalibrateRequest request;
  values.read("memory", request.memory);
  values.read("threads", request.threads);
  values.read("seed", request.seed);
  const CalibratedGraph calibrated =
      calibrate_graph(*model, tables.data(), tables.variables().gold(), request, output);
  calibrated.model.write(output);
  write_report(values, calibrated.report);
  return kDone;
}

int run_calibrate(const OptionValues& values) {
  if (is_graph_model(std::string(values.text("model")))) return calibrate_graph_model(values);
  check_kind_options(values, kSequenceModels);
  CalibrateRequest request;
  values.read("model", request.model);
  values.read("DATA", request.data);
  values.read("output", request.output);
  values.choose(
      "method",
      {CalibrationMethod::temperature, CalibrationMethod::platt, CalibrationMethod::isotonic},
      request.method);
  ThreadPool pool(common_of(values).threads);
  write_report(values, calibrate_model(request, pool));
  return kDone;
}

}  // namespace

const Verb kCalibrate = {
    .name = "calibrate",
    .summary = "Make a model's probabilities mean what they say, on held-out data",
    .options = [] { return tables(calibration_options(), common_options()); },
    .footer = [] { return std::string(kCalibrateFooter); },
    .run = run_calibrate,
    .gives_up = true};

}  // namespace croft::cli
