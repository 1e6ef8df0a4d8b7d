// Chains of order n against the definition (H.1): every labelling, scored label by label.
#include "croft/inference/history_chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "croft/inference/brute_force.h"
#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_viterbi.h"
#include "inference/chain/history_sums.h"
#include "support/random_chain.h"

namespace croft::history_chain_test {
namespace {

using testing_support::ChainShape;
using testing_support::GradientTables;
using testing_support::random_chain;
using testing_support::RandomChain;

using Labels = std::vector<Label>;

struct OrderShape {
  std::size_t order;
  ChainShape base;
  bool all_histories;  // otherwise those of some random labellings
  double gram_scale = 1;
};

// A base chain, the histories that its labellings may have, and weights of grams.
template <class Real>
struct OrderModel {
  RandomChain<Real> base;
  LabelHistories histories;
  std::vector<double> gram;

  OrderModel(const OrderShape& shape, Random& random)
      : base(random_chain<Real>(shape.base, random)),
        histories(random_histories(shape, random)),
        gram(histories.grams.size()) {
    for (double& weight : gram) {
      weight = shape.gram_scale * random.normal();
      if (shape.base.ties) weight = std::round(weight);
    }
  }

  static LabelHistories random_histories(const OrderShape& shape, Random& random) {
    const std::size_t labels = shape.base.labels;
    if (shape.all_histories) {
      const auto yes = [](Label, Label = 0) { return true; };
      return allowed_histories(shape.order, labels, yes, yes);
    }
    SeenRuns seen(shape.order + 1);
    for (std::size_t n = 0; n < labels * labels; ++n) {
      Labels y(1 + random.below(6));
      for (Label& label : y) label = static_cast<Label>(random.below(labels));
      seen.add(y);
    }
    return seen_histories(shape.order, labels, seen, 1 + random.below(2));
  }

