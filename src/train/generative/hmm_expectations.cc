#include "train/generative/hmm_expectations.h"

#include <algorithm>
#include <array>

#include "core/infinity.h"
#include "core/shared_tasks.h"
#include "train/generative/hmm_estimate.h"

namespace croft {
namespace {

constexpr double kFill = 0.7;  // as in chain_batch_function.cc, where it was measured
constexpr std::uint64_t kPlacesPerTask = 16384;  // of emissions that one thread adds up

}  // namespace

HmmExpectations::HmmExpectations(const ChainData& data, const HmmLayout& layout, ThreadPool& pool)
    : layout_(layout), pool_(pool), workers_(pool.threads()), stride_(padded(layout.labels)) {
  for (Worker& worker : workers_) {
    worker.scores.resize(kChainLanes);
    worker.row.resize(layout.labels);
  }
  known_.reset(layout);
  count_labels(data, layout, Counted::complete, known_);
  keep_hidden(data);
  waves_ = cut_waves(hidden_, layout.labels, layout.values(), 0);
  for (Wave& wave : waves_.list) wave.group(kFill, stride_ * sizeof(double));
  expected_.resize(waves_.most_positions * stride_);
}

void HmmExpectations::keep_hidden(const ChainData& data) {
  hidden_.label_sets = data.label_sets;
  for (std::size_t n = 0; n < data.sequences(); ++n) {
    if (!data.gold(n).is_complete()) hidden_.append(data, n);
  }
}

// (HM.2) of hidden sequence n, over the labellings that fit what is known.
void HmmExpectations::score(const HmmParameters& p, std::size_t n, Worker& worker,
                            ChainScores<double>& out) const {
  const std::uint64_t first = hidden_.sequence_begin[n], last = hidden_.sequence_begin[n + 1];
  const std::size_t labels = layout_.labels;
  const AttributeLists& node = hidden_.node;
  const Gold gold = hidden_.gold(n);
  out.reset(last - first, transitions_);
  for (std::uint64_t at = first; at < last; ++at) {
    double* state = out.state.row(at - first);
    if (at == first) std::ranges::copy(p.start, state);
    for (std::uint64_t k = node.begin[at]; k < node.begin[at + 1]; ++k) {
      const double value = node.value.empty() ? 1 : node.value[k];
      const std::uint32_t v = node.id[k];
      const std::uint64_t begin = p.begin[v], cells = p.begin[v + 1] - begin;
      if (value == 0) continue;
      const double* row = p.log.data() + begin;
      if (cells < labels) {
        std::ranges::copy(p.unlisted[p.track[v]], worker.row.begin());
        for (std::uint64_t c = begin; c < begin + cells; ++c) worker.row[p.cell[c]] = p.log[c];
        row = worker.row.data();
      }
      for (std::size_t j = 0; j < labels; ++j) state[j] += value * row[j];
    }
    if (at + 1 == last) {
      for (std::size_t j = 0; j < p.end.size(); ++j) state[j] += p.end[j];
    }
    if (gold.is_any(at - first)) continue;
    for (Label j = 0; j < labels; ++j) {
      if (!gold.allows(at - first, j)) state[j] = kMinusInfinity;
    }
  }
}

void HmmExpectations::sum_group(const HmmParameters& p, const Wave& wave,
                                std::span<const std::uint32_t> group, Worker& worker) {
  std::array<double, kChainLanes> weight;
  std::array<ChainGradient<double>, kChainLanes> out;
  std::array<CompensatedSum, kChainLanes> log_z;
  for (std::size_t k = 0; k < group.size(); ++k) {
    const std::size_t n = wave.first_sequence + group[k];
    score(p, n, worker, worker.scores[k]);
    weight[k] = hidden_.sequence_weight(n);
    const std::uint64_t place = hidden_.sequence_begin[n] - wave.first_position;
    out[k] = {expected_.data() + place * stride_, nullptr, worker.transition.data()};
  }
  const std::size_t count = group.size();
  marginals<double>(std::span(worker.scores).first(count), std::span(weight).first(count),
                    worker.sums, std::span(out).first(count), std::span(log_z).first(count));
  for (std::size_t k = 0; k < count; ++k) worker.value.add(weight[k] * log_z[k].value());
}

void HmmExpectations::sum_task(const HmmParameters& p, const Wave& wave, std::size_t task,
                               Worker& worker) {
  worker.value = CompensatedSum();
  worker.transition.assign(transitions_.cells(), 0.0);
  for (std::uint32_t g = wave.task[task]; g < wave.task[task + 1]; ++g) {
    sum_group(p, wave, wave.groups[g], worker);
  }
}

// The rows of expected_ that a task writes: those of each of its sequences.
template <class Visit>
void HmmExpectations::for_rows(const Wave& wave, std::size_t task, const Visit& visit) {
  for (std::uint32_t g = wave.task[task]; g < wave.task[task + 1]; ++g) {
    for (const std::uint32_t k : wave.groups[g]) {
      const std::uint64_t at =
          hidden_.sequence_begin[wave.first_sequence + k] - wave.first_position;
      visit(std::span(expected_).subspan(at * stride_, wave.length[k] * stride_));
    }
  }
}

void HmmExpectations::add_ends(const Wave& wave, HmmCounts& out) const {
  std::size_t place = 0;
  for (const std::uint32_t length : wave.length) {
    const double* first = expected_.data() + place * stride_;
    const double* last = first + (length - 1) * stride_;
    for (std::size_t j = 0; j < layout_.labels; ++j) {
      out.start[j] += first[j];
      out.end[j] += last[j];
    }
    place += length;
  }
}

// Each value's counts have one owner, which adds up its places in the order of the data.
void HmmExpectations::add_emissions(const Wave& wave, HmmCounts& out) {
  const Postings& postings = wave.node;
  const std::uint64_t places = postings.place.size();
  const std::size_t tasks = static_cast<std::size_t>(places / kPlacesPerTask) + 1;
  const auto first_of = [&](std::size_t task) {
    const auto at = std::lower_bound(postings.begin.begin(), postings.begin.end() - 1,
                                     std::uint64_t{task} * places / tasks);
    return static_cast<std::size_t>(at - postings.begin.begin());
  };
  pool_.run(tasks, [&](std::size_t task, std::size_t w) {
    std::vector<double>& row = workers_[w].row;
    const std::size_t end = task + 1 == tasks ? postings.attribute.size() : first_of(task + 1);
    for (std::size_t entry = first_of(task); entry < end; ++entry) {
      std::ranges::fill(row, 0.0);
      for (std::uint64_t k = postings.begin[entry]; k < postings.begin[entry + 1]; ++k) {
        const double* expected = expected_.data() + std::size_t{postings.place[k]} * stride_;
        const double value = postings.value.empty() ? 1 : postings.value[k];
        for (std::size_t j = 0; j < row.size(); ++j) row[j] += value * expected[j];
      }
      const std::uint32_t v = postings.attribute[entry];
      for (std::uint64_t c = layout_.begin[v]; c < layout_.begin[v + 1]; ++c) {
        out.emission[c] += row[layout_.cell[c]];
      }
    }
  });
}

double HmmExpectations::evaluate(const HmmParameters& p, HmmCounts& out) {
  out = known_;
  CompensatedSum value(log_joint(layout_, known_, p));
  transitions_.assign(p.transition);
  std::vector<double> transition(transitions_.cells());
  for (const Wave& wave : waves_.list) {
    // Of a task: the value, the transitions, and for helpers the rows of its sequences.
    run_shared(
        pool_, wave.task.size() - 1,
        [&](std::size_t task) {
          return static_cast<double>(wave.task[task + 1] - wave.task[task]);
        },
        [&](std::size_t task, std::size_t w, std::vector<double>& result) {
          sum_task(p, wave, task, workers_[w]);
          result.push_back(workers_[w].value.value());
          result.insert(result.end(), workers_[w].transition.begin(), workers_[w].transition.end());
          if (pool_.helpers().alone()) return;
          for_rows(wave, task, [&](std::span<const double> rows) {
            result.insert(result.end(), rows.begin(), rows.end());
          });
        },
        [&](std::size_t task, std::size_t, std::span<const double> result) {
          value.add(result[0]);
          for (std::size_t c = 0; c < transition.size(); ++c) transition[c] += result[1 + c];
          auto next = result.begin() + static_cast<std::ptrdiff_t>(1 + transition.size());
          if (next == result.end()) return;
          for_rows(wave, task, [&](std::span<double> rows) {
            std::copy_n(next, rows.size(), rows.begin());
            next += static_cast<std::ptrdiff_t>(rows.size());
          });
        });
    if (value.value() == kMinusInfinity) return kMinusInfinity;
    add_ends(wave, out);
    add_emissions(wave, out);
  }
  for (Label i = 0; i < layout_.labels; ++i) {
    for (Label j = 0; j < layout_.labels; ++j) {
      out.transition(i, j) += transition[transitions_.cell(i, j)];
    }
  }
  return value.value();
}

}  // namespace croft
