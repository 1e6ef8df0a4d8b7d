#include "train/dual/chain_dual.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/structure/chain_constraint.h"
#include "train/dual/dual_kernels.h"

namespace croft {
namespace {

// A change of a marginal that single precision cannot tell from none.
constexpr double kRoundedAway = 1e-7;

}  // namespace

void check_dual_data(const ChainData& data, const ChainLayout& layout) {
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    const Gold gold = data.gold(n);
    if (!gold.is_complete()) {
      throw UsageError(
          fmt::format("the labels of sequence {} are not all known; dual methods need "
                      "one label at every position",
                      n + 1));
    }
    if (layout.constraint && croft::check(*layout.constraint, gold.known)) {
      throw UsageError(fmt::format("the constraint forbids the labels of sequence {}", n + 1));
    }
  }
}

ChainDual::ChainDual(const ChainData& data, const ChainLayout& layout,
                     const ChainDualOptions& options)
    : data_(data), layout_(layout), options_(options), w_(layout.dimension()) {
  if (layout.order() > 1) {
    throw UsageError(fmt::format("order is {}; dual methods need order 1", layout.order()));
  }
  check_dual_data(data, layout);
  if (!(options.l2 > 0)) {
    throw UsageError(fmt::format("l2 is {}; dual methods need l2 > 0", options.l2));
  }
  if (options.loss == DualLoss::hinge && options.cost == nullptr) {
    throw UsageError("cost is missing; the hinge needs one");
  }
  lay_out_tables();
  if (data.has_edges()) {
    edge_rows_ =
        std::make_unique<SequenceRows>(data.edge, data.sequence_begin, layout.edge, table_of_);
  }
  const std::vector<double> zero(labels() * labels());
  free_ = make_transitions<double>(zero.data());
}

void ChainDual::lay_out_tables() {
  table_of_.resize(data_.positions());
  for (std::size_t n = 0; n < samples(); ++n) {
    const std::uint64_t first = data_.sequence_begin[n];
    const auto has_table = [&](std::size_t t) {
      return options_.parts == ChainParts::by_position ||
             (data_.has_edges() && data_.edge.begin[first + t] < data_.edge.begin[first + t + 1]);
    };
    std::uint32_t count = 0;
    for (std::size_t t = 1; t < length(n); ++t) count |= has_table(t) ? 0 : 1;  // the tied one
    for (std::size_t t = 1; t < length(n); ++t) table_of_[first + t] = has_table(t) ? count++ : 0;
    table_begin_.push_back(table_begin_.back() + count);
  }
}

// Whether table 0 of sequence n is that of the edges without a table of their own.
bool ChainDual::has_tied_table(std::size_t n) const {
  if (options_.parts == ChainParts::by_position) return false;
  std::size_t own = 0;
  const std::uint64_t first = data_.sequence_begin[n];
  for (std::size_t t = 1; data_.has_edges() && t < length(n); ++t) {
    own += data_.edge.begin[first + t] < data_.edge.begin[first + t + 1];
  }
  return own < tables(n);
}

void ChainDual::gold(std::size_t n, std::span<double> mu) {
  const std::size_t size = labels(), nodes = length(n) * size;
  const std::span<const Label> y = data_.gold(n).known;
  std::ranges::fill(mu, 0.0);
  for (std::size_t t = 0; t < y.size(); ++t) {
    mu[t * size + y[t]] = 1;
    if (t > 0) mu[nodes + (table_at(n, t) * size + y[t - 1]) * size + y[t]] += 1;
  }
}

void ChainDual::scores(std::size_t n, std::span<double> theta) {
  const std::size_t nodes = length(n) * labels();
  const std::span<double> state = theta.first(nodes), tables = theta.subspan(nodes);
  std::ranges::fill(theta, 0.0);
  if (options_.loss == DualLoss::hinge) {
    const std::span<const Label> y = data_.gold(n).known;
    for (std::size_t t = 0; t < y.size(); ++t) {
      std::ranges::copy(options_.cost->table[y[t]], state.begin() + t * labels());
    }
  }
  add_node_scores(n, state);
  const std::size_t cells = labels() * labels(), count = this->tables(n);
  if (count > 0) add_tied_scores(tables.first(cells));
  for (std::size_t k = 1; k < count; ++k) {
    std::ranges::copy(tables.first(cells), tables.begin() + k * cells);
  }
  if (edge_rows_) edge_rows_->add_scores(n, w_, tables);
}

void ChainDual::add_tied_scores(std::span<double> table) const {
  if (layout_.tied.rows() == 0) return;
  layout_.for_each_transition([&](std::uint32_t k, std::uint32_t cell) {
    for (std::size_t row = 0; row < layout_.tied.rows(); ++row) {
      table[cell] += w_[layout_.tied.begin[row] + k];
    }
  });
}

