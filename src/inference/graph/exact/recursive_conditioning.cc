#include "inference/graph/exact/recursive_conditioning.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "inference/graph/exact/recursion_cost.h"
#include "inference/graph/exact/scoped_table.h"

namespace croft {
namespace {

constexpr double kLowestShare = -600;  // exp() of it still has all digits

void set_to_nothing(Table& table) { table = {.values = {}, .offset = -kInf}; }
bool is_nothing(const Table& table) { return table.offset == -kInf; }

// total += more (or the larger of both); both normalised, or nothing.
void accumulate(bool largest, Table&& more, Table& total) {
  if (is_nothing(more)) return;
  if (is_nothing(total)) {
    total = std::move(more);
    return;
  }
  const double high = std::max(total.offset, more.offset);
  const double a = total.offset - high, b = more.offset - high;
  if (!total.logarithms && !more.logarithms && total.lowest + a > kLowestShare &&
      more.lowest + b > kLowestShare) {
    const double of_total = std::exp(a), of_more = std::exp(b);
    for (std::size_t k = 0; k < total.values.size(); ++k) {
      const double x = of_total * total.values[k], y = of_more * more.values[k];
      total.values[k] = largest ? std::max(x, y) : x + y;
    }
  } else {
    for (std::size_t k = 0; k < total.values.size(); ++k) {
      const double x = a + total.log_value(k), y = b + more.log_value(k);
      const double top = std::max(x, y), low = std::min(x, y);
      total.values[k] = largest || low == -kInf ? top : top + std::log1p(std::exp(low - top));
    }
    total.logarithms = true;
  }
  total.offset = high;
  total.normalise();
}

// What the rest of the graph says of a message's variables; nothing where that is 0.
Table without(const Table& belief, const Table& message) {
  Table ratio = belief;
  ratio.offset -= message.offset;
  if (!belief.logarithms && !message.logarithms) {
    for (std::size_t k = 0; k < ratio.values.size(); ++k) {
      if (ratio.values[k] > 0) ratio.values[k] /= message.values[k];
    }
  } else {
    for (std::size_t k = 0; k < ratio.values.size(); ++k) {
      const double b = belief.log_value(k);
      ratio.values[k] = b == -kInf ? b : b - message.log_value(k);
    }
    ratio.logarithms = true;
  }
  if (!ratio.normalise()) set_to_nothing(ratio);
  return ratio;
}

}  // namespace

RecursionPlan plan_recursion(const FactorGraph& graph, const ConditioningOptions& options) {
  options.validate();
  RecursionPlan best;
  best.log2_joint_states = kInf;
  const std::size_t tries = options.order ? 1 : options.restarts;
  for (std::size_t k = 0; k < tries; ++k) {
    RecursionPlan plan;
    plan.order =
        options.order
            ? *options.order
            : find_elimination_order(
                  graph, {.rules = {}, .seed = options.seed + k, .progress = options.progress});
    RecursionCost cost(graph, plan.order.order);
    while (cost.bytes() > options.memory && cost.fix_one()) {
      GraphProgress now;
      now.iteration = cost.fixed().size();
      if (options.progress && !options.progress(now)) {
        throw Interrupted("stopped while the variables to go through state by state were chosen");
      }
    }
    if (cost.bytes() > options.memory) continue;
    plan.fixed = cost.fixed();
    plan.bytes = cost.bytes();
    plan.log2_joint_states = cost.log2_joint_states();
    if (plan.log2_joint_states < best.log2_joint_states) best = std::move(plan);
    if (best.fixed.empty()) break;
  }
  if (best.log2_joint_states == kInf) {
    throw Error("the factors alone do not fit the memory that is allowed");
  }
  return best;
}

class RecursiveConditioning::Run {
 public:
  Run(const FactorGraph& graph, const RecursionPlan& plan, GraphCallback progress)
      : graph_(graph),
        tree_(make_clique_tree(graph, plan.order.order)),
        fixed_(graph.variables(), false),
        at_(graph.variables(), 0),
        all_states_(std::exp2(plan.log2_joint_states)),
        watch_(std::move(progress)) {
    for (const Variable v : plan.fixed) fixed_[v] = true;
    for (const Clique& clique : tree_.cliques) nodes_.push_back(node_of(clique));
  }