  std::map<Labels, double> weights() const {
    std::map<Labels, double> map;
    for (std::uint32_t g = 0; g < gram.size(); ++g) {
      map[Labels(histories.grams[g].begin(), histories.grams[g].end())] = gram[g];
    }
    return map;
  }
};

// What the definition says: sums and maxima over labellings, none of them lifted.
struct Truth {
  double log_partition = -std::numeric_limits<double>::infinity();
  double best_score = -std::numeric_limits<double>::infinity();
  std::vector<Labels> best;  // all that have this score
  Matrix<double> state;      // [T][L] marginals
  std::vector<Matrix<double>> edge;
  std::map<Labels, double> gram;  // expected counts, also of grams without a weight
};

std::vector<Labels> runs_of(const Labels& y, std::size_t shortest, std::size_t longest) {
  std::vector<Labels> runs;
  for (std::size_t end = 1; end <= y.size(); ++end) {
    for (std::size_t m = shortest; m <= std::min(end, longest); ++m) {
      runs.emplace_back(y.begin() + (end - m), y.begin() + end);
    }
  }
  return runs;
}

std::set<Labels> states_of(const LabelHistories& h) {
  std::set<Labels> states;
  for (std::size_t s = 0; s < h.size(); ++s) states.emplace(h.states[s].begin(), h.states[s].end());
  return states;
}

bool has_histories(const std::set<Labels>& states, std::size_t order, const Labels& y) {
  for (std::size_t end = 1; end <= y.size(); ++end) {
    const std::size_t m = std::min(end, order);
    if (!states.contains(Labels(y.begin() + (end - m), y.begin() + end))) return false;
  }
  return true;
}

Truth truth_of(const OrderModel<double>& model) {
  const ChainScores<double>& base = model.base.scores;
  const std::size_t order = model.histories.order;
  const std::map<Labels, double> weights = model.weights();
  const std::set<Labels> states = states_of(model.histories);
  std::vector<std::pair<Labels, long double>> all;
  for_each_labelling(base, [&](const Labels& y, long double score) {
    if (!has_histories(states, order, y)) return;
    for (const Labels& run : runs_of(y, 3, order + 1)) {
      const auto weight = weights.find(run);
      if (weight != weights.end()) score += weight->second;
    }
    all.emplace_back(y, score);
  });
  Truth truth;
  truth.state.assign(base.length(), base.labels(), 0);
  truth.edge.assign(base.length(), Matrix<double>(base.labels(), base.labels(), 0.0));
  if (all.empty()) return truth;
  long double best = all[0].second, total = 0;
  for (const auto& [y, score] : all) best = std::max(best, score);
  for (const auto& [y, score] : all) {
    total += std::exp(score - best);
    if (score > best - 1e-9L) truth.best.push_back(y);
  }
  truth.best_score = static_cast<double>(best);
  truth.log_partition = static_cast<double>(best + std::log(total));
  for (const auto& [y, score] : all) {
    const double p = static_cast<double>(std::exp(score - best) / total);
    for (std::size_t t = 0; t < y.size(); ++t) {
      truth.state(t, y[t]) += p;
      if (t > 0) truth.edge[t](y[t - 1], y[t]) += p;
    }
    for (const Labels& run : runs_of(y, 3, order + 1)) truth.gram[run] += p;
  }
  return truth;
}

std::vector<OrderShape> shapes() {
  std::vector<OrderShape> all;
  for (const std::size_t order : {2, 3, 4}) {
    for (std::size_t length = 0; length <= 6; ++length) {
      for (std::size_t labels = 1; labels <= 3; ++labels) {
        for (const double forbidden : {0.0, 0.15}) {
          for (const double overlay : {0.0, 0.5}) {
            for (const bool all_histories : {false, true}) {
              all.push_back(
                  {order, {length, labels, 1.5, forbidden, overlay, false}, all_histories});
            }
          }
        }
      }
    }
  }
  return all;
}

std::string describe(const OrderShape& shape) {
  return "order " + std::to_string(shape.order) + " T " + std::to_string(shape.base.length) +
         " L " + std::to_string(shape.base.labels) + " forbidden " +
         std::to_string(shape.base.forbidden) + " overlay " + std::to_string(shape.base.overlay) +
         (shape.all_histories ? " all" : " seen");
}

template <class Real>
struct Lifted {
  HistoryScores<Real> scores;
  ChainScores<Real> chain;
  explicit Lifted(const OrderModel<Real>& model) : scores(model.histories) {
    scores.assign(*model.base.transitions, model.gram);
    scores.lift(model.base.scores, chain);
  }
};

template <class Real>
RandomChain<Real> dense_twin(const Lifted<Real>& lifted) {
  RandomChain<Real> chain;
  chain.transitions = std::make_unique<TransitionScores<Real>>(lifted.scores.transitions());
  chain.scores = lifted.chain;
  return testing_support::densify(chain);
}

// dL/d(base theta) and dL/d(weights), from dL/d(lifted theta).
template <class Real>
struct Projected {
  GradientTables<Real> base;
  std::vector<double> gram;
  Projected(const OrderModel<Real>& model, const Matrix<Real>& d_state,
            std::span<const double> d_transition)
      : base(model.base.scores), gram(model.gram.size(), 0) {
    std::vector<double> d_tied(model.histories.size(), 0);
    project(model.histories, model.base.scores, d_state.row(0), base.view(), d_tied);
    project_tied<Real>(model.histories, d_tied, d_transition, *model.base.transitions,
                       {base.transition.row(0), model.base.transitions->cells()}, gram);
  }
};

template <class Real>
void expect_marginals(const OrderModel<Real>& model, const Truth& truth, const Projected<Real>& got,
                      double tolerance) {
  const ChainScores<Real>& base = model.base.scores;
  const std::size_t labels = base.labels();
  for (std::size_t t = 0; t < base.length(); ++t) {
    for (Label j = 0; j < labels; ++j) {
      EXPECT_NEAR(got.base.state(t, j), truth.state(t, j), tolerance);
    }
    if (!base.has_overlay(t)) continue;
    for (Label i = 0; i < labels; ++i) {
      for (Label j = 0; j < labels; ++j) {
        EXPECT_NEAR(got.base.overlay(base.overlay_of[t] * labels + i, j), truth.edge[t](i, j),
                    tolerance);
      }
    }
  }
  for (Label i = 0; i < labels; ++i) {
    for (Label j = 0; j < labels; ++j) {
      double expected = 0;
      for (const Matrix<double>& edge : truth.edge) expected += edge(i, j);
      EXPECT_NEAR(got.base.edge(i, j), expected, 6 * tolerance);
    }
  }
  for (std::uint32_t g = 0; g < got.gram.size(); ++g) {
    const std::span<const Label> run = model.histories.grams[g];
    const auto expected = truth.gram.find(Labels(run.begin(), run.end()));
    EXPECT_NEAR(got.gram[g], expected == truth.gram.end() ? 0 : expected->second, 6 * tolerance);
  }
}

TEST(HistoryChain, LiftedChainHasTheLabellingsOfTheDefinitionWithTheirScores) {
  Random random(1);
  std::size_t labellings = 0, impossible = 0, short_of_histories = 0;
  for (const OrderShape& shape : shapes()) {
    SCOPED_TRACE(describe(shape));
    const OrderModel<double> model(shape, random);
    const Lifted<double> lifted(model);
    const RandomChain<double> dense = dense_twin(lifted);
    std::map<Labels, long double> scores;
    for_each_labelling(dense.scores, [&](const Labels& states, long double score) {
      Labels y;
      for (const Label s : states) y.push_back(model.histories.label_of[s]);
      EXPECT_TRUE(scores.emplace(y, score).second);  // one path for each labelling
      Labels path(y.size());
      EXPECT_EQ(history_path(model.histories, y, path), y.size());
      EXPECT_EQ(path, states);
    });
    const std::map<Labels, double> weights = model.weights();
    const std::set<Labels> histories = states_of(model.histories);
    std::size_t expected_labellings = 0, base_labellings = 0;
    for_each_labelling(model.base.scores, [&](const Labels& y, long double score) {
      ++base_labellings;
      if (!has_histories(histories, shape.order, y)) return;
      ++expected_labellings;
      for (const Labels& run : runs_of(y, 3, shape.order + 1)) {
        const auto weight = weights.find(run);
        if (weight != weights.end()) score += weight->second;
      }
      ASSERT_TRUE(scores.contains(y));
      EXPECT_NEAR(static_cast<double>(scores.at(y) - score), 0, 1e-13 * (1 + std::abs(score)));
    });
    EXPECT_EQ(scores.size(), expected_labellings);
    labellings += expected_labellings;
    impossible += expected_labellings == 0;
    short_of_histories += expected_labellings < base_labellings;
  }
  EXPECT_GT(labellings, 10000u);
  EXPECT_GT(impossible, 0u);
  EXPECT_GT(short_of_histories, 50u);
}

TEST(HistoryChain, SumsAndMarginalsAreThoseOfTheDefinition) {
  Random random(2);
  ForwardBackwardWorkspace<double> work;
  for (const OrderShape& shape : shapes()) {
    SCOPED_TRACE(describe(shape));
    const OrderModel<double> model(shape, random);
    const Truth truth = truth_of(model);
    const Lifted<double> lifted(model);
    const BruteForceResult brute = brute_force(dense_twin(lifted).scores);
    GradientTables<double> tables(lifted.chain);
    const double log_z = marginals(lifted.chain, 1, work, tables.view());
    if (std::isinf(truth.log_partition)) {
      EXPECT_EQ(brute.log_partition, truth.log_partition);
      EXPECT_EQ(log_z, truth.log_partition);
      continue;
    }
    const double tolerance = 1e-11;
    EXPECT_NEAR(brute.log_partition, truth.log_partition,
                tolerance * (1 + std::abs(truth.log_partition)));
    EXPECT_NEAR(log_z, truth.log_partition, tolerance * (1 + std::abs(truth.log_partition)));
    expect_marginals(model, truth,
                     Projected<double>(model, tables.state,
                                       {tables.transition.row(0), model.histories.edges.size()}),
                     tolerance);
    // The same without the recursions: only brute force, lifting and projecting.
    std::vector<double> d_transition(model.histories.edges.size(), 0);
    for (std::size_t e = 0; e < d_transition.size(); ++e) {
      const Edge edge = model.histories.edges[e];
      for (std::size_t t = 1; t < brute.edge.size(); ++t) {
        d_transition[e] += brute.edge[t](edge.from, edge.to);
      }
    }
    expect_marginals(model, truth, Projected<double>(model, brute.state, d_transition), tolerance);
  }
}

// log Z, and the derivatives by blocks as those of the lifted chain are given.
template <class Real>
std::optional<double> sums_by_blocks(HistorySums<Real>& sums, const OrderModel<Real>& model,
                                     GradientTables<Real>& base, std::vector<double>& gram) {
  const LabelHistories& h = model.histories;
  const TransitionScores<Real>& pairs = *model.base.transitions;
  std::vector<double> pair, states(h.size()), d_pair(h.pairs.size());
  for (const HistoryPair& each : h.pairs) pair.push_back(double{pairs.at(each.from, each.to)});
  sums.assign(pair, model.gram);
  gram.assign(model.gram.size(), 0);
  const auto log_z = sums.marginals(model.base.scores, base.state.row(0), states, gram);
  project_states(h, states, d_pair, gram);
  for (std::size_t k = 0; k < d_pair.size(); ++k) {
    base.transition.row(0)[pairs.cell(h.pairs[k].from, h.pairs[k].to)] += d_pair[k];
  }
  return log_z;
}

template <class Real>
std::optional<double> sums_by_blocks(const OrderModel<Real>& model, GradientTables<Real>& base,
                                     std::vector<double>& gram) {
  HistorySums<Real> sums(std::make_shared<const HistoryBlocks>(model.histories));
  return sums_by_blocks(sums, model, base, gram);
}

TEST(HistoryChain, SumsByBlocksAreThoseOfTheDefinition) {
  Random random(7);
  std::size_t done = 0, left = 0;
  for (const OrderShape& shape : shapes()) {
    if (shape.base.overlay > 0) continue;
    SCOPED_TRACE(describe(shape));
    const OrderModel<double> model(shape, random);
    const Truth truth = truth_of(model);
    Projected<double> got(model, Matrix<double>(shape.base.length, model.histories.size(), 0.0),
                          std::vector<double>(model.histories.edges.size()));
    const std::optional<double> log_z = sums_by_blocks(model, got.base, got.gram);
    if (!log_z) {  // where something is forbidden, or no labelling is as long
      EXPECT_TRUE(shape.base.forbidden > 0 || std::isinf(truth.log_partition));
      ++left;
      continue;
    }
    ++done;
    EXPECT_NEAR(*log_z, truth.log_partition, 1e-11 * (1 + std::abs(truth.log_partition)));
    expect_marginals(model, truth, got, 1e-11);
  }
  EXPECT_GT(done, 100u);
  EXPECT_GT(left, 20u);
}

TEST(HistoryChain, SumsByBlocksInFloatAreThoseOfTheLiftedChainInDoubleOrAreNotGiven) {
  std::size_t done = 0, left = 0;
  for (const std::size_t order : {2, 3}) {
    for (const double scale : {1.0, 3.0, 12.0}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const OrderShape shape{order, {100, 7, scale, 0, 0, false}, false, scale};
        SCOPED_TRACE(describe(shape) + " scale " + std::to_string(scale));
        Random random(seed), same(seed);
        const OrderModel<double> wide(shape, random);
        const OrderModel<float> model(shape, same);
        GradientTables<double> base(wide.base.scores);
        const Lifted<double> lifted(wide);
        GradientTables<double> tables(lifted.chain);
        ForwardBackwardWorkspace<double> work;
        const double truth = marginals(lifted.chain, 1, work, tables.view());
        const Projected<double> expected(wide, tables.state,
                                         {tables.transition.row(0), wide.histories.edges.size()});
        GradientTables<float> got(model.base.scores);
        std::vector<double> gram;
        const std::optional<double> log_z = sums_by_blocks(model, got, gram);
        left += !log_z;
        if (!log_z) continue;
        ++done;
        EXPECT_NEAR(*log_z, truth, 1e-6 * std::abs(truth));
        for (std::size_t t = 0; t < 100; ++t) {
          for (Label j = 0; j < 7; ++j) {
            EXPECT_NEAR(got.state(t, j), expected.base.state(t, j), 1e-4);
          }
        }
        for (std::size_t g = 0; g < gram.size(); ++g) {
          EXPECT_NEAR(gram[g], expected.gram[g], 1e-4 * (1 + expected.gram[g]));
        }
      }
    }
  }
  EXPECT_GT(done, 7u);
  EXPECT_GT(left, 3u);
}

TEST(HistoryChain, SumsByBlocksFollowNewScoresAndLengths) {
  Random random(9);
  OrderModel<double> model({2, {1, 4, 1, 0, 0, false}, true}, random);
  HistorySums<double> sums(std::make_shared<const HistoryBlocks>(model.histories));
  ForwardBackwardWorkspace<double> work;
  for (const std::size_t length : {300, 1, 40, 0, 300}) {
    SCOPED_TRACE(length);
    model.base = random_chain<double>({length, 4, 1, 0, 0, false}, random);
    for (double& weight : model.gram) weight = random.normal();
    const Lifted<double> lifted(model);
    GradientTables<double> tables(lifted.chain), got(model.base.scores);
    const double log_z = marginals(lifted.chain, 1, work, tables.view());
    const Projected<double> expected(model, tables.state,
                                     {tables.transition.row(0), model.histories.edges.size()});
    std::vector<double> gram;
    const std::optional<double> found = sums_by_blocks(sums, model, got, gram);
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, log_z, 1e-11 * (1 + std::abs(log_z)));
    for (std::size_t t = 0; t < length; ++t) {
      for (Label j = 0; j < 4; ++j) EXPECT_NEAR(got.state(t, j), expected.base.state(t, j), 1e-11);
    }
    for (Label i = 0; i < 4; ++i) {
      for (Label j = 0; j < 4; ++j) EXPECT_NEAR(got.edge(i, j), expected.base.edge(i, j), 1e-9);
    }
    for (std::size_t g = 0; g < gram.size(); ++g) EXPECT_NEAR(gram[g], expected.gram[g], 1e-9);
  }
}

