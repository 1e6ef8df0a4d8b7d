// croft calibrate
#include "app/evaluate/calibrate.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/common.h"
#include "core/json.h"

#include "cli/model_options.h"
#include "cli/verb.h"
#include "train/options/training_options.h"

namespace croft::cli {
namespace {

constexpr const char* kCalibrateFooter = R"(
Example:
  croft calibrate -m m.croft --method temperature heldout.tsv -o calibrated.croft
  croft predict -m calibrated.croft --marginals new.tsv
  croft evaluate -m calibrated.croft --reliability after.svg test.tsv

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
      data_row("Labelled data that the model was not trained on; without: standard input"),
      file("output", "FILE", "Model file to write").short_as('o').needed(),
      choice("method", "METHOD=temperature", {"temperature", "platt", "isotonic"},
             "temperature, platt or isotonic"),
      json_row("One JSON document instead of a table"),
  });
  return kRows;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json report_json(const CalibrateReport& report) {
  const auto of = [](const EvaluationSummary& s) {
    return Json{{"log_loss", finite_or_null(s.log_loss->per_token())},
                {"accuracy", s.token_accuracy()},
                {"brier", s.brier ? Json(*s.brier) : Json()},
                {"expected_calibration_error",
                 s.calibration ? Json(s.calibration->expected_error) : Json()}};
  };
  Json document = {{"method", calibration_name(report.calibrator.method)},
                   {"sequences", report.sequences},
                   {"positions", report.positions},
                   {"unknown_labels", report.unknown},
                   {"impossible_sequences", report.impossible},
                   {"before", of(report.before)},
                   {"after", of(report.after)},
                   {"warnings", report.warnings}};
  if (!report.calibrator.by_label()) document["temperature"] = report.calibrator.temperature;
  return document;
}

std::string report_text(const CalibrateReport& report) {
  std::string out = fmt::format(
      "{}{}, fitted to {} sequences, {} positions\n", calibration_name(report.calibrator.method),
      report.calibrator.by_label() ? std::string()
                                   : fmt::format(" {:.6g}", report.calibrator.temperature),
      report.sequences, report.positions);
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
  row("log-loss (nats a position)", b.log_loss->per_token(), a.log_loss->per_token(), 6);
  if (b.brier && a.brier) row("Brier", *b.brier, *a.brier, 6);
  if (b.calibration && a.calibration) {
    row("expected calibration error %", 100 * b.calibration->expected_error,
        100 * a.calibration->expected_error, 2);
  }
  row("accuracy %", 100 * b.token_accuracy(), 100 * a.token_accuracy(), 2);
  return out;
}

int run_calibrate(const OptionValues& values) {
  CalibrateRequest request;
  values.read("model", request.model);
  values.read("DATA", request.data);
  values.read("output", request.output);
  values.choose(
      "method",
      {CalibrationMethod::temperature, CalibrationMethod::platt, CalibrationMethod::isotonic},
      request.method);
  ThreadPool pool(common_of(values).threads);
  const CalibrateReport report = calibrate_model(request, pool);
  for (const std::string& warning : report.warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  write_answer(
      values.flag("json"), [&] { return report_json(report); },
      [&] { return report_text(report); });
  return kDone;
}

}  // namespace

const Verb kCalibrate = {
    .name = "calibrate",
    .summary = "Make a model's probabilities mean what they say, on held-out data",
    .options = [] { return tables(calibration_options(), common_options()); },
    .footer = [] { return std::string(kCalibrateFooter); },
    .run = run_calibrate};

}  // namespace croft::cli