  // log Z, or the best score; -inf where no assignment is allowed.
  double collect(bool largest) {
    largest_ = largest;
    watch_.begin(all_states_);
    for (Node& node : nodes_) node.known = node.waits = false;
    double total = 0;
    for (const Factor f : tree_.constants) {
      total += graph_.score_of(f, std::vector<State>(graph_.scope(f).size(), 0));
    }
    for (std::size_t c = 0; c < nodes_.size(); ++c) {
      if (tree_.cliques[c].parent != Clique::kNone) continue;
      if (total == -kInf) return total;
      total += message(c).offset;
    }
    return total;
  }

  // After collect(false).
  void distribute(GraphMarginals& out) {
    watch_.begin(3 * all_states_);
    log_scale_.assign(graph_.variables(), -kInf);
    for (Variable v = 0; v < graph_.variables(); ++v) {
      out.variable.emplace_back(graph_.states(v), tree_.home[v] == Clique::kNone ? 1.0 : 0.0);
    }
    for (std::size_t c = nodes_.size(); c-- > 0;) {
      if (tree_.cliques[c].parent == Clique::kNone) {
        send_down(c, nullptr, out);
      } else {
        flush(c, out);
      }
    }
    for (std::vector<double>& p : out.variable) {
      const double sum = std::accumulate(p.begin(), p.end(), 0.0);
      for (double& each : p) each /= sum;
    }
  }

  // Chooses what each clique eliminates, given what is above it.  After collect().
  template <class Choose>
  std::vector<State> descend(const Choose& choose) {
    std::vector<State> x(graph_.variables(), 0);
    std::vector<bool> known(graph_.variables(), false);
    for (std::size_t c = nodes_.size(); c-- > 0;) {
      watch_.advance(1024);
      Node& node = nodes_[c];
      choose_fixed(node, known, x, choose);
      std::vector<ScopedTable> given = inputs_given(node, known, x);
      for (const std::vector<Variable>& some : chunks(graph_, node.eliminated)) {
        const std::vector<Variable> left = unknown(node.variables, known);
        CliqueTable table(graph_, left, &watch_);
        for (const ScopedTable& each : given) table.add_input(each.variables, each.table);
        ScopedTable result{in_order(left, some), {}};
        table.add_output(result.variables, result.table);
        if (largest_ ? !table.maximise() : !table.sum()) throw Error("no assignment is allowed");
        set_states(result.variables, choose(result.table), known, x);
        for (ScopedTable& each : given) each = slice(graph_, each, x, known);
      }
    }
    return x;
  }

  const FactorGraph& graph() const { return graph_; }

 private:
  // A clique without its fixed variables, and the messages between it and its parent.
  struct Node {
    const Clique* clique;
    std::vector<ScopedTable> factors;
    std::vector<Variable> variables, separator, eliminated;  // that are not fixed
    std::vector<Variable> above, here;                       // fixed: of the separator, eliminated
    ScopedTable up;                                          // valid where `known`
    bool known = false;
    std::vector<State> up_at;  // [above]
    Table down;                // what the parent has added up, where it `waits`
    bool waits = false;
    std::vector<State> down_at;  // [above]
  };

  Node node_of(const Clique& clique) const {
    Node node;
    node.clique = &clique;
    node.factors = factor_tables(graph_, clique);
    const auto split = [&](const std::vector<Variable>& all, std::vector<Variable>& free,
                           std::vector<Variable>& fixed) {
      for (const Variable v : all) (fixed_[v] ? fixed : free).push_back(v);
    };
    std::vector<Variable> both;
    split(clique.variables, node.variables, both);
    split(clique.separator, node.separator, node.above);
    split(clique.eliminated, node.eliminated, node.here);
    return node;
  }

  std::vector<State> states_at(const std::vector<Variable>& variables) const {
    std::vector<State> states;
    for (const Variable v : variables) states.push_back(at_[v]);
    return states;
  }
  void set_at(const std::vector<Variable>& variables, const std::vector<State>& states) {
    for (std::size_t k = 0; k < variables.size(); ++k) at_[variables[k]] = states[k];
  }

  // visit() for each joint state of what is fixed here.
  template <class Visit>
  void for_each_fixed(const Node& node, const Visit& visit) {
    for (const Variable v : node.here) at_[v] = 0;
    for (bool more = true; more;) {
      visit();
      more = false;
      for (std::size_t k = node.here.size(); k-- > 0 && !more;) {
        more = ++at_[node.here[k]] < graph_.states(node.here[k]);
        if (!more) at_[node.here[k]] = 0;
      }
    }
  }