TEST(HistoryChain, BestLabellingIsThatOfTheDefinition) {
  Random random(3);
  ViterbiWorkspace<double> work;
  std::size_t ties = 0;
  for (OrderShape shape : shapes()) {
    for (const bool whole_numbers : {false, true}) {
      shape.base.ties = whole_numbers;
      SCOPED_TRACE(describe(shape));
      const OrderModel<double> model(shape, random);
      const Truth truth = truth_of(model);
      const Lifted<double> lifted(model);
      Labels states(shape.base.length);
      const double score = viterbi(lifted.chain, work, states);
      if (std::isinf(truth.best_score)) {
        EXPECT_EQ(score, truth.best_score);
        continue;
      }
      EXPECT_NEAR(score, truth.best_score, 1e-12 * (1 + std::abs(score)));
      Labels y;
      for (const Label s : states) y.push_back(model.histories.label_of[s]);
      // Among equals the smaller label wins at the last position where they differ.
      const auto first = std::ranges::min_element(truth.best, [](const Labels& a, const Labels& b) {
        return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
      });
      EXPECT_EQ(y, *first);
      ties += truth.best.size() > 1;
    }
  }
  EXPECT_GT(ties, 20u);
}

TEST(HistoryChain, ProjectIsTheTransposeOfLift) {
  Random random(4);
  for (const OrderShape& each : shapes()) {
    OrderShape shape = each;
    shape.base.forbidden = 0;
    SCOPED_TRACE(describe(shape));
    const OrderModel<double> model(shape, random);
    const LabelHistories& h = model.histories;
    const ChainScores<double>& base = model.base.scores;
    const Lifted<double> lifted(model);
    Matrix<double> d_state(base.length(), h.size(), 0.0);
    std::vector<double> d_transition(h.edges.size());
    double lifted_product = 0, size = 1;
    for (std::size_t t = 0; t < base.length(); ++t) {
      for (Label s = 0; s < h.size(); ++s) {
        if (std::isinf(lifted.chain.state(t, s))) continue;
        d_state(t, s) = random.normal();
        lifted_product += d_state(t, s) * lifted.chain.state(t, s);
        size += std::abs(d_state(t, s) * lifted.chain.state(t, s));
      }
    }
    for (std::size_t e = 0; e < h.edges.size(); ++e) {
      d_transition[e] = random.normal();
      lifted_product += d_transition[e] * lifted.scores.transitions().leaving().log[e];
    }
    const Projected<double> d(model, d_state, d_transition);
    double base_product = 0;
    for (std::size_t t = 0; t < base.length(); ++t) {
      for (Label j = 0; j < base.labels(); ++j) {
        base_product += d.base.state(t, j) * base.state(t, j);
      }
    }
    for (std::size_t r = 0; r < base.overlay.rows(); ++r) {
      for (Label j = 0; j < base.labels(); ++j) {
        base_product += d.base.overlay(r, j) * base.overlay(r, j);
      }
    }
    for (Label i = 0; i < base.labels(); ++i) {
      for (Label j = 0; j < base.labels(); ++j) {
        base_product += d.base.edge(i, j) * base.transitions->at(i, j);
      }
    }
    for (std::size_t g = 0; g < model.gram.size(); ++g) base_product += d.gram[g] * model.gram[g];
    EXPECT_NEAR(base_product, lifted_product, 1e-12 * size);
  }
}

