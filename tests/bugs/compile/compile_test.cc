#include "bugs/compile/compile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bugs/distributions.h"
#include "bugs/language/program_parser.h"
#include "bugs/node_values.h"
#include "support/message_of.h"

namespace croft::bugs::compile_test {
namespace {

Arrays some_data() {
  Arrays data;
  data["N"] = {{1}, {3}};
  data["x"] = {{3}, {1, 2, 4}};
  data["y"] = {{3}, {0.5, NAN, 2.5}};
  data["m"] = {{2, 3}, {1, 2, 3, 4, 5, 6}};
  data["group"] = {{3}, {2, 1, 2}};
  data["half"] = {{1}, {0.5}};
  data["none"] = {{0}, {}};
  return data;
}

ModelGraph graph_of(const std::string& text, const Arrays& data = some_data()) {
  return compile(parse_program(LineReader(text, "t.bug")), data).graph;
}

std::string fault_of(const std::string& text, const Arrays& data = some_data()) {
  return message_of<InputError>([&] { graph_of(text, data); });
}

// The numbers of an array after the values of `set` are put in and everything is run.
std::vector<double> numbers_of(const ModelGraph& graph, const std::string& name,
                               const std::map<std::string, double>& set = {}) {
  std::vector<double> values = graph.initial();
  for (NodeId n = 0; n < graph.nodes(); ++n) {
    const auto found = set.find(std::string(graph.name(n)));
    if (found != set.end()) values[graph.node(n).first] = found->second;
  }
  for (const Step& step : graph.forward()) {
    if (!step.is_node) graph.evaluate(step.id, values.data());
  }
  std::vector<double> result;
  for (const Slot s : graph.arrays().find(name)->second.slots) {
    result.push_back(s == kNothing ? NAN : values[s]);
  }
  return result;
}

std::vector<double> value_of(const std::string& expression,
                             const std::map<std::string, double>& set = {}) {
  const ModelGraph graph = graph_of(
      "model { a ~ dnorm(0, 1)  b ~ dnorm(0, 1)  k ~ dcat(x[1:2])  "
      "for (i in 1:3) { z[i] ~ dnorm(0, 1) }  value <- " +
      expression + " }");
  std::map<std::string, double> all{{"a", 2},    {"b", 3},    {"k", 2},
                                    {"z[1]", 7}, {"z[2]", 8}, {"z[3]", 10}};
  for (const auto& [name, value] : set) all[name] = value;
  return numbers_of(graph, "value", all);
}

using Doubles = std::vector<double>;

TEST(BugsCompiler, ExpressionsHaveTheirValues) {
  const std::pair<const char*, Doubles> cases[] = {
      {"1 + 2 * 3", {7}},
      {"-a^2", {-4}},
      {"a - b - 4 + x[2]*a - (a - b)*3", {2 - 3 - 4 + 4 + 3}},
      {"a + b", {5}},
      {"a - b", {-1}},
      {"b - a + 0", {1}},
      {"-a - b", {-5}},
      {"a*b", {6}},
      {"a*0 + b*1", {3}},
      {"5 - a", {3}},
      {"2*a*b - a", {10}},
      {"-(a*b)", {-6}},
      {"a/b", {2.0 / 3}},
      {"a^3", {8}},
      {"pow(a, 2)", {4}},
      {"x[]", {1, 2, 4}},
      {"x + 1", {2, 3, 5}},
      {"x * z", {7, 16, 40}},
      {"-z", {-7, -8, -10}},
      {"z - x", {6, 6, 6}},
      {"m[2,]", {2, 4, 6}},
      {"m[,2:3]", {3, 4, 5, 6}},
      {"m[1,c(3,1)]", {5, 1}},
      {"z[group]", {8, 7, 8}},
      {"z[k]", {8}},
      {"m[k,3]", {6}},
      {"m[k,]", {2, 4, 6}},
      {"m[1:2,k]", {3, 4}},
      {"m[k,k] + z[k+1]", {14}},
      {"z[x[k]]", {8}},
      {"2:4", {2, 3, 4}},
      {"seq(1, 2, 0.5)", {1, 1.5, 2}},
      {"rep(x[1:2], 2)", {1, 2, 1, 2}},
      {"rep(x[1:2], c(2, 1))", {1, 1, 2}},
      {"c(a, x[1:2], 9)", {2, 1, 2, 9}},
      {"length(m)", {6}},
      {"dim(m)", {2, 3}},
      {"t(m)", {1, 3, 5, 2, 4, 6}},
      {"sum(z)", {25}},
      {"ranked(z, 3)", {10}},
      {"ranked(z - 4 * step(z - 9), k)", {7}},
      {"rank(z, k)", {2}},
      {"rank(c(z, 7), 1)", {2}},
      {"sum(a, z[1:2])", {17}},
      {"mean(x)", {7.0 / 3}},
      {"max(a, b)", {3}},
      {"min(z)", {7}},
      {"prod(z[1:2])", {56}},
      {"sd(z)", {std::sqrt(7.0 / 3)}},
      {"inprod(x, z)", {7 + 16 + 40}},
      {"m %*% z", {7 + 24 + 50, 14 + 32 + 60}},
      {"x[1:2] %*% m", {5, 11, 17}},
      {"z %*% x", {63}},
      {"t(m) %*% m", {5, 11, 17, 11, 25, 39, 17, 39, 61}},
      {"inverse(m[,1:2])", {-2, 1, 1.5, -0.5}},
      {"logdet(m[,1:2])", {std::log(2)}},
      {"sort(c(b, a, 1))", {1, 2, 3}},
      {"rank(c(b, a, 1))", {3, 2, 1}},
      {"order(c(b, a, 1))", {3, 2, 1}},
      {"interp.lin(a, c(1, 3), c(10, 20))", {15}},
      {"ifelse(a > b, a, b)", {3}},
      {"step(a - b) + equals(k, 2)", {1}},
      {"(a < b) + (a <= b) + (a == b) + (a != b)", {3}},
      {"(a > 1 && b > 5) + (a > 1 || b > 5)", {1}},
      {"exp(log(a)) + sqrt(4) + abs(-b)", {7}},
      {"round(2.4) + trunc(-2.7)", {0}},
      {"ilogit(logit(0.25))", {0.25}},
      {"phi(0)", {0.5}},
      {"loggam(4)", {std::log(6)}},
      {"logfact(3)", {std::log(6)}},
      {"dnorm(a, 2, 1)", {1 / std::sqrt(2 * M_PI)}},
      {"pnorm(a, 2, 1)", {0.5}},
      {"qnorm(0.5, a, 1)", {2}},
      {"logdensity.norm(a, 2, 1)", {-0.5 * std::log(2 * M_PI)}},
  };
  for (const auto& [text, expected] : cases) {
    const Doubles found = value_of(text);
    ASSERT_EQ(found.size(), expected.size()) << text;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], expected[k], 1e-12) << text << " at " << k;
    }
  }
}

