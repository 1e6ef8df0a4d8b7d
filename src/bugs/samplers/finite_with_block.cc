#include <algorithm>
#include <cmath>
#include <vector>

#include "bugs/distributions/densities.h"
#include "bugs/distributions/draws.h"
#include "bugs/node_values.h"
#include "bugs/samplers/blanket.h"
#include "bugs/samplers/linear_model.h"
#include "bugs/samplers/single_site.h"

namespace croft::bugs {
namespace {

// A finite node k and a linear block x, drawn together from
//
//   q(k, x) ~ p(k, m_k) |P_k|^(-1/2) N(x; m_k, P_k^-1)
//
// with m_k the mode of p(x | k, rest) and P_k the precision there, accepted by the ratio of p / q.
// If all children of the block are normal, q is p and every draw is accepted.  m_k and P_k do
// not depend on the present k and x: docs/math/bugs_samplers.md section 4.
class FiniteWithBlock : public Sampler {
 public:
  FiniteWithBlock(const ModelGraph& graph, std::vector<NodeId> nodes,
                  std::unique_ptr<LinearModel> model)
      : graph_(graph),
        nodes_(std::move(nodes)),
        model_(std::move(model)),
        blanket_(graph, nodes_, nodes_),
        slot_(graph.node(nodes_[0]).first) {
    for (const NodeId id : nodes_) laws_.emplace_back(graph, id);
  }
  std::string name() const override { return "finite with linear block"; }
  std::span<const NodeId> nodes() const override { return nodes_; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    double& k = values[slot_];
    blanket_.begin(values);
    const double old_k = k, here = log_density(values);
    model_->begin(values, old_x_);
    const Bounds limits = laws_[0].truncation(values);
    const Bounds range = support(laws_[0].distribution(), laws_[0].parameters(values));
    const double low = std::max(range.lower, std::ceil(limits.lower));
    const double high = std::min(range.upper, std::floor(limits.upper));
    log_weights_.clear();
    double most = kNever, of_old = kNever;
    for (k = low; k <= high; ++k) {
      log_weights_.push_back(kNever);
      if (!find_mode(values)) continue;
      write(mean_, values);
      blanket_.run(values);
      const double weight = log_density(values) - log_root_;
      if (!std::isfinite(weight)) continue;
      log_weights_.back() = weight;
      most = std::max(most, weight);
      if (k == old_k) of_old = weight + log_normal(old_x_);
    }
    const bool moves = most > kNever && of_old > kNever && std::isfinite(here) &&
                       propose(values, low, most, here - of_old, random);
    if (moves) return;
    k = old_k;
    write(old_x_, values);
    blanket_.run(values);
  }

 private:
  // ln p of the node, the block and their children.
  double log_density(const double* values) {
    double sum = 0;
    for (NodeView& law : laws_) sum += law.log_density(values, Part::whole);
    return sum > kNever ? sum + blanket_.log_likelihood(values) : kNever;
  }

  void write(const std::vector<double>& x, double* values) const {
    const auto slots = model_->elements();
    for (std::size_t i = 0; i < slots.size(); ++i) values[slots[i]] = x[i];
  }

  // m_k, and P_k in the model's factor.  False: k is impossible, or P_k is not positive definite.
  bool find_mode(double* values) {
    constexpr int kMostSteps = 20;
    if (!(laws_[0].log_density(values, Part::whole) > kNever)) return false;
    graph_.evaluate(graph_.dependents(nodes_[0]), values);
    model_->begin(values, mean_);
    if (model_->responses() == 0) {
      model_->gaussian_part(mean_);
      return solve(nullptr);
    }
    mean_.assign(mean_.size(), 0);  // from where no state of the chain matters
    model_->predictors(mean_, eta_);
    for (int step = 0; step < kMostSteps; ++step) {
      model_->stand_ins(eta_, w_, beta_);
      model_->gaussian_part(mean_);
      for (std::size_t c = 0; c < w_.size(); ++c) beta_[c] -= w_[c] * model_->offset(c);
      model_->add_products(w_);
      model_->add_weighted(beta_, mean_);
      if (!solve(&w_)) return false;
      model_->predictors(mean_, next_);
      double longest = 0;
      for (std::size_t c = 0; c < eta_.size(); ++c) {  // far steps are cut
        const double change = std::clamp(next_[c] - eta_[c], -3.0, 3.0);
        if (std::isnan(change)) return false;
        longest = std::max(longest, std::fabs(change));
        eta_[c] += change;
      }
      if (longest < 1e-3) break;
    }
    return true;
  }

