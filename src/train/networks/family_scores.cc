#include "train/networks/family_scores.h"

#include <algorithm>
#include <cmath>

#include "core/chi_squared.h"

namespace croft {
namespace {

std::string key_of(std::span<const Variable> set) {
  return {reinterpret_cast<const char*>(set.data()), set.size_bytes()};
}

std::vector<Variable> joined(std::span<const Variable> set, Variable v) {
  std::vector<Variable> all(set.begin(), set.end());
  all.insert(std::ranges::lower_bound(all, v), v);
  return all;
}

double joint_states(const CaseTable& cases, std::span<const Variable> set) {
  double joint = 1;
  for (const Variable v : set) joint *= static_cast<double>(cases.states(v));
  return joint;
}

// Counts of the cells of a refinement.
void count(const CaseTable& cases, const JointCells& cells, std::vector<std::uint32_t>& counts) {
  counts.assign(cells.cells, 0);
  for (std::size_t r = 0; r < cells.cell.size(); ++r) counts[cells.cell[r]] += cases.weights()[r];
}

}  // namespace

SetScore::SetScore(const ShapeScoreOptions& options, std::size_t cases)
    : options_(options), cases_(static_cast<double>(cases)) {
  n_log_n_.push_back(0);
  for (std::size_t n = 1; n <= std::min<std::size_t>(cases, 100000); ++n) {
    n_log_n_.push_back(static_cast<double>(n) * std::log(static_cast<double>(n)));
  }
}

double SetScore::of(std::span<const std::uint32_t> counts, double joint) const {
  double sum = 0;
  if (options_.score == ShapeScore::bic) {
    for (const std::uint32_t n : counts) {
      sum += n < n_log_n_.size() ? n_log_n_[n] : n * std::log(static_cast<double>(n));
    }
    return sum - std::log(cases_) / 2 * joint;
  }
  const double prior = options_.sample_size / joint, of_prior = log_gamma(prior);
  for (const std::uint32_t n : counts) {
    if (n > 0) sum += log_gamma(n + prior) - of_prior;
  }
  return sum;
}

FamilyScores::FamilyScores(const CaseTable& cases, const ShapeScoreOptions& options,
                           ThreadPool& pool)
    : cases_(cases), score_(options, cases.cases()), pool_(pool) {}

double FamilyScores::set_score(std::span<const Variable> set) {
  const auto [at, is_new] = sets_.try_emplace(key_of(set), 0);
  if (!is_new) return at->second;
  JointCells cells(cases_);
  for (const Variable v : set) cells.refine(cases_, v);
  std::vector<std::uint32_t> counts;
  count(cases_, cells, counts);
  return at->second = score_.of(counts, joint_states(cases_, set));
}

double FamilyScores::of(Variable v, std::span<const Variable> parents) {
  return set_score(joined(parents, v)) - set_score(parents);
}

double FamilyScores::of(const Parents& parents) {
  double sum = 0;
  for (Variable v = 0; v < parents.size(); ++v) sum += of(v, parents[v]);
  return sum;
}

// One pass: the counts of (parents, u) are sums of those of (parents, u, v).
double FamilyScores::family_with(Variable v, const JointCells& parents, double joint, Variable u,
                                 std::vector<std::uint32_t>& counts) const {
  const std::size_t own = cases_.states(v), others = cases_.states(u);
  const auto of_u = cases_.column(u), of_v = cases_.column(v);
  const auto weights = cases_.weights();
  const double of_parents = joint * static_cast<double>(others);
  const double of_family = of_parents * static_cast<double>(own);
  const std::size_t table = parents.cells * others * own;
  if (table > 8 * cases_.rows() + 1024) {  // mostly zeros
    JointCells cells = parents;
    cells.refine(cases_, u);
    count(cases_, cells, counts);
    const double before = score_.of(counts, of_parents);
    cells.refine(cases_, v);
    count(cases_, cells, counts);
    return score_.of(counts, of_family) - before;
  }
  counts.assign(table + parents.cells * others, 0);
  for (std::size_t r = 0; r < of_u.size(); ++r) {
    counts[(parents.cell[r] * others + of_u[r]) * own + of_v[r]] += weights[r];
  }
  const std::span family(counts.data(), table),
      margin(counts.data() + table, counts.size() - table);
  for (std::size_t k = 0; k < table; ++k) margin[k / own] += family[k];
  return score_.of(family, of_family) - score_.of(margin, of_parents);
}

const std::vector<double>& FamilyScores::with_another(Variable v,
                                                      const std::vector<Variable>& parents) {
  std::vector<Variable> family = parents;
  family.push_back(v);
  const auto [at, is_new] = additions_.try_emplace(key_of(family));
  if (!is_new) return at->second;
  JointCells cells(cases_);
  for (const Variable u : parents) cells.refine(cases_, u);
  const double joint = joint_states(cases_, parents);
  std::vector<std::vector<std::uint32_t>> counts(pool_.threads());
  std::vector<double>& scores = at->second;
  scores.assign(cases_.variables(), 0);
  pool_.run(cases_.variables(), [&](std::size_t u, std::size_t worker) {
    const auto other = static_cast<Variable>(u);
    if (other == v || std::ranges::binary_search(parents, other)) return;
    scores[u] = family_with(v, cells, joint, other, counts[worker]);
  });
  return scores;
}

}  // namespace croft
