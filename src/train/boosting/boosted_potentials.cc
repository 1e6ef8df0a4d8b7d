#include "train/boosting/boosted_potentials.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "train/boosting/regression_tree_fit.h"

namespace croft {
namespace {

constexpr std::size_t kBlockPositions = 4096;  // of a task, or one sequence
constexpr double kLeastFill = 0.8;             // of a group's lanes

}  // namespace

double known_curvature(double g, double weight) {
  const double size = std::min(std::abs(g), weight);
  return size * (1 - size / weight);
}
double curvature(double expected, double weight) {
  return std::max(0.0, expected * (1 - expected / weight));
}

void PotentialGradient::reshape_states(std::size_t labels, std::size_t positions,
                                       std::size_t tree_width) {
  width = tree_width;
  positions_ = positions;
  stride_ = TreeGradient::stride(width);
  factor_ = labels > 1 ? static_cast<double>(labels) / static_cast<double>(labels - 1) : 1.0;
  state.resize((width == 1 ? labels : 1) * positions * 2 * stride_);
}

template <class Real>
void copy_scores(const Potentials& potentials, std::size_t first, std::size_t length,
                 const TransitionScores<Real>& tied, ChainScores<Real>& out) {
  out.reset(length, tied);
  for (std::size_t t = 0; t < length; ++t) {
    const std::span<const double> row = potentials.state[first + t];
    for (std::size_t y = 0; y < row.size(); ++y) out.state(t, y) = static_cast<Real>(row[y]);
    if (t == 0 || potentials.pairs.empty()) continue;
    Real* const overlay = out.add_overlay(t);
    for (std::size_t k = 0; k < potentials.pairs.size(); ++k) {
      const Edge pair = potentials.pairs[k];
      overlay[pair.from * out.overlay.stride() + pair.to] =
          static_cast<Real>(potentials.pair[k][first + t]);
    }
  }
}
template void copy_scores(const Potentials&, std::size_t, std::size_t,
                          const TransitionScores<float>&, ChainScores<float>&);
template void copy_scores(const Potentials&, std::size_t, std::size_t,
                          const TransitionScores<double>&, ChainScores<double>&);

template <class Real>
PotentialFunction<Real>::PotentialFunction(const ChainData& data, std::size_t labels,
                                           std::size_t width, ThreadPool& pool,
                                           const ObjectiveMaker<Real>& make_objective)
    : data_(data), labels_(labels), width_(width), pool_(pool), workers_(pool.threads()) {
  for (Worker& worker : workers_) {
    worker.objective = make_objective();
    worker.scores.resize(kChainLanes);
    worker.state.resize(kChainLanes);
    worker.overlay.resize(kChainLanes);
  }
  make_blocks();
  count_known_edges();
}

template <class Real>
void PotentialFunction<Real>::make_blocks() {
  std::vector<std::uint32_t> length;
  std::size_t first = 0, positions = 0;
  for (std::size_t n = 0; n < data_.sequences(); ++n) {
    length.push_back(
        static_cast<std::uint32_t>(data_.sequence_begin[n + 1] - data_.sequence_begin[n]));
    positions += length.back();
    if (positions < kBlockPositions && n + 1 < data_.sequences()) continue;
    blocks_.push_back({first, group_by_length(length, kLeastFill, padded(labels_) * sizeof(Real))});
    first = n + 1;
    positions = 0;
    length.clear();
  }
}

template <class Real>
void PotentialFunction<Real>::count_known_edges() {
  known_edges_.assign(labels_ * labels_, 0.0);
  for (std::size_t n = 0; n < data_.sequences(); ++n) {
    const Gold gold = data_.gold(n);
    const double weight = data_.sequence_weight(n);
    complete_.push_back(gold.is_complete());
    edges_ += weight * static_cast<double>(gold.length() - 1);
    for (std::size_t t = 1; t < gold.length() && complete_.back(); ++t) {
      known_edges_[gold.known[t - 1] * labels_ + gold.known[t]] += weight;
    }
  }
}

template <class Real>
double PotentialFunction<Real>::evaluate(const Potentials& potentials, PotentialGradient::Part,
                                         PotentialGradient& out) {
  out.reshape_states(labels_, data_.positions(), width_);
  out.pair.resize(potentials.pairs.size() * data_.positions() * 2);
  if (potentials.transition.rows() > 0) {
    TransitionScores<double> tied;
    tied.assign(potentials.transition);
    tied_ = convert<Real>(tied);
  } else {
    tied_ = TransitionScores<Real>(labels_);
  }
  const std::size_t cells = tied_.cells();
  for (std::vector<double>* sums : {&transition_, &partial_, &partial_expected_}) {
    sums->assign(cells, 0.0);
  }
  CompensatedSum value;
  const auto add = [](const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t c = 0; c < to.size(); ++c) to[c] += from[c];
  };
  pool_.run_ordered(
      blocks_.size(),
      [&](std::size_t b, std::size_t w) {
        Worker& worker = workers_[w];
        worker.value = CompensatedSum();
        worker.transition.assign(cells, 0.0);
        worker.partial.assign(cells, 0.0);
        worker.partial_expected.assign(cells, 0.0);
        for (std::size_t g = 0; g < blocks_[b].groups.size(); ++g) {
          evaluate_group(blocks_[b], blocks_[b].groups[g], potentials, worker, out);
        }
      },
      [&](std::size_t, std::size_t w) {
        value.add(workers_[w].value);
        add(workers_[w].transition, transition_);
        add(workers_[w].partial, partial_);
        add(workers_[w].partial_expected, partial_expected_);
      });
  set_transitions(out);
  return value.value();
}

