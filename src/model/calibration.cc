#include "model/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/infinity.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "model/file/container.h"
#include "model/file/record.h"

namespace croft {
namespace {

constexpr std::string_view kSection = "calibration";
constexpr std::array<std::string_view, 3> kMethods = {"temperature", "platt", "isotonic"};
constexpr double kLeastTemperature = 1e-30;  // a float holds it, and its inverse
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// log 1 / (1 + exp(-z))
double log_sigmoid(double z) {
  return z < 0 ? z - std::log1p(std::exp(z)) : -std::log1p(std::exp(-z));
}

// log of (CA.5): of the curve's value, or of what it leaves, and of the model's own log-odds.
double log_mixed(double value, double own_log_odds) {
  const double own = std::log(kOwnShare) + log_sigmoid(own_log_odds);
  if (!(value > 0)) return own;
  return std::log((1 - kOwnShare) * value + std::exp(own));
}

// log g(s) and log (1 - g(s)) of function k.
double log_yes(const Calibrator& c, std::size_t k, double s) {
  if (c.method == CalibrationMethod::isotonic) return log_mixed(c.curves[k](s), s);
  return log_sigmoid(c.sigmoids[k].slope * s + c.sigmoids[k].offset);
}
double log_no(const Calibrator& c, std::size_t k, double s) {
  if (c.method == CalibrationMethod::isotonic) return log_mixed(1 - c.curves[k](s), -s);
  return log_sigmoid(-(c.sigmoids[k].slope * s + c.sigmoids[k].offset));
}

bool is_sound(const IsotonicCurve& curve) {
  const auto increases = [](double a, double b) { return a >= b; };
  return !curve.at.empty() && curve.at.size() == curve.value.size() && all_finite(curve.at) &&
         all_finite(curve.value) &&
         std::ranges::adjacent_find(curve.at, increases) == curve.at.end() &&
         std::ranges::is_sorted(curve.value) && curve.value.front() >= 0 && curve.value.back() <= 1;
}

Json functions_json(const Calibrator& c) {
  Json list = Json::array();
  for (const Sigmoid& each : c.sigmoids) {
    list.push_back({{"slope", each.slope}, {"offset", each.offset}});
  }
  for (const IsotonicCurve& each : c.curves) {
    list.push_back({{"log_odds", each.at}, {"probability", each.value}});
  }
  return list;
}

Calibrator from_record(const Record& said) {
  Calibrator c;
  const auto method = std::ranges::find(kMethods, said.at("method").text());
  if (method == kMethods.end()) said.at("method").fail("temperature, platt or isotonic");
  c.method = static_cast<CalibrationMethod>(method - kMethods.begin());
  if (!c.by_label()) {
    c.temperature = said.at("temperature").number();
    return c;
  }
  for (const Record& each : said.at("functions").list()) {
    if (c.method == CalibrationMethod::platt) {
      c.sigmoids.push_back({each.at("slope").number(), each.at("offset").number()});
    } else {
      c.curves.push_back({each.at("log_odds").numbers(), each.at("probability").numbers()});
    }
  }
  return c;
}

bool fits(const Calibrator& c, std::size_t labels, bool independent) {
  if (!c.by_label()) {
    return c.temperature >= kLeastTemperature && c.temperature <= 1 / kLeastTemperature;
  }
  const std::size_t wanted = labels == 2 ? 1 : labels;
  const auto sound = [](const Sigmoid& g) {
    return std::isfinite(g.slope) && std::isfinite(g.offset);
  };
  return independent && labels >= 2 && c.sigmoids.size() + c.curves.size() == wanted &&
         std::ranges::all_of(c.sigmoids, sound) && std::ranges::all_of(c.curves, is_sound);
}

}  // namespace

std::string_view calibration_name(CalibrationMethod method) {
  return kMethods[static_cast<std::size_t>(method)];
}

CalibrationMethod calibration_method(std::string_view name) {
  const auto at = std::ranges::find(kMethods, name);
  if (at == kMethods.end()) {
    throw UsageError(in_quotes(std::string(name)) +
                     " is no method of calibration; there are temperature, platt and isotonic");
  }
  return static_cast<CalibrationMethod>(at - kMethods.begin());
}

double IsotonicCurve::operator()(double s) const {
  const auto next = std::ranges::lower_bound(at, s);
  if (next == at.end()) return value.back();
  const auto k = static_cast<std::size_t>(next - at.begin());
  if (k == 0 || *next == s) return value[k];
  const double share = (s - at[k - 1]) / (at[k] - at[k - 1]);
  return value[k - 1] + share * (value[k] - value[k - 1]);
}

void log_odds(std::span<const double> scores, std::vector<double>& out) {
  out.assign(scores.size(), -kInfinity);
  const auto top = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  double second = -kInfinity, with_top = 0, others = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (j != top) second = std::max(second, scores[j]);
    with_top += std::exp(scores[j] - scores[top]);
  }
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (scores[j] == -kInfinity || j == top) continue;
    others += std::exp(scores[j] - second);
    // The largest score is among the others: nothing cancels.
    const double share = std::exp(scores[j] - scores[top]);
    out[j] = scores[j] - scores[top] - std::log(with_top - share);
  }
  out[top] = second == -kInfinity ? kInfinity : scores[top] - second - std::log(others);
}

