// Time of sums (log Z, marginals, expected transitions) against the number of labels L:
//   label_set_bench [PERCENT]
// PERCENT (1) of the transitions have a weight, at least two a label; the same scores as a dense
// table, one chain after the other and sixteen at once, and as sparse transitions, sixteen at once
// and alone. Checks that all agree, then prints microseconds for a position, medians.
// Then the same for groups of transitions that share a score: one group, and two, by the labels of
// both ends (halves) or with PERCENT of the transitions, at random, in the second.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/simd.h"
#include "croft/core/random.h"
#include "croft/inference/chain_sum.h"
#include "croft/structure/edge_sharing.h"

namespace {

using namespace croft;

constexpr std::size_t kLength = 25, kGroups = 2, kChains = kGroups * kChainLanes;

// Chains over one table, and where their sums go.
struct Problem {
  TransitionScores<float> transitions;
  std::vector<ChainScores<float>> scores;
  std::vector<Matrix<float>> state;
  std::vector<double> cells;
  std::vector<ChainGradient<float>> out;
  std::vector<CompensatedSum> log_z;
};

void set_chains(Problem& problem, std::uint64_t seed) {
  const std::size_t labels = problem.transitions.labels();
  Random random(seed);
  problem.scores.resize(kChains);
  problem.log_z.resize(kChains);
  problem.cells.assign(problem.transitions.cells(), 0.0);
  for (ChainScores<float>& scores : problem.scores) {
    scores.reset(kLength, problem.transitions);
    for (std::size_t t = 0; t < kLength; ++t) {
      for (float& value : scores.state[t]) value = static_cast<float>(2 * random.normal());
    }
    problem.state.emplace_back(kLength, labels);
  }
  for (Matrix<float>& state : problem.state) {
    problem.out.push_back({state.row(0), nullptr, problem.cells.data()});
  }
}

double log_z_of(const Problem& problem) {
  double sum = 0;
  for (const CompensatedSum& z : problem.log_z) sum += z.value();
  return sum;
}

double microseconds(const std::function<void()>& body) {
  std::vector<double> times;
  double total = 0;
  while (times.size() < 5 || (total < 0.4 && times.size() < 200)) {
    const auto start = std::chrono::steady_clock::now();
    body();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    total += times.back();
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2] * 1e6 / static_cast<double>(kLength * kChains);
}

// The same one by one in the log domain, where that is a matter of seconds.
bool run_log_domain(Problem& dense, std::size_t labels, double truth) {
  constexpr std::size_t kMostLabels = 100;
  if (labels > kMostLabels) {
    std::printf(" %12s\n", "-");
    return true;
  }
  LogDomainWorkspace work;
  double sum = 0;
  const double time = microseconds([&] {
    sum = 0;
    for (std::size_t k = 0; k < kChains; ++k) {
      sum += log_domain_marginals(dense.scores[k], 1, work, dense.out[k]);
    }
  });
  std::printf(" %12.3f\n", time);
  if (std::abs(sum - truth) <= 1e-6 * std::abs(truth)) return true;
  std::fprintf(stderr, "wrong answer in the log domain at L = %zu: %.6f, not %.6f\n", labels, sum,
               truth);
  return false;
}

bool run(std::size_t labels, double share) {
  Random random(labels);
  Matrix<float> table(labels, labels, 0.0f);
  std::vector<Edge> edges;
  std::vector<float> log;
  const double chance = std::max(share, 2.0 / static_cast<double>(labels));
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      if (random.uniform() >= chance) continue;
      table(i, j) = static_cast<float>(random.normal());
      edges.push_back({i, j});
      log.push_back(table(i, j));
    }
  }
  Problem dense, sparse;
  dense.transitions.assign(std::move(table));
  sparse.transitions.assign(labels, Background::zero, edges, std::span<const float>(log));
  set_chains(dense, labels);
  set_chains(sparse, labels);

  const std::vector<double> scale(kChains, 1.0);
  ForwardBackwardWorkspace<float> alone;
  BatchWorkspace<float> batch;
  const auto one_by_one = [&](Problem& p) {
    for (std::size_t k = 0; k < kChains; ++k) {
      marginals(p.scores[k], 1, alone, p.out[k]);
      p.log_z[k] = alone.log_z;
    }
  };
  const auto together = [&](Problem& p) {
    marginals<float>(p.scores, scale, batch, p.out, p.log_z);
  };
  one_by_one(dense);
  const double truth = log_z_of(dense);
  for (const auto& compute : {std::function<void()>([&] { together(dense); }),
                              std::function<void()>([&] { together(sparse); }),
                              std::function<void()>([&] { one_by_one(sparse); })}) {
    compute();
  }
  for (const Problem* p : {&dense, &sparse}) {
    if (std::abs(log_z_of(*p) - truth) > 1e-6 * std::abs(truth)) {
      std::fprintf(stderr, "wrong answer at L = %zu: %.6f, not %.6f\n", labels, log_z_of(*p),
                   truth);
      return false;
    }
  }
  const double dense_alone = microseconds([&] { one_by_one(dense); });
  const double dense_together = microseconds([&] { together(dense); });
  const double sparse_together = microseconds([&] { together(sparse); });
  const double sparse_alone = microseconds([&] { one_by_one(sparse); });
  std::printf("%6zu %8zu %12.3f %12.3f %12.3f %12.3f %9.1f x", labels, edges.size(), dense_alone,
              dense_together, sparse_together, sparse_alone,
              std::min(dense_alone, dense_together) / sparse_together);
  return run_log_domain(dense, labels, truth);
}

