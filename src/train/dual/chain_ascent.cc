#include "train/dual/chain_ascent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "core/exact_sum.h"
#include "core/meeting_point.h"
#include "core/vector_math.h"
#include "croft/core/error.h"
#include "croft/inference/chain_sum.h"
#include "croft/structure/chain_constraint.h"
#include "optimize/stochastic/sample_layout.h"
#include "optimize/stochastic/weight_tree.h"
#include "train/dual/ascent_rows.h"
#include "train/dual/chain_dual.h"
#include "train/dual/thread_choice.h"
#include "train/dual/tied_parts.h"

namespace croft {
namespace {

// theta' of the gold label at the start, the others' being 0.  Less, and the first steps go too
// far.
constexpr double kConfidence = 8;
constexpr float kFurther = 1.25;                         // times that, where it was too little
constexpr float kBack = 0.5;                             // and too much
constexpr double kCaution = 0.95;                        // of the step that looks best
constexpr double kLeastRatio = 0.02, kMostRatio = 1000;  // of curvature and slope
constexpr std::size_t kMaxTrials = 8;                    // of a step, each shorter
constexpr std::size_t kTogether = 8;                     // visits at one w, at most
constexpr std::size_t kApart = 16;                       // examples for each of these, at least
constexpr double kSlack = 2;  // of an estimate of the gap, beside what was last seen

template <class Real>
class ChainAscent final : public Optimizer {
 public:
  ChainAscent(const ChainData& data, const ChainLayout& layout, ChainFunction& whole,
              const ChainAscentOptions& options, std::span<double> w, ThreadPool& pool,
              const AscentObjective<Real>& objective)
      : data_(data),
        layout_(layout),
        whole_(whole),
        options_(options),
        step_l2_(options.l2 / static_cast<double>(pool.ranks().size())),
        w_(w),
        pool_(pool),
        threshold_(options.l1 / options.l2),
        rows_(data, layout, static_cast<Real>(threshold_)),
        parts_(layout),
        stride_(rows_.stride()),
        theta_(data.positions() * stride_),
        mu_(theta_.size()),
        tied_theta_(data.sequences() * parts_.size()),
        tied_mu_(tied_theta_.size()),
        tied_w_(parts_.size()),
        tied_score_(parts_.size()),
        entropy_(data.sequences()),
        ratio_(data.sequences(), 1),
        gaps_(data.sequences()),
        gradient_(layout.dimension()),
        visits_(std::clamp<std::size_t>(data.sequences() / kApart, 1, kTogether)),
        work_(pool.threads()),
        thread_choice_(pool.threads()) {
    if (objective.make) {
      for (Worker& worker : work_) worker.objective = objective.make();
      start_by_objective(objective.positions);
    } else {
      start();
    }
    evaluate(0);
  }

  const Iteration& now() const override { return now_; }

  bool iterate() override {
    const double before = dual_;
    const double enough = options_.stop.gap_tolerance * std::max(1.0, now_.objective);
    for (std::size_t k = 0; k < options_.passes; ++k) {
      pass();
      if (kSlack * underestimated_ * gaps_.total() <= enough) break;
    }
    join_weights();
    evaluate(now_.number + 1);
    return dual_ > before;  // rounding is all that is left, or the values are too large
  }

  void archive(StateArchive& state) override {
    rows_.archive(state);
    state(std::span(theta_), std::span(mu_), std::span(tied_theta_), std::span(tied_mu_),
          std::span(tied_w_), std::span(entropy_), std::span(ratio_), gaps_, passes_, evaluations_,
          underestimated_, dual_, now_);
    to_weights();
    shrink();
    now_.w = w_;
  }

 private:
  struct Worker {
    ForwardBackwardWorkspace<Real> sums;
    typename TiedParts<Real>::Chain chain;
    std::unique_ptr<ChainObjective<Real>> objective;  // null: the chain's own sums
  };
  // A look at an example, and the step that it leads to.
  struct Visit {
    std::size_t n = 0;
    std::size_t trials = 0;  // whose steps were taken back
    double eta = 0;
    Matrix<Real> theta, tried, mu, change;  // [T][L]; change: of w's scores, -(C_n/l2) delta
    std::vector<double> tied_tried, tied_expected, tied_delta;
    std::vector<Real> tied_mu;
    StepSums sums;
    double entropy = 0, rounding = 0;
    std::array<double, AscentRows<Real>::kShares> grown{};
  };

