#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/core/random.h"
#include "croft/inference/junction_tree.h"
#include "croft/inference/mean_field.h"
#include "inference/graph/allowed_assignment.h"
#include "inference/graph/exact/expected_scores.h"

namespace croft {

// Where mean field starts, and how it goes on: the same for all forms of q.  Internal to
// inference/.
inline double entropy(const std::vector<double>& p) {
  double sum = 0;
  for (const double each : p) {
    if (each > 0) sum -= each * std::log(each);
  }
  return sum;
}

class MeanFieldStart {
 public:
  MeanFieldStart(const FactorGraph& graph, std::uint64_t seed);

  // The next one, independent of the others; nothing where no allowed assignment is found.
  std::optional<VariableMarginals> next();
  bool contradiction() const { return contradiction_; }

 private:
  const FactorGraph& graph_;
  Random random_;
  bool forbids_ = false;  // a factor, some joint states
  bool first_ = true, contradiction_ = false;
};

// All starts.  Field: start(q), iterate() -> largest change, bound(), marginals().
//   before : empty, or where to start from before all others
template <class Field>
MeanFieldResult ascend(const FactorGraph& graph, const MeanFieldOptions& options,
                       const GraphCallback& callback, Field& field,
                       const VariableMarginals& before = {}) {
  options.validate();
  MeanFieldResult result;
  result.bound = -std::numeric_limits<double>::infinity();
  MeanFieldStart starts(graph, options.seed);
  std::size_t iterations = 0;
  bool more = true;
  const std::size_t given = before.empty() ? 0 : 1;
  for (std::size_t k = 0; k < given + options.starts && more; ++k) {
    std::optional<VariableMarginals> q = k < given ? before : starts.next();
    if (!q) break;
    field.start(std::move(*q));
    Convergence end;
    double bound = field.bound();
    while (more && !end.converged && end.iterations < options.max_iterations) {
      end.residual = field.iterate();
      ++end.iterations;
      end.converged = end.residual <= options.tolerance;
      bound = field.bound();
      GraphProgress progress;
      progress.iteration = ++iterations;
      progress.residual = end.residual;
      progress.value = std::max(bound, result.bound);
      more = !callback || callback(progress);
    }
    if (bound <= result.bound) continue;
    result.bound = bound;
    result.convergence = end;
    result.marginals = field.marginals();
  }
  result.convergence.iterations = iterations;
  result.contradiction = starts.contradiction();
  return result;
}

namespace {

// A symmetric graph has a saddle point at the uniform q.
constexpr double kNearUniform = 0.01;

// Factors that forbid joint states of variables in different parts.
std::size_t count_forbidding(const FactorGraph& graph, std::span<const std::size_t> part_of) {
  std::size_t count = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    if (!is_hard(graph, f)) continue;
    std::optional<std::size_t> first;
    for (const Variable v : graph.scope(f)) {
      if (graph.states(v) < 2) continue;
      if (first && *first != part_of[v]) {
        ++count;
        break;
      }
      first = part_of[v];
    }
  }
  return count;
}

}  // namespace

MeanFieldStart::MeanFieldStart(const FactorGraph& graph, std::uint64_t seed)
    : graph_(graph), random_(seed), forbids_(has_hard_factors(graph)) {}

std::optional<VariableMarginals> MeanFieldStart::next() {
  VariableMarginals q;
  for (Variable v = 0; v < graph_.variables(); ++v) q.emplace_back(graph_.states(v), 0.0);
  if (forbids_) {
    const AllowedAssignment allowed = find_allowed(graph_, random_);
    contradiction_ = allowed.outcome == AllowedSearch::none;
    if (allowed.outcome != AllowedSearch::found) return {};
    for (Variable v = 0; v < q.size(); ++v) q[v][allowed.states[v]] = 1;
    return q;
  }
  for (std::vector<double>& p : q) {
    double sum = 0;
    for (double& each : p)
      sum += each =
          first_ ? 1 + kNearUniform * random_.uniform() : -std::log(1 - random_.uniform()) + 1e-9;
    for (double& each : p) each /= sum;
  }
  first_ = false;
  return q;
}

namespace {

class NaiveMeanField {
 public:
  explicit NaiveMeanField(const FactorGraph& graph)
      : graph_(graph), factors_of_(graph), expected_(graph) {}

  void start(VariableMarginals q) { q_ = std::move(q); }
  const VariableMarginals& marginals() const { return q_; }

  // Through all variables; returns the largest change.
  double iterate() {
    double change = 0;
    for (Variable v = 0; v < graph_.variables(); ++v) change = std::max(change, update(v));
    return change;
  }

