#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "bugs/compile/compile.h"
#include "bugs/language/program_parser.h"
#include "bugs/node_values.h"
#include "bugs/run/starts.h"
#include "bugs/sampling.h"
#include "croft/core/random.h"
#include "support/message_of.h"

namespace croft::bugs::sample_test {
namespace {

Program program_of(const std::string& text) { return parse_program(LineReader(text, "t.bug")); }

const char* const kNormal =
    "model { for (i in 1:5) { y[i] ~ dnorm(mu, tau)  z[i] ~ dnorm(mu, tau) }  "
    "mu ~ dnorm(0, 0.01)  tau ~ dgamma(2, 1)  sd <- 1/sqrt(tau) }";

Arrays normal_data() { return {{"y", {{5}, {1.2, 0.4, NAN, 2.2, 0.9}}}}; }

BugsOptions short_run() {
  BugsOptions options;
  options.chains = 3;
  options.burn_in = 50;
  options.samples = 200;
  options.threads = 1;
  options.monitors = {{"mu"}, {"sd"}, {"z[2:3]"}, {"y"}, {"deviance"}};
  return options;
}

void expect_same(const BugsResult& a, const BugsResult& b) {
  ASSERT_EQ(a.traces.size(), b.traces.size());
  for (std::size_t m = 0; m < a.traces.size(); ++m) {
    EXPECT_EQ(a.traces[m].name, b.traces[m].name);
    EXPECT_EQ(a.traces[m].chains, b.traces[m].chains) << a.traces[m].name;
  }
  ASSERT_EQ(a.deviance.has_value(), b.deviance.has_value());
  EXPECT_EQ(a.deviance->mean_deviance, b.deviance->mean_deviance);
  EXPECT_EQ(a.deviance->pd, b.deviance->pd);
}

std::vector<double> pooled(const Trace& trace) {
  std::vector<double> all;
  for (const auto& chain : trace.chains) all.insert(all.end(), chain.begin(), chain.end());
  return all;
}

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double variance_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(x.size() - 1);
}

TEST(BugsSampleThreads, TheDrawsAreTheSameForAnyNumberOfThem) {
  BugsOptions options = short_run();
  const BugsResult one = sample(program_of(kNormal), normal_data(), {}, options);
  options.threads = 4;
  const BugsResult four = sample(program_of(kNormal), normal_data(), {}, options);
  expect_same(one, four);
  EXPECT_EQ(one.traces.size(), 1u + 1 + 2 + 5 + 1);
  EXPECT_EQ(one.traces[2].name, "z[2]");
  EXPECT_EQ(one.traces[0].chains.size(), 3u);
  EXPECT_EQ(one.traces[0].chains[0].size(), 200u);
  EXPECT_NE(one.traces[0].chains[0], one.traces[0].chains[1]);
  EXPECT_EQ(one.observed, 4u);
  EXPECT_EQ(one.unobserved, 8u);
  options.seed = 2;
  EXPECT_NE(sample(program_of(kNormal), normal_data(), {}, options).traces[0].chains,
            one.traces[0].chains);
}

TEST(BugsSample, ThinningKeepsTheLastOfSoManyIterations) {
  BugsOptions options = short_run();
  const BugsResult every = sample(program_of(kNormal), normal_data(), {}, options);
  options.thin = 3;
  options.monitors[1].thin = 7;
  const BugsResult thinned = sample(program_of(kNormal), normal_data(), {}, options);
  ASSERT_EQ(thinned.traces[0].chains[1].size(), 66u);
  ASSERT_EQ(thinned.traces[1].chains[1].size(), 28u);
  EXPECT_EQ(thinned.traces[0].first, 53u);
  EXPECT_EQ(thinned.traces[1].thin, 7u);
  for (std::size_t k = 0; k < 28; ++k) {
    EXPECT_EQ(thinned.traces[1].chains[1][k], every.traces[1].chains[1][7 * k + 6]);
  }
}

// With samplers of many kinds: blocks, conjugate ones, slices, discrete and censored nodes.
const char* const kMixed =
    "model { for (i in 1:8) { r[i] ~ dbin(p[i], 10)  logit(p[i]) <- a + b * x[i] + u[i]  "
    "u[i] ~ dnorm(0, tau)  x[i] <- i - 4.5 }  a ~ dnorm(0, 0.01)  b ~ dnorm(0, 0.01)  "
    "tau ~ dgamma(1, 1)  k ~ dcat(c(1, 2, 3))  s ~ dpois(a^2 + k)  w ~ dweib(1 + k, exp(b))  "
    "c ~ dinterval(w, 0.5)  v ~ dnorm(w, 1) T(0, )  z ~ dexp(1 + v^2) }";

void expect_resumes(const Program& program, const Arrays& data,
                    const std::vector<MonitorRequest>& monitors, const std::string& name) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / name;
  std::filesystem::remove_all(folder);
  BugsOptions options = short_run();
  options.samples = 600;
  options.monitors = monitors;
  const BugsResult whole = sample(program, data, {}, options);
  options.checkpoint = folder.string();
  for (const std::size_t enough : {20, 60, 300, 100000}) {  // in the burn-in, and after it
    const BugsResult part = sample(program, data, {}, options, [&](const BugsProgress& progress) {
      return progress.done < enough;
    });
    EXPECT_EQ(part.stopped, enough != 100000);
    if (part.stopped) {
      EXPECT_LT(part.iterations, 650u);
      EXPECT_EQ(part.traces[0].chains[0].size(),
                part.iterations - std::min<std::size_t>(50, part.iterations));
    } else {
      expect_same(part, whole);
    }
    options.resume = true;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint"));
  std::filesystem::remove_all(folder);
}

TEST(BugsSample, ARunThatWasStoppedGoesOnToTheSameBytes) {
  expect_resumes(program_of(kNormal), normal_data(), short_run().monitors,
                 "croft-bugs-checkpoint-test");
  const Arrays mixed = {{"r", {{8}, {1, 2, 4, 3, 6, 7, 9, 8}}},
                        {"s", {{1}, {3}}},
                        {"c", {{1}, {1}}},
                        {"z", {{1}, {0.4}}}};
  expect_resumes(program_of(kMixed), mixed, {}, "croft-bugs-checkpoint-mixed");
}

TEST(BugsSample, ACheckpointOfAnotherRunOrADamagedOneIsRefused) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "croft-bugs-checkpoint-other";
  std::filesystem::remove_all(folder);
  BugsOptions options = short_run();
  options.checkpoint = folder.string();
  const auto stop = [](const BugsProgress& progress) { return progress.done < 10; };
  const auto fault = [&](const Arrays& data) {
    return message_of<Error>([&] { sample(program_of(kNormal), data, {}, options, stop); });
  };
  EXPECT_EQ(fault(normal_data()), "no error");
  EXPECT_NE(fault(normal_data()).find("--resume"), std::string::npos);
  options.resume = true;
  Arrays other = normal_data();
  other["y"].values[0] = 9;
  EXPECT_NE(fault(other).find("of another run"), std::string::npos);
  std::filesystem::resize_file(folder / "checkpoint",
                               std::filesystem::file_size(folder / "checkpoint") - 3);
  EXPECT_NE(fault(normal_data()).find("damaged"), std::string::npos);
  std::filesystem::remove_all(folder);
  EXPECT_NE(fault(normal_data()).find("is not there"), std::string::npos);
}