TEST(BugsCompiler, ZeroTimesAnInfiniteNumberIsZero) {
  for (const char* const expression :
       {"0 * log(0)", "log(x[1] - 1) * (x[1] - 1)", "(2 - x[2]) * log(1 - x[2] / 2)",
        "(a - 2) * log(a - 2)", "log(a - 2) * (a - 2)",
        "(a - 2) * log(a - 2) + (b - 3) * log(b - 3)", "inprod(c(a - 2, 0), c(log(a - 2), 1))",
        "prod(a - 2, log(a - 2))"}) {
    EXPECT_EQ(value_of(expression), std::vector<double>{0}) << expression;
  }
  EXPECT_TRUE(std::isnan(value_of("0 * log(x[1] - 2)")[0]));  // no number, and not infinite
  EXPECT_TRUE(std::isnan(value_of("(a - 2) * log(a - 3)")[0]));
}

TEST(BugsCompiler, ASubscriptThatCanLeaveItsArrayIsAFault) {
  EXPECT_EQ(fault_of("model {\n k ~ dcat(x)\n z <- x[k + 1] }"),
            "t.bug:3:7: a subscript is 4 where k is 3, and has to be from 1 to 3: \"x\"; write a "
            "subscript that stays in the array");
  EXPECT_NE(fault_of("model {\n z ~ dbern(0.5)\n y[1] ~ dnorm(m[z, 2], 1) }")
                .find("a subscript is 0 where z is 0, and has to be from 1 to 2: \"m\""),
            std::string::npos);
  EXPECT_NE(fault_of("model {\n k ~ dcat(x)\n z <- x[k / 2] }").find("a whole number"),
            std::string::npos);
  // A value without probability is no fault, nor is one that min() or T(,) keeps within.
  EXPECT_EQ(fault_of("model {\n k ~ dcat(c(1, 2, 0))\n z <- x[k + 1] }"), "no error");
  EXPECT_EQ(fault_of("model {\n k ~ dpois(2)\n z <- x[min(k, 2) + 1] }"), "no error");
  EXPECT_EQ(fault_of("model {\n k ~ dpois(2) T(, 2)\n z <- x[k + 1] }"), "no error");
  EXPECT_EQ(
      fault_of("model {\n for (i in 1:20) { k[i] ~ dbern(0.5) }\n z <- x[1 + step(sum(k))] }"),
      "no error");
}

