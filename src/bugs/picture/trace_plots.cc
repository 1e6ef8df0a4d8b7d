#include "bugs/picture/trace_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string_view>

#include "app/infer/svg_text.h"
#include "core/words/counted.h"

namespace croft::bugs {
namespace {

// Can be told apart without red and green.
constexpr std::array<std::string_view, 6> kChainColours = {"#0072B2", "#E69F00", "#009E73",
                                                           "#CC79A7", "#56B4E9", "#D55E00"};
// In the drawing's own units.
constexpr double kWidth = 960, kRow = 214, kTop = 34, kHigh = 138, kLeft = 62;
constexpr double kTraceWide = 420, kDensityLeft = 532, kDensityWide = 200, kLagsLeft = 784,
                 kLagsWide = 152;
constexpr std::size_t kMostLags = 40, kMostShares = 30;
constexpr std::size_t kBuckets = 210;  // of a trace: one for each two units of its width

struct Range {
  double low = 0, high = 1;
  double share(double x) const { return (x - low) / (high - low); }
};

Range range_of(double low, double high) {
  if (high > low) return {low - 0.03 * (high - low), high + 0.03 * (high - low)};
  const double room = std::max(1e-3 * std::abs(low), 1e-9);
  return {low - room, high + room};
}

// 1, 2 or 5 times a power of ten, that fits three to seven times.
double step_of(double span, double least) {
  const double power = std::pow(10.0, std::floor(std::log10(span / least)));
  for (const double times : {5.0, 2.0}) {
    if (span / (times * power) >= least) return times * power;
  }
  return power;
}

std::string tick_text(double value, double step) {
  if (std::abs(value) < step / 2) return "0";
  const double size = std::max(std::abs(value), step);
  if (size >= 1e5 || step < 1e-4) return fmt::format("{:.3g}", value);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value, decimals);
}

std::string frame(double left, double top, double wide) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#888\"/>\n",
      left, top, wide, kHigh);
}

void append_ticks_below(std::string& out, double left, double top, double wide, const Range& x,
                        double least) {
  const double step = step_of(x.high - x.low, least);
  for (double k = std::ceil(x.low / step); k * step <= x.high; ++k) {
    const double at = left + wide * x.share(k * step);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}v4\" stroke=\"#888\"/>\n", at, top + kHigh);
    out += svg_text_at(at, top + kHigh + 15, "text-anchor=\"middle\"", tick_text(k * step, step));
  }
}

void append_ticks_beside(std::string& out, double left, double top, const Range& y) {
  const double step = step_of(y.high - y.low, 3);
  for (double k = std::ceil(y.low / step); k * step <= y.high; ++k) {
    const double at = top + kHigh * (1 - y.share(k * step));
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h-4\" stroke=\"#888\"/>\n", left, at);
    out += svg_text_at(left - 7, at + 3.5, "text-anchor=\"end\"", tick_text(k * step, step));
  }
}

std::vector<double> finite_draws(const Trace& trace) {
  std::vector<double> out;
  for (const auto& chain : trace.chains) {
    for (const double x : chain) {
      if (std::isfinite(x)) out.push_back(x);
    }
  }
  return out;
}

// The least and the largest draw of each bucket, so that nothing that stands out is lost.
std::string trace_path(const std::vector<double>& chain, double left, double top, const Range& y) {
  std::string path;
  const std::size_t n = chain.size(), buckets = std::min(n, kBuckets);
  const auto point = [&](double at, double value) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", left + kTraceWide * at,
                        top + kHigh * (1 - y.share(value)));
  };
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t begin = b * n / buckets, end = (b + 1) * n / buckets;
    std::size_t low = end, high = end;
    for (std::size_t i = begin; i < end; ++i) {
      if (!std::isfinite(chain[i])) continue;
      if (low == end || chain[i] < chain[low]) low = i;
      if (high == end || chain[i] > chain[high]) high = i;
    }
    if (low == end) continue;
    const double at = (static_cast<double>(b) + 0.5) / static_cast<double>(buckets);
    point(at, chain[std::min(low, high)]);
    if (low != high) point(at, chain[std::max(low, high)]);
  }
  return path;
}

void append_trace(std::string& out, const Trace& trace, double top, const Range& y) {
  std::size_t n = 0;
  for (std::size_t c = 0; c < trace.chains.size(); ++c) {
    n = std::max(n, trace.chains[c].size());
    out += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"0.7\" "
        "stroke-opacity=\"0.8\"><title>chain {}</title></path>\n",
        trace_path(trace.chains[c], kLeft, top, y), kChainColours[c % kChainColours.size()], c + 1);
  }
  out += frame(kLeft, top, kTraceWide);
  append_ticks_beside(out, kLeft, top, y);
  const double last = static_cast<double>(trace.first + (n > 0 ? n - 1 : 0) * trace.thin);
  const Range iterations{static_cast<double>(trace.first),
                         std::max(last, static_cast<double>(trace.first) + 1)};
  append_ticks_below(out, kLeft, top, kTraceWide, iterations, 4);
}

