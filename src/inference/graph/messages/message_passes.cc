#include "inference/graph/messages/message_passes.h"

#include <algorithm>
#include <utility>

#include "core/infinity.h"
#include "inference/graph/map_kernels.h"

namespace croft {
namespace {

constexpr double kWorkBetweenQuestions = 1 << 20;  // numbers that are gone through

std::size_t widest(const Reparametrisation& scores) {
  std::size_t width = 1;
  for (Reparametrisation::Term t = 0; t < scores.terms(); ++t) {
    width = std::max(width, scores.width(t));
  }
  return width;
}

}  // namespace

SequentialPasses::SequentialPasses(Reparametrisation& scores, std::function<bool()> goes_on)
    : scores_(scores),
      goes_on_(std::move(goes_on)),
      constant_(scores.constant()),
      in_(widest(scores)),
      out_(in_.size()) {
  std::size_t most = 0;
  for (Reparametrisation::Term t = 0; t < scores.terms(); ++t) {
    pairs_only_ &= scores.scope(t).size() == 2;
  }
  for (Variable v = 0; v < scores.graph().variables(); ++v) {
    first_place_.push_back(earlier_.size());
    most = std::max(most, scores.states(v));
    work_.push_back(0);
    for (const auto place : scores.places(v)) {
      const auto scope = scores.scope(place.term);
      const FactorGraph& graph = scores.graph();
      work_.back() +=
          static_cast<double>(graph.numbers(graph.potential_of(scores.factor(place.term))).size());
      Edge& edge = edges_.emplace_back();
      edge.rows = scores.rows_for(place.term, place.slot);
      edge.own = scores.first_message(place.term, place.slot);
      if (edge.rows != nullptr) {
        edge.from = scores.first_message(place.term, 1 - place.slot);
        edge.from_states = scores.states(scope[1 - place.slot]);
      }
      earlier_.push_back(std::ranges::any_of(scope, [v](Variable u) { return u < v; }));
      later_.push_back(std::ranges::any_of(scope, [v](Variable u) { return u > v; }));
    }
  }
  sums_.resize(most);
}

void SequentialPasses::receive(Reparametrisation::Place place, const Edge& edge,
                               std::span<double> belief) {
  double* const own = scores_.all_messages().data() + edge.own;
  const double* const from = scores_.all_messages().data() + edge.from;
  if (edge.rows != nullptr && edge.from_states == 2 && belief.size() == 2) {  // all in registers
    const double* const t = edge.rows;
    const double zero = std::max(t[0] - from[0], t[2] - from[1]);
    const double one = std::max(t[1] - from[0], t[3] - from[1]);
    belief[0] += zero - own[0];
    belief[1] += one - own[1];
    own[0] = zero;
    own[1] = one;
    return;
  }
  if (edge.rows != nullptr) {
    for (std::size_t s = 0; s < edge.from_states; ++s) in_[s] = -from[s];
    max_plus(edge.rows, in_.data(), edge.from_states, belief.size(), out_.data());
  } else {
    const auto messages = scores_.messages(place.term);
    for (std::size_t s = 0; s < messages.size(); ++s) in_[s] = -messages[s];
    scores_.max_marginal(place.term, place.slot, in_.data(), out_.data());
  }
  for (std::size_t s = 0; s < belief.size(); ++s) {
    belief[s] += out_[s] - own[s];
    own[s] = out_[s];
  }
}

// The best state given those before; messages stand for what comes later.
void SequentialPasses::choose(Variable v, std::vector<State>& states) {
  const auto belief = scores_.belief(v);
  std::copy(belief.begin(), belief.end(), sums_.begin());
  std::size_t p = first_place_[v];
  for (const auto place : scores_.places(v)) {
    if (!earlier_[p++]) continue;
    const auto scope = scores_.scope(place.term);
    const auto messages = scores_.messages(place.term);
    std::size_t at = 0;
    for (const Variable u : scope) {
      for (State s = 0; s < scores_.states(u); ++s, ++at) {
        in_[at] = u > v ? -messages[at] : u == v || states[u] == s ? 0 : -kInf;
      }
    }
    scores_.max_marginal(place.term, place.slot, in_.data(), out_.data());
    const auto own = scores_.message(place.term, place.slot);
    for (std::size_t s = 0; s < belief.size(); ++s) sums_[s] += out_[s] - own[s];
  }
  const auto end = sums_.begin() + static_cast<std::ptrdiff_t>(belief.size());
  states[v] = static_cast<State>(std::max_element(sums_.begin(), end) - sums_.begin());
}

bool SequentialPasses::pass(bool forward, std::vector<State>* states) {
  const auto n = static_cast<Variable>(scores_.graph().variables());
  const auto& before = forward ? earlier_ : later_;
  const auto& after = forward ? later_ : earlier_;
  double* const messages = scores_.all_messages().data();
  double work = 0;
  for (Variable k = 0; k < n; ++k) {
    const Variable v = forward ? k : n - 1 - k;
    if ((work += work_[v]) > kWorkBetweenQuestions) {
      if (!goes_on_()) return false;
      work = work_[v];
    }
    const auto places = scores_.places(v);
    const std::size_t first = first_place_[v];
    const auto belief = scores_.belief(v);
    std::size_t in = 0, out = 0;
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (before[first + p]) receive(places[p], edges_[first + p], belief), ++in;
      out += after[first + p];
    }
    if (states != nullptr) choose(v, *states);

    const double most = std::ranges::max(belief);
    constant_.add(most);
    for (double& b : belief) b -= most;
    if (out == 0) continue;
    const double weight = 1 / static_cast<double>(pairs_only_ ? std::max(in, out) : out);
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (!after[first + p]) continue;
      double* const message = messages + edges_[first + p].own;
      for (std::size_t s = 0; s < belief.size(); ++s) message[s] -= weight * belief[s];
    }
    const double kept = 1 - weight * static_cast<double>(out);
    for (double& b : belief) b *= kept;
  }
  return true;
}

StarUpdate::StarUpdate(Reparametrisation& scores)
    : scores_(scores), in_(widest(scores)), out_(in_.size()) {}

void StarUpdate::operator()(Reparametrisation::Term t) {
  const auto scope = scores_.scope(t);
  const auto messages = scores_.messages(t);
  std::size_t at = 0;
  for (const Variable v : scope) {
    for (const double b : scores_.belief(v)) {
      in_[at] = b == -kInf ? -kInf : b - messages[at];
      ++at;
    }
  }
  scores_.max_marginals(t, in_.data(), out_.data());
  const double share = 1 / static_cast<double>(scope.size());
  at = 0;
  for (const Variable v : scope) {
    for (double& b : scores_.belief(v)) {
      if (b > -kInf) {
        b = share * out_[at];
        messages[at] = b - in_[at];
      }
      ++at;
    }
  }
}

void read_beliefs(const Reparametrisation& scores, std::vector<State>& states) {
  for (Variable v = 0; v < states.size(); ++v) {
    const auto belief = scores.belief(v);
    states[v] = static_cast<State>(std::ranges::max_element(belief) - belief.begin());
  }
}

}  // namespace croft
