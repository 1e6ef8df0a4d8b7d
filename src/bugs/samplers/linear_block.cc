#include "bugs/samplers/linear_block.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bugs/distributions/densities.h"
#include "bugs/distributions/draws.h"
#include "bugs/samplers/linear_model.h"
#include "bugs/samplers/power_law.h"
#include "bugs/samplers/univariate.h"

namespace croft::bugs {
namespace {

using Id = DistributionId;

class LinearBlock : public Sampler {
 public:
  LinearBlock(const ModelGraph& graph, std::vector<NodeId> nodes,
              std::unique_ptr<LinearModel> model)
      : graph_(graph), nodes_(std::move(nodes)), model_(std::move(model)) {
    operations_ = graph.dependents_of(nodes_);
    for (const NodeId id : nodes_) {
      const Node& node = graph.node(id);
      if (node.lower != kNothing || node.upper != kNothing)
        truncated_.push_back({node.first, node.lower, node.upper});
    }
  }
  std::string name() const override {
    const std::string base = model_->responses() > 0 ? "Hamiltonian block"
                             : nodes_.size() > 1     ? "linear Gaussian block"
                                                     : "conjugate normal";
    return scales_.empty() ? base : base + " with scales";
  }
  std::span<const NodeId> nodes() const override { return nodes_; }

  void update(ChainState& state, Random& random) override {
    double* const values = state.values.data();
    model_->begin(values, x_);
    const bool moved = model_->responses() == 0 ? exact(values, random) : go_round(values, random);
    for (const std::uint32_t k : model_->held()) move_alone(k, values, random);
    for (Scale& scale : scales_) move_scale(scale, values, random);
    if (!moved && scales_.empty() && model_->held().empty()) return;
    write(values);
    graph_.evaluate(operations_, values);
  }

  void end_adaptation() override {
    adapting_ = false;
    for (Scale& scale : scales_) scale.steps.end_adaptation();
  }
  void archive(StateArchive& state) override {
    state(adapting_), state(updates_), state(effort_), state(window_), state(accepted_);
    state(centre_), state(rejected_), state(held_some_), state(unmoved_), radius_.archive(state);
    for (Scale& scale : scales_) scale.steps.archive(state);
  }

  Trouble trouble() const override {
    return unmoved_ ? Trouble::unmoved : held_some_ ? Trouble::held : Trouble::none;
  }

  // The node scales the deviations of nodes of the block: its precisions are powers of it.
  void add_scale(NodeId id, double power, std::span<const Slot> precisions) {
    if (model_->has_groups() || !truncated_.empty()) return;
    LinearModel::Members members = model_->members(precisions);
    if (members.rows.empty()) return;
    scales_.push_back(
        {id, graph_.node(id).first, -2 / power, std::move(members), NodeView(graph_, id), {}});
  }

 private:
  struct Truncated {
    Slot slot, lower, upper;
  };
  static constexpr double kFirst = 15;  // updates in which the centre is looked for
  struct Scale {
    NodeId id;
    Slot slot;
    double exponent;  // the node's, where deviations are multiplied by s: node := node s^exponent
    LinearModel::Members members;
    NodeView prior;
    SliceSteps steps;
  };

  // Deviations times s, the node times s^exponent: the members' priors stay as they are but for
  // their normalisers, which the Jacobian makes up for.  One slice of ln node.
  void move_scale(Scale& scale, double* values, Random& random) {
    double& node = values[scale.slot];
    if (!(node > 0)) return;
    model_->deviations(scale.members, x_, direction_);
    // Deviations that have not left 0 leave the scale to its prior; the move does not change this.
    if (!(model_->squared_deviations(scale.members, direction_, values) >
          1e-6 * static_cast<double>(scale.members.rows.size())))
      return;
    double slope = 0, curvature = 0;
    model_->line(scale.members, x_, direction_, &slope, &curvature, along_);
    if (!along_.empty()) model_->predictors(x_, eta_);
    trial_.resize(along_.size());
    const double old = node, y = std::log(old);
    double v = 0;
    const auto f = [&](double at) {
      node = at == y ? old : std::exp(at);
      if (!(node > 1e-290 && node < 1e290)) return kNever;
      const double of_prior = scale.prior.log_density(values, Part::of_value);
      if (!(of_prior > kNever)) return kNever;
      v = at == y ? 0 : std::expm1((at - y) / scale.exponent);
      double sum = of_prior + at - v * (slope + 0.5 * v * curvature);
      if (along_.empty()) return sum;
      for (std::size_t c = 0; c < trial_.size(); ++c) trial_[c] = eta_[c] + v * along_[c];
      sum += model_->log_likelihood(trial_);
      return std::isnan(sum) ? kNever : sum;
    };
    const double here = f(y);
    if (!std::isfinite(here)) return;
    scale.steps.step(y, here, f, random);
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += v * direction_[k];
    graph_.evaluate(graph_.dependents(scale.id), values);
    model_->read_precisions(scale.members, values);
  }
  // Angle steps and Newton steps of the stand-ins, from cheap to careful.
  struct Effort {
    int kicks, newton;
  };
  static constexpr Effort kAtFirst = {4, 6};
  static constexpr Effort kEfforts[] = {{1, 0}, {2, 0}, {3, 0},  {2, 1},  {3, 1}, {4, 1},
                                        {6, 1}, {8, 1}, {12, 1}, {16, 1}, {24, 1}};

