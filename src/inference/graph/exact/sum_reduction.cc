#include "inference/graph/exact/sum_reduction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/infinity.h"

namespace croft {
namespace {

constexpr double kMostTable = 1 << 16;    // joint states of a factor that is taken apart
constexpr double kMostNumbers = 1 << 26;  // of all of them
constexpr double kEqual = 1e-12;          // scores that differ by rounding
constexpr double kMostRounded = 1e3;      // larger scores may differ by what matters to a sum
constexpr std::size_t kPartsBetweenQuestions = 1024;
constexpr Variable kGone = 0xffffffff;

double log_sum(const double* scores, std::size_t count, std::size_t step) {
  double high = -kInf, sum = 0;
  for (std::size_t k = 0; k < count; ++k) high = std::max(high, scores[k * step]);
  if (high == -kInf) return high;
  for (std::size_t k = 0; k < count; ++k) sum += std::exp(scores[k * step] - high);
  return high + std::log(sum);
}

bool equal(double a, double b) {
  if (a == -kInf || b == -kInf) return a == b;
  return std::abs(a - b) <=
         kEqual * std::clamp(std::max(std::abs(a), std::abs(b)), 1.0, kMostRounded);
}

State draw(std::span<const double> p, Random& random) {
  double r = random.uniform();
  State last = 0;
  for (State s = 0; s < p.size(); ++s) {
    if (p[s] == 0) continue;
    last = s;
    if ((r -= p[s]) < 0) break;
  }
  return last;
}

}  // namespace

SumReduction::SumReduction(const FactorGraph& graph, bool keep_variables, GraphCallback progress)
    : first_(graph), keep_variables_(keep_variables), progress_(std::move(progress)) {
  load();
  for (std::size_t done = 0; !queue_.empty() && !contradiction_; ++done) {
    if (progress_ && done % kPartsBetweenQuestions == 0 && !progress_({})) break;
    const PartId id = queue_.front();
    queue_.pop_front();
    parts_[id].queued = false;
    if (parts_[id].alive) reduce(id);
  }
  write();
}

void SumReduction::load() {
  const auto n = static_cast<Variable>(first_.variables());
  left_.resize(n);
  pinned_.assign(n, 0);
  of_.resize(n);
  alive_of_.assign(n, 0);
  for (Variable v = 0; v < n; ++v) {
    for (State s = 0; s < first_.states(v); ++s) left_[v].push_back(s);
  }
  double numbers = 0;
  for (Factor f = 0; f < first_.factors(); ++f) {
    Part part{.scope = {}, .scores = {}, .factor = f};
    for (const Variable v : first_.scope(f)) {
      if (states(v) > 1) part.scope.push_back(v);
    }
    const auto joint = static_cast<double>(first_.joint_states(f));
    part.opaque = joint > kMostTable || (numbers += joint) > kMostNumbers;
    if (part.opaque) {
      for (const Variable v : part.scope) pinned_[v] = 1;
      add_part(std::move(part));
      continue;
    }
    // In the order of the variables.
    std::ranges::sort(part.scope);
    const std::vector<double> table = first_.table(f);
    std::vector<std::size_t> step(part.scope.size(), 0);
    std::size_t stride = 1;
    const auto scope = first_.scope(f);
    for (std::size_t k = scope.size(); k-- > 0; stride *= first_.states(scope[k])) {
      const auto at = std::ranges::find(part.scope, scope[k]) - part.scope.begin();
      if (states(scope[k]) > 1) step[static_cast<std::size_t>(at)] = stride;
    }
    for (std::size_t index = 0; index < table.size(); ++index) {
      std::size_t from = 0, rest = index;
      for (std::size_t k = step.size(); k-- > 0; rest /= states(part.scope[k])) {
        from += rest % states(part.scope[k]) * step[k];
      }
      part.scores.push_back(table[from]);
    }
    add_part(std::move(part));
  }
  for (Variable v = 0; v < n; ++v) {  // in no factor
    if (states(v) < 2 || alive_of_[v] > 0) continue;
    add_part({.scope = {v}, .scores = std::vector<double>(states(v), 0)});
  }
}

void SumReduction::add_part(Part part) {
  if (part.scope.empty() && !part.opaque) {
    constant_ += part.scores[0];
    contradiction_ = contradiction_ || constant_ == -kInf;
    return;
  }
  const auto id = static_cast<PartId>(parts_.size());
  for (const Variable v : part.scope) {
    of_[v].push_back(id);
    ++alive_of_[v];
  }
  parts_.push_back(std::move(part));
  queue(id);
}

void SumReduction::queue(PartId id) {
  Part& part = parts_[id];
  if (part.queued || !part.alive || part.opaque) return;
  part.queued = true;
  queue_.push_back(id);
}

void SumReduction::queue_all_of(Variable v) {
  for (const PartId id : parts_of(v)) queue(id);
}

std::vector<SumReduction::PartId>& SumReduction::parts_of(Variable v) {
  auto& list = of_[v];
  if (list.size() != alive_of_[v]) {
    std::erase_if(list, [&](PartId id) {
      return !parts_[id].alive || !std::ranges::binary_search(parts_[id].scope, v);
    });
  }
  return list;
}

void SumReduction::drop(PartId id) {
  Part& part = parts_[id];
  part.alive = false;
  for (const Variable v : part.scope) {
    if (--alive_of_[v] == 1) queue_all_of(v);
  }
}

void SumReduction::reduce(PartId id) {
  keep_allowed(id);
  if (contradiction_) return;
  take_apart(id);
  if (parts_[id].alive && !absorb(id) && !keep_variables_) sum_out(id);
}

// Keeps each variable's states that some joint state allows.
void SumReduction::keep_allowed(PartId id) {
  const std::vector<Variable> scope = parts_[id].scope;
  for (const Variable v : scope) {
    const Part& part = parts_[id];
    if (pinned_[v]) continue;
    const auto at = std::ranges::find(part.scope, v);
    if (at == part.scope.end()) continue;  // one state is left
    std::size_t stride = 1;
    for (auto next = at + 1; next != part.scope.end(); ++next) stride *= states(*next);
    std::vector<std::uint8_t> allowed(states(v), 0);
    for (std::size_t k = 0; k < part.scores.size(); ++k) {
      if (part.scores[k] > -kInf) allowed[k / stride % allowed.size()] = 1;
    }
    if (std::ranges::find(allowed, 0) != allowed.end()) keep_states(v, allowed);
    if (contradiction_) return;
  }
}

void SumReduction::keep_states(Variable v, const std::vector<std::uint8_t>& allowed) {
  const auto count = static_cast<std::size_t>(std::ranges::count(allowed, 1));
  if (count == 0) {
    contradiction_ = true;
    constant_ = -kInf;
    return;
  }
  const std::vector<PartId> parts = parts_of(v);
  for (const PartId id : parts) {
    Part& part = parts_[id];
    std::size_t stride = 1;
    for (auto k = part.scope.size(); part.scope[k - 1] != v; --k)
      stride *= states(part.scope[k - 1]);
    std::vector<double> scores;
    for (std::size_t k = 0; k < part.scores.size(); ++k) {
      if (allowed[k / stride % allowed.size()]) scores.push_back(part.scores[k]);
    }
    part.scores = std::move(scores);
    if (count == 1) {
      std::erase(part.scope, v);
      --alive_of_[v];
      if (part.scope.empty()) {
        constant_ += part.scores[0];
        contradiction_ = contradiction_ || constant_ == -kInf;
        part.alive = false;
      }
    }
    queue(id);
  }
  std::vector<State> left;
  for (std::size_t s = 0; s < allowed.size(); ++s) {
    if (allowed[s]) left.push_back(left_[v][s]);
  }
  left_[v] = std::move(left);
}

void SumReduction::take_apart(PartId id) {
  for (std::size_t place = 0; place < parts_[id].scope.size();) {
    if (parts_[id].scope.size() == 1 || !take_out(id, place)) ++place;
  }
}

// A part that is g(x_v) + h(all others) becomes h; g is a part of its own, unless it is constant.
bool SumReduction::take_out(PartId id, std::size_t place) {
  const Variable v = parts_[id].scope[place];
  const std::vector<double>& scores = parts_[id].scores;
  const std::size_t size = states(v);
  std::size_t stride = 1;
  for (std::size_t k = place + 1; k < parts_[id].scope.size(); ++k) {
    stride *= states(parts_[id].scope[k]);
  }
  const auto highest = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  const std::size_t row = highest / stride % size, rest = highest - row * stride;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const std::size_t s = k / stride % size;
    const double own = scores[rest + s * stride], others = scores[k - s * stride + row * stride];
    if (!equal(scores[k], own + others - scores[highest])) return false;
  }
  Part own{.scope = {v}, .scores = {}};
  bool constant = true;
  for (std::size_t s = 0; s < size; ++s) {
    own.scores.push_back(scores[rest + s * stride] - scores[highest]);
    constant = constant && equal(own.scores.back(), 0);
  }
  std::vector<double> others;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (k / stride % size == row) others.push_back(scores[k]);
  }
  parts_[id].scores = std::move(others);
  std::erase(parts_[id].scope, v);
  --alive_of_[v];
  if (!constant || alive_of_[v] == 0) {
    add_part(std::move(own));
  } else if (alive_of_[v] == 1) {
    queue_all_of(v);
  }
  return true;
}

