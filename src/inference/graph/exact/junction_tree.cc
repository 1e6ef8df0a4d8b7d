#include "croft/inference/junction_tree.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "core/infinity.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "inference/graph/exact/clique_table.h"
#include "inference/graph/exact/clique_tree.h"
#include "inference/graph/exact/graph_kernels.h"
#include "inference/graph/exact/ranked_assignments.h"
#include "inference/graph/exact/scoped_table.h"

namespace croft {
namespace {

// What choosing the states of one clique counts as.
constexpr double kChoiceStates = 1024;
// Cost in joint states of a visit to a clique, and of planning for a clique or a factor.
constexpr double kStatesOfVisit = 256, kStatesOfPlan = 32;

}  // namespace

class JunctionTree::Run {
 public:
  Run(const FactorGraph& graph, const EliminationOrder& order, GraphCallback progress)
      : graph_(graph),
        watch_(std::move(progress)),
        tree_(make_clique_tree(graph, order.order, [this](double n) { watch_.advance(n); })),
        up_(tree_.cliques.size()) {}

  double bytes() {
    if (!bytes_) bytes_ = work_out_bytes();
    return *bytes_;
  }

  double joint_states() const {
    double sum = 0;
    for (const Clique& clique : tree_.cliques) sum += count_states(graph_, clique.variables);
    return sum;
  }

  // Begins a call that goes through all cliques so many times.
  void begin(double passes) {
    const auto visits = static_cast<double>(tree_.cliques.size());
    watch_.begin(passes * (joint_states() + kStatesOfVisit * visits));
  }

  // From the leaves to the roots; false where no assignment is allowed.
  bool collect(bool largest) {
    log_total_ = 0;
    for (const Factor f : tree_.constants) log_total_ += graph_.score_of(f, constant_states(f));
    if (log_total_ == -kInf) return false;
    for (std::size_t c = 0; c < tree_.cliques.size(); ++c) {
      const Clique& clique = tree_.cliques[c];
      watch_.advance(kStatesOfVisit);
      const std::vector<ScopedTable> factors = factor_tables(graph_, clique);
      CliqueTable table(graph_, clique.variables, &watch_);
      if (!add_inputs(clique, factors, table)) return false;
      up_[c].variables = clique.separator;
      table.add_output(clique.separator, up_[c].table);
      if (!(largest ? table.maximise() : table.sum())) return false;
      if (clique.parent == Clique::kNone) log_total_ += up_[c].table.offset;
    }
    return true;
  }

  double log_total() const { return log_total_; }

  // From the roots to the leaves, after collect(false): messages up become messages down.
  void distribute(std::span<const Factor> wanted, GraphMarginals& out) {
    out.log_partition = log_total_;
    out.variable.resize(graph_.variables());
    for (Variable v = 0; v < graph_.variables(); ++v) out.variable[v].assign(graph_.states(v), 1);
    out.factor.resize(wanted.size());
    std::vector<std::vector<std::size_t>> asked(tree_.cliques.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const std::size_t home = home_of(wanted[k]);
      if (home == Clique::kNone) {
        out.factor[k].assign(1, 1.0);
      } else {
        asked[home].push_back(k);
      }
    }
    for (std::size_t c = tree_.cliques.size(); c-- > 0;) send_down(c, wanted, asked[c], out);
  }

