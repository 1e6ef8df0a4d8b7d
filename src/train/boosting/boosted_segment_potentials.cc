#include "train/boosting/boosted_segment_potentials.h"

#include <algorithm>
#include <cmath>

#include "croft/core/error.h"

namespace croft {

// Of a row's list, equal lists having the same number; kNone: it is empty.
std::uint32_t SpanInputsBuilder::number_of(const AttributeLists& lists, std::size_t list) {
  Set set;
  for (std::uint64_t k = lists.begin[list]; k < lists.begin[list + 1]; ++k) {
    set.emplace_back(lists.id[k], lists.value.empty() ? 1.0 : lists.value[k]);
  }
  if (set.empty()) return SpanRows::kNone;
  const auto [at, is_new] =
      number_.try_emplace(std::move(set), static_cast<std::uint32_t>(sets_.size()));
  if (is_new) sets_.push_back(&at->first);
  return at->second;
}

std::uint32_t SpanInputsBuilder::input_of(const SpanRows::Key& key) {
  constexpr std::size_t kMost = 0xFFFFFFFE;
  const auto [at, is_new] = input_.try_emplace(key, static_cast<std::uint32_t>(inputs.size()));
  if (!is_new) return at->second;
  if (inputs.size() >= kMost) {
    throw Error(
        "there are more than 4,294,967,294 different segments; give a smaller --max-length");
  }
  AttributeLists& lists = inputs.lists;
  for (const std::uint32_t set : key) {
    if (set == SpanRows::kNone) continue;
    for (const auto& [id, value] : *sets_[set]) {
      if (value != 1 && lists.value.empty()) lists.value.assign(lists.id.size(), 1.0);
      lists.id.push_back(id);
      if (!lists.value.empty()) lists.value.push_back(value);
    }
  }
  lists.begin.push_back(lists.id.size());
  return at->second;
}

void SpanInputsBuilder::add(std::size_t length, std::span<const SegmentRow> rows,
                            const AttributeLists& lists, std::size_t first) {
  row_number_.clear();
  for (std::size_t r = 0; r < rows.size(); ++r) row_number_.push_back(number_of(lists, first + r));
  spans_.start(rows, row_number_, length, inputs.longest);
  inputs.begin.push_back(inputs.begin.back() + length * inputs.longest);
  inputs.input.resize(inputs.begin.back());
  std::uint32_t* const own = inputs.input.data() + inputs.begin[inputs.begin.size() - 2];
  spans_.visit([&](std::size_t s, std::size_t d, const SpanRows::Key& key) {
    own[s * inputs.longest + d - 1] = input_of(key);
  });
}

namespace {

constexpr std::size_t kTaskPositions = 2048;  // of a task, or one sequence

}  // namespace

TransitionScores<double> SegmentPotentialReader::transitions(const SegmentLabels& labels,
                                                             const Matrix<double>& transition) {
  Matrix<double> log(labels.labels(), labels.labels(), 0.0);
  for (std::size_t i = 0; i < log.rows(); ++i) {
    for (std::size_t j = 0; j < log.columns(); ++j) log(i, j) = transition(i, j);
  }
  forbid_repeats(labels, log);
  TransitionScores<double> tied;
  tied.assign(std::move(log));
  return tied;
}

// (TB.8)
const SegmentScores<double>& SegmentPotentialReader::read(std::size_t length, std::size_t first,
                                                          const std::uint32_t* input,
                                                          std::size_t most,
                                                          const Potentials& potentials,
                                                          const TransitionScores<double>& tied) {
  assembly_.assemble(length, potentials.state.row(first), potentials.state.stride(), {}, tied,
                     scores_);
  for (std::size_t k = 0; k < potentials.spans.size(); ++k) {
    const Label y = potentials.spans[k];
    const float* const values = potentials.span[k].data();
    for (std::size_t s = 0; s < length; ++s) {
      double* const cells = scores_.segment.row(s) + shape_.first[y];
      const std::uint32_t* const own = input + s * most;
      const std::size_t longest = std::min(shape_.longest(y), length - s);
      for (std::size_t d = 0; d < longest; ++d) cells[d] += double{values[own[d]]};
    }
  }
  return scores_;
}

void SegmentPotentialReader::spread(const double* d_segment, double* d_position,
                                    std::size_t stride) {
  assembly_.spread(scores_, d_segment, nullptr, {}, d_position, stride, {});
}

SegmentPotentialFunction::SegmentPotentialFunction(const ChainData& data,
                                                   const SegmentExamples& examples,
                                                   const SpanInputs& inputs, std::size_t labels,
                                                   std::size_t width,
                                                   const std::vector<bool>& drawn, ThreadPool& pool)
    : data_(data),
      examples_(examples),
      inputs_(inputs),
      labels_(labels),
      width_(width),
      drawn_(drawn),
      pool_(pool) {
  for (std::size_t w = 0; w < pool.threads(); ++w) workers_.emplace_back(examples);
  const std::size_t of_segments = examples.labels.labels();
  known_edges_.assign(of_segments * of_segments, 0.0);
  block_begin_.assign(1, 0);
  std::size_t positions = 0;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const double weight = data.sequence_weight(n);
    edges_ += weight * static_cast<double>(examples.length(n) - 1);
    if (examples.complete[n]) {
      const std::span<const Segment> segments = examples.segment_gold(n).segments;
      for (std::size_t k = 1; k < segments.size(); ++k) {
        known_edges_[segments[k - 1].label * of_segments + segments[k].label] += weight;
      }
    }
    positions += examples.length(n);
    if (positions < kTaskPositions && n + 1 < data.sequences()) continue;
    block_begin_.push_back(n + 1);
    positions = 0;
  }
}

