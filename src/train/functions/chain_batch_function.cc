#include "train/functions/chain_batch_function.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace croft {
namespace {

// What must be in use of a group's padded area.  With dense transitions a sequence alone fills the
// SIMD lanes as well, and lanes that idle are lost.  With sparse ones it does not: there a full
// vector costs about what one number does.
constexpr double kDenseFill = 0.7, kSparseFill = 0.125;

}  // namespace

template <class Real>
ChainBatchFunction<Real>::ChainBatchFunction(const ChainData& data, const ChainLayout& layout,
                                             ThreadPool& pool,
                                             const ObjectiveMaker<Real>& make_objective)
    : data_(data), layout_(layout), pool_(pool), scorer_(layout), stride_(padded(layout.labels)) {
  for (std::size_t k = 0; k < pool.threads(); ++k) {
    workers_.emplace_back();
    workers_.back().objective = make_objective();
    workers_.back().curved =
        dynamic_cast<CurvedChainObjective<Real>*>(workers_.back().objective.get());
    workers_.back().scores.resize(kChainLanes);
    if (!layout.histories) continue;
    workers_.back().lifted.resize(kChainLanes);
    workers_.back().d_lifted.resize(kChainLanes);
  }
  if (layout.histories) gold_ = lift_gold(*layout.histories, data);
  waves_ = cut_waves(data, layout.labels, layout.node.rows(), layout.edge.rows(), pool.helpers());
  sequences_ = sum_of_all(pool.ranks(), data.sequences());
  limits_ = wave_limits(data, waves_.cuts, pool.ranks());
  d_state_.resize(waves_.most_positions * stride_);
  d_overlay_.resize(waves_.most_overlays * layout.labels * stride_);
}

// Which sequences go together depends on the form of the transitions, which the weights settle.
template <class Real>
void ChainBatchFunction<Real>::group_waves() {
  const bool sparse = scorer_.walked().sparse() || scorer_.walked().sharing() != nullptr;
  if (grouped_ && sparse == grouped_for_sparse_) return;
  grouped_ = true;
  grouped_for_sparse_ = sparse;
  for (Wave& wave : waves_.list) {
    wave.group(sparse ? kSparseFill : kDenseFill, padded(scorer_.walked().labels()) * sizeof(Real));
  }
}

template <class Real>
void ChainBatchFunction<Real>::evaluate_group(const Wave& wave,
                                              std::span<const std::uint32_t> group,
                                              Worker& worker) {
  std::array<std::size_t, kChainLanes> sequence;
  std::array<Gold, kChainLanes> gold;
  std::array<double, kChainLanes> weight, value;
  std::array<ChainGradient<Real>, kChainLanes> out;
  const std::size_t count = group.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t n = sequence[k] = wave.first_sequence + group[k];
    scorer_.score(data_, n, worker.scores[k]);
    gold[k] = data_.gold(n);
    weight[k] = data_.sequence_weight(n);
    out[k] = {d_state_.data() + (data_.sequence_begin[n] - wave.first_position) * stride_,
              d_overlay_.data() + wave.first_overlay[group[k]] * layout_.labels * stride_,
              worker.transition.data()};
  }
  if (scorer_.histories() != nullptr) {
    evaluate_lifted(std::span(sequence).first(count), std::span(weight).first(count),
                    std::span(out).first(count), std::span(value).first(count), worker);
  } else {
    call_objective(std::span(worker.scores).first(count), std::span(gold).first(count),
                   std::span(weight).first(count), std::span(out).first(count),
                   std::span(sequence).first(count), std::span(value).first(count), worker);
  }
  for (std::size_t k = 0; k < count; ++k) {
    worker.value.add(value[k]);
    if (states_ != nullptr) copy_states(wave, sequence[k]);
  }
}

