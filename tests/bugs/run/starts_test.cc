// Chains without initial values, and those whose initial values are far away or in one of several
// modes.
#include "bugs/run/starts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bugs/compile/compile.h"
#include "bugs/language/program_parser.h"
#include "bugs/node_values.h"
#include "bugs/posterior/diagnostics.h"
#include "bugs/sampler.h"
#include "bugs/sampling.h"

namespace croft::bugs::starts_test {
namespace {

Program program_of(const std::string& text) { return parse_program(LineReader(text, "t.bug")); }

Arrays numbers(const std::map<std::string, std::vector<double>>& all) {
  Arrays arrays;
  for (const auto& [name, values] : all) arrays[name] = {{values.size()}, values};
  return arrays;
}

std::map<std::string, Trace> traces_of(const std::string& text, const Arrays& data,
                                       const Arrays& inits, std::uint64_t seed) {
  BugsOptions options;
  options.burn_in = 300;
  options.samples = 700;
  options.threads = 1;
  options.seed = seed;
  options.exact = false;
  std::map<std::string, Trace> traces;
  for (Trace& trace : sample(program_of(text), data, {inits}, options).traces)
    traces[trace.name] = std::move(trace);
  return traces;
}

void expect_mean(const Trace& trace, double mean, const std::string& model) {
  double sum = 0, squares = 0, n = 0;
  for (const auto& chain : trace.chains) {
    for (const double x : chain) sum += x, squares += x * x, n += 1;
  }
  const double found = sum / n, variance = squares / n - found * found;
  const double error = std::sqrt(variance / effective_samples(trace.chains));
  EXPECT_LT(std::fabs(found - mean), 4.5 * error) << trace.name << ": " << found << "\n" << model;
}

struct Effects {
  const char* likelihood;
  const char* scale;
  std::vector<double> y;
  double mu, sigma;  // posterior means, by quadrature
};

const std::vector<double> kSuccesses = {6, 7, 4, 9, 8, 5, 7, 10, 6, 3};  // of 10
const std::vector<double> kCounts = {3, 9, 0, 14, 7, 21, 2, 5, 11, 6};   // of 5 units each
const char* const kLogit = "y[j] ~ dbin(p[j], 10)  logit(p[j]) <- a[j]";
const char* const kLog = "y[j] ~ dpois(m[j])  log(m[j]) <- a[j] + log(5)";
const char* const kUniform = "sigma ~ dunif(0, 100)";
const char* const kHalfCauchy = "sigma ~ dt(0, 0.0016, 1) T(0,)";

const std::vector<Effects>& effects() {
  static const std::vector<Effects> all = {
      {kLogit, kUniform, kSuccesses, 0.7478, 1.0549},
      {kLogit, kHalfCauchy, kSuccesses, 0.7476, 1.0533},
      {kLog, kUniform, kCounts, 0.1261, 1.0568},
  };
  return all;
}

std::string centred(const Effects& each) {
  return std::string("model { for (j in 1:10) { ") + each.likelihood +
         "  a[j] ~ dnorm(mu, pow(sigma, -2)) }  mu ~ dnorm(0, 1.0E-4)  " + each.scale + " }";
}

TEST(BugsStarts, RandomEffectsHaveTheirPosteriorWithoutInitialValues) {
  for (const Effects& each : effects()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto traces = traces_of(centred(each), numbers({{"y", each.y}}), {}, seed);
      expect_mean(traces.at("mu"), each.mu, centred(each));
      expect_mean(traces.at("sigma"), each.sigma, centred(each));
    }
  }
}

TEST(BugsStarts, RandomEffectsComeBackFromFarInitialValues) {
  const std::vector<double> same(10, 0.0), high(10, 30.0), low(10, -50.0);
  const std::vector<Arrays> starts = {numbers({{"a", same}}), numbers({{"a", high}}),
                                      numbers({{"a", low}, {"mu", {-50}}}),
                                      numbers({{"mu", {20}}, {"sigma", {1}}})};
  for (const Effects& each : effects()) {
    for (const Arrays& inits : starts) {
      const auto traces = traces_of(centred(each), numbers({{"y", each.y}}), inits, 4);
      expect_mean(traces.at("mu"), each.mu, centred(each));
      expect_mean(traces.at("sigma"), each.sigma, centred(each));
    }
  }
}

// Numbers of one class are near -3, those of the other near 3.
const std::vector<double> kTwoKinds = {-3.6, 4.0,  4.5,  -2.9, 3.1, -2.3, 3.3, -4.8, -3.1, -2.5,
                                       2.2,  -3.5, -4.7, 2.2,  2.5, 2.1,  5.1, 2.0,  3.5,  -3.0};

struct Classes {
  const char* name;
  const char* model;
  const char* low;  // the monitored value that has to be below the other one
  const char* high;
};
const Classes kClasses[] = {
    {"mixture",
     "model { for (i in 1:20) { z[i] ~ dcat(p[1:2])  y[i] ~ dnorm(mu[z[i]], 1) }  "
     "p[1:2] ~ ddirch(one[])  mu[1] ~ dnorm(-3, 1)  mu[2] ~ dnorm(3, 1) }",
     "mu[1]", "mu[2]"},
    {"mixture with an unknown, vague deviation",
     "model { for (i in 1:20) { z[i] ~ dcat(p[1:2])  y[i] ~ dnorm(mu[z[i]], pow(s, -2)) }  "
     "s ~ dunif(0, 100)  p[1:2] ~ ddirch(one[])  mu[1] ~ dnorm(-3, 1)  mu[2] ~ dnorm(3, 1) }",
     "mu[1]", "mu[2]"},
    {"mixture with known weights",
     "model { for (i in 1:20) { z[i] ~ dcat(p[1:2])  y[i] ~ dnorm(mu[z[i]], 1) }  "
     "p[1] <- 0.4  p[2] <- 0.6  for (k in 1:2) { mu[k] <- m[k] + 1 }  "
     "m[1] ~ dnorm(-4, 1)  m[2] ~ dnorm(2, 1) }",
     "m[1]", "m[2]"},
    {"two classes by dbern",
     "model { for (i in 1:20) { z[i] ~ dbern(p)  y[i] ~ dnorm(mu[z[i] + 1], tau[z[i] + 1]) }  "
     "p ~ dbeta(1, 1)  for (k in 1:2) { tau[k] ~ dgamma(1, 1) }  "
     "mu[1] ~ dnorm(-3, 1)  mu[2] ~ dnorm(3, 1) }",
     "mu[1]", "mu[2]"},
    {"hidden Markov chain",
     "model { z[1] ~ dcat(p[1, 1:2])  for (t in 2:20) { z[t] ~ dcat(p[z[t - 1], 1:2]) }  "
     "for (t in 1:20) { y[t] ~ dnorm(mu[z[t]], pow(s, -2)) }  s ~ dunif(0, 100)  "
     "for (k in 1:2) { p[k, 1:2] ~ ddirch(one[]) }  mu[1] ~ dnorm(-3, 1)  mu[2] ~ dnorm(3, 1) }",
     "mu[1]", "mu[2]"},
};

void expect_order(const Classes& each, const Arrays& inits, std::uint64_t seed) {
  const auto traces =
      traces_of(each.model, numbers({{"y", kTwoKinds}, {"one", {1, 1}}}), inits, seed);
  for (std::size_t c = 0; c < 4; ++c) {
    double difference = 0;
    for (std::size_t i = 0; i < 700; ++i)
      difference += traces.at(each.high).chains[c][i] - traces.at(each.low).chains[c][i];
    EXPECT_GT(difference, 0) << each.name << ", seed " << seed << ", chain " << c;
  }
}

TEST(BugsStarts, InformativePriorsSayWhichClassIsWhich) {
  for (const Classes& each : kClasses) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) expect_order(each, {}, seed);
  }
}

