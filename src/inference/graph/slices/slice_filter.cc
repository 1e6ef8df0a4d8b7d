#include "croft/inference/slice_filter.h"

#include <algorithm>
#include <deque>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "inference/graph/slices/slice_step.h"

namespace croft {
namespace {

// The step of the first slice, and that of all others.
class SliceSteps {
 public:
  SliceSteps(SliceNetwork net, double memory) : net_(std::move(net)) {
    net_.check();
    first_.emplace(net_.first, net_.variables(), net_.interface, memory);
    next_.emplace(net_.next, net_.variables(), net_.interface, memory);
  }

  const SliceNetwork& net() const { return net_; }
  SliceStep& of(std::size_t slice) { return slice == 0 ? *first_ : *next_; }

  VariableMarginals empty() const {
    VariableMarginals out(net_.variables());
    for (Variable v = 0; v < out.size(); ++v) out[v].assign(net_.first.states(v), 0.0);
    return out;
  }

 private:
  SliceNetwork net_;
  std::optional<SliceStep> first_, next_;
};

// What is kept of a slice.
struct PastSlice {
  SliceEvidence evidence;
  Table after;  // over the interface
};

}  // namespace

// --- SliceFilter --------------------------------------------------------------------------------

class SliceFilter::Run {
 public:
  Run(SliceNetwork net, const SliceOptions& options)
      : steps_(std::move(net), options.memory),
        history_(options.history),
        at_once_(options.marginals),
        marginals_(steps_.empty()),
        next_marginals_(marginals_) {}

  bool advance(const SliceEvidence& evidence) {
    evidence.check(steps_.net());
    const SliceGiven given{evidence, slices_ == 0 ? nullptr : &now_};
    const double log_p = steps_.of(slices_).run(
        given, {.marginals = at_once_ ? &next_marginals_ : nullptr, .after = &next_});
    if (log_p == -kInf) return false;
    std::swap(marginals_, next_marginals_);
    if (history_ > 0) keep(evidence);
    if (!at_once_) {
      last_ = evidence;
      has_marginals_ = false;
      std::swap(before_, now_);
    }
    std::swap(now_, next_);
    log_of_last_ = log_p;
    log_likelihood_.add(log_p);
    ++slices_;
    return true;
  }

  std::vector<VariableMarginals> ahead(std::size_t slices) {
    std::vector<VariableMarginals> out(slices, steps_.empty());
    go_ahead(slices, [&](std::size_t k) { return &out[k]; });
    return out;
  }

  VariableMarginals only_ahead(std::size_t slices) {
    VariableMarginals out = steps_.empty();
    go_ahead(slices, [&](std::size_t k) { return k + 1 == slices ? &out : nullptr; });
    return out;
  }

  // The earliest of the last `back` + 1, or all of these.
  std::vector<VariableMarginals> smoothed(std::size_t back, bool all) {
    if (back >= slices_ || back > history_) {
      throw UsageError("slice ", back, " before the last is asked for, of ", slices_,
                       " slices and a history of ", history_);
    }
    std::vector<VariableMarginals> out;
    if (all || back == 0) out.push_back(marginals());
    Table after, before;
    for (std::size_t k = 0; k < back; ++k) {
      // From slice `last - k` to the one before it.
      const std::size_t at = past_.size() - 1 - k;
      steps_.of(slices_ - 1 - k)
          .run({past_[at].evidence, &past_[at - 1].after, k == 0 ? nullptr : &after},
               {.before = &before});
      std::swap(after, before);
      if (!all && k + 1 < back) continue;
      const std::size_t slice = slices_ - 2 - k;
      out.push_back(steps_.empty());
      steps_.of(slice).run({past_[at - 1].evidence, before_of(at - 1, slice), &after},
                           {.marginals = &out.back()});
    }
    std::ranges::reverse(out);
    return out;
  }

  std::size_t kept() const { return slices_ == 0 ? 0 : std::min(history_, slices_ - 1); }
  std::size_t slices() const { return slices_; }
  const VariableMarginals& marginals() {
    if (!at_once_ && !has_marginals_ && slices_ > 0) {
      steps_.of(slices_ - 1)
          .run({last_, slices_ == 1 ? nullptr : &before_}, {.marginals = &marginals_});
      has_marginals_ = true;
    }
    return marginals_;
  }
  double log_likelihood() const { return log_likelihood_.value(); }
  double log_of_last() const { return log_of_last_; }

 private:
  // Marginals of slices_ + k go to place(k), where that is a place.  Messages that no longer change
  // leave the marginals of all later slices as they are.
  template <class Place>
  void go_ahead(std::size_t slices, const Place& place) {
    const SliceEvidence nothing;
    Table now = now_, next;
    VariableMarginals last = steps_.empty();
    bool settled = false;
    for (std::size_t k = 0; k < slices; ++k) {
      if (k % 1024 == 0 && interruption.load()) throw Interrupted("interrupted while predicting");
      const std::size_t slice = slices_ + k;
      if (!settled) {
        steps_.of(slice).run({nothing, slice == 0 ? nullptr : &now},
                             {.marginals = &last, .after = &next});
        settled = slice > 0 && std::ranges::equal(now.values, next.values);
        std::swap(now, next);
      }
      if (VariableMarginals* const to = place(k)) *to = last;
    }
  }

