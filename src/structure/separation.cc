#include "structure/separation.h"

#include <algorithm>
#include <array>
#include <string>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::size_t kMostGlobal = 16;

void insert(std::vector<Variable>& increasing, Variable v) {
  const auto at = std::ranges::lower_bound(increasing, v);
  if (at == increasing.end() || *at != v) increasing.insert(at, v);
}

// 1, 2 and 3 for a variable of the three sets, 0 for others.
std::vector<char> set_of_each(std::size_t variables, std::span<const Variable> a,
                              std::span<const Variable> b, std::span<const Variable> given) {
  std::vector<char> set(variables, 0);
  char number = 0;
  for (const auto& each : {a, b, given}) {
    ++number;
    for (const Variable v : each) {
      if (v >= variables) throw UsageError("there is no variable " + std::to_string(v));
      if (set[v] != 0 && set[v] != number) {
        throw UsageError("variable " + std::to_string(v) +
                         " is in two of the sets of an independence");
      }
      set[v] = number;
    }
  }
  return set;
}

}  // namespace

MarkovNetwork::MarkovNetwork(const FactorGraph& graph) : sets_of_(graph.variables()) {
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (graph.scope(f).size() > 1) add_set(graph.scope(f));
  }
}

void MarkovNetwork::add_set(std::span<const Variable> variables) {
  const auto number = static_cast<Set>(begin_.size() - 1);
  members_.insert(members_.end(), variables.begin(), variables.end());
  begin_.push_back(members_.size());
  for (const Variable v : variables) sets_of_[v].push_back(number);
}

void MarkovNetwork::connect(Variable u, Variable v) {
  if (u >= variables() || v >= variables() || u == v) {
    throw UsageError("no edge can join variables " + std::to_string(u) + " and " +
                     std::to_string(v) + " of " + std::to_string(variables()));
  }
  if (!connected(u, v)) add_set(std::array{u, v});
}

std::vector<Variable> MarkovNetwork::neighbours(Variable v) const {
  std::vector<Variable> found;
  for (const Set s : sets_of_[v]) found.insert(found.end(), set(s).begin(), set(s).end());
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  std::erase(found, v);
  return found;
}

bool MarkovNetwork::connected(Variable u, Variable v) const {
  if (u == v) return false;
  // Sets are numbered as they come: both lists increase.
  const std::vector<Set>&a = sets_of_[u], &b = sets_of_[v];
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) return true;
    a[i] < b[j] ? ++i : ++j;
  }
  return false;
}

bool MarkovNetwork::separated(std::span<const Variable> a, std::span<const Variable> b,
                              std::span<const Variable> given) const {
  const std::vector<char> role = set_of_each(variables(), a, b, given);
  std::vector<bool> reached(variables(), false), passed(begin_.size() - 1, false);
  std::vector<Variable> open(a.begin(), a.end());
  for (const Variable v : open) reached[v] = true;
  while (!open.empty()) {
    const Variable v = open.back();
    open.pop_back();
    for (const Set s : sets_of_[v]) {
      if (passed[s]) continue;
      passed[s] = true;
      for (const Variable next : set(s)) {
        if (role[next] == 2) return false;
        if (role[next] == 3 || reached[next]) continue;
        reached[next] = true;
        open.push_back(next);
      }
    }
  }
  return true;
}

