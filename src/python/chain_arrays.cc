// Chains in numpy's arrays: the sums, maxima and draws of the library, and their derivatives.
//
// An object holds what one call was given; its methods are the calls.  Arrays are read and written
// in place, with one exception: the scores of the sequences that a thread is at work on are copied
// into rows as the kernels want them, and checked on the way.  Python's lock is released for all of
// it.
//
// Results do not depend on the number of threads: sequences are cut into tasks by their lengths
// alone, and what they share (the derivatives of tied scores) is added in the order of tasks.
#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <thread>

#include "core/infinity.h"
#include "croft/core/parallel.h"
#include "croft/core/random.h"
#include "croft/inference/chain_k_best.h"
#include "croft/inference/chain_posterior.h"
#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_viterbi.h"
#include "croft/structure/chain_constraint.h"
#include "croft/structure/gold.h"
#include "python/array_batch.h"
#include "python/bind.h"
#include "python/matrix_rows.h"
#include "python/score_arrays.h"
#include "structure/copy_scores.h"
#include "train/functions/waves.h"

namespace croft::python {
namespace {

namespace py = pybind11;

// What one thread works with; grows, never shrinks.
template <class Real>
struct Scratch {
  std::vector<ChainScores<Real>> scores;     // of a group
  std::vector<Matrix<Real>> state, overlay;  // their derivatives, where the arrays' rows are others
  std::vector<ChainGradient<Real>> out;
  std::vector<double> scale;
  std::vector<CompensatedSum> log_z;
  BatchWorkspace<Real> work;
  std::vector<double> transition, start, end;  // derivatives of tied scores, of one task
  Matrix<Real> known_state, known_overlay;     // derivatives given what is known of the labels
  Matrix<double> pairs;
  ViterbiWorkspace<Real> viterbi;
  ChainScores<double> wide;
  ForwardBackwardWorkspace<double> wide_work;
  std::vector<Label> y;

  void reserve(std::size_t count) {
    if (scores.size() < count) {
      scores.resize(count);
      state.resize(count);
      overlay.resize(count);
    }
    out.resize(count);
    scale.resize(count);
    log_z.resize(count);
  }
};

// Where the derivatives of a call go, and what they are of.
template <class Real>
struct Derivatives {
  std::vector<double> weight;                            // [N]
  std::optional<BatchArray<const std::int64_t>> labels;  // given: of log p, otherwise of log Z
  std::optional<py::buffer_info> value;                  // [N] double
  std::optional<BatchArray<Real>> state, edge;
  std::optional<py::buffer_info> transition, start, end;
  std::vector<double> transition_sum, start_sum, end_sum;
};

template <class Real>
class ChainArrays {
 public:
  ChainArrays(const std::string& kind, const std::vector<std::int64_t>& lengths, std::size_t width,
              std::size_t labels, const py::dict& arrays)
      : input_({kind, lengths, width}, labels, arrays) {}
  ChainArrays(const ChainArrays&) = delete;
  ChainArrays& operator=(const ChainArrays&) = delete;

  // value[n] = log Z, or log p(labels | x).
  void log_values(const py::object& labels, const py::object& value, std::size_t threads) {
    const auto known = labels_of(labels);
    const py::buffer_info out = array_of<double>(value, "value", {layout_.size()});
    for_each(threads, [&](std::size_t n, Scratch<Real>& s) {
      static_cast<double*>(out.ptr)[n] =
          known ? log_likelihood(n, *known, s) : log_partition(s.scores[0], s.work.single);
    });
  }

  void differentiate(const py::object& labels, const py::dict& arrays, std::size_t threads) {
    Derivatives<Real> d;
    d.weight = arrays["weight"].cast<std::vector<double>>();
    d.labels = labels_of(labels);
    const auto given = [&](const char* name) { return !arrays[name].is_none(); };
    const auto take = [&](const char* name, auto number, std::vector<std::size_t> shape,
                          std::optional<py::buffer_info>& to) {
      if (given(name)) to = array_of<decltype(number)>(arrays[name], name, shape);
    };
    take("value", double{}, {layout_.size()}, d.value);
    take("transition", Real{}, {labels_, labels_}, d.transition);
    take("start", Real{}, {labels_}, d.start);
    take("end", Real{}, {labels_}, d.end);
    d.state.emplace(layout_, "state", arrays["state"], std::vector{labels_});
    if (given("edge"))
      d.edge.emplace(layout_, "edge", arrays["edge"], std::vector{labels_, labels_});
    d.transition_sum.assign(d.transition ? transitions_.cells() : 0, 0.0);
    d.start_sum.assign(labels_, 0.0);
    d.end_sum.assign(labels_, 0.0);
    run(
        threads,
        [&](std::span<const std::uint32_t> group, Scratch<Real>& s) { add_group(group, d, s); },
        [&](Scratch<Real>& s) { commit(s, d); });
    write_tied(d);
  }