TEST(BugsStarts, InitialValuesThatContradictThePriorsOfClassesDoNotHold) {
  for (const Classes& each : kClasses) {
    const std::string low = each.low;
    const std::string means = low.substr(0, low.find('['));
    expect_order(each, numbers({{means, {3, -3}}}), 5);
  }
}

// Here the priors do not tell the classes apart: initial values do.
TEST(BugsStarts, InitialValuesSayWhichClassIsWhich) {
  const Classes alike = {
      "alike",
      "model { for (i in 1:20) { z[i] ~ dcat(p[1:2])  y[i] ~ dnorm(mu[z[i]], tau) }  "
      "p[1:2] ~ ddirch(one[])  tau ~ dgamma(0.01, 0.01)  "
      "for (k in 1:2) { mu[k] ~ dnorm(0, 1.0E-4) } }",
      "mu[1]", "mu[2]"};
  std::vector<double> z;
  for (const double y : kTwoKinds) z.push_back(y < 0 ? 1 : 2);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    expect_order(alike, numbers({{"mu", {-3, 3}}}), seed);
    expect_order(alike, numbers({{"z", z}}), seed);
  }
}

TEST(BugsStarts, AModelGivenSomeNodesHasThemAsData) {
  const CompiledModel model = compile(
      program_of("model { y ~ dnorm(m, tau)  m <- a + b  a ~ dnorm(mu, 1)  b ~ dnorm(0, 1)  "
                 "mu ~ dnorm(0, 1)  tau ~ dgamma(1, 1) }"),
      numbers({{"y", {1}}}));
  const ModelGraph& graph = model.graph;
  const auto slot = [&](const char* name) { return graph.arrays().find(name)->second.slots[0]; };
  std::vector<double> values = graph.initial();
  values[slot("a")] = 2, values[slot("b")] = 3;
  const NodeId held[] = {graph.node_of(slot("a")), graph.node_of(slot("b"))};
  const ModelGraph given = graph.given(held, values.data());
  EXPECT_EQ(given.sampled().size(), 2u);
  EXPECT_TRUE(given.fixed(slot("m")));
  EXPECT_EQ(given.initial()[slot("m")], 5);
  EXPECT_TRUE(given.dependents(graph.node_of(slot("mu"))).empty());
  EXPECT_EQ(given.children(graph.node_of(slot("mu"))).size(), 1u);
  EXPECT_FALSE(graph.fixed(slot("m")));
}

