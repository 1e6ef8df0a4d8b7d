#include "inference/graph/bounds/mini_buckets.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/infinity.h"

namespace croft {
namespace {

using Place = MiniBuckets::Place;

std::vector<Place> joined(const std::vector<Place>& a, const std::vector<Place>& b) {
  std::vector<Place> all;
  std::ranges::set_union(a, b, std::back_inserter(all), std::greater<>());
  return all;
}

// The mean of the maxima (or sums) that the pieces have, less their own: what moves from one to the
// other.
void match(std::vector<std::vector<double>>& maxima) {
  const auto pieces = static_cast<double>(maxima.size());
  for (std::size_t at = 0; at < maxima[0].size(); ++at) {
    double sum = 0;
    for (const auto& each : maxima) sum += each[at];
    for (auto& each : maxima) each[at] = sum > -kInf ? sum / pieces - each[at] : -kInf;
  }
}

}  // namespace

MiniBuckets::MiniBuckets(const FactorGraph& graph, std::vector<Variable> order, double budget,
                         const std::function<bool()>& goes_on, Place summed)
    : order_(std::move(order)), summed_(summed) {
  for (const Variable v : order_) states_.push_back(graph.states(v));
  add_factors(graph);
  find_tree();
  // Pieces twice as large, as long as that fits.
  double largest = 16;
  joint_states_ = divide(largest, kInf);
  while (!exact()) {
    const auto smaller = pieces_;
    const double total = divide(2 * largest, budget);
    if (total > budget) {
      pieces_ = smaller;
      break;
    }
    largest *= 2;
    joint_states_ = total;
  }
  crossing_.resize(places());
  exact_.assign(places(), 1);
  for (Place v = 0; v < places() && goes_on(); ++v) eliminate(v);
}

double MiniBuckets::joint(const std::vector<Place>& scope) const {
  double joint = 1;
  for (const Place v : scope) joint *= static_cast<double>(states_[v]);
  return joint;
}

MiniBuckets::Function MiniBuckets::function_over(std::vector<Place> scope, Place from) const {
  Function f{.scope = std::move(scope), .strides = {}, .values = {}, .from = from};
  f.strides.resize(f.scope.size());
  std::uint64_t stride = 1;
  for (std::size_t k = f.scope.size(); k-- > 0; stride *= states_[f.scope[k]]) {
    f.strides[k] = stride;
  }
  return f;
}

void MiniBuckets::add_factors(const FactorGraph& graph) {
  std::vector<Place> place(graph.variables(), kNowhere);
  for (Place v = 0; v < places(); ++v) place[order_[v]] = v;
  factors_at_.resize(places());
  std::vector<State> at;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    std::vector<Place> own;
    for (const Variable v : scope) {
      if (place[v] != kNowhere) own.push_back(place[v]);
    }
    std::ranges::sort(own, std::greater<>());
    Function function = function_over(own, kNowhere);
    at.assign(scope.size(), 0);
    for (std::uint64_t joint = 0;; ++joint) {
      function.values.push_back(0);
      for (std::size_t k = 0; k < scope.size(); ++k) {
        const auto where = std::ranges::find(own, place[scope[k]]) - own.begin();
        at[k] = place[scope[k]] == kNowhere
                    ? 0
                    : static_cast<State>(joint / function.strides[static_cast<std::size_t>(where)] %
                                         graph.states(scope[k]));
      }
      function.values.back() = graph.score_of(f, at);
      if (static_cast<double>(joint + 1) >= this->joint(own)) break;
    }
    if (own.empty()) {
      constant_ += function.values[0];
      continue;
    }
    factors_at_[own.back()].push_back(static_cast<std::uint32_t>(functions_.size()));
    functions_.push_back(std::move(function));
  }
}

