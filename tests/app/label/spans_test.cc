#include "app/label/chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "croft/core/random.h"
#include "croft/inference/brute_force.h"
#include "croft/inference/chain_product.h"
#include "support/random_chain.h"

namespace croft::spans_test {
namespace {

using Names = std::vector<std::string>;

struct Posterior {
  ForwardBackwardWorkspace<double> work;
  Matrix<double> state;
  double log_z;
  explicit Posterior(const ChainScores<double>& scores)
      : state(scores.length(), scores.labels()),
        log_z(marginals<double>(scores, 1, work, {state.row(0), nullptr, nullptr})) {}
};

void fill(ChainScores<double>& scores, double scale, Random& random) {
  for (std::size_t t = 0; t < scores.length(); ++t) {
    for (double& x : scores.state[t]) x = scale * random.normal();
  }
}

TransitionScores<double> random_transitions(std::size_t labels, double scale, Random& random) {
  Matrix<double> table(labels, labels);
  for (std::size_t i = 0; i < labels; ++i) {
    for (double& x : table[i]) x = scale * random.normal();
  }
  TransitionScores<double> transitions;
  transitions.assign(std::move(table));
  return transitions;
}

// Every chunk that some labelling has, by enumeration; `label_of` empty: states are labels.
// Returns how many were compared.
std::size_t expect_as_enumerated(const ChainScores<double>& scores, const Names& names,
                                 ChunkScheme scheme, std::span<const Label> label_of) {
  struct Found {
    Chunk chunk;
    Label first;
    double p;
  };
  const Posterior posterior(scores);
  std::vector<Found> all;
  for_each_labelling(scores, [&](const std::vector<Label>& y, long double score) {
    std::vector<Label> labels(y);
    for (Label& j : labels) j = label_of.empty() ? j : label_of[j];
    std::vector<std::string_view> text;
    for (const Label j : labels) text.push_back(names[j]);
    const double p = std::exp(static_cast<double>(score) - posterior.log_z);
    for (const Chunk& chunk : chunks_of(text, scheme)) {
      const auto at = std::ranges::find(all, chunk, &Found::chunk);
      if (at == all.end()) {
        all.push_back({chunk, labels[chunk.begin], p});
      } else {
        at->p += p;
      }
    }
  });
  const ChunkEdges edges(names, scheme, label_of);
  ChunkEdges::Scratch scratch;
  for (const auto& [chunk, first, p] : all) {
    const ChainPosterior<double> view{scores, posterior.work, posterior.state.row(0)};
    EXPECT_NEAR(edges.probability(view, chunk.begin, chunk.end, first, scratch), p, 1e-12);
  }
  return all.size();
}

const std::vector<std::pair<ChunkScheme, Names>> kSchemes = {
    {ChunkScheme::bio, {"O", "B-X", "I-X", "B-Y", "I-Y"}},
    {ChunkScheme::bio1, {"O", "B-X", "I-X", "I-Y"}},
    {ChunkScheme::ioe, {"O", "E-X", "I-X", "B-X", "E-Y"}},
    {ChunkScheme::bioes, {"O", "B-X", "I-X", "E-X", "S-X"}},
    {ChunkScheme::raw, {"O", "X", "Y"}},
    {ChunkScheme::bio, {"O", "B", "I", ".", "["}},  // no types, and tags with rules of their own
    {ChunkScheme::bio, {"Q-X", "B-X", ".-X", "]-X", "E-X"}}};

TEST(Spans, EqualTheSumOverAllLabellingsWithTheChunkInEveryScheme) {
  Random random(1);
  for (const auto& [scheme, names] : kSchemes) {
    for (std::size_t length = 1; length <= 5; ++length) {
      const auto transitions = random_transitions(names.size(), 1, random);
      ChainScores<double> scores;
      scores.reset(length, transitions);
      fill(scores, 1, random);
      SCOPED_TRACE(chunk_scheme_name(scheme));
      EXPECT_GT(expect_as_enumerated(scores, names, scheme, {}), 0u);
    }
  }
}

TEST(Spans, HoldWithForbiddenEdgesOverlaysAndScoresThatNeedTheLogDomain) {
  Random random(2);
  const auto& names = kSchemes[0].second;
  bool log_domain = false;
  for (int round = 0; round < 10; ++round) {
    Matrix<double> table(5, 5);
    const double scale = round % 2 == 0 ? 1 : 300;
    for (std::size_t i = 0; i < 5; ++i) {
      for (double& x : table[i]) {
        x = random.uniform() < 0.2 ? ChainScores<double>::kForbidden : scale * random.normal();
      }
    }
    TransitionScores<double> transitions;
    transitions.assign(std::move(table));
    ChainScores<double> scores;
    scores.reset(5, transitions);
    fill(scores, scale, random);
    double* overlay = scores.add_overlay(2);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 5; ++j)
        overlay[i * scores.overlay.stride() + j] = random.normal();
    }
    log_domain = log_domain || Posterior(scores).work.path == ChainPath::log_domain;
    expect_as_enumerated(scores, names, ChunkScheme::bio, {});
  }
  EXPECT_TRUE(log_domain);
}

TEST(Spans, HoldWhereStatesOfAProductStandForLabels) {
  Random random(3);
  const auto& [scheme, names] = kSchemes[0];
  for (int round = 0; round < 5; ++round) {
    const auto transitions = random_transitions(names.size(), 1, random);
    const ChainProduct<double> product(transitions,
                                       count_chunks(names, scheme, "X", CountRange::at_most(1)));
    ChainScores<double> scores, lifted;
    scores.reset(4, transitions);
    fill(scores, 1, random);
    ASSERT_TRUE(product.lift(scores, lifted));
    EXPECT_GT(expect_as_enumerated(lifted, names, scheme, product.label_of()), 0u);
  }
}

TEST(Spans, AChunkThatIsCertainHasProbabilityOne) {
  const auto& names = kSchemes[0].second;
  Random random(4);
  const auto transitions = random_transitions(5, 1, random);
  ChainScores<double> scores;
  scores.reset(3, transitions);
  for (std::size_t t = 0; t < 3; ++t) {
    for (Label j = 0; j < 5; ++j) {
      if (j != (t == 0 ? 1u : t == 1 ? 2u : 0u))
        scores.state(t, j) = ChainScores<double>::kForbidden;
    }
  }
  const Posterior posterior(scores);
  const ChunkEdges edges(names, ChunkScheme::bio, {});
  ChunkEdges::Scratch scratch;
  const ChainPosterior<double> view{scores, posterior.work, posterior.state.row(0)};
  EXPECT_DOUBLE_EQ(edges.probability(view, 0, 2, 1, scratch), 1);
  EXPECT_EQ(edges.probability(view, 0, 3, 1, scratch), 0);
  EXPECT_EQ(edges.probability(view, 0, 1, 1, scratch), 0);
  EXPECT_EQ(edges.probability(view, 1, 2, 3, scratch), 0);
}

}  // namespace
}  // namespace croft::spans_test