  // The inputs of a clique at what is fixed now; false where one of them is 0.  What is sliced for
  // it goes to `parts`, which must outlive the table.
  bool add_inputs(const Node& node, std::vector<ScopedTable>& parts, CliqueTable& table) {
    for (const std::size_t child : node.clique->children) {
      const Table& up = message(child);
      if (is_nothing(up)) return false;
    }
    for (const std::size_t child : node.clique->children) {
      table.add_input(nodes_[child].up.variables, nodes_[child].up.table);
    }
    parts.reserve(node.factors.size());
    for (const ScopedTable& each : node.factors) {
      if (is_nothing(each.table)) return false;
      const bool whole =
          std::ranges::none_of(each.variables, [&](Variable v) { return fixed_[v]; });
      if (!whole) parts.push_back(slice(graph_, each, at_, fixed_));
      const ScopedTable& part = whole ? each : parts.back();
      table.add_input(part.variables, part.table);
    }
    return true;
  }

  // What a clique tells its parent, at what is fixed now.
  const Table& message(std::size_t c) {
    Node& node = nodes_[c];
    if (node.known && states_at(node.above) == node.up_at) return node.up.table;
    node.known = false;
    Table total;
    set_to_nothing(total);
    for_each_fixed(node, [&] {
      watch_.advance(kVisitStates);
      std::vector<ScopedTable> parts;
      CliqueTable table(graph_, node.variables, &watch_);
      Table one;
      table.add_output(node.separator, one);
      if (!add_inputs(node, parts, table)) return;
      if (largest_ ? table.maximise() : table.sum()) accumulate(largest_, std::move(one), total);
    });
    node.up = {node.separator, std::move(total)};
    node.up_at = states_at(node.above);
    node.known = true;
    return node.up.table;
  }

  // above: what the rest of the graph says of the separator at what is fixed now, or nullptr.
  void send_down(std::size_t c, const Table* above, GraphMarginals& out) {
    const Node& node = nodes_[c];
    for_each_fixed(node, [&] {
      watch_.advance(kVisitStates);
      for (const std::size_t child : node.clique->children) {
        const Node& other = nodes_[child];
        if (other.waits && other.down_at != states_at(other.above)) flush(child, out);
      }
      std::vector<ScopedTable> parts, own;
      CliqueTable table(graph_, node.variables, &watch_);
      if (!add_inputs(node, parts, table)) return;
      if (above != nullptr) table.add_input(node.separator, *above);
      std::vector<Table> to_children(node.clique->children.size());
      for (std::size_t k = 0; k < to_children.size(); ++k) {
        table.add_output(nodes_[node.clique->children[k]].separator, to_children[k]);
      }
      Table all;
      table.add_output({}, all);
      for (const std::vector<Variable>& some : chunks(graph_, node.eliminated)) {
        own.push_back({in_order(node.variables, some), {}});
      }
      for (ScopedTable& each : own) table.add_output(each.variables, each.table);
      if (!table.sum()) return;
      for (const Variable v : node.here) {
        out.variable[v][at_[v]] += weight_for(v, all.offset, out.variable[v]);
      }
      for (const ScopedTable& each : own) add_marginals(each, all.offset, out);
      for (std::size_t k = 0; k < to_children.size(); ++k) {
        Node& child = nodes_[node.clique->children[k]];
        if (!child.waits) set_to_nothing(child.down);
        accumulate(false, std::move(to_children[k]), child.down);
        child.waits = true;
        child.down_at = states_at(child.above);
      }
    });
  }

  // Hands on what a clique's parent has added up for it.
  void flush(std::size_t c, GraphMarginals& out) {
    Node& node = nodes_[c];
    if (!node.waits) return;
    node.waits = false;
    const std::vector<State> now = states_at(node.above);
    set_at(node.above, node.down_at);
    const Table above = without(node.down, message(c));
    node.down = {};
    if (!is_nothing(above)) send_down(c, &above, out);
    set_at(node.above, now);
  }

  // exp(log_weight), relative to the largest weight of v until now, to which its sums are brought.
  double weight_for(Variable v, double log_weight, std::vector<double>& sums) {
    double& scale = log_scale_[v];
    if (log_weight > scale) {
      for (double& each : sums) each *= std::exp(scale - log_weight);
      scale = log_weight;
    }
    return std::exp(log_weight - scale);
  }

  void add_marginals(const ScopedTable& joint, double log_weight, GraphMarginals& out) {
    std::vector<double> p(joint.table.values.size());
    to_probabilities(joint.table, p);
    std::uint64_t stride = 1;
    for (std::size_t k = joint.variables.size(); k-- > 0;) {
      const Variable v = joint.variables[k];
      std::vector<double>& marginal = out.variable[v];
      const double weight = weight_for(v, log_weight, marginal);
      for (std::uint64_t i = 0; i < p.size(); ++i) {
        marginal[i / stride % marginal.size()] += weight * p[i];
      }
      stride *= marginal.size();
    }
  }

