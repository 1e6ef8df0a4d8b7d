#include "inference/graph/oracles/shared_plans.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/inference/graph_result.h"
#include "structure/factor_numbers.h"

namespace croft {

std::string structure_of(const FactorGraph& graph) {
  std::vector<std::uint32_t> numbers{static_cast<std::uint32_t>(graph.variables())};
  for (Variable v = 0; v < graph.variables(); ++v) {
    numbers.push_back(static_cast<std::uint32_t>(graph.states(v)));
  }
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    numbers.push_back(static_cast<std::uint32_t>(scope.size()));
    numbers.insert(numbers.end(), scope.begin(), scope.end());
  }
  std::string key(numbers.size() * sizeof(std::uint32_t), '\0');
  std::memcpy(key.data(), numbers.data(), key.size());
  return key;
}

std::shared_ptr<const SharedPlans::Structure> SharedPlans::of(const FactorGraph& graph) {
  std::shared_ptr<Entry> entry;
  {
    std::string key = structure_of(graph);
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Entry>& known = entries_[std::move(key)];
    if (!known) known = std::make_shared<Entry>();
    entry = known;
  }
  std::call_once(entry->made, [&] {
    entry->structure.order = find_elimination_order(graph, {.progress = until_interrupted()});
    entry->structure.plan = EliminationPlan::make(graph, entry->structure.order.order, most_);
  });
  return {entry, &entry->structure};
}

std::unique_ptr<SumsWorkspace> SharedPlans::take() {
  const std::lock_guard lock(mutex_);
  if (workspaces_.empty()) return std::make_unique<SumsWorkspace>();
  auto workspace = std::move(workspaces_.back());
  workspaces_.pop_back();
  return workspace;
}

void SharedPlans::give_back(std::unique_ptr<SumsWorkspace> workspace) {
  const std::lock_guard lock(mutex_);
  workspaces_.push_back(std::move(workspace));
}

bool is_forest(const FactorGraph& graph) {
  std::vector<Variable> piece(graph.variables());
  std::iota(piece.begin(), piece.end(), Variable{0});
  const auto root = [&](Variable v) {
    while (piece[v] != v) v = piece[v] = piece[piece[v]];
    return v;
  };
  for (Factor f = 0; f < graph.factors(); ++f) {
    Variable first = kUnobserved;
    for (const Variable v : graph.scope(f)) {
      if (graph.states(v) < 2) continue;
      if (first == kUnobserved) {
        first = v;
      } else if (root(first) == root(v)) {
        return false;
      } else {
        piece[root(v)] = root(first);
      }
    }
  }
  return true;
}

namespace {

class PlannedSums final : public SumOracle {
 public:
  PlannedSums(const FactorGraph& graph, std::shared_ptr<SharedPlans> plans,
              std::shared_ptr<const SharedPlans::Structure> structure,
              std::function<std::unique_ptr<SumOracle>()> otherwise)
      : graph_(graph),
        plans_(std::move(plans)),
        structure_(std::move(structure)),
        otherwise_(std::move(otherwise)) {
    find_leaves();
  }

  double sums(double scale, std::span<double> out) override {
    auto work = plans_->take();
    const double log_z = planned(scale, out, *work);
    plans_->give_back(std::move(work));
    by_plan_ = log_z > -kInf;
    if (by_plan_) return log_z;
    if (!other_) other_ = otherwise_();
    return other_->sums(scale, out);
  }
  ResultKind kind() const override { return by_plan_ ? ResultKind::exact : other_->kind(); }
  bool converged() const override { return by_plan_ || other_->converged(); }

 private:
  struct Leaf {
    Factor factor = 0;  // the first that it is of
    std::uint64_t first = 0, size = 0;
  };

  // Factors of a potential share a leaf where their scopes have the same states.
  void find_leaves() {
    std::vector<std::uint32_t> last(graph_.potentials(), kUnobserved);
    for (Factor f = 0; f < graph_.factors(); ++f) {
      std::uint32_t& leaf = last[graph_.potential_of(f)];
      if (leaf == kUnobserved || !alike(leaves_[leaf].factor, f)) {
        leaf = static_cast<std::uint32_t>(leaves_.size());
        leaves_.push_back({f, numbers_, graph_.joint_states(f)});
        numbers_ += (leaves_.back().size + kLanePadding - 1) / kLanePadding * kLanePadding;
      }
      leaf_of_.push_back(leaf);
    }
    leaf_of_.shrink_to_fit();
    leaves_.shrink_to_fit();
  }
  bool alike(Factor f, Factor g) const {
    return std::ranges::equal(
        graph_.scope(f), graph_.scope(g), {}, [&](Variable v) { return graph_.states(v); },
        [&](Variable v) { return graph_.states(v); });
  }
  bool is_table(const Leaf& leaf) const {
    return graph_.potential(graph_.potential_of(leaf.factor)).kind == PotentialKind::table;
  }

