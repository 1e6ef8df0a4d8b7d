#include "inference/graph/slices/slice_kernel.h"

#include <algorithm>
#include <cmath>

#include "core/infinity.h"
#include "inference/graph/exact/scoped_table.h"

namespace croft {

class SliceKernel::Maker {
 public:
  Maker(SliceKernel& kernel, const FactorGraph& graph, const std::vector<Variable>& order)
      : k_(kernel), graph_(graph), tree_(make_clique_tree(graph, order)) {}

  // Numbers of all tables and places.
  double numbers() const {
    double sum = 0;
    for (const Clique& clique : tree_.cliques) {
      sum += (3 + static_cast<double>(clique.children.size())) *
             count_states(graph_, clique.variables);
    }
    return sum;
  }

  void make(const FactorGraph& graph, const std::vector<Variable>& before,
            const std::vector<Variable>& after) {
    k_.variables_ = graph.variables();
    k_.home_ = tree_.home;
    k_.own_place_.assign(graph.variables(), 0);
    for (const Factor f : tree_.constants) {
      k_.constant_ += graph.score_of(f, std::vector<State>(graph.scope(f).size(), 0));
    }
    for (std::size_t c = 0; c < tree_.cliques.size(); ++c) add_part(c);
    k_.before_ = frame_of(before);
    k_.after_ = frame_of(after);
    for (std::size_t c = k_.before_.clique; c != Clique::kNone; c = k_.parts_[c].parent) {
      k_.parts_[c].leads_to_before = true;
    }
    k_.work_.resize(k_.parts_.size());
    k_.lowest_.resize(k_.parts_.size());
    k_.up_.resize(k_.parts_.size());
  }

 private:
  void add_part(std::size_t c) {
    const Clique& clique = tree_.cliques[c];
    Part part;
    part.parent = clique.parent;
    part.separator_states = joint_states(graph_, clique.separator);
    part.up = places(clique, clique.separator);
    if (clique.parent != Clique::kNone) {
      part.up_in_parent = places(tree_.cliques[clique.parent], clique.separator);
    }
    std::uint64_t stride = 1;
    for (std::size_t at = clique.variables.size(); at-- > 0;) {
      const Variable v = clique.variables[at];
      const auto states = static_cast<std::uint32_t>(graph_.states(v));
      if (contains(clique.eliminated, v)) {
        k_.own_place_[v] = part.own.size();
        part.own.push_back({v, stride, states});
      }
      stride *= states;
    }
    std::vector<double> scores(stride, 0.0);
    for (const Factor f : clique.factors) {
      const std::vector<double> table = graph_.table(f);
      for_places(graph_, clique.variables, graph_.scope(f),
                 [&](std::uint64_t i, std::uint64_t place) { scores[i] += table[place]; });
    }
    part.factors = table_of_scores(std::move(scores));
    k_.parts_.push_back(std::move(part));
  }

  Places places(const Clique& clique, const std::vector<Variable>& scope) const {
    Places out(joint_states(graph_, clique.variables));
    for_places(graph_, clique.variables, scope, [&](std::uint64_t i, std::uint64_t place) {
      out[i] = static_cast<std::uint32_t>(place);
    });
    return out;
  }

  // The clique where the first of them is eliminated has them all.
  Frame frame_of(const std::vector<Variable>& scope) const {
    Frame frame;
    for (const Variable v : scope) frame.clique = std::min(frame.clique, tree_.home[v]);
    if (frame.clique == Clique::kNone) return frame;
    frame.places = places(tree_.cliques[frame.clique], scope);
    frame.states = joint_states(graph_, scope);
    return frame;
  }

