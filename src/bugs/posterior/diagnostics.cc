#include "bugs/posterior/diagnostics.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>

namespace croft::bugs {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewest = 4;    // draws of a half
constexpr std::size_t kFewLags = 64;  // that are summed as they are defined

std::size_t shortest_of(Chains chains) {
  std::size_t n = chains.empty() ? 0 : chains[0].size();
  for (const std::vector<double>& each : chains) n = std::min(n, each.size());
  return n;
}

// Both halves of each chain; the middle draw of an odd number is left out.  Empty: too few draws,
// or one that is not finite.
std::vector<std::span<const double>> halves_of(Chains chains) {
  const std::size_t n = shortest_of(chains), half = n / 2;
  if (half < kFewest) return {};
  std::vector<std::span<const double>> out;
  for (const std::vector<double>& each : chains) {
    const std::span<const double> draws(each.data(), n);
    if (!std::all_of(draws.begin(), draws.end(), [](double x) { return std::isfinite(x); })) {
      return {};
    }
    out.push_back(draws.first(half));
    out.push_back(draws.last(half));
  }
  return out;
}

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

// Inside the halves, and of all draws (var+ of Gelman et al.).
struct Variances {
  double within = 0, all = 0;
};

Variances variances_of(std::span<const std::span<const double>> halves) {
  const auto n = static_cast<double>(halves[0].size()), m = static_cast<double>(halves.size());
  std::vector<double> means;
  Variances out;
  for (const auto& half : halves) {
    means.push_back(mean_of(half));
    double squares = 0;
    for (const double x : half) squares += (x - means.back()) * (x - means.back());
    out.within += squares / (n - 1) / m;
  }
  const double grand = mean_of(means);
  double between = 0;
  for (const double mean : means) between += (mean - grand) * (mean - grand) / (m - 1);
  out.all = out.within * (n - 1) / n + between;
  return out;
}

// In place, of 2^k numbers; backwards without the division.
void transform(std::vector<std::complex<double>>& x, bool back) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length <<= 1) {
    const double angle = (back ? 2 : -2) * std::numbers::pi / static_cast<double>(length);
    std::vector<std::complex<double>> turn(length / 2);
    for (std::size_t k = 0; k < turn.size(); ++k) {
      turn[k] = std::polar(1.0, angle * static_cast<double>(k));
    }
    for (std::size_t begin = 0; begin < n; begin += length) {
      for (std::size_t k = 0; k < length / 2; ++k) {
        std::complex<double>&a = x[begin + k], &b = x[begin + k + length / 2];
        const std::complex<double> turned(b.real() * turn[k].real() - b.imag() * turn[k].imag(),
                                          b.real() * turn[k].imag() + b.imag() * turn[k].real());
        b = a - turned;
        a += turned;
      }
    }
  }
}

// Σ_k Σ_i (x_ki - mean_k)(x_{k,i+t} - mean_k) / n at lag t, over an even number of halves.  Lags
// come in order; the first are sums, and all others come of one transform.
class Autocovariances {
 public:
  explicit Autocovariances(std::span<const std::span<const double>> halves) : n_(halves[0].size()) {
    for (const auto& half : halves) {
      const double mean = mean_of(half);
      for (const double x : half) centred_.push_back(x - mean);
    }
  }

  double at(std::size_t lag) {
    if (lag >= kFewLags && sums_.empty()) transform_all();
    if (!sums_.empty()) return sums_[lag];
    double sum = 0;
    for (std::size_t begin = 0; begin < centred_.size(); begin += n_) {
      const double* const x = centred_.data() + begin;
      for (std::size_t i = 0; i + lag < n_; ++i) sum += x[i] * x[i + lag];
    }
    return sum / static_cast<double>(n_);
  }

 private:
  // By the transforms of series with as many zeros behind them, two at once as complex numbers.
  void transform_all() {
    std::size_t size = 1;
    while (size < 2 * n_) size <<= 1;
    std::vector<std::complex<double>> x(size), power(size);
    for (std::size_t begin = 0; begin < centred_.size(); begin += 2 * n_) {
      std::fill(x.begin(), x.end(), 0);
      for (std::size_t i = 0; i < n_; ++i) x[i] = {centred_[begin + i], centred_[begin + n_ + i]};
      transform(x, false);
      // |A|² + |B|² of the two transforms, from that of a + ib.
      for (std::size_t k = 0; k < size; ++k) {
        power[k] += (std::norm(x[k]) + std::norm(x[(size - k) % size])) / 2;
      }
    }
    transform(power, true);
    const double scale = 1 / (static_cast<double>(size) * static_cast<double>(n_));
    for (std::size_t t = 0; t < n_; ++t) sums_.push_back(power[t].real() * scale);
  }

