// A checkpoint is of one training: with other data or settings it is refused, with others that say
// when to stop it is not.
#include "train/training_fingerprint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "train/kinds/chain_training.h"

namespace croft::training_fingerprint_test {
namespace {

namespace fs = std::filesystem;

Extractor attribute_lines() {
  ExtractionConfig config;
  config.format = InputFormat::attributes;
  return Extractor(config);
}

const Extractor& extractor() {
  static const Extractor kLines = attribute_lines();
  return kLines;
}

// Words that say something about their labels, none of which follows itself.
std::vector<TextSequence> sentences(std::size_t count, std::uint64_t seed,
                                    const std::function<std::string(std::string)>& label,
                                    const std::string& prefix = "w=") {
  Random random(seed);
  std::vector<TextSequence> data(count);
  for (TextSequence& s : data) {
    std::size_t y = random.below(3);
    const std::size_t length = 2 + random.below(4);
    for (std::size_t t = 0; t < length; ++t) {
      s.node.append(prefix + (random.below(4) == 0 ? "x" : std::to_string(y)));
      s.node.end_list();
      if (t > 0) s.edge.append("pair" + std::to_string(random.below(3)));
      s.edge.end_list();
      s.labels.append(label(std::string(1, "OAB"[y])));
      y = (y + 1 + random.below(2)) % 3;
    }
    s.labels.end_list();
  }
  return data;
}

std::string as_it_is(std::string label) { return label; }

struct Given {
  std::vector<TextSequence> data = sentences(40, 1, as_it_is);
  std::vector<TextSequence> holdout = sentences(10, 2, as_it_is);
  TrainOptions options;
  std::shared_ptr<const ChainModel> init;
  std::optional<PartialLabels> partial;
  std::size_t stop_after = 100;  // iterations
};

class CheckpointOfATraining : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("croft_fingerprint_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Given usual() const {
    Given given;
    given.options.early_stop = 90;
    given.options.stop.max_iterations = 8;
    given.options.stop.tolerance = 0;
    given.options.stop.gradient_tolerance = 0;
    return given;
  }
  std::vector<std::byte> run(const Given& given, CheckpointFolder* checkpoints) const {
    ChainTraining training(extractor(), given.init);
    if (given.partial) training.read_partial_labels(*given.partial);
    for (const TextSequence& s : given.data) training.add(s, "data");
    for (const TextSequence& s : given.holdout) training.add_holdout(s);
    TrainOptions options = given.options;
    options.checkpoints = checkpoints;
    const auto score = [&](const std::vector<std::vector<std::string_view>>& predicted) {
      double right = 0;
      for (std::size_t n = 0; n < predicted.size(); ++n) {
        for (std::size_t t = 0; t < predicted[n].size(); ++t) {
          right += predicted[n][t] == given.holdout[n].labels.item(t) ? 1 : 0;
        }
      }
      return HoldoutScore{right, {}};
    };
    training.run(options, score,
                 [&](const TrainProgress& now) { return now.iteration.number < given.stop_after; });
    return training.model(Json::object()).bytes();
  }
  void begin(Given given) const {
    fs::remove_all(folder_);
    CheckpointFolder checkpoints(folder_, false, std::chrono::seconds(0));
    given.stop_after = 3;
    run(given, &checkpoints);
    ASSERT_TRUE(fs::exists(folder_ / "checkpoint"));
  }
  // The error with which it is refused, if any.
  std::string resumed(const Given& given) const {
    CheckpointFolder checkpoints(folder_, true, std::chrono::seconds(3600));
    try {
      run(given, &checkpoints);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  // Begun as the one, it does not go on as the other, nor the other way round.
  void expect_two_trainings(const Given& one, const Given& other) const {
    for (const auto& [first, second] : {std::pair(&one, &other), std::pair(&other, &one)}) {
      begin(*first);
      EXPECT_EQ(resumed(*first), "");
      const std::string message = resumed(*second);
      EXPECT_NE(message.find("this checkpoint is of another training"), message.npos) << message;
    }
  }
  void expect_another(const std::function<void(Given&)>& change) const {
    Given other = usual();
    change(other);
    expect_two_trainings(usual(), other);
  }
  std::shared_ptr<const ChainModel> model_with(double l2) const {
    Given first = usual();
    first.options.regulariser.l2 = l2;
    first.options.early_stop = 0;
    return std::make_shared<const ChainModel>(Container::from_bytes(run(first, nullptr), "old"));
  }
  fs::path folder_;
};

TEST_F(CheckpointOfATraining, GoesOnToTheSameModelWhereOnlyTheEndIsAnother) {
  const std::vector<std::byte> whole = run(usual(), nullptr);
  begin(usual());
  CheckpointFolder checkpoints(folder_, true, std::chrono::seconds(0));
  EXPECT_EQ(run(usual(), &checkpoints), whole);
  begin(usual());
  Given longer = usual();
  longer.options.stop.max_iterations = 20;
  longer.options.stop.tolerance = 1e-9;
  longer.options.stop.gradient_tolerance = 1e-9;
  longer.options.stop.target = -5;
  longer.options.threads = 2;
  EXPECT_EQ(resumed(longer), "");
}

TEST_F(CheckpointOfATraining, IsOfItsHoldout) {
  expect_another([](Given& s) { s.holdout.clear(); });
  expect_another([](Given& s) { s.holdout.pop_back(); });
  expect_another([](Given& s) { s.holdout = sentences(10, 3, as_it_is); });
  // The same words, other labels.
  expect_another([](Given& s) {
    s.holdout = sentences(10, 2, [](const std::string& y) { return y == "A" ? "B" : "A"; });
  });
  expect_another([](Given& s) { s.partial = PartialLabels(); });
}

TEST_F(CheckpointOfATraining, IsOfItsEarlyStopping) {
  expect_another([](Given& s) { s.options.early_stop = 80; });
  expect_another([](Given& s) { s.options.early_stop = 0; });
}

// Three weights each, of transitions from one label and of those to one.
TEST_F(CheckpointOfATraining, IsOfItsSharedTransitions) {
  const auto grouping = [](bool by_first) {
    return [=](std::span<const std::string> names) {
      TransitionGroups groups(names.size());
      for (std::uint32_t i = 0; i < names.size(); ++i) {
        for (std::uint32_t j = 0; j < names.size(); ++j) {
          groups.of[i * names.size() + j] = by_first ? i : j;
        }
      }
      return groups;
    };
  };
  Given one = usual(), other = usual();
  one.options.transition_groups = grouping(true);
  other.options.transition_groups = grouping(false);
  expect_two_trainings(one, other);
}

// One transition without a weight, the one or the other.
TEST_F(CheckpointOfATraining, IsOfItsTransitions) {
  const auto without = [](std::size_t cell) {
    return [=](std::span<const std::string> names) {
      TransitionGroups groups(names.size());
      std::ranges::fill(groups.of, TransitionGroups::kOwn);
      groups.of[cell] = TransitionGroups::kNone;
      return groups;
    };
  };
  Given one = usual(), other = usual();
  one.options.transition_groups = without(1);
  other.options.transition_groups = without(2);
  expect_two_trainings(one, other);
}

TEST_F(CheckpointOfATraining, IsOfItsFeatures) {
  expect_another([](Given& s) { s.options.features = FeatureSet::all; });
  expect_another([](Given& s) { s.options.min_count = 12; });
  expect_another([](Given& s) { s.options.order = 2; });
  Given two = usual(), all = usual();
  two.options.order = all.options.order = 2;
  all.options.histories = HistorySet::allowed;
  expect_two_trainings(two, all);
}

// No label of the data follows itself: so say none, a constraint for all labels, and one for all
// but the first.
TEST_F(CheckpointOfATraining, IsOfItsConstraint) {
  const auto from = [](Label first) {
    return [=](std::span<const std::string> names) {
      ChainConstraint constraint(names.size());
      for (Label y = first; y < names.size(); ++y) constraint.set_edge(y, y, false);
      return constraint;
    };
  };
  expect_another([&](Given& s) { s.options.constraint = from(0); });
  Given one = usual(), other = usual();
  one.options.constraint = from(0);
  other.options.constraint = from(1);
  expect_two_trainings(one, other);
}

TEST_F(CheckpointOfATraining, IsOfItsNames) {
  const auto renamed = [](const std::string& y) { return y == "A" ? "C" : y; };
  expect_another([&](Given& s) {
    s.data = sentences(40, 1, renamed);
    s.holdout = sentences(10, 2, renamed);
  });
  Given one = usual(), other = usual();
  one.holdout.clear();
  other.holdout.clear();
  one.options.early_stop = other.options.early_stop = 0;
  other.data = sentences(40, 1, renamed);
  expect_two_trainings(one, other);
  other.data = sentences(40, 1, as_it_is, "word=");
  expect_two_trainings(one, other);
}

TEST_F(CheckpointOfATraining, IsOfTheModelThatItStartsFrom) {
  const auto old = model_with(1), another = model_with(5);
  Given one = usual(), other = usual();
  one.init = old;
  expect_two_trainings(usual(), one);
  other.init = another;
  expect_two_trainings(one, other);
  other.init = old;
  other.options.prior = true;
  expect_two_trainings(one, other);
}

TEST_F(CheckpointOfATraining, IsOfItsObjectiveAndMethod) {
  expect_another([](Given& s) { s.options.regulariser.l2 = 2; });
  expect_another([](Given& s) { s.options.seed = 2; });
  expect_another([](Given& s) { s.options.precision = Precision::single; });
  expect_another([](Given& s) { s.options.objective = Objective::softmax_margin; });
  expect_another([](Given& s) { s.options.settings.history = 3; });
  expect_another([](Given& s) { s.options.method = Method::cg; });
  expect_another([](Given& s) {
    s.options.variances = [](std::span<const std::string_view> names) {
      return std::vector<double>(names.size(), 2.0);
    };
  });
  Given one = usual(), other = usual();
  one.options.objective = other.options.objective = Objective::composite;
  other.options.block = 2;
  expect_two_trainings(one, other);
}

TEST_F(CheckpointOfATraining, IsOfItsActiveSet) {
  Given all = usual(), some = usual();
  all.options.regulariser = some.options.regulariser = {.l1 = 0.2, .l2 = 0.1};
  some.options.active_set_from = 0;
  expect_two_trainings(all, some);
  Given other = some;
  other.options.active_set.violation_tolerance = 0.3;
  expect_two_trainings(some, other);
}

}  // namespace
}  // namespace croft::training_fingerprint_test