  SliceKernel& k_;
  const FactorGraph& graph_;
  const CliqueTree tree_;
};

std::unique_ptr<SliceKernel> SliceKernel::make(const FactorGraph& graph,
                                               const std::vector<Variable>& order,
                                               const std::vector<Variable>& before,
                                               const std::vector<Variable>& after, double most) {
  auto kernel = std::make_unique<SliceKernel>();
  Maker maker(*kernel, graph, order);
  if (maker.numbers() > most) return nullptr;
  maker.make(graph, before, after);
  return kernel;
}

std::optional<double> SliceKernel::run(const SliceGiven& given, const SliceWanted& wanted) {
  bool possible = constant_ > -kInf;
  if (!possible) return -kInf;
  if (!collect(given, wanted.largest, possible)) return {};
  if (!possible) return -kInf;
  const double log_total = log_total_;
  if (wanted.after != nullptr) {
    Table& out = *wanted.after;
    out.logarithms = false;
    out.offset = 0;
    out.values.assign(after_.states, 1.0);
    if (after_.clique != Clique::kNone) {
      sum_to(after_.clique, after_.places, wanted.largest, out.values);
    }
    out.normalise();
  }
  if (wanted.best != nullptr) descend(*wanted.best);
  if (wanted.marginals == nullptr && wanted.before == nullptr) return log_total;
  if (!distribute(wanted.marginals != nullptr)) return {};
  if (wanted.marginals != nullptr) set_marginals(*wanted.marginals);
  if (wanted.before != nullptr) {
    Table& out = *wanted.before;
    out.logarithms = false;
    out.offset = 0;
    out.values.assign(before_.states, 1.0);
    if (before_.clique != Clique::kNone) {
      sum_to(before_.clique, before_.places, false, out.values);
      for (std::size_t i = 0; i < out.values.size(); ++i) {
        // What cannot have been needs no number.
        const double known = given.before->values[i];
        out.values[i] = known > 0 ? out.values[i] / known : 0;
      }
    }
    out.normalise();
  }
  return log_total;
}

void SliceKernel::load(std::size_t c) {
  const Table& factors = parts_[c].factors;
  work_[c].assign(factors.values.begin(), factors.values.end());
  lowest_[c] = factors.lowest;
  log_total_ += factors.offset;
}

// False where the numbers may not fit.
bool SliceKernel::multiply(std::size_t c, const Table& by, const Places& places) {
  lowest_[c] += by.lowest;
  if (by.logarithms || !CliqueTable::fits_linear(-lowest_[c])) return false;
  LargeVector<double>& work = work_[c];
  for (std::size_t i = 0; i < work.size(); ++i) work[i] *= by.values[places[i]];
  return true;
}

namespace {

// x[.., s, ..] <- x[.., s, ..] by(s).
template <class By>
void multiply_states(LargeVector<double>& x, std::uint64_t stride, std::uint32_t states,
                     const By& by) {
  for (std::size_t i = 0; i < x.size();) {
    for (std::uint32_t s = 0; s < states; ++s) {
      const double factor = by(s);
      for (std::uint64_t k = 0; k < stride; ++k, ++i) x[i] *= factor;
    }
  }
}

}  // namespace

bool SliceKernel::add_evidence(std::size_t c, const SliceEvidence& evidence) {
  if (!evidence.states.empty()) {
    for (const Own& own : parts_[c].own) {
      if (own.variable >= evidence.states.size()) continue;  // of the slice before
      const State known = evidence.states[own.variable];
      if (known == kUnobserved) continue;
      multiply_states(work_[c], own.stride, own.states,
                      [&](State s) { return s == known ? 1.0 : 0.0; });
    }
  }
  for (const auto& [v, likelihoods] : evidence.likelihoods) {
    if (home_[v] != c) continue;
    const Own& own = parts_[c].own[own_place_[v]];
    double high = 0, low = kInf;
    for (const double x : likelihoods) {
      high = std::max(high, x);
      if (x > 0) low = std::min(low, x);
    }
    log_total_ += std::log(high);
    lowest_[c] += std::log(low) - std::log(high);
    if (!CliqueTable::fits_linear(-lowest_[c])) return false;
    multiply_states(work_[c], own.stride, own.states,
                    [&](State s) { return likelihoods[s] / high; });
  }
  return true;
}

bool SliceKernel::collect(const SliceGiven& given, bool largest, bool& possible) {
  log_total_ = constant_;
  if (given.before != nullptr) log_total_ += given.before->offset;
  if (given.after != nullptr) log_total_ += given.after->offset;
  for (const auto& [v, likelihoods] : given.evidence.likelihoods) {
    if (home_[v] == Clique::kNone) log_total_ += std::log(likelihoods[0]);
  }
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    load(c);
    if (parts_[c].factors.logarithms || !add_evidence(c, given.evidence)) return false;
  }
  if (before_.clique != Clique::kNone && !multiply(before_.clique, *given.before, before_.places)) {
    return false;
  }
  if (given.after != nullptr && after_.clique != Clique::kNone &&
      !multiply(after_.clique, *given.after, after_.places)) {
    return false;
  }
  for (std::size_t c = 0; c < parts_.size() && possible; ++c) {
    if (!send_up(c, largest, possible)) return false;
  }
  return true;
}

