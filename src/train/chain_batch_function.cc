#include "croft/train/chain_batch_function.h"

#include <algorithm>
#include <numeric>

#include "croft/objective/likelihood.h"

namespace croft {
namespace {

// dL/dtheta of a wave is written once and read many times: it should stay in a second-level cache or
// near it (measured with 22 labels: 1 to 4 MB best, 32 MB a quarter slower).  But each wave has a
// directory of its attributes, so it is not cut smaller than so many positions.
constexpr std::size_t kWaveBytes = std::size_t{4} << 20;
constexpr std::size_t kWavePositions = 8192;
// Enough work for a task: some 0.2 ms with 22 labels.
constexpr std::size_t kBlockPositions = 512;

}  // namespace

template <class Real, class Objective>
ChainBatchFunction<Real, Objective>::ChainBatchFunction(const ChainData& data,
                                                        const ChainLayout& layout,
                                                        ThreadPool& pool)
    : data_(data), layout_(layout), pool_(pool), scorer_(layout), workers_(pool.threads()),
      stride_(padded(layout.labels)) {
  make_waves();
}

template <class Real, class Objective>
void ChainBatchFunction<Real, Objective>::make_waves() {
  const std::size_t state_bytes = stride_ * sizeof(Real);
  const std::size_t overlay_bytes = layout_.labels * state_bytes;
  std::size_t positions = 0, overlays = 0, most_positions = 0, most_overlays = 0, block = 0;
  Wave wave{};
  for (std::size_t n = 0; n < data_.sequences(); ++n) {
    const std::uint64_t first = data_.sequence_begin[n], last = data_.sequence_begin[n + 1];
    if (positions >= kWavePositions &&
        positions * state_bytes + overlays * overlay_bytes >= kWaveBytes) {
      close_wave(wave, first);
      wave = Wave{};
      positions = overlays = block = 0;
    }
    if (positions == 0) {
      wave.first_position = first;
      wave.first_sequence = n;
    }
    if (wave.blocks.empty() || block >= kBlockPositions) {
      wave.blocks.push_back({n, n});
      block = 0;
    }
    wave.blocks.back().last = n + 1;
    wave.first_overlay.push_back(static_cast<std::uint32_t>(overlays));
    if (data_.has_edges()) {
      for (std::uint64_t p = first; p < last; ++p) {
        overlays += data_.edge.begin[p + 1] > data_.edge.begin[p];
      }
    }
    positions += last - first;
    block += last - first;
    most_positions = std::max(most_positions, positions);
    most_overlays = std::max(most_overlays, overlays);
  }
  if (positions > 0) close_wave(wave, data_.positions());
  d_state_.resize(most_positions * stride_);
  d_overlay_.resize(most_overlays * layout_.labels * stride_);
}

template <class Real, class Objective>
void ChainBatchFunction<Real, Objective>::close_wave(Wave& wave, std::uint64_t last_position) {
  std::vector<std::uint32_t> place(last_position - wave.first_position);
  std::iota(place.begin(), place.end(), 0u);
  wave.node = make_postings(data_.node, wave.first_position, last_position, layout_.node.rows(), place);
  if (data_.has_edges()) {
    std::uint32_t overlays = 0;
    for (std::size_t k = 0; k < place.size(); ++k) {
      place[k] = overlays;
      const std::uint64_t p = wave.first_position + k;
      overlays += data_.edge.begin[p + 1] > data_.edge.begin[p];
    }
    wave.edge =
        make_postings(data_.edge, wave.first_position, last_position, layout_.edge.rows(), place);
  }
  waves_.push_back(std::move(wave));
}

template <class Real, class Objective>
void ChainBatchFunction<Real, Objective>::evaluate_block(const Wave& wave, const Block& block,
                                                         Worker& worker) {
  worker.value = CompensatedSum();
  worker.transition.assign(layout_.labels, layout_.labels, 0.0);
  for (std::size_t n = block.first; n < block.last; ++n) {
    const std::uint64_t first = data_.sequence_begin[n];
    const std::size_t length = data_.sequence_begin[n + 1] - first;
    scorer_.score(data_, n, worker.scores);
    const ChainGradient<Real> out{
        d_state_.data() + (first - wave.first_position) * stride_,
        d_overlay_.data() +
            wave.first_overlay[n - wave.first_sequence] * layout_.labels * stride_,
        worker.transition.row(0)};
    worker.value.add(worker.objective(worker.scores, {data_.label.data() + first, length},
                                      data_.sequence_weight(n), out));
  }
}

template <class Real, class Objective>
double ChainBatchFunction<Real, Objective>::evaluate(std::span<const double> w,
                                                     std::span<double> gradient) {
  scorer_.set_weights(w, pool_);
  std::ranges::fill(gradient, 0.0);
  CompensatedSum value;
  Matrix<double> transition(layout_.labels, layout_.labels, 0.0);
  for (const Wave& wave : waves_) {
    pool_.run_ordered(
        wave.blocks.size(),
        [&](std::size_t b, std::size_t worker) {
          evaluate_block(wave, wave.blocks[b], workers_[worker]);
        },
        [&](std::size_t, std::size_t worker) {
          value.add(workers_[worker].value);
          const Matrix<double>& part = workers_[worker].transition;
          for (std::size_t i = 0; i < part.rows(); ++i) {
            for (std::size_t j = 0; j < part.columns(); ++j) transition(i, j) += part(i, j);
          }
        });
    add_node_gradient<Real>(layout_, wave.node, d_state_.data(), stride_, gradient, pool_);
    if (data_.has_edges()) {
      add_edge_gradient<Real>(layout_, wave.edge, d_overlay_.data(), stride_, gradient, pool_);
    }
  }
  set_tied_gradient(layout_, transition, gradient);
  return value.value();
}

template class ChainBatchFunction<float, ChainLikelihood<float>>;
template class ChainBatchFunction<double, ChainLikelihood<double>>;

}  // namespace croft
