#include "model/sample_scorer.h"

#include <algorithm>

#include "model/linear_scorer.h"
#include "model/sample_kernels.h"

namespace croft {

SampleScorer::SampleScorer(const ChainData& data, const ChainLayout& layout)
    : data_(data),
      layout_(layout),
      transition_scorer_(layout, TransitionScorer<double>::Use::one_by_one),
      rich_(layout.node_classes.rich),
      stride_(padded(layout.labels)) {
  const RowLayout& node = layout.node;
  first_short_ = rich_ * stride_;
  short_shift_ = first_short_ - node.begin[rich_];  // modulo 2^64
  first_tied_ = first_short_ + (node.begin.back() - node.begin[rich_]);
  first_edge_ = first_tied_ + (layout.tied.begin.back() - layout.tied.begin[0]);
  first_gram_ = first_edge_ + (layout.edge.begin.back() - layout.edge.begin[0]);
  dimension_ = first_gram_ + layout.grams();
  mask_.assign(rich_ * stride_ / 8, 0);
  for (std::uint32_t a = 0; a < rich_; ++a) {
    for (std::size_t k = 0; k < node.length(a); ++k) {
      const std::uint32_t cell = node.cell_of(a, k);
      mask_[a * (stride_ / 8) + cell / 8] |= static_cast<std::uint8_t>(1u << (cell % 8));
    }
  }
  zero_.assign(stride_, ChainScores<double>::kForbidden);
  std::fill_n(zero_.begin(), layout.labels, 0.0);
  list_attributes();
}

void SampleScorer::list_attributes() {
  const AttributeLists& lists = data_.node;
  std::vector<std::uint32_t> all(lists.begin.back());
  first_.assign(1, 0);
  edge_first_.assign(1, 0);
  std::vector<std::uint32_t> position;
  for (std::size_t n = 0; n < data_.sequences(); ++n) {
    const std::uint64_t begin = data_.sequence_begin[n], end = data_.sequence_begin[n + 1];
    // Few at a time, sorted by attribute: (attribute, place in the lists).
    std::vector<std::pair<std::uint32_t, std::uint64_t>> items;
    for (std::uint64_t k = lists.begin[begin]; k < lists.begin[end]; ++k) {
      items.push_back({lists.id[k], k});
    }
    std::ranges::sort(items);
    std::uint64_t p = begin;
    position.resize(items.size());
    for (std::uint64_t k = lists.begin[begin]; k < lists.begin[end]; ++k) {
      while (lists.begin[p + 1] <= k) ++p;
      position[k - lists.begin[begin]] = static_cast<std::uint32_t>(p - begin);
    }
    for (std::size_t k = 0; k < items.size(); ++k) {
      const auto [a, at] = items[k];
      place_.push_back(position[at - lists.begin[begin]]);
      if (!lists.value.empty()) value_.push_back(lists.value[at]);
      if (k + 1 < items.size() && items[k + 1].first == a) continue;
      attribute_.push_back(a);
      place_end_.push_back(place_.size());
    }
    first_.push_back(attribute_.size());
    if (!data_.has_edges()) continue;
    const auto from = data_.edge.id.begin() + static_cast<std::ptrdiff_t>(data_.edge.begin[begin]);
    const auto to = data_.edge.id.begin() + static_cast<std::ptrdiff_t>(data_.edge.begin[end]);
    std::vector<std::uint32_t> edges(from, to);
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    edge_attribute_.insert(edge_attribute_.end(), edges.begin(), edges.end());
    edge_first_.push_back(edge_attribute_.size());
  }
}

void SampleScorer::expand(std::span<const double> w, std::span<double> space) const {
  std::ranges::fill(space, 0.0);
  const RowLayout& node = layout_.node;
  for (std::uint32_t a = 0; a < rich_; ++a) {
    for (std::size_t k = 0; k < node.length(a); ++k) {
      space[a * stride_ + node.cell_of(a, k)] = w[node.begin[a] + k];
    }
  }
  const auto copy = [&](std::uint64_t from, std::uint64_t to, std::size_t at) {
    std::copy(w.begin() + static_cast<std::ptrdiff_t>(from),
              w.begin() + static_cast<std::ptrdiff_t>(to),
              space.begin() + static_cast<std::ptrdiff_t>(at));
  };
  copy(node.begin[rich_], node.begin.back(), first_short_);
  copy(layout_.tied.begin[0], layout_.tied.begin.back(), first_tied_);
  copy(layout_.edge.begin[0], layout_.edge.begin.back(), first_edge_);
  copy(layout_.first_gram(), layout_.dimension(), first_gram_);
}

void SampleScorer::compress(std::span<const double> space, std::span<double> w) const {
  const RowLayout& node = layout_.node;
  for (std::uint32_t a = 0; a < rich_; ++a) {
    for (std::size_t k = 0; k < node.length(a); ++k) {
      w[node.begin[a] + k] = space[a * stride_ + node.cell_of(a, k)];
    }
  }
  const auto copy = [&](std::size_t from, std::size_t count, std::uint64_t at) {
    std::copy_n(space.begin() + static_cast<std::ptrdiff_t>(from), count,
                w.begin() + static_cast<std::ptrdiff_t>(at));
  };
  copy(first_short_, first_tied_ - first_short_, node.begin[rich_]);
  copy(first_tied_, first_edge_ - first_tied_, layout_.tied.begin[0]);
  copy(first_edge_, first_gram_ - first_edge_, layout_.edge.begin[0]);
  copy(first_gram_, layout_.grams(), layout_.first_gram());
}

VotedPerceptron SampleScorer::compress(VotedPerceptron vote) const {
  std::vector<double> places(layout_.dimension()), space(dimension_);
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = static_cast<double>(k);
  expand(places, space);  // for each coordinate its place in the layout's w
  for (std::uint64_t& k : vote.coordinate) k = static_cast<std::uint64_t>(space[k]);
  std::vector<double> start(layout_.dimension());
  compress(vote.start, start);
  vote.start = std::move(start);
  return vote;
}

void SampleScorer::support(std::size_t n, std::vector<Run>& runs) const {
  runs.clear();
  const auto add = [&](std::uint64_t begin, std::size_t length) {
    if (length > 0) runs.push_back({begin, static_cast<std::uint32_t>(length)});
  };
  for (std::uint64_t k = first_[n]; k < first_[n + 1]; ++k) {
    const std::uint32_t a = attribute_[k];
    add(row_begin(a), a < rich_ ? stride_ : layout_.node.length(a));
  }
  add(first_tied_, first_edge_ - first_tied_);
  if (data_.has_edges()) {
    for (std::uint64_t k = edge_first_[n]; k < edge_first_[n + 1]; ++k) {
      const std::uint32_t b = edge_attribute_[k];
      add(first_edge_ + (layout_.edge.begin[b] - layout_.edge.begin[0]), layout_.edge.length(b));
    }
  }
  add(first_gram_, layout_.grams());
}

void SampleScorer::transitions(std::span<const double> space, TransitionScores<double>& out) const {
  transition_scorer_.assign(layout_.tied, space.subspan(first_tied_), out);
}

void SampleScorer::score(std::size_t n, std::span<const double> space,
                         const TransitionScores<double>& transitions,
                         ChainScores<double>& out) const {
  const std::uint64_t first = data_.sequence_begin[n];
  const std::size_t length = data_.sequence_begin[n + 1] - first;
  const RowLayout& node = layout_.node;
  out.transitions = &transitions;
  out.state.reshape(length, layout_.labels);
  out.overlay_of.clear();
  out.overlay.reshape(0, layout_.labels);
  score_sample({.begin = data_.node.begin.data() + first,
                .count = length,
                .id = data_.node.id.data(),
                .value = data_.node.value.empty() ? nullptr : data_.node.value.data(),
                .zero = zero_.data(),
                .rich = space.data(),
                .rich_rows = rich_,
                .stride = stride_,
                .first_single = rich_ + layout_.node_classes.poor,
                .short_weight = space.data() + first_short_,
                .short_cell = node.all_full()
                                  ? nullptr
                                  : node.cell.data() + (node.begin[rich_] - node.begin[0]),
                .row_begin = node.begin.data(),
                .short_offset = node.begin[rich_],
                .state = out.state.row(0)});
  if (layout_.constraint) apply(*layout_.constraint, out);
  if (data_.has_edges()) {
    add_overlays(data_, n, layout_, space.subspan(first_edge_, first_gram_ - first_edge_), out);
  }
}

void SampleScorer::gradient(std::size_t n, const ChainGradient<double>& d, std::size_t stride,
                            std::span<const double> transition, std::span<const double> gram,
                            const TransitionScores<double>& transitions,
                            std::span<double> out) const {
  const RowLayout& node = layout_.node;
  const std::uint64_t k = first_[n];
  double* at = sample_gradient(
      {.id = attribute_.data() + k,
       .place_end = place_end_.data() + k,
       .place_begin = k == 0 ? 0 : place_end_[k - 1],
       .count = static_cast<std::size_t>(first_[n + 1] - k),
       .place = place_.data(),
       .value = value_.empty() ? nullptr : value_.data(),
       .d_state = d.state,
       .mask = mask_.data(),
       .rich_rows = rich_,
       .stride = stride,
       .short_cell =
           node.all_full() ? nullptr : node.cell.data() + (node.begin[rich_] - node.begin[0]),
       .row_begin = node.begin.data(),
       .short_offset = node.begin[rich_],
       .out = out.data()});
  const std::size_t tied = first_edge_ - first_tied_;
  set_tied_gradient(layout_, transitions, transition, std::span(at, tied));
  at += tied;
  if (data_.has_edges()) {
    add_edges(n, d.overlay, stride, at);
    for (std::uint64_t e = edge_first_[n]; e < edge_first_[n + 1]; ++e) {
      at += layout_.edge.length(edge_attribute_[e]);
    }
  }
  std::ranges::copy(gram, at);
}

// What d, the derivative of one score, is to the weights that it is the sum of.
void SampleScorer::add_state(std::uint64_t position, Label label, double d,
                             SparseVector& out) const {
  const AttributeLists& lists = data_.node;
  const RowLayout& node = layout_.node;
  for (std::uint64_t k = lists.begin[position]; k < lists.begin[position + 1]; ++k) {
    const std::uint32_t a = lists.id[k];
    const double g = lists.value.empty() ? d : lists.value[k] * d;
    if (a >= rich_) {
      for (std::size_t c = 0; c < node.length(a); ++c) {
        if (node.cell_of(a, c) == label) out.add(row_begin(a) + c, g);
      }
    } else if ((mask_[a * (stride_ / 8) + label / 8] >> (label % 8) & 1) != 0) {
      out.add(a * stride_ + label, g);
    }
  }
}

void SampleScorer::add_overlay(std::uint64_t position, const double* d, std::size_t stride,
                               SparseVector& out) const {
  const AttributeLists& lists = data_.edge;
  const RowLayout& edge = layout_.edge;
  for (std::uint64_t k = lists.begin[position]; k < lists.begin[position + 1]; ++k) {
    const std::uint32_t b = lists.id[k];
    const double value = lists.value.empty() ? 1.0 : lists.value[k];
    const std::uint64_t begin = first_edge_ + (edge.begin[b] - edge.begin[0]);
    for (std::size_t c = 0; c < edge.length(b); ++c) {
      const std::uint32_t cell = edge.cell_of(b, c);
      const double g = value * d[cell / layout_.labels * stride + cell % layout_.labels];
      if (g != 0) out.add(begin + c, g);
    }
  }
}

void SampleScorer::gradient(std::size_t n, const ChainGradient<double>& d, std::size_t stride,
                            std::span<const double> transition, std::span<const double> gram,
                            const TransitionScores<double>& transitions, SparseVector& out) const {
  const double *d_state = d.state, *d_overlay = d.overlay;
  for (std::uint64_t p = data_.sequence_begin[n]; p < data_.sequence_begin[n + 1]; ++p) {
    for (Label j = 0; j < layout_.labels; ++j) {
      if (d_state[j] != 0) add_state(p, j, d_state[j], out);
    }
    d_state += stride;
    if (!data_.has_edges() || data_.edge.begin[p] == data_.edge.begin[p + 1]) continue;
    add_overlay(p, d_overlay, stride, out);
    d_overlay += layout_.labels * stride;
  }
  std::vector<double> tied(first_edge_ - first_tied_);
  set_tied_gradient(layout_, transitions, transition, std::span(tied));
  for (std::size_t k = 0; k < tied.size(); ++k) {
    if (tied[k] != 0) out.add(first_tied_ + k, tied[k]);
  }
  for (std::size_t k = 0; k < gram.size(); ++k) {
    if (gram[k] != 0) out.add(first_gram_ + k, gram[k]);
  }
}

// The rows of the sequence's edge attributes, one after the other from `out` on.
void SampleScorer::add_edges(std::size_t n, const double* d_overlay, std::size_t stride,
                             double* out) const {
  const RowLayout& edge = layout_.edge;
  const std::size_t labels = layout_.labels;
  const std::span<const std::uint32_t> own =
      std::span(edge_attribute_).subspan(edge_first_[n], edge_first_[n + 1] - edge_first_[n]);
  std::vector<std::size_t> begin(own.size() + 1);
  for (std::size_t k = 0; k < own.size(); ++k) begin[k + 1] = begin[k] + edge.length(own[k]);
  std::fill_n(out, begin.back(), 0.0);
  for (std::uint64_t p = data_.sequence_begin[n]; p < data_.sequence_begin[n + 1]; ++p) {
    if (data_.edge.begin[p] == data_.edge.begin[p + 1]) continue;
    for (std::uint64_t k = data_.edge.begin[p]; k < data_.edge.begin[p + 1]; ++k) {
      const std::uint32_t b = data_.edge.id[k];
      const double value = data_.edge.value.empty() ? 1.0 : data_.edge.value[k];
      double* g =
          out + begin[static_cast<std::size_t>(std::ranges::lower_bound(own, b) - own.begin())];
      for (std::size_t c = 0; c < edge.length(b); ++c) {
        const std::uint32_t cell = edge.cell_of(b, c);
        g[c] += value * d_overlay[cell / labels * stride + cell % labels];
      }
    }
    d_overlay += labels * stride;
  }
}

}  // namespace croft