// mu | y is normal, its complexity 1, and y.new is drawn with it.
TEST(BugsSample, AConjugateNormalHasItsPosteriorItsPredictionAndItsDeviance) {
  Arrays data;
  data["y"] = {{20}, {}};
  Random random(5);
  double sum = 0, squares = 0;
  for (int k = 0; k < 20; ++k) {
    const double y = 3 + 2 * random.normal();
    data["y"].values.push_back(y);
    sum += y;
    squares += y * y;
  }
  BugsOptions options;
  options.burn_in = 100;
  options.samples = 5000;
  options.monitors = {{"mu"}, {"y.new"}, {"twice"}, {"deviance"}};
  const BugsResult result =
      sample(program_of("model { for (i in 1:20) { y[i] ~ dnorm(mu, 0.25) }  mu ~ dnorm(0, 0.01)  "
                        "y.new ~ dnorm(mu, 0.25)  twice <- 2 * y.new }"),
             data, {}, options);
  const double precision = 20 * 0.25 + 0.01, mean = 0.25 * sum / precision;
  const std::vector<double> mu = pooled(result.traces[0]), fresh = pooled(result.traces[1]);
  EXPECT_NEAR(mean_of(mu), mean, 5 / std::sqrt(precision * 20000));
  EXPECT_NEAR(variance_of(mu) * precision, 1, 0.05);
  EXPECT_NEAR(mean_of(fresh), mean, 5 * std::sqrt(4.2 / 20000));
  EXPECT_NEAR(variance_of(fresh), 4 + 1 / precision, 0.2);
  EXPECT_EQ(result.traces[2].chains[0][7], 2 * result.traces[1].chains[0][7]);
  // E D = 20 ln(2 pi 4) + sum E (y - mu)^2 / 4.
  const double expected =
      20 * std::log(8 * M_PI) + (squares - 2 * mean * sum + 20 * (mean * mean + 1 / precision)) / 4;
  EXPECT_NEAR(mean_of(pooled(result.traces[3])), expected, 0.1);
  ASSERT_TRUE(result.deviance.has_value());
  EXPECT_NEAR(result.deviance->mean_deviance, expected, 0.2);
  EXPECT_NEAR(result.deviance->pd, 1, 0.15);
  EXPECT_DOUBLE_EQ(result.deviance->dic, result.deviance->mean_deviance + result.deviance->pd);
}

