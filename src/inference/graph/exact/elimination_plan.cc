#include "inference/graph/exact/elimination_plan.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "inference/graph/exact/scoped_table.h"

namespace croft {
namespace {

// So many of the largest inputs are tried as the one that is multiplied last.
constexpr std::size_t kTried = 8;
constexpr double kMostTableStates = 1u << 28;  // of a table

void add_missing(const std::vector<Variable>& from, std::vector<Variable>& to) {
  for (const Variable v : from) {
    if (!contains(to, v)) to.push_back(v);
  }
}

}  // namespace

class EliminationPlan::Maker {
 public:
  Maker(EliminationPlan& plan, const FactorGraph& graph, double most)
      : p_(plan), graph_(graph), most_(most) {
    p_.factors_ = graph.factors();
  }

  bool make(std::span<const Variable> order) {
    place_.assign(graph_.variables(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) place_[order[k]] = k;
    bucket_.resize(order.size());
    for (Factor f = 0; f < graph_.factors(); ++f) {
      Scoped leaf{f, {}};
      for (const Variable v : graph_.scope(f)) {
        if (graph_.states(v) > 1) leaf.scope.push_back(v);
      }
      if (leaf.scope.empty()) {
        p_.constants_.push_back(f);
      } else {
        keep(std::move(leaf));
      }
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (!eliminate(order[k], bucket_[k])) return false;
      bucket_[k] = {};
    }
    return true;
  }

 private:
  double states(const std::vector<Variable>& scope) const {
    double product = 1;
    for (const Variable v : scope) product *= static_cast<double>(graph_.states(v));
    return product;
  }

  void keep(Scoped table) {
    std::size_t first = bucket_.size();
    for (const Variable v : table.scope) first = std::min(first, place_[v]);
    bucket_[first].push_back(std::move(table));
  }

  // To the end: the input that is multiplied last.  The others' product is to be small.
  void choose_last(std::vector<Scoped>& inputs) const {
    std::ranges::stable_sort(inputs, {}, [&](const Scoped& s) { return states(s.scope); });
    const std::size_t n = inputs.size();
    std::size_t best = n - 1;
    double least = kInf;
    for (std::size_t k = n; k-- > 0 && n - k <= kTried;) {
      std::vector<Variable> rest;
      for (std::size_t i = 0; i < n; ++i) {
        if (i != k) add_missing(inputs[i].scope, rest);
      }
      if (states(rest) < least) least = states(rest), best = k;
    }
    std::rotate(inputs.begin() + static_cast<std::ptrdiff_t>(best),
                inputs.begin() + static_cast<std::ptrdiff_t>(best) + 1, inputs.end());
  }

  bool eliminate(Variable v, std::vector<Scoped>& inputs) {
    if (inputs.empty()) {
      p_.constant_ += std::log(static_cast<double>(graph_.states(v)));
      return true;
    }
    if (inputs.size() == 1) inputs.push_back({kOne, {}});
    choose_last(inputs);
    Scoped product = std::move(inputs[0]);
    for (std::size_t k = 1; k + 1 < inputs.size(); ++k) {
      std::vector<Variable> scope = product.scope, missing;
      if (states(scope) < states(inputs[k].scope)) scope = inputs[k].scope;
      for (const Scoped* each : {&product, &inputs[k]}) {
        for (const Variable u : each->scope) {
          if (!contains(scope, u) && !contains(missing, u)) missing.push_back(u);
        }
      }
      scope.insert(scope.begin(), missing.begin(), missing.end());
      if (!add(product, inputs[k], std::move(scope), false, product)) return false;
    }
    const Scoped& last = inputs.back();
    // What lies side by side in an input does so in the sum, unless both end in v.
    std::vector<Variable> scope;
    const auto ends_in_v = [&](const Scoped& s) { return !s.scope.empty() && s.scope.back() == v; };
    const bool last_behind = !ends_in_v(last) || ends_in_v(product);
    const std::vector<Variable>&front = last_behind ? product.scope : last.scope,
          &back = last_behind ? last.scope : product.scope;
    for (const Variable u : front) {
      if (u != v && !contains(back, u)) scope.push_back(u);
    }
    for (const Variable u : back) {
      if (u != v) scope.push_back(u);
    }
    Scoped sum;
    if (!add(product, last, std::move(scope), true, sum)) return false;
    if (sum.scope.empty()) {
      p_.steps_.back().root = true;
    } else {
      keep(std::move(sum));
    }
    return true;
  }

  bool add(const Scoped& a, const Scoped& b, std::vector<Variable> scope, bool scaled,
           Scoped& out) {
    const double size = states(scope);
    if (size > kMostTableStates || static_cast<double>(p_.numbers_) + size > most_) return false;
    std::vector<Variable> all = a.scope;
    add_missing(b.scope, all);
    std::vector<ContractionLoop> loops;
    for (const Variable v : all) {
      loops.push_back({static_cast<std::uint32_t>(graph_.states(v)), stride(a.scope, v),
                       stride(b.scope, v), stride(scope, v)});
    }
    Step step;
    step.a = a.table;
    step.b = b.table;
    step.first = p_.numbers_;
    step.size = static_cast<std::uint64_t>(size);
    step.scaled = scaled;
    step.forward = arrange(loops, p_.loops_);
    std::vector<ContractionLoop> to_a = loops, to_b = loops;
    for (ContractionLoop& each : to_a) each = {each.extent, each.out, each.b, each.a};
    for (ContractionLoop& each : to_b) each = {each.extent, each.out, each.a, each.b};
    step.to_a = arrange(std::move(to_a), p_.loops_);
    if (b.table != kOne) step.to_b = arrange(std::move(to_b), p_.loops_);
    p_.numbers_ += (step.size + kLanePadding - 1) / kLanePadding * kLanePadding;
    out = {static_cast<Table>(p_.factors_ + p_.steps_.size()), std::move(scope)};
    p_.steps_.push_back(step);
    return true;
  }

  std::uint32_t stride(const std::vector<Variable>& scope, Variable v) const {
    std::size_t stride = 1;
    for (std::size_t k = scope.size(); k-- > 0;) {
      if (scope[k] == v) return static_cast<std::uint32_t>(stride);
      stride *= graph_.states(scope[k]);
    }
    return 0;
  }

  EliminationPlan& p_;
  const FactorGraph& graph_;
  double most_;
  std::vector<std::size_t> place_;           // [variables] in the order
  std::vector<std::vector<Scoped>> bucket_;  // [place] of the first variable of a table
};

std::unique_ptr<const EliminationPlan> EliminationPlan::make(const FactorGraph& graph,
                                                             std::span<const Variable> order,
                                                             double most) {
  auto plan = std::make_unique<EliminationPlan>();
  if (!Maker(*plan, graph, most).make(order)) return nullptr;
  plan->steps_.shrink_to_fit();
  plan->loops_.shrink_to_fit();
  return plan;
}

double EliminationPlan::forward(std::span<const PlanLeaf> leaf, const double* leaves,
                                PlanWorkspace& work) const {
  if (work.value.size() < numbers_) work.value.resize(numbers_);
  work.lowest.resize(steps_.size());
  work.scaling.resize(steps_.size());
  const double one = 1;
  const auto numbers_of = [&](Table t) -> const double* {
    if (t == kOne) return &one;
    if (t < factors_) return leaves + leaf[t].first;
    return work.value.data() + steps_[t - factors_].first;
  };
  const auto lowest_of = [&](Table t) {
    if (t == kOne) return 0.0;
    return t < factors_ ? leaf[t].lowest : work.lowest[t - factors_];
  };
  CompensatedSum log_z;
  log_z.add(constant_);
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& step = steps_[k];
    const double lowest = lowest_of(step.a) + lowest_of(step.b);
    if (!(lowest > kLeastProduct)) return -kInf;
    double* out = work.value.data() + step.first;
    std::fill_n(out, step.size, 0.0);
    contract(step.forward, loops_, numbers_of(step.a), numbers_of(step.b), out);
    work.lowest[k] = lowest;
    if (!step.scaled) continue;
    const NumberRange range = range_of(out, step.size);
    work.scaling[k] = 1 / range.high;
    work.lowest[k] = std::log(range.low / range.high);
    scale(out, step.size, work.scaling[k]);
    log_z.add(std::log(range.high));
  }
  return log_z.value();
}

void EliminationPlan::backward(std::span<const PlanLeaf> leaf, const double* leaves, double* bar,
                               PlanWorkspace& work) const {
  if (work.bar.size() < numbers_) work.bar.resize(numbers_);
  const double one = 1;
  for (const Factor f : constants_) bar[leaf[f].first] += 1;
  for (std::size_t k = steps_.size(); k-- > 0;) {
    const Step& step = steps_[k];
    double* out = work.bar.data() + step.first;
    if (step.root) out[0] = 1 / work.value[step.first];
    if (step.scaled) scale(out, step.size, work.scaling[k]);
    const auto send = [&](const Contraction& way, Table to, Table other) {
      if (to == kOne) return;
      double* target = bar;
      if (to < factors_) {
        target += leaf[to].first;
      } else {
        const Step& from = steps_[to - factors_];
        target = work.bar.data() + from.first;
        std::fill_n(target, from.size, 0.0);
      }
      const double* numbers = &one;
      if (other != kOne) {
        numbers = other < factors_ ? leaves + leaf[other].first
                                   : work.value.data() + steps_[other - factors_].first;
      }
      contract(way, loops_, out, numbers, target);
    };
    send(step.to_a, step.a, step.b);
    send(step.to_b, step.b, step.a);
  }
}

}  // namespace croft
