#include "app/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/kinds/model_file.h"
#include "train/options/training_options.h"

namespace croft {
namespace {

template <class Rows>
std::multiset<std::string_view> names(const Rows& rows) {
  std::multiset<std::string_view> all;
  for (const auto& row : rows) all.insert(row.name);
  return all;
}

TEST(Kinds, EveryKindThatThereAreFilesOfHasOneRow) {
  EXPECT_EQ(names(kind_rows()), names(model_kinds()));
  const auto all = names(kind_rows());
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

TEST(Kinds, EveryKindThatIsTrainedHasARowUnlessItsFileIsNoModel) {
  const auto rows = names(kind_rows());
  for (const KindName& kind : kind_names()) {
    const bool is_model = (kind.bit & (kBayesNetBit | kLogicBit)) == 0;
    EXPECT_EQ(rows.contains(kind.name), is_model) << kind.name;
  }
}

TEST(Kinds, EveryRowAnswersForTheModelAndItsSequences) {
  for (const KindRow& row : kind_rows()) {
    EXPECT_NE(row.summary, nullptr) << row.name;
    EXPECT_NE(row.top, nullptr) << row.name;
    EXPECT_EQ(row.write_weights == nullptr, row.name == "hmm") << row.name;
    EXPECT_EQ(row.explainer == nullptr, row.name == "graph") << row.name;
    EXPECT_EQ(row.constraints == nullptr, row.name == "graph") << row.name;
  }
}

TEST(Kinds, ConversionsLeadToKindsOfChainsAndSayWhatTheyKeep) {
  std::size_t conversions = 0;
  for (const KindRow& row : kind_rows()) {
    if (row.conversion.make == nullptr) continue;
    ++conversions;
    EXPECT_FALSE(row.conversion.what.empty()) << row.name;
    const auto to = std::ranges::find(model_kinds(), row.conversion.to, &ModelKind::name);
    ASSERT_NE(to, model_kinds().end()) << row.name;
    EXPECT_TRUE(to->no_chain.empty()) << row.name;
  }
  EXPECT_GE(conversions, 3u);
}

}  // namespace
}  // namespace croft