  bool solve(const std::vector<double>* w) {
    const SparseCholesky& p = model_->cholesky();
    if (!model_->factorise(mean_, old_x_, w, &beta_) || !model_->held().empty()) return false;
    log_root_ = p.log_root_determinant();
    p.solve_upper(mean_.data());
    return true;
  }

  // ln N(x; m_k, P_k^-1), without the constant.
  double log_normal(const std::vector<double>& x) {
    deviation_.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) deviation_[i] = x[i] - mean_[i];
    return log_root_ - 0.5 * model_->cholesky().square(deviation_.data());
  }

  //   old_ratio : ln p / q of the present state
  bool propose(double* values, double low, double most, double old_ratio, Random& random) {
    double total = 0;
    for (const double w : log_weights_) total += std::exp(w - most);
    double left = random.uniform() * total;
    std::size_t chosen = 0;
    for (std::size_t at = 0; at < log_weights_.size(); ++at) {
      const double weight = std::exp(log_weights_[at] - most);
      if (!(weight > 0)) continue;
      chosen = at;
      if (left < weight) break;
      left -= weight;
    }
    values[slot_] = low + static_cast<double>(chosen);
    if (!find_mode(values)) return false;
    deviation_.resize(mean_.size());
    double squares = 0;
    for (double& z : deviation_) {
      z = draw_normal(random);
      squares += z * z;
    }
    model_->cholesky().solve_upper(deviation_.data());
    for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += deviation_[i];
    write(mean_, values);
    blanket_.run(values);
    const double ratio = log_density(values) - (log_weights_[chosen] + log_root_ - 0.5 * squares);
    return random.uniform() < std::exp(std::min(0.0, ratio - old_ratio));  // false for NaN
  }

  const ModelGraph& graph_;
  std::vector<NodeId> nodes_;  // k, then the block
  std::unique_ptr<LinearModel> model_;
  Blanket blanket_;
  Slot slot_;
  std::vector<NodeView> laws_;
  double log_root_ = 0;  // ln |P|^(1/2)
  std::vector<double> log_weights_;
  std::vector<double> old_x_, mean_, deviation_, eta_, next_, w_, beta_;
};

// Nodes of the block with at most three children, one of them in the list.
std::vector<NodeId> parents_of_few(const ModelGraph& graph, std::span<const NodeId> children,
                                   std::span<const NodeId> block) {
  constexpr std::size_t kFew = 3;
  std::vector<NodeId> found;
  for (const NodeId id : block) {
    const auto own = graph.children(id);
    const auto shared = [&](NodeId child) { return std::ranges::binary_search(own, child); };
    if (own.size() <= kFew && std::ranges::any_of(children, shared)) found.push_back(id);
  }
  return found;
}

}  // namespace

SamplerPointer make_finite_with_block(const ModelGraph& graph, NodeId id,
                                      std::span<const NodeId> block, std::span<const NodeId> near,
                                      double* work) {
  constexpr double kMostStates = 200;
  const Node& node = graph.node(id);
  if (node.count != 1 || !distribution(node.distribution).discrete) return nullptr;
  const Bounds values = possible_values(graph, node);
  const double states = values.upper - values.lower + 1;
  // One child beyond the block is a tie to those of the block alone that hardly have another one.
  const auto children = graph.children(id);
  const auto in = [&](std::span<const NodeId> some) {  // up to two are counted
    int found = 0;
    for (const NodeId child : children) {
      if (std::ranges::binary_search(some, child) && ++found == 2) break;
    }
    return found;
  };
  std::vector<NodeId> few;
  std::size_t seen = near.size();
  const int near_children = in(near);
  if (near_children < 2 && in(block) == 0) {
    if (near_children == 0) return nullptr;
    block = few = parents_of_few(graph, children, block);
    seen = few.size() + graph.children_of(few).size();
  }
  const double cost = states * static_cast<double>(seen * block.size());
  if (block.empty() || !(states <= kMostStates) || cost > *work) return nullptr;
  if (std::ranges::find(block, id) != block.end() || make_finite(graph, id) == nullptr) {
    return nullptr;
  }
  std::unique_ptr<LinearModel> model = LinearModel::make(graph, block);
  if (model == nullptr) return nullptr;
  *work -= cost;
  std::vector<NodeId> nodes = {id};
  nodes.insert(nodes.end(), block.begin(), block.end());
  return std::make_unique<FiniteWithBlock>(graph, std::move(nodes), std::move(model));
}

}  // namespace croft::bugs