  // (GV.11)
  double bound() {
    CompensatedSum sum;
    for (Factor f = 0; f < graph_.factors(); ++f) {
      if (graph_.scope(f).empty()) {
        sum.add(graph_.score_of(f, {}));
        continue;
      }
      const std::vector<double>& p = q_[graph_.scope(f)[0]];
      scores_.assign(p.size(), 0);
      expected_.add(f, 0, q_, scores_.data());
      for (std::size_t x = 0; x < p.size(); ++x) {
        if (p[x] > 0) sum.add(p[x] * scores_[x]);
      }
    }
    for (const std::vector<double>& p : q_) sum.add(entropy(p));
    return sum.value();
  }

 private:
  // q_v(x) ~ exp sum_f E[theta_f | x_v = x]                                         (GV.12)
  double update(Variable v) {
    std::vector<double>& p = q_[v];
    scores_.assign(p.size(), 0);
    for (const Factor f : factors_of_.of(v)) {
      const auto scope = graph_.scope(f);
      const auto k = static_cast<std::size_t>(std::ranges::find(scope, v) - scope.begin());
      expected_.add(f, k, q_, scores_.data());
    }
    const double high = *std::ranges::max_element(scores_);
    if (high == -kInf) return 0;  // the others give weight to what is forbidden: theirs to change
    double sum = 0, change = 0;
    for (double& each : scores_) sum += each = std::exp(each - high);
    for (std::size_t x = 0; x < p.size(); ++x) {
      change = std::max(change, std::abs(scores_[x] / sum - p[x]));
      p[x] = scores_[x] / sum;
    }
    return change;
  }

  const FactorGraph& graph_;
  FactorLists factors_of_;
  ExpectedScores expected_;
  VariableMarginals q_;
  std::vector<double> scores_;
};

}  // namespace

void MeanFieldOptions::validate() const {
  if (!(tolerance > 0 && tolerance < kInf)) throw UsageError("the tolerance must be positive");
  if (max_iterations == 0) throw UsageError("max_iterations must be at least 1");
  if (starts == 0) throw UsageError("there must be at least one start");
}

MeanFieldResult mean_field(const FactorGraph& graph, const MeanFieldOptions& options,
                           const GraphCallback& callback) {
  NaiveMeanField field(graph);
  MeanFieldResult result = ascend(graph, options, callback, field);
  std::vector<std::size_t> part_of(graph.variables());
  std::iota(part_of.begin(), part_of.end(), std::size_t{0});
  result.forbidding = count_forbidding(graph, part_of);
  bool joins = false;
  for (Factor f = 0; f < graph.factors(); ++f) joins |= graph.scope(f).size() > 1;
  if (!joins || result.contradiction) result.kind = ResultKind::exact;
  return result;
}

namespace {

constexpr double kMostBytes = 1 << 30;

// A part of the variables, with a factor for each of the graph's that has some of them.
struct Part {
  FactorGraph graph;
  std::vector<VariableMarginals::value_type> factor;  // joint marginals
  std::unique_ptr<JunctionTree> tree;
  std::vector<Factor> all;
  double entropy = 0;
};

// A factor of the graph, cut along the parts.
struct Cut {
  struct Piece {
    std::size_t part;
    Factor factor;                     // of the part's graph
    std::vector<std::uint32_t> place;  // of each joint state of the whole, in the piece
  };
  std::vector<double> scores;
  std::vector<Piece> pieces;
};

class StructuredMeanField {
 public:
  StructuredMeanField(const FactorGraph& graph, std::span<const std::vector<Variable>> parts);

  void start(const VariableMarginals& q);
  double iterate();
  double bound() const;
  const VariableMarginals& marginals() const { return q_; }
  bool is_one() const { return is_one_; }  // no factor joins two parts

 private:
  void assign_parts(std::span<const std::vector<Variable>> parts);
  void cut(Factor f);
  double update(std::size_t part);
  void set_scores(const Cut& cut, std::size_t piece);
  const std::vector<double>& joint(const Cut::Piece& piece) const {
    return parts_[piece.part].factor[piece.factor];
  }

