// Training of general CRFs: a pseudo-likelihood's gradient on a grid, and a two-track dynamic CRF.
//
//   graph_training_bench grid [SIDE]             ms of an evaluation, least of 20
//   graph_training_bench dcrf TRAIN TEST [NAME]  seconds and accuracies
//
// Lines of the dynamic CRF's files: LABEL1 LABEL2 ---- FEATURE FEATURE …; a blank line ends a
// sentence.  As GRMM's DCRF templates BigramTemplate (0), (1) and PairwiseFactorTemplate (0, 1) all
// cliques have the features of their (first) word; `words` has these for single labels alone.
// The answers are checked before a time is printed.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "croft/core/random.h"
#include "inference/graph/oracles/max_oracle.h"
#include "objective/graph/local_terms.h"
#include "train/kinds/graph_training.h"

namespace {

using namespace croft;

double user_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "graph_training_bench: " << what << '\n';
  std::exit(1);
}

// ---------------------------------------------------------------------------------------------
// A grid of binary variables.

struct Grid {
  CliqueSchema schema;
  std::unique_ptr<CliqueData> data;
  std::vector<std::size_t> features;
  std::vector<GraphInstance> instances;
  GraphLayout layout;
};

//   own : each pixel and pair with numbers of its own; otherwise all share their rows
Grid make_grid(std::uint32_t side, bool own) {
  Random random(1);
  Grid g;
  g.schema.domains = {{"pixel", {"back", "fore"}}};
  g.schema.templates = {{"pixel", {0}, Interaction(InteractionKind::table, {2})},
                        {"pair", {0, 0}, Interaction(InteractionKind::same, {2, 2})}};
  g.features = {2, 2};
  g.data = std::make_unique<CliqueData>(g.schema);
  std::vector<double> grey(side * side);
  for (std::uint32_t v = 0; v < side * side; ++v) {
    const State y = random.uniform() < 0.5 ? 0 : 1;
    grey[v] = random.uniform();
    g.data->add_variable(0, "image", y);
    g.data->add_clique(0, {v}, {{0, 1.0}, {1, own ? grey[v] : 0.5}});
  }
  const auto pair = [&](std::uint32_t a, std::uint32_t b) {
    const double d = grey[a] - grey[b];
    g.data->add_clique(1, {a, b}, {{0, 1.0}, {1, own ? std::exp(-2 * d * d) : 0.5}});
  };
  for (std::uint32_t v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) pair(v, v + 1);
    if (v + side < side * side) pair(v, v + side);
  }
  g.instances = g.data->unroll();
  g.layout = make_graph_layout(g.schema, g.data->rows(), g.instances, g.features, {});
  return g;
}

// -sum_v log p(y_v | neighbours), from the definition.
double pseudo_likelihood(const FactorGraph& graph, std::span<const State> known) {
  const FactorLists factors(graph);
  std::vector<State> x(known.begin(), known.end());
  double loss = 0;
  for (Variable v = 0; v < graph.variables(); ++v) {
    double score[2]{};
    for (State s = 0; s < 2; ++s) {
      x[v] = s;
      for (const Factor f : factors.of(v)) score[s] += graph.factor_score(f, x);
    }
    x[v] = known[v];
    loss += std::log1p(std::exp(score[1 - x[v]] - score[x[v]]));
  }
  return loss;
}