TEST(BugsCompiler, ASubscriptOfTooManyValuesToTryIsWatched) {
  const ModelGraph graph = graph_of("model {\n k ~ dpois(2)\n z <- x[k + 1] }");
  std::vector<double> values = graph.initial();
  const auto picked = [&](double k) {
    for (const Step& step : graph.forward()) {
      if (step.is_node) {
        values[graph.node(step.id).first] = k;
      } else {
        graph.evaluate(step.id, values.data());
      }
    }
  };
  picked(2);
  EXPECT_EQ(
      message_of<InputError>([&] { picked(3); }),
      "t.bug:3:7: a subscript is 4 in a draw, and has to be from 1 to 3: \"x\"; keep it within "
      "the array, by min and max or by the distributions");
}

TEST(BugsCompiler, LinksOnTheLeftAreUndone) {
  const ModelGraph graph = graph_of(
      "model { a ~ dnorm(0, 1)  log(p[1]) <- a  logit(p[2]) <- a  probit(p[3]) <- a  "
      "cloglog(p[4]) <- a }");
  const Doubles p = numbers_of(graph, "p", {{"a", 0.5}});
  EXPECT_DOUBLE_EQ(p[0], std::exp(0.5));
  EXPECT_DOUBLE_EQ(p[1], 1 / (1 + std::exp(-0.5)));
  EXPECT_DOUBLE_EQ(p[2], normal_cumulative(0.5));
  EXPECT_DOUBLE_EQ(p[3], 1 - std::exp(-std::exp(0.5)));
}

TEST(BugsCompiler, AVectorIsObservedElementByElement) {
  const ModelGraph graph =
      graph_of("model { for (i in 1:N) { y[i] ~ dnorm(mu, 1) }  mu ~ dnorm(0, 1) }");
  EXPECT_EQ(graph.observed().size(), 2u);
  EXPECT_EQ(graph.sampled().size(), 1u);
  ASSERT_EQ(graph.predicted().size(), 1u);
  EXPECT_EQ(graph.name(graph.predicted()[0]), "y[2]");
}

TEST(BugsCompiler, OrderInTheProgramDoesNotMatter) {
  // A chain written from its end: no recursion, whatever its length.
  Arrays data;
  data["T"] = {{1}, {20000}};
  const ModelGraph graph = graph_of(
      "model { for (t in 1:(T-1)) { x[T-t+1] ~ dnorm(m[T-t+1], 1)  m[T-t+1] <- x[T-t] }  "
      "x[1] ~ dnorm(0, 1)  y ~ dnorm(x[T], 1) }",
      data);
  EXPECT_EQ(graph.nodes(), 20001u);
  EXPECT_EQ(graph.operations(), 0u);  // m is another name of x
}

TEST(BugsCompiler, WhatTwoRelationsHaveInCommonIsOneOperation) {
  const ModelGraph graph = graph_of(
      "model { a ~ dnorm(0, 1)  for (i in 1:N) { u[i] <- exp(a * 2) + 1  v[i] <- a * x[1] } }");
  EXPECT_EQ(graph.operations(), 3u);  // 2 a, its exp, and 1 more; 1 a is a
}

