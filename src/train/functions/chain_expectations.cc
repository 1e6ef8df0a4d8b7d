#include "train/functions/chain_expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/inference/chain_viterbi.h"
#include "train/kinds/feature_expectations.h"

namespace croft {
namespace {

// value = weight (log Z - theta(y)) as the likelihood's, but only the first part of its derivative:
// out = weight mu.
class Expectation final : public ChainObjective<double> {
 public:
  void operator()(std::span<const ChainScores<double>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<double>> out,
                  std::span<double> value) override {
    loss_.resize(scores.size());
    marginals<double>(scores, weight, work_, out, loss_);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const std::span<const Label> y = gold[k].known;
      for (std::size_t t = 0; t < y.size(); ++t) {
        loss_[k].add(-scores[k].state(t, y[t]));
        if (t > 0) loss_[k].add(-scores[k].edge(t, y[t - 1], y[t]));
      }
      const double loss = loss_[k].value();
      value[k] = std::isnan(loss) ? std::numeric_limits<double>::infinity() : weight[k] * loss;
    }
  }
  std::size_t slow() const override { return work_.slow; }

 private:
  BatchWorkspace<double> work_;
  std::vector<CompensatedSum> loss_;
};

// out = weight 1[y]: through the scorer's transpose, the empirical counts.
class GoldCounts final : public ChainObjective<double> {
 public:
  void operator()(std::span<const ChainScores<double>> scores, std::span<const Gold> gold,
                  std::span<const double> weight, std::span<const ChainGradient<double>> out,
                  std::span<double> value) override {
    for (std::size_t k = 0; k < scores.size(); ++k) {
      count(scores[k], gold[k].known, weight[k], out[k]);
      value[k] = 0;
    }
  }

 private:
  static void count(const ChainScores<double>& scores, std::span<const Label> y, double weight,
                    const ChainGradient<double>& out) {
    const std::size_t stride = scores.state.stride(), labels = scores.labels();
    std::fill_n(out.state, scores.length() * stride, 0.0);
    if (out.overlay != nullptr) {
      std::fill_n(out.overlay, scores.overlay.rows() * stride, 0.0);
    }
    for (std::size_t t = 0; t < y.size(); ++t) {
      out.state[t * stride + y[t]] = weight;
      if (t == 0) continue;
      const std::uint32_t cell = scores.transitions->cell(y[t - 1], y[t]);
      if (cell != TransitionScores<double>::kNoCell) out.transition[cell] += weight;
      if (scores.has_overlay(t)) {
        out.overlay[(scores.overlay_of[t] * labels + y[t - 1]) * stride + y[t]] = weight;
      }
    }
  }
};

void check_values(const AttributeLists& lists, const ChainData& data) {
  const auto negative = std::ranges::find_if(lists.value, [](double v) { return !(v >= 0); });
  if (negative == lists.value.end()) return;
  const auto k = static_cast<std::uint64_t>(negative - lists.value.begin());
  const auto position = std::ranges::upper_bound(lists.begin, k) - lists.begin.begin() - 1;
  const auto n =
      std::ranges::upper_bound(data.sequence_begin, static_cast<std::uint64_t>(position)) -
      data.sequence_begin.begin() - 1;
  throw UsageError(
      fmt::format("an attribute of sequence {} has the value {}; iterative scaling needs values "
                  ">= 0",
                  n + 1, *negative));
}

void check_data(const ChainData& data) {
  check_values(data.node, data);
  check_values(data.edge, data);
  if (!std::ranges::all_of(data.label, is_one_label)) {
    throw UsageError("iterative scaling needs data in which every label is fully known");
  }
}

// Of each sequence a number that grows with its total; as many different ones as there may be
// groups.
std::vector<std::size_t> group_numbers(std::span<const double> totals, std::size_t groups) {
  const std::set<double> different(totals.begin(), totals.end());
  double least = INFINITY, largest = 0;  // of those above 0
  for (const double total : different) {
    if (total > 0) least = std::min(least, total);
    largest = std::max(largest, total);
  }
  std::vector<std::size_t> number(totals.size());
  for (std::size_t n = 0; n < totals.size(); ++n) {
    if (different.size() <= groups) {
      number[n] =
          static_cast<std::size_t>(std::distance(different.begin(), different.find(totals[n])));
    } else if (totals[n] > least) {
      const double part = std::log(totals[n] / least) / std::log(largest / least);
      number[n] =
          std::min(static_cast<std::size_t>(part * static_cast<double>(groups)), groups - 1);
    }
  }
  return number;
}

}  // namespace

