#include "features/clique_data.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "croft/core/error.h"

namespace croft {

std::uint32_t CliqueRows::insert(std::uint32_t clique_template,
                                 std::span<const CliqueFeature> features) {
  std::uint64_t hash = 0x9e3779b97f4a7c15 ^ clique_template;
  for (const CliqueFeature& each : features) {
    hash = (hash ^ each.id) * 0xff51afd7ed558ccd;
    hash = (hash ^ (hash >> 32) ^ std::bit_cast<std::uint64_t>(each.value)) * 0xc4ceb9fe1a85ec53;
    hash ^= hash >> 29;
  }
  hash *= 0x9e3779b97f4a7c15;
  const auto print = static_cast<std::uint32_t>(hash >> 32);
  if (4 * (size() + 1) > 3 * slots_.size()) grow();
  std::size_t at = home(print);
  for (; slots_[at].row != kUnknown; at = at + 1 == slots_.size() ? 0 : at + 1) {
    const std::uint32_t row = slots_[at].row;
    if (slots_[at].fingerprint == print && template_[row] == clique_template &&
        std::ranges::equal(this->features(row), features)) {
      return row;
    }
  }
  if (size() + 1 >= kUnknown) throw Error("more than 2^32 - 2 different lists of features");
  const auto row = static_cast<std::uint32_t>(size());
  slots_[at] = {print, row};
  template_.push_back(static_cast<std::uint16_t>(clique_template));
  feature_.insert(feature_.end(), features.begin(), features.end());
  begin_.push_back(feature_.size());
  return row;
}

void CliqueRows::grow() {
  std::vector<Slot> old(slots_.size() + slots_.size() / 2 + 16, Slot{0, kUnknown});
  old.swap(slots_);
  for (const Slot slot : old) {
    if (slot.row == kUnknown) continue;
    std::size_t at = home(slot.fingerprint);
    while (slots_[at].row != kUnknown) at = at + 1 == slots_.size() ? 0 : at + 1;
    slots_[at] = slot;
  }
}

std::uint32_t CliqueData::add_variable(std::uint32_t domain, std::string_view group, State known) {
  if (domain >= schema_.domains.size())
    throw UsageError("a variable of a domain that is not there");
  const std::size_t labels = schema_.domains[domain].labels.size();
  if (known != kUnobserved && known >= labels) {
    throw UsageError("a variable is known to be in state " + std::to_string(known) +
                     ", its domain '" + schema_.domains[domain].name + "' has " +
                     std::to_string(labels) + " labels");
  }
  if (variables() >= kUnobserved) throw Error("the data has more than 2^32 - 2 variables");
  domain_.push_back(domain);
  group_.push_back(group_names_.insert(group));
  known_.push_back(known);
  return static_cast<std::uint32_t>(domain_.size() - 1);
}

void CliqueData::add_clique(std::uint32_t clique_template, std::span<const std::uint32_t> variables,
                            std::span<const CliqueFeature> features) {
  if (clique_template >= schema_.templates.size()) {
    throw UsageError("a clique of a template that is not there");
  }
  const CliqueTemplate& t = schema_.templates[clique_template];
  const auto fail = [&](const std::string& what) { throw CliqueError(t.name, what); };
  if (variables.size() != t.domain.size()) {
    fail("a clique of " + std::to_string(variables.size()) + " variables, it needs " +
         std::to_string(t.domain.size()));
  }
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const std::uint32_t v = variables[k];
    if (v >= this->variables()) fail("there is no variable " + std::to_string(v));
    if (std::ranges::count(variables, v) > 1) fail("a clique has the same variable twice");
    if (domain_[v] != t.domain[k]) {
      fail("variable " + std::to_string(k + 1) + " of a clique is of the domain '" +
           schema_.domains[domain_[v]].name + "', it must be of '" +
           schema_.domains[t.domain[k]].name + "'");
    }
    if (group_[v] != group_[variables[0]]) {
      fail("a clique has variables of the groups '" + std::string(group_name(variables[0])) +
           "' and '" + std::string(group_name(v)) + "'");
    }
  }
  sorted_.assign(features.begin(), features.end());
  std::ranges::stable_sort(sorted_, {}, &CliqueFeature::id);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < sorted_.size(); ++k) {
    if (kept > 0 && sorted_[kept - 1].id == sorted_[k].id) {
      sorted_[kept - 1].value += sorted_[k].value;
    } else {
      sorted_[kept++] = sorted_[k];
    }
  }
  sorted_.resize(kept);
  for (const CliqueFeature& each : sorted_) {
    if (!t.scores) break;
    if (each.id >= t.interaction.cells()) {
      fail("a score of cell " + std::to_string(each.id) + ", there are " +
           std::to_string(t.interaction.cells()));
    }
    if (!(each.value < std::numeric_limits<double>::infinity())) {
      fail("a score that is not a number below infinity");
    }
  }
  cliques_.resize(schema_.templates.size());
  Cliques& mine = cliques_[clique_template];
  mine.variable.insert(mine.variable.end(), variables.begin(), variables.end());
  mine.row.push_back(rows_.insert(clique_template, sorted_));
}

std::size_t CliqueData::cliques() const {
  return std::accumulate(cliques_.begin(), cliques_.end(), std::size_t{0},
                         [](std::size_t n, const Cliques& c) { return n + c.row.size(); });
}

std::vector<GraphInstance> CliqueData::unroll() {
  std::vector<GraphInstance> instances(groups());
  std::vector<Variable> local(variables());
  for (std::uint32_t v = 0; v < variables(); ++v) {
    GraphInstance& instance = instances[group_[v]];
    local[v] = instance.graph.add_variable(schema_.domains[domain_[v]].labels.size());
    instance.variable.push_back(v);
    instance.known.push_back(known_[v]);
  }
  // Of a row, the potential that it has in an instance: the last one that had it.
  struct Last {
    std::uint32_t instance = 0xffffffff;
    PotentialId potential = 0;
  };
  std::vector<Last> last(rows_.size());
  std::vector<Variable> scope;
  for (std::size_t t = 0; t < cliques_.size(); ++t) {
    Cliques& mine = cliques_[t];
    const std::size_t arity = schema_.templates[t].domain.size();
    // By instance, so that each meets a row's cliques one after the other.
    std::vector<std::uint64_t> begin(groups() + 1, 0);
    for (std::size_t c = 0; c < mine.row.size(); ++c) ++begin[group_[mine.variable[c * arity]] + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> order(mine.row.size());
    for (std::size_t c = 0; c < mine.row.size(); ++c) {
      order[begin[group_[mine.variable[c * arity]]]++] = static_cast<std::uint32_t>(c);
    }
    for (const std::uint32_t c : order) {
      const std::uint32_t g = group_[mine.variable[c * arity]], row = mine.row[c];
      GraphInstance& instance = instances[g];
      if (last[row].instance != g) {
        last[row] = {g, schema_.templates[t].interaction.add_potential(instance.graph)};
        instance.row.push_back(row);
      }
      scope.clear();
      for (std::size_t k = 0; k < arity; ++k) scope.push_back(local[mine.variable[c * arity + k]]);
      instance.graph.add_factor(scope, last[row].potential);
    }
    mine = {};
  }
  rows_.forget_hashes();
  // What their vectors have spared for more is a third of many small graphs' memory.
  for (std::size_t g = 0; instances.size() > 1 && g < instances.size(); ++g) {
    instances[g].graph = FactorGraph(instances[g].graph);
    for (auto* each : {&instances[g].variable, &instances[g].row}) each->shrink_to_fit();
    instances[g].known.shrink_to_fit();
  }
  return instances;
}

}  // namespace croft