TEST(BugsCompiler, TheDataBlockMakesDataAndMayDraw) {
  const ModelGraph graph = graph_of(
      "data { for (i in 1:N) { w[i] <- x[i] + 1  e[i] ~ dnorm(w[i], 1.0E+8) } }  "
      "model { for (i in 1:N) { e[i] ~ dnorm(mu, 1) }  mu ~ dnorm(0, 1)  s <- sum(w) }");
  ASSERT_EQ(graph.observed().size(), 3u);
  EXPECT_NEAR(graph.initial()[graph.node(graph.observed()[2]).first], 5, 1e-2);
  EXPECT_EQ(numbers_of(graph, "s"), Doubles{10});
}

TEST(BugsCompiler, NodesOfSeveralElementsHaveTheirShapes) {
  const ModelGraph graph = graph_of(
      "model { mu[1:2] ~ dmnorm(zero, T)  zero <- c(0, 0)  T[1,1] <- 2  T[1,2] <- 0  T[2,1] <- 0 "
      " T[2,2] <- 2  R ~ dwish(T, 3)  p ~ ddirch(x)  k ~ dcat(p)  w[1,1:3] ~ ddirch(x) }");
  EXPECT_EQ(graph.arrays().find("R")->second.dimensions, (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(graph.arrays().find("p")->second.dimensions, (std::vector<std::size_t>{3}));
  for (NodeId n = 0; n < graph.nodes(); ++n) {
    if (graph.name(n) == "mu[1:2]") {
      EXPECT_EQ(graph.node(n).count, 2u);
      EXPECT_EQ(graph.parameters(graph.node(n))[1].rows, 2u);
    }
    if (graph.name(n) == "R") {
      EXPECT_EQ(graph.node(n).rows, 2u);
    }
  }
}

TEST(BugsCompiler, TruncationIsNormalised) {
  const ModelGraph graph = graph_of("model { v ~ dnorm(1, 4) T(0, 2) }");
  std::vector<double> values = graph.initial();
  const Node& v = graph.node(0);
  double sum = 0;
  for (int k = 0; k < 2000; ++k) {
    values[v.first] = (k + 0.5) / 1000;
    sum += std::exp(log_density_of(graph, v, values.data())) / 1000;
  }
  EXPECT_NEAR(sum, 1, 1e-6);
  values[v.first] = 2.1;
  EXPECT_EQ(log_density_of(graph, v, values.data()), -INFINITY);
}

TEST(BugsCompiler, FaultsNameTheLineAndTheNode) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"model {\n a <- b + 1\n b <- a }", "t.bug:", "depends on itself"},
      {"model {\n a ~ dnorm(b, 1)\n b ~ dnorm(a, 1) }", "t.bug:2", "a (line 2), b (line 3)"},
      {"model {\n a ~ dnorm(b, 1) }", "t.bug:2", "\"b\""},
      {"model {\n a ~ dnorm(c[2], 1)\n c[1] <- 1\n c[3] <- 1 }", "t.bug:2", "\"c[2]\""},
      {"model {\n a ~ dnorm(y[2], 1) }", "t.bug:2", "missing (NA)"},
      {"model {\n a <- 1\n a <- 2 }", "t.bug:", "twice"},
      {"model {\n a[1] <- 1\n for (i in 1:2) { a[i] <- i } }", "t.bug:3", "\"a[1]\""},
      {"model {\n a <- m[1] }", "t.bug:2", "1 subscript for an array of 2 dimensions"},
      {"model {\n a <- m[3,1] }", "t.bug:2", "from 1 to 2"},
      {"model {\n a <- x[1.5] }", "t.bug:2", "1.5"},
      {"model {\n x[4] <- 1 }", "t.bug:2", "beyond the extent 3"},
      {"model {\n x[1] <- 1 }", "t.bug:2", "\"x[1]\""},
      {"model {\n a <- x + m }", "t.bug:2", "3 and 6 elements"},
      {"model {\n a[1:2] <- x }", "t.bug:2", "3 values for 2 elements"},
      {"model {\n a ~ dnorm(x, 1) }", "t.bug:2", "3 elements"},
      {"model {\n a ~ dnorm(0) }", "t.bug:2", "2 parameters, and is given 1"},
      {"model {\n a ~ dnorm(0, -1) }", "t.bug:2", "\"a\""},
      {"model {\n a ~ dbin(p, 2.5)\n p ~ dbeta(1, 1) }", "t.bug:2", "n is 2.500000"},
      {"model {\n a ~ dnorm(p, -1)\n p ~ dbeta(1, 1) }", "t.bug:2", "tau is -1"},
      {"model {\n a ~ dnorm(log(0), 1) }", "t.bug:2", "mu is -inf, and has to be finite"},
      {"model {\n a ~ dunif(0, -log(0)) }", "t.bug:2", "b is inf, and has to be finite"},
      {"model {\n a ~ dnothing(0, -1) }", "t.bug:2", "dnothing"},
      {"model {\n a <- nothing(0, -1) }", "t.bug:2", "nothing"},
      {"model {\n a <- exp(1, 2) }", "t.bug:2", "1 argument, and is given 2"},
      {"model {\n p[1:4] ~ ddirch(x) }", "t.bug:2", "3 numbers for 4 elements"},
      {"model {\n y[] ~ ddirch(x) }", "t.bug:2", "in part"},
      {"model {\n t ~ dgamma(1, 1)\n y[1] ~ dnorm(0, t) I(1, 2) }", "t.bug:3",
       "outside its bounds"},
      {"model {\n s[1] ~ dgamma(1, 1)\n s[2] <- 1\n p[1:2] ~ ddirch(s[]) I(0, 1) }", "t.bug:4",
       "cannot be censored"},
      {"model {\n a ~ cut(1) }", "t.bug:2", "a distribution is not known"},
      {"model {\n a <- ranked(x, 4) }", "t.bug:2", "from 1 to 3"},
      {"model {\n b[1:2] ~ car.normal(x[], x[], c(1, 1), 1) }", "t.bug:2", "num has"},
      {"model {\n p ~ ddirch(x) T(0, 1) }", "t.bug:2", "truncated"},
      {"model {\n for (i in 1:n) { a[i] <- 1 } }", "t.bug:2", "\"n\""},
      {"model {\n b <- 3\n for (i in 1:b) { a[i] <- 1 } }", "t.bug:3", "data and counters"},
      {"model {\n for (i in 1:2) { for (i in 1:2) { a[i] <- 1 } } }", "t.bug:2", "counter"},
      {"model {\n for (i in 1:1.0E+9) { } }", "t.bug:2", "more than 20000000 times"},
      {"model {\n for (i in 1:1.0E+9) { a[i] <- 1 } }", "t.bug:2", "more than 20000000 times"},
      {"model {\n for (i in 1:1000) { for (j in 1:3000) { for (k in 1:10) { a[i,j,k] <- 1 } } } }",
       "t.bug:2", "more than 20000000 times: \"i\""},
      {"model {\n for (i in 1:0) { for (j in 1:q) { a[i,j] <- 1 } }\n a ~ dnorm(b, 1) }", "t.bug:3",
       "\"b\""},
      {"var a[100000, 100000];\nmodel {\n a[1,1] <- 1 }", "t.bug:1", "elements"},
      {"model {\n a <- sum(1:1.0E+12) }", "t.bug:2", "more than 20000000 elements"},
      {"model {\n x[1] ~ dexp(1)\n x[2] ~ dunif(5, 6) }", "t.bug:3", "impossible"},
      {"model {\n a[] <- x }", "t.bug:2", "empty subscript"},
      {"model {\n a ~ dnorm(0, 1)\n a ~ dnorm(1, 1) }", "t.bug:3", "twice, first in line 2"},
      {"model {\n a ~ dnorm(0, 1) T(2, 1) }", "t.bug:2",
       "the lower bound 2 is above the upper bound 1: \"a\""},
      {"model {\n a ~ dnorm(0, 1) I(2, 1) }", "t.bug:2", "bound 2 is above the upper bound 1"},
      {"model {\n u ~ dnorm(0, 1)\n a ~ dnorm(u, 1) I(2, 1) }", "t.bug:3",
       "bound 2 is above the upper bound 1"},
      {"model {\n u ~ dgamma(1, 1)\n a ~ dpois(u) T(-2, -1) }", "t.bug:3", "no value that dpois"},
      {"model {\n u ~ dgamma(1, 1)\n half ~ dpois(u) }", "t.bug:3",
       "the observed value 0.5 is impossible: dpois has whole numbers only: \"half\""},
      {"model {\n u ~ dgamma(1, 1)\n x[1] ~ dpois(u)\n half ~ dpar(u, 2) }", "t.bug:4",
       "0.5 is impossible: dpar has none below 2"},
      {"model {\n u ~ dgamma(1, 1)\n half ~ dbin(u, 0) }", "t.bug:3", "0.5 is impossible"},
      {"model {\n u ~ dgamma(1, 1)\n x[3] ~ dbeta(u, 1) }", "t.bug:3", "dbeta has none above 1"},
      {"model {\n u ~ dgamma(1, 1)\n half ~ dexp(u) T(1, 2) }", "t.bug:3", "outside its bounds"},
      {"model {\n half ~ dpois(2) }", "t.bug:2", "the observed value 0.5 is impossible: dpois"},
      {"model {\n a ~ dflat() }", "t.bug:2", "dflat is improper"},
      {"model {\n none ~ dnorm(0, 1) }", "t.bug:2", "no values: \"none\""},
      {"model {\n none[] ~ ddirch(x) }", "t.bug:2", "no values: \"none\""},
      {"model {\n none[1] <- 1 }", "t.bug:2", "no values: \"none\""},
      {"model {\n a ~ dflat()\n b ~ dnorm(a, 1) }", "t.bug:2", "dflat is improper"},
      {"model {\n a ~ dnorm(0, 1) I(, b)\n b ~ dnorm(0, 1) I(a, ) }", "t.bug:2",
       "write ordered ~ dbern(step(b - a))"},
      {"model {\n a <- inverse(m) }", "t.bug:2", "2 x 3 is not square"},
      {"model {\n a <- m %*% m }", "t.bug:2", "2 x 3 and one of 2 x 3"},
  };
  for (const auto& [text, place, words] : cases) {
    const std::string fault = fault_of(text);
    EXPECT_EQ(fault.rfind(place, 0), 0u) << text << "\n" << fault;
    EXPECT_NE(fault.find(words), std::string::npos) << text << "\n" << fault;
  }
}

