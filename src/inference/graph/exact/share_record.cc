#include "inference/graph/exact/share_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::size_t kBatches = 64;
constexpr double kConverged = 1.01;

}  // namespace

ShareRecord::ShareRecord(const FactorGraph& graph, std::size_t sweeps, std::size_t chains)
    : chains_(chains), batch_(std::max<std::size_t>(1, sweeps / kBatches)) {
  Count empty;
  empty.now.assign(chains, 0.0);
  for (Variable v = 0; v < graph.variables(); ++v) {
    count_.emplace_back(graph.states(v), empty);
  }
}

void ShareRecord::add(std::size_t chain, std::span<const State> x) {
  for (Variable v = 0; v < x.size(); ++v) count_[v][x[v]].now[chain] += 1;
  if (chain + 1 < chains_) return;
  ++sweeps_;
  if (++in_batch_ < batch_) return;
  in_batch_ = 0;
  ++batches_;
  for (auto& states : count_) {
    for (Count& each : states) {
      for (double& now : each.now) {
        each.shares.push_back(now / static_cast<double>(batch_));
        each.total += now;
        now = 0;
      }
    }
  }
}

// Shares are [batch][chain].
ShareRecord::Summary ShareRecord::summary(const Count& count) const {
  Summary out;
  double total = count.total;
  for (const double each : count.now) total += each;
  out.mean = total / static_cast<double>(sweeps_ * chains_);
  const auto parts = static_cast<double>(count.shares.size());
  double mean = 0, square = 0;
  for (const double each : count.shares) mean += each / parts;
  for (const double each : count.shares) square += (each - mean) * (each - mean);
  out.variance = square / (parts * (parts - 1));
  const std::size_t half = batches_ / 2;
  std::vector<double> halves;
  for (std::size_t c = 0; c < chains_; ++c) {
    for (const std::size_t first : {std::size_t{0}, batches_ - half}) {
      double sum = 0;
      for (std::size_t b = first; b < first + half; ++b) sum += count.shares[b * chains_ + c];
      halves.push_back(sum / static_cast<double>(half));
    }
  }
  const auto n = static_cast<double>(half * batch_), k = static_cast<double>(halves.size());
  double middle = 0, between = 0, within = 0;
  for (const double each : halves) middle += each / k;
  for (const double each : halves) {
    between += (each - middle) * (each - middle) / (k - 1);
    within += each * (1 - each) / k * n / std::max(1.0, n - 1);
  }
  if (within > 0) {
    out.r_hat = std::sqrt((n - 1) / n + between / within);
  } else if (between > 1e-20) {
    out.r_hat = std::numeric_limits<double>::infinity();
  }
  return out;
}

void ShareRecord::finish(bool stopped, GibbsResult& result) const {
  if (batches_ < 2) throw Error("stopped before enough sweeps were counted");
  double worst = 1;
  result.effective_samples = std::numeric_limits<double>::infinity();
  for (const auto& states : count_) {
    std::vector<double>& p = result.marginals.emplace_back();
    std::vector<double>& error = result.standard_errors.emplace_back();
    for (const Count& each : states) {
      const Summary found = summary(each);
      p.push_back(found.mean);
      error.push_back(std::sqrt(found.variance));
      worst = std::max(worst, found.r_hat);
      if (found.variance > 0) {
        result.effective_samples =
            std::min(result.effective_samples, found.mean * (1 - found.mean) / found.variance);
      }
    }
  }
  if (std::isinf(result.effective_samples)) {  // nothing ever changed
    result.effective_samples = static_cast<double>(sweeps_ * chains_);
  }
  result.convergence.residual = worst - 1;
  result.convergence.converged = !stopped && worst <= kConverged;
}

}  // namespace croft
