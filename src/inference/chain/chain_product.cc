#include "croft/inference/chain_product.h"

#include <algorithm>
#include <cassert>

#include "croft/structure/chain_constraint.h"

namespace croft {
namespace {

constexpr std::uint32_t kUnnumbered = 0xFFFFFFFF;

// The successors of every label, with their scores; -inf edges left out.
template <class Real>
struct Successors {
  std::vector<std::size_t> begin = {0};  // [L + 1]
  std::vector<Label> label;
  std::vector<Real> log;

  explicit Successors(const TransitionScores<Real>& scores) {
    const auto labels = static_cast<Label>(scores.labels());
    std::vector<Real> row(labels);
    for (Label i = 0; i < labels; ++i) {
      read_row(scores, i, row);
      for (Label j = 0; j < labels; ++j) {
        if (row[j] == TransitionScores<Real>::kForbidden) continue;
        label.push_back(j);
        log.push_back(row[j]);
      }
      begin.push_back(label.size());
    }
  }

 private:
  static void read_row(const TransitionScores<Real>& scores, Label i, std::vector<Real>& row) {
    if (!scores.sparse()) {
      std::copy_n(scores.log().row(i), row.size(), row.begin());
      return;
    }
    std::fill(row.begin(), row.end(), scores.background_log());
    const EdgeLists<Real>& lists = scores.leaving();
    for (auto k = lists.begin[i]; k < lists.begin[i + 1]; ++k) row[lists.other[k]] = lists.log[k];
  }
};

// The pairs (label, state of the automaton) that a labelling can reach, numbered as they are met,
// and the edges between them.
struct PairGraph {
  struct Pair {
    Label label;
    std::uint32_t state;
    auto operator<=>(const Pair&) const = default;
  };
  struct Step {
    std::uint32_t from, to;  // pairs
    std::size_t successor;   // index into Successors: which edge of the base it is
  };
  std::vector<Pair> pairs;
  std::vector<Step> steps;   // by increasing from, then label of to
  std::size_t starting = 0;  // the first pairs: those of position 0

  template <class Real>
  PairGraph(const Successors<Real>& successors, const LabelAutomaton& automaton)
      : number_(automaton.labels * automaton.states(), kUnnumbered), states_(automaton.states()) {
    for (Label j = 0; j < automaton.labels; ++j) number({j, automaton.after_first(j)});
    starting = pairs.size();
    for (std::uint32_t from = 0; from < pairs.size(); ++from) {
      const Pair pair = pairs[from];
      for (auto k = successors.begin[pair.label]; k < successors.begin[pair.label + 1]; ++k) {
        const Label j = successors.label[k];
        const std::uint32_t to = number({j, automaton.after(pair.state, pair.label, j)});
        if (to != kUnnumbered) steps.push_back({from, to, k});
      }
    }
  }

  // [pairs]: leads to acceptance.
  std::vector<bool> useful(const LabelAutomaton& automaton) const {
    std::vector<std::uint32_t> begin(pairs.size() + 1), before(steps.size()), open;
    for (const Step& step : steps) ++begin[step.to];
    for (std::size_t p = 0, sum = 0; p <= pairs.size(); ++p) begin[p] = sum += begin[p];
    for (const Step& step : steps) before[--begin[step.to]] = step.from;
    std::vector<bool> marked(pairs.size());
    for (std::uint32_t p = 0; p < pairs.size(); ++p) {
      marked[p] = automaton.accepting[pairs[p].state];
      if (marked[p]) open.push_back(p);
    }
    while (!open.empty()) {
      const std::uint32_t to = open.back();
      open.pop_back();
      for (auto k = begin[to]; k < begin[to + 1]; ++k) {
        if (!marked[before[k]]) open.push_back(before[k]);
        marked[before[k]] = true;
      }
    }
    return marked;
  }

