#include "objective/graph/graph_objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/graph/allowed_assignment.h"
#include "inference/graph/sampling/single_site.h"
#include "structure/factor_numbers.h"

namespace croft {
namespace {

std::vector<Site> every_variable(const FactorGraph& graph) {
  std::vector<Site> sites(graph.variables());
  std::iota(sites.begin(), sites.end(), Site{0});
  return sites;
}

}  // namespace

// One variable after the other; sites are variables.
class GraphContrast::Sampler {
 public:
  explicit Sampler(const FactorGraph& graph)
      : graph_(graph), factors_(graph), scores_(graph, every_variable(graph)) {}

  void read_numbers() { scores_.refresh(); }

  void draw(Variable v, std::span<State> x, Random& random) {
    const std::size_t states = graph_.states(v);
    if (states < 2) return;
    score_.assign(states, 0.0);
    for (const Factor f : factors_.of(v)) scores_.add(f, v, states, x, score_.data());
    if (states == 2) {
      x[v] = random.uniform() * (1 + std::exp(score_[0] - score_[1])) < 1 ? 1 : 0;
      return;
    }
    const double high = *std::ranges::max_element(score_);
    double sum = 0;
    for (double& each : score_) sum += each = std::exp(each - high);
    double rest = random.uniform() * sum;
    State s = 0;
    while (s + 1 < states && (rest -= score_[s]) >= 0) ++s;
    while (score_[s] == 0) --s;  // where rounding led past the last that is possible
    x[v] = s;
  }
  void sweep(std::span<const Variable> variables, std::span<State> x, Random& random) {
    for (const Variable v : variables) draw(v, x, random);
  }
  void sweep(std::span<State> x, Random& random) {
    for (Variable v = 0; v < graph_.variables(); ++v) draw(v, x, random);
  }

 private:
  const FactorGraph& graph_;
  FactorLists factors_;
  SiteScores scores_;
  std::vector<double> score_;
};

GraphContrast::GraphContrast(const FactorGraph& graph, std::span<const State> known,
                             const ContrastOptions& options)
    : graph_(graph), known_(known), options_(options), sampler_(std::make_unique<Sampler>(graph)) {
  if (options.sweeps == 0) throw UsageError("there must be at least one sweep of Gibbs sampling");
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (known[v] == kUnobserved) hidden_.push_back(v);
  }
}
GraphContrast::~GraphContrast() = default;

// Random states, or a random allowed assignment where these are not.
void GraphContrast::start_anywhere(std::span<const State> known, Random& random,
                                   std::vector<State>& x) const {
  x.resize(graph_.variables());
  for (Variable v = 0; v < x.size(); ++v) {
    const bool free = known.empty() || known[v] == kUnobserved;
    x[v] = free ? static_cast<State>(random.below(graph_.states(v))) : known[v];
  }
  if (graph_.score(x) > -kInf) return;
  const AllowedAssignment found =
      known.empty() ? find_allowed(graph_, random) : find_allowed(condition(graph_, known), random);
  if (found.outcome != AllowedSearch::found) {
    throw Error("no allowed assignment was found to start sampling from");
  }
  for (Variable v = 0; v < x.size(); ++v) {
    if (known.empty() || known[v] == kUnobserved) x[v] = found.states[v];
  }
}

double GraphContrast::draw(Random& random, std::span<double> out) {
  sampler_->read_numbers();
  if (x_.empty()) start_anywhere(known_, random, x_);
  const std::size_t k = options_.sweeps;
  for (std::size_t sweep = 0; sweep < k && !hidden_.empty(); ++sweep) {
    sampler_->sweep(hidden_, x_, random);
  }
  add_counts(graph_, x_, -1, out);

  switch (options_.start) {
    case ContrastStart::random:
      start_anywhere({}, random, chain_);
      break;
    case ContrastStart::data:
      chain_ = x_;
      break;
    case ContrastStart::last:
      if (chain_.empty()) start_anywhere({}, random, chain_);
      break;
  }
  std::size_t first = 0;  // that is counted
  if (options_.start == ContrastStart::random) first = k / 2;
  if (options_.start == ContrastStart::data) first = k - 1;
  for (std::size_t sweep = 0; sweep < k; ++sweep) {
    sampler_->sweep(chain_, random);
    if (sweep >= first) add_counts(graph_, chain_, 1 / static_cast<double>(k - first), out);
  }
  return graph_.score(chain_) - graph_.score(x_);
}

void GraphContrast::archive(StateArchive& state) {
  state(x_);
  state(chain_);
}

}  // namespace croft
