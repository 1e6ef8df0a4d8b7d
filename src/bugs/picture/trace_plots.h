// Draws to look at: of each number its trace, its density and its autocorrelation.
#pragma once
#include <string>
#include <vector>

#include "bugs/posterior/summary.h"
#include "bugs/sampling.h"

namespace croft::bugs {

struct PlotLimits {
  static constexpr std::size_t nodes = 200;  // those behind them are left out, which the page says
};

// A drawing that stands for itself: a row for each trace, and for each exact marginal.
//   nodes : summaries(result)
std::string plots_svg(const BugsResult& result, const std::vector<NodeSummary>& nodes);
// A page that stands for itself, with the table of summaries above.
std::string plots_html(const BugsResult& result, const std::vector<NodeSummary>& nodes,
                       const std::string& title);

// What a panel shows, for tests too.
struct DensityCurve {
  std::vector<double> x, y;
};
// A sum of normal densities around the draws, as wide as Silverman's rule says (Density Estimation,
// 1986, (3.31)), from the least to the largest draw.  O(n + points²).
DensityCurve density_of(const std::vector<double>& draws, std::size_t points = 200);
// rho_1 … rho_lags of each chain around its own mean, on average over chains.
std::vector<double> autocorrelations(const std::vector<std::vector<double>>& chains,
                                     std::size_t lags);

}  // namespace croft::bugs
