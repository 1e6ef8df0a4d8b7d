#include "inference/graph/reparametrisation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "inference/graph/map_kernels.h"
#include "structure/counting.h"

namespace croft {
namespace {

// Sparse tables are written down up to this many joint states.
constexpr std::uint64_t kMostWritten = std::uint64_t{1} << 20;

}  // namespace

Reparametrisation::Reparametrisation(const FactorGraph& graph) : graph_(graph) {
  std::size_t beliefs = 0;
  for (Variable v = 0; v < graph.variables(); ++v) {
    first_.push_back(beliefs);
    beliefs += graph.states(v);
  }
  unary_.assign(beliefs, 0.0);
  find_floor();
  std::size_t widest = 0;
  for (Factor f = 0; f < graph.factors(); ++f) {
    const auto scope = graph.scope(f);
    if (scope.size() >= 2) {
      add_term(f);
      widest = std::max<std::size_t>(widest, terms_.back().width);
      continue;
    }
    if (scope.empty()) {
      constant_ += lifted(graph.score_of(f, {}));
      continue;
    }
    for (State s = 0; s < states(scope[0]); ++s) {
      unary_[first_[scope[0]] + s] += lifted(graph.score_of(f, std::span(&s, 1)));
    }
  }
  scratch_.resize(widest);
  scratch_out_.resize(widest);

  place_begin_.assign(graph.variables() + 1, 0);
  for (const TermData& t : terms_) {
    for (const Variable v : graph.scope(t.factor)) ++place_begin_[v + 1];
  }
  std::partial_sum(place_begin_.begin(), place_begin_.end(), place_begin_.begin());
  std::vector<std::size_t> next(place_begin_.begin(), place_begin_.end() - 1);
  place_.resize(place_begin_.back());
  for (Term t = 0; t < terms_.size(); ++t) {
    const auto scope = this->scope(t);
    for (std::uint32_t k = 0; k < scope.size(); ++k) place_[next[scope[k]]++] = {t, k};
  }
  beliefs_ = unary_;
}

// -inf becomes less than what the finite scores of all factors span.
void Reparametrisation::find_floor() {
  double span = 0, least = 0, lowest = 0, size = 0;
  for (Factor f = 0; f < graph_.factors(); ++f) {
    const PotentialId id = graph_.potential_of(f);
    const PotentialKind kind = graph_.potential(id).kind;
    double low = kInf, high = -kInf;
    if (kind == PotentialKind::truncated_linear || kind == PotentialKind::truncated_quadratic) {
      const double far =
          static_cast<double>(std::max(states(graph_.scope(f)[0]), states(graph_.scope(f)[1])) - 1);
      const double power = kind == PotentialKind::truncated_linear ? far : far * far;
      low = -std::min(graph_.numbers(id)[0] * power, graph_.numbers(id)[1]);
      high = 0;
    } else {
      for (const double each : graph_.numbers(id)) {
        if (each == -kInf) continue;
        low = std::min(low, each);
        high = std::max(high, each);
      }
    }
    if (low > high) continue;
    span += high - low;
    least = std::min(least, low);
    lowest += low;
    size += std::abs(low) + std::abs(high);
  }
  const double margin = std::max(1.0, 1e-6 * size);  // beyond what sums round
  floor_ = least - span - margin;
  allowed_above_ = lowest - margin / 2;
}

double Reparametrisation::lifted(double score) const { return score == -kInf ? floor_ : score; }

const Reparametrisation::Numbers& Reparametrisation::table_of(Factor f) {
  const PotentialId id = graph_.potential_of(f);
  const auto scope = graph_.scope(f);
  const std::uint64_t rows = scope.size() == 2 ? states(scope[0]) : 0;
  const Numbers*& found =
      by_potential_[{id, rows << 32 | std::min<std::uint64_t>(graph_.joint_states(f), 0xffffffff)}];
  if (found != nullptr) return *found;
  Numbers& table = pool_.emplace_back();
  found = &table;
  const PotentialKind kind = graph_.potential(id).kind;
  const bool whole = kind == PotentialKind::table ||
                     (kind == PotentialKind::sparse && graph_.joint_states(f) <= kMostWritten);
  if (whole) {
    table.values = graph_.table(f);
  } else {
    table.values.assign(graph_.numbers(id).begin(), graph_.numbers(id).end());
  }
  for (double& each : table.values) each = lifted(each);
  if (!whole || scope.size() != 2) return table;
  const std::size_t n0 = states(scope[0]), n1 = states(scope[1]);
  table.transposed.resize(n0 * n1);
  for (std::size_t i = 0; i < n0; ++i) {
    for (std::size_t j = 0; j < n1; ++j) table.transposed[j * n0 + i] = table.values[i * n1 + j];
  }
  return table;
}

void Reparametrisation::add_term(Factor f) {
  const Potential& potential = graph_.potential(graph_.potential_of(f));
  const auto scope = graph_.scope(f);
  const Numbers& numbers = table_of(f);
  TermData t{f, Kind::table,           static_cast<std::uint32_t>(slot_begin_.size()),
             0, numbers.values.data(), numbers.transposed.data()};
  switch (potential.kind) {
    case PotentialKind::sparse:
    case PotentialKind::table:
      t.kind = potential.kind == PotentialKind::sparse && graph_.joint_states(f) > kMostWritten
                   ? Kind::sparse
               : scope.size() == 2 ? Kind::pair
                                   : Kind::table;
      break;
    case PotentialKind::potts:
      t.kind = Kind::potts;
      break;
    case PotentialKind::truncated_linear:
      t.kind = Kind::truncated_linear;
      break;
    case PotentialKind::truncated_quadratic:
      t.kind = Kind::truncated_quadratic;
      break;
    case PotentialKind::parity:
      t.kind = Kind::parity;
      break;
    case PotentialKind::cardinality:
      t.kind = Kind::cardinality;
      break;
  }
  for (const Variable v : scope) {
    slot_begin_.push_back(messages_.size());
    messages_.resize(messages_.size() + states(v), 0.0);
    t.width += static_cast<std::uint32_t>(states(v));
  }
  terms_.push_back(t);
}

void Reparametrisation::gather_beliefs() {
  for (Variable v = 0; v < graph_.variables(); ++v) {
    for (State s = 0; s < states(v); ++s) {
      CompensatedSum sum(unary_[first_[v] + s]);
      for (const Place p : places(v)) sum.add(messages_[first_message(p.term, p.slot) + s]);
      beliefs_[first_[v] + s] = sum.value();
    }
  }
}

double Reparametrisation::bound() {
  CompensatedSum sum(constant_);
  for (Variable v = 0; v < graph_.variables(); ++v) sum.add(std::ranges::max(belief(v)));
  for (Term t = 0; t < terms(); ++t) {
    const auto m = messages(t);
    std::vector<double> in(m.size());
    std::ranges::transform(m, in.begin(), std::negate());
    const std::size_t n = states(scope(t)[0]);
    max_marginal(t, 0, in.data(), scratch_out_.data());
    double most = -kInf;
    for (std::size_t s = 0; s < n; ++s) most = std::max(most, scratch_out_[s] + in[s]);
    sum.add(most);
  }
  return sum.value();
}

// ---- what terms answer ----

void Reparametrisation::pair_marginal(const TermData& t, std::size_t slot, const double* in,
                                      double* out) {
  const auto scope = graph_.scope(t.factor);
  const std::size_t n0 = states(scope[0]), n1 = states(scope[1]);
  if (slot == 0) {
    max_plus(t.transposed, in + n0, n1, n0, out);
  } else {
    max_plus(t.numbers, in, n0, n1, out);
  }
}

void Reparametrisation::distance_marginal(const TermData& t, std::size_t slot, const double* in,
                                          double* out) {
  const auto scope = graph_.scope(t.factor);
  const std::size_t n0 = states(scope[0]), n1 = states(scope[1]);
  const double* from = slot == 0 ? in + n0 : in;
  const std::size_t many = slot == 0 ? n1 : n0, wanted = slot == 0 ? n0 : n1;
  if (t.kind == Kind::potts) {
    potts_message(from, many, t.numbers[0], t.numbers[1], wanted, out);
  } else if (t.kind == Kind::truncated_linear) {
    truncated_linear_message(from, many, t.numbers[0], t.numbers[1], wanted, out);
  } else {
    truncated_quadratic_message(from, many, t.numbers[0], t.numbers[1], wanted, out);
  }
}

void Reparametrisation::table_marginals(const TermData& t, const double* in, double* out) {
  const auto scope = graph_.scope(t.factor);
  const std::size_t k = scope.size(), last = states(scope[k - 1]);
  at_.assign(k, 0);
  std::fill_n(out, t.width, -kInf);
  const double* in_last = in + (t.width - last);
  double* out_last = out + (t.width - last);
  for (const double* row = t.numbers;; row += last) {
    double base = 0;
    std::size_t place = 0;
    for (std::size_t j = 0; j + 1 < k; ++j) {
      base += in[place + at_[j]];
      place += states(scope[j]);
    }
    if (base > -kInf) {
      double most = -kInf;
      for (std::size_t s = 0; s < last; ++s) {
        const double a = base + row[s] + in_last[s];
        out_last[s] = a > out_last[s] ? a : out_last[s];
        most = a > most ? a : most;
      }
      place = 0;
      for (std::size_t j = 0; j + 1 < k; ++j) {
        double& o = out[place + at_[j]];
        o = most > o ? most : o;
        place += states(scope[j]);
      }
    }
    std::size_t j = k - 1;
    while (j > 0 && ++at_[j - 1] == states(scope[j - 1])) at_[--j] = 0;
    if (j == 0) return;
  }
}

// Listed joint states one by one; of the others at most what the best states of all would give.
// That may be too much, which makes a bound weaker but not wrong.
void Reparametrisation::sparse_marginals(Term id, const double* in, double* out) {
  const TermData& t = terms_[id];
  const auto scope = graph_.scope(t.factor);
  const auto listed = graph_.listed(graph_.potential_of(t.factor));
  std::vector<double> most(scope.size());
  double sum = t.numbers[listed.size()];
  for (std::size_t j = 0; j < scope.size(); ++j) {
    const double* a = in + offset(id, j);
    most[j] = *std::max_element(a, a + states(scope[j]));
    sum += most[j];
  }
  for (std::size_t j = 0; j < scope.size(); ++j) {
    for (State s = 0; s < states(scope[j]); ++s) {
      const double a = in[offset(id, j) + s];
      out[offset(id, j) + s] = a == -kInf ? -kInf : sum - most[j] + a;
    }
  }
  at_.resize(scope.size());
  for (std::size_t n = 0; n < listed.size(); ++n) {
    std::uint64_t joint = listed[n];
    double a = t.numbers[n];
    for (std::size_t j = scope.size(); j-- > 0; joint /= states(scope[j])) {
      at_[j] = static_cast<State>(joint % states(scope[j]));
      a += in[offset(id, j) + at_[j]];
    }
    for (std::size_t j = 0; j < scope.size(); ++j) {
      double& o = out[offset(id, j) + at_[j]];
      o = std::max(o, a);
    }
  }
}

// Of a variable the best state that counts and the best that does not, as if it had two states.
void Reparametrisation::counting_marginals(const TermData& t, const double* in, double* out) {
  const auto scope = graph_.scope(t.factor);
  const Counting counting(graph_, graph_.potential_of(t.factor));
  std::vector<BinaryInput> inputs;
  std::size_t place = 0;
  for (const Variable v : scope) {
    double own[2] = {-kInf, -kInf};
    for (State x = 0; x < states(v); ++x) {
      double& most = own[counting.counts(place, x)];
      most = std::max(most, in[place + x]);
    }
    inputs.push_back({own[0], own[1]});
    place += states(v);
  }
  if (t.kind == Kind::parity) {
    parity_marginals(inputs, graph_.potential(graph_.potential_of(t.factor)).odd, floor_);
  } else {
    std::vector<double> scores(scope.size() + 1);
    for (std::size_t s = 0; s < scores.size(); ++s) scores[s] = t.numbers[counting.number(s)];
    cardinality_marginals(inputs, scores.data());
  }
  place = 0;
  for (std::size_t j = 0; j < scope.size(); ++j) {
    const BinaryInput& a = inputs[j];
    for (State x = 0; x < states(scope[j]); ++x) {
      const bool counts = counting.counts(place, x);
      const double own = in[place + x], most = counts ? a.in1 : a.in0;
      const double found = counts ? a.m1 : a.m0;
      out[place + x] = own == -kInf ? -kInf : own == most ? found : found - most + own;
    }
    place += states(scope[j]);
  }
}

void Reparametrisation::max_marginal(Term id, std::size_t slot, const double* in, double* out) {
  const TermData& t = terms_[id];
  switch (t.kind) {
    case Kind::pair:
      return pair_marginal(t, slot, in, out);
    case Kind::potts:
    case Kind::truncated_linear:
    case Kind::truncated_quadratic:
      return distance_marginal(t, slot, in, out);
    default:
      break;
  }
  // The slot's own input counts for nothing.
  std::vector<double> all(in, in + t.width), each(t.width);
  const std::size_t n = states(scope(id)[slot]);
  std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(offset(id, slot)), n, 0.0);
  max_marginals(id, all.data(), each.data());
  std::copy_n(each.begin() + static_cast<std::ptrdiff_t>(offset(id, slot)), n, out);
}

