#include "train/generative/hmm_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/infinity.h"

namespace croft {
namespace {

void log_softmax(std::span<const double> w, std::span<double> out) {
  const double most = *std::ranges::max_element(w);
  double sum = 0;
  for (const double x : w) sum += std::exp(x - most);
  const double log_sum = most + std::log(sum);
  std::ranges::transform(w, out.begin(), [&](double x) { return std::min(0.0, x - log_sum); });
}

void subtract_slope_of(std::span<const double> counts, std::span<const double> logs,
                       std::span<double> gradient) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    gradient[k] -= counts[k] - total * std::exp(logs[k]);
  }
}

// Of label i: what follows it, and the end where there is one.
void gather(std::span<const double> row, const std::vector<double>& end, std::size_t i,
            std::span<double> out) {
  std::ranges::copy(row, out.begin());
  if (out.size() > row.size()) out.back() = end[i];
}

}  // namespace

HmmWeights::HmmWeights(const HmmLayout& layout, const HmmParameters& p, bool ends)
    : layout_(layout),
      ends_(ends ? 1 : 0),
      cells_(layout.labels * (1 + layout.labels + ends_)),
      known_(layout.tracks.size(), layout.labels) {
  for (std::size_t k = 0; k < known_.rows(); ++k) {
    for (std::size_t j = 0; j < layout.labels; ++j) {
      known_(k, j) = std::log1p(-std::exp(p.unknown(k, j)));
    }
  }
}

void HmmWeights::weights_of(const HmmParameters& p, std::span<double> w) const {
  std::ranges::copy(p.start, w.begin());
  const std::size_t width = layout_.labels + ends_;
  for (std::size_t i = 0; i < layout_.labels; ++i) {
    gather(p.transition[i], p.end, i, w.subspan(layout_.labels + i * width, width));
  }
  std::ranges::copy(p.log, w.subspan(cells_).begin());
}

void HmmWeights::set_probabilities(std::span<const double> w, HmmParameters& p) const {
  const std::size_t labels = layout_.labels, width = labels + ends_;
  log_softmax(w.first(labels), p.start);
  p.end.resize(ends_ == 1 ? labels : 0);
  std::vector<double> row(width);
  for (std::size_t i = 0; i < labels; ++i) {
    log_softmax(w.subspan(labels + i * width, width), row);
    std::copy_n(row.begin(), labels, p.transition[i].begin());
    if (ends_ == 1) p.end[i] = row.back();
  }
  Matrix<double> most(layout_.tracks.size(), labels, kMinusInfinity), sum(most.rows(), labels, 0.0);
  const std::span<const double> cells = w.subspan(cells_);
  layout_.for_each_cell(
      [&](auto c, auto k, auto j) { most(k, j) = std::max(most(k, j), cells[c]); });
  layout_.for_each_cell(
      [&](auto c, auto k, auto j) { sum(k, j) += std::exp(cells[c] - most(k, j)); });
  layout_.for_each_cell([&](auto c, auto k, auto j) {
    const double log_sum = most(k, j) + std::log(sum(k, j));
    p.log[c] = std::min(0.0, cells[c] - log_sum + known_(k, j));
  });
}

void HmmWeights::subtract_slope(const HmmCounts& counts, const HmmParameters& p,
                                std::span<double> gradient) const {
  const std::size_t labels = layout_.labels, width = labels + ends_;
  subtract_slope_of(counts.start, p.start, gradient.first(labels));
  std::vector<double> n(width), log(width);
  for (std::size_t i = 0; i < labels; ++i) {
    gather(counts.transition[i], counts.end, i, n);
    gather(p.transition[i], p.end, i, log);
    subtract_slope_of(n, log, gradient.subspan(labels + i * width, width));
  }
  const Matrix<double> total = emission_totals(layout_, counts);
  const std::span<double> cells = gradient.subspan(cells_);
  layout_.for_each_cell([&](auto c, auto k, auto j) {
    cells[c] -= counts.emission[c] - total(k, j) * std::exp(p.log[c] - known_(k, j));
  });
}

}  // namespace croft
