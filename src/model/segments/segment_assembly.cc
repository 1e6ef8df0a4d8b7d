#include "model/segments/segment_assembly.h"

#include <algorithm>

namespace croft {
namespace {

using Reach = SegmentTemplate::Reach;
constexpr std::uint32_t kNone = 0xFFFFFFFF;

}  // namespace

// What the positions of a segment have, longer ones from shorter ones.
template <class Real>
void SegmentAssembly<Real>::add_positions(const Real* position, std::size_t stride,
                                          SegmentScores<Real>& out) const {
  const std::size_t length = out.length();
  for (std::size_t s = 0; s < length; ++s) {
    Real* cells = out.segment.row(s);
    const Real* here = position + s * stride;
    for (Label y = 0; y < shape_->labels(); ++y) {
      Real* cell = cells + shape_->first[y];
      cell[0] += here[labels_->single_of(y)];
      const std::size_t longest = std::min(shape_->longest(y), length - s);
      if (longest < 2) continue;
      const Real* next = here + stride;
      const Label inside = labels_->inside[y], last = labels_->last_of(y);
      Real sum = here[labels_->first[y]];
      for (std::size_t d = 1; d < longest; ++d, next += stride) {
        cell[d] += sum + next[last];
        sum += next[inside];
      }
    }
  }
}

template <class Real>
void SegmentAssembly<Real>::add_rows(const SegmentRowScores<Real>& rows, SegmentScores<Real>& out) {
  const std::size_t length = out.length(), labels = shape_->labels(), cells = shape_->cells();
  bool by_length = false, by_end = false, by_begin = false;
  by_cell_.assign(cells, Real{0});
  for (std::size_t k = 0; k < rows.row.size(); ++k) {
    const SegmentRow& row = rows.row[k];
    const Real* score = rows.node + k * rows.stride;
    if (row.reach == Reach::length) {
      by_length = true;
      for (Label y = 0; y < labels; ++y) {
        if (row.length <= shape_->longest(y)) by_cell_[shape_->cell(y, row.length)] += score[y];
      }
    } else if (row.reach == Reach::segment) {
      Real* to = out.segment.row(row.begin);
      for (Label y = 0; y < labels; ++y) {
        if (row.length <= shape_->longest(y)) to[shape_->cell(y, row.length)] += score[y];
      }
    } else {
      std::vector<Real>& table = row.reach == Reach::end ? end_ : begin_;
      bool& any = row.reach == Reach::end ? by_end : by_begin;
      if (!any) table.assign(length * labels, Real{0});
      any = true;
      for (Label y = 0; y < labels; ++y) table[row.begin * labels + y] += score[y];
    }
  }
  for (std::size_t s = 0; by_length && s < length; ++s) {
    Real* to = out.segment.row(s);
    for (std::size_t c = 0; c < cells; ++c) to[c] += by_cell_[c];
  }
  if (!by_end && !by_begin) return;
  for (std::size_t s = 0; s < length; ++s) {
    for (Label y = 0; y < labels; ++y) {
      Real* to = out.segment.row(s) + shape_->first[y];
      const std::size_t longest = std::min(shape_->longest(y), length - s);
      const Real begin = by_begin ? begin_[s * labels + y] : Real{0};
      for (std::size_t d = 0; d < longest; ++d) {
        to[d] += begin + (by_end ? end_[(s + d) * labels + y] : Real{0});
      }
    }
  }
}

// visit(k, s, y, d) for each row k with pairs and each segment that has it and one before it.
template <class Real>
template <class Visit>
void SegmentAssembly<Real>::for_each_pair(const SegmentRowScores<Real>& rows, std::size_t length,
                                          const Visit& visit) const {
  for (std::size_t k = 0; k < rows.pair.size(); ++k) {
    if (rows.pair[k] == nullptr) continue;
    const SegmentRow& row = rows.row[k];
    const bool fixed_length = row.reach == Reach::length || row.reach == Reach::segment;
    for (Label y = 0; y < shape_->labels(); ++y) {
      const std::size_t shortest = fixed_length ? row.length : 1;
      const std::size_t longest =
          fixed_length ? std::min<std::size_t>(row.length, shape_->longest(y)) : shape_->longest(y);
      for (std::size_t d = shortest; d <= longest; ++d) {
        if (row.reach == Reach::length) {
          for (std::size_t s = 1; s + d <= length; ++s) visit(k, s, y, d);
          continue;
        }
        if (row.reach == Reach::end && row.begin + 1 < d + 1) continue;
        const std::size_t s = row.reach == Reach::end ? row.begin + 1 - d : row.begin;
        if (s >= 1 && s + d <= length) visit(k, s, y, d);
      }
    }
  }
}

template <class Real>
void SegmentAssembly<Real>::add_pairs(const SegmentRowScores<Real>& rows,
                                      SegmentScores<Real>& out) {
  const std::size_t length = out.length(), labels = shape_->labels(), cells = shape_->cells();
  number_.assign(length * cells, kNone);
  for_each_pair(rows, length, [&](std::size_t, std::size_t s, Label y, std::size_t d) {
    number_[s * cells + shape_->cell(y, d)] = 0;
  });
  for (std::uint32_t at = 0; at < number_.size(); ++at) {
    if (number_[at] == kNone) continue;
    number_[at] = static_cast<std::uint32_t>(out.overlay_of.size());
    out.overlay_of.push_back(
        {static_cast<std::uint32_t>(at / cells), static_cast<std::uint32_t>(at % cells)});
  }
  out.overlay.assign(out.overlay_of.size(), labels, Real{0});
  for_each_pair(rows, length, [&](std::size_t k, std::size_t s, Label y, std::size_t d) {
    Real* to = out.overlay.row(number_[s * cells + shape_->cell(y, d)]);
    for (Label before = 0; before < labels; ++before) {
      to[before] += rows.pair[k][before * rows.pair_stride + y];
    }
  });
}

template <class Real>
void SegmentAssembly<Real>::assemble(std::size_t length, const Real* position, std::size_t stride,
                                     const SegmentRowScores<Real>& rows,
                                     const TransitionScores<Real>& tied, SegmentScores<Real>& out) {
  out.reset(*shape_, length, tied);
  add_positions(position, stride, out);
  if (!rows.row.empty()) add_rows(rows, out);
  if (!rows.pair.empty()) add_pairs(rows, out);
}

template <class Real>
void SegmentAssembly<Real>::spread(const SegmentScores<Real>& scores, const Real* d_segment,
                                   const Real* d_overlay, const SegmentRowScores<Real>& rows,
                                   Real* d_position, std::size_t stride,
                                   const SegmentRowGradient<Real>& d_rows) {
  const std::size_t length = scores.length(), labels = shape_->labels(), cells = shape_->cells();
  const std::size_t from_stride = scores.segment.stride();
  std::fill_n(d_position, length * stride, Real{0});
  bool by_length = false, by_end = false, by_begin = false;
  for (const SegmentRow& row : rows.row) {
    by_length = by_length || row.reach == Reach::length;
    by_end = by_end || row.reach == Reach::end;
    by_begin = by_begin || row.reach == Reach::begin;
  }
  if (by_length) by_cell_.assign(cells, Real{0});
  if (by_end) end_.assign(length * labels, Real{0});
  if (by_begin) begin_.assign(length * labels, Real{0});
  for (std::size_t s = 0; s < length; ++s) {
    const Real* d = d_segment + s * from_stride;
    Real* here = d_position + s * stride;
    for (Label y = 0; y < labels; ++y) {
      const Real* cell = d + shape_->first[y];
      const std::size_t longest = std::min(shape_->longest(y), length - s);
      Real sum = 0;  // of segments longer than this
      const Label inside = labels_->inside[y], last = labels_->last_of(y);
      for (std::size_t k = longest; k-- > 1;) {
        Real* to = here + k * stride;
        to[inside] += sum;
        to[last] += cell[k];
        sum += cell[k];
      }
      here[labels_->first[y]] += sum;
      here[labels_->single_of(y)] += cell[0];
      sum += cell[0];
      if (by_begin) begin_[s * labels + y] += sum;
      if (by_end) {
        for (std::size_t k = 0; k < longest; ++k) end_[(s + k) * labels + y] += cell[k];
      }
      if (by_length) {
        Real* total = by_cell_.data() + shape_->first[y];
        for (std::size_t k = 0; k < longest; ++k) total[k] += cell[k];
      }
    }
  }
  for (std::size_t k = 0; k < rows.row.size(); ++k) {
    const SegmentRow& row = rows.row[k];
    Real* to = d_rows.node + k * rows.stride;
    std::fill_n(to, rows.stride, Real{0});
    for (Label y = 0; y < labels; ++y) {
      if (row.reach == Reach::end) {
        to[y] = end_[row.begin * labels + y];
      } else if (row.reach == Reach::begin) {
        to[y] = begin_[row.begin * labels + y];
      } else if (row.length <= shape_->longest(y)) {
        const std::size_t cell = shape_->cell(y, row.length);
        to[y] =
            row.reach == Reach::length ? by_cell_[cell] : d_segment[row.begin * from_stride + cell];
      }
    }
    if (!d_rows.pair.empty() && d_rows.pair[k] != nullptr) {
      for (Label before = 0; before < labels; ++before) {
        std::fill_n(d_rows.pair[k] + before * rows.pair_stride, labels, Real{0});
      }
    }
  }
  if (scores.overlay_of.empty()) return;
  for_each_pair(rows, length, [&](std::size_t k, std::size_t s, Label y, std::size_t d) {
    const Real* from =
        d_overlay + number_[s * cells + shape_->cell(y, d)] * scores.overlay.stride();
    for (Label before = 0; before < labels; ++before) {
      d_rows.pair[k][before * rows.pair_stride + y] += from[before];
    }
  });
}

template class SegmentAssembly<float>;
template class SegmentAssembly<double>;

}  // namespace croft