template <class Real>
void PotentialFunction<Real>::evaluate_group(const Block& block,
                                             std::span<const std::uint32_t> group,
                                             const Potentials& potentials, Worker& worker,
                                             PotentialGradient& out) {
  std::array<Gold, kChainLanes> gold;
  std::array<double, kChainLanes> weight, value;
  std::array<ChainGradient<Real>, kChainLanes> gradient;
  const std::size_t count = group.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t n = block.first_sequence + group[k], first = data_.sequence_begin[n];
    const std::size_t length = data_.sequence_begin[n + 1] - first;
    ChainScores<Real>& scores = worker.scores[k];
    copy_scores(potentials, first, length, tied_, scores);
    worker.state[k].reshape(length, labels_);
    worker.overlay[k].reshape(scores.overlay.rows(), labels_);
    gold[k] = data_.gold(n);
    weight[k] = data_.sequence_weight(n);
    gradient[k] = {worker.state[k].row(0),
                   scores.overlay.rows() > 0 ? worker.overlay[k].row(0) : nullptr,
                   complete_[n] ? worker.transition.data() : worker.partial.data()};
  }
  (*worker.objective)(std::span(worker.scores).first(count), std::span(gold).first(count),
                      std::span(weight).first(count), std::span(gradient).first(count),
                      std::span(value).first(count));
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t n = block.first_sequence + group[k];
    worker.value.add(value[k]);
    if (!complete_[n]) expect_all(n, worker.scores[k], worker);
    write(n, potentials, worker.state[k], worker.overlay[k], complete_[n] ? nullptr : &worker, out);
  }
}

// What the model expects without the labels: mu and mu_pairs of the worker.
template <class Real>
void PotentialFunction<Real>::expect_all(std::size_t n, const ChainScores<Real>& scores,
                                         Worker& worker) const {
  worker.mu.reshape(scores.length(), labels_);
  worker.mu_pairs.reshape(scores.overlay.rows(), labels_);
  marginals(scores, data_.sequence_weight(n), worker.sums,
            ChainGradient<Real>{worker.mu.row(0),
                                scores.overlay.rows() > 0 ? worker.mu_pairs.row(0) : nullptr,
                                worker.partial_expected.data()});
}

template <class Real>
void PotentialFunction<Real>::write(std::size_t n, const Potentials& potentials,
                                    const Matrix<Real>& state, const Matrix<Real>& overlay,
                                    const Worker* partial, PotentialGradient& out) const {
  const double weight = data_.sequence_weight(n);
  const std::size_t first = data_.sequence_begin[n], length = data_.sequence_begin[n + 1] - first;
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t y = 0; y < labels_; ++y) {
      const double g = state(t, y);
      out.set_state(
          first + t, y, g,
          partial == nullptr ? known_curvature(g, weight) : curvature(partial->mu(t, y), weight));
    }
    for (std::size_t k = 0; k < potentials.pairs.size(); ++k) {
      const Edge pair = potentials.pairs[k];
      double g = 0, h = 0;
      if (t > 0) {
        const std::size_t row = (t - 1) * labels_ + pair.from;
        g = overlay(row, pair.to);
        h = partial == nullptr ? known_curvature(g, weight)
                               : curvature(partial->mu_pairs(row, pair.to), weight);
      }
      const std::size_t at = (k * data_.positions() + first + t) * 2;
      out.pair[at] = static_cast<float>(g);
      out.pair[at + 1] = static_cast<float>(h);
    }
  }
}