  // state[t][j] = p(y_t = j | x); edge[t][i][j] = p(y_{t-1} = i, y_t = j | x), t >= 1.
  void edge_marginals(const py::object& state, const py::object& edge, std::size_t threads) {
    const BatchArray<Real> states(layout_, "state", state, {labels_});
    const BatchArray<Real> edges(layout_, "edge", edge, {labels_, labels_});
    for_each(threads, [&](std::size_t n, Scratch<Real>& s) {
      const ChainScores<Real>& scores = s.scores[0];
      Matrix<Real>& mu = s.state[0];
      mu.reshape(scores.length(), labels_);
      const double log_z = marginals<Real>(scores, 1, s.work.single, {mu.row(0), nullptr, nullptr});
      if (log_z == kMinusInfinity) refuse_sequence(n);
      const Slice<Real> out = edges[n], rows = states[n];
      for (std::size_t t = 0; t < scores.length(); ++t) {
        write_row(mu.row(t), rows.at(t), rows.step[0]);
        if (t == 0) {
          s.pairs.assign(labels_, labels_, 0);
        } else {
          croft::edge_marginals<Real>({scores, s.work.single, mu.row(0)}, t, s.pairs);
        }
        for (std::size_t i = 0; i < labels_; ++i) {
          write_row(s.pairs.row(i), out.at(t) + static_cast<std::ptrdiff_t>(i) * out.step[0],
                    out.step[1]);
        }
      }
    });
  }

  void viterbi(const py::object& labels, const py::object& score, std::size_t threads) {
    const BatchArray<std::int64_t> out(layout_, "labels", labels, {});
    const py::buffer_info best = array_of<double>(score, "score", {layout_.size()});
    for_each(threads, [&](std::size_t n, Scratch<Real>& s) {
      s.y.resize(layout_.length(n));
      const double value = croft::viterbi<Real>(s.scores[0], s.viterbi, s.y);
      if (value == kMinusInfinity) refuse_sequence(n);
      static_cast<double*>(best.ptr)[n] = value;
      const Slice<std::int64_t> to = out[n];
      for (std::size_t t = 0; t < s.y.size(); ++t) *to.at(t) = s.y[t];
    });
  }

  // For each sequence (labellings one after the other as int64, their log p).
  py::list k_best(std::size_t k, std::size_t threads) {
    struct Answer {
      std::vector<std::int64_t> labels;
      std::vector<double> log_probability;
    };
    std::vector<Answer> answers(layout_.size());
    const auto transitions = convert<double>(transitions_);
    for_each(threads, [&](std::size_t n, Scratch<Real>& s) {
      copy_tables(s.scores[0], s.wide);
      s.wide.transitions = &transitions;
      const double log_z = croft::log_partition(s.wide, s.wide_work);
      if (log_z == kMinusInfinity) refuse_sequence(n);
      for (const ScoredLabelling& each : croft::k_best(s.wide, k)) {
        answers[n].labels.insert(answers[n].labels.end(), each.labels.begin(), each.labels.end());
        answers[n].log_probability.push_back(std::min(0.0, each.score - log_z));
      }
    });
    py::list out;
    for (const Answer& answer : answers) {
      out.append(py::make_tuple(bytearray_of(answer.labels), answer.log_probability));
    }
    return out;
  }