struct ChainExpectations::Group {
  ChainData data;
  double total = 0;
  std::unique_ptr<ChainBatchFunction<double>> f;
};

ChainExpectations::~ChainExpectations() = default;

ChainExpectations::ChainExpectations(const ChainData& data, const ChainLayout& layout,
                                     ThreadPool& pool, std::size_t groups)
    : layout_(layout), pool_(pool), part_(layout.dimension()) {
  if (groups < 1 || groups > kMostGroups) {
    throw UsageError(fmt::format("groups is {}; it must be from 1 to {}", groups, kMostGroups));
  }
  check_data(data);
  const std::vector<double> totals = largest_totals(data, layout, pool);
  const std::vector<std::size_t> number = group_numbers(totals, groups);
  groups_.resize(groups);
  for (std::size_t n = 0; n < totals.size(); ++n) {
    std::unique_ptr<Group>& group = groups_[number[n]];
    if (!group) group = std::make_unique<Group>();
    group->data.append(data, n);
    group->total = std::max(group->total, totals[n]);
  }
  std::erase(groups_, nullptr);
  for (const auto& group : groups_) {
    // Without any feature every total is right.
    counts_.total.push_back(group->total > 0 ? group->total : 1);
    group->f = std::make_unique<ChainBatchFunction<double>>(
        group->data, layout, pool, [] { return std::make_unique<Expectation>(); });
  }
  empirical_ = empirical_counts(data, layout, pool);
  list_counts();
}

std::vector<double> empirical_counts(const ChainData& data, const ChainLayout& layout,
                                     ThreadPool& pool) {
  ChainBatchFunction<double> gold(data, layout, pool,
                                  [] { return std::make_unique<GoldCounts>(); });
  const std::vector<double> zero(layout.dimension());
  std::vector<double> counts(layout.dimension());
  gold.evaluate(zero, counts);
  return counts;
}

// With weights of 0 no labelling is so improbable that its counts vanish: what is 0 there is
// always.
void ChainExpectations::list_counts() {
  const std::vector<double> zero(dimension());
  std::vector<std::vector<std::uint16_t>> groups_of(dimension());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g]->f->evaluate(zero, part_);
    for (std::size_t k = 0; k < dimension(); ++k) {
      if (part_[k] > 0) groups_of[k].push_back(static_cast<std::uint16_t>(g));
    }
  }
  for (const auto& list : groups_of) {
    counts_.group.insert(counts_.group.end(), list.begin(), list.end());
    counts_.begin.push_back(counts_.group.size());
  }
  counts_.expected.resize(counts_.group.size());
}

double ChainExpectations::evaluate(std::span<const double> w, std::span<double> gradient) {
  CompensatedSum value;
  next_.assign(counts_.begin.begin(), counts_.begin.end() - 1);
  for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] = -empirical_[k];
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    value.add(groups_[g]->f->evaluate(w, part_));
    for_blocks(pool_, dimension(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        gradient[k] += part_[k];
        const std::uint64_t at = next_[k];
        if (at == counts_.begin[k + 1] || counts_.group[at] != g) continue;
        counts_.expected[at] = part_[k];
        ++next_[k];
      }
    });
  }
  return value.value();
}

void ChainExpectations::archive(StateArchive& state) {
  for (const auto& group : groups_) group->f->archive(state);
}

std::vector<double> largest_totals(const ChainData& data, const ChainLayout& layout,
                                   ThreadPool& pool) {
  LinearScorer<double> scorer(layout);
  scorer.set_weights(std::vector<double>(layout.dimension(), 1.0), pool);
  struct Worker {
    ChainScores<double> scores, lifted;
    ViterbiWorkspace<double> viterbi;
    std::vector<Label> best;
  };
  std::vector<Worker> workers(pool.threads());
  std::vector<double> totals(data.sequences());
  pool.run(totals.size(), [&](std::size_t n, std::size_t k) {
    Worker& worker = workers[k];
    scorer.score(data, n, worker.scores);
    const ChainScores<double>* chain = &worker.scores;
    if (scorer.histories() != nullptr) {
      scorer.histories()->lift(worker.scores, worker.lifted);
      chain = &worker.lifted;
    }
    worker.best.resize(chain->length());
    totals[n] = viterbi(*chain, worker.viterbi, worker.best);
  });
  return totals;
}

}  // namespace croft