TEST(BugsStarts, ChainsThatDisagreeAreSaid) {
  const std::string model =
      "model { for (i in 1:20) { z[i] ~ dcat(p[1:2])  y[i] ~ dnorm(mu[z[i]], 1) }  "
      "p[1:2] ~ ddirch(one[])  for (k in 1:2) { mu[k] ~ dnorm(0, 1.0E-4) } }";
  BugsOptions options;
  options.samples = 500;
  options.chains = 2;
  options.monitors = {{"mu"}};
  const BugsResult result =
      sample(program_of(model), numbers({{"y", kTwoKinds}, {"one", {1, 1}}}),
             {numbers({{"mu", {-3, 3}}}), numbers({{"mu", {3, -3}}})}, options);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0].rfind("the chains disagree about \"mu[", 0), 0u)
      << result.warnings[0];
}

// Half of the mass is at 4 and half at -4, or 83 % and 17 %; a chain stays where it is first.
TEST(BugsStarts, ChainsStartApartWherePriorsAreInformative) {
  for (const char* const mean : {"0", "0.2"}) {
    const std::string model =
        std::string("model { y ~ dnorm(abs(th), 100)  th ~ dnorm(") + mean + ", 1) }";
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      BugsOptions options;
      options.seed = seed;
      options.burn_in = options.samples = 500;
      const BugsResult result = sample(program_of(model), numbers({{"y", {4}}}), {}, options);
      ASSERT_EQ(result.warnings.size(), 1u) << model << ", seed " << seed;
      EXPECT_EQ(result.warnings[0].rfind("the chains disagree about \"th\"", 0), 0u);
    }
  }
}

std::vector<double> first_starts(const std::string& text, const Arrays& inits, std::size_t chains) {
  const CompiledModel model = compile(program_of(text), numbers({{"y", {4}}}));
  const Slot slot = model.graph.arrays().find("th")->second.slots[0];
  std::vector<double> starts;
  for (std::size_t c = 0; c < chains; ++c) {
    Random random(c + 1);
    starts.push_back(find_start(model.graph, inits, random, {c, chains, 1}).values[slot]);
  }
  return starts;
}

TEST(BugsStarts, VaguePriorsAndInitialValuesAreNotSpread) {
  for (const char* const prior :
       {"dnorm(0, 1.0E-6)", "dgamma(0.001, 0.001)", "dunif(0, 100)", "dflat()",
        "dt(0, 0.16, 1)T(0,)", "dt(0, 1, 1)", "dgamma(0.01, 0.01)"}) {
    const std::string model = std::string("model { y ~ dnorm(th, 1)  th ~ ") + prior + " }";
    const std::vector<double> starts = first_starts(model, {}, 4);
    for (const double start : starts) EXPECT_EQ(start, starts[0]) << prior;
  }
  for (const char* const prior :
       {"dnorm(0, 1)", "dgamma(1, 1)", "dunif(0, 5)", "dexp(1)", "dbeta(1, 1)", "dlnorm(0, 1)"}) {
    const std::string model = std::string("model { y ~ dnorm(th, 1)  th ~ ") + prior + " }";
    std::vector<double> starts = first_starts(model, {}, 4);
    std::ranges::sort(starts);
    for (std::size_t c = 1; c < 4; ++c) EXPECT_LT(starts[c - 1], starts[c]) << prior;
    for (const double start : first_starts(model, numbers({{"th", {0.5}}}), 4))
      EXPECT_EQ(start, 0.5);
  }
}