void time_grid(std::uint32_t side) {
  for (const bool own : {false, true}) {
    Grid g = make_grid(side, own);
    ThreadPool pool(1);
    GraphFunction f(g.schema, g.data->rows(), g.layout, g.instances, pool,
                    local_terms(LocalKind::pseudo_likelihood));
    std::vector<double> w(f.dimension()), gradient(w.size()), ignored(w.size());
    Random random(2);
    for (double& each : w) each = 0.3 * random.normal();
    const double value = f.evaluate(w, gradient);
    const double expected = pseudo_likelihood(g.instances[0].graph, g.instances[0].known);
    if (std::abs(value - expected) > 1e-6 * expected) fail("the value is wrong");
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double kept = w[k];
      w[k] = kept + 1e-4;
      const double above = f.evaluate(w, ignored);
      w[k] = kept - 1e-4;
      const double below = f.evaluate(w, ignored);
      w[k] = kept;
      const double slope = (above - below) / 2e-4;
      if (std::abs(slope - gradient[k]) > 1e-3 * std::max(1.0, std::abs(slope))) {
        fail("the gradient is wrong");
      }
    }
    GraphScorer scorer(g.schema, g.data->rows(), g.layout);
    LocalTerms terms(g.instances[0].graph, g.instances[0].known, LocalKind::pseudo_likelihood);
    std::vector<double> d_numbers(g.instances[0].graph.numbers().size());
    const auto least = [&](const auto& body) {
      double best = 1e9;
      for (int k = 0; k < 20; ++k) {
        const auto start = std::chrono::steady_clock::now();
        body();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
      }
      return 1e3 * best;
    };
    std::printf(
        "%u x %u, %s: evaluate %.3f ms (scores %.3f, terms %.3f, gradient %.3f)\n", side, side,
        own ? "features of their own" : "shared features", least([&] { f.evaluate(w, gradient); }),
        least([&] { scorer.score(w, g.instances[0]); }), least([&] { terms.evaluate(d_numbers); }),
        least([&] { scorer.add_gradient(g.instances[0], d_numbers, gradient); }));
  }
}

// ---------------------------------------------------------------------------------------------
// A dynamic CRF of two tracks.

struct Tracks {
  CliqueSchema schema;
  std::vector<StringTable> features, labels;
};

struct Token {
  State label[2];
  std::vector<std::string> features;
};
using Sentence = std::vector<Token>;

std::vector<Sentence> read_sentences(const char* path, Tracks& tracks) {
  std::ifstream file(path);
  if (!file) fail(std::string("cannot read ") + path);
  std::vector<Sentence> sentences;
  Sentence now;
  const auto end = [&] {
    if (!now.empty()) sentences.push_back(std::move(now));
    now.clear();
  };
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, second, dashes, feature;
    if (!(words >> first >> second >> dashes)) {
      end();
      continue;
    }
    if (dashes != "----") fail("a line without ----: " + line);
    Token token{{tracks.labels[0].insert(first), tracks.labels[1].insert(second)}, {}};
    while (words >> feature) token.features.push_back(feature);
    now.push_back(std::move(token));
  }
  end();
  return sentences;
}

// Templates 0, 1: of two neighbours in a track; 2: of both labels of a word; 3, 4: of one label.
//   words : only single labels have the word's features, the others a constant
CliqueData make_data(const Tracks& tracks, const std::vector<Sentence>& sentences, bool words,
                     const auto& number_of) {
  CliqueData data(tracks.schema);
  for (std::size_t n = 0; n < sentences.size(); ++n) {
    const std::string group = std::to_string(n);
    std::vector<std::uint32_t> at[2];
    for (const Token& token : sentences[n]) {
      for (std::uint32_t k = 0; k < 2; ++k) {
        at[k].push_back(data.add_variable(k, group, token.label[k]));
      }
    }
    std::vector<CliqueFeature> list;
    for (std::size_t t = 0; t < sentences[n].size(); ++t) {
      const auto add = [&](std::uint32_t clique, std::initializer_list<std::uint32_t> scope) {
        list.clear();
        const bool constant = words && clique < 3;
        if (constant) list.push_back({number_of(clique, "constant"), 1});
        for (const std::string& each : sentences[n][t].features) {
          if (constant) break;
          const std::uint32_t id = number_of(clique, each);
          if (id != kUnknown) list.push_back({id, 1});
        }
        data.add_clique(clique, std::span(scope.begin(), scope.size()), list);
      };
      for (std::uint32_t k = 0; k < 2; ++k) {
        if (t + 1 < at[k].size()) add(k, {at[k][t], at[k][t + 1]});
        if (words) add(3 + k, {at[k][t]});
      }
      add(2, {at[0][t], at[1][t]});
    }
  }
  return data;
}

