#include "bugs/posterior/diagnostics.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace croft::bugs {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewest = 4;     // draws of a half
constexpr std::size_t kFewLags = 128;  // that are summed as they are defined
constexpr std::size_t kLagsAtOnce = 8;

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

// From the first number on, so that the mean of equal numbers is that number.
double mean_of(std::span<const double> x) {
  double sum = 0;
  for (const double each : x) sum += each - x[0];
  return x[0] + sum / static_cast<double>(x.size());
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

// e^(-2 pi i k / length), k < length / 2, of length 2, 4, ... n beside each other; kept by each
// thread for the next series of as many draws.
const std::vector<std::complex<double>>& turns(std::size_t n) {
  thread_local std::vector<std::complex<double>> table;
  if (table.size() + 1 == n) return table;
  table.clear();
  for (std::size_t length = 2; length <= n; length <<= 1) {
    const double angle = -2 * std::numbers::pi / static_cast<double>(length);
    for (std::size_t k = 0; k < length / 2; ++k)
      table.push_back(std::polar(1.0, angle * static_cast<double>(k)));
  }
  return table;
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
  const double side = back ? -1 : 1;
  const std::complex<double>* turn = turns(n).data();
  for (std::size_t length = 2; length <= n; turn += length / 2, length <<= 1) {
    for (std::size_t begin = 0; begin < n; begin += length) {
      for (std::size_t k = 0; k < length / 2; ++k) {
        std::complex<double>&a = x[begin + k], &b = x[begin + k + length / 2];
        const double c = turn[k].real(), s = side * turn[k].imag();
        const std::complex<double> turned(b.real() * c - b.imag() * s, b.real() * s + b.imag() * c);
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
    while (first_sums_.size() <= lag) sum_lags();
    return first_sums_[lag];
  }

 private:
  // The next few lags side by side, each as it is defined.
  void sum_lags() {
    const std::size_t first = first_sums_.size();
    double sums[kLagsAtOnce] = {};
    for (std::size_t begin = 0; begin < centred_.size(); begin += n_) {
      const double* const x = centred_.data() + begin;
      std::size_t i = 0;
      for (; i + first + kLagsAtOnce <= n_; ++i) {
        for (std::size_t k = 0; k < kLagsAtOnce; ++k) sums[k] += x[i] * x[i + first + k];
      }
      for (; i + first < n_; ++i) {
        for (std::size_t k = 0; i + first + k < n_; ++k) sums[k] += x[i] * x[i + first + k];
      }
    }
    for (const double sum : sums) first_sums_.push_back(sum / static_cast<double>(n_));
  }

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
  std::vector<double> centred_;     // [halves][n]
  std::vector<double> first_sums_;  // [lags], few
  std::vector<double> sums_;        // [lags], once they are transformed
};

double effective_of(std::span<const std::span<const double>> halves) {
  if (halves.empty()) return kUnknown;
  const Variances variances = variances_of(halves);
  if (!(variances.within > 0) || !std::isfinite(variances.all)) return kUnknown;
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

// Rounding to a double is enough: Boost would take long doubles.
using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

// The normal quantile of (rank - 3/8) / (draws + 1/4).
double score_of(double rank, std::size_t draws) {
  const double share = (rank - 0.375) / (static_cast<double>(draws) + 0.25);
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * share, Doubles());
}

}  // namespace

double effective_samples(Chains chains) { return effective_of(halves_of(chains)); }

double split_r_hat(Chains chains) { return r_hat_of(halves_of(chains)); }

RankedDraws::RankedDraws(Chains chains)
    : length_(shortest_of(chains)), known_(!halves_of(chains).empty()) {
  order_.reserve(chains.size() * length_);
  for (const std::vector<double>& each : chains) {
    for (std::size_t i = 0; i < length_; ++i) order_.push_back({each[i], order_.size()});
  }
  std::sort(order_.begin(), order_.end(),
            [](const Draw& a, const Draw& b) { return a.value < b.value; });
}

// Those of the lower half are those of the upper, negative.
std::vector<double> RankedDraws::scores_by_rank() const {
  const std::size_t size = order_.size();
  std::vector<double> out(size);
  for (std::size_t k = 0; k < (size + 1) / 2; ++k) {
    out[k] = score_of(static_cast<double>(k + 1), size);
    out[size - 1 - k] = -out[k];
  }
  return out;
}

// [chains][draws]; equal draws share their mean rank.
std::vector<std::vector<double>> RankedDraws::scores(std::span<const Draw> order,
                                                     std::span<const double> by_rank) const {
  std::vector<std::vector<double>> out(order.size() / length_, std::vector<double>(length_));
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && order[end].value == order[begin].value) ++end;
    const double score = end == begin + 1
                             ? by_rank[begin]
                             : score_of(static_cast<double>(begin + 1 + end) / 2, order.size());
    for (std::size_t i = begin; i < end; ++i) {
      out[order[i].place / length_][order[i].place % length_] = score;
    }
  }
  return out;
}

// From the median outwards, on both sides at once.
std::vector<RankedDraws::Draw> RankedDraws::by_distance_from_median() const {
  const std::size_t size = order_.size();
  const double median = (order_[(size - 1) / 2].value + order_[size / 2].value) / 2;
  std::vector<Draw> out;
  out.reserve(size);
  std::size_t below = size / 2, above = size / 2;  // order_[below - 1] and order_[above] are next
  while (out.size() < size) {
    const bool take_below =
        below > 0 && (above == size || std::abs(order_[below - 1].value - median) <=
                                           std::abs(order_[above].value - median));
    const Draw& next = take_below ? order_[--below] : order_[above++];
    out.push_back({std::abs(next.value - median), next.place});
  }
  return out;
}

double RankedDraws::r_hat() const {
  if (!known_) return kUnknown;
  const std::vector<double> by_rank = scores_by_rank();
  const double bulk = split_r_hat(scores(order_, by_rank));
  const double tail = split_r_hat(scores(by_distance_from_median(), by_rank));
  return tail > bulk || std::isnan(bulk) ? tail : bulk;
}

double RankedDraws::bulk_effective_samples() const {
  return known_ ? effective_samples(scores(order_, scores_by_rank())) : kUnknown;
}

double RankedDraws::tail_effective_samples() const {
  if (!known_) return kUnknown;
  double fewest = kUnknown;
  for (const double share : {0.05, 0.95}) {
    const auto last = static_cast<std::size_t>(share * static_cast<double>(order_.size() - 1));
    std::vector<std::vector<double>> below(order_.size() / length_, std::vector<double>(length_));
    for (const Draw& each : order_) {
      if (each.value > order_[last].value) break;
      below[each.place / length_][each.place % length_] = 1;
    }
    const double found = effective_samples(below);
    if (!std::isnan(found) && !(fewest <= found)) fewest = found;
  }
  return fewest;
}

std::vector<double> RankedDraws::sorted() const {
  std::vector<double> out;
  out.reserve(order_.size());
  for (const Draw& each : order_) out.push_back(each.value);
  return out;
}

}  // namespace croft::bugs