  // visit(c): chooses the states of what clique c eliminates, given those above.
  template <class Choose>
  std::vector<State> descend(bool largest, const Choose& choose) {
    std::vector<State> x(graph_.variables(), 0);
    std::vector<bool> known(graph_.variables(), false);
    for (std::size_t c = tree_.cliques.size(); c-- > 0;) {
      const Clique& clique = tree_.cliques[c];
      watch_.advance(kChoiceStates);
      const std::vector<ScopedTable> factors = factor_tables(graph_, clique);
      std::deque<ScopedTable> sliced;
      const auto at_known = [&](const ScopedTable* each) {  // a message may be too large to copy
        if (std::ranges::none_of(each->variables, [&](Variable v) { return known[v]; }))
          return each;
        return static_cast<const ScopedTable*>(
            &sliced.emplace_back(slice(graph_, *each, x, known)));
      };
      std::vector<const ScopedTable*> given;
      for (const ScopedTable& factor : factors) given.push_back(at_known(&factor));
      for (const std::size_t child : clique.children) given.push_back(at_known(&up_[child]));
      for (const std::vector<Variable>& some : chunks(graph_, clique.eliminated)) {
        const std::vector<Variable> left = in_order(clique.variables, unknown(clique, known));
        CliqueTable table(graph_, left);
        for (const ScopedTable* each : given) table.add_input(each->variables, each->table);
        ScopedTable result{in_order(left, some), {}};
        table.add_output(result.variables, result.table);
        if (largest ? !table.maximise() : !table.sum()) throw Error("no assignment is allowed");
        std::uint64_t joint = choose(result.table);
        for (std::size_t k = result.variables.size(); k-- > 0;) {
          const Variable v = result.variables[k];
          x[v] = static_cast<State>(joint % graph_.states(v));
          joint /= graph_.states(v);
          known[v] = true;
        }
        for (const ScopedTable*& each : given) each = at_known(each);
      }
    }
    return x;
  }

  // After collect(true).
  std::vector<BestAssignment> ranked(std::size_t k) {
    return RankedAssignments(graph_, tree_, up_, k, watch_).all();
  }

  // After collect(): what is left of the graph.
  FactorGraph rest() const {
    std::vector<bool> gone(graph_.variables());
    for (const Clique& clique : tree_.cliques) {
      for (const Variable v : clique.eliminated) gone[v] = true;
    }
    FactorGraph rest;
    for (Variable v = 0; v < gone.size(); ++v) rest.add_variable(gone[v] ? 1 : graph_.states(v));
    for (const Factor f : tree_.untouched) {
      rest.add_factor(graph_.scope(f), rest.add_copy(graph_, graph_.potential_of(f)));
    }
    double constant = 0;
    for (const Factor f : tree_.constants) constant += graph_.score_of(f, constant_states(f));
    for (std::size_t c = 0; c < tree_.cliques.size(); ++c) {
      if (tree_.cliques[c].parent != Clique::kNone) continue;
      const Table& table = up_[c].table;
      constant += table.offset;
      if (up_[c].variables.empty()) continue;
      std::vector<double> scores(table.values.size());
      for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = table.log_value(k);
      rest.add_factor(up_[c].variables, rest.add_table(scores));
    }
    rest.add_factor({}, rest.add_table(std::vector{constant}));
    return rest;
  }

  const FactorGraph& graph() const { return graph_; }

 private:
  // Logarithms of the largest number of a factor, divided by the smallest above 0.
  struct Ranges {
    std::vector<double> of_factor;              // [factors]
    std::vector<std::vector<Factor>> touching;  // [variables]
    std::vector<double> of_variable;            // [variables] sums over those that touch it
    std::vector<double> of_separator;           // [cliques] likewise, each factor once
    double all = 0;  // of any product of factors, summed over some variables
    bool zeros = false;
  };

  double work_out_bytes() {
    double numbers = 0, largest = 0;
    const Ranges ranges = ranges_of_factors();
    for (const Clique& clique : tree_.cliques) {
      watch_.advance(kStatesOfPlan);
      numbers += count_states(graph_, clique.separator);
      largest = std::max(largest, passing_numbers(clique, !fits_linear(clique, ranges)));
    }
    return 8 * (numbers + largest);
  }