double ChainDual::aim(std::size_t n, std::span<const double> delta) {
  const std::size_t nodes = length(n) * labels();
  double sum = aim_nodes(n, delta.first(nodes), 0) + aim_tied(delta.subspan(nodes));
  if (edge_rows_) sum += edge_rows_->aim(n, delta.subspan(nodes));
  return sum;
}

double ChainDual::aim(std::size_t n, std::span<const float> delta) {
  if (edge_rows_) return DualProblem::aim(n, delta);
  const std::size_t nodes = length(n) * labels();
  state_.assign(delta.begin(), delta.begin() + static_cast<std::ptrdiff_t>(nodes));
  return aim_nodes(n, state_, kRoundedAway) + aim_tied(delta.subspan(nodes));
}

template <class Real>
double ChainDual::aim_tied(std::span<const Real> tables) {
  const std::size_t cells = labels() * labels(), rows = layout_.tied.rows();
  tied_v_.assign(rows == 0 ? 0 : layout_.tied.length(0), 0.0);
  if (rows == 0 || tables.empty()) return 0;
  row_.assign(cells, 0.0);
  for (std::size_t k = 0; k < tables.size(); k += cells) {
    for (std::size_t c = 0; c < cells; ++c) row_[c] += tables[k + c];
  }
  layout_.for_each_transition(
      [&](std::uint32_t k, std::uint32_t cell) { tied_v_[k] += row_[cell]; });
  return static_cast<double>(rows) * dot(tied_v_, tied_v_);
}

void ChainDual::move(double scale) {
  move_nodes(scale);
  for (std::size_t row = 0; row < layout_.tied.rows(); ++row) {
    axpy(scale, tied_v_, std::span(w_).subspan(layout_.tied.begin[row], tied_v_.size()));
  }
  if (edge_rows_) edge_rows_->move(scale, w_);
}

void ChainDual::reset() { std::ranges::fill(w_, 0.0); }

double ChainDual::squared_norm() { return dot(w_, w_) + extra_squared_norm(); }

template <class Real>
TransitionScores<Real> ChainDual::make_transitions(const double* table) const {
  Matrix<Real> log(labels(), labels());
  for (Label i = 0; i < labels(); ++i) {
    for (Label j = 0; j < labels(); ++j) {
      const bool allowed = !layout_.constraint || layout_.constraint->allows(i, j);
      log(i, j) =
          allowed ? static_cast<Real>(table[i * labels() + j]) : TransitionScores<Real>::kForbidden;
    }
  }
  TransitionScores<Real> transitions;
  transitions.assign(std::move(log));
  return transitions;
}

// theta as the chain that the recursions walk.
void ChainDual::set_chain(std::size_t n, std::span<const double> theta) {
  const std::size_t size = labels(), nodes = length(n) * size;
  const double* tables = theta.data() + nodes;
  const bool tied = has_tied_table(n);
  if (tied) tied_ = make_transitions<double>(tables);
  chain_.reset(length(n), tied ? tied_ : free_);
  for (std::size_t t = 0; t < length(n); ++t) {
    std::copy_n(theta.data() + t * size, size, chain_.state.row(t));
    if (t == 0 || (tied && table_at(n, t) == 0)) continue;
    const double* table = tables + table_at(n, t) * size * size;
    double* rows = chain_.add_overlay(t);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const std::size_t cell = i * size + j;
        rows[i * chain_.overlay.stride() + j] = tied ? table[cell] - tables[cell] : table[cell];
      }
    }
  }
  if (layout_.constraint) apply(*layout_.constraint, chain_);
}

double ChainDual::sum_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) {
  const std::size_t size = labels(), nodes = length(n) * size;
  set_chain(n, theta);
  d_state_.reshape(length(n), size);
  d_overlay_.reshape(chain_.overlay.rows(), size);
  d_transition_.assign(chain_.transitions->cells(), 0.0);
  const double log_z =
      marginals(chain_, 1.0, sums_, {d_state_.row(0), d_overlay_.row(0), d_transition_.data()});
  for (std::size_t t = 0; t < length(n); ++t) {
    std::copy_n(d_state_.row(t), size, mu.data() + t * size);
  }
  const bool tied = chain_.transitions == &tied_;
  double* table = mu.data() + nodes;
  if (tied) {  // all edges, and then less those with a table of their own
    for (std::size_t i = 0; i < size; ++i) {
      std::copy_n(d_transition_.data() + i * padded(size), size, table + i * size);
    }
  }
  for (std::size_t k = 0; k < chain_.overlay.rows(); ++k) {
    double* row = table + (k + (tied ? size : 0)) * size;
    std::copy_n(d_overlay_.row(k), size, row);
    if (!tied) continue;
    double* all = table + k % size * size;
    for (std::size_t j = 0; j < size; ++j) all[j] = std::max(0.0, all[j] - row[j]);
  }
  return log_z;
}