BayesianNetwork::BayesianNetwork(const FactorGraph& graph)
    : parents_(graph.variables()), children_(graph.variables()) {
  std::vector<bool> has_factor(graph.variables(), false);
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (scope.empty()) continue;
    const Variable child = scope.back();
    if (has_factor[child]) {
      throw UsageError("variable " + std::to_string(child) +
                       " is the last of two scopes: this is no Bayesian network");
    }
    has_factor[child] = true;
    for (const Variable parent : scope.first(scope.size() - 1)) {
      insert(parents_[child], parent);
      insert(children_[parent], child);
    }
  }
  // Parents first, until none is left without parents that wait.
  std::vector<std::size_t> waits(variables());
  std::vector<Variable> open;
  for (Variable v = 0; v < variables(); ++v) {
    waits[v] = parents_[v].size();
    if (waits[v] == 0) open.push_back(v);
  }
  std::size_t done = 0;
  for (; !open.empty(); ++done) {
    const Variable v = open.back();
    open.pop_back();
    for (const Variable child : children_[v]) {
      if (--waits[child] == 0) open.push_back(child);
    }
  }
  if (done < variables()) throw UsageError("the arrows of a Bayesian network make a cycle");
}

std::vector<Variable> BayesianNetwork::markov_blanket(Variable v) const {
  std::vector<Variable> blanket = parents_[v];
  for (const Variable child : children_[v]) {
    insert(blanket, child);
    for (const Variable other : parents_[child]) {
      if (other != v) insert(blanket, other);
    }
  }
  return blanket;
}

std::vector<Variable> BayesianNetwork::descendants(Variable v) const {
  std::vector<Variable> found, open{v};
  std::vector<bool> reached(variables(), false);
  while (!open.empty()) {
    const Variable at = open.back();
    open.pop_back();
    for (const Variable child : children_[at]) {
      if (reached[child]) continue;
      reached[child] = true;
      found.push_back(child);
      open.push_back(child);
    }
  }
  std::ranges::sort(found);
  return found;
}

bool BayesianNetwork::separated(std::span<const Variable> a, std::span<const Variable> b,
                                std::span<const Variable> given) const {
  const std::vector<char> set = set_of_each(variables(), a, b, given);
  // Where meeting arrows let a trail pass: what is given, and its ancestors.
  std::vector<bool> leads_to_given(variables(), false);
  std::vector<Variable> up(given.begin(), given.end());
  while (!up.empty()) {
    const Variable v = up.back();
    up.pop_back();
    if (leads_to_given[v]) continue;
    leads_to_given[v] = true;
    up.insert(up.end(), parents_[v].begin(), parents_[v].end());
  }
  struct Step {
    Variable at;
    bool from_child;
  };
  std::vector<Step> open;
  std::vector<char> reached(variables(), 0);  // 1: from a child, 2: from a parent
  const auto visit = [&](Variable v, bool from_child) {
    const char mark = from_child ? 1 : 2;
    if ((reached[v] & mark) != 0) return;
    reached[v] = static_cast<char>(reached[v] | mark);
    open.push_back({v, from_child});
  };
  for (const Variable v : a) visit(v, true);
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    const bool is_given = set[step.at] == 3;
    if (set[step.at] == 2) return false;
    if (!is_given) {
      for (const Variable child : children_[step.at]) visit(child, false);
    }
    if (step.from_child ? !is_given : leads_to_given[step.at]) {
      for (const Variable parent : parents_[step.at]) visit(parent, true);
    }
  }
  return true;
}

MarkovNetwork BayesianNetwork::moral() const {
  MarkovNetwork network(variables());
  for (Variable v = 0; v < variables(); ++v) {
    if (parents_[v].empty()) continue;
    std::vector<Variable> family = parents_[v];
    family.push_back(v);
    network.add_set(family);
  }
  return network;
}