double SegmentPotentialFunction::evaluate(const Potentials& potentials,
                                          PotentialGradient::Part part, PotentialGradient& out) {
  const std::size_t of_segments = examples_.labels.labels();
  out.reshape_states(labels_, data_.positions(), width_);
  const std::size_t spans = potentials.spans.size() * inputs_.size();
  std::vector<double> sums(part == PotentialGradient::Part::states ? 0 : 2 * spans);
  tied_ = SegmentPotentialReader::transitions(examples_.labels, potentials.transition);
  out.transition.assign(of_segments * of_segments, 0.0);
  std::vector<double> expected(of_segments * of_segments);
  CompensatedSum value;
  pool_.run_ordered(
      block_begin_.size() - 1,
      [&](std::size_t b, std::size_t w) {
        Worker& worker = workers_[w];
        worker.value = CompensatedSum();
        worker.transition.assign(of_segments * of_segments, 0.0);
        worker.expected.assign(of_segments * of_segments, 0.0);
        worker.terms.clear();
        for (std::size_t n = block_begin_[b]; n < block_begin_[b + 1]; ++n) {
          evaluate_sequence(n, potentials, part, worker, out);
        }
      },
      [&](std::size_t, std::size_t w) {
        const Worker& worker = workers_[w];
        value.add(worker.value);
        for (std::size_t c = 0; c < expected.size(); ++c) {
          out.transition[c] += worker.transition[c];
          expected[c] += worker.expected[c];
        }
        for (const SpanTerm& term : worker.terms) {
          sums[2 * term.at] += term.g;
          sums[2 * term.at + 1] += term.h;
        }
      });
  out.curvature.assign(of_segments * of_segments, 0.0);
  for (std::size_t c = 0; c < expected.size() && edges_ > 0; ++c) {
    out.curvature[c] = curvature(expected[c] + known_edges_[c], edges_);
  }
  if (part != PotentialGradient::Part::states) {
    out.span.resize(2 * spans);
    for (std::size_t k = 0; k < out.span.size(); ++k) out.span[k] = static_cast<float>(sums[k]);
  }
  return value.value();
}

