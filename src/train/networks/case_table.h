// Cases whose values are all known, by columns, with a weight each: what structures are learnt
// from.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "croft/core/random.h"
#include "croft/structure/factor_graph.h"

namespace croft {

class CaseTable {
 public:
  using Cell = std::uint16_t;
  static constexpr std::size_t kMostStates = 65536;

  // Throws UsageError for a variable of more than kMostStates.
  explicit CaseTable(std::vector<std::size_t> states);
  // A case of [variables] known states, which are in range.
  void add(std::span<const State> row);
  // Cases that are alike become one, of their weight.
  void merge();
  // As many cases, drawn from these with replacement.
  CaseTable resampled(Random& random) const;

  std::size_t variables() const { return states_.size(); }
  std::size_t states(Variable v) const { return states_[v]; }
  std::size_t cases() const { return cases_; }
  std::size_t rows() const { return weights_.size(); }  // that are kept
  std::span<const Cell> column(Variable v) const { return (*columns_)[v]; }
  std::span<const std::uint32_t> weights() const { return weights_; }

 private:
  std::vector<std::size_t> states_;
  std::shared_ptr<std::vector<std::vector<Cell>>> columns_;  // shared with samples of it
  std::vector<std::uint32_t> weights_;
  std::size_t cases_ = 0;
};

// Numbers of joint states of some variables, in the order in which they first occur: cell[row] is
// below `cells`.
struct JointCells {
  std::vector<std::uint32_t> cell;  // [rows]
  std::size_t cells = 1;

  explicit JointCells(const CaseTable& cases) : cell(cases.rows(), 0) {}
  void refine(const CaseTable& cases, Variable by);  // one variable more

 private:
  std::vector<std::uint32_t> number_;  // scratch
};

}  // namespace croft