void MiniBuckets::find_tree() {
  context_.resize(places());
  parent_.assign(places(), kNowhere);
  children_.resize(places());
  for (Place v = 0; v < places(); ++v) {
    for (const std::uint32_t f : factors_at_[v]) {
      context_[v] = joined(context_[v], functions_[f].scope);
    }
    std::erase(context_[v], v);
    if (context_[v].empty()) {
      roots_.push_back(v);
      continue;
    }
    parent_[v] = context_[v].back();
    children_[parent_[v]].push_back(v);
    context_[parent_[v]] = joined(context_[parent_[v]], context_[v]);
  }
}

double MiniBuckets::divide(double largest, double most) {
  std::vector<std::vector<Place>> scopes;
  for (const Function& f : functions_) scopes.push_back(f.scope);
  std::vector<std::vector<std::uint32_t>> buckets = factors_at_;
  pieces_.assign(places(), {});
  double total = 0;
  for (Place v = 0; v < places() && total <= most; ++v) {
    pieces_[v] = pieces_of(buckets[v], scopes, largest);
    for (const Piece& piece : pieces_[v]) {
      total += joint(piece.scope);
      scopes.emplace_back(piece.scope.begin(), piece.scope.end() - 1);
      if (scopes.back().empty()) continue;
      buckets[scopes.back().back()].push_back(static_cast<std::uint32_t>(scopes.size() - 1));
    }
  }
  return total;
}

std::vector<MiniBuckets::Piece> MiniBuckets::pieces_of(
    const std::vector<std::uint32_t>& functions, const std::vector<std::vector<Place>>& scopes,
    double largest) const {
  std::vector<std::uint32_t> sorted = functions;
  std::ranges::stable_sort(sorted, [&](std::uint32_t a, std::uint32_t b) {
    return joint(scopes[a]) > joint(scopes[b]);
  });
  std::vector<Piece> pieces;
  for (const std::uint32_t f : sorted) {
    bool fits = false;
    for (Piece& piece : pieces) {
      std::vector<Place> both = joined(piece.scope, scopes[f]);
      fits = joint(both) <= std::max(largest, joint(piece.scope));
      if (!fits) continue;
      piece.scope = std::move(both);
      piece.functions.push_back(f);
      break;
    }
    if (!fits) pieces.push_back({{f}, scopes[f]});
  }
  return pieces;
}

// Functions have the states of the last place of `scope` side by side.
template <class Visit>
void MiniBuckets::for_rows(const std::vector<const Function*>& functions,
                           const std::vector<Place>& scope, const std::vector<Place>& target,
                           double* to, const Visit& visit) const {
  const std::size_t above = scope.size() - 1, count = functions.size();
  // How far an index moves with each place: [above][functions, and of the target].
  std::vector<std::uint64_t> moves(above * (count + 1), 0);
  const auto fill = [&](std::size_t column, const Function& f) {
    for (std::size_t k = 0; k < f.scope.size(); ++k) {
      const auto at =
          static_cast<std::size_t>(std::ranges::find(scope, f.scope[k]) - scope.begin());
      if (at < above) moves[at * (count + 1) + column] = f.strides[k];
    }
  };
  for (std::size_t f = 0; f < count; ++f) fill(f, *functions[f]);
  fill(count, function_over(target, kNowhere));
  std::vector<const double*> rows;
  for (const Function* f : functions) rows.push_back(f->values.data());
  std::vector<State> x(above, 0);
  for (;;) {
    visit(rows, to);
    std::size_t k = above;
    for (; k > 0; --k) {
      const std::uint64_t* move = moves.data() + (k - 1) * (count + 1);
      if (++x[k - 1] < states_[scope[k - 1]]) {
        for (std::size_t f = 0; f < count; ++f) rows[f] += move[f];
        to += move[count];
        break;
      }
      const std::uint64_t back = states_[scope[k - 1]] - 1;
      for (std::size_t f = 0; f < count; ++f) rows[f] -= back * move[f];
      to -= back * move[count];
      x[k - 1] = 0;
    }
    if (k == 0) return;
  }
}

