#include "inference/graph/sampling/gibbs_plan.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/infinity.h"
#include "inference/graph/sampling/conditional_tables.h"

namespace croft {
namespace {

constexpr std::uint32_t kRunSites = 256;        // at most: random numbers come in buffers
constexpr std::uint32_t kBlockSites = 1 << 15;  // what a thread takes at once
constexpr std::size_t kSideBySide = 4;          // shorter runs of neighbours are not worth a run

// The smallest colour that no variable in the scope of a factor has yet, variable by variable.
std::vector<std::uint32_t> colours_of(const FactorGraph& graph, const FactorLists& factors) {
  std::vector<std::uint32_t> colour(graph.variables(), 0);
  std::vector<std::vector<std::uint32_t>> used(graph.factors());
  std::vector<Variable> taken;  // [colours] by whom last
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (graph.states(v) < 2) continue;
    for (const Factor f : factors.of(v)) {
      for (const std::uint32_t c : used[f]) taken[c] = v;
    }
    std::uint32_t c = 0;
    while (c < taken.size() && taken[c] == v) ++c;
    if (c == taken.size()) taken.push_back(v);
    colour[v] = c;
    for (const Factor f : factors.of(v)) used[f].push_back(c);
  }
  return colour;
}

bool has_zeros(const FactorGraph& graph) {
  std::vector<bool> pure(graph.potentials(), true);
  for (PotentialId id = 0; id < graph.potentials(); ++id) {
    pure[id] = graph.potential(id).kind != PotentialKind::parity &&
               std::ranges::none_of(graph.numbers(id), [](double t) { return t == -kInf; });
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto large =
        std::ranges::count_if(graph.scope(f), [&](Variable v) { return graph.states(v) > 1; });
    if (large > 1 && !pure[graph.potential_of(f)]) return true;
  }
  return false;
}

// Sites in the order of the plan, as runs.
class Runs {
 public:
  Runs(GibbsPlan& plan, const std::vector<std::uint32_t>& colour, const ConditionalTables& tables)
      : plan_(plan), colour_(colour), tables_(tables) {}

  void make() {
    const auto n = static_cast<Site>(plan_.sites());
    plan_.run_of.resize(n);
    plan_.table.resize(n, 0);
    for (Site first = 0; first < n;) {
      Site end = first + 1;
      while (end < n && end - first < kRunSites && alike(first, end)) ++end;
      first = add_run(first, end);
    }
    make_blocks();
  }

 private:
  bool alike(Site a, Site b) const {
    const Variable u = plan_.variable[a], v = plan_.variable[b];
    return colour_[u] == colour_[v] && tables_.shape(u) == tables_.shape(v) &&
           plan_.graph.states(u) == plan_.graph.states(v);
  }

  Site neighbour(Site s, std::size_t k) const {
    return plan_.site_of[tables_.neighbours(plan_.variable[s])[k]];
  }

  // How many sites from `first` on have neighbours that stand side by side.
  Site row_of(Site first, Site end) const {
    const std::size_t count = tables_.neighbours(plan_.variable[first]).size();
    Site last = first + 1;
    const auto next = [&](Site s) {
      for (std::size_t k = 0; k < count; ++k) {
        if (neighbour(s, k) != neighbour(first, k) + (s - first)) return false;
      }
      return true;
    };
    while (last < end && next(last)) ++last;
    return last;
  }

  Site add_run(Site first, Site end) {
    const Variable v = plan_.variable[first];
    GibbsRun run{.first = first,
                 .states = static_cast<std::uint32_t>(plan_.graph.states(v)),
                 .table = tables_.has(v)};
    if (run.table) {
      const Site row = row_of(first, end);
      if (row - first >= kSideBySide || row == end) {
        run.side_by_side = true;
        end = row;
      } else {  // up to where a row begins
        Site stop = row;
        while (stop < end && row_of(stop, end) - stop < kSideBySide) stop = row_of(stop, end);
        end = stop;
      }
      add_neighbours(first, end, run);
    }
    run.count = end - first;
    for (Site s = first; s < end; ++s) {
      plan_.run_of[s] = static_cast<std::uint32_t>(plan_.runs.size());
      if (run.table) plan_.table[s] = tables_.place(plan_.variable[s]);
    }
    plan_.runs.push_back(run);
    return end;
  }

  void add_neighbours(Site first, Site end, GibbsRun& run) {
    const auto strides = tables_.strides(plan_.variable[first]);
    run.neighbours = static_cast<std::uint32_t>(strides.size());
    run.stride = plan_.stride.size();
    plan_.stride.insert(plan_.stride.end(), strides.begin(), strides.end());
    run.neighbour = plan_.neighbour.size();
    for (std::size_t k = 0; k < strides.size(); ++k) {
      for (Site s = first; s < (run.side_by_side ? first + 1 : end); ++s) {
        plan_.neighbour.push_back(neighbour(s, k));
      }
    }
  }

  void make_blocks() {
    std::uint32_t sites = 0;
    for (std::uint32_t r = 0; r < plan_.runs.size(); ++r) {
      const GibbsRun& run = plan_.runs[r];
      const std::uint32_t colour = colour_[plan_.variable[run.first]];
      if (r == 0 || colour != plan_.blocks.back().colour || sites + run.count > kBlockSites) {
        plan_.blocks.push_back({r, r, colour});
        sites = 0;
      }
      plan_.blocks.back().last_run = r + 1;
      sites += run.count;
    }
  }

  GibbsPlan& plan_;
  const std::vector<std::uint32_t>& colour_;
  const ConditionalTables& tables_;
};

std::vector<Variable> in_order(const FactorGraph& graph, const std::vector<std::uint32_t>& colour,
                               const ConditionalTables& tables) {
  std::vector<Variable> order;
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (graph.states(v) > 1) order.push_back(v);
  }
  std::ranges::stable_sort(order, {}, [&](Variable v) {
    return std::tuple(colour[v], tables.shape(v), graph.states(v));
  });
  return order;
}

}  // namespace

GibbsPlan::GibbsPlan(const FactorGraph& graph_in, double temperature_in)
    : graph(graph_in),
      temperature(temperature_in),
      factors(graph),
      site_of(graph.variables(), SiteScores::kNoSite),
      zeros(has_zeros(graph)) {
  const std::vector<std::uint32_t> colour = colours_of(graph, factors);
  ConditionalTables tables(graph, factors, temperature);
  variable = in_order(graph, colour, tables);
  for (Site s = 0; s < variable.size(); ++s) site_of[variable[s]] = s;
  Runs(*this, colour, tables).make();
  thresholds = tables.take_thresholds();
  scores.emplace(graph, site_of);
}

State GibbsPlan::draw(Site s, std::span<State> x, double u, std::vector<double>& scratch) const {
  const std::size_t count = states(s);
  scratch.assign(count, 0.0);
  for (const Factor f : factors.of(variable[s])) scores->add(f, s, count, x, scratch.data());
  return static_cast<State>(draw_by_scores(scratch, temperature, u));
}

std::size_t draw_by_scores(std::span<double> scores, double temperature, double u) {
  const double high = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp((score - high) / temperature);
  double left = u * sum;
  std::size_t last = 0;
  for (std::size_t s = 0; s < scores.size(); ++s) {
    if (scores[s] == 0) continue;
    last = s;
    left -= scores[s];
    if (left < 0) break;
  }
  return last;
}

}  // namespace croft
