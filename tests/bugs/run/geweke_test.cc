// Geweke's (2004) joint-distribution test of the compiler and the run.
//
// Draws of (theta, y) are made in two ways: forward, from the prior and then the data's law; and by
// turns: theta by an iteration of the samplers given y, y from its law given theta.  Both have the
// joint distribution as their law, so means of any function agree.  A model that compiles to
// another joint density, or an update that does not leave its conditional as it is, shows.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "bugs/compile/compile.h"
#include "bugs/language/program_parser.h"
#include "bugs/node_values.h"
#include "bugs/sampling.h"
#include "croft/core/random.h"

namespace croft::bugs::geweke_test {
namespace {

// A random small model: latent numbers of several kinds, a few of them vectors, functions of them,
// and data nodes y1, y2, ...
class RandomModel {
 public:
  explicit RandomModel(Random& random) : random_(random) {
    const std::size_t latent = 3 + random.below(3), data = 2 + random.below(2);
    for (std::size_t k = 0; k < latent; ++k) add_latent("t" + std::to_string(k));
    for (std::size_t k = 0; k < data; ++k) add_data("y" + std::to_string(k));
    text_ = "model {\n" + text_ + "}\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string pick(const std::vector<std::string>& from, const std::string& otherwise) {
    return from.empty() || random_.below(4) == 0 ? otherwise : from[random_.below(from.size())];
  }
  std::string real() {
    const std::string a = pick(reals_, "0.3"), b = pick(reals_, "-0.2");
    switch (random_.below(5)) {
      case 0:
        return a + " + 0.5 * " + b;
      case 1:
        return "0.7 * " + a + " - " + b + " * 0.3 + 0.1";
      case 2:
        return "ifelse(" + a + " > 0, " + b + ", 0.4)";
      case 3:
        return "sin(" + a + ") + max(" + b + ", -1)";
      default:
        return a;
    }
  }
  std::string positive() {
    switch (random_.below(3)) {
      case 0:
        return pick(positives_, "1.5");
      case 1:
        return "exp(0.4 * (" + plain_real() + "))";
      default:
        return "0.5 + pow(" + pick(positives_, "0.8") + ", 0.5)";
    }
  }
  std::string plain_real() { return pick(reals_, "0.3") + " - 0.5 * " + pick(reals_, "0.1"); }
  std::string share() {
    return random_.below(2) == 0 ? pick(shares_, "0.4") : "ilogit(" + plain_real() + ")";
  }

  void add_latent(const std::string& name) {
    switch (random_.below(7)) {
      case 0:
        text_ += name + " ~ dnorm(" + real() + ", " + positive() + ")\n";
        reals_.push_back(name);
        break;
      case 1:
        text_ += name + " ~ dgamma(3, 1 + " + positive() + ")\n";
        positives_.push_back(name);
        break;
      case 2:
        text_ += name + " ~ dbeta(1 + " + positive() + ", 2)\n";
        shares_.push_back(name);
        break;
      case 3:
        text_ += name + " ~ dbin(" + share() + ", 3)\n";
        text_ += name + ".r <- (" + name + " - 1) * 0.5\n";
        reals_.push_back(name + ".r");
        break;
      case 4:
        text_ += "for (i in 1:3) { " + name + ".m[i] <- 0.5 * i - 1\n" + name + ".w[i] <- " +
                 "1 / (i + 1) }\n" + name + " ~ dcat(" + name + ".w[])\n";
        text_ += name + ".v <- " + name + ".m[" + name + "]\n";
        reals_.push_back(name + ".v");
        break;
      case 5:
        text_ += "for (i in 1:2) { " + name + "[i] ~ dnorm(" + plain_real() + ", 1) }\n";
        text_ += name + ".s <- mean(" + name + "[])\n";
        reals_.push_back(name + ".s");
        break;
      default:
        text_ += name + " ~ dunif(-1, 1 + " + pick(shares_, "0.5") + ") T(-0.8, )\n";
        reals_.push_back(name);
    }
  }
  void add_data(const std::string& name) {
    switch (random_.below(5)) {
      case 0:
        text_ += name + " ~ dnorm(" + real() + ", " + positive() + ")\n";
        break;
      case 1:
        text_ += name + " ~ dpois(" + positive() + ")\n";
        break;
      case 2:
        text_ += name + " ~ dbin(" + share() + ", 4)\n";
        break;
      case 3:
        text_ += name + " ~ dgamma(2, " + positive() + ")\n";
        break;
      default:
        text_ += "log(" + name + ".mu) <- 0.5 * (" + plain_real() + ")\n" + name + " ~ dnorm(" +
                 name + ".mu, 2) T(0, )\n";
    }
  }

