// In which order factors send.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "inference/graph/messages/message_engine.h"

#include "core/infinity.h"

namespace croft {
namespace {

constexpr double kFirst = 1e6;  // priority of what has never sent

// Sweeps that the automatic schedule judges by, and how many more it grants them.  A sweep's update
// costs half of one with a queue; where sweeps take hundreds of iterations, the queue needs a
// tenth.  Sweeps of binary messages cost a fortieth: until as many are done as one iteration with
// the queue costs, nothing is to be gained by it.
constexpr std::size_t kSweepsSeen = 5, kSweepsGranted = 25;
constexpr std::size_t kBinarySweepsFree = 40, kBinarySweepsGranted = 250;

}  // namespace

template <class S>
double MessageEngine<S>::sweep(std::span<const Factor> order) {
  double most = 0;
  for (const Factor f : order) {
    if (stopped()) break;
    if (queued_) {
      queue_->remove(f);
      priority_[f] = 0;
    }
    const double change = update(f, messages_.data());
    if (queued_) keep_rest(f, change);
    most = std::max(most, change);
  }
  return most;
}

template <class S>
double MessageEngine<S>::core_sweep() {
  if (!binary_) return sweep(layout_.core());
  updates_ += layout_.core().size();
  return binary_->sweep(messages_);
}

template <class S>
double MessageEngine<S>::parallel_iteration() {
  if (binary_) {
    updates_ += layout_.core().size();
    return binary_->send_all(messages_);
  }
  next_ = messages_;
  double most = 0;
  for (const Factor f : layout_.core()) {
    if (stopped()) break;
    most = std::max(most, update(f, next_.data()));
  }
  messages_.swap(next_);
  return most;
}

// Damping has left a share of a factor's change for later.
template <class S>
void MessageEngine<S>::keep_rest(Factor f, double change) {
  const double rest = damping_ * change;
  if (rest <= priority_[f]) return;
  priority_[f] = rest;
  if (rest > options_.tolerance) queue_->set(f, rest);
}

template <class S>
void MessageEngine<S>::fill_queue() {
  queue_.emplace(graph_.factors());
  priority_.assign(graph_.factors(), -1);
  for (const Factor f : layout_.core()) {
    priority_[f] = kFirst;
    queue_->set(f, kFirst);
  }
}

// Those that have changed most, as many as the core has factors.  Where none has changed by more
// than the tolerance, all send once more: only that shows convergence.
template <class S>
double MessageEngine<S>::residual_iteration() {
  if (!queue_) fill_queue();
  queued_ = true;
  double most = 0;
  std::size_t sent = 0;
  for (; sent < layout_.core().size() && !queue_->empty() && !stopped(); ++sent) {
    const Factor f = queue_->pop();
    priority_[f] = 0;
    const double change = update(f, messages_.data());
    most = std::max(most, change);
    keep_rest(f, change);
  }
  if (queue_->empty() && !stopped()) {
    most = sweep(layout_.core());
  } else {
    most = std::max(most, std::nextafter(options_.tolerance, kInf));
  }
  queued_ = false;
  return most;
}

// A sweep; or, where the fall of the last ones' changes lets expect too many more, by the queue.
template <class S>
double MessageEngine<S>::automatic_iteration() {
  if (queue_) return residual_iteration();
  const double change = core_sweep();
  course_.push_back(change);
  const std::size_t free = binary_ ? kBinarySweepsFree : kSweepsSeen;
  if (course_.size() <= free || change <= options_.tolerance) return change;
  const double before = course_[course_.size() - 1 - kSweepsSeen];
  const double rate = std::log(before / change) / kSweepsSeen;
  const auto granted = static_cast<double>(binary_ ? kBinarySweepsGranted : kSweepsGranted);
  if (std::log(change / options_.tolerance) > rate * granted) {
    fill_queue();
  }
  return change;
}

// Along a random spanning forest of the core, from its leaves to its roots and back.
template <class S>
double MessageEngine<S>::tree_iteration() {
  const std::span<const Factor> core = layout_.core();
  std::vector<std::size_t> edges;
  for (const Factor f : core) {
    for (std::size_t e = layout_.edge_begin(f); e < layout_.edge_end(f); ++e) edges.push_back(e);
  }
  shuffle(edges, random_);
  std::vector<std::uint32_t> parent(graph_.variables() + graph_.factors());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
  };
  std::vector<Factor> factor_of(layout_.edges());
  for (const Factor f : core) {
    for (std::size_t e = layout_.edge_begin(f); e < layout_.edge_end(f); ++e) factor_of[e] = f;
  }
  std::vector<std::vector<Factor>> at(graph_.variables());  // of the forest
  std::vector<std::vector<Variable>> scope(graph_.factors());
  const auto variables = static_cast<std::uint32_t>(graph_.variables());
  for (const std::size_t e : edges) {
    const Factor f = factor_of[e];
    const std::uint32_t a = root(layout_.variable(e)), b = root(variables + f);
    if (a == b) continue;
    parent[a] = b;
    at[layout_.variable(e)].push_back(f);
    scope[f].push_back(layout_.variable(e));
  }
  std::vector<bool> seen(graph_.factors());
  order_.clear();
  for (const Factor first : core) {
    if (seen[first]) continue;
    seen[first] = true;
    order_.push_back(first);
    for (std::size_t k = order_.size() - 1; k < order_.size(); ++k) {
      for (const Variable v : scope[order_[k]]) {
        for (const Factor g : at[v]) {
          if (seen[g]) continue;
          seen[g] = true;
          order_.push_back(g);
        }
      }
    }
  }
  std::ranges::reverse(order_);
  const double up = sweep(order_);
  std::ranges::reverse(order_);
  return std::max(up, sweep(order_));
}

