// What questions to a chain cost beside the recursion that they rest on, 22 labels, 25 positions:
//   k-best (K = 10)       against Viterbi, both in double
//   spans                 all chunks of the best labelling: forward-backward and windows, against
//                         forward-backward (with expected transitions) alone
// Checks the answers, then prints JSON: microseconds for a sequence, medians, and the ratios.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "core/simd.h"
#include "croft/core/random.h"
#include "croft/inference/chain_k_best.h"
#include "croft/inference/chain_posterior.h"
#include "croft/inference/chain_viterbi.h"

namespace {

using namespace croft;

constexpr std::size_t kLabels = 22, kLength = 25, kChains = 64, kBest = 10;

double microseconds(const std::function<void()>& body) {
  std::vector<double> times;
  for (int repeat = 0; repeat < 41; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    body();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + 20, times.end());
  return times[20] * 1e6 / kChains;
}

// Labels as a BIO tagger has them: 0 is outside, 2 k + 1 begins type k, 2 k + 2 continues it.
bool begins(Label y) { return y % 2 == 1; }

// The probability of each chunk of y: it begins, goes on, and does not go on behind its end.
double spans_of(const ChainPosterior<double>& posterior, std::span<const Label> y,
                std::vector<double>& scratch) {
  static const std::vector<std::vector<Label>> others = [] {
    std::vector<std::vector<Label>> all(kLabels);
    for (Label inside = 0; inside < kLabels; ++inside) {
      for (Label j = 0; j < kLabels; ++j) {
        if (j != inside) all[inside].push_back(j);
      }
    }
    return all;
  }();
  double sum = 0;
  std::vector<std::span<const Label>> window;
  for (std::size_t t = 0; t < y.size();) {
    if (!begins(y[t])) {
      ++t;
      continue;
    }
    const Label inside = (y[t] + 1) % kLabels;
    window.clear();
    std::size_t end = t;
    window.push_back(y.subspan(end++, 1));
    while (end < y.size() && y[end] == inside) window.push_back(y.subspan(end++, 1));
    if (end < y.size()) window.push_back(others[inside]);
    sum += window_probability<double>(posterior, t, window, scratch);
    t = end;
  }
  return sum;
}

int run() {
  Random random(1);
  Matrix<double> log(kLabels, kLabels);
  for (std::size_t i = 0; i < kLabels; ++i) {
    for (double& value : log[i]) value = random.normal();
  }
  TransitionScores<double> transitions;
  transitions.assign(std::move(log));
  std::vector<ChainScores<double>> chains(kChains);
  for (auto& scores : chains) {
    scores.reset(kLength, transitions);
    for (std::size_t t = 0; t < kLength; ++t) {
      for (double& value : scores.state[t]) value = 3 * random.normal();
    }
  }
  std::vector<std::vector<Label>> best(kChains, std::vector<Label>(kLength));
  ViterbiWorkspace<double> viterbi_work;
  ForwardBackwardWorkspace<double> work;
  Matrix<double> state(kLength, kLabels), counts(kLabels, kLabels, 0.0);
  const ChainGradient<double> out{state.row(0), nullptr, counts.row(0)};
  std::vector<double> scratch;
  double check = 0;
  for (std::size_t k = 0; k < kChains; ++k) {
    const double top = viterbi<double>(chains[k], viterbi_work, best[k]);
    const auto list = k_best(chains[k], kBest);
    if (list.size() != kBest || list[0].labels != best[k] || std::abs(list[0].score - top) > 1e-9) {
      std::fprintf(stderr, "wrong answer: the first of the k best is not the best\n");
      return 1;
    }
  }
  const double one = microseconds([&] {
    for (std::size_t k = 0; k < kChains; ++k) viterbi<double>(chains[k], viterbi_work, best[k]);
  });
  const double ten = microseconds([&] {
    for (const auto& scores : chains) check += k_best(scores, kBest).back().score;
  });
  const double sums = microseconds([&] {
    for (const auto& scores : chains) check += marginals(scores, 1, work, out);
  });
  const double spans = microseconds([&] {
    for (std::size_t k = 0; k < kChains; ++k) {
      marginals(chains[k], 1, work, out);
      check += spans_of({chains[k], work, state.row(0)}, best[k], scratch);
    }
  });
  std::printf(
      "{\"viterbi\": %.3f, \"k_best\": %.3f, \"k_best_ratio\": %.2f, "
      "\"forward_backward\": %.3f, \"spans\": %.3f, \"spans_ratio\": %.3f}\n",
      one, ten, ten / one, sums, spans, spans / sums);
  return std::isfinite(check) ? 0 : 1;
}

}  // namespace

int main() {
  apply_simd_environment();
  return run();
}