// Adds it to a part that has all of its variables; false where there is none.
bool SumReduction::absorb(PartId id) {
  const std::vector<Variable> scope = parts_[id].scope;
  const Variable rarest = std::ranges::min(scope, {}, [&](Variable v) { return alive_of_[v]; });
  for (const PartId other : parts_of(rarest)) {
    Part& into = parts_[other];
    if (other == id || into.opaque || !std::ranges::includes(into.scope, scope)) continue;
    const std::vector<double> scores = std::move(parts_[id].scores);
    // How far a step of each variable of `into` goes in `scores`, and where it stands.
    std::vector<std::size_t> steps(into.scope.size(), 0), at(into.scope.size(), 0);
    for (std::size_t k = into.scope.size(), stride = 1; k-- > 0;) {
      if (!std::ranges::binary_search(scope, into.scope[k])) continue;
      steps[k] = stride;
      stride *= states(into.scope[k]);
    }
    std::size_t from = 0;
    for (double& score : into.scores) {
      score += scores[from];
      for (std::size_t k = at.size(); k-- > 0; at[k] = 0) {
        from += steps[k];
        if (++at[k] < states(into.scope[k])) break;
        from -= at[k] * steps[k];
      }
    }
    queue(other);
    drop(id);
    return true;
  }
  return false;
}