TEST(BugsCompiler, LimitsAreForTheWholeModel) {
  const auto fault = [](const std::string& text, const CompileLimits& limits) {
    return message_of<InputError>(
        [&] { compile(parse_program(LineReader(text, "t.bug")), some_data(), 1, limits); });
  };
  CompileLimits limits;
  limits.bytes = 30'000;
  EXPECT_EQ(fault("model { for (i in 1:100) { a[i] ~ dnorm(0, 1) } }", limits), "no error");
  EXPECT_NE(fault("model {\n for (i in 1:100) { a[i] ~ dnorm(0, 1)\n s[i] <- exp(a[i]) * "
                  "sum(a[1:100]) * i } }",
                  limits)
                .find("more than 0 MB"),
            std::string::npos);
  limits = {};
  limits.values = 100;
  EXPECT_NE(fault("model {\n s <- c(1:60, 1:60) }", limits).find("more than 100 elements"),
            std::string::npos);
  limits = {};
  limits.elements = 1000;
  EXPECT_NE(fault("model {\n s[20,60] <- 1 }", limits).find("more than 1000 elements"),
            std::string::npos);
  limits = {};
  limits.relations = 10;
  EXPECT_NE(fault("model {\n for (i in 1:6) { s[i] <- 1\n t[i] <- 2 } }", limits)
                .find("more than 10 relations"),
            std::string::npos);
}

}  // namespace
}  // namespace croft::bugs::compile_test
