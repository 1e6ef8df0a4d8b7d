#include "model/linear_scorer.h"

#include <algorithm>

#include "model/linear_kernels.h"

namespace croft {

namespace {

// Whether the transitions are better kept as a list of those that differ from the others: a
// measured bound for chains that are done together (bench/label_set_bench).  Overlays want a table.
bool keep_sparse(const ChainLayout& layout, std::size_t listed) {
  return layout.edge.rows() == 0 && listed * 10 <= layout.labels * layout.labels * 7;
}

constexpr std::size_t kFewLabels = 64;

// A table whose edges share scores beats a list that is longer than this many times its sums.
constexpr std::size_t kMuchLonger = 4;
// A table of fewer labels is as fast.
constexpr std::size_t kLabelsToShare = 16;

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
  const bool enough = layout.labels >= kLabelsToShare;
  if (enough && layout.shared.any() && layout.edge.rows() == 0 && !layout.histories) share(use);
}

template <class Real>
void TransitionScorer<Real>::share(Use use) {
  constexpr std::uint32_t kForbidden = kNoWeight - 1;  // scores what no other pair does
  std::vector<std::uint32_t> number(labels_ * labels_, masked_ ? kForbidden : kNoWeight);
  for (std::size_t n = 0; n < listed_.size(); ++n) {
    number[listed_[n].from * labels_ + listed_[n].to] = weight_of_[n];
  }
  if (!sparse_) {
    sharing_ = find_sharing(labels_, number, number.size() * 7 / 10);
    return;
  }
  if (use == Use::one_by_one || listed_.size() * 10 < number.size()) return;
  sharing_ = find_sharing(labels_, number, listed_.size() / kMuchLonger);
  sparse_ = sharing_ == nullptr;
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
    out.assign(std::move(table), sharing_);
  }
}

template class TransitionScorer<float>;
template class TransitionScorer<double>;

namespace {

constexpr std::size_t kRowsPerTask = 4096;
constexpr std::size_t kNear = std::size_t{1} << 18;  // bytes that stay in the second-level cache

}  // namespace

template <class Real>
LinearScorer<Real>::LinearScorer(const ChainLayout& layout)
    : layout_(layout), transition_scorer_(layout) {
  const RowLayout& node = layout.node;
  const std::size_t rich = layout.node_classes.rich;
  rich_.assign(rich, layout.labels, Real{0});
  short_.resize(node.begin.back() - node.begin[rich]);
  for (std::size_t k = 0; k < short_.size(); ++k) {  // full rows are rich: short ones have cells
    short_[k].cell = node.cell[static_cast<std::size_t>(node.begin[rich] - node.begin[0]) + k];
  }
  edge_.resize(layout.edge.begin.back() - layout.edge.begin.front());
  zero_.assign(padded(layout.labels), ChainScores<Real>::kForbidden);
  std::fill(zero_.begin(), zero_.begin() + static_cast<std::ptrdiff_t>(layout.labels), Real{0});
  if (layout.histories) histories_.emplace(*layout.histories);
}

template <class Real>
void LinearScorer<Real>::set_weights(std::span<const double> w, ThreadPool& pool) {
  const RowLayout& node = layout_.node;
  const std::size_t rich = layout_.node_classes.rich;
  pool.run((rich + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, std::size_t) {
    for (std::size_t a = task * kRowsPerTask; a < std::min(rich, (task + 1) * kRowsPerTask); ++a) {
      Real* row = rich_.row(a);
      const double* from = w.data() + node.begin[a];
      for (std::size_t k = 0; k < node.length(a); ++k) {
        row[node.cell_of(a, k)] = static_cast<Real>(from[k]);
      }
    }
  });
  const auto copy = [&](std::uint64_t from, std::vector<Real>& to) {
    std::transform(w.begin() + static_cast<std::ptrdiff_t>(from),
                   w.begin() + static_cast<std::ptrdiff_t>(from + to.size()), to.begin(),
                   [](double value) { return static_cast<Real>(value); });
  };
  for (std::size_t k = 0; k < short_.size(); ++k) {
    short_[k].weight = static_cast<Real>(w[node.begin[rich] + k]);
  }
  copy(layout_.edge.begin.front(), edge_);
  transition_scorer_.assign(layout_.tied, w.subspan(layout_.tied.begin[0]), transitions_);
  if (histories_) {
    histories_->assign(transitions_, w.subspan(layout_.first_gram(), layout_.grams()));
  }
}