TEST(BugsSample, ComplexityIsNotKnownWherePossibleValuesDependOnUnobservedNodes) {
  BugsOptions options = short_run();
  options.monitors = {};
  options.exact = false;
  for (const char* const law : {"dhyper(n, 6, 4, 1)", "dbin(0.3, n)", "dbetabin(1, 2, n)",
                                "dunif(0, n + 1)", "dpois(3) T(, n)", "dpar(1, 1 / (1 + n))"}) {
    const BugsResult result =
        sample(program_of("model { y ~ " + std::string(law) + "  n ~ dpois(5) }"),
               {{"y", {{1}, {2}}}}, {}, options);
    ASSERT_TRUE(result.deviance);
    EXPECT_TRUE(std::isfinite(result.deviance->mean_deviance));
    EXPECT_TRUE(std::isnan(result.deviance->pd) && std::isnan(result.deviance->dic)) << law;
    ASSERT_EQ(result.warnings.size(), 1u) << law;
    EXPECT_EQ(result.warnings[0],
              "pD and DIC are not known: which values \"y\" can have depends on unobserved nodes");
  }
  options.chains = 1;
  const BugsResult one = sample(program_of(kNormal), normal_data(), {}, options);
  EXPECT_TRUE(std::isnan(one.deviance->pd));
  EXPECT_TRUE(one.warnings.empty());
}

TEST(BugsSample, StopsWhenTheMonitoredValuesAreKnownWellEnough) {
  BugsOptions options = short_run();
  options.samples = 100000;
  options.monitors = {{"mu"}};
  options.until = Until{1.05, 400};
  std::size_t called = 0;
  const BugsResult result =
      sample(program_of(kNormal), normal_data(), {}, options, [&](const BugsProgress& progress) {
        called += progress.effective_samples > 0 ? 1 : 0;
        return true;
      });
  EXPECT_FALSE(result.stopped);
  EXPECT_LT(result.iterations, 5000u);
  EXPECT_GT(called, 0u);
  options.threads = 2;
  EXPECT_EQ(sample(program_of(kNormal), normal_data(), {}, options).traces[0].chains,
            result.traces[0].chains);
}

TEST(BugsSample, WithoutDataItDrawsFromThePrior) {
  BugsOptions options;
  options.burn_in = 0;
  options.samples = 4000;
  const BugsResult result = sample(
      program_of("model { a ~ dgamma(3, 2)  b ~ dnorm(a, 1) T(0, 5)  k ~ dcat(c(0.2, 0.8)) }"), {},
      {}, options);
  ASSERT_EQ(result.traces.size(), 3u);  // all unobserved, by name
  EXPECT_NEAR(mean_of(pooled(result.traces[0])), 1.5, 0.05);
  EXPECT_NEAR(mean_of(pooled(result.traces[2])), 1.8, 0.02);
  ASSERT_EQ(result.samplers.size(), 1u);
  EXPECT_EQ(result.samplers[0].sampler, "forward");
  EXPECT_FALSE(result.deviance.has_value());
}

