#include "inference/graph/map_kernels.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/infinity.h"

namespace croft {

void max_plus(const double* rows, const double* in, std::size_t many, std::size_t wanted,
              double* out) {
  std::fill_n(out, wanted, -kInf);
  for (std::size_t j = 0; j < many; ++j) {
    const double add = in[j];
    if (add == -kInf) continue;
    const double* row = rows + j * wanted;
    for (std::size_t i = 0; i < wanted; ++i) {
      const double a = row[i] + add;
      out[i] = a > out[i] ? a : out[i];
    }
  }
}

void potts_message(const double* in, std::size_t many, double equal, double unequal,
                   std::size_t wanted, double* out) {
  double first = -kInf, second = -kInf;
  std::size_t best = many;
  for (std::size_t j = 0; j < many; ++j) {
    if (in[j] > first) {
      second = first;
      first = in[j];
      best = j;
    } else {
      second = std::max(second, in[j]);
    }
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    const double other = unequal + (i == best ? second : first);
    out[i] = i < many ? std::max(equal + in[i], other) : other;
  }
}

void truncated_linear_message(const double* in, std::size_t many, double weight, double limit,
                              std::size_t wanted, double* out) {
  const std::size_t n = std::max(many, wanted);
  thread_local std::vector<double> line;
  line.assign(n, -kInf);
  std::copy_n(in, many, line.begin());
  const double most = *std::max_element(in, in + many) - limit;
  for (std::size_t i = 1; i < n; ++i) line[i] = std::max(line[i], line[i - 1] - weight);
  for (std::size_t i = n - 1; i-- > 0;) line[i] = std::max(line[i], line[i + 1] - weight);
  for (std::size_t i = 0; i < wanted; ++i) out[i] = std::max(line[i], most);
}

void truncated_quadratic_message(const double* in, std::size_t many, double weight, double limit,
                                 std::size_t wanted, double* out) {
  const double highest = *std::max_element(in, in + many);
  const double most = highest - limit;
  std::fill_n(out, wanted, weight == 0 ? highest : most);
  if (weight == 0) return;
  // Peaks whose parabola is the highest somewhere, and from where on.  A parabola below the limit
  // everywhere plays no part, which keeps the numbers near each other.
  thread_local std::vector<std::size_t> peak;
  thread_local std::vector<double> from;
  peak.clear();
  from.clear();
  for (std::size_t j = 0; j < many; ++j) {
    if (!(in[j] > most)) continue;
    double start = -kInf;
    while (!peak.empty()) {
      const double p = static_cast<double>(peak.back()), q = static_cast<double>(j);
      start = (in[peak.back()] - in[j]) / (2 * weight * (q - p)) + (p + q) / 2;
      if (start > from.back()) break;
      peak.pop_back();
      from.pop_back();
      start = -kInf;
    }
    peak.push_back(j);
    from.push_back(start);
  }
  std::size_t k = 0;
  for (std::size_t i = 0; i < wanted && !peak.empty(); ++i) {
    const double x = static_cast<double>(i);
    while (k + 1 < peak.size() && from[k + 1] <= x) ++k;
    const double gap = x - static_cast<double>(peak[k]);
    out[i] = std::max(out[i], in[peak[k]] - weight * gap * gap);
  }
}

void parity_marginals(std::span<BinaryInput> inputs, bool odd, double floor) {
  // All at their better states; the cheapest change of one of them gives the other parity.
  double sum = 0, least = kInf, second = kInf;
  std::size_t cheapest = inputs.size();
  bool ones = false;
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    const BinaryInput& a = inputs[j];
    sum += std::max(a.in0, a.in1);
    ones ^= a.in1 > a.in0;
    const double change = std::abs(a.in1 - a.in0);
    if (change < least) {
      second = least;
      least = change;
      cheapest = j;
    } else {
      second = std::min(second, change);
    }
  }
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    BinaryInput& a = inputs[j];
    const double others = sum - std::max(a.in0, a.in1);
    const bool others_odd = ones != (a.in1 > a.in0);
    const double change = j == cheapest ? second : least;
    const auto with = [&](double in, bool one) {
      const bool fits = (others_odd != one) == odd;
      return in + others + std::max(fits ? 0.0 : -change, floor - (fits ? change : 0.0));
    };
    a.m0 = a.in0 == -kInf ? -kInf : with(a.in0, false);
    a.m1 = a.in1 == -kInf ? -kInf : with(a.in1, true);
  }
}

void cardinality_marginals(std::span<BinaryInput> inputs, const double* scores) {
  struct Free {
    double gain;
    std::size_t j;
  };
  std::vector<Free> free;
  double base = 0;
  std::size_t ones = 0;
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    const BinaryInput& a = inputs[j];
    if (a.in0 == -kInf) {
      base += a.in1;
      ++ones;
    } else {
      base += a.in0;
      if (a.in1 > -kInf) free.push_back({a.in1 - a.in0, j});
    }
  }
  std::ranges::sort(free, [](const Free& a, const Free& b) {
    return a.gain != b.gain ? a.gain > b.gain : a.j < b.j;
  });
  const std::size_t n = free.size();
  std::vector<double> top(n + 1, base);  // the base and the k largest gains
  for (std::size_t k = 0; k < n; ++k) top[k + 1] = top[k] + free[k].gain;
  const auto score = [&](std::size_t k) { return scores[ones + k]; };
  // From the right: the best where the r-th is among the k largest, or is taken from k + 1 of them.
  std::vector<double> with(n + 1, -kInf), less(n + 1, -kInf);
  for (std::size_t k = n; k > 0; --k) {
    with[k - 1] = std::max(k < n ? with[k] : -kInf, score(k) + top[k]);
    less[k - 1] = std::max(k < n ? less[k] : -kInf, score(k - 1) + top[k]);
  }
  double without = score(0) + top[0], more = -kInf;  // from the left
  const double best = n == 0 ? without : std::max(without, with[0]);
  for (std::size_t r = 0; r < n; ++r) {
    BinaryInput& a = inputs[free[r].j];
    a.m1 = std::max(with[r], more + free[r].gain);
    a.m0 = std::max(without, less[r] - free[r].gain);
    without = std::max(without, score(r + 1) + top[r + 1]);
    more = std::max(more, score(r + 1) + top[r]);
  }
  for (BinaryInput& a : inputs) {
    if (a.in0 == -kInf)
      a.m0 = -kInf, a.m1 = best;
    else if (a.in1 == -kInf)
      a.m0 = best, a.m1 = -kInf;
  }
}

}  // namespace croft
