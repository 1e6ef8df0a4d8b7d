// Options of training as the request of kind logic.
#include "sql/logic/logic_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "croft/core/error.h"

namespace croft {
namespace {

OptionValues values_of_logic() {
  OptionValues values(training_options());
  values.set("model", "logic");
  values.set("program", "rules.mln");
  values.set("query", "P");
  return values;
}

TEST(LogicTrainer, EveryOptionOfTheKindReachesItsRequest) {
  const OptionValues values = values_of_logic();
  logic_train_request(values);
  const std::vector<std::string_view> unread = values.unread();
  for (const std::span<const OptionRow> table : values.tables()) {
    for (const OptionRow& row : table) {
      const bool of_the_run = row.name == "log" || row.name == "quiet" || row.name == "model";
      if (!has_meaning(row, kLogicBit) || of_the_run) continue;
      EXPECT_EQ(std::ranges::find(unread, row.name), unread.end()) << "--" << row.name;
    }
  }
}

TEST(LogicTrainer, WithoutOptionsItLearnsAsTheVerbDoes) {
  const LogicTrainRequest request = logic_train_request(values_of_logic());
  const LogicLearnOptions usual;
  EXPECT_EQ(request.options.objective, usual.objective);
  EXPECT_EQ(request.options.l2, usual.l2);
  EXPECT_EQ(request.options.memory, usual.memory);
  EXPECT_EQ(request.options.max_iterations, usual.max_iterations);
  EXPECT_EQ(request.options.reading, usual.reading);
  EXPECT_EQ(request.options.seed, usual.seed);
}

TEST(LogicTrainer, DatabasesAreOneWorldOrEachItsOwn) {
  OptionValues values = values_of_logic();
  values.set("DATA", "a.db");
  values.set("DATA", "b.db");
  EXPECT_EQ(logic_train_request(values).source.evidence,
            (std::vector<std::string>{"a.db", "b.db"}));
  values.set_flag("worlds");
  values.set("evidence", "c.db");
  const LogicTrainRequest request = logic_train_request(values);
  EXPECT_EQ(request.source.evidence, std::vector<std::string>{"c.db"});
  EXPECT_EQ(request.worlds, (std::vector<std::string>{"a.db", "b.db"}));
}

}  // namespace
}  // namespace croft