// Values with their shares, where there are few and whole ones.
std::map<double, double> shares_of(const std::vector<double>& draws) {
  std::map<double, double> shares;
  for (const double x : draws) {
    if (x != std::floor(x)) return {};
    shares[x] += 1 / static_cast<double>(draws.size());
    if (shares.size() > kMostShares) return {};
  }
  return shares;
}

void append_shares(std::string& out, const std::map<double, double>& shares, double top) {
  const Range x{shares.begin()->first - 0.7, shares.rbegin()->first + 0.7};
  double largest = 0, apart = x.high - x.low;
  for (auto it = shares.begin(); it != shares.end(); ++it) {
    largest = std::max(largest, it->second);
    if (it != shares.begin()) apart = std::min(apart, it->first - std::prev(it)->first);
  }
  const double wide = std::min(26.0, 0.7 * kDensityWide * apart / (x.high - x.low));
  const Range y{0, std::max(largest * 1.06, 1e-9)};
  for (const auto& [value, share] : shares) {
    const double height = kHigh * y.share(share);
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "fill=\"#56B4E9\"><title>{}: {:.4f}</title></rect>\n",
        kDensityLeft + kDensityWide * x.share(value) - wide / 2, top + kHigh - height, wide, height,
        value, share);
  }
  out += frame(kDensityLeft, top, kDensityWide);
  const bool few = shares.size() <= 8;
  if (few) {
    for (const auto& [value, share] : shares) {
      out += svg_text_at(kDensityLeft + kDensityWide * x.share(value), top + kHigh + 15,
                         "text-anchor=\"middle\"", fmt::format("{}", value));
    }
  } else {
    append_ticks_below(out, kDensityLeft, top, kDensityWide, x, 3);
  }
  append_ticks_beside(out, kDensityLeft, top, y);
}

// The density of all draws, filled where the narrowest interval is, and those of the chains.
void append_density(std::string& out, const Trace& trace, const std::vector<double>& draws,
                    const NodeSummary& node, double top) {
  if (const auto shares = shares_of(draws); !shares.empty()) {
    append_shares(out, shares, top);
    return;
  }
  const DensityCurve all = density_of(draws);
  std::vector<DensityCurve> each;
  double largest = *std::max_element(all.y.begin(), all.y.end());
  for (const auto& chain : trace.chains) {
    std::vector<double> finite;
    std::copy_if(chain.begin(), chain.end(), std::back_inserter(finite),
                 [](double value) { return std::isfinite(value); });
    if (finite.size() < 2) continue;
    each.push_back(density_of(finite));
    largest = std::max(largest, *std::max_element(each.back().y.begin(), each.back().y.end()));
  }
  const Range x = range_of(all.x.front(), all.x.back());
  const auto path_of = [&](const DensityCurve& curve, double low, double high) {
    std::string path;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (curve.x[i] < low || curve.x[i] > high) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L",
                          kDensityLeft + kDensityWide * x.share(curve.x[i]),
                          top + kHigh * (1 - curve.y[i] / (1.06 * largest)));
    }
    return path;
  };
  const auto [low, high] = node.narrowest;
  const std::string inside = path_of(all, low, high);
  if (!inside.empty()) {
    out += fmt::format(
        "<path d=\"{}L{:.1f} {:.1f}L{:.1f} {:.1f}z\" fill=\"#DDE8F2\"><title>95 % of the draws "
        "are in {:.4g} to {:.4g}</title></path>\n",
        inside, kDensityLeft + kDensityWide * x.share(std::min(high, x.high)), top + kHigh,
        kDensityLeft + kDensityWide * x.share(std::max(low, x.low)), top + kHigh, low, high);
  }
  for (std::size_t c = 0; c < each.size(); ++c) {
    out += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.2\"><title>chain "
        "{}</title></path>\n",
        path_of(each[c], x.low, x.high), kChainColours[c % kChainColours.size()], c + 1);
  }
  out += frame(kDensityLeft, top, kDensityWide);
  append_ticks_below(out, kDensityLeft, top, kDensityWide, x, 3);
}