  void write(double* values) const {
    const auto slots = model_->elements();
    for (std::size_t k = 0; k < slots.size(); ++k) values[slots[k]] = x_[k];
  }
  bool within(double* values) const {
    if (truncated_.empty()) return true;
    write(values);
    for (const Truncated& t : truncated_) {
      if (t.lower != kNothing && !(values[t.slot] >= values[t.lower])) return false;
      if (t.upper != kNothing && !(values[t.slot] <= values[t.upper])) return false;
    }
    return true;
  }

  // b := L^-1 b, of P in the factor's entries.
  bool factorise(std::vector<double>& b, const std::vector<double>* w = nullptr) {
    const bool has_factor = model_->factorise(b, x_, w, &pull_);
    if (!adapting_) {
      held_some_ = held_some_ || !model_->held().empty();
      unmoved_ = unmoved_ || !has_factor;
    }
    return has_factor;
  }
  // b := P^-1 b; elements that are held are where they are.
  bool solve(std::vector<double>& b) {
    if (!factorise(b, &w_)) return false;
    solve_upper(b);
    return true;
  }
  void solve_upper(std::vector<double>& x) {
    kept_.clear();
    for (const std::uint32_t k : model_->held()) kept_.push_back(x_[k]);
    model_->cholesky().solve_upper(x.data());
    for (std::size_t k = 0; k < kept_.size(); ++k) x[model_->held()[k]] = kept_[k];
  }
  void draw_deviation(std::vector<double>& u, Random& random) {  // N(0, P^-1)
    u.resize(x_.size());
    for (double& z : u) z = draw_normal(random);
    model_->cholesky().solve_upper(u.data());
  }

  // Independent of the state.  With truncated nodes the first draw within the bounds is taken;
  // where ten are not, the state stays.
  bool exact(double* values, Random& random) {
    model_->gaussian_part(mean_);
    if (!factorise(mean_)) return false;
    if (truncated_.empty()) {
      for (double& x : mean_) x += draw_normal(random);
      solve_upper(mean_);
      x_.swap(mean_);
      return true;
    }
    solve_upper(mean_);
    old_ = x_;
    for (int attempt = 0; attempt < 10; ++attempt) {
      draw_deviation(x_, random);
      for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += mean_[k];
      if (within(values)) return true;
    }
    x_ = old_;
    write(values);
    return false;
  }

  // The quadratic form whose ellipses the steps follow: stand-ins at predictors that do not depend
  // on the block's state.
  bool make_form(int newton) {
    if (!adapting_ && newton == 0 && model_->constant_responses()) return make_form_again();
    for (int step = 0; step <= newton; ++step) {
      if (step == 0) {
        model_->stand_ins(base_, w_, beta_);
      } else {
        model_->predictors(mean_, trial_);
        for (std::size_t c = 0; c < trial_.size(); ++c)  // far steps are cut
          trial_[c] = base_[c] + std::clamp(trial_[c] - base_[c], -5.0, 5.0);
        model_->stand_ins(trial_, w_, beta_);
      }
      model_->gaussian_part(mean_);
      for (std::size_t c = 0; c < w_.size(); ++c) pull_[c] = beta_[c] - w_[c] * model_->offset(c);
      model_->add_products(w_);
      model_->add_weighted(pull_, mean_);
      if (!solve(mean_)) return false;
    }
    return true;
  }

  // The same where the stand-ins are always the same: what they add is kept.
  bool make_form_again() {
    SparseCholesky& p = model_->cholesky();
    if (kept_b_.empty()) {
      model_->stand_ins(base_, w_, beta_);
      for (std::size_t c = 0; c < w_.size(); ++c) pull_[c] = beta_[c] - w_[c] * model_->offset(c);
      std::fill(p.entries().begin(), p.entries().end(), 0.0);
      model_->add_products(w_);
      kept_entries_.assign(p.entries().begin(), p.entries().end());
      kept_b_.assign(x_.size(), 0.0);
      model_->add_weighted(pull_, kept_b_);
    }
    model_->gaussian_part(mean_);
    for (std::size_t k = 0; k < kept_entries_.size(); ++k) p.entries()[k] += kept_entries_[k];
    for (std::size_t k = 0; k < kept_b_.size(); ++k) mean_[k] += kept_b_[k];
    return solve(mean_);
  }