  Ranges ranges_of_factors() {
    Ranges ranges;
    ranges.touching.resize(graph_.variables());
    ranges.of_variable.resize(graph_.variables());
    for (Variable v = 0; v < graph_.variables(); ++v) {
      ranges.all += std::log(static_cast<double>(graph_.states(v)));
    }
    for (Factor f = 0; f < graph_.factors(); ++f) {
      double high = -kInf, low = kInf;
      const std::vector<double> table = graph_.table(f);
      watch_.advance(kStatesOfPlan + static_cast<double>(table.size()));
      for (const double score : table) {
        if (score == -kInf) {
          ranges.zeros = true;
        } else {
          high = std::max(high, score), low = std::min(low, score);
        }
      }
      ranges.of_factor.push_back(high > low ? high - low : 0);
      ranges.all += ranges.of_factor.back();
      for (const Variable v : graph_.scope(f)) {
        ranges.touching[v].push_back(f);
        ranges.of_variable[v] += ranges.of_factor[f];
      }
    }
    if (!CliqueTable::fits_linear(ranges.all) && !ranges.zeros) add_separators(ranges);
    return ranges;
  }

  // Separators of a hub alone, and many that are alike, take no time of their own.
  void add_separators(Ranges& ranges) {
    std::map<std::vector<Variable>, double> known;
    for (const Clique& clique : tree_.cliques) {
      const auto [at, is_new] = known.try_emplace(clique.separator, 0);
      if (is_new) at->second = range_touching(clique.separator, ranges);
      ranges.of_separator.push_back(at->second);
    }
  }

  // All lists of factors but the longest one are gone through.
  double range_touching(const std::vector<Variable>& separator, const Ranges& ranges) {
    if (separator.empty()) return 0;
    const Variable hub = *std::ranges::max_element(
        separator, {}, [&](Variable v) { return ranges.touching[v].size(); });
    double range = ranges.of_variable[hub];
    for (std::size_t k = 0; k < separator.size(); ++k) {
      if (separator[k] == hub) continue;
      watch_.advance(static_cast<double>(ranges.touching[separator[k]].size()));
      const auto counted = [&](Variable v) {
        return v == hub || std::find(separator.begin(), separator.begin() + std::ptrdiff_t(k), v) !=
                               separator.begin() + std::ptrdiff_t(k);
      };
      for (const Factor f : ranges.touching[separator[k]]) {
        if (std::ranges::none_of(graph_.scope(f), counted)) range += ranges.of_factor[f];
      }
    }
    return range;
  }

  // Whether the clique's products can be had without logarithms, for certain.  Where nothing is 0,
  // a message varies by no more than the factors do that touch its separator: the others cancel.
  bool fits_linear(const Clique& clique, const Ranges& ranges) const {
    if (CliqueTable::fits_linear(ranges.all)) return true;
    if (ranges.zeros) return false;
    double range = ranges.of_separator[static_cast<std::size_t>(&clique - tree_.cliques.data())];
    for (const Factor f : clique.factors) range += ranges.of_factor[f];
    for (const std::size_t child : clique.children) range += ranges.of_separator[child];
    return CliqueTable::fits_linear(range);
  }

  // Of the tables that are there while a clique is gone through, beside the messages up.
  double passing_numbers(const Clique& clique, bool logarithms) const {
    if (clique.variables.size() > kMostPlaces) return count_states(graph_, clique.variables);
    const Table nothing;
    Table result;
    CliqueTable table(graph_, clique.variables);
    double numbers = 0;
    for (const std::vector<Variable>& scope : factor_scopes(graph_, clique)) {
      table.add_input(scope, nothing);
      numbers += 2 * count_states(graph_, scope);  // as they are read, too
    }
    std::set<std::vector<Variable>> separators;
    for (const std::size_t child : clique.children) {
      const std::vector<Variable>& separator = tree_.cliques[child].separator;
      table.add_input(separator, nothing);
      if (!separators.insert(separator).second) continue;
      table.add_output(separator, result);
      numbers += count_states(graph_, separator);
    }
    for (const std::vector<Variable>& some : chunks(graph_, clique.eliminated)) {
      const std::vector<Variable> own = in_order(clique.variables, some);
      table.add_output(own, result);
      numbers += count_states(graph_, own);
    }
    if (clique.parent != Clique::kNone) table.add_input(clique.separator, nothing);
    return numbers + table.joint_numbers(logarithms);
  }

