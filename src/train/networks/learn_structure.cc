#include "train/networks/learn_structure.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft {

std::string_view name_of(ShapeMethod method) {
  switch (method) {
    case ShapeMethod::hill_climbing:
      return "hill-climbing";
    case ShapeMethod::exact:
      return "exact";
    case ShapeMethod::pc:
      break;
  }
  return "pc";
}

std::string_view name_of(ShapeScore score) { return score == ShapeScore::bic ? "bic" : "bdeu"; }

void ShapeOptions::validate() const {
  if (!(score.sample_size > 0)) throw UsageError("--equivalent-sample-size must be more than 0");
  if (!(significance > 0 && significance < 1)) {
    throw UsageError("--significance is a probability: more than 0, less than 1");
  }
  if (starts == 0) throw UsageError("--starts must be at least 1");
}

LearntShape learn_shape(const CaseTable& cases, const ShapeOptions& options, const Parents& start,
                        const ShapeCallback& callback) {
  options.validate();
  if (cases.cases() == 0) {
    throw Error("no case has a value of each variable, and a structure is learnt of such cases");
  }
  ThreadPool pool(options.threads);
  FamilyScores scores(cases, options.score, pool);
  if (options.method == ShapeMethod::pc) {
    LearntShape found = learn_by_tests(cases.variables(), G2Test(cases), options, callback);
    found.score = scores.of(found.parents);
    return found;
  }
  LearntShape found = options.method == ShapeMethod::exact
                          ? best_shape(cases, options)
                          : climb(scores, options, start, callback);
  found.score = scores.of(found.parents);
  found.equivalents = class_of(found.parents);
  return found;
}

std::vector<EdgeConfidence> bootstrap_edges(const CaseTable& cases, const ShapeOptions& options,
                                            std::size_t samples, const Parents& start,
                                            const std::function<bool(std::size_t)>& callback) {
  ThreadPool pool(options.threads);
  std::vector<PartlyDirected> found(pool.threads(), PartlyDirected(0));
  std::map<std::pair<Variable, Variable>, std::pair<double, double>> counts;  // u < v: both, u -> v
  std::atomic<bool> go_on = true;
  std::size_t done = 0;
  pool.run_ordered(
      samples,
      [&](std::size_t n, std::size_t worker) {
        Random random(options.seed + 0x9e3779b97f4a7c15 * (n + 1));
        ShapeOptions own = options;
        own.threads = 1;
        const auto wanted = [&](const ShapeProgress&) { return go_on.load(); };
        found[worker] = learn_shape(cases.resampled(random), own, start, wanted).equivalents;
      },
      [&](std::size_t, std::size_t worker) {
        if (!go_on) return;
        const PartlyDirected& graph = found[worker];
        for (Variable u = 0; u < graph.variables(); ++u) {
          for (const Variable v : graph.near(u)) {
            if (v < u) continue;
            auto& [both, forth] = counts[{u, v}];
            both += 1;
            forth += graph.arrow(u, v) ? 1 : graph.arrow(v, u) ? 0 : 0.5;
          }
        }
        ++done;
        if (callback && !callback(done)) go_on = false;
      });
  std::vector<EdgeConfidence> edges;
  for (const auto& [pair, count] : counts) {
    const auto [both, forth] = count;
    EdgeConfidence edge{pair.first, pair.second, both / static_cast<double>(done), forth / both};
    if (edge.direction < 0.5) {
      std::swap(edge.from, edge.to);
      edge.direction = 1 - edge.direction;
    }
    edges.push_back(edge);
  }
  std::ranges::stable_sort(edges, std::ranges::greater(), &EdgeConfidence::confidence);
  return edges;
}

}  // namespace croft
