#include "app/evaluate/reliability_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/infer/svg_text.h"

namespace croft {
namespace {

// Of the drawing, in its own units: the square of the diagram, and the strip of counts below it.
constexpr double kPlotLeft = 70, kPlotTop = 64, kSide = 400;
constexpr double kStripTop = kPlotTop + kSide + 22, kStripHeight = 90;
constexpr double kMargin = 16;  // of the title and the caption
constexpr double kWidth = kPlotLeft + kSide + 30, kHeight = kStripTop + kStripHeight + 58;
// Of the title that has room in a line; the whole is in the document's title.
constexpr std::size_t kMostCharacters = 44;
// Can be told apart without red and green.
constexpr std::string_view kBlue = "#0072B2", kOrange = "#D55E00";

double x_of(double probability) { return kPlotLeft + kSide * probability; }
double y_of(double accuracy) { return kPlotTop + kSide * (1 - accuracy); }

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, style);
}

std::string box(double x, double y, double width, double height, std::string_view style) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", x,
                     y, width, height, style);
}

std::string turned(double x, double y, std::string_view text) {
  return fmt::format(
      "<text x=\"{0:.1f}\" y=\"{1:.1f}\" transform=\"rotate(-90 {0:.1f} {1:.1f})\" "
      "text-anchor=\"middle\">{2}</text>\n",
      x, y, text);
}

void append_frame(std::string& out) {
  constexpr std::string_view kGrid = "stroke=\"#e0e0e0\"";
  for (int k = 0; k <= 10; ++k) {
    const double share = k / 10.0;
    if (k > 0 && k < 10) {
      out += line(x_of(share), y_of(0), x_of(share), y_of(1), kGrid);
      out += line(x_of(0), y_of(share), x_of(1), y_of(share), kGrid);
    }
    if (k % 2 != 0) continue;
    out += svg_text_at(kPlotLeft - 8, y_of(share) + 4, "text-anchor=\"end\"",
                       fmt::format("{:.1f}", share));
    out += svg_text_at(x_of(share), kStripTop + kStripHeight + 16, "text-anchor=\"middle\"",
                       fmt::format("{:.1f}", share));
  }
  out += turned(22, kPlotTop + kSide / 2, "accuracy");
  out += turned(22, kStripTop + kStripHeight / 2, "predictions");
  out += svg_text_at(kPlotLeft + kSide / 2, kStripTop + kStripHeight + 40, "text-anchor=\"middle\"",
                     "probability of the predicted label");
}

// What a bin is off the diagonal by, as a bar between the two.
void append_gaps(std::string& out, const Calibration& calibration) {
  for (const CalibrationBin& bin : calibration.bins) {
    if (bin.count == 0) continue;
    const double accuracy = bin.accuracy(), mean = bin.mean_probability;
    out += box(x_of(bin.lower) + 1, y_of(std::max(accuracy, mean)),
               kSide * (bin.upper - bin.lower) - 2, kSide * std::abs(accuracy - mean),
               fmt::format("fill=\"{}\" fill-opacity=\"0.18\"", kOrange));
  }
  out += line(x_of(0), y_of(0), x_of(1), y_of(1), "stroke=\"#555\" stroke-dasharray=\"5 4\"");
}

void append_points(std::string& out, const Calibration& calibration) {
  std::string path;
  for (const CalibrationBin& bin : calibration.bins) {
    if (bin.count == 0) continue;
    path += fmt::format("{:.1f},{:.1f} ", x_of(bin.mean_probability), y_of(bin.accuracy()));
  }
  out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                     path, kBlue);
  for (const CalibrationBin& bin : calibration.bins) {
    if (bin.count == 0) continue;
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{:.1f} to {:.1f}: {} "
        "predictions, {:.2f} % right, mean probability {:.4f}</title></circle>\n",
        x_of(bin.mean_probability), y_of(bin.accuracy()), kBlue, bin.lower, bin.upper, bin.count,
        100 * bin.accuracy(), bin.mean_probability);
  }
}

