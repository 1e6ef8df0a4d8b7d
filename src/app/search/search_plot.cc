#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "app/infer/svg_text.h"
#include "app/search/search.h"
#include "app/search/trials.h"
#include "core/words/counted.h"

namespace croft {
namespace {

// Of a panel, in the drawing's own units.
constexpr double kLeft = 64, kTop = 58, kWide = 260, kHigh = 220, kGap = 28, kBelow = 74;
// Can be told apart without red and green; the first rung is the palest.
constexpr std::array<std::string_view, 6> kColours = {"#BBCCEE", "#77AADD", "#0072B2",
                                                      "#E69F00", "#D55E00", "#000000"};
constexpr std::size_t kMostTicks = 6;

struct Scale {
  double low = 0, high = 1;
  bool log = false;
  std::vector<std::string> names;  // of a list: its values stand side by side

  double share(double value) const {
    const double a = log ? std::log(low) : low, b = log ? std::log(high) : high;
    const double x = log ? std::log(value) : value;
    return b > a ? (x - a) / (b - a) : 0.5;
  }
};

std::string_view colour(std::size_t rung, std::size_t rungs) {
  const std::size_t from = kColours.size() - std::min(rungs, kColours.size());
  return kColours[std::min(kColours.size() - 1, from + rung)];
}

Scale scale_of(const SearchParameter& p) {
  Scale scale{.low = p.low,
              .high = p.high,
              .log = p.scale == SearchParameter::Scale::log,
              .names = p.values};
  if (p.scale != SearchParameter::Scale::list) return scale;
  scale.low = -0.5;  // each has its share of the width, and stands in its middle
  scale.high = static_cast<double>(p.values.size()) - 0.5;
  return scale;
}

double place_of(const Scale& scale, const std::string& value) {
  if (scale.names.empty()) return scale.share(std::strtod(value.c_str(), nullptr));
  const auto at = std::ranges::find(scale.names, value) - scale.names.begin();
  return scale.share(static_cast<double>(at));
}

// Of all finite scores, with some room.
Scale score_scale(const SearchedSettings& result) {
  Scale scale{.low = std::numeric_limits<double>::infinity(),
              .high = -std::numeric_limits<double>::infinity(),
              .log = false,
              .names = {}};
  for (const SearchCandidate& each : result.candidates) {
    for (const SearchScore& score : each.rungs) {
      if (!std::isfinite(score.mean())) continue;
      scale.low = std::min(scale.low, score.mean());
      scale.high = std::max(scale.high, score.mean());
    }
  }
  if (!(scale.low <= scale.high)) return {};
  const double room = std::max(0.05 * (scale.high - scale.low), 1e-4);
  scale.low -= room;
  scale.high += room;
  return scale;
}

bool in_percent(const SearchedSettings& result) { return in_percent(result.metric); }

std::string score_text(const SearchedSettings& result, double score) {
  return in_percent(result) ? fmt::format("{:.2f} %", 100 * score) : fmt::format("{:.4g}", score);
}

// 1, 2 or 5 times a power of ten, that fits three to seven times.
double tick_step(double span) {
  const double power = std::pow(10.0, std::floor(std::log10(span / 3)));
  for (const double times : {5.0, 2.0}) {
    if (span / (times * power) >= 3) return times * power;
  }
  return power;
}

// With a line across all panels at each number.
void append_score_axis(std::string& out, const SearchedSettings& result, const Scale& y) {
  const double step = tick_step(y.high - y.low);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  for (double k = std::ceil(y.low / step); k * step <= y.high; ++k) {
    const double at = kTop + kHigh * (1 - y.share(k * step));
    out += svg_text_at(kLeft - 6, at + 4, "text-anchor=\"end\"",
                       in_percent(result)
                           ? fmt::format("{:.{}f} %", 100 * k * step, std::max(0, decimals - 2))
                           : fmt::format("{:.{}f}", k * step, decimals));
    for (std::size_t panel = 0; panel < result.parameters.size(); ++panel) {
      const double left = kLeft + static_cast<double>(panel) * (kWide + kGap);
      out +=
          fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"#DDDDDD\"/>\n", left, at, kWide);
    }
  }
}

// Three digits, of whole numbers all; 1000 rather than 1e+03.
std::string tick_label(double value, bool whole) {
  if (whole) return fmt::format("{:.0f}", value);
  return fmt::format("{}", std::strtod(fmt::format("{:.3g}", value).c_str(), nullptr));
}

std::string percent(double share) {
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

void append_panel(std::string& out, const SearchedSettings& result, std::size_t parameter,
                  const Scale& y) {
  const SearchParameter& p = result.parameters[parameter];
  const Scale x = scale_of(p);
  const double left = kLeft + static_cast<double>(parameter) * (kWide + kGap);
  const auto across = [&](double share) { return left + 12 + (kWide - 24) * share; };
  out += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#333\"/>\n",
      left, kTop, kWide, kHigh);
  const bool whole = p.scale == SearchParameter::Scale::integer;
  const std::size_t numbers =
      whole ? static_cast<std::size_t>(std::min(5.0, p.high - p.low + 1)) : 5;
  const std::size_t ticks = x.names.empty() ? numbers : x.names.size();
  for (std::size_t k = 0; k < ticks && (x.names.empty() || ticks <= kMostTicks); ++k) {
    double share =
        static_cast<double>(k) / static_cast<double>(std::max<std::size_t>(2, ticks) - 1);
    if (!x.names.empty()) share = x.share(static_cast<double>(k));
    double value = x.log ? std::exp(std::log(x.low) + share * std::log(x.high / x.low))
                         : x.low + share * (x.high - x.low);
    if (whole) {
      value = std::round(value);
      share = x.share(value);
    }
    out += svg_text_at(across(share), kTop + kHigh + 16, "text-anchor=\"middle\" font-size=\"11\"",
                       x.names.empty() ? tick_label(value, whole) : svg_shortened(x.names[k], 10));
  }
  out += svg_text_at(left + kWide / 2, kTop + kHigh + 36, "text-anchor=\"middle\"", p.option);
  // The earlier rungs first, the best candidate on top.
  for (std::size_t rung = 0; rung < result.rungs.size(); ++rung) {
    for (std::size_t n = result.candidates.size(); n > 0; --n) {
      const SearchCandidate& each = result.candidates[n - 1];
      if (each.rungs.size() <= rung || !std::isfinite(each.rungs[rung].mean())) continue;
      const bool best = n == 1 && rung + 1 == each.rungs.size();
      std::string title;
      for (std::size_t k = 0; k < each.values.size(); ++k) {
        title += result.parameters[k].option + " " + each.values[k] + ", ";
      }
      out += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"><title>{}{} "
          "{}</title></circle>\n",
          across(place_of(x, each.values[parameter])),
          kTop + kHigh * (1 - y.share(each.rungs[rung].mean())), best ? 6 : 4,
          colour(rung, result.rungs.size()), best ? "#D55E00" : "#FFFFFF", svg_escaped(title),
          name_of(result.metric), score_text(result, each.rungs[rung].mean()));
    }
  }
}

