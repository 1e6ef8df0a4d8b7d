#include "inference/graph/exact/tree_tangent.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "inference/graph/exact/scoped_table.h"
#include "structure/factor_numbers.h"

namespace croft {

double TreeTangent::bytes() const {
  double numbers = 0;
  for (const Clique& clique : tree_.cliques) {
    numbers +=
        2 * (count_states(graph_, clique.variables) + count_states(graph_, clique.separator));
  }
  return sizeof(double) * numbers;
}

void TreeTangent::add_factors(const Clique& clique, std::span<const double> direction,
                              Tables& to) const {
  std::vector<double> moves;
  for (const Factor f : clique.factors) {
    const std::vector<double> scores = graph_.table(f);
    moves.clear();
    for_each_number(graph_, f, [&](std::uint64_t place) {
      const bool counts = place != kNoScore && graph_.numbers()[place] > -kInf;
      moves.push_back(counts ? direction[place] : 0);
    });
    for_places(graph_, clique.variables, graph_.scope(f),
               [&](std::uint64_t k, std::uint64_t place) {
                 to.value[k] += scores[place];
                 to.tangent[k] += moves[place];
               });
  }
}

// From scores to p(e|s), and the message to the parent; false where the clique allows nothing.
bool TreeTangent::send_up(const Clique& clique, Tables& of) const {
  const auto separator = joint_states(graph_, clique.separator);
  const auto visit = [&](const auto& each) {
    for_places(graph_, clique.variables, clique.separator, each);
  };
  std::vector<double> high(separator, -kInf), sum(separator, 0.0);
  visit([&](std::uint64_t k, std::uint64_t s) { high[s] = std::max(high[s], of.value[k]); });
  visit([&](std::uint64_t k, std::uint64_t s) {
    of.value[k] = of.value[k] > -kInf ? std::exp(of.value[k] - high[s]) : 0;
    sum[s] += of.value[k];
  });
  of.message.assign(separator, -kInf);
  of.d_message.assign(separator, 0.0);
  for (std::size_t s = 0; s < separator; ++s) {
    if (sum[s] > 0) of.message[s] = high[s] + std::log(sum[s]);
  }
  visit([&](std::uint64_t k, std::uint64_t s) {
    if (sum[s] > 0) of.value[k] /= sum[s];
    of.d_message[s] += of.value[k] * of.tangent[k];
  });
  visit([&](std::uint64_t k, std::uint64_t s) {
    of.tangent[k] = of.value[k] * (of.tangent[k] - of.d_message[s]);
  });
  return std::ranges::any_of(of.message, [](double m) { return m > -kInf; });
}

// From p(e|s) to b(e, s), with what the parent believes of s.
void TreeTangent::take_beliefs(const Clique& clique, const Tables* parent, Tables& of) const {
  of.message.assign(of.message.size(), parent == nullptr ? 1 : 0);
  of.d_message.assign(of.message.size(), 0);
  if (parent != nullptr) {
    for_places(graph_, tree_.cliques[clique.parent].variables, clique.separator,
               [&](std::uint64_t k, std::uint64_t s) {
                 of.message[s] += parent->value[k];
                 of.d_message[s] += parent->tangent[k];
               });
  }
  for_places(graph_, clique.variables, clique.separator, [&](std::uint64_t k, std::uint64_t s) {
    of.tangent[k] = of.d_message[s] * of.value[k] + of.message[s] * of.tangent[k];
    of.value[k] *= of.message[s];
  });
}

void TreeTangent::add_changes(const Clique& clique, const Tables& of, double scale,
                              std::span<double> out) const {
  std::vector<double> change;
  for (const Factor f : clique.factors) {
    change.assign(graph_.joint_states(f), 0.0);
    for_places(graph_, clique.variables, graph_.scope(f),
               [&](std::uint64_t k, std::uint64_t place) { change[place] += of.tangent[k]; });
    add_expectations(graph_, f, change, scale, out);
  }
}

void TreeTangent::add(double scale, std::span<const double> direction,
                      std::span<double> out) const {
  std::vector<Tables> tables(tree_.cliques.size());
  for (std::size_t c = 0; c < tables.size(); ++c) {
    const Clique& clique = tree_.cliques[c];
    const auto states = joint_states(graph_, clique.variables);
    tables[c].value.assign(states, 0.0);
    tables[c].tangent.assign(states, 0.0);
    add_factors(clique, direction, tables[c]);
    for (const std::size_t child : clique.children) {
      for_places(graph_, clique.variables, tree_.cliques[child].separator,
                 [&](std::uint64_t k, std::uint64_t s) {
                   tables[c].value[k] += tables[child].message[s];
                   tables[c].tangent[k] += tables[child].d_message[s];
                 });
    }
    if (!send_up(clique, tables[c])) return;
  }
  for (std::size_t c = tables.size(); c-- > 0;) {
    const Clique& clique = tree_.cliques[c];
    const bool root = clique.parent == Clique::kNone;
    take_beliefs(clique, root ? nullptr : &tables[clique.parent], tables[c]);
    add_changes(clique, tables[c], scale, out);
  }
}

}  // namespace croft