  // False where a score is -inf, or the numbers would not fit.
  bool expand(SumsWorkspace& work) const {
    work.leaves.resize(std::max<std::size_t>(work.leaves.size(), numbers_));
    work.of_leaf.resize(leaves_.size());
    work.offset.resize(leaves_.size());
    for (std::size_t k = 0; k < leaves_.size(); ++k) {
      const Leaf& leaf = leaves_[k];
      double* to = work.leaves.data() + leaf.first;
      if (is_table(leaf)) {
        std::ranges::copy(graph_.numbers(graph_.potential_of(leaf.factor)), to);
      } else {
        std::ranges::copy(graph_.table(leaf.factor), to);
      }
      const NumberRange range = range_of(to, leaf.size);
      const double lowest = range.low - range.high;
      if (!(lowest > kLeastProduct)) return false;
      exp_of_difference(to, leaf.size, range.high);
      work.of_leaf[k] = {leaf.first, lowest};
      work.offset[k] = range.high;
    }
    return true;
  }

  double planned(double scale, std::span<double> out, SumsWorkspace& work) const {
    if (!expand(work)) return -kInf;
    CompensatedSum log_z;
    work.leaf.resize(leaf_of_.size());
    for (Factor f = 0; f < leaf_of_.size(); ++f) {
      work.leaf[f] = work.of_leaf[leaf_of_[f]];
      log_z.add(work.offset[leaf_of_[f]]);
    }
    const EliminationPlan& plan = *structure_->plan;
    const double rest = plan.forward(work.leaf, work.leaves.data(), work.plan);
    if (rest == -kInf) return rest;
    log_z.add(rest);
    work.bar.assign(numbers_, 0);
    plan.backward(work.leaf, work.leaves.data(), work.bar.data(), work.plan);
    for (const Leaf& leaf : leaves_) {
      const double *number = work.leaves.data() + leaf.first, *bar = work.bar.data() + leaf.first;
      if (is_table(leaf)) {
        double* to = out.data() + graph_.potential(graph_.potential_of(leaf.factor)).first;
        for (std::size_t k = 0; k < leaf.size; ++k) to[k] += scale * (number[k] * bar[k]);
      } else {
        std::size_t k = 0;
        for_each_number(graph_, leaf.factor, [&](std::uint64_t place) {
          if (place != kNoScore) out[place] += scale * (number[k] * bar[k]);
          ++k;
        });
      }
    }
    return log_z.value();
  }

  const FactorGraph& graph_;
  std::shared_ptr<SharedPlans> plans_;
  std::shared_ptr<const SharedPlans::Structure> structure_;
  std::function<std::unique_ptr<SumOracle>()> otherwise_;
  std::unique_ptr<SumOracle> other_;
  bool by_plan_ = true;
  std::vector<std::uint32_t> leaf_of_;  // [factors]
  std::vector<Leaf> leaves_;
  std::uint64_t numbers_ = 0;
};

}  // namespace

std::unique_ptr<SumOracle> planned_sums(const FactorGraph& graph,
                                        std::shared_ptr<SharedPlans> plans,
                                        std::shared_ptr<const SharedPlans::Structure> structure,
                                        std::function<std::unique_ptr<SumOracle>()> otherwise) {
  return std::make_unique<PlannedSums>(graph, std::move(plans), std::move(structure),
                                       std::move(otherwise));
}