void Reparametrisation::max_marginals(Term id, const double* in, double* out) {
  const TermData& t = terms_[id];
  switch (t.kind) {
    case Kind::table:
      return table_marginals(t, in, out);
    case Kind::sparse:
      return sparse_marginals(id, in, out);
    case Kind::parity:
    case Kind::cardinality:
      return counting_marginals(t, in, out);
    default:
      break;
  }
  max_marginal(id, 0, in, out);
  max_marginal(id, 1, in, out + states(scope(id)[0]));
  for (std::size_t s = 0; s < t.width; ++s) out[s] += in[s];
}

double Reparametrisation::theta(const TermData& t, const State* at) const {
  return lifted(graph_.score_of(t.factor, std::span(at, graph_.scope(t.factor).size())));
}

double Reparametrisation::best(Term id, const double* in, State* at) {
  const TermData& t = terms_[id];
  const auto scope = graph_.scope(t.factor);
  // One variable after the other at its best state, given those before it.
  std::vector<double> fixed(in, in + t.width), out(t.width);
  double most = -kInf;
  for (std::size_t j = 0; j < scope.size(); ++j) {
    double* own = fixed.data() + offset(id, j);
    const std::size_t n = states(scope[j]);
    max_marginals(id, fixed.data(), out.data());
    const double* found = out.data() + offset(id, j);
    at[j] = static_cast<State>(std::max_element(found, found + n) - found);
    if (j == 0) most = found[at[0]];
    for (State s = 0; s < n; ++s) own[s] = s == at[j] ? own[s] : -kInf;
  }
  if (t.kind != Kind::sparse) return most;
  double exact = theta(t, at);  // of this joint state; max_marginals only bounds it
  for (std::size_t j = 0; j < scope.size(); ++j) exact += in[offset(id, j) + at[j]];
  return std::max(exact, most);
}

}  // namespace croft