TEST(BugsSample, MonitorsAndInitialValuesThatFitNothingAreTold) {
  const auto fault = [](const MonitorRequest& monitor, const Arrays& inits) {
    BugsOptions options = short_run();
    options.monitors = {monitor};
    return message_of<Error>([&] { sample(program_of(kNormal), normal_data(), {inits}, options); });
  };
  EXPECT_NE(fault({"nothing"}, {}).find("\"nothing\""), std::string::npos);
  EXPECT_NE(fault({"z[1,2]"}, {}).find("2 subscripts for an array of 1 dimension"),
            std::string::npos);
  EXPECT_NE(fault({"z[9]"}, {}).find("beyond the extent 5"), std::string::npos);
  EXPECT_NE(fault({"z[a]"}, {}).find("number or a range"), std::string::npos);
  EXPECT_NE(fault({"mu"}, {{"sd", {{1}, {1}}}}).find("sd is not drawn"), std::string::npos);
  EXPECT_NE(fault({"mu"}, {{"mu", {{2}, {1, 2}}}}).find("they are 2"), std::string::npos);
  EXPECT_NE(fault({"mu"}, {{"y", {{5}, {1, NAN, NAN, NAN, NAN}}}}).find("y[1] is observed"),
            std::string::npos);
  EXPECT_EQ(fault({"mu"}, {{"y", {{5}, {NAN, NAN, 1, NAN, NAN}}}}), "no error");
  EXPECT_EQ(fault({"mu"}, {{"unknown", {{1}, {1}}}}), "no error");  // a warning
  EXPECT_EQ(
      fault({"mu"}, {{"tau", {{1}, {-2}}}}),
      "t.bug:1:99: the initial value -2 is impossible with those that it depends on: \"tau\"");
}

TEST(BugsSample, AFaultOfAMonitorInAScriptHasItsPlace) {
  BugsOptions options = short_run();
  const auto fault = [&](const std::vector<MonitorRequest>& monitors) {
    options.monitors = monitors;
    return message_of<InputError>([&] { sample(program_of(kNormal), normal_data(), {}, options); });
  };
  EXPECT_EQ(fault({{"mu"}, {"nothing", 0, {"s.cmd", 7, 9}}}),
            "s.cmd:7:9: the program has no such name: \"nothing\"");
  EXPECT_EQ(fault({{"mu"}, {"z[1,2]", 0, {"s.cmd", 7, 9}}}),
            "s.cmd:7:9: 2 subscripts for an array of 1 dimension: \"z[1,2]\"");
  EXPECT_EQ(fault({{"z"}, {"z[2]", 0, {"s.cmd", 8, 9}}}),
            "s.cmd:8:9: it is asked for twice: \"z[2]\"");
}

TEST(BugsSample, NodesThatAreNoNumberInSomeDrawsAreTold) {
  BugsOptions options = short_run();
  options.monitors = {{"z"}};
  const BugsResult result =
      sample(program_of("model { x ~ dnorm(1.2, 1)  z <- log(x - 1) }"), {}, {}, options);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].find("no number (NaN) is the value of \"z\" ("), std::string::npos);
  EXPECT_NE(result.warnings[0].find(" of 600 draws)"), std::string::npos);
}

TEST(BugsSample, DiscreteNodesThatAllChainsStartFromAreTold) {
  BugsOptions options = short_run();
  options.monitors = {};
  const Program program = program_of("model { k ~ dpois(3)  y ~ dnorm(k, 1) }");
  const Arrays data{{"y", {{1}, {2}}}};
  const Arrays start{{"k", {{1}, {4}}}};
  EXPECT_EQ(sample(program, data, {start}, options).warnings,
            std::vector<std::string>{
                "all chains start at the same value of \"k\": r_hat does not see what none of them "
                "reaches; give each chain initial values of its own"});
  EXPECT_TRUE(sample(program, data, {start, start, start}, options).warnings.empty());
  EXPECT_TRUE(sample(program, data, {}, options).warnings.empty());
}

TEST(BugsSample, NodesWhoseDrawsAreAllEqualAreTold) {
  BugsOptions options = short_run();
  options.monitors = {};
  const BugsResult result =
      sample(program_of("model { z ~ dbern(1)  x ~ dnorm(0, z) }"), {}, {}, options);
  EXPECT_EQ(result.warnings, std::vector<std::string>{
                                 "all draws are equal of \"z\": no other value is likely, or the "
                                 "chains do not move"});
}