  const std::size_t n_;
  std::vector<double> centred_;  // [halves][n]
  std::vector<double> sums_;     // [lags], once they are transformed
};

double effective_of(std::span<const std::span<const double>> halves) {
  if (halves.empty()) return kUnknown;
  const Variances variances = variances_of(halves);
  if (!(variances.all > 0) || !std::isfinite(variances.all)) return kUnknown;
  const std::size_t n = halves[0].size();
  const auto m = static_cast<double>(halves.size());
  Autocovariances covariances(halves);
  const auto rho = [&](std::size_t t) {
    return 1 - (variances.within - covariances.at(t) / m) / variances.all;
  };
  double sum = 0, smallest = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t + 1 < n; t += 2) {
    const double pair = (t == 0 ? 1 : rho(t)) + rho(t + 1);
    if (!(pair > 0)) break;
    smallest = std::min(smallest, pair);
    sum += smallest;
  }
  const double draws = static_cast<double>(n) * m;
  return draws / std::max(-1 + 2 * sum, 1 / std::log10(draws));
}

double r_hat_of(std::span<const std::span<const double>> halves) {
  if (halves.empty()) return kUnknown;
  const Variances variances = variances_of(halves);
  return variances.all > 0 ? std::sqrt(variances.all / variances.within) : kUnknown;
}

// The normal quantile of (rank - 3/8) / (draws + 1/4); equal draws share their mean rank.
std::vector<std::vector<double>> normal_scores(const std::vector<std::vector<double>>& chains) {
  struct Draw {
    double value;
    std::size_t chain, place;
  };
  std::vector<Draw> draws;
  std::vector<std::vector<double>> out = chains;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    for (std::size_t i = 0; i < chains[c].size(); ++i) draws.push_back({chains[c][i], c, i});
  }
  std::sort(draws.begin(), draws.end(),
            [](const Draw& a, const Draw& b) { return a.value < b.value; });
  for (std::size_t begin = 0, end = 0; begin < draws.size(); begin = end) {
    while (end < draws.size() && draws[end].value == draws[begin].value) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    const double share = (rank - 0.375) / (static_cast<double>(draws.size()) + 0.25);
    const double score = -std::numbers::sqrt2 * boost::math::erfc_inv(2 * share);
    for (std::size_t i = begin; i < end; ++i) out[draws[i].chain][draws[i].place] = score;
  }
  return out;
}

// Each as long as the shortest.
std::vector<std::vector<double>> cut(Chains chains) {
  std::vector<std::vector<double>> out(chains.begin(), chains.end());
  for (std::vector<double>& each : out) each.resize(shortest_of(chains));
  return out;
}

std::vector<double> sorted_draws(const std::vector<std::vector<double>>& chains) {
  std::vector<double> all;
  for (const std::vector<double>& each : chains) all.insert(all.end(), each.begin(), each.end());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

double effective_samples(Chains chains) { return effective_of(halves_of(chains)); }

double split_r_hat(Chains chains) { return r_hat_of(halves_of(chains)); }

double rank_r_hat(Chains chains) {
  if (halves_of(chains).empty()) return kUnknown;
  std::vector<std::vector<double>> draws = cut(chains);
  const std::vector<std::vector<double>> scores = normal_scores(draws);
  const double bulk = split_r_hat(scores);
  const std::vector<double> all = sorted_draws(draws);
  const double median = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  for (std::vector<double>& chain : draws) {
    for (double& x : chain) x = std::abs(x - median);
  }
  const double tail = split_r_hat(normal_scores(draws));
  return tail > bulk || std::isnan(bulk) ? tail : bulk;
}

double tail_effective_samples(Chains chains) {
  if (halves_of(chains).empty()) return kUnknown;
  std::vector<std::vector<double>> draws = cut(chains);
  const std::vector<double> all = sorted_draws(draws);
  double fewest = kUnknown;
  for (const double share : {0.05, 0.95}) {
    const double limit = all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
    std::vector<std::vector<double>> below = draws;
    for (std::vector<double>& chain : below) {
      for (double& x : chain) x = x <= limit ? 1 : 0;
    }
    const double found = effective_samples(below);
    if (!std::isnan(found) && !(fewest <= found)) fewest = found;
  }
  return fewest;
}

}  // namespace croft::bugs
