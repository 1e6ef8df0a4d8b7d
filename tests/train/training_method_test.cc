// The table of objectives and optimisers: consistent in itself, and clear where a pair makes no sense.
#include "croft/train/training_method.h"

#include <gtest/gtest.h>

#include <set>

#include "croft/core/error.h"

namespace croft {
namespace {

std::string error_of(const MethodChoice& choice) {
  try {
    check_choice(choice);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(TrainingMethods, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const MethodInfo& each : method_table()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_EQ(method_named(each.name), each.method);
    EXPECT_FALSE(each.objectives.empty()) << each.name;
  }
  names.clear();
  for (const ObjectiveInfo& each : objective_table()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_EQ(objective_named(each.name), each.objective);
  }
}

TEST(TrainingMethods, DefaultsOfEveryObjectiveMinimiseIt) {
  for (const ObjectiveInfo& each : objective_table()) {
    const double l2 = info(each.by_default).l2 ? 1 : 0;
    EXPECT_EQ(error_of({.objective = each.objective,
                        .method = default_method(each.objective, {.l1 = 0, .l2 = l2}),
                        .regulariser = {.l1 = 0, .l2 = l2}}),
              "");
    if (each.with_l1 == each.by_default) continue;
    EXPECT_EQ(error_of({.objective = each.objective,
                        .method = default_method(each.objective, {.l1 = 1, .l2 = 0}),
                        .regulariser = {.l1 = 1, .l2 = 0}}),
              "");
  }
}

TEST(TrainingMethods, APairThatMakesNoSenseListsThoseThatDo) {
  const std::string error = error_of({.objective = Objective::perceptron, .method = Method::sdca});
  EXPECT_NE(error.find("averaged-perceptron, pass-perceptron, voted-perceptron"), error.npos)
      << error;
  EXPECT_NE(error.find("It goes with --objective likelihood"), error.npos) << error;
}

TEST(TrainingMethods, L1ListsTheMethodsThatCan) {
  const std::string error = error_of(
      {.objective = Objective::likelihood, .method = Method::cg, .regulariser = {.l1 = 1}});
  EXPECT_NE(error.find("owlqn, sgd, adagrad-rda"), error.npos) << error;
}

TEST(TrainingMethods, ASettingThatIsIgnoredIsAnError) {
  MethodChoice choice{.method = Method::lbfgs, .regulariser = {.l2 = 1}};
  choice.settings.batch = 4;
  const std::string error = error_of(choice);
  EXPECT_NE(error.find("--batch means nothing to --optimizer lbfgs"), error.npos) << error;
  EXPECT_NE(error.find("adagrad"), error.npos) << error;
}

TEST(TrainingMethods, WhatAnObjectiveCannotDoIsRefused) {
  EXPECT_NE(error_of({.objective = Objective::piecewise,
                      .method = Method::lbfgs,
                      .partial = true}).find("wants every label known"),
            std::string::npos);
  EXPECT_NE(error_of({.objective = Objective::pseudolikelihood,
                      .method = Method::lbfgs,
                      .order = 2}).find("--order 1 only"),
            std::string::npos);
  EXPECT_NE(error_of({.method = Method::sdca, .regulariser = {.l2 = 1}, .init = true}).find("dual"),
            std::string::npos);
  EXPECT_NE(error_of({.method = Method::sag, .regulariser = {.l2 = 0}}).find("needs --l2 above 0"),
            std::string::npos);
}

TEST(TrainingMethods, UnknownNamesListAll) {
  try {
    method_named("adam");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("frank-wolfe"), std::string::npos);
  }
}

}  // namespace
}  // namespace croft
