#include "croft/inference/belief_propagation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "inference/graph/messages/factor_messages.h"
#include "inference/graph/messages/message_engine.h"
#include "structure/counters.h"
#include "structure/counting.h"
#include "structure/factor_numbers.h"

namespace croft {
namespace {

constexpr std::uint64_t kMostJointStates = std::uint64_t{1} << 24;

struct ScheduleName {
  MessageSchedule schedule;
  std::string_view name;
};
constexpr std::array kSchedules{ScheduleName{MessageSchedule::automatic, "auto"},
                                ScheduleName{MessageSchedule::parallel, "parallel"},
                                ScheduleName{MessageSchedule::sequential, "sequential"},
                                ScheduleName{MessageSchedule::random, "random"},
                                ScheduleName{MessageSchedule::residual, "residual"},
                                ScheduleName{MessageSchedule::spanning_trees, "spanning-trees"}};

void check_possible(bool contradiction) {
  if (contradiction) {
    throw Error("the graph allows no assignment: Z is 0, and there are no beliefs");
  }
}

const BeliefPropagationOptions& checked(const BeliefPropagationOptions& options) {
  options.validate();
  return options;
}

// Divides by the sum; of logarithms, by the sum of what they stand for.
void normalise_probabilities(std::vector<double>& p, bool logarithms) {
  if (logarithms) {
    const double high = *std::ranges::max_element(p);
    for (double& each : p) each = std::exp(each - high);
  }
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& each : p) each /= sum;
}

}  // namespace