template <class Real>
void LinearScorer<Real>::score(const ChainData& data, std::size_t n, ChainScores<Real>& out) const {
  const std::uint64_t first = data.sequence_begin[n];
  const std::size_t length = data.sequence_begin[n + 1] - first;
  const RowLayout& node = layout_.node;
  const std::size_t rich = layout_.node_classes.rich;
  out.transitions = &transitions_;
  out.state.reshape(length, layout_.labels);
  out.overlay_of.clear();
  out.overlay.reshape(0, layout_.labels);
  score_states(
      StateScoring<Real>{.begin = data.node.begin.data() + first,
                         .count = length,
                         .id = data.node.id.data(),
                         .value = data.node.value.empty() ? nullptr : data.node.value.data(),
                         .zero = zero_.data(),
                         .rich = rich_.row(0),
                         .rich_rows = rich,
                         .first_single = rich + layout_.node_classes.poor,
                         .stride = out.state.stride(),
                         .short_weight = short_.data(),
                         .short_begin = node.begin.data() + rich,
                         .short_offset = node.begin[rich],
                         .far = short_.size() * sizeof(CellWeight<Real>) > kNear,
                         .state = out.state.row(0)});
  if (layout_.constraint) apply(*layout_.constraint, out);
  if (data.has_edges()) add_overlays<Real>(data, n, layout_, edge_, out);
}

template <class Real>
void add_overlays(const ChainData& data, std::size_t n, const ChainLayout& layout,
                  std::span<const Real> weights, ChainScores<Real>& out) {
  const std::uint64_t first = data.sequence_begin[n];
  const RowLayout& edge = layout.edge;
  const std::size_t labels = layout.labels, stride = out.overlay.stride();
  for (std::size_t t = 1; t < out.length(); ++t) {
    const std::uint64_t begin = data.edge.begin[first + t], end = data.edge.begin[first + t + 1];
    if (begin == end) continue;
    Real* rows = out.add_overlay(t);
    for (std::uint64_t k = begin; k < end; ++k) {
      const std::uint32_t b = data.edge.id[k];
      const Real value = data.edge.value.empty() ? Real{1} : static_cast<Real>(data.edge.value[k]);
      const Real* w = weights.data() + (edge.begin[b] - edge.begin[0]);
      if (edge.length(b) == edge.cells) {
        for (std::size_t i = 0; i < labels; ++i) {
          for (std::size_t j = 0; j < labels; ++j)
            rows[i * stride + j] += value * w[i * labels + j];
        }
        continue;
      }
      for (std::size_t c = 0; c < edge.length(b); ++c) {
        const std::uint32_t cell = edge.cell_of(b, c);
        rows[cell / labels * stride + cell % labels] += value * w[c];
      }
    }
  }
}

Postings make_postings(const AttributeLists& lists, std::uint64_t first, std::uint64_t last,
                       std::size_t attributes, std::span<const std::uint32_t> place_of) {
  Postings postings;
  std::vector<std::uint64_t> next(attributes + 1);
  for (std::uint64_t k = lists.begin[first]; k < lists.begin[last]; ++k) ++next[lists.id[k] + 1];
  for (std::uint32_t a = 0; a < attributes; ++a) {
    if (next[a + 1] > 0) {
      postings.attribute.push_back(a);
      postings.begin.push_back(postings.begin.back() + next[a + 1]);
    }
    next[a + 1] += next[a];
  }
  postings.place.resize(lists.begin[last] - lists.begin[first]);
  if (!lists.value.empty()) postings.value.resize(postings.place.size());
  for (std::uint64_t p = first; p < last; ++p) {
    for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
      const std::uint64_t at = next[lists.id[k]]++;
      postings.place[at] = place_of[p - first];
      if (!lists.value.empty()) postings.value[at] = lists.value[k];
    }
  }
  return postings;
}

