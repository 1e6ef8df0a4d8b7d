#include "bugs/posterior/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bugs/posterior/diagnostics.h"
#include "core/json.h"
#include "core/unicode.h"
#include "croft/core/parallel.h"
#include "data/csv.h"

namespace croft::bugs {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// Linear between the two draws beside it.
double quantile_of(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(below);
  if (rest == 0 || below + 1 == sorted.size()) return sorted[below];
  return sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

std::array<double, 2> narrowest_of(const std::vector<double>& sorted) {
  const auto inside =
      static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(sorted.size())));
  std::array<double, 2> best = {sorted.front(), sorted.back()};
  for (std::size_t i = 0; i + inside <= sorted.size(); ++i) {
    if (sorted[i + inside - 1] - sorted[i] < best[1] - best[0]) {
      best = {sorted[i], sorted[i + inside - 1]};
    }
  }
  return best;
}

constexpr std::array<const char*, 12> kColumns = {
    "node", "mean", "sd", "mcse", "2.5%", "25%", "50%", "75%", "97.5%", "ess", "ess_tail", "r_hat"};

std::array<double, 11> numbers_of(const NodeSummary& node) {
  return {node.mean,           node.sd,           node.error,
          node.quantiles[0],   node.quantiles[1], node.quantiles[2],
          node.quantiles[3],   node.quantiles[4], node.effective,
          node.tail_effective, node.r_hat};
}

// Four digits, and no more zeros than a number has.
std::string short_number(double value, std::size_t column, bool exact) {
  if (exact && (column == 2 || column >= 8)) return "-";
  if (std::isnan(value)) return "-";
  if (column == 8 || column == 9) return fmt::format("{:.0f}", value);
  if (column == 10) return fmt::format("{:.3f}", value);
  return fmt::format("{:.4g}", value);
}

void forget(NodeSummary& out) {
  out.mean = out.sd = out.error = out.effective = out.tail_effective = out.r_hat = kNotKnown;
  out.quantiles.fill(kNotKnown);
  out.narrowest.fill(kNotKnown);
}

// Infinite values are texts: JSON has no number for them.  NaN is null.
Json values_json(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double x : values) {
    if (std::isinf(x)) {
      out.push_back(x > 0 ? "inf" : "-inf");
    } else {
      out.push_back(std::isnan(x) ? Json() : Json(x));
    }
  }
  return out;
}

}  // namespace

NodeSummary summarise(const Trace& trace) {
  NodeSummary out;
  out.name = trace.name;
  std::vector<double> all;
  for (const std::vector<double>& chain : trace.chains) {
    all.insert(all.end(), chain.begin(), chain.end());
  }
  out.draws = all.size();
  const auto n = static_cast<double>(all.size());
  const auto without = std::ranges::count_if(all, [](double x) { return std::isnan(x); });
  if (all.empty() || without > 0) {
    if (without > 0) out.no_number = static_cast<double>(without) / n;
    forget(out);
    return out;
  }
  const double base =
      std::isfinite(all[0]) ? all[0] : 0;  // equal numbers have that mean to the bit
  for (const double x : all) out.mean += (x - base) / n;
  out.mean += base;
  double squares = 0;
  for (const double x : all) squares += (x - out.mean) * (x - out.mean);
  out.sd = all.size() > 1 ? std::sqrt(squares / (n - 1)) : kNotKnown;
  const RankedDraws ranked(trace.chains);
  std::vector<double> sorted = ranked.sorted();
  if (sorted.size() < all.size()) {  // chains of different lengths
    sorted = std::move(all);
    std::sort(sorted.begin(), sorted.end());
  }
  for (std::size_t k = 0; k < kSummaryShares.size(); ++k) {
    out.quantiles[k] = quantile_of(sorted, kSummaryShares[k]);
  }
  out.narrowest = narrowest_of(sorted);
  out.effective = ranked.bulk_effective_samples();
  out.tail_effective = ranked.tail_effective_samples();
  out.r_hat = ranked.r_hat();
  out.error = out.sd == 0 ? 0 : out.sd / std::sqrt(effective_samples(trace.chains));
  return out;
}

NodeSummary summarise(const ExactMarginal& marginal) {
  NodeSummary out;
  out.name = marginal.name;
  out.exact = true;
  const std::size_t count = marginal.values.size();
  if (count > 0 && std::isnan(marginal.values.back())) {
    out.no_number = marginal.probabilities.back();
    forget(out);
    return out;
  }
  out.effective = out.tail_effective = out.r_hat = kNotKnown;
  for (std::size_t k = 0; k < count; ++k) {
    out.mean += marginal.values[k] * marginal.probabilities[k];
  }
  double variance = 0;
  std::vector<std::size_t> order(count);
  for (std::size_t k = 0; k < count; ++k) {
    order[k] = k;
    const double apart = marginal.values[k] - out.mean;
    variance += apart * apart * marginal.probabilities[k];
  }
  out.sd = std::sqrt(variance);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return marginal.values[a] < marginal.values[b]; });
  // The least value that has so much probability up to it.
  for (std::size_t q = 0; q < kSummaryShares.size(); ++q) {
    double sum = 0;
    for (const std::size_t k : order) {
      sum += marginal.probabilities[k];
      out.quantiles[q] = marginal.values[k];
      if (sum >= kSummaryShares[q] - 1e-12) break;
    }
  }
  // The narrowest run of values with 95 %.
  out.narrowest = {kNotKnown, kNotKnown};
  for (std::size_t begin = 0; begin < count; ++begin) {
    double sum = 0;
    for (std::size_t end = begin; end < count; ++end) {
      sum += marginal.probabilities[order[end]];
      if (sum < 0.95 - 1e-12) continue;
      const double low = marginal.values[order[begin]], high = marginal.values[order[end]];
      if (!(high - low >= out.narrowest[1] - out.narrowest[0])) out.narrowest = {low, high};
      break;
    }
  }
  return out;
}

