#include "inference/graph/oracles/shared_sums.h"

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/infinity.h"

namespace croft {
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
    if (each.kind != PotentialKind::sparse) continue;
    for (const std::uint64_t state : graph.listed(p)) add(state);
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
    by_itself(derivative);
    if (last_.log_z == -kInf) return last_.log_z;
    for (std::size_t k = 0; k < derivative.size(); ++k) out[k] += scale * derivative[k];
    if (!together) return last_.log_z;
    const std::lock_guard lock(shape_->mutex);
    shape_->numbers.assign(graph_.numbers().begin(), graph_.numbers().end());
    shape_->derivative = std::move(derivative);
    shape_->sums = last_;
    return last_.log_z;
  }
  ResultKind kind() const override { return last_.kind; }
  bool converged() const override { return last_.converged; }

 private:
  bool alone() {
    const std::lock_guard lock(shape_->mutex);
    return shape_->users == 1 || shape_->in_vain > kPatience;
  }

  // From the shape's last sums, where they are of the same numbers to the last bit.
  bool copy(double scale, std::span<double> out) {
    const std::lock_guard lock(shape_->mutex);
    const std::span<const double> mine = graph_.numbers();
    if (shape_->numbers.size() != mine.size() ||
        std::memcmp(shape_->numbers.data(), mine.data(), mine.size_bytes()) != 0) {
      ++shape_->in_vain;
      return false;
    }
    shape_->in_vain = 0;
    last_ = shape_->sums;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += scale * shape_->derivative[k];
    return true;
  }

  void by_itself(std::span<double> derivative) {
    if (!own_) own_ = make_(graph_);
    last_.log_z = own_->sums(1, derivative);
    last_.kind = own_->kind();
    last_.converged = own_->converged();
  }

  static constexpr std::size_t kPatience = 64;
  const FactorGraph& graph_;
  SumOracleMaker make_;
  std::shared_ptr<Shape> shape_;
  std::unique_ptr<SumOracle> own_;
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