  std::vector<State> constant_states(Factor f) const {
    return std::vector<State>(graph_.scope(f).size(), 0);
  }

  std::size_t home_of(Factor f) const {
    std::size_t home = Clique::kNone;
    for (const Variable v : graph_.scope(f)) {
      if (tree_.home[v] != Clique::kNone) home = std::min(home, tree_.home[v]);
    }
    return home;
  }

  std::vector<Variable> unknown(const Clique& clique, const std::vector<bool>& known) const {
    std::vector<Variable> left;
    std::ranges::copy_if(clique.variables, std::back_inserter(left),
                         [&](Variable v) { return !known[v]; });
    return left;
  }

  // False where a factor allows nothing.
  bool add_inputs(const Clique& clique, const std::vector<ScopedTable>& factors,
                  CliqueTable& table) const {
    for (const ScopedTable& each : factors) {
      if (each.table.offset == -kInf) return false;
      table.add_input(each.variables, each.table);
    }
    for (const std::size_t child : clique.children) {
      table.add_input(up_[child].variables, up_[child].table);
    }
    return true;
  }

  void send_down(std::size_t c, std::span<const Factor> wanted,
                 const std::vector<std::size_t>& asked, GraphMarginals& out) {
    const Clique& clique = tree_.cliques[c];
    watch_.advance(kStatesOfVisit);
    const std::vector<ScopedTable> factors = factor_tables(graph_, clique);
    CliqueTable table(graph_, clique.variables, &watch_);
    add_inputs(clique, factors, table);
    if (clique.parent != Clique::kNone) table.add_input(up_[c].variables, up_[c].table);
    // Children with the same separator share a table.
    std::vector<ScopedTable> beliefs, own, of_factors;
    beliefs.reserve(clique.children.size());
    std::map<std::vector<Variable>, std::size_t> belief_of;
    for (const std::size_t child : clique.children) {
      const std::vector<Variable>& separator = up_[child].variables;
      if (!belief_of.emplace(separator, beliefs.size()).second) continue;
      beliefs.push_back({separator, {}});
      table.add_output(separator, beliefs.back().table);
    }
    for (const std::vector<Variable>& some : chunks(graph_, clique.eliminated)) {
      own.push_back({in_order(clique.variables, some), {}});
    }
    for (const std::size_t k : asked) {
      const auto scope = graph_.scope(wanted[k]);
      of_factors.push_back({in_order(clique.variables, {scope.begin(), scope.end()}), {}});
    }
    for (ScopedTable& each : own) table.add_output(each.variables, each.table);
    for (ScopedTable& each : of_factors) table.add_output(each.variables, each.table);
    table.sum();
    for (const std::size_t child : clique.children) {
      divide(beliefs[belief_of.at(up_[child].variables)].table, up_[child].table);
    }
    for (const ScopedTable& each : own) set_marginals(each, out);
    for (std::size_t k = 0; k < asked.size(); ++k) {
      set_factor(wanted[asked[k]], of_factors[k], out.factor[asked[k]]);
    }
    up_[c].table.values = {};  // done with
  }

  // up <- belief / up: what the parent knows beside what the child told it.
  static void divide(const Table& belief, Table& up) {
    LargeVector<double>& v = up.values;
    if (!belief.logarithms && !up.logarithms) {
      divide_by(belief.values.data(), v.size(), v.data());
    } else {
      for (std::size_t k = 0; k < v.size(); ++k) {
        const double own = up.log_value(k);
        v[k] = own == -kInf ? -kInf : belief.log_value(k) - own;
      }
      up.logarithms = true;
    }
    up.offset = 0;
    up.normalise();
  }