std::vector<double> MiniBuckets::without(const std::vector<const Function*>& functions,
                                         const std::vector<Place>& scope,
                                         const std::vector<Place>& target, double weight) const {
  const std::size_t last = states_[scope.back()];
  // The target's place of a state: each its own, or the first for all.
  const std::size_t step = !target.empty() && target.back() == scope.back() ? 1 : 0;
  const auto size = static_cast<std::size_t>(joint(target));
  const auto total = [&](const std::vector<const double*>& rows, std::size_t s) {
    double sum = rows[0][s];
    for (std::size_t f = 1; f < rows.size(); ++f) sum += rows[f][s];
    return sum;
  };
  std::vector<double> most(size, -kInf);
  for_rows(functions, scope, target, most.data(), [&](const auto& rows, double* to) {
    if (step == 1) {
      for (std::size_t s = 0; s < last; ++s) to[s] = std::max(to[s], total(rows, s));
      return;
    }
    double highest = *to;
    for (std::size_t s = 0; s < last; ++s) highest = std::max(highest, total(rows, s));
    *to = highest;
  });
  if (weight == 0) return most;
  std::vector<double> sums(size, 0.0);
  for_rows(functions, scope, target, sums.data(), [&](const auto& rows, double* to) {
    const double* at = most.data() + (to - sums.data());
    for (std::size_t s = 0; s < last; ++s) {
      const double highest = at[step * s];
      if (highest > -kInf) to[step * s] += std::exp((total(rows, s) - highest) / weight);
    }
  });
  for (std::size_t k = 0; k < size; ++k) {
    if (most[k] > -kInf) most[k] += weight * std::log(sums[k]);
  }
  return most;
}

void MiniBuckets::eliminate(Place v) {
  std::vector<Function> corrections;
  const std::vector<Piece>& pieces = pieces_[v];
  const double weight = is_summed(v) ? 1 / static_cast<double>(pieces.size()) : 0;
  const auto parts = [&](const Piece& piece) {
    std::vector<const Function*> list;
    for (const std::uint32_t f : piece.functions) list.push_back(&functions_[f]);
    return list;
  };
  for (const Place child : children_[v]) exact_[v] &= exact_[child];
  if (pieces.empty() && is_summed(v)) constant_ += std::log(static_cast<double>(states_[v]));
  if (pieces.size() > 1) {
    exact_[v] = 0;
    std::vector<Place> shared = pieces[0].scope;
    for (const Piece& piece : pieces) {
      std::vector<Place> both;
      std::ranges::set_intersection(shared, piece.scope, std::back_inserter(both),
                                    std::greater<>());
      shared = std::move(both);
    }
    std::vector<std::vector<double>> of_pieces;
    for (const Piece& piece : pieces) {
      of_pieces.push_back(without(parts(piece), piece.scope, shared, weight));
    }
    match(of_pieces);
    for (auto& each : of_pieces) {
      corrections.push_back(function_over(shared, v));
      corrections.back().values = std::move(each);
    }
  }
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    std::vector<const Function*> list = parts(pieces[p]);
    if (!corrections.empty()) list.push_back(&corrections[p]);
    Function message = function_over({pieces[p].scope.begin(), pieces[p].scope.end() - 1}, v);
    message.values = without(list, pieces[p].scope, message.scope, weight);
    const auto id = static_cast<std::uint32_t>(functions_.size());
    const Place to = message.scope.empty() ? kNowhere : message.scope.back();
    for (Place u = v; u != to && u != kNowhere; u = parent_[u]) crossing_[u].push_back(id);
    functions_.push_back(std::move(message));
  }
}

double MiniBuckets::bound() const {
  double sum = constant_;
  for (const Place root : roots_) {
    for (const std::uint32_t f : crossing_[root]) sum += functions_[f].values[0];
  }
  return sum;
}

bool MiniBuckets::exact() const {
  return std::ranges::all_of(pieces_, [](const auto& of) { return of.size() <= 1; });
}

}  // namespace croft
