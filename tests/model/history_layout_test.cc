// Which histories and grams a chain gets, what the data says in them, and how a model file keeps
// them.
#include "model/history_layout.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <set>

#include "core/json.h"
#include "croft/core/error.h"
#include "model/kinds/chain_model.h"
#include "support/small_model.h"

namespace croft::history_layout_test {
namespace {

using Labels = std::vector<Label>;

std::set<Labels> to_set(const LabelRuns& runs) {
  std::set<Labels> set;
  for (std::size_t r = 0; r < runs.size(); ++r) set.emplace(runs[r].begin(), runs[r].end());
  return set;
}

ChainData data_of(const std::vector<Labels>& sequences, const LabelSets& sets = {}) {
  ChainData data;
  for (const Labels& y : sequences) {
    data.label.insert(data.label.end(), y.begin(), y.end());
    data.sequence_begin.push_back(data.label.size());
    data.first_line.push_back(static_cast<std::uint32_t>(10 * data.first_line.size() + 1));
  }
  data.label_sets = sets;
  return data;
}

template <class Call>
void expect_error(const Call& call, const std::string& message) {
  try {
    call();
    ADD_FAILURE() << "no error: " << message;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(HistoryLayout, Order1HasNone) {
  EXPECT_EQ(choose_histories(data_of({{0, 1}}), 2, {.order = 1}), nullptr);
  const ChainLayout layout;
  EXPECT_EQ(layout.order(), 1u);
  EXPECT_EQ(layout.dimension(), 0u);
}

TEST(HistoryLayout, AnOrderThatIsOutOfRangeIsAnError) {
  for (const std::size_t order : {0, 9}) {
    expect_error([&] { choose_histories(data_of({{0}}), 2, {.order = order}); },
                 "a chain of order " + std::to_string(order) + "; the order must be 1 to 8");
  }
}

TEST(HistoryLayout, SeenOnesAreThoseOfStretchesThatAreKnownInFull) {
  LabelSets sets;
  sets.label = {0, 2};
  sets.begin = {0, 2};
  const ChainData data =
      data_of({{0, 1, 2, 1}, {2, 2, kLabelSetBit, 0, 1}, {kAnyLabel, 1, 0}}, sets);
  const auto h = choose_histories(data, 3, {.order = 2});
  EXPECT_EQ(to_set(h->states),
            (std::set<Labels>{{0}, {1}, {2}, {0, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 0}}));
  EXPECT_EQ(to_set(h->grams), (std::set<Labels>{{0, 1, 2}, {1, 2, 1}}));
}

TEST(HistoryLayout, MinCountIsForGramsNotForHistories) {
  const ChainData data = data_of({{0, 0, 0, 1}, {0, 0, 0}});
  const auto h = choose_histories(data, 2, {.order = 2, .min_count = 2});
  EXPECT_EQ(to_set(h->states), (std::set<Labels>{{0}, {1}, {0, 0}, {0, 1}}));
  EXPECT_EQ(to_set(h->grams), (std::set<Labels>{{0, 0, 0}}));
}

TEST(HistoryLayout, AllFeaturesAreAllGramsThatTheHistoriesMake) {
  const ChainData data = data_of({{0, 0, 1}});
  const auto h = choose_histories(data, 2, {.order = 2, .features = FeatureSet::all});
  EXPECT_EQ(to_set(h->grams), (std::set<Labels>{{0, 0, 0}, {0, 0, 1}}));
}

TEST(HistoryLayout, AllowedOnesAreThoseOfTheConstraintAndGramsStillThoseThatAreSeen) {
  const ChainData data = data_of({{0, 1, 1}});
  const auto all = choose_histories(data, 2, {.order = 2, .histories = HistorySet::allowed});
  EXPECT_EQ(to_set(all->states), (std::set<Labels>{{0}, {1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(to_set(all->grams), (std::set<Labels>{{0, 1, 1}}));
  ChainConstraint constraint(2);
  constraint.start[1] = false;
  constraint.set_edge(1, 0, false);
  const auto some = choose_histories(data, 2,
                                     {.order = 2,
                                      .histories = HistorySet::allowed,
                                      .features = FeatureSet::all,
                                      .constraint = &constraint});
  EXPECT_EQ(to_set(some->states), (std::set<Labels>{{0}, {0, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(to_set(some->grams), (std::set<Labels>{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 1, 1}}));
}

TEST(HistoryLayout, ThoseOfAModelToStartFromAreKept) {
  const auto first = choose_histories(data_of({{0, 1, 0}}), 2, {.order = 2});
  const auto second = choose_histories(data_of({{2, 0, 1}}), 3, {.order = 2, .kept = first.get()});
  EXPECT_EQ(to_set(second->states), (std::set<Labels>{{0}, {1}, {2}, {0, 1}, {1, 0}, {2, 0}}));
  EXPECT_EQ(to_set(second->grams), (std::set<Labels>{{0, 1, 0}, {2, 0, 1}}));
}

TEST(HistoryLayout, GoldIsAPathWhereItIsCompleteAndTheStatesOfItsLabelsOtherwise) {
  LabelSets sets;
  sets.label = {0, 2};
  sets.begin = {0, 2};
  const ChainData data = data_of({{0, 1, 2, 1}, {2, kLabelSetBit, kAnyLabel}}, sets);
  const auto h = choose_histories(data, 3, {.order = 2, .histories = HistorySet::allowed});
  const LiftedGold gold = lift_gold(*h, data);
  const std::vector<Labels> path = {{0}, {0, 1}, {1, 2}, {2, 1}};
  for (std::size_t t = 0; t < 4; ++t) EXPECT_EQ(gold.known[t], h->find(path[t]));
  const Gold partial(std::span(gold.known).subspan(4), &gold.sets);
  for (Label s = 0; s < h->size(); ++s) {
    EXPECT_EQ(partial.allows(0, s), h->label_of[s] == 2);
    EXPECT_EQ(partial.allows(1, s), h->label_of[s] != 1);
    EXPECT_TRUE(partial.allows(2, s));
  }
}

TEST(HistoryLayout, ASequenceWithoutAPathIsFound) {
  const ChainData shown = data_of({{0, 1, 1}});
  const auto h = choose_histories(shown, 3, {.order = 2});
  EXPECT_EQ(first_without_path(*h, shown), 1u);
  EXPECT_EQ(first_without_path(*h, data_of({{0, 1}, {0, kAnyLabel, 1}})), 2u);
  EXPECT_EQ(first_without_path(*h, data_of({{0, 1}, {1, 0}})), 1u);
  EXPECT_EQ(first_without_path(*h, data_of({{0, kAnyLabel}, {kAnyLabel, 0}})), 1u);
  EXPECT_EQ(first_without_path(*h, data_of({{kAnyLabel, 2}})), 0u);
  ChainConstraint constraint(3);
  constraint.set_edge(0, 1, false);
  EXPECT_EQ(first_without_path(*h, data_of({{1, kAnyLabel}}), &constraint), 1u);
  EXPECT_EQ(first_without_path(*h, data_of({{0, kAnyLabel}}), &constraint), 0u);
  expect_error([&] { lift_gold(*h, data_of({{0, 1}, {1, 0}})); }, "line 11: the labels");
}

// The model file.

using testing_support::SmallModel;

ChainModel model_of(const SmallModel& how, std::uint64_t seed) {
  Random random(seed);
  return testing_support::random_model(how, random);
}

TEST(HistoryModel, AModelOfOrder1SaysNothingOfHistories) {
  const ChainModel model = model_of({.labels = {"A", "B"}}, 1);
  const Container& file = model.container();
  EXPECT_EQ(file.text("meta").find("order"), std::string::npos);
  for (const char* name : {"histories", "grams", "grams.weights"}) EXPECT_FALSE(file.has(name));
}

TEST(HistoryModel, TheFileKeepsHistoriesAndGramsWithTheirWeights) {
  const SmallModel how{.labels = {"A", "B", "C"}, .order = 3, .pairs = 0.8};
  const ChainModel model = model_of(how, 2), same = model_of(how, 2);
  EXPECT_EQ(model.order(), 3u);
  EXPECT_EQ(model.meta()["order"], 3);
  const LabelHistories& h = *model.histories();
  EXPECT_GT(h.grams.size(), 5u);
  ASSERT_EQ(model.gram_weights().size(), h.grams.size());
  // What the file holds is all there is to say.
  const LabelHistories made = make_histories(3, 3, h.states, h.grams);
  EXPECT_EQ(made.edges, h.edges);
  EXPECT_TRUE(std::ranges::equal(model.gram_weights(), same.gram_weights()));
  EXPECT_EQ(same.histories()->states, h.states);
}

// A file with one section replaced; its checksums are right.
void expect_refused(const std::string& section, std::vector<std::byte> bytes,
                    const std::string& message) {
  const SmallModel how{.labels = {"A", "B"}, .order = 2};
  const ChainModel model = model_of(how, 3);
  const Container& file = model.container();
  ContainerWriter out;
  for (const Container::Entry& entry : file.entries()) {
    const auto old = file.section(entry.name);
    std::vector<std::byte> copy(old.begin(), old.end());
    out.add(entry.name, entry.name == section ? bytes : std::move(copy),
            entry.bulk ? ContainerWriter::Kind::bulk : ContainerWriter::Kind::small);
  }
  expect_error([&] { ChainModel(Container::from_bytes(out.bytes(), "bad.croft")); },
               "bad.croft: " + message);
}

std::vector<std::byte> numbers(const std::vector<std::uint32_t>& list) {
  std::vector<std::byte> bytes(list.size() * sizeof(std::uint32_t));
  std::memcpy(bytes.data(), list.data(), bytes.size());
  return bytes;
}

std::vector<std::byte> text(const std::string& meta) {
  std::vector<std::byte> bytes(meta.size());
  std::memcpy(bytes.data(), meta.data(), meta.size());
  return bytes;
}

TEST(HistoryModel, DamageIsAnErrorThatNamesTheFile) {
  expect_refused("histories", {}, "section histories is damaged");
  expect_refused("histories", {std::byte{0}, std::byte{0}}, "section \"histories\" has 2 bytes");
  expect_refused("histories", numbers({5, 1, 2}), "section histories is damaged");
  expect_refused("histories", numbers({0xFFFFFFFF, 1}), "section histories is damaged");
  expect_refused("histories", numbers({1, 1, 2}),
                 "label histories: state 0 has the label number 2");
  expect_refused("histories", numbers({2, 1, 2, 1, 0}), "label histories: state 1 is out of order");
  expect_refused("histories", numbers({2, 2, 1, 0, 1}),
                 "label histories: the list of each state's labels does not fit together");
  expect_refused("grams", numbers({1, 2, 0, 0}), "section grams.weights is damaged");
  expect_refused("grams.weights", numbers({0}), "section grams.weights is damaged");
  const std::string extraction =
      R"("extraction":{"format":"attributes","columns":0,"boundaries":false,"language":"crfpp"},)";
  for (const std::string order : {R"("two")", "-1", "2.5", "null"}) {
    expect_refused("meta", text("{\"kind\":\"chain\"," + extraction + "\"order\":" + order + "}"),
                   "section meta is damaged");
  }
  expect_refused(
      "meta", text("{\"kind\":\"chain\"," + extraction + "\"order\":900}"),
      "section meta is damaged: order is 900, and a whole number from 2 to 8 was expected");
}

TEST(HistoryModel, AWeightThatIsNotFiniteIsAnError) {
  const SmallModel how{.labels = {"A", "B"}, .order = 2};
  std::vector<std::uint32_t> weights(model_of(how, 3).gram_weights().size(),
                                     std::bit_cast<std::uint32_t>(1.0f));
  weights[1] = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
  expect_refused("grams.weights", numbers(weights), "section grams.weights is damaged");
}

}  // namespace
}  // namespace croft::history_layout_test