  void set_marginals(const ScopedTable& joint, GraphMarginals& out) const {
    std::vector<double> p(joint.table.values.size());
    to_probabilities(joint.table, p);
    std::uint64_t stride = 1;
    for (std::size_t k = joint.variables.size(); k-- > 0;) {
      const Variable v = joint.variables[k];
      std::vector<double>& marginal = out.variable[v];
      std::ranges::fill(marginal, 0.0);
      for (std::uint64_t i = 0; i < p.size(); ++i) marginal[i / stride % marginal.size()] += p[i];
      stride *= marginal.size();
    }
  }

  void set_factor(Factor f, const ScopedTable& joint, std::vector<double>& out) const {
    std::vector<double> p(joint.table.values.size());
    to_probabilities(joint.table, p);
    out.resize(p.size());
    for_places(graph_, joint.variables, graph_.scope(f),
               [&](std::uint64_t k, std::uint64_t place) { out[place] = p[k]; });
  }

  const FactorGraph& graph_;
  Watch watch_;
  const CliqueTree tree_;
  std::vector<ScopedTable> up_;  // [cliques] over the separator
  double log_total_ = 0;
  std::optional<double> bytes_;
};

JunctionTree::JunctionTree(const FactorGraph& graph, const EliminationOrder& order,
                           GraphCallback progress)
    : run_(std::make_unique<Run>(graph, order, std::move(progress))) {}
JunctionTree::~JunctionTree() = default;

double JunctionTree::bytes() const { return run_->bytes(); }

double JunctionTree::log2_joint_states() const {
  const double states = run_->joint_states();
  return states > 0 ? std::log2(states) : 0;
}

double JunctionTree::log_partition() {
  run_->begin(1);
  return run_->collect(false) ? run_->log_total() : -kInf;
}

GraphMarginals JunctionTree::marginals(std::span<const Factor> factors) {
  run_->begin(2);
  if (!run_->collect(false)) {
    throw Error(
        "no assignment is allowed: the factors' zeros (and the evidence) contradict each "
        "other, and there are no marginals");
  }
  GraphMarginals result;
  run_->distribute(factors, result);
  return result;
}

BestAssignment JunctionTree::best() {
  run_->begin(1);
  BestAssignment result{.states = {}, .score = -kInf};
  if (!run_->collect(true)) return result;
  result.states = run_->descend(true, largest_of);
  result.score = run_->graph().score(result.states);
  return result;
}

std::vector<BestAssignment> JunctionTree::k_best(std::size_t k) {
  run_->begin(1);
  if (k == 0 || !run_->collect(true)) return {};
  return run_->ranked(k);
}

FactorGraph JunctionTree::sum_out() {
  run_->begin(1);
  if (!run_->collect(false)) {
    throw Error(
        "no assignment is allowed: the factors' zeros (and the evidence) contradict each other, "
        "and there is nothing to sum");
  }
  return run_->rest();
}

FactorGraph JunctionTree::max_out() {
  run_->begin(1);
  if (!run_->collect(true)) {
    throw Error(
        "no assignment is allowed: the factors' zeros (and the evidence) contradict each other, "
        "and there is no best one");
  }
  return run_->rest();
}

std::vector<std::vector<State>> JunctionTree::samples(std::size_t count, Random& random) {
  run_->begin(1);
  if (!run_->collect(false)) throw Error("no assignment is allowed: there is nothing to draw");
  std::vector<std::vector<State>> drawn;
  std::vector<double> p;
  try {
    for (std::size_t n = 0; n < count; ++n) {
      drawn.push_back(
          run_->descend(false, [&](const Table& table) { return drawn_from(table, random, p); }));
    }
  } catch (const Interrupted&) {
    if (drawn.empty()) throw;
  }
  return drawn;
}

}  // namespace croft