  // The evidence of the present slice; `next_` is its message still.
  void keep(const SliceEvidence& evidence) {
    past_.push_back({evidence, next_});
    if (past_.size() - 1 <= history_) return;
    oldest_ = std::move(past_.front().after);
    past_.pop_front();
  }

  const Table* before_of(std::size_t at, std::size_t slice) const {
    if (slice == 0) return nullptr;
    return at > 0 ? &past_[at - 1].after : &oldest_;
  }

  SliceSteps steps_;
  std::size_t history_;
  bool at_once_, has_marginals_ = true;
  VariableMarginals marginals_, next_marginals_;
  Table now_, next_;
  // Where marginals wait until they are asked for: the last slice's evidence, and what was before.
  SliceEvidence last_;
  Table before_;
  std::deque<PastSlice> past_;  // the last of the slices, with the present one
  Table oldest_;                // of the slice before these
  CompensatedSum log_likelihood_;
  double log_of_last_ = 0;
  std::size_t slices_ = 0;
};

SliceFilter::SliceFilter(SliceNetwork net, const SliceOptions& options)
    : run_(std::make_unique<Run>(std::move(net), options)) {}
SliceFilter::~SliceFilter() = default;
SliceFilter::SliceFilter(SliceFilter&& other) noexcept = default;
SliceFilter& SliceFilter::operator=(SliceFilter&& other) noexcept = default;

bool SliceFilter::advance(const SliceEvidence& evidence) { return run_->advance(evidence); }
std::size_t SliceFilter::slices() const { return run_->slices(); }
const VariableMarginals& SliceFilter::marginals() const { return run_->marginals(); }
double SliceFilter::log_likelihood() const { return run_->log_likelihood(); }
double SliceFilter::log_likelihood_of_last() const { return run_->log_of_last(); }

std::vector<VariableMarginals> SliceFilter::ahead(std::size_t slices) {
  return run_->ahead(slices);
}

VariableMarginals SliceFilter::only_ahead(std::size_t slices) {
  if (slices == 0) throw UsageError("only_ahead(0): the slice that is asked for is a later one");
  return run_->only_ahead(slices);
}

VariableMarginals SliceFilter::smoothed(std::size_t back) {
  return run_->smoothed(back, false).front();
}

std::vector<VariableMarginals> SliceFilter::smoothed() {
  if (run_->slices() == 0) return {};
  return run_->smoothed(run_->kept(), true);
}

// --- SlicePath ----------------------------------------------------------------------------------

class SlicePath::Run {
 public:
  Run(SliceNetwork net, const SliceOptions& options) : steps_(std::move(net), options.memory) {}

  bool advance(const SliceEvidence& evidence) {
    evidence.check(steps_.net());
    Table after;
    const double log_p = steps_.of(past_.size())
                             .run({evidence, past_.empty() ? nullptr : &past_.back().after},
                                  {.after = &after, .largest = true});
    if (log_p == -kInf) return false;
    log_score_.add(log_p);
    past_.push_back({evidence, std::move(after)});
    return true;
  }

  // From the last slice on: the best given the interface that has been chosen after it.
  std::vector<std::vector<State>> best() {
    const std::size_t n = steps_.net().variables();
    std::vector<std::vector<State>> path(past_.size());
    for (std::size_t t = past_.size(); t-- > 0;) {
      SliceEvidence evidence = past_[t].evidence;
      if (t + 1 < past_.size()) {
        evidence.states.resize(n, kUnobserved);
        const std::vector<State>& later = path[t + 1];
        for (std::size_t k = 0; k < steps_.net().interface.size(); ++k) {
          evidence.states[steps_.net().interface[k]] = later[n + k];
        }
      }
      steps_.of(t).run({evidence, t == 0 ? nullptr : &past_[t - 1].after},
                       {.largest = true, .best = &path[t]});
    }
    for (std::vector<State>& each : path) each.resize(n);
    return path;
  }

  std::size_t slices() const { return past_.size(); }
  double log_score() const { return log_score_.value(); }

 private:
  SliceSteps steps_;
  std::vector<PastSlice> past_;
  CompensatedSum log_score_;
};

SlicePath::SlicePath(SliceNetwork net, const SliceOptions& options)
    : run_(std::make_unique<Run>(std::move(net), options)) {}
SlicePath::~SlicePath() = default;
SlicePath::SlicePath(SlicePath&& other) noexcept = default;
SlicePath& SlicePath::operator=(SlicePath&& other) noexcept = default;

bool SlicePath::advance(const SliceEvidence& evidence) { return run_->advance(evidence); }
std::size_t SlicePath::slices() const { return run_->slices(); }
double SlicePath::log_score() const { return run_->log_score(); }
std::vector<std::vector<State>> SlicePath::best() { return run_->best(); }

}  // namespace croft