void Calibrator::apply(std::span<double> scores, std::vector<double>& scratch) const {
  if (!(*std::ranges::max_element(scores) > -kInfinity)) return;
  log_odds(scores, scratch);
  const auto only = std::ranges::find(scratch, kInfinity);
  if (only != scratch.end()) {  // one label is left
    scores[static_cast<std::size_t>(only - scratch.begin())] = 0;
    return;
  }
  if (scores.size() == 2) {
    scores[0] = log_no(*this, 0, scratch[1]);
    scores[1] = log_yes(*this, 0, scratch[1]);
    return;
  }
  double largest = -kInfinity, sum = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (scores[j] != -kInfinity) scores[j] = log_yes(*this, j, scratch[j]);
    largest = std::max(largest, scores[j]);
  }
  for (const double score : scores) sum += std::exp(score - largest);
  for (double& score : scores) score -= largest + std::log(sum);
}

TransitionScores<double> scaled(const TransitionScores<double>& transitions, double factor) {
  const std::size_t labels = transitions.labels();
  TransitionScores<double> out;
  if (!transitions.sparse()) {
    Matrix<double> table(labels, labels, 0.0);
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) table(i, j) = factor * transitions.at(i, j);
    }
    out.assign(std::move(table));
    return out;
  }
  const EdgeLists<double>& leaving = transitions.leaving();
  std::vector<Edge> edges;
  std::vector<double> log;
  for (Label i = 0; i < labels; ++i) {
    for (std::uint32_t k = leaving.begin[i]; k < leaving.begin[i + 1]; ++k) {
      edges.push_back({i, leaving.other[k]});
      log.push_back(factor * leaving.log[k]);
    }
  }
  out.assign(labels, transitions.background(), edges, std::span<const double>(log));
  return out;
}

template <class Real>
void scale(double factor, ChainScores<Real>& scores) {
  const auto by = static_cast<Real>(factor);
  for (Matrix<Real>* table : {&scores.state, &scores.overlay}) {
    for (std::size_t r = 0; r < table->rows(); ++r) {
      for (std::size_t j = 0; j < table->columns(); ++j) (*table)(r, j) *= by;
    }
  }
}
template void scale(double, ChainScores<float>&);
template void scale(double, ChainScores<double>&);

void write_calibration(const Calibrator& calibrator, const Json& record, ContainerWriter& out) {
  Json said = record;
  said["method"] = calibration_name(calibrator.method);
  if (calibrator.by_label()) {
    said["functions"] = functions_json(calibrator);
  } else {
    said["temperature"] = calibrator.temperature;
  }
  out.add(std::string(kSection), said.dump(1), ContainerWriter::Kind::required);
}

ContainerWriter with_calibration(const Container& model, const Calibrator& calibrator,
                                 const Json& record) {
  using Kind = ContainerWriter::Kind;
  ContainerWriter out;
  for (const Container::Entry& entry : model.entries()) {
    if (entry.name == kSection) continue;
    const auto bytes = model.section(entry.name);
    out.add(entry.name, {bytes.begin(), bytes.end()},
            entry.required ? Kind::required
            : entry.bulk   ? Kind::bulk
                           : Kind::small);
  }
  write_calibration(calibrator, record, out);
  return out;
}

Json calibration_record(const Container& container) {
  if (!container.has(kSection)) return nullptr;
  return parse_json_or_null(container.text(kSection));
}

std::optional<Calibrator> read_calibration(const Container& container, std::size_t labels,
                                           bool independent) {
  if (!container.has(kSection)) return std::nullopt;
  const Json said = calibration_record(container);
  Calibrator found = from_record({container, kSection, said});
  if (!fits(found, labels, independent)) {
    container.fail_section(kSection, "its numbers are out of range, or not those of the labels");
  }
  return found;
}

}  // namespace croft