  const FactorGraph& graph_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> part_of_, local_;                        // [variables]
  std::vector<Cut> cuts_;                                             // [factors]
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> at_;  // [parts] of cut and piece
  VariableMarginals q_;
  bool is_one_ = true;
};

StructuredMeanField::StructuredMeanField(const FactorGraph& graph,
                                         std::span<const std::vector<Variable>> parts)
    : graph_(graph), parts_(parts.size()), at_(parts.size()) {
  assign_parts(parts);
  for (Factor f = 0; f < graph.factors(); ++f) cut(f);
  for (Part& part : parts_) {
    const GraphCallback go_on = until_interrupted();
    part.tree = std::make_unique<JunctionTree>(
        part.graph, find_elimination_order(part.graph, {.progress = go_on}), go_on);
    if (part.tree->bytes() > kMostBytes) {
      throw UsageError("the junction tree of a part of the variables takes more than 1 GiB");
    }
    part.all.resize(part.graph.factors());
    std::iota(part.all.begin(), part.all.end(), Factor{0});
  }
}

void StructuredMeanField::assign_parts(std::span<const std::vector<Variable>> parts) {
  part_of_.assign(graph_.variables(), kUnobserved);
  local_.resize(graph_.variables());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const Variable v : parts[p]) {
      if (v >= graph_.variables()) throw UsageError("there is no variable " + std::to_string(v));
      if (part_of_[v] != kUnobserved) {
        throw UsageError("variable " + std::to_string(v) + " is in two parts, or twice in one");
      }
      part_of_[v] = static_cast<std::uint32_t>(p);
      local_[v] = parts_[p].graph.add_variable(graph_.states(v));
    }
  }
  const auto missing = std::ranges::find(part_of_, kUnobserved);
  if (missing != part_of_.end()) {
    throw UsageError("variable " + std::to_string(missing - part_of_.begin()) + " is in no part");
  }
}

void StructuredMeanField::cut(Factor f) {
  const auto scope = graph_.scope(f);
  Cut cut;
  cut.scores = graph_.table(f);
  std::vector<std::size_t> stride(scope.size(), 1);
  for (std::size_t k = scope.size(); k-- > 1;) {
    stride[k - 1] = stride[k] * graph_.states(scope[k]);
  }
  for (std::size_t k = 0; k < scope.size(); ++k) {
    const std::size_t p = part_of_[scope[k]];
    if (std::ranges::count(cut.pieces, p, &Cut::Piece::part) > 0) continue;
    Cut::Piece piece{p, 0, std::vector<std::uint32_t>(cut.scores.size(), 0)};
    std::vector<Variable> inside;
    std::size_t size = 1;
    for (std::size_t l = k; l < scope.size(); ++l) {
      if (part_of_[scope[l]] != p) continue;
      const std::size_t states = graph_.states(scope[l]);
      for (std::size_t i = 0; i < piece.place.size(); ++i) {
        piece.place[i] =
            static_cast<std::uint32_t>(piece.place[i] * states + i / stride[l] % states);
      }
      inside.push_back(local_[scope[l]]);
      size *= states;
    }
    FactorGraph& part = parts_[p].graph;
    piece.factor = part.add_factor(inside, part.add_table(std::vector<double>(size, 0)));
    at_[p].emplace_back(cuts_.size(), cut.pieces.size());
    cut.pieces.push_back(std::move(piece));
  }
  is_one_ = is_one_ && cut.pieces.size() < 2;
  cuts_.push_back(std::move(cut));
}

void StructuredMeanField::start(const VariableMarginals& q) {
  q_ = q;
  for (Part& part : parts_) part.entropy = 0;
  for (Variable v = 0; v < q.size(); ++v) parts_[part_of_[v]].entropy += entropy(q[v]);
  for (Factor f = 0; f < graph_.factors(); ++f) {
    for (const Cut::Piece& piece : cuts_[f].pieces) {
      Part& part = parts_[piece.part];
      part.factor.resize(part.graph.factors());
      std::vector<double>& p = part.factor[piece.factor];
      p.assign(1, 1);
      for (const Variable v : graph_.scope(f)) {
        if (part_of_[v] != piece.part) continue;
        std::vector<double> next;
        for (const double before : p) {
          for (const double each : q[v]) next.push_back(before * each);
        }
        p = std::move(next);
      }
    }
  }
}

double StructuredMeanField::iterate() {
  double change = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) change = std::max(change, update(p));
  return change;
}

// The expected scores of a piece, given the other pieces.
void StructuredMeanField::set_scores(const Cut& cut, std::size_t k) {
  const Cut::Piece& piece = cut.pieces[k];
  FactorGraph& graph = parts_[piece.part].graph;
  const std::span<double> to = graph.numbers(graph.potential_of(piece.factor));
  std::ranges::fill(to, 0.0);
  for (std::size_t i = 0; i < cut.scores.size(); ++i) {
    double weight = 1;
    bool possible = true;
    for (std::size_t l = 0; l < cut.pieces.size(); ++l) {
      if (l == k) continue;
      const double p = joint(cut.pieces[l])[cut.pieces[l].place[i]];
      possible = possible && p > 0;
      weight *= p;
    }
    if (!possible) continue;
    to[piece.place[i]] += cut.scores[i] == -kInf ? -kInf : weight * cut.scores[i];
  }
}