TEST(HistoryChain, AllHistoriesWithoutWeightsAreTheChainOfOrderOne) {
  Random random(5);
  ForwardBackwardWorkspace<double> work;
  for (const std::size_t order : {2, 3}) {
    for (const double forbidden : {0.0, 0.2}) {
      const OrderShape shape{order, {40, 5, 2, forbidden, 0.3, false}, true, 0};
      const OrderModel<double> model(shape, random);
      const Lifted<double> lifted(model);
      GradientTables<double> base(model.base.scores), tables(lifted.chain);
      const double log_z = marginals(model.base.scores, 1, work, base.view());
      ASSERT_TRUE(std::isfinite(log_z));
      EXPECT_NEAR(marginals(lifted.chain, 1, work, tables.view()), log_z, 1e-10 * std::abs(log_z));
      const Projected<double> got(model, tables.state,
                                  {tables.transition.row(0), model.histories.edges.size()});
      for (std::size_t t = 0; t < 40; ++t) {
        for (Label j = 0; j < 5; ++j) EXPECT_NEAR(got.base.state(t, j), base.state(t, j), 1e-10);
      }
      for (std::size_t r = 0; r < base.overlay.rows(); ++r) {
        for (Label j = 0; j < 5; ++j)
          EXPECT_NEAR(got.base.overlay(r, j), base.overlay(r, j), 1e-10);
      }
      for (Label i = 0; i < 5; ++i) {
        for (Label j = 0; j < 5; ++j) EXPECT_NEAR(got.base.edge(i, j), base.edge(i, j), 1e-9);
      }
    }
  }
}