  std::size_t length(std::size_t n) const {
    return static_cast<std::size_t>(data_.sequence_begin[n + 1] - data_.sequence_begin[n]);
  }
  std::span<Real> nodes(AlignedVector<Real>& all, std::size_t n) const {
    return std::span(all).subspan(data_.sequence_begin[n] * stride_, length(n) * stride_);
  }
  std::span<Real> tied(std::vector<Real>& all, std::size_t n) const {
    return std::span(all).subspan(n * parts_.size(), parts_.size());
  }

  // mu_n is the gold labelling, so that w = 0; theta'_n leans to it, as far as a number can say.
  void start() {
    for (std::size_t n = 0; n < data_.sequences(); ++n) {
      const std::span<const Label> y = data_.gold(n).known;
      for (std::size_t t = 0; t < y.size(); ++t) {
        const std::size_t at = (data_.sequence_begin[n] + t) * stride_ + y[t];
        mu_[at] = 1;
        theta_[at] = static_cast<Real>(kConfidence);
      }
      parts_.count(y, tied(tied_mu_, n));
    }
  }

  // The same for an objective, which alone knows what is gold: it says mu - 1[y] and
  // log Z - theta'.1[y] where the chain's sums say mu and log Z, and the entropy is the difference
  // of the two all the same.  Where all labellings are alike, what is gold is what falls short.
  void start_by_objective(const std::function<std::size_t(std::size_t)>& positions) {
    for (Visit& v : visits_) v.tied_tried.assign(parts_.size(), 0.0);
    Visit& v = visits_[0];
    for (v.n = 0; v.n < data_.sequences(); ++v.n) {
      v.tried.assign(length(v.n), layout_.labels, Real{0});
      sum(v, work_[0]);
      for (std::size_t t = 0; t < positions(v.n); ++t) {
        const Real* d = v.mu.row(t);
        Real* theta = &theta_[(data_.sequence_begin[v.n] + t) * stride_];
        for (std::size_t k = 0; k < stride_; ++k) {
          if (d[k] < 0) theta[k] = static_cast<Real>(kConfidence);
        }
      }
    }
  }

  static void prefetch(std::span<const Real> numbers) {
    constexpr std::size_t kLine = kAlignment / sizeof(Real), kMost = 256 * kLine;  // 16 KB
    const std::size_t size = std::min(numbers.size(), kMost);
    for (std::size_t k = 0; k < size; k += kLine) __builtin_prefetch(&numbers[k]);
  }

  // --- one visit -------------------------------------------------------------------------------
  // theta' some way towards theta (D.16), mu there, and what the step would do.
  void look(Visit& v, Worker& worker) {
    const std::size_t steps = length(v.n), labels = layout_.labels;
    v.eta = kCaution / (1 + ratio_[v.n]);
    v.theta.reshape(steps, labels);
    v.tried.reshape(steps, labels);
    v.change.reshape(steps, labels);
    const std::size_t size = steps * stride_;
    // They are far apart from one visit to the next; the weights come first.
    for (auto* all : {&theta_, &mu_}) prefetch(nodes(*all, v.n));
    for (auto* all : {&tied_theta_, &tied_mu_}) prefetch(tied(*all, v.n));
    rows_.score(v.n, v.theta.row(0));
    mix(nodes(theta_, v.n), {v.theta.row(0), size}, v.eta, {v.tried.row(0), size});
    v.tied_tried.resize(parts_.size());
    mix(tied(tied_theta_, v.n), tied_score_, v.eta, v.tied_tried);
    const double log_z = sum(v, worker);
    const double scale = -data_.sequence_weight(v.n) / step_l2_;
    v.sums = measure(AscentStep<Real>{nodes(mu_, v.n),
                                      {v.mu.row(0), size},
                                      {v.theta.row(0), size},
                                      nodes(theta_, v.n),
                                      {v.tried.row(0), size},
                                      scale,
                                      {v.change.row(0), size}});
    measure_tied(v);
    v.entropy = log_z - v.sums.expected;
    if (std::isinf(log_z)) v.entropy = -log_z;  // an objective's sum overflowed: no step
    v.rounding = std::abs(log_z) + std::abs(v.sums.expected) + std::abs(v.sums.linear);
  }