namespace {

// body(entry) for every attribute of the postings, in parallel; tasks of about equal work.
template <class Body>
void for_attributes(const Postings& postings, ThreadPool& pool, const Body& body) {
  constexpr std::uint64_t kPlacesPerTask = 32768;
  const std::uint64_t places = postings.place.size();
  const std::size_t tasks = static_cast<std::size_t>(places / kPlacesPerTask) + 1;
  const auto first_of = [&](std::size_t task) {  // the first entry that begins in the task's share
    const auto at = std::lower_bound(postings.begin.begin(), postings.begin.end() - 1,
                                     static_cast<std::uint64_t>(task) * places / tasks);
    return static_cast<std::size_t>(at - postings.begin.begin());
  };
  pool.run(tasks, [&](std::size_t task, std::size_t) {
    const std::size_t end = task + 1 == tasks ? postings.attribute.size() : first_of(task + 1);
    for (std::size_t entry = first_of(task); entry < end; ++entry) body(entry);
  });
}

double value_at(const Postings& postings, std::uint64_t k) {
  return postings.value.empty() ? 1.0 : postings.value[k];
}

// The short row of attribute a: place after place, since a place's cells are neighbours in memory.
template <class Real>
void add_cells(const RowLayout& node, std::uint32_t a, const Postings& postings,
               std::uint64_t begin, std::uint64_t end, const Real* d_state, std::size_t stride,
               const ExactSum& exact, double* g) {
  constexpr std::uint64_t kAhead = 4;
  const std::size_t length = node.length(a);
  const std::uint32_t* cell = node.cell.data() + (node.begin[a] - node.begin[0]);
  thread_local std::vector<double> sum;
  sum.assign(length, 0.0);
  for (std::uint64_t at = begin; at < end; ++at) {
    if (at + kAhead < end) {
      const Real* ahead = d_state + std::size_t{postings.place[at + kAhead]} * stride;
      for (std::size_t k = 0; k < length; k += 4) __builtin_prefetch(ahead + cell[k]);
    }
    const Real* row = d_state + std::size_t{postings.place[at]} * stride;
    const double value = value_at(postings, at);
    for (std::size_t k = 0; k < length; ++k) sum[k] += value * double{row[cell[k]]};
  }
  for (std::size_t k = 0; k < length; ++k) exact.add(sum[k], g[k]);
}

}  // namespace

template <class Real>
void add_node_gradient(const ChainLayout& layout, const Postings& postings, const Real* d_state,
                       std::size_t stride, const ExactSum& exact, std::span<double> gradient,
                       ThreadPool& pool) {
  const RowLayout& node = layout.node;
  // Most attributes are rare: what they read of d_state is fetched some attributes ahead.
  const auto prefetch = [&](std::size_t entry) {
    if (entry >= postings.attribute.size()) return;
    const std::uint32_t cell = node.cell_of(postings.attribute[entry], 0);
    __builtin_prefetch(d_state + postings.place[postings.begin[entry]] * stride + cell);
  };
  for_attributes(postings, pool, [&](std::size_t entry) {
    const std::uint32_t a = postings.attribute[entry];
    const std::uint64_t begin = postings.begin[entry], end = postings.begin[entry + 1];
    prefetch(entry + 16);
    double* g = gradient.data() + node.begin[a];
    if (a < layout.node_classes.rich) {
      thread_local std::vector<double> sum;
      sum.resize(stride);
      sum_rows(RowSum<Real>{d_state, stride, postings.place.data() + begin,
                            postings.value.empty() ? nullptr : postings.value.data() + begin,
                            static_cast<std::size_t>(end - begin), sum.data()});
      for (std::size_t k = 0; k < node.length(a); ++k) exact.add(sum[node.cell_of(a, k)], g[k]);
      return;
    }
    if (node.length(a) == 1) {
      const Real* column = d_state + node.cell_of(a, 0);
      double sum = 0;
      for (std::uint64_t at = begin; at < end; ++at) {
        sum += value_at(postings, at) * double{column[postings.place[at] * stride]};
      }
      exact.add(sum, g[0]);
      return;
    }
    add_cells(node, a, postings, begin, end, d_state, stride, exact, g);
  });
}