void append_legend(std::string& out, const SearchedSettings& result) {
  const bool data = result.resource == SearchResource::data;
  out +=
      svg_text_at(kLeft, kTop + kHigh + 58, "font-size=\"11\"",
                  data ? "trained on this share of the data:" : "of this share of the iterations:");
  double x = kLeft + 192;
  for (std::size_t rung = 0; rung < result.rungs.size(); ++rung) {
    const double y = kTop + kHigh + 58;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y - 4,
                       colour(rung, result.rungs.size()));
    out += svg_text_at(x + 8, y, "font-size=\"11\"", percent(result.rungs[rung].share));
    x += 62;
  }
}

// The first candidate, whose dot is large.
std::string best_text(const SearchedSettings& result) {
  const SearchCandidate& best = result.best();
  if (best.rungs.empty()) return {};
  std::string text = "best: ";
  for (std::size_t k = 0; k < best.values.size(); ++k) {
    text += fmt::format("{} {}, ", result.parameters[k].option, svg_shortened(best.values[k], 16));
  }
  return text + score_text(result, best.rungs.back().mean());
}

}  // namespace

std::string search_svg(const SearchedSettings& result) {
  const auto panels = static_cast<double>(result.parameters.size());
  const double width = kLeft + panels * (kWide + kGap), height = kTop + kHigh + kBelow;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" "
      "fill=\"#222\">\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
      width, height);
  const std::string title =
      fmt::format("{}: {} of {}", name_of(result.metric), counted(result.folds, "fold"),
                  counted(result.sequences, "sequence"));
  out += "<title>Search, " + svg_escaped(title) + "</title>\n";
  out += svg_text_at(16, 26, "font-size=\"14\" font-weight=\"bold\"", title);
  out += svg_text_at(16, 46, "fill=\"#444\"", best_text(result));
  const Scale y = score_scale(result);
  append_score_axis(out, result, y);
  for (std::size_t k = 0; k < result.parameters.size(); ++k) append_panel(out, result, k, y);
  append_legend(out, result);
  return out + "</svg>\n";
}

}  // namespace croft
