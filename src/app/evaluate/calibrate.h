// Probabilities that mean what they say: a model, and labelled data that it was not trained on, to
// the same model with a calibration.  docs/math/calibration.md.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/evaluate/evaluation.h"
#include "croft/core/parallel.h"
#include "model/calibration.h"

namespace croft {
class Json;

struct CalibrateRequest {
  std::string model, output;
  std::vector<std::string> data;  // at least one; "-" is standard input
  CalibrationMethod method = CalibrationMethod::temperature;
};

struct CalibrateReport {
  Calibrator calibrator;
  std::string_view sequence = "sequence", position = "position";  // what they are called
  std::size_t sequences = 0, positions = 0;                       // that it was fitted to
  std::size_t unknown = 0;          // sequences left out for a label that the model does not know
  std::size_t impossible = 0;       // ... for gold labels that the model forbids
  EvaluationSummary before, after;  // on what it was fitted to; before: without a calibration
  // What its user should know: few examples, most of the data left out, a figure that got worse.
  // Each a sentence without a full stop.
  std::vector<std::string> warnings;
};

// What a report says in a model's file, and what its user should know of it, into its warnings.
Json calibration_json(const CalibrateReport& report);
void find_calibration_warnings(CalibrateReport& report);
// T that minimises loss(1/T).  Throws Error, which ends in `remedy`, where no temperature is best.
//   positions : how many the loss is of
double best_temperature(const std::function<double(double inverse)>& loss, std::size_t positions,
                        std::string_view remedy);

// Reads, fits, and writes the model (temporary, sync, rename).  A calibration that the model has is
// replaced.  Memory: the data, and for a temperature its scores.
// Throws UsageError for a method that the model does not go with, a model without probabilities or
// with one label, and an output that would replace an input; InputError for bad data; Error where
// no sequence is left to fit to, or no temperature is best.
CalibrateReport calibrate_model(const CalibrateRequest& request, ThreadPool& pool);

// What `croft calibrate --json` prints.
Json to_json(const CalibrateReport& report);

}  // namespace croft