namespace {

// {v}, all that are neither v nor in the two lists, the second list.
Independence local(std::size_t variables, Variable v, std::span<const Variable> left_out,
                   std::span<const Variable> given) {
  Independence claim{{v}, {}, {given.begin(), given.end()}};
  for (Variable u = 0; u < variables; ++u) {
    if (u != v && !std::ranges::binary_search(left_out, u) &&
        !std::ranges::binary_search(given, u)) {
      claim.b.push_back(u);
    }
  }
  return claim;
}

// All pieces of the graph without `given`.
std::vector<std::vector<Variable>> pieces(const MarkovNetwork& network,
                                          const std::vector<bool>& given) {
  std::vector<std::vector<Variable>> found;
  std::vector<bool> reached = given;
  for (Variable first = 0; first < network.variables(); ++first) {
    if (reached[first]) continue;
    reached[first] = true;
    std::vector<Variable> piece{first};
    for (std::size_t k = 0; k < piece.size(); ++k) {
      for (const Variable next : network.neighbours(piece[k])) {
        if (reached[next]) continue;
        reached[next] = true;
        piece.push_back(next);
      }
    }
    std::ranges::sort(piece);
    found.push_back(std::move(piece));
  }
  return found;
}

}  // namespace

std::vector<Independence> pairwise_independences(const MarkovNetwork& network) {
  std::vector<Independence> claims;
  for (Variable u = 0; u < network.variables(); ++u) {
    for (Variable v = u + 1; v < network.variables(); ++v) {
      if (network.connected(u, v)) continue;
      Independence& claim = claims.emplace_back(Independence{{u}, {v}, {}});
      for (Variable w = 0; w < network.variables(); ++w) {
        if (w != u && w != v) claim.given.push_back(w);
      }
    }
  }
  return claims;
}

std::vector<Independence> local_independences(const MarkovNetwork& network) {
  std::vector<Independence> claims;
  for (Variable v = 0; v < network.variables(); ++v) {
    Independence claim = local(network.variables(), v, {}, network.neighbours(v));
    if (!claim.b.empty()) claims.push_back(std::move(claim));
  }
  return claims;
}

std::vector<Independence> local_independences(const BayesianNetwork& network) {
  std::vector<Independence> claims;
  for (Variable v = 0; v < network.variables(); ++v) {
    Independence claim = local(network.variables(), v, network.descendants(v), network.parents(v));
    if (!claim.b.empty()) claims.push_back(std::move(claim));
  }
  return claims;
}

std::vector<Independence> global_independences(const MarkovNetwork& network) {
  const std::size_t n = network.variables();
  if (n > kMostGlobal) {
    throw UsageError("a list of all separations is for at most " + std::to_string(kMostGlobal) +
                     " variables, and there are " + std::to_string(n));
  }
  std::vector<Independence> claims;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << n; ++set) {
    std::vector<bool> given(n);
    std::vector<Variable> list;
    for (Variable v = 0; v < n; ++v) {
      given[v] = (set >> v & 1) != 0;
      if (given[v]) list.push_back(v);
    }
    const auto parts = pieces(network, given);
    // Two pieces make one statement, which is the same from both sides.
    for (std::size_t k = 0; parts.size() > 1 && k < (parts.size() == 2 ? 1 : parts.size()); ++k) {
      Independence claim{parts[k], {}, list};
      for (std::size_t other = 0; other < parts.size(); ++other) {
        if (other != k) claim.b.insert(claim.b.end(), parts[other].begin(), parts[other].end());
      }
      std::ranges::sort(claim.b);
      claims.push_back(std::move(claim));
    }
  }
  return claims;
}

MarkovNetwork network_of(std::size_t variables, std::span<const Independence> pairwise) {
  std::vector<std::vector<bool>> apart(variables, std::vector<bool>(variables, false));
  for (const Independence& claim : pairwise) {
    set_of_each(variables, claim.a, claim.b, claim.given);
    if (claim.a.size() != 1 || claim.b.size() != 1 || claim.given.size() + 2 != variables) {
      throw UsageError(
          "a pairwise statement is of one variable and another, given all that are left");
    }
    apart[claim.a[0]][claim.b[0]] = apart[claim.b[0]][claim.a[0]] = true;
  }
  MarkovNetwork network(variables);
  for (Variable u = 0; u < variables; ++u) {
    for (Variable v = u + 1; v < variables; ++v) {
      if (!apart[u][v]) network.connect(u, v);
    }
  }
  return network;
}

}  // namespace croft