  Random& random_;
  std::string text_;
  std::vector<std::string> reals_, positives_, shares_;
};

// x, x^2 and products with the last number: what is compared.
std::vector<double> features_of(const std::vector<double>& x) {
  std::vector<double> all;
  for (const double value : x) {
    const double squeezed = std::atan(value);  // its moments exist
    all.push_back(squeezed);
    all.push_back(squeezed * squeezed);
    all.push_back(squeezed * std::atan(x.back()));
  }
  return all;
}

bool is_data(std::string_view name) { return name[0] == 'y'; }

void forward(const ModelGraph& graph, std::vector<double>& values, bool data_alone,
             Random& random) {
  for (const Step& step : graph.forward()) {
    if (!step.is_node) {
      graph.evaluate(step.id, values.data());
    } else if (!data_alone || is_data(graph.name(step.id))) {
      ASSERT_TRUE(draw_node(graph, graph.node(step.id), values.data(), random));
    }
  }
}

std::vector<double> drawn(const ModelGraph& graph, const std::vector<double>& values) {
  std::vector<double> x;
  for (NodeId n = 0; n < graph.nodes(); ++n) x.push_back(values[graph.node(n).first]);
  return x;
}

// The largest difference of means in standard errors.
double largest_difference(const std::string& text, std::size_t draws, std::uint64_t seed,
                          double data_factor = 1) {
  const Program program = parse_program(LineReader(text, "t.bug"));
  const CompiledModel model = compile(program, {});  // nothing observed
  const ModelGraph& graph = model.graph;
  Random random(seed);
  std::vector<double> values = graph.initial();
  std::vector<double> sum, square;  // of the forward draws
  const auto add = [](std::vector<double>& to, const std::vector<double>& x, bool squared) {
    to.resize(x.size(), 0);
    for (std::size_t k = 0; k < x.size(); ++k) to[k] += squared ? x[k] * x[k] : x[k];
  };
  for (std::size_t k = 0; k < draws; ++k) {
    forward(graph, values, false, random);
    const std::vector<double> f = features_of(drawn(graph, values));
    add(sum, f, false);
    add(square, f, true);
  }
  // By turns, in batches.
  constexpr std::size_t kBatches = 25;
  std::vector<double> total, total_square;
  BugsOptions options;
  options.chains = 1;
  options.burn_in = 0;
  options.samples = 1;
  options.threads = 1;
  options.exact = false;
  for (NodeId n = 0; n < graph.nodes(); ++n) {
    if (!is_data(graph.name(n))) options.monitors.push_back({std::string(graph.name(n))});
  }
  std::uint64_t turn = seed * 1000003;
  for (std::size_t b = 0; b < kBatches; ++b) {
    std::vector<double> batch;
    for (std::size_t k = 0; k < draws / kBatches; ++k) {
      Arrays data, inits;
      for (const auto& [name, array] : graph.arrays()) {
        Array of_name{array.dimensions, {}};
        for (const Slot s : array.slots) {
          const bool node = s != kNothing && graph.node_of(s) != kNothing;
          of_name.values.push_back(node ? values[s] : NAN);
        }
        const Slot first = array.slots[0];
        if (first == kNothing || graph.node_of(first) == kNothing) continue;
        if (graph.name(graph.node_of(first)).substr(0, name.size()) != name) continue;  // alias
        if (is_data(name)) {
          of_name.values[0] *= data_factor;
          data[name] = of_name;
        } else {
          inits[name] = of_name;
        }
      }
      options.seed = ++turn;
      const BugsResult result = sample(program, data, {inits}, options);
      std::map<std::string, double> now;
      for (const Trace& trace : result.traces) now[trace.name] = trace.chains[0][0];
      for (NodeId n = 0; n < graph.nodes(); ++n) {
        const auto found = now.find(std::string(graph.name(n)));
        if (found != now.end()) values[graph.node(n).first] = found->second;
      }
      forward(graph, values, true, random);
      add(batch, features_of(drawn(graph, values)), false);
    }
    for (double& x : batch) x /= static_cast<double>(draws / kBatches);
    add(total, batch, false);
    add(total_square, batch, true);
  }
  double largest = 0;
  const auto n = static_cast<double>(draws);
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const double mean = sum[k] / n, variance = (square[k] / n - mean * mean) / n;
    const double turns = total[k] / kBatches;
    const double turns_variance = (total_square[k] / kBatches - turns * turns) / (kBatches - 1);
    const double error = std::sqrt(variance + turns_variance);
    if (error > 0) largest = std::max(largest, std::abs(mean - turns) / error);
  }
  return largest;
}

TEST(BugsGeweke, DrawsByTurnsHaveTheJointLawOfForwardDraws) {
  Random random(2024);
  for (int k = 0; k < 12; ++k) {
    const RandomModel model(random);
    EXPECT_LT(largest_difference(model.text(), 2500, 10 + k), 5.5) << model.text();
  }
}

TEST(BugsGeweke, TheTestSeesDataThatAreNotOfTheModel) {
  EXPECT_GT(largest_difference("model { t ~ dnorm(0.5, 1)  y ~ dnorm(t + 1, 4) }", 2500, 3, 1.3),
            8);
}

}  // namespace
}  // namespace croft::bugs::geweke_test
