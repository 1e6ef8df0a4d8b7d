#include "train/networks/case_table.h"

#include <algorithm>
#include <string>

#include "croft/core/error.h"

namespace croft {
namespace {
constexpr std::uint32_t kNone = 0xffffffff;
}

CaseTable::CaseTable(std::vector<std::size_t> states)
    : states_(std::move(states)),
      columns_(std::make_shared<std::vector<std::vector<Cell>>>(states_.size())) {
  for (const std::size_t each : states_) {
    if (each > kMostStates) {
      throw UsageError("a variable of " + std::to_string(each) +
                       " states: a structure is learnt of variables that have 65536 at most");
    }
  }
}

void CaseTable::add(std::span<const State> row) {
  for (Variable v = 0; v < row.size(); ++v) (*columns_)[v].push_back(static_cast<Cell>(row[v]));
  weights_.push_back(1);
  ++cases_;
}

void CaseTable::merge() {
  JointCells all(*this);
  for (Variable v = 0; v < variables() && all.cells < rows(); ++v) all.refine(*this, v);
  if (all.cells >= rows()) return;  // none are alike, or there are none
  std::vector<std::uint32_t> first(all.cells, kNone), weights(all.cells, 0);
  for (std::uint32_t r = 0; r < rows(); ++r) {
    first[all.cell[r]] = std::min(first[all.cell[r]], r);
    weights[all.cell[r]] += weights_[r];
  }
  auto merged = std::make_shared<std::vector<std::vector<Cell>>>(variables());
  for (Variable v = 0; v < variables(); ++v) {
    for (const std::uint32_t r : first) (*merged)[v].push_back((*columns_)[v][r]);
  }
  columns_ = std::move(merged);
  weights_ = std::move(weights);
}

CaseTable CaseTable::resampled(Random& random) const {
  std::vector<std::uint64_t> ends;
  std::uint64_t sum = 0;
  for (const std::uint32_t weight : weights_) ends.push_back(sum += weight);
  CaseTable drawn = *this;
  std::ranges::fill(drawn.weights_, 0);
  for (std::size_t n = 0; n < cases_; ++n) {
    const auto at = std::ranges::upper_bound(ends, random.below(sum));
    ++drawn.weights_[static_cast<std::size_t>(at - ends.begin())];
  }
  return drawn;
}

void JointCells::refine(const CaseTable& cases, Variable by) {
  const auto column = cases.column(by);
  const std::size_t states = cases.states(by);
  number_.assign(cells * states, kNone);
  std::uint32_t next = 0;
  for (std::size_t r = 0; r < cell.size(); ++r) {
    std::uint32_t& number = number_[cell[r] * states + column[r]];
    if (number == kNone) number = next++;
    cell[r] = number;
  }
  cells = next;
}

}  // namespace croft