void SegmentPotentialFunction::evaluate_sequence(std::size_t n, const Potentials& potentials,
                                                 PotentialGradient::Part part, Worker& worker,
                                                 PotentialGradient& out) const {
  const double weight = data_.sequence_weight(n);
  const bool complete = examples_.complete[n];
  const std::size_t length = examples_.length(n);
  const SegmentScores<double>& theta = worker.reader.read(
      length, data_.sequence_begin[n], inputs_.of(n), inputs_.longest, potentials, tied_);
  const std::size_t cells = worker.transition.size();
  std::vector<double> before;
  if (complete) before = worker.transition;
  worker.d_segment.reshape(length, theta.segment.columns());
  const double value =
      worker.likelihood(theta, examples_.segment_gold(n), weight,
                        {worker.d_segment.row(0), nullptr, worker.transition.data()});
  worker.value.add(value);
  if (!std::isfinite(value)) {  // the gradient is unspecified
    for (std::size_t t = 0; t < length; ++t) std::ranges::fill(worker.d_segment[t], 0.0);
  }
  if (complete) {  // with what is known_edges_ these are expected counts
    for (std::size_t c = 0; c < cells; ++c) {
      worker.expected[c] += worker.transition[c] - before[c];
    }
  } else {
    worker.mu_segment.reshape(length, theta.segment.columns());
    marginals(theta, weight, worker.sums,
              {worker.mu_segment.row(0), nullptr, worker.expected.data()});
  }
  if (part != PotentialGradient::Part::second) {
    worker.d_position.reshape(length, labels_);
    worker.reader.spread(worker.d_segment.row(0), worker.d_position.row(0),
                         worker.d_position.stride());
    if (!complete) {
      worker.mu_position.reshape(length, labels_);
      worker.reader.spread(worker.mu_segment.row(0), worker.mu_position.row(0),
                           worker.mu_position.stride());
    }
    write_states(n, worker, complete, out);
  }
  if (part != PotentialGradient::Part::states && (drawn_.empty() || drawn_[n])) {
    list_spans(n, potentials, complete, worker);
  }
}

void SegmentPotentialFunction::write_states(std::size_t n, const Worker& worker, bool complete,
                                            PotentialGradient& out) const {
  const double weight = data_.sequence_weight(n);
  const std::size_t first = data_.sequence_begin[n];
  for (std::size_t t = 0; t < examples_.length(n); ++t) {
    for (std::size_t y = 0; y < labels_; ++y) {
      const double g = worker.d_position(t, y);
      out.set_state(
          first + t, y, g,
          complete ? known_curvature(g, weight) : curvature(worker.mu_position(t, y), weight));
    }
  }
}

// Segments that have no probability, and are not true, have no gradient.
void SegmentPotentialFunction::list_spans(std::size_t n, const Potentials& potentials,
                                          bool complete, Worker& worker) const {
  const double weight = data_.sequence_weight(n);
  const std::size_t length = examples_.length(n);
  const std::uint32_t* const input = inputs_.of(n);
  for (std::size_t k = 0; k < potentials.spans.size(); ++k) {
    const Label y = potentials.spans[k];
    const std::size_t first = examples_.shape.first[y];
    for (std::size_t s = 0; s < length; ++s) {
      const double* const d_cells = worker.d_segment.row(s) + first;
      const std::uint32_t* const own = input + s * inputs_.longest;
      const std::size_t longest = std::min(examples_.shape.longest(y), length - s);
      for (std::size_t d = 0; d < longest; ++d) {
        const double g = d_cells[d];
        const double h = complete ? known_curvature(g, weight)
                                  : curvature(worker.mu_segment(s, first + d), weight);
        if (g == 0 && h == 0) continue;
        worker.terms.push_back({k * inputs_.size() + own[d], g, h});
      }
    }
  }
}

}  // namespace croft