TEST(BugsSample, FunctionsOfNodesWhoseDrawsAreAllEqualAreTold) {
  BugsOptions options = short_run();
  options.monitors = {{"s"}, {"two"}};
  const BugsResult result =
      sample(program_of("model { x ~ dnorm(0, 1)  y ~ dnorm(x, 1)  s <- step(x + 100)  two <- 2 }"),
             {{"y", {{1}, {1}}}}, {}, options);
  EXPECT_EQ(result.warnings, std::vector<std::string>{
                                 "all draws are equal of \"s\": no other value is likely, or the "
                                 "chains do not move"});
}

TEST(BugsSample, ARunThatIsStoppedInTheBurnInSaysThatNothingWasKept) {
  BugsOptions options = short_run();
  options.burn_in = 1'000'000'000;
  const BugsResult result = sample(program_of(kNormal), normal_data(), {}, options,
                                   [](const BugsProgress&) { return false; });
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0].rfind("nothing was kept: the run was stopped after 1 iteration,", 0),
            0u)
      << result.warnings[0];
  EXPECT_NE(result.warnings[0].find("iteration 1000000001"), std::string::npos);
}

TEST(BugsSample, AThinningThatKeepsNothingIsRefused) {
  BugsOptions options = short_run();
  options.thin = options.samples + 1;
  EXPECT_NE(message_of<UsageError>([&] { options.validate(); }).find("keeps none of 200"),
            std::string::npos);
}

// What a prior draw would nearly never satisfy.
TEST(BugsStarts, AreFoundWhereValuesAreOnlyJustPossible) {
  const std::pair<const char*, Arrays> models[] = {
      {"model { for (i in 1:3) { y[i] ~ dunif(0, theta) }  theta ~ dpar(1, 0.1) }",
       {{"y", {{3}, {40, 70, 90}}}}},
      {"model { for (i in 1:3) { c[i] ~ dinterval(t[i], cut[i])  t[i] ~ dweib(r, 1) }  "
       "r ~ dgamma(1, 0.001) }",
       {{"c", {{3}, {1, 0, 1}}}, {"cut", {{3}, {40, 2, 9}}}}},
      {"model { for (i in 1:3) { c[i] ~ dinterval(t[i], cut)  t[i] ~ dnorm(mu, 1) }  "
       "mu ~ dnorm(0, 1) }",
       {{"c", {{3}, {1, 2, 0}}}, {"cut", {{2}, {30, 31}}}}},
      {"model { y ~ dbin(p, 10)  logit(p) <- a  a ~ dnorm(0, 1.0E-8) }", {{"y", {{1}, {4}}}}},
      {"model { one ~ dbern(equals(a, b))  a ~ dcat(p)  b ~ dcat(p)  for (i in 1:20) { p[i] <- 1 "
       "} }",
       {{"one", {{1}, {1}}}}},
      {"model { y ~ dhyper(n, 8, 6, 1)  n ~ dpois(3) }", {{"y", {{1}, {5}}}}},
  };
  for (const auto& [text, data] : models) {
    const CompiledModel model = compile(program_of(text), data);
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      Random random(seed);
      const std::vector<double> values = find_start(model.graph, {}, random).values;
      for (NodeId n = 0; n < model.graph.nodes(); ++n) {
        EXPECT_GT(log_density_of(model.graph, model.graph.node(n), values.data()), -INFINITY)
            << text << ": " << model.graph.name(n);
      }
    }
  }
}

TEST(BugsStarts, ThatCannotBeFoundNameTheNode) {
  const CompiledModel model = compile(
      program_of("model {\n y ~ dunif(0, theta)\n theta ~ dunif(0, 1) }"), {{"y", {{1}, {2}}}});
  Random random(1);
  const std::string fault = message_of<Error>([&] { find_start(model.graph, {}, random); });
  EXPECT_EQ(fault.rfind("t.bug:2", 0), 0u) << fault;
  EXPECT_NE(fault.find("the observed value 2 of \"y\" is possible for dunif"), std::string::npos);
}

}  // namespace
}  // namespace croft::bugs::sample_test
