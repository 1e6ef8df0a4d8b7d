// What of a clique's joint states a feature speaks of: which of them have a weight, and which share
// one.
//
//   theta_c(y_c) = sum_k x_ck w[k, cell(y_c)],       0 where y_c has no cell                (GC.3)
//
// A clique has a place for each variable. Where an interaction counts, a place may have a list of
// variables, and cliques of any size go by the same weights: docs/math/counting.md.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

enum class InteractionKind : std::uint8_t {
  table,        // a cell for each joint state
  same,         // one cell: all variables are in the same state
  same_label,   // a cell for each state that all variables are in
  ordinal,      // of two variables: a cell for each distance |i - j| >= 1
  listed,       // a cell for each joint state that is listed
  known,        // of one variable: a cell for each state; which one it is, a clique says
  count,        // a cell for each range of how many variables are in a state that counts
  at_most,      // one cell: no more than k count
  at_least,     // one cell: k or more count
  exactly,      // one cell: k count
  exactly_one,  // the same with k = 1
  all_of,       // one cell: all count ("and")
  any_of,       // one cell: some variable counts ("or")
  implies       // one cell: a variable of the last place counts, or one of another place does not
};
InteractionKind interaction_kind(std::string_view name);  // throws UsageError that lists the names
std::string_view name_of(InteractionKind kind);
// `count` and all behind it: they count, and take lists of variables.
inline bool counts_variables(InteractionKind kind) { return kind >= InteractionKind::count; }
// Of these, whether they have a k of their own.
inline bool has_threshold(InteractionKind kind) {
  return kind == InteractionKind::at_most || kind == InteractionKind::at_least ||
         kind == InteractionKind::exactly;
}

// What an interaction counts.
struct CountingRule {
  std::vector<std::vector<std::uint8_t>> counts;  // [places][states] 1 where the state counts
  std::vector<std::uint64_t> from;  // of `count`: where each cell begins, increasing from 0
  std::uint64_t k = 1;              // of at_most, at_least and exactly
  bool broken = false;  // of all but `count`: the cell is of what breaks the rule, not of what
                        // keeps it
};

class Interaction {
 public:
  Interaction() = default;
  //   states : of each variable of a clique
  //   listed : joint states, increasing; with InteractionKind::listed only
  // Throws UsageError where they do not fit the kind: `same` and its kin need equal states.
  Interaction(InteractionKind kind, std::vector<std::uint32_t> states,
              std::vector<std::uint64_t> listed = {});
  // Of a kind that counts.
  //   states : of the variables of each place
  Interaction(InteractionKind kind, std::vector<std::uint32_t> states, CountingRule rule);

  // These joint states score -inf and have no cell.  Of a kind that does not count.  Throws
  // UsageError where they do not increase, are not possible, or are all there are.
  void forbid(std::vector<std::uint64_t> states);
  // The joint states of a group have one cell.  Of a table or a list, before forbid().  Throws
  // UsageError for a joint state without a cell or in two groups.
  void share(std::vector<std::vector<std::uint64_t>> groups);

  InteractionKind kind() const { return kind_; }
  std::span<const std::uint32_t> states() const { return states_; }
  std::size_t arity() const { return states_.size(); }  // places
  std::size_t cells() const { return cells_; }
  std::span<const std::uint64_t> listed() const { return listed_; }
  std::span<const std::uint64_t> forbidden() const { return forbidden_; }
  const std::vector<std::vector<std::uint64_t>>& shared() const { return shared_; }
  bool counting() const { return counts_variables(kind_); }
  const CountingRule& rule() const { return rule_; }

  // A potential for such cliques, of the kind with the fastest messages, all scores 0 or -inf.
  //   sizes : where needs_sizes(), how many variables each place has
  PotentialId add_potential(FactorGraph& graph, std::span<const std::uint32_t> sizes = {}) const;
  // It counts, and not the same states in all places.
  bool needs_sizes() const { return counting() && !alike_; }
  // The cell of each number of such a potential; kNoCell: it stays as it is.
  static constexpr std::uint32_t kNoCell = 0xffffffff;
  std::span<const std::uint32_t> cell_of_number() const { return cell_; }

  // The cell of a clique's states; kNoCell.  Not of a kind that counts.
  std::uint32_t cell_of(std::span<const State> states) const;
  // The same of one that does, of so many that count.
  std::uint32_t cell_of_count(std::uint64_t count) const;
  // The cell that is named so: by a joint state's labels; of `count` by a number; by nothing where
  // there is one cell.  Throws UsageError where there is none.
  //   labels : of each place, by state
  std::uint32_t cell_named(std::span<const std::string> name,
                           std::span<const std::span<const std::string>> labels) const;
  // A cell in words: the labels of the states that have it.
  std::string cell_name(std::uint32_t cell,
                        std::span<const std::span<const std::string>> labels) const;

  // Whether the clique is forbidden, whatever its variables are that are kUnobserved.
  //   sizes      : of each place; empty: 1
  //   cells_also : joint states that have a cell are forbidden, too
  bool rules_out(std::span<const State> states, std::span<const std::uint32_t> sizes,
                 bool cells_also) const;

 private:
  std::uint64_t joint_of(std::span<const State> states) const;
  std::uint64_t joint_states() const;
  void set_ranges(std::uint64_t k);
  void compress_cells();
  bool is_table() const;

  InteractionKind kind_ = InteractionKind::table;
  std::vector<std::uint32_t> states_;
  std::vector<std::uint64_t> listed_;     // those with a cell of their own, unless it is a table
  std::vector<std::uint64_t> forbidden_;  // increasing
  std::vector<std::vector<std::uint64_t>> shared_;
  CountingRule rule_;
  std::vector<std::vector<std::uint8_t>> counted_;  // [places] as a potential counts them
  bool alike_ = false;
  std::vector<std::uint64_t> numbered_;  // of a sparse potential, the joint states that it lists
  std::vector<std::uint64_t> from_;      // of counts, where numbers begin
  bool potts_ = false;
  std::vector<std::uint32_t> cell_;
  std::size_t cells_ = 0;
  // [cells] where cells are shared or some forbidden: all joint states of each.
  std::vector<std::vector<std::uint64_t>> joint_of_cell_;
};

// All that an interaction may be made of; what its kind has no use for stays empty.
struct InteractionParts {
  InteractionKind kind = InteractionKind::table;
  std::vector<std::uint32_t> states;
  std::vector<std::uint64_t> listed, forbidden;
  std::vector<std::vector<std::uint64_t>> shared;
  CountingRule rule;
};
// Throws UsageError as the members of Interaction do.
Interaction make_interaction(InteractionParts parts);

}  // namespace croft