  // The marginals of exp(theta'); returns the logarithm of its sum.  With an objective both are
  // without what the gold labelling has of them.
  double sum(Visit& v, Worker& worker) const {
    const std::size_t steps = length(v.n), labels = layout_.labels;
    parts_.assign(steps, v.tied_tried, !worker.objective, worker.chain);
    for (std::size_t t = 0; t < steps; ++t) {
      std::copy_n(v.tried.row(t), labels, worker.chain.scores.state.row(t));
    }
    if (layout_.constraint) apply(*layout_.constraint, worker.chain.scores);
    if (worker.objective || layout_.histories) {
      v.mu.assign(steps, labels, Real{0});  // its rows may be wider than what is written
    } else {
      v.mu.reshape(steps, labels);
    }
    v.tied_expected.resize(parts_.size());
    return parts_.sum(worker.chain, v.tied_tried, v.mu.row(0), v.tied_expected,
                      [&](const auto& scores, const auto& out) {
                        return worker.objective
                                   ? (*worker.objective)(scores, data_.gold(v.n), 1.0, out)
                                   : marginals(scores, 1.0, worker.sums, out);
                      });
  }

  void measure_tied(Visit& v) {
    v.tied_mu.resize(parts_.size());
    v.tied_delta.resize(parts_.size());
    const StepSums of_tied =
        measure(WideStep<Real>{tied(tied_mu_, v.n), tied(tied_theta_, v.n), v.tied_expected,
                               tied_score_, v.tied_tried, v.tied_delta, v.tied_mu});
    v.sums.expected += of_tied.expected;
    v.sums.linear += of_tied.linear;
    v.sums.slope += of_tied.slope;
  }

  // --- some visits at one w ----------------------------------------------------------------------
  double move_tied(const Visit& v, double sign) {
    const double scale = -sign * data_.sequence_weight(v.n) / step_l2_;
    return move_copies(parts_.copies(), v.tied_delta, scale, threshold_, tied_w_);
  }
  void set_tied_score() {
    const std::span<const double> copies = parts_.copies();
    for (std::size_t k = 0; k < tied_w_.size(); ++k) {
      tied_score_[k] = copies[k] * shrunk(tied_w_[k], threshold_);
    }
  }

  // Keeps the steps that raise the dual (D.17), in the order of the visits, and takes back the
  // others; then all of them, should those that are left lower it together.
  void settle() {
    double grown = 0, entropy = 0, slack = 0;
    std::array<double, kTogether> bend{};
    std::array<bool, kTogether> kept{};
    for (std::size_t i = 0; i < visits_.size(); ++i) {
      Visit& v = visits_[i];
      const double c = data_.sequence_weight(v.n);
      double own = move_tied(v, 1);
      for (const double each : v.grown) own += each;
      bend[i] = step_l2_ * own + 2 * c * v.sums.linear;
      grown += own;
      slack += kPrecision * c * v.rounding;
      const double gain = c * (v.entropy - entropy_[v.n]);
      kept[i] = gain - 0.5 * step_l2_ * own >= -kPrecision * c * v.rounding;
      if (kept[i]) {
        entropy += gain;
      } else {
        grown += take_back(v);
      }
    }
    const bool risen = entropy - 0.5 * step_l2_ * grown >= -slack;
    for (std::size_t i = 0; i < visits_.size(); ++i) {
      if (!kept[i]) continue;
      if (risen) {
        keep(visits_[i], bend[i]);
      } else {
        take_back(visits_[i]);
      }
    }
  }

  void keep(Visit& v, double bend) {
    const std::size_t size = length(v.n) * stride_;
    std::copy_n(v.tried.row(0), size, nodes(theta_, v.n).begin());
    std::copy_n(v.mu.row(0), size, nodes(mu_, v.n).begin());
    std::ranges::transform(v.tied_tried, tied(tied_theta_, v.n).begin(),
                           [](double score) { return static_cast<Real>(score); });
    std::ranges::copy(v.tied_mu, tied(tied_mu_, v.n).begin());
    entropy_[v.n] = v.entropy;
    v.trials = 0;
    const double slope = data_.sequence_weight(v.n) * v.sums.slope / v.eta;  // about 2 gap
    if (!(slope > 0)) {
      gaps_.set(v.n, 0);
      return;
    }
    gaps_.set(v.n, 0.5 * slope * (1 - v.eta) * (1 - v.eta));
    if (bend > 0) {
      ratio_[v.n] = std::clamp(bend / (v.eta * v.eta * slope), kLeastRatio, kMostRatio);
    }
  }