TEST(HistoryChain, FloatAgreesWithTheDefinition) {
  Random random(6);
  ForwardBackwardWorkspace<float> work;
  for (const OrderShape& shape : shapes()) {
    SCOPED_TRACE(describe(shape));
    const OrderModel<float> model(shape, random);
    OrderModel<double> wide(shape, random);  // its numbers are replaced
    wide.base = testing_support::widen(model.base);
    wide.histories = model.histories;
    wide.gram = model.gram;
    const Truth truth = truth_of(wide);
    const Lifted<float> lifted(model);
    GradientTables<float> tables(lifted.chain);
    const double log_z = marginals(lifted.chain, 1, work, tables.view());
    if (std::isinf(truth.log_partition)) {
      EXPECT_EQ(log_z, truth.log_partition);
      continue;
    }
    EXPECT_NEAR(log_z, truth.log_partition, 3e-6 * (1 + std::abs(truth.log_partition)));
    expect_marginals(model, truth,
                     Projected<float>(model, tables.state,
                                      {tables.transition.row(0), model.histories.edges.size()}),
                     1e-5);
  }
}

TEST(HistoryChain, UnreachableHistoriesAreForbiddenAndPaddingToo) {
  Random random(7);
  const OrderModel<double> model({3, {4, 3, 1, 0, 0, false}, true}, random);
  Lifted<double> lifted(model);
  lifted.scores.lift(model.base.scores, lifted.chain);  // again: into used storage
  for (std::size_t t = 0; t < 4; ++t) {
    for (Label s = 0; s < lifted.chain.state.stride(); ++s) {
      const bool reachable = s < model.histories.size() &&
                             model.histories.length_of(s) == std::min<std::size_t>(t + 1, 3);
      EXPECT_EQ(std::isinf(lifted.chain.state.row(t)[s]), !reachable);
    }
  }
}

