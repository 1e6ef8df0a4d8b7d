#include "bugs/distributions/autoregression.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "bugs/distributions/dense.h"
#include "bugs/distributions/densities.h"
#include "bugs/distributions/draws.h"

namespace croft::bugs {
namespace {

// visit(i, j, place in the lists) for every neighbour j of every area i, both from 0.
template <class Visit>
void for_neighbours(Numbers adjacent, Numbers counts, const Visit& visit) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto end = at + static_cast<std::size_t>(counts[i]);
    for (; at < end; ++at) visit(i, static_cast<std::size_t>(adjacent[at]) - 1, at);
  }
}

}  // namespace

std::vector<std::uint32_t> parts_of_areas(Numbers adjacent, Numbers counts) {
  std::vector<std::uint32_t> part(counts.size());
  std::iota(part.begin(), part.end(), 0U);
  const auto root = [&](std::size_t i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return static_cast<std::uint32_t>(i);
  };
  for_neighbours(adjacent, counts, [&](std::size_t i, std::size_t j, std::size_t) {
    const std::uint32_t a = root(i), b = root(j);
    part[std::min(a, b)] = std::max(a, b);
  });
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = root(i);
  return part;
}

double autoregression_log_density(Numbers x, Parameters p, Part part) {
  const double tau = p[3][0];
  if (!(tau > 0)) return kNever;
  double squares = 0;
  for_neighbours(p[0], p[2], [&](std::size_t i, std::size_t j, std::size_t at) {
    const double d = x[i] - x[j];
    squares += p[1][at] * d * d;
  });
  double sum = -0.25 * tau * squares;  // each pair was seen from both sides
  if (part == Part::of_value) return sum;
  const std::vector<std::uint32_t> last = parts_of_areas(p[0], p[2]);
  std::size_t rank = 0;
  for (std::size_t i = 0; i < last.size(); ++i) rank += last[i] != i ? 1 : 0;
  return sum + 0.5 * static_cast<double>(rank) * std::log(tau);
}

// The last area of each part is held at 0; then the means are taken away.
void draw_autoregression(Parameters p, Random& random, std::span<double> x) {
  const std::vector<std::uint32_t> last = parts_of_areas(p[0], p[2]);
  std::vector<std::size_t> place(x.size(), x.size()), free;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (last[i] == i) continue;
    place[i] = free.size();
    free.push_back(i);
  }
  const std::size_t n = free.size();
  std::vector<double> precision(n * n, 0.0), factor(n * n), z(n);
  for_neighbours(p[0], p[2], [&](std::size_t i, std::size_t j, std::size_t at) {
    if (place[i] >= n) return;
    const double w = p[3][0] * p[1][at];
    precision[place[i] * (n + 1)] += w;
    if (place[j] < n) precision[place[i] + place[j] * n] -= w;
  });
  std::fill(x.begin(), x.end(), 0.0);
  if (!dense_cholesky(n, precision, factor)) return;
  for (double& each : z) each = draw_normal(random);
  solve_upper(n, factor, z.data());
  for (std::size_t k = 0; k < n; ++k) x[free[k]] = z[k];
  centre_parts(last, x);
}

std::string autoregression_fault(Parameters p) {
  const std::size_t areas = p[2].size();
  double all = 0;
  for (const double count : p[2]) {
    if (!(count >= 0) || !is_whole(count)) return "a number of neighbours is negative or not whole";
    all += count;
  }
  if (all != static_cast<double>(p[0].size()))
    return "num has " + std::to_string(static_cast<std::uint64_t>(all)) +
           " neighbours in all, and adj has " + std::to_string(p[0].size());
  for (const double area : p[0]) {
    if (!(area >= 1 && area <= static_cast<double>(areas)) || !is_whole(area))
      return "adj has a number that is no area from 1 to " + std::to_string(areas);
  }
  std::map<std::pair<std::size_t, std::size_t>, double> weights;
  std::string fault;
  for_neighbours(p[0], p[2], [&](std::size_t i, std::size_t j, std::size_t at) {
    if (i == j) fault = "area " + std::to_string(i + 1) + " is its own neighbour";
    if (!(p[1][at] > 0) || std::isinf(p[1][at])) fault = "a weight is not positive and finite";
    weights[{i, j}] += p[1][at];
  });
  for (const auto& [pair, weight] : weights) {
    if (!fault.empty()) break;
    const auto back = weights.find({pair.second, pair.first});
    if (back == weights.end() || back->second != weight) {
      fault = "areas " + std::to_string(pair.first + 1) + " and " +
              std::to_string(pair.second + 1) + " are not neighbours of each other by one weight";
    }
  }
  if (fault.empty() && !(p[3][0] > 0)) return "the precision is not positive";
  return fault;
}

void centre_parts(std::span<const std::uint32_t> part_of, std::span<double> x) {
  std::vector<double> sum(x.size(), 0.0), count(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum[part_of[i]] += x[i];
    count[part_of[i]] += 1;
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= sum[part_of[i]] / count[part_of[i]];
}

}  // namespace croft::bugs