  // Returns by how much |w|^2 grows.  The next step will be shorter; the first one of an example
  // goes from y_n to where theta' is, and theta' further towards y_n.
  double take_back(Visit& v) {
    const std::size_t size = length(v.n) * stride_;
    ++v.trials;
    double grown = move_tied(v, -1);
    for (std::size_t k = 0; k < size; ++k) v.change.row(0)[k] = -v.change.row(0)[k];
    for (std::size_t share = 0; share < v.grown.size(); ++share) {
      grown += rows_.move(v.n, v.change.row(0), share);
    }
    ratio_[v.n] = std::min(kMostRatio, 2 * ratio_[v.n] + 0.5);
    if (entropy_[v.n] == 0) {
      // Where no entropy is left to be seen it was too far.
      const float factor = v.entropy > kPrecision * v.rounding ? kFurther : kBack;
      for (Real& score : nodes(theta_, v.n)) score *= factor;
    }
    return grown;
  }

  // --- a pass
  // The threads look at the examples of a turn, then each moves weights that no other moves; what
  // is left is done by one.  None of this depends on who does what.
  void pass() {
    ++passes_;
    if (data_.sequences() == 0) return;  // of one of several processes
    Random random = random_of_pass(options_.seed, passes_);
    draw_order(options_.seed, passes_, data_.sequences(), order_);
    next_ = 0;
    visited_ = 0;
    for (Visit& v : visits_) v.trials = 0;
    set_tied_score();
    choose(random);
    thread_choice_.time([&](std::size_t threads) { return take_turns(threads, random); });
  }