  // The centre follows the conditional mode, whatever the block's own state; in the burn-in only.
  void adapt_centre() {
    model_->predictors(mean_, trial_);
    const double gain = updates_ < kFirst ? 1 : 1 / std::min(updates_ - kFirst + 2, 200.0);
    const double most = updates_ < kFirst ? 3 : 1;
    for (std::size_t c = 0; c < trial_.size(); ++c) {
      if (std::isfinite(trial_[c]))
        centre_[c] += gain * std::clamp(trial_[c] - base_[c], -most, most);
    }
  }

  bool go_round(double* values, Random& random) {
    pull_.resize(model_->responses());
    base_.resize(model_->responses());
    if (centre_.empty()) model_->own_estimates(centre_);
    for (std::size_t c = 0; c < centre_.size(); ++c) base_[c] = centre_[c] - model_->shift(c);
    const Effort effort = adapting_ && updates_ < kFirst ? kAtFirst : kEfforts[effort_];
    if (!make_form(effort.newton)) {
      if (adapting_) adapt_effort(0);
      return false;
    }
    const bool far = adapting_ && (updates_ < kFirst || rejected_);
    if (far) go_along_ray(values, random);
    const double accepted = hamiltonian(values, effort.kicks, random);
    rejected_ = accepted < 0;
    if (adapting_) {
      adapt_centre();
      adapt_effort(std::fabs(accepted));
    }
    return far || !rejected_;
  }

  // x := m + s (x - m), by a slice of ln s under  s^n p(m + s (x - m)).  In one step it comes from
  // however far to where the density is, seen along the ray from the form's mean m.
  void go_along_ray(double* values, Random& random) {
    const std::size_t n = x_.size(), moving = n - model_->held().size();
    direction_.resize(n);
    for (std::size_t k = 0; k < n; ++k) direction_[k] = x_[k] - mean_[k];
    const double square = model_->cholesky().square(direction_.data()), y = 0.5 * std::log(square);
    if (!std::isfinite(y)) return;
    model_->predictors(x_, along_);
    model_->predictors(mean_, eta_);
    for (std::size_t c = 0; c < along_.size(); ++c) along_[c] -= eta_[c];
    trial_.resize(along_.size());
    old_ = x_;
    const auto f = [&](double at) {
      const double s = at == y ? 1 : std::exp(at - y);
      for (std::size_t k = 0; k < n; ++k) x_[k] = at == y ? old_[k] : mean_[k] + s * direction_[k];
      if (!within(values)) return kNever;
      for (std::size_t c = 0; c < trial_.size(); ++c) trial_[c] = eta_[c] + s * along_[c];
      const double sum = static_cast<double>(moving) * at - 0.5 * s * s * square +
                         model_->remainder(trial_, w_, beta_, slope_);
      return std::isnan(sum) ? kNever : sum;
    };
    const double here = f(y);
    if (std::isfinite(here)) radius_.step(y, here, f, random);
  }

  // Draws an element that was held given all others: exactly, or by one slice.
  void move_alone(std::uint32_t k, double* values, Random& random) {
    double slope = 0, curvature = 0;
    model_->along_axis(k, x_, &slope, &curvature, along_);
    double width = curvature;
    for (std::size_t c = 0; c < along_.size(); ++c) width += w_[c] * along_[c] * along_[c];
    width = 1 / std::sqrt(width);
    if (!std::isfinite(width) || !(width > 0)) return;
    const double old = x_[k];
    if (along_.empty()) {
      x_[k] = old - slope / curvature + width * draw_normal(random);
      if (!within(values)) x_[k] = old;
      return;
    }
    model_->predictors(x_, eta_);
    trial_.resize(along_.size());
    const auto f = [&](double at) {
      const double v = width * at;
      x_[k] = old + v;
      if (!within(values)) return kNever;
      for (std::size_t c = 0; c < trial_.size(); ++c) trial_[c] = eta_[c] + v * along_[c];
      const double sum = model_->log_likelihood(trial_) - v * (slope + 0.5 * v * curvature);
      return std::isnan(sum) ? kNever : sum;
    };
    const double here = f(0);
    if (std::isfinite(here)) SliceSteps().step(0, here, f, random);
  }

