#include "app/inspect/inspect_calibration.h"

#include <fmt/format.h>

#include "app/inspect/inspect.h"
#include "core/json.h"

namespace croft {
namespace {

std::string range(double low, double high) { return fmt::format("{:.4g} to {:.4g}", low, high); }

std::string functions_text(const SequenceModel& model, const Calibrator& c) {
  std::string out;
  const std::size_t count = c.sigmoids.size() + c.curves.size();
  for (std::size_t k = 0; k < count; ++k) {
    const auto y = static_cast<Label>(count == 1 ? 1 : k);
    out += "  " + escaped(model.label(y));
    if (c.method == CalibrationMethod::platt) {
      out +=
          fmt::format("  slope {:.6g}, offset {:.6g}\n", c.sigmoids[k].slope, c.sigmoids[k].offset);
    } else {
      const IsotonicCurve& curve = c.curves[k];
      out += fmt::format("  {} points, log-odds {}, probability {}\n", curve.at.size(),
                         range(curve.at.front(), curve.at.back()),
                         range(curve.value.front(), curve.value.back()));
    }
  }
  return out;
}

}  // namespace

std::string calibration_lines(const SequenceModel& model) {
  if (!model.calibrator()) return "";
  const Calibrator& c = *model.calibrator();
  std::string out = fmt::format("calibration   {}", calibration_name(c.method));
  if (!c.by_label()) out += fmt::format(" {:.6g}", c.temperature);
  const Json record = calibration_record(model.container());
  const Json* const sequences = record.get_if("sequences");
  if (sequences != nullptr && sequences->is_number_unsigned()) {
    out += fmt::format(", fitted to {} sequences", sequences->get<std::size_t>());
  }
  return out + "\n" + functions_text(model, c);
}

void add_calibration(const SequenceModel& model, Json& document) {
  if (model.calibrator()) document["calibration"] = calibration_record(model.container());
}

}  // namespace croft