// The best q of a part, given the others: as its expected scores say (GV.13).
double StructuredMeanField::update(std::size_t p) {
  Part& part = parts_[p];
  for (const auto& [cut, piece] : at_[p]) set_scores(cuts_[cut], piece);
  GraphMarginals found = part.tree->marginals(part.all);
  CompensatedSum entropy(found.log_partition);
  for (const Factor f : part.all) {
    const std::span<const double> scores = part.graph.numbers(part.graph.potential_of(f));
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (found.factor[f][k] > 0) entropy.add(-found.factor[f][k] * scores[k]);
    }
  }
  part.entropy = entropy.value();
  part.factor = std::move(found.factor);
  double change = 0;
  for (Variable v = 0; v < graph_.variables(); ++v) {
    if (part_of_[v] != p) continue;
    const std::vector<double>& now = found.variable[local_[v]];
    for (std::size_t x = 0; x < now.size(); ++x) {
      change = std::max(change, std::abs(now[x] - q_[v][x]));
    }
    q_[v] = now;
  }
  return change;
}

double StructuredMeanField::bound() const {
  CompensatedSum sum;
  for (const Part& part : parts_) sum.add(part.entropy);
  for (const Cut& cut : cuts_) {
    for (std::size_t i = 0; i < cut.scores.size(); ++i) {
      double weight = 1;
      bool possible = true;
      for (const Cut::Piece& piece : cut.pieces) {
        const double p = joint(piece)[piece.place[i]];
        possible = possible && p > 0;
        weight *= p;
      }
      if (possible) sum.add(cut.scores[i] == -kInf ? -kInf : weight * cut.scores[i]);
    }
  }
  return sum.value();
}

}  // namespace

std::vector<std::vector<Variable>> forest_parts(const FactorGraph& graph) {
  const FactorLists factors_of(graph);
  std::vector<std::vector<Variable>> parts;
  std::vector<std::size_t> part_of(graph.variables(), 0);
  std::vector<bool> placed(graph.variables());
  std::vector<Variable> piece(graph.variables());  // of the forest inside a part
  std::iota(piece.begin(), piece.end(), Variable{0});
  const auto root = [&](Variable v) {
    while (piece[v] != v) v = piece[v] = piece[piece[v]];
    return v;
  };
  std::vector<Variable> joined;  // a piece for each factor that v would share with the part
  const auto find_joined = [&](Variable v, std::size_t part) {
    joined.clear();
    for (const Factor f : factors_of.of(v)) {
      for (const Variable u : graph.scope(f)) {
        if (u == v || !placed[u] || part_of[u] != part) continue;
        joined.push_back(root(u));
        break;  // the factor has joined those that are placed
      }
    }
  };
  for (Variable v = 0; v < graph.variables(); ++v) {
    std::size_t part = 0;
    for (;; ++part) {
      find_joined(v, part);
      std::vector<Variable> sorted = joined;
      std::ranges::sort(sorted);
      if (std::ranges::adjacent_find(sorted) == sorted.end()) break;  // closes no cycle
    }
    if (part == parts.size()) parts.emplace_back();
    parts[part].push_back(v);
    part_of[v] = part;
    placed[v] = true;
    for (const Variable u : joined) piece[root(u)] = root(v);
  }
  return parts;
}

MeanFieldResult structured_mean_field(const FactorGraph& graph,
                                      std::span<const std::vector<Variable>> parts,
                                      const MeanFieldOptions& options,
                                      const GraphCallback& callback) {
  StructuredMeanField field(graph, parts);
  // Independent variables are the first start: from there the bound only rises.
  const bool joins = !field.is_one();
  const VariableMarginals before =
      joins ? mean_field(graph, options, callback).marginals : VariableMarginals();
  MeanFieldResult result = ascend(graph, options, callback, field, before);
  std::vector<std::size_t> part_of(graph.variables());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (const Variable v : parts[k]) part_of[v] = k;
  }
  result.forbidding = count_forbidding(graph, part_of);
  if (field.is_one() || result.contradiction) result.kind = ResultKind::exact;
  return result;
}

}  // namespace croft