// In the corner where the curves of sound models do not come.
void append_legend(std::string& out) {
  const double x = kPlotLeft + 10, y = kPlotTop + 18;
  out += line(x, y - 4, x + 24, y - 4, fmt::format("stroke=\"{}\" stroke-width=\"1.5\"", kBlue));
  out += svg_text_at(x + 30, y, "font-size=\"11\"", "predictions of a bin");
  out += line(x, y + 12, x + 24, y + 12, "stroke=\"#555\" stroke-dasharray=\"5 4\"");
  out += svg_text_at(x + 30, y + 16, "font-size=\"11\"", "calibrated");
  out += box(x, y + 23, 24, 10, fmt::format("fill=\"{}\" fill-opacity=\"0.18\"", kOrange));
  out += svg_text_at(x + 30, y + 32, "font-size=\"11\"", "gap");
}

// 1,234 as 1.2k, 12,345 as 12k: four characters at most, to fit a bar's width.
std::string short_number(std::size_t count) {
  const auto number = static_cast<double>(count);
  if (count < 1000) return fmt::format("{}", count);
  for (const auto& [unit, name] : {std::pair{1e9, "G"}, std::pair{1e6, "M"}, std::pair{1e3, "k"}}) {
    if (number < unit) continue;
    const double share = number / unit;
    return share < 9.95 ? fmt::format("{:.1f}{}", share, name)
                        : fmt::format("{:.0f}{}", share, name);
  }
  return "";
}

void append_counts(std::string& out, const Calibration& calibration) {
  const double most = static_cast<double>(
      std::ranges::max_element(calibration.bins, {}, &CalibrationBin::count)->count);
  for (const CalibrationBin& bin : calibration.bins) {
    const double height = (kStripHeight - 16) * static_cast<double>(bin.count) / most;
    const double x = x_of(bin.lower), bottom = kStripTop + kStripHeight;
    if (bin.count > 0) {
      out += box(x + 1, bottom - std::max(height, 0.8), kSide * (bin.upper - bin.lower) - 2,
                 std::max(height, 0.8), fmt::format("fill=\"{}\" fill-opacity=\"0.75\"", kBlue));
    }
    out += svg_text_at(x + kSide * (bin.upper - bin.lower) / 2, bottom - height - 4,
                       "text-anchor=\"middle\" font-size=\"10\"", short_number(bin.count));
  }
  out += line(kPlotLeft, kStripTop + kStripHeight, kPlotLeft + kSide, kStripTop + kStripHeight,
              "stroke=\"#333\"");
}

std::string caption(const EvaluationSummary& s) {
  std::string text =
      fmt::format("expected calibration error {:.2f} %", 100 * s.calibration->expected_error);
  if (s.brier) text += fmt::format(" · Brier {:.4f}", *s.brier);
  if (s.log_loss && std::isfinite(s.log_loss->total)) {
    text += fmt::format(" · log-loss {:.4f}", s.log_loss->per_token());
  }
  return text;
}

}  // namespace

std::string reliability_svg(const EvaluationSummary& summary, std::string_view title) {
  const Calibration& calibration = *summary.calibration;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" "
      "fill=\"#222\">\n",
      kWidth, kHeight);
  out += "<title>Reliability: " + svg_escaped(title) + "</title>\n";
  out += box(0, 0, kWidth, kHeight, "fill=\"#ffffff\"");
  out += svg_text_at(kMargin, 26, "font-size=\"14\" font-weight=\"bold\"",
                     "Reliability: " + svg_shortened(title, kMostCharacters));
  out += svg_text_at(kMargin, 48, "fill=\"#444\"", caption(summary));
  append_frame(out);
  append_gaps(out, calibration);
  append_legend(out);
  append_points(out, calibration);
  out += box(kPlotLeft, kPlotTop, kSide, kSide, "fill=\"none\" stroke=\"#333\"");
  append_counts(out, calibration);
  return out + "</svg>\n";
}

}  // namespace croft
