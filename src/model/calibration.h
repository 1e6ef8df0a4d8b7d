// From a model's scores to probabilities that mean what they say: a temperature for models of any
// kind, and for those that label each position by itself a curve for each label.
//
// Reads like docs/math/calibration.md; equation numbers (CA.n) point there.  See also Platt (1999),
// Zadrozny & Elkan (2002), Guo et al. (2017).
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "croft/structure/chain.h"
#include "model/file/container.h"

namespace croft {
class Json;

enum class CalibrationMethod { temperature, platt, isotonic };
std::string_view calibration_name(CalibrationMethod method);
CalibrationMethod calibration_method(std::string_view name);  // throws UsageError where it is none

// g(s) = 1 / (1 + exp(-(slope s + offset)))                                               (CA.3)
struct Sigmoid {
  double slope = 1, offset = 0;
};

// Through the points (at[k], value[k]), linear between them, constant beyond the first and the
// last.
struct IsotonicCurve {
  std::vector<double> at;     // increasing
  std::vector<double> value;  // in [0, 1], never decreasing; as many, at least one
  double operator()(double s) const;
};

// What is mixed of the model's own probability into that of a curve, which is flat over whole
// ranges: ties are then decided as without it, and no probability is 0.
inline constexpr double kOwnShare = 1e-6;

struct Calibrator {
  CalibrationMethod method = CalibrationMethod::temperature;
  double temperature = 1;
  // One for each label; of two labels one, of label 1.
  std::vector<Sigmoid> sigmoids;
  std::vector<IsotonicCurve> curves;

  bool by_label() const { return method != CalibrationMethod::temperature; }
  // log q(y), the calibrated (CA.2), in the place of the scores of a position: [L].  Without a
  // finite score nothing changes; a label of score -inf keeps it.  Requires by_label().
  void apply(std::span<double> scores, std::vector<double>& scratch) const;
};

// s_y = log p_y / (1 - p_y) of every label, of the scores of one position; -inf where the score is,
// +inf where no other label has a finite one.  Requires a finite score.  O(L).
void log_odds(std::span<const double> scores, std::vector<double>& out);

// Multiplied by `factor` > 0, the cost of a copy.
TransitionScores<double> scaled(const TransitionScores<double>& transitions, double factor);
template <class Real>
void scale(double factor, ChainScores<Real>& scores);  // states and overlays, in place

// The sections of a model file, with this calibration in the place of any that it has.
ContainerWriter with_calibration(const Container& model, const Calibrator& calibrator,
                                 const Json& record);
// The required section `calibration`, docs/format.md.
//   record : what else is to be kept in it: of the data, before and after
void write_calibration(const Calibrator& calibrator, const Json& record, ContainerWriter& out);
// Nothing where there is no such section.  Throws Error for one that is damaged.
//   independent : whether positions are labelled each by itself; others have a temperature only
std::optional<Calibrator> read_calibration(const Container& container, std::size_t labels,
                                           bool independent);
// The section as it is, for people; null without one.
Json calibration_record(const Container& container);

}  // namespace croft