std::vector<NodeSummary> summaries(const BugsResult& result, std::size_t threads) {
  std::vector<NodeSummary> out(result.traces.size());
  ThreadPool(threads).run(out.size(), [&](std::size_t index, std::size_t) {
    out[index] = summarise(result.traces[index]);
  });
  for (const ExactMarginal& each : result.exact) out.push_back(summarise(each));
  return out;
}

std::string summary_text(const std::vector<NodeSummary>& nodes) {
  std::vector<std::array<std::string, kColumns.size()>> rows(1);
  for (std::size_t k = 0; k < kColumns.size(); ++k) rows[0][k] = kColumns[k];
  for (const NodeSummary& node : nodes) {
    auto& row = rows.emplace_back();
    row[0] = node.name;
    const auto numbers = numbers_of(node);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      row[k + 1] = short_number(numbers[k], k, node.exact);
    }
  }
  std::array<std::size_t, kColumns.size()> widths = {};
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      widths[k] = std::max(widths[k], character_count(row[k]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    out += row[0] + std::string(widths[0] - character_count(row[0]), ' ');
    for (std::size_t k = 1; k < row.size(); ++k) {
      out += std::string(2 + widths[k] - row[k].size(), ' ') + row[k];
    }
    out += "\n";
  }
  return out;
}

std::string summary_csv(const std::vector<NodeSummary>& nodes) {
  std::string out;
  for (std::size_t k = 0; k < kColumns.size(); ++k)
    out += (k == 0 ? "" : ",") + std::string(kColumns[k]);
  out += ",hpd_low,hpd_high,draws\n";
  for (const NodeSummary& node : nodes) {
    out += csv_cell(node.name);
    const auto cell = [&](double x) { out += std::isnan(x) ? "," : fmt::format(",{}", x); };
    for (const double each : numbers_of(node)) cell(each);
    for (const double each : node.narrowest) cell(each);
    out += fmt::format(",{}\n", node.draws);
  }
  return out;
}

Json to_json(const NodeSummary& node) {
  Json quantiles = Json::object(KeyOrder::as_written);
  for (std::size_t k = 0; k < kSummaryShares.size(); ++k) {
    quantiles[kColumns[4 + k]] = node.quantiles[k];
  }
  Json out = Json::object(KeyOrder::as_written);
  out["name"] = node.name;
  out["mean"] = node.mean;
  out["sd"] = node.sd;
  out["quantiles"] = std::move(quantiles);
  out["hpd"] = Json{{"low", node.narrowest[0]}, {"high", node.narrowest[1]}};
  if (node.no_number > 0) out["no_number"] = node.no_number;
  if (node.exact) return out;
  out["mcse"] = node.error;
  out["effective_samples"] = node.effective;
  out["tail_effective_samples"] = node.tail_effective;
  out["r_hat"] = node.r_hat;
  out["draws"] = node.draws;
  return out;
}

Json to_json(const BugsResult& result, const std::vector<NodeSummary>& summaries_of,
             const BugsOptions& options) {
  Json out = Json::object(KeyOrder::as_written);
  out["exact"] = !result.exact.empty();
  out["observed"] = result.observed;
  out["unobserved"] = result.unobserved;
  out["graph_size"] = result.graph_size;
  if (result.exact.empty()) {
    out["chains"] = options.chains;
    out["burn_in"] = options.burn_in;
    out["iterations"] = result.iterations;
    out["seed"] = options.seed;
    out["stopped"] = result.stopped;
  }
  Json nodes = Json::array();
  const std::size_t traces = result.traces.size();
  for (std::size_t k = 0; k < summaries_of.size(); ++k) {
    Json node = to_json(summaries_of[k]);
    if (k < traces) {
      node["first"] = result.traces[k].first;
      node["thin"] = result.traces[k].thin;
    } else {
      node["values"] = values_json(result.exact[k - traces].values);
      node["probabilities"] = result.exact[k - traces].probabilities;
    }
    nodes.push_back(std::move(node));
  }
  out["nodes"] = std::move(nodes);
  if (result.log_evidence) out["log_evidence"] = *result.log_evidence;
  if (result.deviance) {
    out["deviance"] = Json{{"mean", result.deviance->mean_deviance},
                           {"pd", result.deviance->pd},
                           {"dic", result.deviance->dic}};
  }
  Json samplers = Json::array();
  for (const SamplerUse& each : result.samplers) {
    samplers.push_back(Json{{"sampler", each.sampler}, {"nodes", each.nodes}});
  }
  out["samplers"] = std::move(samplers);
  out["warnings"] = result.warnings;
  return out;
}

}  // namespace croft::bugs
