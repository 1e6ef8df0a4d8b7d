// The table of objectives and optimisers: consistent in itself, and clear where a pair makes no
// sense.
#include "train/methods/choice.h"

#include <gtest/gtest.h>

#include <set>

#include "croft/core/error.h"

namespace croft::training_method_test {
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
    EXPECT_FALSE(objectives_of(each.method).empty()) << each.name;
  }
  names.clear();
  for (const ObjectiveInfo& each : objective_table()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_EQ(objective_named(each.name), each.objective);
  }
}

// What one statement (goes_with) comes to where a structure has less than a chain.
TEST(TrainingMethods, StructuresHaveTheMethodsThatTheyHaveFunctionsFor) {
  const std::string graph_smooth =
      "sgd-lbfgs, lbfgs, owlqn, steepest-descent, cg, preconditioned-cg, mixed-cg, bfgs, sgd, "
      "averaged-sgd, adagrad, adagrad-rda, smd, sag";
  const auto of = [](Objective objective, Structure structure) {
    return names_of(methods_of(objective, structure));
  };
  constexpr auto kGraph = Structure::graph, kSegments = Structure::segments;
  for (const Objective each :
       {Objective::likelihood, Objective::bethe, Objective::mean_field, Objective::pseudolikelihood,
        Objective::per_edge, Objective::composite, Objective::piecewise,
        Objective::piecewise_pseudolikelihood, Objective::tree_reweighted,
        Objective::product_of_beliefs}) {
    EXPECT_EQ(of(each, kGraph), graph_smooth) << name_of(each);
  }
  EXPECT_EQ(of(Objective::max_margin, kGraph),
            "sgd, averaged-sgd, adagrad, adagrad-rda, frank-wolfe, cutting-plane");
  EXPECT_EQ(of(Objective::perceptron, kGraph), "perceptron, averaged-perceptron, pass-perceptron");
  EXPECT_EQ(of(Objective::passive_aggressive, kGraph), "pa, pa-1, pa-2");
  for (const ObjectiveInfo& each : objective_table(kGraph)) {
    if (each.form == Form::directions) {
      EXPECT_EQ(of(each.objective, kGraph), "sgd, averaged-sgd") << each.name;
    }
    EXPECT_TRUE(goes_with(each.by_default, each.objective, kGraph)) << each.name;
    EXPECT_TRUE(goes_with(each.with_l1, each.objective, kGraph)) << each.name;
  }
  EXPECT_EQ(of(Objective::likelihood, kSegments),
            "sgd-lbfgs, lbfgs, owlqn, steepest-descent, cg, bfgs, sgd, averaged-sgd, adagrad, "
            "adagrad-rda, smd, sag, async-sgd, dual-ascent");
  EXPECT_EQ(of(Objective::max_margin, kSegments),
            "sgd, averaged-sgd, adagrad, adagrad-rda, async-sgd, cutting-plane");
  EXPECT_EQ(of(Objective::arow, kSegments), "arow");
  EXPECT_EQ(of(Objective::local, kSegments), "none");
  EXPECT_EQ(of(Objective::likelihood, Structure::joint),
            "sgd-lbfgs, lbfgs, owlqn, steepest-descent, cg, preconditioned-cg, mixed-cg, bfgs, "
            "newton, truncated-newton, gis, iis, sgd, averaged-sgd, adagrad, adagrad-rda, smd, "
            "sag, async-sgd");
  EXPECT_EQ(objective_table(Structure::joint).size(), 1u);
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

TEST(TrainingMethods, AnUnpenalisedInterceptListsTheMethodsThatCan) {
  const auto asked = [](Method method, double l1) {
    return error_of({.method = method, .regulariser = {.l1 = l1, .l2 = 1}, .free_intercept = true});
  };
  for (const Method method : {Method::lbfgs, Method::owlqn, Method::steepest_descent, Method::cg,
                              Method::preconditioned_cg, Method::mixed_cg, Method::bfgs,
                              Method::newton, Method::truncated_newton}) {
    EXPECT_EQ(asked(method, 0), "") << info(method).name;
  }
  for (const Method method : {Method::sgd_lbfgs, Method::sgd, Method::adagrad, Method::sag,
                              Method::gis, Method::iis, Method::sdca, Method::eg}) {
    const std::string error = asked(method, 0);
    EXPECT_NE(
        error.find("cannot leave the intercept unpenalised; with --objective likelihood these "
                   "can: lbfgs"),
        error.npos)
        << error;
    EXPECT_NE(error.find("owlqn, steepest-descent, cg"), error.npos) << error;
    EXPECT_EQ(error.find("span-lbfgs"), error.npos) << error;  // of positions by themselves
  }
  EXPECT_EQ(asked(Method::owlqn, 1), "");
  const std::string error = asked(Method::sgd, 1);
  EXPECT_NE(error.find("these can: owlqn"), error.npos) << error;
}

TEST(TrainingMethods, ASettingThatIsIgnoredIsAnError) {
  MethodChoice choice{.method = Method::lbfgs, .regulariser = {.l2 = 1}};
  choice.settings.batch = 4;
  const std::string error = error_of(choice);
  EXPECT_NE(error.find("--batch means nothing to --optimizer lbfgs"), error.npos) << error;
  EXPECT_NE(error.find("adagrad"), error.npos) << error;
}

// For each method: a choice that is sound but for what the test asks of it.
MethodChoice sound(const MethodInfo& method) {
  return {.objective = objectives_of(method.method).front(),
          .method = method.method,
          .regulariser = {.l1 = 0, .l2 = method.l2 ? 1.0 : 0.0},
          .independent = method.independent};
}

void expect_error(const MethodChoice& choice, std::initializer_list<std::string> mentions) {
  const std::string error = error_of(choice);
  for (const std::string& text : mentions) {
    EXPECT_NE(error.find(text), error.npos) << text << " in: " << error;
  }
}

TEST(TrainingMethods, MethodsForIndependentPositionsGoWithMaxentOnly) {
  for (const MethodInfo& each : method_table()) {
    if (!each.independent) continue;
    MethodChoice choice = sound(each);
    choice.independent = false;
    expect_error(choice, {std::string(each.name), "--model maxent", "these can: sgd-lbfgs"});
    choice = sound(each);
    choice.variances = true;
    expect_error(choice, {std::string(each.name), "--variances", "these can: sgd-lbfgs"});
    choice = sound(each);
    choice.partial = true;
    expect_error(choice, {std::string(each.name), "every label known"});
  }
}

TEST(TrainingMethods, EveryMethodIsSoundByItself) {
  for (const MethodInfo& each : method_table()) EXPECT_EQ(error_of(sound(each)), "") << each.name;
}

TEST(TrainingMethods, ABlockIsOfTheCompositeObjective) {
  for (const ObjectiveInfo& each : objective_table()) {
    MethodChoice choice{.objective = each.objective, .method = each.by_default, .block = true};
    choice.regulariser.l2 = info(each.by_default).l2 ? 1 : 0;
    if (each.objective == Objective::composite) {
      EXPECT_EQ(error_of(choice), "");
    } else {
      expect_error(choice, {"--block", "--objective composite", std::string(each.name)});
    }
  }
}

TEST(TrainingMethods, DecayIsOfTheConstantSchedule) {
  MethodChoice choice = sound(info(Method::sgd));
  choice.settings.decay = 0.5;
  expect_error(choice, {"--decay goes with --schedule constant"});
  choice.settings.schedule = StepSchedule::inverse;
  expect_error(choice, {"--decay goes with --schedule constant"});
  choice.settings.schedule = StepSchedule::constant;
  EXPECT_EQ(error_of(choice), "");
}

TEST(TrainingMethods, WhatIsOfThePassesOfSgdNeedsOne) {
  for (const bool step : {false, true}) {
    MethodChoice choice = sound(info(Method::sgd_lbfgs));
    (step ? choice.settings.step.emplace(0.1), 0 : choice.settings.batch.emplace(4), 0);
    EXPECT_EQ(error_of(choice), "");
    choice.settings.passes = 0;
    expect_error(choice, {step ? "--step" : "--batch", "--sgd-passes 0"});
    choice.settings.passes = 1;
    EXPECT_EQ(error_of(choice), "");
  }
}

TEST(TrainingMethods, AnAverageBeginsBeforeTheEnd) {
  MethodChoice choice = sound(info(Method::averaged_sgd));
  choice.settings.average_from = 8;
  choice.max_iterations = 7;
  expect_error(choice, {"--average-from 8", "--max-iterations 7"});
  choice.max_iterations = 8;
  EXPECT_EQ(error_of(choice), "");
}

TEST(TrainingMethods, SinglePrecisionIsOfMethodsThatSeeAllDataAtOnce) {
  std::size_t can = 0;
  for (const MethodInfo& each : method_table()) {
    MethodChoice choice = sound(each);
    choice.single = true;
    if (has_precision(each.method)) {
      EXPECT_EQ(error_of(choice), "") << each.name;
      ++can;
    } else {
      expect_error(choice, {"--precision single", std::string(each.name), "these can: "});
    }
  }
  EXPECT_EQ(can, 13u);  // twelve that take all data at once, and pass-perceptron
  for (const Method each : {Method::sgd, Method::sag, Method::async_sgd, Method::gis, Method::iis,
                            Method::sdca, Method::smo, Method::perceptron, Method::arow}) {
    EXPECT_FALSE(has_precision(each)) << info(each).name;
  }
}

TEST(TrainingMethods, TheDualStopsByItsGapAlone) {
  for (const MethodInfo& each : method_table()) {
    MethodChoice tolerance = sound(each), window = sound(each);
    tolerance.tolerance = window.window = true;
    const bool proves = each.method == Method::cutting_planes;  // how far off it is at most
    if ((each.init || each.independent) && !proves) {
      EXPECT_EQ(error_of(tolerance), "") << each.name;
      EXPECT_EQ(error_of(window), "") << each.name;
    } else {
      expect_error(tolerance, {"--tolerance", std::string(each.name), "--gap"});
      expect_error(window, {"--window", std::string(each.name), "--gap"});
    }
  }
}

TEST(TrainingMethods, APriorNeedsAPenaltyThatItIsOf) {
  MethodChoice choice{.method = Method::lbfgs, .regulariser = {.l1 = 0, .l2 = 0}};
  choice.init = choice.prior = true;
  expect_error(choice, {"--prior", "--l2 0", "--init"});
  choice.regulariser.l2 = 1;
  EXPECT_EQ(error_of(choice), "");
  choice = {.method = Method::lbfgs, .regulariser = {.l1 = 0, .l2 = 0}, .variances = true};
  expect_error(choice, {"--variances", "--l1 0 and --l2 0"});
  choice.regulariser.l2 = 1;
  EXPECT_EQ(error_of(choice), "");
  choice.method = Method::owlqn;
  choice.regulariser = {.l1 = 1, .l2 = 0};
  EXPECT_EQ(error_of(choice), "");
}

TEST(TrainingMethods, OnlyTheUnboundedPassiveAggressiveMethodHasNoUseForWeights) {
  for (const MethodInfo& each : method_table()) {
    MethodChoice choice = sound(each);
    choice.weighted = true;
    if (each.method == Method::pa) {
      expect_error(choice, {"--optimizer pa gets", "weights", "these can: pa-1, pa-2, mira"});
    } else {
      EXPECT_EQ(error_of(choice), "") << each.name;
    }
  }
}

TEST(TrainingMethods, ThoseThatDoNotGoWithAnOrderOrPartialLabelsNameOthers) {
  MethodChoice choice = sound(info(Method::sdca));
  choice.order = 2;
  expect_error(choice, {"--optimizer sdca goes with --order 1 only", "--objective likelihood",
                        "these can: sgd-lbfgs, lbfgs"});
  EXPECT_EQ(error_of(choice).find("gis"), std::string::npos);
  choice = sound(info(Method::smo));
  choice.order = 3;
  expect_error(choice, {"--optimizer smo", "these can: sgd, averaged-sgd, adagrad"});
  choice = sound(info(Method::mira));
  choice.order = 2;
  expect_error(choice, {"--optimizer mira", "these can: pa, pa-1, pa-2"});
  choice = sound(info(Method::gis));
  choice.partial = true;
  expect_error(choice, {"--optimizer gis wants every label known", "these can: sgd-lbfgs, lbfgs"});
}

TEST(TrainingMethods, WhatAnObjectiveCannotDoIsRefused) {
  EXPECT_NE(error_of({.objective = Objective::piecewise, .method = Method::lbfgs, .partial = true})
                .find("wants every label known"),
            std::string::npos);
  EXPECT_NE(
      error_of({.objective = Objective::pseudolikelihood, .method = Method::lbfgs, .order = 2})
          .find("--order 1 only"),
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
}  // namespace croft::training_method_test