  // Returns how many turns it took.
  std::size_t take_turns(std::size_t threads, Random& random) {
    MeetingPoint all(threads);
    std::size_t turns = 0;
    std::atomic<std::size_t> looked{0}, moved{0};
    std::atomic<bool> failed{false};
    bool over = false;  // written by one thread, between two meetings
    std::exception_ptr error;
    const auto by_turns = [&](std::atomic<std::size_t>& counter, std::size_t count,
                              const auto& body) {
      try {
        for (std::size_t i; !failed && (i = counter.fetch_add(1)) < count;) body(i);
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
      all.wait();
    };
    pool_.run(threads, [&](std::size_t task, std::size_t worker) {
      while (!over) {
        by_turns(looked, visits_.size(), [&](std::size_t i) { look(visits_[i], work_[worker]); });
        by_turns(moved, AscentRows<Real>::kShares, [&](std::size_t share) {
          for (Visit& v : visits_) v.grown[share] = rows_.move(v.n, v.change.row(0), share);
        });
        if (task == 0) {  // nothing here allocates, so that nothing throws
          if (!failed) settle();
          set_tied_score();
          ++turns;
          over = failed || visited_ >= data_.positions();
          if (!over) choose(random);
          looked = moved = 0;
        }
        all.wait();
      }
    });
    if (error) std::rethrow_exception(error);
    return turns;
  }

  // The examples of the next turn, each once: first those whose steps were taken back.
  void choose(Random& random) {
    const auto again = std::ranges::partition(
        visits_, [](const Visit& v) { return v.trials > 0 && v.trials < kMaxTrials; });
    const std::size_t kept = visits_.size() - again.size();
    for (std::size_t i = kept; i < visits_.size(); ++i) {
      const auto chosen = std::span(visits_).first(i);
      std::size_t n;
      do {
        const bool by_gap = passes_ > 1 && gaps_.total() > 0 && random.uniform() < options_.by_gap;
        n = by_gap ? gaps_.find(random.uniform() * gaps_.total()) : order_[next_++ % order_.size()];
      } while (std::ranges::find(chosen, n, &Visit::n) != chosen.end());
      visits_[i].n = n;
      visits_[i].trials = 0;
      visited_ += length(n);
    }
  }

  // --- the value
  // -------------------------------------------------------------------------------------
  void to_weights() {
    rows_.to_weights(w_);
    parts_.write(tied_w_, w_);
  }

  // w becomes S(w) (D.29).
  void shrink() {
    if (threshold_ == 0) return;
    for (double& w : w_) w = shrunk(w, threshold_);
  }

  // Of several processes: each has gone K times as far in w as its dual variables say, so that the
  // weights of all of them are the mean (DS.4).
  void join_weights() {
    Ranks& ranks = pool_.ranks();
    if (ranks.alone()) return;
    to_weights();
    mean_of_all(ranks, w_);
    rows_.set_weights(w_);
    parts_.read(w_, tied_w_);
  }

  void evaluate(std::size_t number) {
    to_weights();
    shrink();
    ++evaluations_;
    Ranks& ranks = pool_.ranks();
    const double penalty = 0.5 * options_.l2 * dot(w_, w_);
    CompensatedSum here;
    for (std::size_t n = 0; n < data_.sequences(); ++n) {
      here.add(data_.sequence_weight(n) * entropy_[n]);
    }
    const double own[] = {here.value(), gaps_.total()};
    CompensatedSum dual(-penalty);
    double lacking = 0;
    const std::vector<double> all = lists_of_all(ranks, own);
    for (std::size_t k = 0; k < all.size(); k += 2) {
      dual.add(all[k]);
      lacking += all[k + 1];
    }
    now_.number = number;
    now_.evaluations = evaluations_ + passes_;
    now_.objective = whole_.evaluate(w_, gradient_) + penalty + options_.l1 * sum_abs(w_);
    dual_ = dual.value();
    const double gap = std::max(0.0, now_.objective - dual_);
    now_.gap = gap / std::max(1.0, now_.objective);
    now_.gradient_norm = gap;  // no example lacks more
    now_.weight_norm = std::sqrt(2 * penalty / options_.l2);
    now_.active = count_nonzero(w_);
    double eta = 0;
    for (const double ratio : ratio_) eta += kCaution / (1 + ratio);
    now_.step = eta / static_cast<double>(std::max<std::size_t>(ratio_.size(), 1));
    now_.w = w_;
    if (lacking > 0) underestimated_ = std::max(1.0, gap / lacking);
  }

  static constexpr double kPrecision = sizeof(Real) == 4 ? 1e-8 : 1e-14;

  const ChainData& data_;
  const ChainLayout& layout_;
  ChainFunction& whole_;
  const ChainAscentOptions& options_;
  const double step_l2_;  // of the steps in w: l2 / K, of K processes
  std::span<double> w_;
  ThreadPool& pool_;
  const double threshold_;  // l1 / l2
  AscentRows<Real> rows_;
  TiedParts<Real> parts_;
  std::size_t stride_;

  // theta'_n and its marginals: of labels, and of what is tied.
  AlignedVector<Real> theta_, mu_;           // [P][stride]
  std::vector<Real> tied_theta_, tied_mu_;   // [N][parts]
  std::vector<double> tied_w_, tied_score_;  // [parts]; a score is of all copies of a weight
  std::vector<double> entropy_;              // of mu_n
  std::vector<double> ratio_;                // of curvature to slope along the last step (D.24)
  WeightTree gaps_;                          // estimated
  std::vector<double> gradient_;             // scratch
  std::size_t passes_ = 0, evaluations_ = 0;
  double dual_ = 0;
  double underestimated_ = 1;  // the gap, relatively to the sum of gaps_
  Iteration now_;

  std::vector<Visit> visits_;
  std::vector<Worker> work_;  // [threads]
  ThreadChoice thread_choice_;
  std::vector<std::uint32_t> order_;    // of this pass
  std::size_t next_ = 0, visited_ = 0;  // in order_; positions
};

}  // namespace

void ChainAscentOptions::validate() const {
  if (!(l1 >= 0)) throw UsageError(fmt::format("l1 is {}; it must be >= 0", l1));
  if (!(l2 > 0)) throw UsageError(fmt::format("l2 is {}; dual methods need l2 > 0", l2));
  if (!(by_gap >= 0 && by_gap < 1)) {
    throw UsageError(fmt::format("by_gap is {}; it must be >= 0 and < 1", by_gap));
  }
  if (passes == 0) throw UsageError("passes is 0; it must be at least 1");
  stop.validate();
}

template <class Real>
OptimizeResult chain_ascent(const ChainData& data, const ChainLayout& layout, ChainFunction& whole,
                            const ChainAscentOptions& options, std::span<double> w,
                            ThreadPool& pool, const IterationCallback& callback,
                            Checkpointer* checkpoints, const AscentObjective<Real>& objective) {
  options.validate();
  if (!objective.make) run_together(pool.ranks(), [&] { check_dual_data(data, layout); });
  if (data.has_edges()) {
    throw UsageError(std::string("dual-ascent takes no attributes of edges; ") +
                     (layout.order() == 1 ? "sdca and eg do" : "sgd-lbfgs does"));
  }
  ChainAscent<Real> run(data, layout, whole, options, w, pool, objective);
  return minimize(run, options.stop, callback, checkpoints);
}

template OptimizeResult chain_ascent<float>(const ChainData&, const ChainLayout&, ChainFunction&,
                                            const ChainAscentOptions&, std::span<double>,
                                            ThreadPool&, const IterationCallback&, Checkpointer*,
                                            const AscentObjective<float>&);
template OptimizeResult chain_ascent<double>(const ChainData&, const ChainLayout&, ChainFunction&,
                                             const ChainAscentOptions&, std::span<double>,
                                             ThreadPool&, const IterationCallback&, Checkpointer*,
                                             const AscentObjective<double>&);

}  // namespace croft
