#include "model/transition_scorer.h"

#include <algorithm>

namespace croft {
namespace {

// Whether the transitions are better kept as a list of those that differ from the others: a
// measured bound for chains that are done together (bench/label_set_bench).  Overlays want a table.
bool keep_sparse(const ChainLayout& layout, std::size_t listed) {
  return layout.edge.rows() == 0 && listed * 10 <= layout.labels * layout.labels * 7;
}

constexpr std::size_t kFewLabels = 64;

bool forbids_an_edge(const ChainConstraint* constraint) {
  return constraint != nullptr &&
         std::ranges::find(constraint->edge, false) != constraint->edge.end();
}

}  // namespace

template <class Real>
TransitionScorer<Real>::TransitionScorer(const ChainLayout& layout, Use use)
    : labels_(layout.labels), masked_(forbids_an_edge(layout.constraint.get())) {
  list(layout);
  sparse_ = keep_sparse(layout, listed_.size()) &&
            (use == Use::together || layout.labels > kFewLabels || layout.histories);
}

template <class Real>
void TransitionScorer<Real>::list(const ChainLayout& layout) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells;  // each with its weight
  layout.for_each_transition([&](std::uint32_t k, std::uint32_t cell) {
    cells.push_back({cell, k});
  });
  std::ranges::sort(cells);
  const auto add = [&](std::uint32_t cell, std::uint32_t k) {
    listed_.push_back(
        {static_cast<Label>(cell / layout.labels), static_cast<Label>(cell % layout.labels)});
    weight_of_.push_back(k);
  };
  if (!masked_) {
    for (const auto& [cell, k] : cells) add(cell, k);
    return;
  }
  const std::vector<bool>& allowed = layout.constraint->edge;
  auto next = cells.begin();
  for (std::uint32_t cell = 0; cell < allowed.size(); ++cell) {
    const bool has_weight = next != cells.end() && next->first == cell;
    if (allowed[cell]) add(cell, has_weight ? next->second : kNoWeight);
    next += has_weight;
  }
}

template <class Real>
void TransitionScorer<Real>::assign(const RowLayout& rows, std::span<const double> tied,
                                    TransitionScores<Real>& out) const {
  std::vector<Real> log(listed_.size());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double* w = tied.data() + (rows.begin[row] - rows.begin[0]);
    for (std::size_t n = 0; n < log.size(); ++n) {
      if (weight_of_[n] != kNoWeight) log[n] += static_cast<Real>(w[weight_of_[n]]);
    }
  }
  if (sparse_) {
    const Background others = masked_ ? Background::forbidden : Background::zero;
    out.assign(labels_, others, listed_, log);
  } else {
    Matrix<Real> table(labels_, labels_, masked_ ? TransitionScores<Real>::kForbidden : Real{0});
    for (std::size_t n = 0; n < log.size(); ++n) table(listed_[n].from, listed_[n].to) = log[n];
    out.assign(std::move(table));
  }
}

template class TransitionScorer<float>;
template class TransitionScorer<double>;

}  // namespace croft
