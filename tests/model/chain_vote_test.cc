// The vote in a model file: its vectors, what the other sections keep for it, and damage.
#include "model/chain_vote.h"
#include "model/kinds/voted_scores.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "croft/core/error.h"
#include "support/model_file.h"
#include "support/model_sections.h"

namespace croft::chain_vote_test {
namespace {

using namespace testing_support;

struct Case {
  LaidOut data;
  VotedPerceptron vote;
  std::vector<double> last;

  explicit Case(std::uint64_t seed, std::size_t updates = 30) {
    Random random(seed);
    data = laid_out({.edge = 1}, {.tied_rows = 2}, random);
    vote = random_vote(data.layout.dimension(), updates, false, random);
    std::vector<double> w(data.layout.dimension());
    vote.replay(w, [&](std::span<const double> now, std::uint64_t) {
      last.assign(now.begin(), now.end());
    });
  }
  ContainerWriter file() const {
    return model_file(data, last, [this](ChainModelParts& parts) { parts.vote = &vote; });
  }
};

// The weights of each vector of the file by the names of their attributes; 0 ones left out.
using Weights = std::map<std::string, double>;

void add(Weights& weights, const std::string& name, double change) {
  if ((weights[name] += change) == 0) weights.erase(name);
}

std::vector<Weights> vectors_of(const ChainModel& model) {
  const ChainVote& vote = *model.vote();
  std::vector<Weights> all(vote.vectors());
  const auto add_all = [&](const std::string& name, std::span<const WeightChange> changes) {
    for (const WeightChange& each : changes) {
      for (std::size_t v = each.vector; v < all.size(); ++v) {
        add(all[v], name + " " + std::to_string(each.cell), double{each.change});
      }
    }
  };
  for (std::uint32_t a = 0; a < model.node().size(); ++a) {
    add_all(model.node().name(a), vote.node(a));
  }
  for (std::uint32_t b = 0; b < model.edge().size(); ++b) {
    add_all(model.edge().name(b), vote.edge(b));
  }
  add_all("transition", vote.transitions());
  return all;
}

Weights named(const LaidOut& data, std::span<const double> w) {
  Weights weights;
  const std::size_t labels = data.layout.labels;
  for (const auto& [feature, place] : feature_positions(data.layout, data.renumbering)) {
    if (w[place] == 0) continue;
    const std::string cell = " " + std::to_string(feature.from * labels + feature.to);
    add(weights,
        (feature.kind == FeatureKind::node   ? node_name(feature.attribute)
         : feature.kind == FeatureKind::edge ? edge_name(feature.attribute)
                                             : "transition") +
            cell,
        w[place]);
  }
  return weights;
}

TEST(ChainVote, TheFileHasTheVectorsThatHaveVotes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Case c(seed);
    const auto model = opened(c.file());
    const std::vector<Weights> found = vectors_of(*model);
    std::vector<double> w(c.data.layout.dimension());
    std::size_t v = 0;
    c.vote.replay(w, [&](std::span<const double> now, std::uint64_t votes) {
      ASSERT_LT(v, found.size());
      EXPECT_EQ(model->vote()->votes()[v], votes);
      EXPECT_EQ(found[v++], named(c.data, now));
    });
    EXPECT_EQ(v, found.size());
  }
}

TEST(ChainVote, WeightsOfTheModelAreTheLastOnes) {
  const Case c(4);
  const auto voted = opened(c.file());
  const auto last = opened(model_file(c.data, c.last, [](ChainModelParts&) {}));
  EXPECT_EQ(voted->node().weights(), last->node().weights());
  ChainModel::Scratch voted_scratch, scratch;
  ChainScores<double> of_voted, of_last;
  for (const PlainSequence& x : c.data.plain) {
    voted->score(to_text(x), voted_scratch, of_voted);
    last->score(to_text(x), scratch, of_last);
    for (std::size_t t = 0; t < x.label.size(); ++t) {
      EXPECT_TRUE(std::ranges::equal(of_voted.state[t], of_last.state[t]));
    }
  }
}

TEST(ChainVote, VectorsThatScoreASequenceAlikeAreOneStep) {
  Random random(5);
  LaidOut data = laid_out({.sequences = 1, .min_length = 1, .max_length = 1}, {}, random);
  VotedPerceptron vote;  // of a sequence of one position, transitions matter not
  vote.start.assign(data.layout.dimension(), 0.0);
  vote.votes = {3, 4, 5};
  vote.update_end = {0, 0};
  const auto model =
      opened(model_file(data, vote.start, [&](ChainModelParts& parts) { parts.vote = &vote; }));
  EXPECT_EQ(model->vote()->vectors(), 3u);
  VotedScores scores;
  ChainScores<float> limits;
  const TransitionScores<float> free(3);
  limits.reset(1, free);
  scores.start(*model, to_text(data.plain[0]), limits);
  ASSERT_TRUE(scores.next());
  EXPECT_EQ(scores.votes(), 12u);
  EXPECT_FALSE(scores.next());
}

TEST(ChainVote, AReaderThatDoesNotKnowTheSectionRefusesTheFile) {
  const Case c(2);
  const Container file = Container::from_bytes(c.file().bytes(), "voted.croft");
  std::uint16_t major = 0;
  std::memcpy(&major, file.bytes().data() + 8, sizeof major);
  EXPECT_EQ(major, 2);
  constexpr std::array<std::string_view, 2> kKnown = {"constraint", "histories"};
  EXPECT_THROW(file.refuse_required_but(kKnown), Error);
}

TEST(ChainVote, SectionsThatDoNotFitTogetherAreAnError) {
  const Case c(2);
  const Container good = Container::from_bytes(c.file().bytes(), "voted.croft");
  const auto opens = [&](std::string_view changed, std::size_t bytes_less, bool without) {
    ContainerWriter out;
    for (const Container::Entry& entry : good.entries()) {
      if (without && entry.name == changed) continue;
      const auto section = good.section(entry.name);
      std::vector<std::byte> bytes(section.begin(), section.end());
      if (entry.name == changed) bytes.resize(bytes.size() - bytes_less);
      out.add(entry.name, std::move(bytes),
              entry.required ? ContainerWriter::Kind::required
              : entry.bulk   ? ContainerWriter::Kind::bulk
                             : ContainerWriter::Kind::small);
    }
    try {
      const ChainModel model(Container::from_bytes(out.bytes(), "voted.croft"));
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  EXPECT_TRUE(opens("", 0, false));
  for (const std::string_view name :
       {"votes.transitions", "votes.node", "votes.node.rows", "votes.edge", "votes.edge.rows"}) {
    EXPECT_FALSE(opens(name, 0, true)) << name;
    EXPECT_FALSE(opens(name, 1, false)) << name;
  }
  EXPECT_FALSE(opens("votes.node", sizeof(WeightChange), false));
  EXPECT_FALSE(opens("votes", good.section("votes").size(), false));
}

TEST(ChainVote, ChangesOfVectorsAndCellsThatThereAreNotCountForNothing) {
  const Case c(7);
  const Container good = Container::from_bytes(c.file().bytes(), "voted.croft");
  for (const std::uint32_t bad : {0x7FFFFFFFu, 0xFFFFFFFFu}) {
    for (const std::size_t field : {0u, 4u, 8u}) {  // vector, cell, change
      testing_support::ModelSections file(good);
      for (auto& [name, bytes, kind] : file.sections) {
        if (name != "votes.node" && name != "votes.edge" && name != "votes.transitions") continue;
        for (std::size_t at = 0; at < bytes.size(); at += 5 * sizeof(WeightChange)) {
          std::memcpy(bytes.data() + at + field, &bad, sizeof bad);
        }
      }
      const ChainModel model(Container::from_bytes(file.bytes(), "voted.croft"));
      const TransitionScores<float> free(model.labels());
      ChainScores<float> limits;
      VotedScores scores;
      for (const PlainSequence& x : c.data.plain) {
        limits.reset(x.label.size(), free);
        scores.start(model, to_text(x), limits);
        std::uint64_t votes = 0;
        while (scores.next()) {
          votes += scores.votes();
          for (std::size_t t = 0; t < x.label.size(); ++t) {
            for (const float score : scores.scores().state[t]) EXPECT_TRUE(std::isfinite(score));
          }
        }
        EXPECT_EQ(votes, std::accumulate(c.vote.votes.begin(), c.vote.votes.end(), 0ul));
      }
    }
  }
}

}  // namespace
}  // namespace croft::chain_vote_test