template <class Real>
void add_edge_gradient(const ChainLayout& layout, const Postings& postings, const Real* d_overlay,
                       std::size_t stride, const ExactSum& exact, std::span<double> gradient,
                       ThreadPool& pool) {
  const RowLayout& edge = layout.edge;
  const std::size_t labels = layout.labels;
  for_attributes(postings, pool, [&](std::size_t entry) {
    const std::uint32_t b = postings.attribute[entry];
    thread_local std::vector<double> sum;
    sum.assign(edge.length(b), 0.0);
    for (std::uint64_t at = postings.begin[entry]; at < postings.begin[entry + 1]; ++at) {
      const Real* d = d_overlay + postings.place[at] * labels * stride;
      const double value = value_at(postings, at);
      for (std::size_t k = 0; k < sum.size(); ++k) {
        const std::uint32_t cell = edge.cell_of(b, k);
        sum[k] += value * double{d[cell / labels * stride + cell % labels]};
      }
    }
    double* g = gradient.data() + edge.begin[b];
    for (std::size_t k = 0; k < sum.size(); ++k) exact.add(sum[k], g[k]);
  });
}

template <class Real>
void set_tied_gradient(const ChainLayout& layout, const TransitionScores<Real>& transitions,
                       std::span<const double> cells, std::span<double> gradient) {
  const RowLayout& tied = layout.tied;
  if (tied.rows() == 0) return;
  const std::span<double> first = gradient.subspan(tied.begin[0], tied.length(0));
  std::ranges::fill(first, 0.0);
  layout.for_each_transition([&](std::uint32_t k, std::uint32_t pair) {
    const std::uint32_t cell = transitions.cell(static_cast<Label>(pair / layout.labels),
                                                static_cast<Label>(pair % layout.labels));
    if (cell != TransitionScores<Real>::kNoCell) first[k] += cells[cell];
  });
  for (std::size_t row = 1; row < tied.rows(); ++row) {
    std::ranges::copy(first, gradient.begin() + static_cast<std::ptrdiff_t>(tied.begin[row]));
  }
}

template void add_overlays(const ChainData&, std::size_t, const ChainLayout&,
                           std::span<const float>, ChainScores<float>&);
template void add_overlays(const ChainData&, std::size_t, const ChainLayout&,
                           std::span<const double>, ChainScores<double>&);
template class LinearScorer<float>;
template class LinearScorer<double>;
template void add_node_gradient(const ChainLayout&, const Postings&, const float*, std::size_t,
                                const ExactSum&, std::span<double>, ThreadPool&);
template void add_node_gradient(const ChainLayout&, const Postings&, const double*, std::size_t,
                                const ExactSum&, std::span<double>, ThreadPool&);
template void add_edge_gradient(const ChainLayout&, const Postings&, const float*, std::size_t,
                                const ExactSum&, std::span<double>, ThreadPool&);
template void add_edge_gradient(const ChainLayout&, const Postings&, const double*, std::size_t,
                                const ExactSum&, std::span<double>, ThreadPool&);
template void set_tied_gradient(const ChainLayout&, const TransitionScores<float>&,
                                std::span<const double>, std::span<double>);
template void set_tied_gradient(const ChainLayout&, const TransitionScores<double>&,
                                std::span<const double>, std::span<double>);

}  // namespace croft