TEST(HistoryChain, SparseBasePairsAreScoredAsDenseOnes) {
  Random random(8);
  OrderModel<double> model({2, {5, 3, 1, 0, 0, false}, true}, random);
  for (const Background background : {Background::zero, Background::forbidden}) {
    const RandomChain<double> sparse = testing_support::random_sparse_chain<double>(
        {5, 3, 1, 0, 0, false}, background, 0.6, random);
    const RandomChain<double> dense = testing_support::densify(sparse);
    HistoryScores<double> of_sparse(model.histories), of_dense(model.histories);
    of_sparse.assign(*sparse.transitions, model.gram);
    of_dense.assign(*dense.transitions, model.gram);
    ChainScores<double> a, b;
    of_sparse.lift(sparse.scores, a);
    of_dense.lift(dense.scores, b);
    for (std::size_t t = 0; t < 5; ++t) {
      for (Label s = 0; s < model.histories.size(); ++s) EXPECT_EQ(a.state(t, s), b.state(t, s));
    }
    // Derivatives go to the cells that exist, and nowhere else.
    std::vector<double> d_tied(model.histories.size(), 1), d_edge(model.histories.edges.size(), 0);
    std::vector<double> d_pair(sparse.transitions->cells(), 0), d_gram(model.gram.size(), 0);
    project_tied<double>(model.histories, d_tied, d_edge, *sparse.transitions, d_pair, d_gram);
    for (const double d : d_pair) EXPECT_EQ(d, 1);  // one state for each pair
  }
}

}  // namespace
}  // namespace croft::history_chain_test