// One variable that no other part has; the part comes back for the next one.
void SumReduction::sum_out(PartId id) {
  Part& part = parts_[id];
  const auto at = std::ranges::find_if(
      part.scope, [&](Variable v) { return alive_of_[v] == 1 && !pinned_[v]; });
  if (at == part.scope.end()) return;
  const Variable v = *at;
  double whole = static_cast<double>(first_.states(v));
  for (const Variable u : part.scope) whole *= static_cast<double>(first_.states(u));
  if (whole > kMostNumbers) return;
  std::size_t stride = 1;
  for (auto next = at + 1; next != part.scope.end(); ++next) stride *= states(*next);
  const std::size_t size = states(v);
  Eliminated out{.v = v, .given = {}, .p = {}};
  std::size_t joint = first_.states(v);
  for (const Variable u : part.scope) {
    if (u == v) continue;
    out.given.push_back(u);
    joint *= first_.states(u);
  }
  out.p.assign(joint, 0);
  std::vector<double> sums;
  for (std::size_t k = 0; k < part.scores.size(); ++k) {
    if (k / stride % size != 0) continue;
    sums.push_back(log_sum(part.scores.data() + k, size, stride));
    // The row of this joint state of the others, by the states of the first graph.
    std::size_t rest = k, row = 0, step = 1;
    for (std::size_t place = part.scope.size(); place-- > 0;) {
      const Variable u = part.scope[place];
      if (u != v) {
        row += left_[u][rest % states(u)] * step;
        step *= first_.states(u);
      }
      rest /= states(u);
    }
    for (std::size_t s = 0; s < size && sums.back() > -kInf; ++s) {
      out.p[row * first_.states(v) + left_[v][s]] =
          std::exp(part.scores[k + s * stride] - sums.back());
    }
  }
  eliminated_.push_back(std::move(out));
  alive_of_[v] = 0;
  of_[v].clear();
  std::erase(part.scope, v);
  part.scores = std::move(sums);
  if (part.scope.empty()) {
    constant_ += part.scores[0];
    contradiction_ = contradiction_ || constant_ == -kInf;
    part.alive = false;
  } else {
    queue(id);
  }
}