void train_tracks(const char* train_path, const char* test_path, const std::string& only) {
  Tracks tracks;
  tracks.labels.resize(2);
  const std::vector<Sentence> train = read_sentences(train_path, tracks);
  const std::vector<Sentence> test = read_sentences(test_path, tracks);
  std::vector<std::uint32_t> states;
  for (const StringTable& each : tracks.labels) {
    Domain domain{"track", {}};
    for (std::uint32_t k = 0; k < each.size(); ++k) domain.labels.emplace_back(each[k]);
    states.push_back(static_cast<std::uint32_t>(each.size()));
    tracks.schema.domains.push_back(std::move(domain));
  }
  const auto add = [&](std::string name, std::vector<std::uint32_t> domain) {
    std::vector<std::uint32_t> sizes;
    for (const std::uint32_t d : domain) sizes.push_back(states[d]);
    tracks.schema.templates.push_back(
        {std::move(name), std::move(domain), Interaction(InteractionKind::table, sizes)});
  };
  add("first track", {0, 0});
  add("second track", {1, 1});
  add("both", {0, 1});
  add("first label", {0});
  add("second label", {1});

  std::printf("%-10s %-9s %-28s %9s %6s %8s %8s %7s %7s %7s\n", "features", "layout", "objective",
              "weights", "steps", "seconds", "user s", "first", "second", "joint");
  for (const bool words : {false, true}) {
    for (const FeatureSet set : {FeatureSet::observed, FeatureSet::all}) {
      if (!words && set == FeatureSet::all) continue;  // 20 million weights
      for (const Objective objective :
           {Objective::pseudolikelihood, Objective::piecewise,
            Objective::piecewise_pseudolikelihood, Objective::likelihood, Objective::bethe}) {
        if (!only.empty() && name_of(objective) != only) continue;
        std::vector<StringTable> features(tracks.schema.templates.size());
        CliqueData data = make_data(
            tracks, train, words,
            [&](std::uint32_t t, const std::string& name) { return features[t].insert(name); });
        const auto start = std::chrono::steady_clock::now();
        const double user = user_seconds();
        GraphTraining training(data, features);
        GraphTrainOptions options;
        options.features = set;
        options.objective = objective;
        options.regulariser.l2 = 0.1;
        const GraphTrainResult result = training.run(options, {});
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        const double used = user_seconds() - user;
        if (!result.optimization.converged()) std::printf("not converged: ");

        CliqueData fresh = make_data(
            tracks, test, words,
            [&](std::uint32_t t, const std::string& name) { return features[t].find(name); });
        std::vector<GraphInstance> instances = fresh.unroll();
        GraphScorer scorer(tracks.schema, fresh.rows(), training.layout());
        double right[3]{}, tokens = 0;
        for (GraphInstance& each : instances) {
          scorer.score(training.weights(), each);
          const std::vector<State> best = automatic_best()(each.graph)->best().states;
          for (std::size_t v = 0; v < best.size(); v += 2) {
            const bool first = best[v] == each.known[v], second = best[v + 1] == each.known[v + 1];
            right[0] += first;
            right[1] += second;
            right[2] += first && second;
            ++tokens;
          }
        }
        std::printf("%-10s %-9s %-28s %9zu %6zu %8.3f %8.3f %7.4f %7.4f %7.4f\n",
                    words ? "words" : "all", set == FeatureSet::all ? "all" : "observed",
                    std::string(name_of(objective)).c_str(), result.dimension,
                    result.optimization.iterations, took.count(), used, right[0] / tokens,
                    right[1] / tokens, right[2] / tokens);
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "grid") {
    time_grid(argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 256);
    return 0;
  }
  if (what == "dcrf" && argc > 3) {
    train_tracks(argv[2], argv[3], argc > 4 ? argv[4] : "");
    return 0;
  }
  std::cerr << "usage: graph_training_bench grid [SIDE] | dcrf TRAIN TEST [OBJECTIVE]\n";
  return 2;
} catch (const std::exception& error) {
  fail(error.what());
}