// The chains of worker.scores, by way of their histories.
//   out : as of the objective, but for what is tied: that goes to worker.transition and .tied
template <class Real>
void ChainBatchFunction<Real>::evaluate_lifted(std::span<const std::size_t> sequence,
                                               std::span<const double> weight,
                                               std::span<const ChainGradient<Real>> out,
                                               std::span<double> value, Worker& worker) {
  const HistoryScores<Real>& histories = *scorer_.histories();
  std::array<Gold, kChainLanes> gold;
  std::array<ChainGradient<Real>, kChainLanes> d_lifted;
  const std::size_t count = sequence.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t first = data_.sequence_begin[sequence[k]];
    const std::size_t length = worker.scores[k].length();
    histories.lift(worker.scores[k], worker.lifted[k]);
    gold[k] = {std::span(gold_.known).subspan(first, length), &gold_.sets};
    worker.d_lifted[k].reshape(length, histories.histories().size());
    d_lifted[k] = {worker.d_lifted[k].row(0), nullptr, out[k].transition};
  }
  call_objective(std::span(worker.lifted).first(count), std::span(gold).first(count), weight,
                 std::span(d_lifted).first(count), sequence, value, worker);
  for (std::size_t k = 0; k < count; ++k) {
    project(histories.histories(), worker.scores[k], d_lifted[k].state, out[k], worker.tied);
  }
}

// Value and dL/dtheta; or, where a product with the Hessian is under way, (d^2 L/dtheta dtheta) A
// v.
template <class Real>
void ChainBatchFunction<Real>::call_objective(std::span<const ChainScores<Real>> scores,
                                              std::span<const Gold> gold,
                                              std::span<const double> weight,
                                              std::span<const ChainGradient<Real>> out,
                                              std::span<const std::size_t> sequence,
                                              std::span<double> value, Worker& worker) {
  if (!along_) {
    (*worker.objective)(scores, gold, weight, out, value);
    return;
  }
  const HistoryScores<Real>* histories = direction_->histories();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    direction_->score(data_, sequence[k], worker.tangent);
    if (histories != nullptr) histories->lift(worker.tangent, worker.lifted_tangent);
    worker.curved->curvature(scores[k],
                             histories != nullptr ? worker.lifted_tangent : worker.tangent, gold[k],
                             weight[k], out[k]);
    value[k] = 0;
  }
}

template <class Real>
void ChainBatchFunction<Real>::hessian_product(std::span<const double> v, std::span<double> out) {
  if (!direction_) direction_ = std::make_unique<LinearScorer<Real>>(layout_);
  direction_->set_weights(v, pool_);
  double largest = 0;
  for (const double each : v) largest = std::max(largest, std::abs(each));
  along_ = true;
  add_up(out, std::max(largest, 1e-100));
  along_ = false;
}

template <class Real>
void ChainBatchFunction<Real>::copy_states(const Wave& wave, std::size_t n) {
  for (std::uint64_t p = data_.sequence_begin[n]; p < data_.sequence_begin[n + 1]; ++p) {
    const Real* row = d_state_.data() + (p - wave.first_position) * stride_ + first_column_;
    std::copy(row, row + states_->columns(), states_->row(p));
  }
}

template <class Real>
void ChainBatchFunction<Real>::evaluate_task(const Wave& wave, std::size_t task, Worker& worker) {
  worker.value = CompensatedSum();
  worker.transition.assign(scorer_.walked().cells(), 0.0);
  if (layout_.histories) worker.tied.assign(layout_.histories->size(), 0.0);
  for (std::uint32_t g = wave.task[task]; g < wave.task[task + 1]; ++g) {
    evaluate_group(wave, wave.groups[g], worker);
  }
}

template <class Real>
std::size_t ChainBatchFunction<Real>::slow() const {
  std::size_t count = 0;
  for (const Worker& worker : workers_) count += worker.objective->slow();
  return count;
}

template <class Real>
double ChainBatchFunction<Real>::evaluate(std::span<const double> w, std::span<double> gradient) {
  scorer_.set_weights(w, pool_);
  group_waves();
  const std::size_t slow_before = slow();
  const double value = add_up(gradient, 1);
  slow_share_ = static_cast<double>(sum_of_all(pool_.partners(), slow() - slow_before)) /
                static_cast<double>(std::max<std::uint64_t>(sequences_, 1));
  return value;
}

