// Components of what a counting search has left: variables that do not depend on any others.
// Internal to inference/; docs/math/graph_exact.md section 11.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "inference/graph/search/counting_model.h"

namespace croft {

// Key of a set in any order; two sets share one with a probability of about 2^-128.
struct SetKey {
  std::uint64_t a = 0, b = 0;
  void add(std::uint64_t kind, std::uint64_t id, std::uint64_t what);
  void add(const SetKey& one) {
    a += one.a;
    b += one.b;
  }
  bool operator==(const SetKey&) const = default;
};
struct HashOfKey {
  std::size_t operator()(const SetKey& k) const { return k.a; }
};

struct CountingComponent {
  std::vector<Variable> variables;
  std::vector<std::uint32_t> tables;
  SetKey key;
};

class ComponentFinder {
 public:
  // `left` is looked at by each call.
  ComponentFinder(const CountingModel& model, std::span<const StateSet> left);

  void begin() { ++stamp_; }
  bool is_in_one(Variable v) const { return seen_variable_[v] == stamp_; }
  // The component of a variable that is in none of those since begin().
  CountingComponent component_of(Variable from);
  // How many clauses and tables of its component a variable was in when that was found.
  double degree(Variable v) const { return degree_[v]; }
  // True if a table still tells joint states apart; else its score is *constant.
  bool tells_apart(std::uint32_t table, double* constant);

 private:
  // A clause of two literals, as one of its variables sees it.
  struct Pair {
    StateSet own, others;  // true in these
    Variable other;
    std::uint32_t clause;
  };

  void add_pairs(std::uint32_t clause);
  void reach(CountingComponent& c, Variable v, double weight);
  bool is_satisfied(std::span<const StateLiteral> clause) const;
  void add_pairs_of(CountingComponent& c, Variable v);
  void add_clauses_of(CountingComponent& c, Variable v);
  void add_tables_of(CountingComponent& c, Variable v);

  const CountingModel& model_;
  const std::span<const StateSet> left_;
  std::vector<std::vector<Pair>> pairs_of_;             // [variables]
  std::vector<std::vector<std::uint32_t>> clauses_of_;  // [variables] of three literals or more
  std::vector<SetKey> clause_key_;                      // [clauses]
  std::vector<SetKey> variable_key_;                    // [variables] with all their states
  std::uint64_t stamp_ = 0;
  std::vector<std::uint64_t> seen_variable_, seen_clause_, seen_table_;
  std::vector<double> degree_;
  std::vector<State> at_;
};

}  // namespace croft