  // Goes a quarter round.  Returns the probability of acceptance, negative where it was rejected.
  double hamiltonian(double* values, int kicks, Random& random) {
    const SparseCholesky& p = model_->cholesky();
    const double angle = std::numbers::pi / 2 / kicks, cosine = std::cos(angle),
                 sine = std::sin(angle);
    old_ = x_;
    draw_deviation(u_, random);
    model_->predictors(x_, eta_);
    double change = -model_->remainder(eta_, w_, beta_, slope_);  // of minus the energy
    for (int k = 0; k < kicks; ++k) {
      change -= kick(p, k == 0 ? 0.5 * angle : angle);
      for (std::size_t i = 0; i < x_.size(); ++i) {
        const double d = x_[i] - mean_[i];
        x_[i] = mean_[i] + cosine * d + sine * u_[i];
        u_[i] = cosine * u_[i] - sine * d;
      }
      model_->predictors(x_, eta_);
      if (k + 1 < kicks) {
        model_->remainder_slope(eta_, w_, beta_, slope_);
      } else {
        change += model_->remainder(eta_, w_, beta_, slope_);
      }
    }
    change -= kick(p, 0.5 * angle);
    const double accept = std::isnan(change) ? 0 : std::min(1.0, std::exp(change));
    if (random.uniform() < accept && within(values)) return accept;
    x_ = old_;
    if (!truncated_.empty()) write(values);
    return accept > 0 ? -accept : -1e-300;
  }

  // u += time P^-1 g, g the slope of the remainder.  Returns what the kinetic energy gains.
  double kick(const SparseCholesky& p, double time) {
    gradient_.assign(x_.size(), 0.0);
    model_->add_weighted(slope_, gradient_);
    step_ = gradient_;
    p.solve_lower(step_.data());
    p.solve_upper(step_.data());
    double gain = 0;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const double delta = time * step_[i];
      gain += time * gradient_[i] * (u_[i] + 0.5 * delta);
      u_[i] += delta;
    }
    return gain;
  }

  // Windows of 25 updates: more careful below 0.7, cheaper above 0.96 of acceptance.
  void adapt_effort(double accepted) {
    if ((updates_ += 1) <= kFirst) return;
    accepted_ += accepted;
    if (++window_ < 25) return;
    const double mean = accepted_ / window_;
    const int last = static_cast<int>(std::size(kEfforts)) - 1;
    if (mean < 0.7 && effort_ < last) ++effort_;
    if (mean > 0.96 && effort_ > 0) --effort_;
    window_ = 0;
    accepted_ = 0;
  }

  const ModelGraph& graph_;
  std::vector<NodeId> nodes_;
  std::unique_ptr<LinearModel> model_;
  std::vector<OperationId> operations_;
  std::vector<Truncated> truncated_;
  std::vector<Scale> scales_;
  std::vector<double> direction_, along_, kept_, kept_entries_, kept_b_;
  std::vector<double> x_, old_, mean_, u_, eta_, slope_, gradient_, step_, w_, beta_, pull_, trial_;
  // [responses]: where stand-ins touch, as eta + shift; base_: as eta.
  std::vector<double> centre_, base_;
  SliceSteps radius_;
  bool adapting_ = true, rejected_ = false;
  bool held_some_ = false, unmoved_ = false;  // in some update after the burn-in
  double updates_ = 0, accepted_ = 0;
  int effort_ = 0, window_ = 0;
};

}  // namespace

bool has_normal_prior(const ModelGraph& graph, NodeId id) {
  switch (graph.node(id).distribution) {
    case Id::normal:
    case Id::multivariate_normal:
    case Id::multivariate_normal_covariance:
    case Id::flat:
      return true;
    default:
      return false;
  }
}

std::unique_ptr<Sampler> make_linear_block(const ModelGraph& graph, std::span<const NodeId> nodes) {
  // All of a block's proposal has to lie within the bounds: of many nodes it hardly ever does.
  constexpr std::ptrdiff_t kMostTruncated = 5;
  const auto is_truncated = [&](NodeId id) {
    return graph.node(id).lower != kNothing || graph.node(id).upper != kNothing;
  };
  if (std::ranges::count_if(nodes, is_truncated) > kMostTruncated) return nullptr;
  std::unique_ptr<LinearModel> model = LinearModel::make(graph, nodes);
  if (model == nullptr) return nullptr;
  auto block = std::make_unique<LinearBlock>(graph, std::vector<NodeId>(nodes.begin(), nodes.end()),
                                             std::move(model));
  std::vector<NodeId> sorted(nodes.begin(), nodes.end());
  std::ranges::sort(sorted);
  const auto in_block = [&](NodeId id) { return std::ranges::binary_search(sorted, id); };
  for (const NodeId id : graph.sampled()) {
    end_if_interrupted();
    const auto children = graph.children(id);
    if (in_block(id) || graph.node(id).count != 1 || children.empty()) continue;
    std::vector<Slot> precisions;
    bool fits = true;
    for (const NodeId c : children) {
      const Node& child = graph.node(c);
      fits = fits && child.distribution == Id::normal && in_block(c);
      if (!fits) break;
      precisions.push_back(graph.slot_of(child, 1));
    }
    if (!fits) continue;
    if (const auto power = power_of(graph, id, precisions))
      block->add_scale(id, *power, precisions);
  }
  return block;
}

}  // namespace croft::bugs
