// What a model's calibration does to the scores of rows, of estimators that compute their own.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "model/calibration.h"

namespace croft::python {

// In place: scores [N][L] become those whose softmax is the calibrated p(y | x).  O(N L).
inline void calibrate_rows(const Calibrator& calibrator, std::size_t labels,
                           std::span<double> scores) {
  std::vector<double> scratch;
  for (std::size_t begin = 0; begin + labels <= scores.size(); begin += labels) {
    const std::span<double> row = scores.subspan(begin, labels);
    if (calibrator.by_label()) {
      calibrator.apply(row, scratch);
    } else {
      for (double& score : row) score /= calibrator.temperature;
    }
  }
}

}  // namespace croft::python
