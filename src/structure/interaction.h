// What of a clique's joint states a feature speaks of: which of them have a weight, and which share
// one.
//
//   theta_c(y_c) = sum_k x_ck w[k, cell(y_c)],       0 where y_c has no cell                (GC.3)
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/structure/factor_graph.h"

namespace croft {

enum class InteractionKind : std::uint8_t {
  table,       // a cell for each joint state
  same,        // one cell: all variables are in the same state
  same_label,  // a cell for each state that all variables are in
  ordinal,     // of two variables: a cell for each distance |i - j| >= 1
  listed       // a cell for each joint state that is listed
};
InteractionKind interaction_kind(std::string_view name);  // throws UsageError that lists the names
std::string_view name_of(InteractionKind kind);

class Interaction {
 public:
  Interaction() = default;
  //   states : of each variable of a clique
  //   listed : joint states, increasing; with InteractionKind::listed only
  // Throws UsageError where they do not fit the kind: `same` and its kin need equal states.
  Interaction(InteractionKind kind, std::vector<std::uint32_t> states,
              std::vector<std::uint64_t> listed = {});

  InteractionKind kind() const { return kind_; }
  std::span<const std::uint32_t> states() const { return states_; }
  std::size_t arity() const { return states_.size(); }
  std::size_t cells() const { return cells_; }
  std::span<const std::uint64_t> listed() const { return listed_; }

  // A potential for such cliques, of the kind with the fastest messages, all scores 0.
  PotentialId add_potential(FactorGraph& graph) const;
  // The cell of each number of such a potential; kNoCell: it stays 0.
  static constexpr std::uint32_t kNoCell = 0xffffffff;
  std::span<const std::uint32_t> cell_of_number() const { return cell_; }

  // The cell of a clique's states; kNoCell.
  std::uint32_t cell_of(std::span<const State> states) const;
  // A cell in words: the labels of the states that have it.
  //   labels : of each variable, by state
  std::string cell_name(std::uint32_t cell,
                        std::span<const std::span<const std::string>> labels) const;

 private:
  InteractionKind kind_ = InteractionKind::table;
  std::vector<std::uint32_t> states_;
  std::vector<std::uint64_t> listed_;  // those with a cell of their own, unless it is a table
  std::vector<std::uint32_t> cell_;
  std::size_t cells_ = 0;
};

}  // namespace croft