// Chains over groups of transitions, many at once.
//   number : [L][L] group of each transition
//   dense  : nothing is known of the groups
Problem group_problem(std::size_t labels, const std::vector<std::uint32_t>& number, bool dense) {
  Matrix<float> table(labels, labels);
  for (std::size_t i = 0; i < labels; ++i) {
    for (std::size_t j = 0; j < labels; ++j) {
      table(i, j) = 0.3f + 0.8f * static_cast<float>(number[i * labels + j]);
    }
  }
  Problem problem;
  problem.transitions.assign(std::move(table),
                             dense ? nullptr : find_sharing(labels, number, number.size()));
  set_chains(problem, labels);
  return problem;
}

bool run_groups(std::size_t labels, double share) {
  Random random(labels);
  std::vector<std::uint32_t> one(labels * labels, 0), halves(one), some(one);
  for (std::size_t cell = 0; cell < one.size(); ++cell) {
    halves[cell] = cell / labels * 2 >= labels && cell % labels * 2 >= labels;
    some[cell] = random.uniform() < share;
  }
  const std::vector<double> scale(kChains, 1.0);
  BatchWorkspace<float> batch;
  std::printf("%6zu", labels);
  for (const auto* number : {&one, &halves, &some}) {
    Problem shared = group_problem(labels, *number, false);
    Problem dense = group_problem(labels, *number, true);
    const auto sums = [&](Problem& p) { marginals<float>(p.scores, scale, batch, p.out, p.log_z); };
    sums(shared);
    sums(dense);
    if (std::abs(log_z_of(shared) - log_z_of(dense)) > 1e-6 * std::abs(log_z_of(dense))) {
      std::fprintf(stderr, "wrong answer at L = %zu: %.6f, not %.6f\n", labels, log_z_of(shared),
                   log_z_of(dense));
      return false;
    }
    const double by_group = microseconds([&] { sums(shared); });
    std::printf(" %12.3f %12.3f", by_group, microseconds([&] { sums(dense); }));
  }
  std::printf("\n");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  apply_simd_environment();
  const double percent = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  std::printf("microseconds for a position; %s\n", simd_target().c_str());
  std::printf("%6s %8s %12s %12s %12s %12s %11s %12s\n", "L", "weights", "dense", "dense x16",
              "sparse x16", "sparse", "sparse wins", "log domain");
  bool right = true;
  for (const std::size_t labels : {10, 22, 30, 49, 100, 300, 459, 1000}) {
    right = run(labels, percent / 100) && right;
  }
  std::printf("\n%6s %12s %12s %12s %12s %12s %12s\n", "L", "one group", "dense", "two, halves",
              "dense", "two, random", "dense");
  for (const std::size_t labels : {30, 100, 300, 1000}) {
    right = right && run_groups(labels, percent / 100);
  }
  return right ? 0 : 1;
}