template <class Real>
void PotentialFunction<Real>::set_transitions(PotentialGradient& out) const {
  out.transition.assign(labels_ * labels_, 0.0);
  out.curvature.assign(labels_ * labels_, 0.0);
  if (edges_ <= 0) return;
  for (Label i = 0; i < labels_; ++i) {
    for (Label j = 0; j < labels_; ++j) {
      const std::size_t cell = tied_.cell(i, j), at = i * labels_ + j;
      out.transition[at] = transition_[cell] + partial_[cell];
      const double expected = transition_[cell] + known_edges_[at] + partial_expected_[cell];
      out.curvature[at] = curvature(expected, edges_);
    }
  }
}

template class PotentialFunction<float>;
template class PotentialFunction<double>;

namespace {

constexpr std::size_t kBlock = 4096;  // positions of a task

}  // namespace

LabelPotentialFunction::LabelPotentialFunction(const ChainData& data, std::size_t labels,
                                               std::size_t width, ThreadPool& pool)
    : data_(data), labels_(labels), width_(width), pool_(pool), workers_(pool.threads()) {
  assert(data.sequences() == data.positions());
  for (Worker& worker : workers_) {
    worker.expected.resize(labels);
    worker.known.resize(labels);
  }
}

double LabelPotentialFunction::evaluate(const Potentials& potentials, PotentialGradient::Part,
                                        PotentialGradient& out) {
  const std::size_t positions = data_.positions();
  out.reshape_states(labels_, positions, width_);
  out.transition.assign(labels_ * labels_, 0.0);
  out.curvature.assign(labels_ * labels_, 0.0);
  CompensatedSum value;
  pool_.run_ordered((positions + kBlock - 1) / kBlock,
                    [&](std::size_t b, std::size_t w) {
                      CompensatedSum sum;
                      for (std::size_t p = b * kBlock; p < std::min(positions, (b + 1) * kBlock);
                           ++p) {
                        sum.add(evaluate_position(p, potentials.state[p], workers_[w], out));
                      }
                      workers_[w].value = sum.value();
                    },
                    [&](std::size_t, std::size_t w) { value.add(workers_[w].value); });
  return value.value();
}

double LabelPotentialFunction::evaluate_position(std::size_t p, std::span<const double> score,
                                                 Worker& worker, PotentialGradient& out) const {
  const double weight = data_.sequence_weight(p);
  const std::span<const Label> set = data_.known_labels(p);
  const Label label = data_.label[p];
  const double highest = *std::max_element(score.begin(), score.end());
  double sum = 0, value = 0;
  for (std::size_t y = 0; y < labels_; ++y) {
    worker.expected[y] = std::exp(score[y] - highest);
    sum += worker.expected[y];
  }
  const double log_z = highest + std::log(sum);
  for (double& each : worker.expected) each /= sum;
  if (is_one_label(label)) {
    std::ranges::fill(worker.known, 0.0);
    worker.known[label] = 1;
    value = log_z - score[label];
  } else if (label == kAnyLabel) {
    worker.known = worker.expected;
  } else {
    double best = score[set[0]], rest = 0;
    for (const Label y : set) best = std::max(best, score[y]);
    for (const Label y : set) rest += std::exp(score[y] - best);
    const double log_known = best + std::log(rest);
    std::ranges::fill(worker.known, 0.0);
    for (const Label y : set) worker.known[y] = std::exp(score[y] - log_known);
    value = log_z - log_known;
  }
  for (std::size_t y = 0; y < labels_; ++y) {
    out.set_state(p, y, weight * (worker.expected[y] - worker.known[y]),
                  curvature(weight * worker.expected[y], weight));
  }
  return weight * value;
}

}  // namespace croft