MessageSchedule message_schedule(std::string_view name) {
  std::string names;
  for (const ScheduleName& each : kSchedules) {
    if (each.name == name) return each.schedule;
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  throw UsageError("no schedule of messages is called " + in_quotes(name) + "; there are " + names);
}

std::string_view name_of(MessageSchedule schedule) {
  return std::ranges::find(kSchedules, schedule, &ScheduleName::schedule)->name;
}

void BeliefPropagationOptions::validate() const {
  if (!(damping >= 0 && damping < 1)) {
    throw UsageError("damping must be at least 0 and less than 1");
  }
  if (!(tolerance > 0 && tolerance < kInf)) throw UsageError("the tolerance must be positive");
  if (max_iterations == 0) throw UsageError("max_iterations must be at least 1");
}

class SumProduct::Run {
 public:
  Run(const FactorGraph& graph, const BeliefPropagationOptions& options)
      : layout_(graph),
        options_(checked(options)),
        scaled_(std::make_unique<MessageEngine<ScaledSum>>(layout_, options_)) {
    if (scaled_->out_of_range()) take_logarithms();
  }

  Convergence run(const GraphCallback& callback) {
    Convergence end;
    if (scaled_) {
      scaled_->run(options_.max_iterations, callback, end);
      if (!scaled_->out_of_range()) return end;
      end.converged = false;
      take_logarithms();
    }
    logs_->run(options_.max_iterations - std::min(options_.max_iterations - 1, end.iterations),
               callback, end);
    return end;
  }

  void start_from(const BeliefMessages& messages) {
    if (messages.numbers.size() != layout_.numbers()) {
      throw UsageError("messages to start from are " + std::to_string(messages.numbers.size()) +
                       " numbers, and this graph's are " + std::to_string(layout_.numbers()));
    }
    if (scaled_) {
      scaled_->start_from(messages);
    } else {
      logs_->start_from(messages);
    }
  }

  // visit(engine) of the one in use.
  template <class Visit>
  auto with(const Visit& visit) const {
    return scaled_ ? visit(*scaled_) : visit(*logs_);
  }
  BeliefMessages messages() const {
    const auto numbers = with([](const auto& engine) { return engine.messages(); });
    return {logarithms(), {numbers.begin(), numbers.end()}};
  }
  const MessageLayout& layout() const { return layout_; }
  bool logarithms() const { return !scaled_; }
  bool contradiction() const {
    return with([](const auto& engine) { return engine.contradiction(); });
  }
  std::uint64_t updates() const {
    return with([](const auto& engine) { return engine.updates(); });
  }
  // The logarithm of product_without(edge).
  std::vector<double> log_product_without(std::size_t edge) const {
    auto numbers = with([&](const auto& engine) { return engine.product_without(edge); });
    if (!logarithms()) {
      for (double& each : numbers) each = std::log(each);
    }
    return numbers;
  }

 private:
  void take_logarithms() {
    logs_ = std::make_unique<MessageEngine<LogSum>>(layout_, options_);
    logs_->take_messages(*scaled_);
    scaled_.reset();
  }

  MessageLayout layout_;
  BeliefPropagationOptions options_;
  std::unique_ptr<MessageEngine<ScaledSum>> scaled_;
  std::unique_ptr<MessageEngine<LogSum>> logs_;  // once numbers have not fitted
};

SumProduct::SumProduct(const FactorGraph& graph, const BeliefPropagationOptions& options)
    : run_(std::make_unique<Run>(graph, options)) {}
SumProduct::~SumProduct() = default;

Convergence SumProduct::run(const GraphCallback& callback) { return run_->run(callback); }
void SumProduct::start_from(const BeliefMessages& messages) { run_->start_from(messages); }
BeliefMessages SumProduct::messages() const { return run_->messages(); }
bool SumProduct::is_forest() const { return run_->layout().core().empty(); }
bool SumProduct::contradiction() const { return run_->contradiction(); }
bool SumProduct::logarithms() const { return run_->logarithms(); }
std::uint64_t SumProduct::updates() const { return run_->updates(); }
ResultKind SumProduct::kind() const {
  return is_forest() || contradiction() ? ResultKind::exact : ResultKind::estimate;
}

double SumProduct::log_partition() const {
  if (contradiction()) return -kInf;
  return run_->with([](const auto& engine) { return engine.bethe(); });
}

std::vector<double> SumProduct::belief(Variable v) const {
  check_possible(contradiction());
  std::vector<double> p = run_->with([&](const auto& engine) { return engine.product(v); });
  normalise_probabilities(p, run_->logarithms());
  return p;
}

VariableMarginals SumProduct::beliefs() const {
  VariableMarginals all;
  for (Variable v = 0; v < run_->layout().graph().variables(); ++v) all.push_back(belief(v));
  return all;
}

std::vector<double> SumProduct::factor_belief(Factor f) const {
  check_possible(contradiction());
  const MessageLayout& layout = run_->layout();
  const FactorGraph& graph = layout.graph();
  const auto scope = graph.scope(f);
  if (scope.empty()) return {1.0};
  if (scope.size() == 1) return belief(scope[0]);
  std::vector<double> p = graph.table(f);
  std::size_t stride = p.size();
  for (std::size_t e = layout.edge_begin(f); e < layout.edge_end(f); ++e) {
    const std::vector<double> in = run_->log_product_without(e);
    stride /= in.size();
    for (std::size_t k = 0; k < p.size(); ++k) p[k] += in[k / stride % in.size()];
  }
  normalise_probabilities(p, true);
  return p;
}

std::vector<double> SumProduct::number_belief(Factor f) const {
  check_possible(contradiction());
  const MessageLayout& layout = run_->layout();
  const FactorGraph& graph = layout.graph();
  std::vector<double> in;
  if (graph.scope(f).size() == 1) {  // its own score is in the belief
    const std::vector<double> own = belief(graph.scope(f)[0]);
    std::vector<double> numbers(graph.numbers(graph.potential_of(f)).size(), 0);
    const std::uint64_t first = graph.potential(graph.potential_of(f)).first;
    for (State x = 0; x < own.size(); ++x) {
      numbers[number_of(graph, f, std::span(&x, 1)) - first] += own[x];
    }
    return numbers;
  }
  for (std::size_t e = layout.edge_begin(f); e < layout.edge_end(f); ++e) {
    const std::vector<double> each = run_->log_product_without(e);
    in.insert(in.end(), each.begin(), each.end());
  }
  return croft::number_belief(graph, f, in);
}

std::vector<double> SumProduct::joint_belief(std::span<const Variable> variables) const {
  check_possible(contradiction());
  const MessageLayout& layout = run_->layout();
  const FactorGraph& graph = layout.graph();
  if (variables.empty()) return {1.0};
  std::vector<std::uint32_t> asked(graph.variables(), 0);
  double joint = 1;
  for (const Variable v : variables) {
    if (v >= graph.variables()) throw UsageError("there is no variable " + std::to_string(v));
    if (asked[v]++ > 0) throw UsageError("variable " + std::to_string(v) + " is listed twice");
    joint *= static_cast<double>(graph.states(v));
  }
  if (joint > static_cast<double>(kMostJointStates)) {
    throw UsageError("a joint belief of more than 2^24 joint states");
  }
  // The factors that have two or more of them, with what enters their variables from elsewhere.
  std::vector<Factor> inside;
  std::vector<Variable> local(graph.variables(), kUnobserved);
  FactorGraph part;
  const auto variable_of = [&](Variable v) {
    if (local[v] == kUnobserved) local[v] = part.add_variable(graph.states(v));
    return local[v];
  };
  std::vector<bool> is_inside(graph.factors());
  for (const Variable v : variables) {
    variable_of(v);
    for (const Factor f : layout.factors_of(v)) {
      const auto scope = graph.scope(f);
      const auto in_it = std::ranges::count_if(scope, [&](Variable u) { return asked[u] > 0; });
      if (in_it < 2 || is_inside[f]) continue;
      is_inside[f] = true;
      inside.push_back(f);
    }
  }
  std::vector<Variable> piece(graph.variables());
  std::iota(piece.begin(), piece.end(), Variable{0});
  const auto root = [&](Variable v) {
    while (piece[v] != v) v = piece[v] = piece[piece[v]];
    return v;
  };
  for (const Factor f : inside) {
    std::vector<Variable> scope;
    for (const Variable v : graph.scope(f)) {
      scope.push_back(variable_of(v));
      piece[root(v)] = root(graph.scope(f)[0]);
    }
    const bool counts = counts_states(graph.potential(graph.potential_of(f)).kind);
    part.add_factor(scope, counts ? part.add_copy(graph, graph.potential_of(f))
                                  : part.add_table(graph.table(f, kMostJointStates)));
  }
  for (const Variable v : variables) {
    if (root(v) != root(variables[0])) {
      throw UsageError("a joint belief is of variables that factors connect: variable " +
                       std::to_string(v) + " shares none with variable " +
                       std::to_string(variables[0]) + " and the others");
    }
  }
  for (Variable v = 0; v < graph.variables(); ++v) {
    if (local[v] == kUnobserved) continue;
    std::vector<double> own(graph.states(v), 0);
    run_->with([&](const auto& engine) {
      engine.add_logarithms(
          v, [&](Factor f) { return is_inside[f]; }, own);
    });
    part.add_factor({local[v]}, part.add_table(own));
  }
  std::vector<Variable> wanted;
  for (const Variable v : variables) wanted.push_back(local[v]);
  part.add_factor(wanted, part.add_sparse({}, {}, 0));
  if (needs_counters(part)) part = with_counters(part).graph;
  const auto all = static_cast<Factor>(part.factors() - 1);
  const GraphCallback go_on = until_interrupted();
  JunctionTree tree(part, find_elimination_order(part, {.progress = go_on}), go_on);
  return tree.marginals(std::span(&all, 1)).factor[0];
}

class MaxProduct::Run {
 public:
  Run(const FactorGraph& graph, const BeliefPropagationOptions& options)
      : layout_(graph), options_(checked(options)), engine_(layout_, options_) {}

  // On cycles the last messages need not be those of the best assignment: some others are read,
  // too.
  Convergence run(const GraphCallback& callback) {
    Convergence end;
    engine_.run(
        options_.max_iterations,
        [&](const GraphProgress& now) {
          if (std::has_single_bit(now.iteration)) keep(decode());
          GraphProgress progress = now;
          if (!best_.states.empty()) {
            progress.best = best_.score;
            progress.assignment = best_.states;
          }
          return !callback || callback(progress);
        },
        end);
    keep(decode());
    return end;
  }
  const MessageLayout& layout() const { return layout_; }
  const MessageEngine<LogMax>& engine() const { return engine_; }
  const BestAssignment& best() const { return best_; }

 private:
  BestAssignment decode() const;
  void keep(BestAssignment found) {
    if (best_.states.empty() || found.score > best_.score) best_ = std::move(found);
  }
  void choose(Variable v, std::vector<State>& states) const;

  MessageLayout layout_;
  BeliefPropagationOptions options_;
  MessageEngine<LogMax> engine_;
  BestAssignment best_{{}, -kInf};
};

// Sets v to its best state, given the variables that are set: their factors send anew.
void MaxProduct::Run::choose(Variable v, std::vector<State>& states) const {
  const FactorGraph& graph = layout_.graph();
  std::vector<double> score(graph.states(v), 0);
  const auto is_set = [&](Variable u) { return states[u] != kUnobserved; };
  const auto has_set = [&](Factor f) { return std::ranges::any_of(graph.scope(f), is_set); };
  engine_.add_logarithms(v, has_set, score);
  std::vector<double> in, out;
  for (const Factor f : layout_.factors_of(v)) {
    if (!has_set(f)) continue;
    in.clear();
    std::size_t at = 0;
    for (std::size_t e = layout_.edge_begin(f); e < layout_.edge_end(f); ++e) {
      const Variable u = layout_.variable(e);
      if (u == v) at = in.size();
      std::vector<double> from = engine_.product_without(e);
      if (is_set(u)) {
        std::ranges::fill(from, -kInf);
        from[states[u]] = 0;
      }
      in.insert(in.end(), from.begin(), from.end());
    }
    out.resize(in.size());
    engine_.send(f, in.data(), out.data());
    for (std::size_t x = 0; x < score.size(); ++x) score[x] += out[at + x];
  }
  states[v] = static_cast<State>(std::ranges::max_element(score) - score.begin());
}

BestAssignment MaxProduct::Run::decode() const {
  const FactorGraph& graph = layout_.graph();
  BestAssignment best;
  best.score = -kInf;
  if (engine_.contradiction()) return best;
  std::vector<State> states(graph.variables(), kUnobserved);
  std::vector<bool> queued(graph.variables());
  std::vector<Variable> queue;
  for (Variable first = 0; first < graph.variables(); ++first) {
    if (queued[first]) continue;
    queue.assign(1, first);
    queued[first] = true;
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const Variable v = queue[k];
      choose(v, states);
      for (const Factor f : layout_.factors_of(v)) {
        for (const Variable u : graph.scope(f)) {
          if (queued[u]) continue;
          queued[u] = true;
          queue.push_back(u);
        }
      }
    }
  }
  const double score = graph.score(states);
  if (score == -kInf) return best;
  best.states = std::move(states);
  best.score = score;
  return best;
}

MaxProduct::MaxProduct(const FactorGraph& graph, const BeliefPropagationOptions& options)
    : run_(std::make_unique<Run>(graph, options)) {}
MaxProduct::~MaxProduct() = default;

Convergence MaxProduct::run(const GraphCallback& callback) { return run_->run(callback); }
bool MaxProduct::is_forest() const { return run_->layout().core().empty(); }
bool MaxProduct::contradiction() const { return run_->engine().contradiction(); }
std::uint64_t MaxProduct::updates() const { return run_->engine().updates(); }
ResultKind MaxProduct::kind() const {
  return is_forest() || contradiction() ? ResultKind::exact : ResultKind::lower_bound;
}
BestAssignment MaxProduct::best() const { return run_->best(); }

VariableMarginals MaxProduct::max_marginals() const {
  check_possible(contradiction());
  VariableMarginals all;
  for (Variable v = 0; v < run_->layout().graph().variables(); ++v) {
    all.push_back(run_->engine().product(v));
  }
  return all;
}

}  // namespace croft