  // labels[t][k]: draw k.
  void sample(const py::object& labels, std::size_t count, std::uint64_t seed,
              std::size_t threads) {
    const BatchArray<std::int64_t> out(layout_, "labels", labels, {count});
    for_each(threads, [&](std::size_t n, Scratch<Real>& s) {
      const double log_z = log_partition(s.scores[0], s.work.single);
      if (log_z == kMinusInfinity) refuse_sequence(n);
      Random random(Random(seed).next() + n);  // by seed and index alone
      s.y.resize(layout_.length(n));
      const Slice<std::int64_t> to = out[n];
      for (std::size_t k = 0; k < count; ++k) {
        croft::sample<Real>(s.scores[0], s.work.single, random, s.y);
        const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(k) * to.step[0];
        for (std::size_t t = 0; t < s.y.size(); ++t) to.at(t)[offset] = s.y[t];
      }
    });
  }

 private:
  std::optional<BatchArray<const std::int64_t>> labels_of(const py::object& labels) const {
    std::optional<BatchArray<const std::int64_t>> array;
    if (!labels.is_none()) array.emplace(layout_, "labels", labels, std::vector<std::size_t>{});
    return array;
  }
  bool read_labels(std::size_t n, const BatchArray<const std::int64_t>& labels,
                   std::vector<Label>& out) const;

  // --- Work ------------------------------------------------------------------------------------
  using GroupTask = std::function<void(std::span<const std::uint32_t>, Scratch<Real>&)>;
  void run(std::size_t threads, const GroupTask& task,
           const std::function<void(Scratch<Real>&)>& commit) const;
  // task(n, scratch) for each sequence, with its scores as scratch.scores[0].
  template <class Task>
  void for_each(std::size_t threads, const Task& task) const {
    run(
        threads,
        [&](std::span<const std::uint32_t> group, Scratch<Real>& s) {
          s.reserve(1);
          for (const std::uint32_t n : group) {
            input_.read(n, s.scores[0]);
            task(n, s);
          }
        },
        nullptr);
  }
  [[noreturn]] void refuse_sequence(std::size_t n) const {
    throw py::value_error(
        layout_.sequence(n) +
        "no labelling is allowed: the scores of -inf, allowed and constraint "
        "leave none, so that there is no best one, no probability and no gradient");
  }

  // --- Derivatives -----------------------------------------------------------------------------
  double log_likelihood(std::size_t n, const BatchArray<const std::int64_t>& labels,
                        Scratch<Real>& s) const;
  void add_group(std::span<const std::uint32_t> group, Derivatives<Real>& d,
                 Scratch<Real>& s) const;
  double add_labelling(std::size_t k, double weight, Scratch<Real>& s) const;
  double add_known(std::size_t k, double weight, Scratch<Real>& s) const;
  void restrict_to(const std::vector<Label>& known, ChainScores<Real>& scores) const;
  void commit(Scratch<Real>& s, Derivatives<Real>& d) const;
  void write_tied(const Derivatives<Real>& d) const;
  template <class From>
  void write_row(const From* from, Real* to, std::ptrdiff_t step) const {
    for (std::size_t j = 0; j < labels_; ++j, to += step) *to = static_cast<Real>(from[j]);
  }
  void write(std::size_t n, const ChainGradient<Real>& from, Derivatives<Real>& d) const;
  bool in_place(const Slice<Real>& out, std::ptrdiff_t last_step, std::ptrdiff_t rows) const;