  static std::vector<Variable> unknown(const std::vector<Variable>& variables,
                                       const std::vector<bool>& known) {
    std::vector<Variable> left;
    std::ranges::copy_if(variables, std::back_inserter(left),
                         [&](Variable v) { return !known[v]; });
    return left;
  }

  void set_states(const std::vector<Variable>& variables, std::uint64_t joint,
                  std::vector<bool>& known, std::vector<State>& x) {
    for (std::size_t k = variables.size(); k-- > 0;) {
      const Variable v = variables[k];
      x[v] = static_cast<State>(joint % graph_.states(v));
      joint /= graph_.states(v);
      known[v] = true;
      at_[v] = x[v];
    }
  }

  // All that enters a clique at what is fixed now, where the known variables are as in x; empty
  // where it is 0.
  std::vector<ScopedTable> inputs_given(const Node& node, const std::vector<bool>& known,
                                        const std::vector<State>& x) {
    std::vector<bool> both = known;
    std::vector<State> at = x;
    for (const Variable v : node.here) {
      both[v] = true;
      at[v] = at_[v];
    }
    std::vector<ScopedTable> given;
    for (const ScopedTable& each : node.factors) given.push_back(slice(graph_, each, at, both));
    for (const std::size_t child : node.clique->children) {
      if (is_nothing(message(child))) return {};
      given.push_back(slice(graph_, nodes_[child].up, at, both));
    }
    return given;
  }

  // The states of what is fixed here, given those above.
  template <class Choose>
  void choose_fixed(const Node& node, std::vector<bool>& known, std::vector<State>& x,
                    const Choose& choose) {
    if (node.here.empty()) return;
    std::vector<double> values;  // logarithms, by joint state
    const std::vector<Variable> left = unknown(node.variables, known);
    for_each_fixed(node, [&] {
      values.push_back(-kInf);
      const std::vector<ScopedTable> given = inputs_given(node, known, x);
      if (given.empty()) return;
      CliqueTable table(graph_, left, &watch_);
      for (const ScopedTable& each : given) table.add_input(each.variables, each.table);
      Table one;
      table.add_output({}, one);
      if (largest_ ? table.maximise() : table.sum()) values.back() = one.offset;
    });
    set_states(node.here, choose(table_of_scores(std::move(values))), known, x);
  }

  const FactorGraph& graph_;
  const CliqueTree tree_;
  std::vector<bool> fixed_;  // [variables]
  std::vector<State> at_;    // [variables] of the fixed ones, now
  std::vector<Node> nodes_;  // [cliques]
  bool largest_ = false;
  std::vector<double> log_scale_;  // [variables] what the sums of marginals are relative to
  const double all_states_;
  Watch watch_;
};

RecursiveConditioning::RecursiveConditioning(const FactorGraph& graph, const RecursionPlan& plan,
                                             GraphCallback progress)
    : run_(std::make_unique<Run>(graph, plan, std::move(progress))) {}
RecursiveConditioning::~RecursiveConditioning() = default;

double RecursiveConditioning::log_partition() { return run_->collect(false); }

GraphMarginals RecursiveConditioning::marginals() {
  GraphMarginals result;
  result.log_partition = run_->collect(false);
  if (result.log_partition == -kInf) {
    throw Error(
        "no assignment is allowed: the factors' zeros (and the evidence) contradict each "
        "other, and there are no marginals");
  }
  run_->distribute(result);
  return result;
}

BestAssignment RecursiveConditioning::best() {
  BestAssignment result{.states = {}, .score = run_->collect(true)};
  if (result.score == -kInf) return result;
  result.states = run_->descend(largest_of);
  result.score = run_->graph().score(result.states);
  return result;
}

std::vector<std::vector<State>> RecursiveConditioning::samples(std::size_t count, Random& random) {
  if (run_->collect(false) == -kInf)
    throw Error("no assignment is allowed: there is nothing to draw");
  std::vector<std::vector<State>> drawn;
  std::vector<double> p;
  try {
    for (std::size_t n = 0; n < count; ++n) {
      drawn.push_back(
          run_->descend([&](const Table& table) { return drawn_from(table, random, p); }));
    }
  } catch (const Interrupted&) {
    if (drawn.empty()) throw;
  }
  return drawn;
}

}  // namespace croft