// The waves of this process, but for the value.
template <class Real>
double ChainBatchFunction<Real>::add_waves(double factor, ExactSum& exact,
                                           std::span<double> gradient, TiedSums& tied) {
  std::ranges::fill(gradient, 0.0);
  tied.transition.assign(scorer_.walked().cells(), 0.0);
  tied.state.assign(layout_.histories ? layout_.histories->size() : 0, 0.0);
  TiedSums here;
  const auto add = [](const std::vector<double>& part, std::vector<double>& sum) {
    for (std::size_t c = 0; c < part.size(); ++c) sum[c] += part[c];
  };
  std::vector<double> values;
  for (std::size_t k = 0; k < waves_.list.size(); ++k) {
    const Wave& wave = waves_.list[k];
    exact.begin_block(limits_.of_wave[waves_.first + k] * factor);
    CompensatedSum value;
    here.transition.assign(tied.transition.size(), 0.0);
    here.state.assign(tied.state.size(), 0.0);
    pool_.run_ordered(
        wave.task.size() - 1,
        [&](std::size_t task, std::size_t worker) { evaluate_task(wave, task, workers_[worker]); },
        [&](std::size_t, std::size_t worker) {
          value.add(workers_[worker].value);
          add(workers_[worker].transition, here.transition);
          add(workers_[worker].tied, here.state);
        });
    values.push_back(value.value());
    exact.add(here.transition, tied.transition);
    exact.add(here.state, tied.state);
    add_node_gradient<Real>(layout_, wave.node, d_state_.data(), stride_, exact, gradient, pool_);
    if (data_.has_edges()) {
      add_edge_gradient<Real>(layout_, wave.edge, d_overlay_.data(), stride_, exact, gradient,
                              pool_);
    }
  }
  CompensatedSum value;
  for (const double each : lists_of_all(pool_.partners(), values)) value.add(each);
  return value.value();
}

// The part of the gradient that all positions share.
template <class Real>
void ChainBatchFunction<Real>::set_tied(TiedSums& tied, std::span<double> gradient) const {
  if (layout_.histories) {
    std::vector<double> pair(scorer_.transitions().cells());
    project_tied(*layout_.histories, tied.state, tied.transition, scorer_.transitions(), pair,
                 gradient.subspan(layout_.first_gram(), layout_.grams()));
    tied.transition = std::move(pair);
  }
  set_tied_gradient(layout_, scorer_.transitions(), tied.transition, gradient);
}

// Goes through the data at the scorer's weights: the sum of the values, and A' of what the
// objective says.
//   factor : of the limits
template <class Real>
double ChainBatchFunction<Real>::add_up(std::span<double> gradient, double factor) {
  TiedSums tied;
  for (;; larger_ *= 8) {
    ExactSum exact(limits_.all * larger_ * factor);
    const double value = add_waves(larger_ * factor, exact, gradient, tied);
    if (!std::isfinite(value)) return value;
    if (any_of_all(pool_.partners(), exact.overflown())) {
      if (limits_.all * larger_ * factor < 1e250) continue;
      std::ranges::fill(gradient, std::numeric_limits<double>::quiet_NaN());
      return value;
    }
    for (std::span<double> sums : {gradient, std::span(tied.transition), std::span(tied.state)}) {
      pool_.partners().sum(sums);
    }
    set_tied(tied, gradient);
    return value;
  }
}

template <class Real>
double ChainBatchFunction<Real>::evaluate(std::span<const double> w, std::span<double> gradient,
                                          std::size_t first, Matrix<float>& d_state) {
  first_column_ = first;
  states_ = &d_state;
  const double value = evaluate(w, gradient);
  states_ = nullptr;
  join_states(d_state);
  return value;
}

// Helpers have written the rows of other waves, before and after those of this process.
template <class Real>
void ChainBatchFunction<Real>::join_states(Matrix<float>& d_state) const {
  Ranks& helpers = pool_.helpers();
  if (helpers.alone()) return;
  std::uint64_t first = 0, last = 0;
  if (!waves_.list.empty()) {
    const std::size_t end = waves_.cuts[waves_.first + waves_.list.size()];
    first = waves_.list.front().first_position;
    last = data_.sequence_begin[end];
  }
  const auto* own = reinterpret_cast<const char*>(d_state.row(first));
  const std::size_t row = d_state.stride() * sizeof(float);
  std::size_t at = 0;
  for (const std::string& rows : helpers.gather({own, (last - first) * row})) {
    std::copy(rows.begin(), rows.end(), reinterpret_cast<char*>(d_state.row(0)) + at);
    at += rows.size();
  }
}

template class ChainBatchFunction<float>;
template class ChainBatchFunction<double>;

}  // namespace croft