  ScoreArrays<Real> input_;
  const BatchLayout& layout_ = input_.layout();
  const std::size_t labels_ = input_.labels();
  const TransitionScores<Real>& transitions_ = input_.transitions();
};

// -1 becomes kAnyLabel.  False where there was one.
template <class Real>
bool ChainArrays<Real>::read_labels(std::size_t n, const BatchArray<const std::int64_t>& labels,
                                    std::vector<Label>& out) const {
  const Slice<const std::int64_t> from = labels[n];
  out.resize(layout_.length(n));
  bool complete = true;
  for (std::size_t t = 0; t < out.size(); ++t) {
    const std::int64_t y = *from.at(t);
    if (y < -1 || y >= static_cast<std::int64_t>(labels_)) {
      throw py::value_error(
          fmt::format("{} is {}: a label is a number from 0 to {}, or -1, unknown",
                      layout_.place("labels", n, t, {}), y, labels_ - 1));
    }
    complete = complete && y >= 0;
    out[t] = y < 0 ? kAnyLabel : static_cast<Label>(y);
  }
  return complete;
}

// Groups of about equal length, and tasks of whole groups.  The smallest task takes some 300 us,
// many times what it costs to start a thread, and not much less than on a busy machine.
template <class Real>
void ChainArrays<Real>::run(std::size_t threads, const GroupTask& task,
                            const std::function<void(Scratch<Real>&)>& commit) const {
  constexpr double kDenseFill = 0.7, kSparseFill = 0.125;  // as in training
  const std::size_t position_numbers = padded(labels_) * (input_.has_edges() ? labels_ : 1);
  const LengthGroups groups =
      group_by_length(layout_.lengths(), transitions_.sparse() ? kSparseFill : kDenseFill,
                      position_numbers * sizeof(Real));
  const std::size_t least =
      std::max<std::size_t>(512, (std::size_t{1} << 21) / (labels_ * (labels_ + 8)));
  std::vector<std::size_t> begin{0};  // [tasks + 1] into groups
  std::size_t positions = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::uint32_t n : groups[g]) positions += layout_.length(n);
    if (positions < least && g + 1 < groups.size()) continue;
    begin.push_back(g + 1);
    positions = 0;
  }
  const std::size_t tasks = begin.size() - 1;
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  const py::gil_scoped_release unlock;
  ThreadPool pool(std::clamp<std::size_t>(tasks, 1, threads));
  std::vector<Scratch<Real>> scratch(pool.threads());
  const ThreadPool::Task work = [&](std::size_t index, std::size_t worker) {
    for (std::size_t g = begin[index]; g < begin[index + 1]; ++g) task(groups[g], scratch[worker]);
  };
  if (commit) {
    pool.run_ordered(tasks, work,
                     [&](std::size_t, std::size_t worker) { commit(scratch[worker]); });
  } else {
    pool.run(tasks, work);
  }
}

// log p(labels | x) of scores[0], or log of the probability of all labellings that fit; -inf: of
// none.
template <class Real>
double ChainArrays<Real>::log_likelihood(std::size_t n,
                                         const BatchArray<const std::int64_t>& labels,
                                         Scratch<Real>& s) const {
  const bool complete = read_labels(n, labels, s.y);
  ChainScores<Real>& scores = s.scores[0];
  if (log_partition(scores, s.work.single) == kMinusInfinity) return kMinusInfinity;
  const CompensatedSum log_z = s.work.single.log_z;
  if (complete) {
    CompensatedSum of_labels;
    for (std::size_t t = 0; t < s.y.size(); ++t) {
      of_labels.add(double{scores.state(t, s.y[t])});
      if (t > 0) of_labels.add(scores.edge(t, s.y[t - 1], s.y[t]));
    }
    if (of_labels.value() == kMinusInfinity) return kMinusInfinity;
    return std::min(0.0, difference(of_labels, log_z));
  }
  restrict_to(s.y, scores);
  if (log_partition(scores, s.work.single) == kMinusInfinity) return kMinusInfinity;
  return std::min(0.0, difference(s.work.single.log_z, log_z));
}

// Forbids the labels that others are known to stand for.
template <class Real>
void ChainArrays<Real>::restrict_to(const std::vector<Label>& known,
                                    ChainScores<Real>& scores) const {
  for (std::size_t t = 0; t < known.size(); ++t) {
    if (known[t] == kAnyLabel) continue;
    for (Label j = 0; j < labels_; ++j) {
      if (j != known[t]) scores.state(t, j) = ChainScores<Real>::kForbidden;
    }
  }
}

// Whether a sequence's rows lie as the kernels write them: padded to nothing, one after the other,
// and aligned as those of a Matrix are.
template <class Real>
bool ChainArrays<Real>::in_place(const Slice<Real>& out, std::ptrdiff_t last_step,
                                 std::ptrdiff_t rows) const {
  const auto labels = static_cast<std::ptrdiff_t>(labels_);
  const std::size_t alignment = std::gcd(kAlignment, labels_ * sizeof(Real));
  return padded(labels_) == labels_ && last_step == 1 && out.position == rows * labels &&
         reinterpret_cast<std::uintptr_t>(out.data) % alignment == 0;
}