double ChainDual::max_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) {
  const std::size_t size = labels(), nodes = length(n) * size;
  set_chain(n, theta);
  y_.resize(length(n));
  const double best = viterbi(chain_, viterbi_, std::span(y_));
  std::ranges::fill(mu, 0.0);
  for (std::size_t t = 0; t < y_.size(); ++t) {
    mu[t * size + y_[t]] = 1;
    if (t > 0) mu[nodes + (table_at(n, t) * size + y_[t - 1]) * size + y_[t]] += 1;
  }
  return best;
}

// Of a chain: that of its edges, less that of the positions that two edges share.
template <class Real>
EntropyPoint ChainDual::entropy_in(std::size_t n, std::span<const Real> mu,
                                   std::span<const Real> delta, double g) const {
  const std::size_t size = labels(), nodes = length(n) * size;
  if (length(n) == 1) {
    const auto all = entropy_sums(mu, delta, g);
    return {all[0], all[1], all[2]};
  }
  const auto edges = entropy_sums(mu.subspan(nodes), delta.subspan(nodes), g);
  const std::size_t inner = nodes - 2 * size;
  const auto shared = entropy_sums(mu.subspan(size, inner), delta.subspan(size, inner), g);
  return {edges[0] - shared[0], edges[1] - shared[1], edges[2] - shared[2]};
}

EntropyPoint ChainDual::entropy(std::size_t n, std::span<const double> mu,
                                std::span<const double> delta, double g) {
  return entropy_in(n, mu, delta, g);
}
EntropyPoint ChainDual::entropy(std::size_t n, std::span<const float> mu,
                                std::span<const float> delta, double g) {
  return entropy_in(n, mu, delta, g);
}

LogLossView ChainDual::look(std::size_t n, std::span<const double> mu, std::span<double> delta) {
  return look_in(n, mu, delta);
}
LogLossView ChainDual::look(std::size_t n, std::span<const float> mu, std::span<float> delta) {
  return look_in(n, mu, delta);
}

// Where the edges share their scores there is one table of them, and the probabilities of an edge's
// pairs are never stored: alpha, the factors and what follows say them (Q.4).
template <class Real>
LogLossView ChainDual::look_in(std::size_t n, std::span<const Real> mu, std::span<Real> delta) {
  if (edge_rows_ || !exact_parts()) return DualProblem::look(n, mu, delta);
  const std::size_t size = labels(), stride = padded(size), steps = length(n);
  const std::size_t nodes = steps * size, cells = size * size;
  TiedChain<Real>& c = tied_chain<Real>();
  state_.assign(nodes, 0.0);
  add_node_scores(n, state_);
  table_.assign(cells, 0.0);
  if (steps > 1) add_tied_scores(table_);
  c.transitions = make_transitions<Real>(table_.data());
  c.scores.reset(steps, c.transitions);
  for (std::size_t t = 0; t < steps; ++t) {
    std::copy_n(state_.data() + t * size, size, c.scores.state.row(t));
  }
  if (layout_.constraint) apply(*layout_.constraint, c.scores);
  c.d_state.reshape(steps, size);
  c.expected.assign(c.transitions.cells(), 0.0);
  LogLossView view;
  view.log_partition =
      marginals(c.scores, 1.0, c.work, {c.d_state.row(0), nullptr, c.expected.data()});
  if (c.work.path != ChainPath::scaled) return DualProblem::look(n, mu, delta);

  for (std::size_t t = 0, k = 0; t < steps; ++t) {
    const Real* p = c.d_state.row(t);
    for (std::size_t j = 0; j < size; ++j, ++k) {
      delta[k] = p[j] - mu[k];
      view.expected += state_[k] * mu[k];
      view.slope += state_[k] * delta[k];
    }
  }
  c.mu_total.assign(size, size, Real{0});
  for (std::size_t t = 1; t < steps; ++t) {
    const std::size_t first = nodes + (t - 1) * cells;
    edge_delta({size, stride, c.work.alpha.row(t - 1), c.transitions.factors().row(0),
                c.work.suffix.row(t)},
               mu.data() + first, delta.data() + first, c.mu_total.row(0));
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const double score = table_[i * size + j], total = c.mu_total(i, j);
      view.expected += score * total;
      view.slope += score * (c.expected[i * stride + j] - total);
    }
  }
  const std::span<const Label> y = data_.gold(n).known;
  for (std::size_t t = 0; t < steps; ++t) {
    view.gold += state_[t * size + y[t]];
    if (t > 0) view.gold += table_[y[t - 1] * size + y[t]];
  }
  return view;
}

ChainDualProblem::ChainDualProblem(const ChainData& data, const ChainLayout& layout,
                                   const ChainDualOptions& options)
    : ChainDual(data, layout, options),
      node_rows_(data.node, data.sequence_begin, layout.node, [&] {
        std::vector<std::uint32_t> place(data.positions());
        for (std::size_t n = 0; n < data.sequences(); ++n) {
          std::iota(place.begin() + static_cast<std::ptrdiff_t>(data.sequence_begin[n]),
                    place.begin() + static_cast<std::ptrdiff_t>(data.sequence_begin[n + 1]), 0u);
        }
        return place;
      }()) {}

}  // namespace croft