 private:
  std::uint32_t number(Pair pair) {
    if (pair.state == LabelAutomaton::kDead) return kUnnumbered;
    std::uint32_t& known = number_[pair.label * states_ + pair.state];
    if (known == kUnnumbered) {
      known = static_cast<std::uint32_t>(pairs.size());
      pairs.push_back(pair);
    }
    return known;
  }
  std::vector<std::uint32_t> number_;  // [L][Q]
  std::size_t states_;
};

// The edges between the pairs that have a state, in the order of the states.
template <class Real>
void collect_edges(const PairGraph& graph, const Successors<Real>& successors,
                   std::span<const std::uint32_t> pair_of, std::span<const std::uint32_t> state_of,
                   std::vector<Edge>& edges, std::vector<Real>& log) {
  std::vector<std::size_t> first(graph.pairs.size() + 1, 0);  // of the steps that leave a pair
  for (const auto& step : graph.steps) ++first[step.from + 1];
  for (std::size_t p = 0; p < graph.pairs.size(); ++p) first[p + 1] += first[p];
  for (Label s = 0; s < pair_of.size(); ++s) {
    for (std::size_t k = first[pair_of[s]]; k < first[pair_of[s] + 1]; ++k) {
      const auto& step = graph.steps[k];
      if (state_of[step.to] == kUnnumbered) continue;
      edges.push_back({s, state_of[step.to]});
      log.push_back(successors.log[step.successor]);
    }
  }
}

// overlay(label of s, label of s') for all pairs of states; what the tied part forbids stays so.
template <class Real>
void lift_overlay(const ChainScores<Real>& base, std::size_t t, const std::vector<Label>& label_of,
                  ChainScores<Real>& product) {
  Real* rows = product.add_overlay(t);
  for (std::size_t s = 0; s < label_of.size(); ++s) {
    const Real* from = base.overlay_row(t, label_of[s]);
    Real* to = rows + s * product.overlay.stride();
    for (std::size_t r = 0; r < label_of.size(); ++r) to[r] = from[label_of[r]];
  }
}

}  // namespace

template <class Real>
double most_product_edges(const TransitionScores<Real>& base, const LabelAutomaton& automaton) {
  const double labels = static_cast<double>(base.labels());
  const bool listed = base.sparse() && base.background() == Background::forbidden;
  const double edges = listed ? static_cast<double>(base.leaving().size()) : labels * labels;
  return edges * static_cast<double>(automaton.states());
}

template <class Real>
ChainProduct<Real>::ChainProduct(const TransitionScores<Real>& base,
                                 const LabelAutomaton& automaton, bool overlays)
    : base_labels_(base.labels()), accepts_empty_(automaton.accepting[0]) {
  assert(base.labels() == automaton.labels);
  const Successors<Real> successors(base);
  const PairGraph graph(successors, automaton);
  const std::vector<bool> useful = graph.useful(automaton);

  std::vector<std::uint32_t> pair_of;  // [P]
  for (std::uint32_t p = 0; p < graph.pairs.size(); ++p) {
    if (useful[p]) pair_of.push_back(p);
  }
  std::sort(pair_of.begin(), pair_of.end(),
            [&](std::uint32_t a, std::uint32_t b) { return graph.pairs[a] < graph.pairs[b]; });
  std::vector<std::uint32_t> state_of(graph.pairs.size(), kUnnumbered);
  for (std::uint32_t s = 0; s < pair_of.size(); ++s) {
    const auto& [label, state] = graph.pairs[pair_of[s]];
    state_of[pair_of[s]] = s;
    label_of_.push_back(label);
    starts_.push_back(pair_of[s] < graph.starting);
    accepts_.push_back(automaton.accepting[state]);
  }
  if (pair_of.empty()) {  // a chain needs a label
    label_of_ = {0};
    starts_ = accepts_ = {false};
  }
  std::vector<Edge> edges;
  std::vector<Real> log;
  collect_edges<Real>(graph, successors, pair_of, state_of, edges, log);
  const auto make = overlays ? only_edges_dense<Real> : only_edges<Real>;
  transitions_ = make(states(), edges, std::span<const Real>(log));
}

template <class Real>
bool ChainProduct<Real>::lift(const ChainScores<Real>& base, ChainScores<Real>& product) const {
  assert(base.labels() == base_labels_);
  const std::size_t length = base.length();
  product.reset(length, transitions_);
  for (std::size_t t = 0; t < length; ++t) {
    const Real* from = base.state.row(t);
    Real* to = product.state.row(t);
    for (std::size_t s = 0; s < states(); ++s) to[s] = from[label_of_[s]];
    if (!base.has_overlay(t)) continue;
    assert(!transitions_.sparse());
    lift_overlay(base, t, label_of_, product);
  }
  if (length == 0) return accepts_empty_;
  for (std::size_t s = 0; s < states(); ++s) {
    if (!starts_[s]) product.state(0, s) = ChainScores<Real>::kForbidden;
    if (!accepts_[s]) product.state(length - 1, s) = ChainScores<Real>::kForbidden;
  }
  return true;
}

template <class Real>
void ChainProduct<Real>::project(std::span<const Label> product_y, std::span<Label> y) const {
  for (std::size_t t = 0; t < y.size(); ++t) y[t] = label_of_[product_y[t]];
}

template <class Real>
void ChainProduct<Real>::project_states(const Matrix<Real>& product_marginals,
                                        Matrix<Real>& marginals) const {
  marginals.assign(product_marginals.rows(), base_labels_, Real{0});
  for (std::size_t t = 0; t < marginals.rows(); ++t) {
    for (std::size_t s = 0; s < states(); ++s) {
      marginals(t, label_of_[s]) += product_marginals(t, s);
    }
  }
}

template double most_product_edges(const TransitionScores<float>&, const LabelAutomaton&);
template double most_product_edges(const TransitionScores<double>&, const LabelAutomaton&);
template class ChainProduct<float>;
template class ChainProduct<double>;

}  // namespace croft