template <class Real>
void ChainArrays<Real>::add_group(std::span<const std::uint32_t> group, Derivatives<Real>& d,
                                  Scratch<Real>& s) const {
  s.reserve(group.size());
  s.transition.resize(d.transition_sum.size());  // 0, as commit() leaves them
  s.start.resize(labels_);
  s.end.resize(labels_);
  for (std::size_t k = 0; k < group.size(); ++k) {
    const std::uint32_t n = group[k];
    ChainScores<Real>& scores = s.scores[k];
    input_.read(n, scores);
    s.scale[k] = d.labels ? -d.weight[n] : d.weight[n];
    s.out[k] = {nullptr, nullptr, d.transition ? s.transition.data() : nullptr};
    const Slice<Real> rows = (*d.state)[n];
    if (in_place(rows, rows.step[0], 1)) {
      s.out[k].state = rows.data;
    } else {
      s.state[k].reshape(scores.length(), labels_);
      s.out[k].state = s.state[k].row(0);
    }
    if (!d.edge) continue;
    const Slice<Real> pairs = (*d.edge)[n];
    const bool square = pairs.step[0] == static_cast<std::ptrdiff_t>(labels_);
    if (square && in_place(pairs, pairs.step[1], pairs.step[0])) {
      s.out[k].overlay = pairs.at(1);
    } else {
      s.overlay[k].reshape(scores.overlay.rows(), labels_);
      s.out[k].overlay = s.overlay[k].row(0);
    }
  }
  marginals<Real>(std::span(s.scores).first(group.size()), s.scale, s.work, s.out, s.log_z);
  for (std::size_t k = 0; k < group.size(); ++k) {
    const std::uint32_t n = group[k];
    double value = s.log_z[k].value();
    if (value == kMinusInfinity) refuse_sequence(n);
    if (d.labels) {
      value = read_labels(n, *d.labels, s.y) ? add_labelling(k, d.weight[n], s)
                                             : add_known(k, d.weight[n], s);
      if (value == kMinusInfinity) {
        throw py::value_error(layout_.sequence(n) +
                              "labels are forbidden: no labelling that fits them has a score above "
                              "-inf, so that there is no gradient");
      }
    }
    if (d.value) static_cast<double*>(d.value->ptr)[n] = value;
    const std::size_t length = layout_.length(n);
    for (std::size_t j = 0; length > 0 && j < labels_; ++j) {
      s.start[j] += double{s.out[k].state[j]};
      s.end[j] += double{s.out[k].state[(length - 1) * padded(labels_) + j]};
    }
    write(n, s.out[k], d);
  }
}

// Adds weight times the counts of the labelling s.y to the derivatives; returns log p(y | x).
template <class Real>
double ChainArrays<Real>::add_labelling(std::size_t k, double weight, Scratch<Real>& s) const {
  const ChainScores<Real>& scores = s.scores[k];
  CompensatedSum sum;
  for (std::size_t t = 0; t < s.y.size(); ++t) {
    sum.add(double{scores.state(t, s.y[t])});
    if (t > 0) sum.add(scores.edge(t, s.y[t - 1], s.y[t]));
  }
  if (sum.value() == kMinusInfinity) return kMinusInfinity;
  const ChainGradient<Real>& out = s.out[k];
  const std::size_t stride = padded(labels_);
  const Real one = static_cast<Real>(weight);
  for (std::size_t t = 0; t < s.y.size(); ++t) {
    const Label j = s.y[t];
    out.state[t * stride + j] += one;
    if (t == 0) continue;
    const Label i = s.y[t - 1];
    if (out.transition != nullptr) out.transition[transitions_.cell(i, j)] += weight;
    if (out.overlay != nullptr) out.overlay[((t - 1) * labels_ + i) * stride + j] += one;
  }
  return std::min(0.0, difference(sum, s.log_z[k]));
}

// The same where s.y says only part of it: the counts are expected ones, of what fits.
template <class Real>
double ChainArrays<Real>::add_known(std::size_t k, double weight, Scratch<Real>& s) const {
  ChainScores<Real>& scores = s.scores[k];
  restrict_to(s.y, scores);
  s.known_state.reshape(scores.length(), labels_);
  s.known_overlay.reshape(scores.overlay.rows(), labels_);
  const ChainGradient<Real>& out = s.out[k];
  const ChainGradient<Real> known{s.known_state.row(0),
                                  out.overlay == nullptr ? nullptr : s.known_overlay.row(0),
                                  out.transition};
  if (marginals(scores, weight, s.work.single, known) == kMinusInfinity) return kMinusInfinity;
  const auto add = [](const Matrix<Real>& table, Real* to) {
    for (std::size_t c = 0; c < table.rows() * table.stride(); ++c) to[c] += table.row(0)[c];
  };
  add(s.known_state, out.state);
  if (out.overlay != nullptr) add(s.known_overlay, out.overlay);
  return std::min(0.0, difference(s.work.single.log_z, s.log_z[k]));
}