void append_autocorrelation(std::string& out, const Trace& trace, double top) {
  std::size_t n = 0;
  for (const auto& chain : trace.chains) n = std::max(n, chain.size());
  const std::size_t lags = std::min(kMostLags, n > 1 ? n - 1 : 0);
  const std::vector<double> rho = autocorrelations(trace.chains, lags);
  double lowest = -0.2;
  for (const double each : rho) lowest = std::min(lowest, each);
  const Range y{lowest - 0.05, 1.05},
      x{-1, static_cast<double>(std::max<std::size_t>(lags, 1)) + 1};
  const auto height = [&](double value) { return top + kHigh * (1 - y.share(value)); };
  out += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"#888\"/>\n", kLagsLeft, height(0),
                     kLagsWide);
  const double wide = std::min(5.0, 0.7 * kLagsWide / (x.high - x.low));
  for (std::size_t k = 0; k <= rho.size(); ++k) {
    const double value = k == 0 ? 1 : rho[k - 1];
    if (!std::isfinite(value)) continue;
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "fill=\"#0072B2\"><title>lag {}: {:.3f}</title></rect>\n",
        kLagsLeft + kLagsWide * x.share(static_cast<double>(k)) - wide / 2,
        std::min(height(value), height(0)), wide, std::abs(height(value) - height(0)), k, value);
  }
  out += frame(kLagsLeft, top, kLagsWide);
  append_ticks_beside(out, kLagsLeft, top, y);
  append_ticks_below(out, kLagsLeft, top, kLagsWide, x, 3);
}

std::string heading(const NodeSummary& node) {
  if (!std::isfinite(node.mean)) return "some draws are not finite";
  std::string out = fmt::format("mean {:.4g}, sd {:.3g}, 95 % in {:.4g} to {:.4g}", node.mean,
                                node.sd, node.narrowest[0], node.narrowest[1]);
  if (node.exact) return out + ", exact";
  if (std::isfinite(node.effective)) {
    out += fmt::format("; {:.0f} effective samples of {}", node.effective, node.draws);
  }
  if (!std::isnan(node.r_hat)) out += fmt::format(", R-hat {:.3f}", node.r_hat);
  return out;
}

void append_head(std::string& out, const NodeSummary& node, double y) {
  out += svg_text_at(kLeft, y + 22, "font-size=\"15\" font-weight=\"bold\"",
                     svg_shortened(node.name, 28));
  out += svg_text_at(kWidth - 24, y + 22, "text-anchor=\"end\" font-size=\"12\" fill=\"#333\"",
                     heading(node));
}

void append_labels(std::string& out, double top, bool exact) {
  const double below = top + kHigh + 30;
  const auto label = [&](double at, std::string_view text) {
    out += svg_text_at(at, below, "text-anchor=\"middle\" fill=\"#555\"", text);
  };
  if (exact) {
    label(kDensityLeft + kDensityWide / 2, "probability");
    return;
  }
  label(kLeft + kTraceWide / 2, "iteration");
  label(kDensityLeft + kDensityWide / 2, "posterior");
  label(kLagsLeft + kLagsWide / 2, "autocorrelation at lag");
}

// One row of panels, from y on.
std::string row_of(const BugsResult& result, std::size_t k, const NodeSummary& node, double y) {
  std::string out;
  append_head(out, node, y);
  const double top = y + kTop;
  append_labels(out, top, node.exact);
  if (node.exact) {
    const ExactMarginal& marginal = result.exact[k - result.traces.size()];
    std::map<double, double> shares;
    for (std::size_t i = 0; i < marginal.values.size(); ++i) {
      shares[marginal.values[i]] += marginal.probabilities[i];
    }
    if (!shares.empty()) append_shares(out, shares, top);
    return out;
  }
  const Trace& trace = result.traces[k];
  const std::vector<double> draws = finite_draws(trace);
  if (draws.size() < 2) {
    out += svg_text_at(kLeft, top + 20, "", "too few draws to show");
    return out;
  }
  const auto [low, high] = std::minmax_element(draws.begin(), draws.end());
  append_trace(out, trace, top, range_of(*low, *high));
  append_density(out, trace, draws, node, top);
  append_autocorrelation(out, trace, top);
  return out;
}

std::string open_svg(double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, height);
}

std::string left_out(std::size_t nodes) {
  if (nodes <= PlotLimits::nodes) return {};
  return fmt::format("{} of {} are drawn; name fewer to see others", PlotLimits::nodes,
                     counted(nodes, "number"));
}

}  // namespace

