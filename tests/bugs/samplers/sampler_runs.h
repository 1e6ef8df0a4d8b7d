// Models built by hand, runs of their samplers, and the comparison with a density by quadrature.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "bugs/distributions.h"
#include "bugs/sampler.h"

namespace croft::bugs {

struct ModelBuilder {
  ModelGraph graph;
  Slot number(double x) { return graph.add_constant(x); }
  NodeId node(DistributionId id, const std::vector<Slot>& scalars,
              std::vector<double> observed = {}) {
    NodeSpec spec{id};
    for (const Slot s : scalars) spec.parameters.push_back({{s}});
    spec.observed = std::move(observed);
    return graph.add_node(spec);
  }
  // rows: of the value; 0 is a vector.
  NodeId array_node(DistributionId id, std::vector<NodeParameter> parameters, std::uint32_t count,
                    std::uint32_t rows = 0, std::vector<double> observed = {}) {
    NodeSpec spec{id};
    spec.parameters = std::move(parameters);
    spec.count = count;
    spec.rows = rows;
    spec.observed = std::move(observed);
    return graph.add_node(spec);
  }
  Slot slot(NodeId id) const { return graph.node(id).first; }
  std::vector<Slot> slots(NodeId id) const {
    std::vector<Slot> result(graph.node(id).count);
    std::iota(result.begin(), result.end(), slot(id));
    return result;
  }
  std::vector<Slot> numbers(const std::vector<double>& x) {
    std::vector<Slot> result;
    for (const double value : x) result.push_back(number(value));
    return result;
  }
  Slot operation(Function f, const std::vector<Slot>& arguments) {
    return graph.add_operation(f, std::span<const Slot>(arguments));
  }
};

struct SampledRun {
  std::vector<std::string> samplers;
  std::vector<std::vector<double>> draws;  // [kept slots][iterations]
};

// start: (slot, value) of every unobserved node that is sampled.
inline SampledRun run_samplers(const ModelGraph& graph,
                               std::vector<std::unique_ptr<Sampler>> samplers,
                               const std::vector<std::pair<Slot, double>>& start,
                               const std::vector<Slot>& kept, int burn_in, int iterations, int thin,
                               std::uint64_t seed) {
  ChainState state{graph.initial()};
  for (const auto& [slot, value] : start) state.values[slot] = value;
  graph.evaluate(graph.kept_current(), state.values.data());
  Random random(seed);
  SampledRun run;
  for (const auto& s : samplers) run.samplers.push_back(s->name());
  run.draws.resize(kept.size());
  for (int i = 0; i < burn_in + iterations * thin; ++i) {
    if (i == burn_in) {
      for (const auto& s : samplers) s->end_adaptation();
    }
    for (const auto& s : samplers) s->update(state, random);
    if (i < burn_in || (i - burn_in) % thin != 0) continue;
    for (std::size_t k = 0; k < kept.size(); ++k) run.draws[k].push_back(state.values[kept[k]]);
  }
  // What samplers leave is current.
  std::vector<double> again = state.values;
  graph.evaluate(graph.kept_current(), again.data());
  for (std::size_t s = 0; s < again.size(); ++s) {
    if (std::isnan(again[s])) continue;
    EXPECT_NEAR(again[s], state.values[s], 1e-9 * (1 + std::fabs(again[s])));
  }
  return run;
}

inline SampledRun run_samplers(const ModelGraph& graph,
                               const std::vector<std::pair<Slot, double>>& start,
                               const std::vector<Slot>& kept, int burn_in, int iterations, int thin,
                               std::uint64_t seed) {
  return run_samplers(graph, choose_samplers(graph), start, kept, burn_in, iterations, thin, seed);
}

// Kolmogorov's distance times the root of the number of draws, against the cdf of a density that is
// integrated on a grid; 1.95 is passed once in 1000 by independent draws.
inline double distance_from_density(std::vector<double> draws,
                                    const std::function<double(double)>& log_density, double low,
                                    double high) {
  constexpr int kGrid = 20000;
  std::vector<double> cdf(kGrid + 1), f(kGrid + 1);
  double most = -std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kGrid; ++i)
    most = std::max(most, f[i] = log_density(low + (high - low) * i / kGrid));
  for (int i = 0; i <= kGrid; ++i) f[i] = std::isnan(f[i]) ? 0 : std::exp(f[i] - most);
  for (int i = 1; i <= kGrid; ++i) cdf[i] = cdf[i - 1] + 0.5 * (f[i] + f[i - 1]);
  for (double& x : cdf) x /= cdf[kGrid];
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double distance = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double at = std::clamp((draws[i] - low) / (high - low), 0.0, 1.0) * kGrid;
    const int cell = std::min(kGrid - 1, static_cast<int>(at));
    const double p = cdf[cell] + (at - cell) * (cdf[cell + 1] - cdf[cell]);
    distance = std::max({distance, std::fabs(p - static_cast<double>(i) / n),
                         std::fabs(p - static_cast<double>(i + 1) / n)});
  }
  return distance * std::sqrt(n);
}

inline double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
inline double deviation_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(x.size() - 1));
}

}  // namespace croft::bugs