template <class S>
double MessageEngine<S>::iterate() {
  switch (options_.schedule) {
    case MessageSchedule::parallel:
      return parallel_iteration();
    case MessageSchedule::sequential:
      return core_sweep();
    case MessageSchedule::random:
      order_.assign(layout_.core().begin(), layout_.core().end());
      shuffle(order_, random_);
      return sweep(order_);
    case MessageSchedule::residual:
      return residual_iteration();
    case MessageSchedule::automatic:
      return std::is_same_v<S, LogMax> ? residual_iteration() : automatic_iteration();
    case MessageSchedule::spanning_trees:
      break;
  }
  return tree_iteration();
}

template <class S>
void MessageEngine<S>::run(std::size_t iterations, const GraphCallback& callback,
                           Convergence& end) {
  if (stopped()) return;
  refresh_hubs();
  if (!started_) sweep(layout_.trees());
  if (stopped()) return;
  started_ = true;
  if (std::is_same_v<S, ScaledSum> && options_.damping == 0) {
    binary_ = BinaryMessages::make(layout_, factor_, messages_);
  }
  if (layout_.core().empty()) {
    end.converged = true;
    ++end.iterations;
  }
  end.residual = 0;
  for (std::size_t k = 0; k < iterations && !end.converged && !stopped(); ++k) {
    refresh_hubs();
    damping_ = options_.damping;
    end.residual = iterate();
    damping_ = 0;  // of messages in trees: they are sent once
    ++end.iterations;
    end.converged = end.residual <= options_.tolerance;
    GraphProgress progress;
    progress.iteration = end.iterations;
    progress.residual = end.residual;
    if (callback && !callback(progress)) break;
  }
  if (stopped()) {
    end.converged = empty_;
    return;
  }
  refresh_hubs();
  order_.assign(layout_.trees().rbegin(), layout_.trees().rend());
  sweep(order_);
  refresh_hubs();
  check_totals();
}

template class MessageEngine<ScaledSum>;
template class MessageEngine<LogSum>;
template class MessageEngine<LogMax>;

}  // namespace croft