// The derivatives of sequence n to their arrays, if they are not there yet.
template <class Real>
void ChainArrays<Real>::write(std::size_t n, const ChainGradient<Real>& from,
                              Derivatives<Real>& d) const {
  const std::size_t length = layout_.length(n), stride = padded(labels_);
  const Slice<Real> rows = (*d.state)[n];
  for (std::size_t t = 0; from.state != rows.data && t < length; ++t) {
    write_row(from.state + t * stride, rows.at(t), rows.step[0]);
  }
  if (!d.edge || length == 0) return;
  const Slice<Real> pairs = (*d.edge)[n];
  const std::vector<Real> none(labels_, Real{0});
  for (std::size_t t = 0; t < length; ++t) {
    if (t > 0 && from.overlay == pairs.at(1)) break;
    for (std::size_t i = 0; i < labels_; ++i) {
      const Real* row = t == 0 ? none.data() : from.overlay + ((t - 1) * labels_ + i) * stride;
      write_row(row, pairs.at(t) + static_cast<std::ptrdiff_t>(i) * pairs.step[0], pairs.step[1]);
    }
  }
}

// The sums of one task to those of all, in the order of tasks; leaves zeros.
template <class Real>
void ChainArrays<Real>::commit(Scratch<Real>& s, Derivatives<Real>& d) const {
  const auto move = [](std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t k = 0; k < from.size(); ++k) to[k] += from[k];
    std::fill(from.begin(), from.end(), 0.0);
  };
  move(s.transition, d.transition_sum);
  move(s.start, d.start_sum);
  move(s.end, d.end_sum);
}

template <class Real>
void ChainArrays<Real>::write_tied(const Derivatives<Real>& d) const {
  const auto to = [](const std::optional<py::buffer_info>& info) {
    return info ? static_cast<Real*>(info->ptr) : nullptr;
  };
  Real *transition = to(d.transition), *start = to(d.start), *end = to(d.end);
  for (Label i = 0; i < labels_; ++i) {
    if (start != nullptr) start[i] = static_cast<Real>(d.start_sum[i]);
    if (end != nullptr) end[i] = static_cast<Real>(d.end_sum[i]);
    for (Label j = 0; transition != nullptr && j < labels_; ++j) {
      const std::uint32_t cell = transitions_.cell(i, j);
      const bool listed = cell != TransitionScores<Real>::kNoCell;
      transition[i * labels_ + j] = listed ? static_cast<Real>(d.transition_sum[cell]) : Real{0};
    }
  }
}

// bio or bioes on these labels: bytes of 0 and 1, (start [L], end [L], edge [L][L]).
py::tuple chain_constraint(const std::string& scheme, const std::vector<std::string>& labels) {
  const ChainConstraint constraint =
      scheme == "bio" ? bio_constraint(labels) : bioes_constraint(labels);
  const auto bytes = [](const std::vector<bool>& flags) {
    return py::bytearray(std::string(flags.begin(), flags.end()));
  };
  return py::make_tuple(bytes(constraint.start), bytes(constraint.end), bytes(constraint.edge));
}

template <class Real>
void bind_arrays(py::module_& module, const char* name) {
  using Arrays = ChainArrays<Real>;
  py::class_<Arrays>(module, name, "What one function of croft.chain was given.")
      .def(py::init<const std::string&, const std::vector<std::int64_t>&, std::size_t, std::size_t,
                    const py::dict&>())
      .def("log_values", &Arrays::log_values)
      .def("differentiate", &Arrays::differentiate)
      .def("edge_marginals", &Arrays::edge_marginals)
      .def("viterbi", &Arrays::viterbi)
      .def("k_best", &Arrays::k_best)
      .def("sample", &Arrays::sample);
}

}  // namespace

void bind_chain(py::module_& module) {
  bind_arrays<float>(module, "ChainArrays32");
  bind_arrays<double>(module, "ChainArrays64");
  module.def("chain_constraint", &chain_constraint);
}

}  // namespace croft::python