void SumReduction::write() {
  number_.assign(first_.variables(), kGone);
  std::vector<std::uint8_t> gone(first_.variables(), 0);
  for (const Eliminated& each : eliminated_) gone[each.v] = 1;
  for (Variable v = 0; v < first_.variables(); ++v) {
    if (gone[v] || (states(v) < 2 && !pinned_[v])) continue;
    number_[v] = reduced_.add_variable(states(v));
  }
  reduced_.add_factor({}, reduced_.add_table(std::vector{contradiction_ ? -kInf : constant_}));
  if (contradiction_) return;
  for (const Part& part : parts_) {
    if (!part.alive) continue;
    std::vector<Variable> scope;
    for (const Variable v : part.opaque ? std::vector<Variable>(first_.scope(part.factor).begin(),
                                                                first_.scope(part.factor).end())
                                        : part.scope) {
      if (number_[v] == kGone) number_[v] = reduced_.add_variable(1);
      scope.push_back(number_[v]);
    }
    const PotentialId potential = part.opaque
                                      ? reduced_.add_copy(first_, first_.potential_of(part.factor))
                                      : reduced_.add_table(part.scores);
    reduced_.add_factor(scope, potential);
  }
}

bool SumReduction::needs_draws() const {
  return std::ranges::any_of(eliminated_, [](const auto& each) { return each.given.size() > 1; });
}

std::vector<State> SumReduction::whole(std::span<const State> x, Random& random) const {
  std::vector<State> all(first_.variables());
  for (Variable v = 0; v < all.size(); ++v) {
    all[v] = left_[v][number_[v] == kGone ? 0 : x[number_[v]]];
  }
  for (auto each = eliminated_.rbegin(); each != eliminated_.rend(); ++each) {
    std::size_t row = 0;
    for (const Variable u : each->given) row = row * first_.states(u) + all[u];
    const std::size_t size = first_.states(each->v);
    all[each->v] = draw(std::span(each->p).subspan(row * size, size), random);
  }
  return all;
}

VariableMarginals SumReduction::marginals(const VariableMarginals& left,
                                          std::span<const std::vector<State>> draws,
                                          std::span<const double> weights) const {
  VariableMarginals p(first_.variables());
  for (Variable v = 0; v < p.size(); ++v) {
    p[v].assign(first_.states(v), 0);
    for (std::size_t k = 0; k < states(v); ++k) {
      p[v][left_[v][k]] = number_[v] == kGone ? (states(v) == 1 ? 1.0 : 0.0) : left[number_[v]][k];
    }
  }
  Random random(1);
  std::vector<std::vector<State>> all;
  for (const auto& x : draws) all.push_back(whole(x, random));
  for (auto each = eliminated_.rbegin(); each != eliminated_.rend(); ++each) {
    std::vector<double>& own = p[each->v];
    std::ranges::fill(own, 0.0);
    const auto add = [&](std::size_t row, double weight) {
      for (std::size_t s = 0; s < own.size(); ++s) own[s] += weight * each->p[row * own.size() + s];
    };
    if (each->given.empty()) {
      add(0, 1);
    } else if (each->given.size() == 1) {
      for (State s = 0; s < p[each->given[0]].size(); ++s) add(s, p[each->given[0]][s]);
    } else {
      for (std::size_t k = 0; k < all.size(); ++k) {
        std::size_t row = 0;
        for (const Variable u : each->given) row = row * first_.states(u) + all[k][u];
        add(row, weights[k]);
      }
    }
    double sum = 0;
    for (const double x : own) sum += x;
    for (double& x : own) x /= sum;
  }
  return p;
}

}  // namespace croft