// False where the numbers may not fit.
bool SliceKernel::send_up(std::size_t c, bool largest, bool& possible) {
  const Part& part = parts_[c];
  Table& up = up_[c];
  up.logarithms = false;
  up.offset = 0;
  up.values.assign(part.separator_states, 0.0);
  sum_to(c, part.up, largest, up.values);
  possible = up.normalise();
  if (!possible) return true;
  log_total_ += up.offset;
  return part.parent == Clique::kNone || multiply(part.parent, up, part.up_in_parent);
}

// From the roots to the leaves; or to the interface before alone.
bool SliceKernel::distribute(bool all) {
  for (std::size_t c = parts_.size(); c-- > 0;) {
    const Part& part = parts_[c];
    if (part.parent == Clique::kNone || !(all || part.leads_to_before)) continue;
    down_.logarithms = false;
    down_.offset = 0;
    down_.values.assign(part.separator_states, 0.0);
    sum_to(part.parent, part.up_in_parent, false, down_.values);
    for (std::size_t i = 0; i < down_.values.size(); ++i) {
      if (down_.values[i] > 0) down_.values[i] /= up_[c].values[i];
    }
    down_.normalise();
    if (!multiply(c, down_, part.up)) return false;
  }
  return true;
}

void SliceKernel::sum_to(std::size_t c, const Places& places, bool largest,
                         LargeVector<double>& out) const {
  const LargeVector<double>& work = work_[c];
  std::ranges::fill(out, 0.0);
  if (largest) {
    for (std::size_t i = 0; i < work.size(); ++i) {
      out[places[i]] = std::max(out[places[i]], work[i]);
    }
  } else {
    for (std::size_t i = 0; i < work.size(); ++i) out[places[i]] += work[i];
  }
}

// From the roots to the leaves: the best states of a clique given those above it.
void SliceKernel::descend(std::vector<State>& x) const {
  x.assign(variables_, 0);
  std::vector<std::size_t> best(parts_.size());
  for (std::size_t c = parts_.size(); c-- > 0;) {
    const Part& part = parts_[c];
    const LargeVector<double>& work = work_[c];
    const std::uint32_t above =
        part.parent == Clique::kNone ? 0 : part.up_in_parent[best[part.parent]];
    double largest = -1;
    for (std::size_t i = 0; i < work.size(); ++i) {
      if (part.up[i] == above && work[i] > largest) largest = work[i], best[c] = i;
    }
    for (const Own& own : part.own) {
      x[own.variable] = static_cast<State>(best[c] / own.stride % own.states);
    }
  }
}

void SliceKernel::set_marginals(VariableMarginals& out) const {
  for (Variable v = 0; v < out.size(); ++v) {
    std::vector<double>& p = out[v];
    if (home_[v] == Clique::kNone) {
      p.assign(1, 1.0);
      continue;
    }
    const Own& own = parts_[home_[v]].own[own_place_[v]];
    const LargeVector<double>& work = work_[home_[v]];
    p.assign(own.states, 0.0);
    for (std::size_t i = 0; i < work.size();) {
      for (std::uint32_t s = 0; s < own.states; ++s) {
        double sum = 0;
        for (std::uint64_t k = 0; k < own.stride; ++k, ++i) sum += work[i];
        p[s] += sum;
      }
    }
    double total = 0;
    for (const double x : p) total += x;
    for (double& x : p) x /= total;
  }
}

}  // namespace croft
