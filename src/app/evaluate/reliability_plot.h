// A reliability diagram as a picture: how often a model is right, against how sure it was.
#pragma once
#include <string>
#include <string_view>

#include "app/evaluate/evaluation.h"

namespace croft {

// An SVG document of its own, without scripts or outside references: accuracy against mean
// probability for each bin with a prediction, the diagonal, the gaps between the two, and below it
// how many predictions each bin has.  The caption has the expected calibration error, and Brier's
// score and the log-loss where the summary has them.  Requires summary.calibration.
//   title : what was evaluated; any text, escaped here
std::string reliability_svg(const EvaluationSummary& summary, std::string_view title);

}  // namespace croft