// A draw from the prior makes a probability 0 that must not be, and a mean infinite.
TEST(BugsStarts, SpreadStartsKeepTheDensityFinite) {
  for (const char* const law :
       {"y ~ dpois(exp(1000 * th))", "y ~ dpois(exp(-1000 * th))", "y ~ dnorm(exp(900 * th), 1)",
        "y ~ dbin(ilogit(5000 * th), 9)", "y ~ dnorm(v[1 + round(th)], 1)  v[1] <- 1  v[2] <- 2"}) {
    const std::string model = std::string("model { ") + law + "  th ~ dnorm(0, 1) }";
    const CompiledModel compiled = compile(program_of(model), numbers({{"y", {4}}}));
    for (std::size_t c = 0; c < 4; ++c) {
      Random random(c + 1);
      const Start start = find_start(compiled.graph, {}, random, {c, 4, 1});
      for (NodeId id = 0; id < compiled.graph.nodes(); ++id) {
        const double density =
            log_density_of(compiled.graph, compiled.graph.node(id), start.values.data());
        EXPECT_GT(density, -100) << model << ", chain " << c;
      }
    }
  }
}

// By the sum over all z: the other labelling has 39 % of the mass.
TEST(BugsStarts, LabellingsThatPriorsHardlyTellApartHaveTheirWeights) {
  const std::string model =
      "model { for (i in 1:4) { z[i] ~ dbern(0.5)  y[i] ~ dnorm(mu[z[i] + 1], 4) }  "
      "mu[1] ~ dnorm(0, 0.3)  mu[2] ~ dnorm(0.3, 0.3) }";
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto traces = traces_of(model, numbers({{"y", {-1, -1.1, 4, 4.1}}}), {}, seed);
    expect_mean(traces.at("mu[1]"), 0.9108, model);
    expect_mean(traces.at("mu[2]"), 1.9916, model);
    EXPECT_LT(split_r_hat(traces.at("mu[1]").chains), 1.05);
  }
}

// p(a | y) goes to 1 as a goes to -inf: longer burn-ins do not help.
TEST(BugsStarts, AnImproperPosteriorIsSaid) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    BugsOptions options;
    options.seed = seed;
    const BugsResult result = sample(program_of("model { y ~ dpois(exp(a))  a ~ dflat() }"),
                                     numbers({{"y", {0}}}), {}, options);
    const auto said = [](const std::string& text) {
      return text.find("the posterior seems to be improper") != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(result.warnings, said)) << seed;
  }
}

class Interruption {
 public:
  Interruption() { interruption = true; }
  ~Interruption() { interruption = false; }
};

TEST(BugsStarts, TheChoiceOfSamplersEndsWhenItIsInterrupted) {
  for (const char* const text :
       {"model { for (i in 1:3) { y[i] ~ dnorm(b[i], 1)  b[i] ~ dnorm(mu, tau) }  mu ~ dnorm(0, 1)"
        "  tau ~ dgamma(1, 1) }",
        "model { for (i in 1:3) { y[i] ~ dpois(b[i])  b[i] ~ dlnorm(0, tau) }  tau ~ dgamma(1, 1) "
        "}",
        "model { for (i in 1:3) { z[i] ~ dcat(p[1:2])  y[i] ~ dnorm(mu[z[i]], 1) }  p[1] <- 0.5  "
        "p[2] <- 0.5  for (k in 1:2) { mu[k] ~ dunif(0, 9) } }"}) {
    const CompiledModel model = compile(program_of(text), numbers({{"y", {1, 2, 4}}}));
    EXPECT_FALSE(choose_samplers(model.graph).empty());
    const Interruption now;
    EXPECT_THROW(choose_samplers(model.graph), Interrupted) << text;
  }
}

TEST(BugsStarts, AnUpdateOfAnArrayEndsWhenItIsInterrupted) {
  const CompiledModel model =
      compile(program_of("model { b[1:3] ~ dmt(m[], T[,], 4)  for (i in 1:3) { m[i] <- 0  "
                         "y[i] ~ dnorm(b[i], 1)  for (j in 1:3) { T[i, j] <- equals(i, j) } } }"),
              numbers({{"y", {1, 2, 4}}}));
  Random random(1);
  ChainState state{find_start(model.graph, {}, random).values};
  const auto samplers = choose_samplers(model.graph);
  ASSERT_EQ(samplers[0]->name(), "slice of an array");
  samplers[0]->update(state, random);
  const Interruption now;
  EXPECT_THROW(samplers[0]->update(state, random), Interrupted);
}

}  // namespace
}  // namespace croft::bugs::starts_test