namespace {

// All of a graph but its numbers, as bytes.
std::string shape_of(const FactorGraph& graph) {
  std::string key;
  const auto add = [&](std::uint64_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    key.append(bytes, sizeof number);
  };
  add(graph.variables());
  for (Variable v = 0; v < graph.variables(); ++v) add(graph.states(v));
  for (Factor f = 0; f < graph.factors(); ++f) {
    add(graph.potential_of(f));
    add(graph.scope(f).size());
    for (const Variable v : graph.scope(f)) add(v);
  }
  for (PotentialId p = 0; p < graph.potentials(); ++p) {
    const Potential& each = graph.potential(p);
    add(static_cast<std::uint64_t>(each.kind) * 2 + (each.odd ? 1 : 0));
    add(each.first);
    add(each.count);
    if (each.kind == PotentialKind::sparse) {
      for (const std::uint64_t state : graph.listed(p)) add(state);
    } else if (each.kind == PotentialKind::cardinality) {
      for (const std::uint64_t from : graph.ranges(p)) add(from);
    }
    add(each.counted * 2 + (each.alike ? 1 : 0));
    for (const std::uint8_t byte : graph.counted(p)) key.push_back(static_cast<char>(byte));
  }
  return key;
}

struct Sums {
  double log_z = 0;
  ResultKind kind = ResultKind::exact;
  bool converged = true;
};

// The last sums of a shape.
struct Shape {
  std::mutex mutex;
  std::vector<double> numbers, derivative;  // empty: none yet
  std::array<std::uint64_t, 2> start{};     // the id of what they were computed from
  std::shared_ptr<const SumState> end;      // what they have left
  Sums sums;
  std::size_t users = 0;
  std::size_t in_vain = 0;  // that found others' numbers, one after the other
};

struct Shapes {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Shape>> of;
};

class SharedSums final : public SumOracle {
 public:
  // The first of a shape is made at once: what does not fit the memory is known before training.
  SharedSums(const FactorGraph& graph, const SumOracleMaker& make, std::shared_ptr<Shape> shape,
             bool first)
      : graph_(graph), make_(make), shape_(std::move(shape)) {
    if (first) own_ = make_(graph_);
  }

  double sums(double scale, std::span<double> out) override {
    const bool together = !alone();
    if (together && copy(scale, out)) return last_.log_z;
    // The same arithmetic, shared or not: who meets whose numbers is a matter of threads.
    std::vector<double> derivative(graph_.numbers().size(), 0);
    const auto start = id_of(state_);
    by_itself(derivative);
    if (last_.log_z == -kInf) return last_.log_z;
    for (std::size_t k = 0; k < derivative.size(); ++k) out[k] += scale * derivative[k];
    if (!together) return last_.log_z;
    const std::lock_guard lock(shape_->mutex);
    shape_->numbers.assign(graph_.numbers().begin(), graph_.numbers().end());
    shape_->derivative = std::move(derivative);
    shape_->sums = last_;
    shape_->start = start;
    shape_->end = state_;
    return last_.log_z;
  }
  ResultKind kind() const override { return last_.kind; }
  bool converged() const override { return last_.converged; }
  std::shared_ptr<const SumState> state() const override { return state_; }
  void set_state(std::shared_ptr<const SumState> state) override { state_ = std::move(state); }

 private:
  static std::array<std::uint64_t, 2> id_of(const std::shared_ptr<const SumState>& state) {
    return state ? state->id : std::array<std::uint64_t, 2>{};
  }
  bool alone() {
    const std::lock_guard lock(shape_->mutex);
    return shape_->users == 1 || shape_->in_vain > kPatience;
  }

  // From the shape's last sums, where they are of the same numbers to the last bit, and computed
  // from the same state.
  bool copy(double scale, std::span<double> out) {
    const std::lock_guard lock(shape_->mutex);
    const std::span<const double> mine = graph_.numbers();
    if (shape_->numbers.size() != mine.size() || shape_->start != id_of(state_) ||
        std::memcmp(shape_->numbers.data(), mine.data(), mine.size_bytes()) != 0) {
      ++shape_->in_vain;
      return false;
    }
    shape_->in_vain = 0;
    last_ = shape_->sums;
    state_ = shape_->end;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += scale * shape_->derivative[k];
    return true;
  }

  void by_itself(std::span<double> derivative) {
    if (!own_) own_ = make_(graph_);
    own_->set_state(state_);
    last_.log_z = own_->sums(1, derivative);
    state_ = own_->state();
    last_.kind = own_->kind();
    last_.converged = own_->converged();
  }

  static constexpr std::size_t kPatience = 64;
  const FactorGraph& graph_;
  SumOracleMaker make_;
  std::shared_ptr<Shape> shape_;
  std::unique_ptr<SumOracle> own_;
  std::shared_ptr<const SumState> state_;
  Sums last_;
};

}  // namespace

SumOracleMaker shared_sums(SumOracleMaker make) {
  const auto shapes = std::make_shared<Shapes>();
  return [make = std::move(make), shapes](const FactorGraph& graph) -> std::unique_ptr<SumOracle> {
    std::shared_ptr<Shape> shape;
    bool first = false;
    {
      const std::lock_guard lock(shapes->mutex);
      std::shared_ptr<Shape>& known = shapes->of[shape_of(graph)];
      if (!known) known = std::make_shared<Shape>();
      shape = known;
      const std::lock_guard counting(shape->mutex);
      first = ++shape->users == 1;
    }
    return std::make_unique<SharedSums>(graph, make, std::move(shape), first);
  };
}

}  // namespace croft