DensityCurve density_of(const std::vector<double>& draws, std::size_t points) {
  const auto n = static_cast<double>(draws.size());
  double mean = 0, variance = 0;
  for (const double x : draws) mean += x / n;
  for (const double x : draws) variance += (x - mean) * (x - mean) / std::max(1.0, n - 1);
  std::vector<double> sorted = draws;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) { return sorted[static_cast<std::size_t>(share * (n - 1))]; };
  const double sd = std::sqrt(variance), quartiles = (at(0.75) - at(0.25)) / 1.349;
  const double spread = quartiles > 0 ? std::min(sd, quartiles) : sd;
  const double low = sorted.front(), high = sorted.back();
  const double width =
      spread > 0 ? 0.9 * spread * std::pow(n, -0.2) : std::max(1e-9, 1e-3 * std::abs(low));
  // Draws are shared out over fine cells, whose middles stand for them.
  const std::size_t cells = 4 * points;
  std::vector<double> weight(cells, 0.0);
  const double step = (high - low) / static_cast<double>(cells - 1);
  for (const double x : draws) {
    const double place = step > 0 ? (x - low) / step : 0;
    const auto cell = std::min(static_cast<std::size_t>(place), cells - 1);
    const double rest = place - static_cast<double>(cell);
    weight[cell] += (1 - rest) / n;
    weight[std::min(cell + 1, cells - 1)] += rest / n;
  }
  DensityCurve curve;
  for (std::size_t i = 0; i < points; ++i) {
    const double x = low + (high - low) * static_cast<double>(i) / static_cast<double>(points - 1);
    double y = 0;
    for (std::size_t k = 0; k < cells; ++k) {
      const double z = (x - low - step * static_cast<double>(k)) / width;
      if (weight[k] > 0 && std::abs(z) < 6) y += weight[k] * std::exp(-z * z / 2);
    }
    curve.x.push_back(x);
    curve.y.push_back(y / (width * std::sqrt(2 * std::numbers::pi)));
  }
  return curve;
}

std::vector<double> autocorrelations(const std::vector<std::vector<double>>& chains,
                                     std::size_t lags) {
  std::vector<double> out(lags, 0.0);
  std::size_t counted = 0;
  for (const std::vector<double>& chain : chains) {
    double mean = 0, variance = 0;
    for (const double x : chain) mean += x / static_cast<double>(chain.size());
    for (const double x : chain) variance += (x - mean) * (x - mean);
    if (!(variance > 0) || !std::isfinite(variance)) continue;
    ++counted;
    for (std::size_t lag = 1; lag <= lags; ++lag) {
      double sum = 0;
      for (std::size_t i = 0; i + lag < chain.size(); ++i) {
        sum += (chain[i] - mean) * (chain[i + lag] - mean);
      }
      out[lag - 1] += sum / variance;
    }
  }
  for (double& each : out) each /= static_cast<double>(std::max<std::size_t>(1, counted));
  return out;
}

std::string plots_svg(const BugsResult& result, const std::vector<NodeSummary>& nodes) {
  const std::size_t drawn = std::min(nodes.size(), PlotLimits::nodes);
  const std::string note = left_out(nodes.size());
  std::string out = open_svg(kRow * static_cast<double>(drawn) + (note.empty() ? 6 : 30));
  for (std::size_t k = 0; k < drawn; ++k) {
    out += row_of(result, k, nodes[k], kRow * static_cast<double>(k));
  }
  if (!note.empty()) {
    out += svg_text_at(kLeft, kRow * static_cast<double>(drawn) + 18, "font-size=\"12\"", note);
  }
  return out + "</svg>\n";
}

std::string plots_html(const BugsResult& result, const std::vector<NodeSummary>& nodes,
                       const std::string& title) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{0}</title>\n"
      "<style>body{{font-family:sans-serif;margin:24px}}pre{{font-size:13px;overflow-x:auto}}"
      "svg{{display:block;max-width:100%;height:auto;border-top:1px solid #ddd}}</style></head>\n"
      "<body>\n<h1>{0}</h1>\n",
      svg_escaped(title));
  std::string about = fmt::format("{} observed and {} unobserved stochastic nodes", result.observed,
                                  result.unobserved);
  if (!result.exact.empty()) {
    about += "; exact probabilities, by a junction tree";
  } else if (!result.traces.empty()) {
    about +=
        fmt::format("; {} of {} with the burn-in", counted(result.traces[0].chains.size(), "chain"),
                    counted(result.iterations, "iteration"));
  }
  if (result.deviance) {
    const DevianceSummary& d = *result.deviance;
    about += fmt::format("; mean deviance {:.4g}", d.mean_deviance);
    if (!std::isnan(d.pd)) about += fmt::format(", pD {:.3g}, DIC {:.4g}", d.pd, d.dic);
  }
  out += "<p>" + svg_escaped(about) + ".</p>\n";
  // Line by line: a line end is no character of a drawing's text.
  const std::string table = summary_text(nodes);
  out += "<pre>";
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = table.find('\n', begin);
    out += svg_escaped(std::string_view(table).substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  out += "</pre>\n";
  const std::size_t drawn = std::min(nodes.size(), PlotLimits::nodes);
  for (std::size_t k = 0; k < drawn; ++k) {
    out += open_svg(kRow) + row_of(result, k, nodes[k], 0) + "</svg>\n";
  }
  const std::string note = left_out(nodes.size());
  if (!note.empty()) out += "<p>" + note + ".</p>\n";
  return out + "</body>\n</html>\n";
}

}  // namespace croft::bugs
