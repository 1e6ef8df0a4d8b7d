// Processes that minimise the same function, each with a part of the history of L-BFGS and OWL-QN.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/vector_math.h"
#include "croft/optimize/lbfgs.h"
#include "optimize/batch/curvature_history.h"
#include "support/thread_ranks.h"

namespace croft::shared_history_test {
namespace {

// sum_k c_k (w_k - t_k)^2 / 2 + (w_k - t_k)^4 / 4, with curvatures from 1 to 50.
class ManyWeights final : public BatchFunction {
 public:
  std::size_t dimension() const override { return CurvatureHistory::kShared + 5000; }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double curvature = 1 + static_cast<double>(k % 50);
      const double off = w[k] - (static_cast<double>(k % 7) - 3);
      value += curvature * off * off / 2 + off * off * off * off / 4;
      gradient[k] = curvature * off + off * off * off;
    }
    return value;
  }
};

// Keeps the state after the third iteration.
class ThirdState final : public Checkpointer {
 public:
  bool restore(const State&) override { return false; }
  void offer(const State& state) override {
    if (++offers_ != 3) return;
    StateArchive archive;
    state(archive);
    bytes = archive.bytes();
  }
  std::string bytes;

 private:
  int offers_ = 0;
};

using Minimise = OptimizeResult (*)(BatchFunction&, const Regulariser&, std::span<double>,
                                    const LbfgsOptions&, ThreadPool&, const IterationCallback&,
                                    Checkpointer*);

struct Run {
  std::vector<double> w;
  std::string state;
  double objective = 0;
};

Run run(Minimise minimise, const Regulariser& regulariser, ThreadPool& pool) {
  ManyWeights f;
  LbfgsOptions options;
  options.stop.max_iterations = 6;
  Run out{std::vector<double>(f.dimension(), 0.5), {}, 0};
  ThirdState kept;
  out.objective = minimise(f, regulariser, out.w, options, pool, {}, &kept).objective;
  out.state = kept.bytes;
  return out;
}

void expect_the_same_for_any_number_of_partners(Minimise minimise, const Regulariser& regulariser) {
  ThreadPool pool(2);
  const Run alone = run(minimise, regulariser, pool);
  for (const std::size_t size : {2, 3}) {
    SCOPED_TRACE(size);
    for_ranks(size, [&](Ranks& ranks) {
      ThreadPool own(1, no_other_ranks(), ranks);
      const Run shared = run(minimise, regulariser, own);
      EXPECT_EQ(shared.objective, alone.objective);
      EXPECT_TRUE(shared.w == alone.w);
      EXPECT_TRUE(shared.state == alone.state);
    });
  }
}

TEST(SharedHistory, LbfgsHasTheSameBitsAndTheSameState) {
  expect_the_same_for_any_number_of_partners(lbfgs, {.l2 = 0.1});
}
TEST(SharedHistory, OwlqnHasTheSameBitsAndTheSameState) {
  expect_the_same_for_any_number_of_partners(owlqn, {.l1 = 0.5});
}

TEST(SharedHistory, PartsAreWholeBlocksInOrderAndOfShortVectorsAll) {
  for_ranks(3, [](Ranks& ranks) {
    const OwnBlocks own(ranks, 10 * kVectorBlock + 1, kVectorBlock);
    EXPECT_EQ(own.begin % kVectorBlock, 0);
    EXPECT_EQ(sum_of_all(ranks, own.length()), own.size);
    EXPECT_EQ(sum_of_earlier(ranks, own.length()), own.begin);
    EXPECT_TRUE(OwnBlocks(ranks, 100, 101).all());
  });
}

}  // namespace
}  // namespace croft::shared_history_test
