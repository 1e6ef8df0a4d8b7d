#include "inference/graph/messages/message_engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/infinity.h"
#include "croft/core/compensated_sum.h"
#include "inference/graph/messages/message_kernels.h"

namespace croft {
namespace {

constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();
// From so many factors on, dividing the product of all is cheaper than multiplying all others.
constexpr std::size_t kHubFactors = 10;
// Logarithms of what fits a double, and of what a message may be below its largest number.
constexpr double kDoubleSpread = 690, kMostMessageSpread = 150;
// Of a factor's scores and of all that enters it, together, where it sends scaled numbers.
constexpr double kLinearSpread = 640;
constexpr double kLowestTotal = 1e-150, kLowestProduct = 1e-290;
constexpr double kLowestLogarithm = -1e100;

template <class S>
constexpr bool kScaled = std::is_same_v<S, ScaledSum>;

template <class S>
double from_logarithm(double x) {
  return kScaled<S> ? std::exp(x) : x;
}
template <class S>
double logarithm(double x) {
  return kScaled<S> ? std::log(x) : x;
}

// How far two numbers of messages are apart.
template <class S>
double distance(double a, double b) {
  if (a == b) return 0;
  return std::is_same_v<S, LogSum> ? std::abs(std::exp(a) - std::exp(b)) : std::abs(a - b);
}

template <class S>
double mixed(double damping, double before, double now) {
  if (now == S::zero) return now;  // forbidden is forbidden: no message becomes 0 but by what is
  if constexpr (std::is_same_v<S, LogSum>) {
    return S::plus(std::log(damping) + before, std::log1p(-damping) + now);
  }
  return damping * before + (1 - damping) * now;
}

}  // namespace

template <class S>
MessageEngine<S>::MessageEngine(const MessageLayout& layout,
                                const BeliefPropagationOptions& options)
    : layout_(layout),
      graph_(layout.graph()),
      options_(options),
      random_(options.seed),
      messages_(layout.numbers(), S::one),
      factor_(graph_.factors()),
      in_(layout.largest_scope_states()),
      out_(layout.largest_scope_states()),
      hub_of_(graph_.variables(), std::numeric_limits<std::uint32_t>::max()) {
  convert_potentials();
  for (Factor f = 0; f < graph_.factors(); ++f) {
    if (layout_.edge_begin(f) < layout_.edge_end(f)) set_factor(f);
  }
  const double limit = limit_of_numbers();
  out_of_range_ = kScaled<S> && limit <= 0;
  smallest_ = std::exp(-limit);
  fits_ = static_cast<std::size_t>(kDoubleSpread / std::max(limit, 1.0));
  set_own_scores();
  for (Variable v = 0; v < graph_.variables(); ++v) {
    if (layout_.factors_of(v).size() < kHubFactors) continue;
    hub_of_[v] = static_cast<std::uint32_t>(hubs_.size());
    hubs_.push_back(v);
    hub_at_.push_back(total_.size());
    total_.resize(total_.size() + graph_.states(v));
  }
  zeros_.resize(total_.size());
  is_two_.resize(graph_.factors());
  for (Factor f = 0; f < graph_.factors(); ++f) {
    const auto fits = [&](Variable v) {
      return graph_.states(v) == 2 && layout_.factors_of(v).size() < kHubFactors;
    };
    is_two_[f] = factor_[f].kind == PotentialKind::table && graph_.scope(f).size() == 2 &&
                 std::ranges::all_of(graph_.scope(f), fits);
  }
}

template <class S>
void MessageEngine<S>::convert_potentials() {
  std::size_t size = 0;
  for (PotentialId id = 0; id < graph_.potentials(); ++id) {
    size = std::max<std::size_t>(size, graph_.potential(id).first + graph_.potential(id).count);
  }
  numbers_.resize(size);
  shift_.assign(graph_.potentials(), 0);
  for (PotentialId id = 0; id < graph_.potentials(); ++id) {
    const std::span<const double> scores = graph_.numbers(id);
    double* const to = numbers_.data() + graph_.potential(id).first;
    const PotentialKind kind = graph_.potential(id).kind;
    if (kind == PotentialKind::truncated_linear || kind == PotentialKind::truncated_quadratic) {
      std::ranges::copy(scores, to);  // no scores, but a weight and a limit
      continue;
    }
    double high = -kInf;
    for (const double score : scores) high = std::max(high, score);
    if (high > -kInf) shift_[id] = high;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      to[k] = from_logarithm<S>(scores[k] - shift_[id]);
    }
  }
}

template <class S>
void MessageEngine<S>::set_factor(Factor f) {
  const PotentialId id = graph_.potential_of(f);
  const Potential& potential = graph_.potential(id);
  FactorView& view = factor_[f];
  view = {.kind = potential.kind,
          .odd = potential.odd,
          .states = layout_.states_of(f),
          .numbers = numbers_.data() + potential.first};
  if (counts_states(view.kind)) view.counting = Counting(graph_, id);
  if (view.kind == PotentialKind::cardinality) {
    check_counted_sums(graph_, f);
    view.ranges = graph_.ranges(id);
  }
  const bool distance_kind = potential.kind == PotentialKind::truncated_linear ||
                             potential.kind == PotentialKind::truncated_quadratic;
  const bool expand = distance_kind && !std::is_same_v<S, LogMax>;
  if (expand) view.kind = PotentialKind::table;
  if (expand || potential.kind == PotentialKind::sparse) {
    // What depends on the variables' states, too.  Factors that share it follow each other as a
    // rule: the last one's is tried.
    if (f > 0 && graph_.potential_of(f - 1) == id &&
        std::ranges::equal(layout_.states_of(f - 1), view.states)) {
      view.numbers = factor_[f - 1].numbers;
      view.tree = factor_[f - 1].tree;
    } else if (expand) {
      std::vector<double>& table = expanded_.emplace_back(graph_.table(f));
      for (double& score : table) score = from_logarithm<S>(score);
      view.numbers = table.data();
    } else {
      view.tree = &trees_.emplace_back(graph_.listed(id), view.states);
    }
  }
  if (view.kind == PotentialKind::table) scratch_.dense.prepare(view.states);
}

// What a message may be below its largest number, so that no product of a factor's score and all
// that enters it leaves the doubles: a logarithm.
template <class S>
double MessageEngine<S>::limit_of_numbers() const {
  double spread = 0, arity = 2;
  for (Factor f = 0; f < graph_.factors(); ++f) {
    const std::size_t scope = graph_.scope(f).size();
    if (scope < 2) continue;
    arity = std::max(arity, static_cast<double>(scope));
  }
  for (PotentialId id = 0; id < graph_.potentials(); ++id) {
    const std::span<const double> scores = graph_.numbers(id);
    const PotentialKind kind = graph_.potential(id).kind;
    if (kind == PotentialKind::truncated_linear || kind == PotentialKind::truncated_quadratic) {
      spread = std::max(spread, scores[1]);
      continue;
    }
    for (const double score : scores) {
      if (score > -kInf) spread = std::max(spread, shift_[id] - score);
    }
  }
  return std::min((kDoubleSpread - spread) / arity, kMostMessageSpread);
}

template <class S>
void MessageEngine<S>::set_own_scores() {
  std::vector<double> own(layout_.numbers(), 0);  // logarithms; of the own scores only
  CompensatedSum constant;
  for (Factor f = 0; f < graph_.factors(); ++f) {
    const auto scope = graph_.scope(f);
    if (scope.size() > 1) {
      constant.add(shift_[graph_.potential_of(f)]);
      continue;
    }
    if (scope.empty()) {
      const double score = graph_.score_of(f, {});
      if (score == -kInf) empty_ = true;
      constant.add(score);
      continue;
    }
    for (State x = 0; x < graph_.states(scope[0]); ++x) {
      own[layout_.block(scope[0]) + x] += graph_.score_of(f, std::span(&x, 1));
    }
  }
  for (Variable v = 0; v < graph_.variables(); ++v) {
    const std::size_t at = layout_.block(v), states = graph_.states(v);
    const double high = *std::max_element(own.data() + at, own.data() + at + states);
    if (high == -kInf) {
      empty_ = true;
      return;
    }
    constant.add(high);
    for (std::size_t x = at; x < at + states; ++x) {
      messages_[x] = from_logarithm<S>(own[x] - high);
      if (kScaled<S> && own[x] > -kInf && messages_[x] < smallest_) out_of_range_ = true;
    }
  }
  constant_ = constant.value();
}

// False where all are 0.
template <class S>
bool MessageEngine<S>::normalise(double* numbers, std::size_t count, double* scale) const {
  if (kScaled<S> && count >= kManyStates) {
    const double largest = scale_message(numbers, count, smallest_, out_of_range_);
    if (scale != nullptr && largest > 0) *scale += logarithm<S>(largest);
    return largest > 0;
  }
  double high = numbers[0];
  for (std::size_t k = 1; k < count; ++k) high = numbers[k] > high ? numbers[k] : high;
  if (high == S::zero) return false;
  if (scale != nullptr) *scale += logarithm<S>(high);
  if constexpr (kScaled<S>) {
    const double factor = 1 / high;
    bool low = false;
    for (std::size_t k = 0; k < count; ++k) {
      numbers[k] *= factor;
      low |= (numbers[k] < smallest_) & (numbers[k] > 0);
    }
    if (low) out_of_range_ = true;
  } else {
    for (std::size_t k = 0; k < count; ++k) {
      // A schedule that diverges must not reach -inf, which is a proof.
      if (numbers[k] != S::zero) numbers[k] = std::max(numbers[k] - high, kLowestLogarithm);
    }
  }
  return true;
}

template <class S>
bool MessageEngine<S>::gather(Variable v, std::size_t skip, double* out, double* scale) const {
  const std::size_t states = graph_.states(v), slots = 1 + layout_.factors_of(v).size();
  if (slots > kHubFactors && scale == nullptr) return gather_hub(hub_of_[v], v, skip, out);
  const double* at = messages_.data() + layout_.block(v);
  if (kScaled<S> && states >= kManyStates && multiply(at, slots, skip, states, out)) {
    return normalise(out, states, scale);
  }
  std::copy_n(at, states, out);  // its own scores are never skipped
  std::size_t product = 1;
  for (std::size_t slot = 1; slot < slots; ++slot) {
    at += states;
    if (slot == skip) continue;
    for (std::size_t x = 0; x < states; ++x) out[x] = S::times(out[x], at[x]);
    if (kScaled<S> && ++product >= fits_) {
      if (!normalise(out, states, scale)) return false;
      product = 1;
    }
  }
  return normalise(out, states, scale);
}

// All of a variable's block but a slot, many states at once; false where a product may have left
// the doubles.
template <class S>
bool MessageEngine<S>::multiply(const double* at, std::size_t slots, std::size_t skip,
                                std::size_t states, double* out) const {
  product_of_messages(at, at + states, slots - 1, skip - 1, states, out);
  // No number is above 1, so that a product is the smallest of its parts.
  for (std::size_t x = 0; x < states; ++x) {
    if (out[x] >= kLowestProduct) continue;
    bool zero = false;
    for (std::size_t slot = 0; slot < slots && !zero; ++slot) {
      zero = slot != skip && at[slot * states + x] == 0;
    }
    if (!zero) return false;
  }
  return true;
}

template <class S>
bool MessageEngine<S>::gather_hub(std::size_t hub, Variable v, std::size_t skip,
                                  double* out) const {
  const std::size_t states = graph_.states(v), total = hub_at_[hub];
  const double* without =
      messages_.data() + layout_.block(v) + (skip == kNothing ? 0 : skip * states);
  for (std::size_t x = 0; x < states; ++x) {
    const std::size_t zeros = zeros_[total + x];
    const double all = total_[total + x];
    if (skip == kNothing) {
      out[x] = zeros > 0 ? S::zero : all;
    } else if (without[x] == S::zero) {
      out[x] = zeros > 1 ? S::zero : all;
    } else if (zeros > 0) {
      out[x] = S::zero;
    } else {
      out[x] = kScaled<S> ? all / without[x] : all - without[x];
    }
  }
  return normalise(out, states);
}

template <class S>
void MessageEngine<S>::refresh_hubs() {
  for (std::size_t hub = 0; hub < hubs_.size(); ++hub) {
    const Variable v = hubs_[hub];
    const std::size_t states = graph_.states(v), slots = 1 + layout_.factors_of(v).size();
    double* const total = total_.data() + hub_at_[hub];
    std::uint32_t* const zeros = zeros_.data() + hub_at_[hub];
    std::fill_n(total, states, S::one);
    std::fill_n(zeros, states, 0u);
    const double* at = messages_.data() + layout_.block(v);
    for (std::size_t slot = 0; slot < slots; ++slot, at += states) {
      double high = S::zero;
      for (std::size_t x = 0; x < states; ++x) {
        if (at[x] == S::zero) {
          ++zeros[x];
        } else {
          total[x] = S::times(total[x], at[x]);
        }
        high = std::max(high, total[x]);
      }
      for (std::size_t x = 0; x < states; ++x) {
        total[x] = kScaled<S> ? total[x] / high : total[x] - high;
        if (kScaled<S> && total[x] < kLowestTotal) out_of_range_ = true;
      }
    }
  }
}

template <class S>
void MessageEngine<S>::set_message(std::size_t edge, const double* message, double* target) {
  const Variable v = layout_.variable(edge);
  const std::size_t states = graph_.states(v);
  double* const at = target + layout_.place(edge);
  if (layout_.factors_of(v).size() >= kHubFactors && target == messages_.data()) {
    double* const total = total_.data() + hub_at_[hub_of_[v]];
    std::uint32_t* const zeros = zeros_.data() + hub_at_[hub_of_[v]];
    double high = S::zero;
    for (std::size_t x = 0; x < states; ++x) {
      if (at[x] != S::zero && message[x] == S::zero) ++zeros[x];
      if (at[x] != S::zero) total[x] = kScaled<S> ? total[x] / at[x] : total[x] - at[x];
      if (message[x] != S::zero) total[x] = S::times(total[x], message[x]);
      high = std::max(high, total[x]);
    }
    for (std::size_t x = 0; x < states; ++x) {
      total[x] = kScaled<S> ? total[x] / high : total[x] - high;
      if (kScaled<S> && total[x] < kLowestTotal) out_of_range_ = true;
    }
  }
  std::copy_n(message, states, at);
}

// Returns by how much it changes.
template <class S>
double MessageEngine<S>::finish_message(std::size_t edge, double* message, double* target) {
  const std::size_t states = layout_.states(edge);
  if (!normalise(message, states)) {
    empty_ = true;
    return 0;
  }
  const double* before = messages_.data() + layout_.place(edge);
  double change = 0;
  if (kScaled<S> && states >= kManyStates) {
    change = largest_difference(message, before, states);
  } else {
    for (std::size_t x = 0; x < states; ++x) {
      change = std::max(change, distance<S>(message[x], before[x]));
    }
  }
  if (change == 0 && target == messages_.data() && std::equal(message, message + states, before)) {
    return 0;
  }
  if (damping_ > 0) {
    for (std::size_t x = 0; x < states; ++x) {
      message[x] = mixed<S>(damping_, before[x], message[x]);
    }
    if (!normalise(message, states)) empty_ = true;
  }
  set_message(edge, message, target);
  return change;
}

// Between two variables with two states: most of many graphs, and all in registers.
template <class S>
bool MessageEngine<S>::gather_two(std::size_t edge, double& zero, double& one) const {
  const Variable v = layout_.variable(edge);
  const std::size_t slots = 1 + layout_.factors_of(v).size(), skip = layout_.slot(edge);
  const double* const at = messages_.data() + layout_.block(v);
  zero = at[0];
  one = at[1];
  std::size_t product = 1;
  const auto scale = [&] {
    const double high = std::max(zero, one), low = std::min(zero, one) / high;
    if (low < smallest_ && low > 0) out_of_range_ = true;
    zero /= high;
    one /= high;
    product = 1;
  };
  const auto multiply = [&](std::size_t begin, std::size_t end) {
    for (std::size_t slot = begin; slot < end; ++slot) {
      zero *= at[2 * slot];
      one *= at[2 * slot + 1];
      if (++product >= fits_ && (zero > 0 || one > 0)) scale();
    }
  };
  multiply(1, skip);
  multiply(skip + 1, slots);
  if (zero == 0 && one == 0) return false;
  scale();
  return true;
}

template <class S>
double MessageEngine<S>::update_two(Factor f, double* target) {
  const std::size_t begin = layout_.edge_begin(f);
  double a[2], b[2];
  if (!gather_two(begin, a[0], a[1]) || !gather_two(begin + 1, b[0], b[1])) {
    empty_ = !out_of_range_;
    return 0;
  }
  if (out_of_range_) return 0;
  const double* const t = factor_[f].numbers;
  double out[2][2] = {{t[0] * b[0] + t[1] * b[1], t[2] * b[0] + t[3] * b[1]},
                      {t[0] * a[0] + t[2] * a[1], t[1] * a[0] + t[3] * a[1]}};
  double most = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const double change = finish_message(begin + k, out[k], target);
    if (change > 0 && queued_) notify(f, begin + k, change);
    most = std::max(most, change);
  }
  return most;
}

template <class S>
void MessageEngine<S>::notify(Factor f, std::size_t edge, double change) {
  for (const Factor g : layout_.factors_of(layout_.variable(edge))) {
    if (g == f || priority_[g] < 0 || change <= priority_[g]) continue;
    priority_[g] = change;
    if (change > options_.tolerance) queue_->set(g, change);
  }
}

template <class S>
double MessageEngine<S>::update(Factor f, double* target) {
  ++updates_;
  if (kScaled<S> && is_two_[f]) return update_two(f, target);
  const std::size_t begin = layout_.edge_begin(f), end = layout_.edge_end(f);
  double* in = in_.data();
  for (std::size_t e = begin; e < end; ++e) {
    const Variable v = layout_.variable(e);
    if (!gather(v, layout_.slot(e), in)) {
      empty_ = !out_of_range_;
      return 0;
    }
    in += graph_.states(v);
  }
  if (out_of_range_) return 0;
  send(f, in_.data(), out_.data());
  double* out = out_.data();
  double most = 0;
  for (std::size_t e = begin; e < end; ++e) {
    const Variable v = layout_.variable(e);
    const double change = finish_message(e, out, target);
    out += graph_.states(v);
    most = std::max(most, change);
    if (queued_ && change > 0) notify(f, e, change);
  }
  return most;
}

// A variable may have no state left although no message says so.
template <class S>
void MessageEngine<S>::check_totals() {
  std::vector<double> all;
  for (Variable v = 0; v < graph_.variables(); ++v) {
    all.resize(graph_.states(v));
    if (!gather(v, kNothing, all.data()) && !out_of_range_) empty_ = true;
  }
}

template <class S>
void MessageEngine<S>::take_messages(const MessageEngine<ScaledSum>& other) {
  for (Variable v = 0; v < graph_.variables(); ++v) {
    const std::size_t own = layout_.block(v) + graph_.states(v);
    for (std::size_t k = own; k < layout_.block(v + 1); ++k) {
      messages_[k] = std::log(other.messages_[k]);
    }
  }
  linear_numbers_ = other.numbers_;
  linear_in_.resize(in_.size());
  linear_low_.assign(graph_.potentials(), -kInf);
  for (PotentialId id = 0; id < graph_.potentials(); ++id) {
    if (graph_.potential(id).kind != PotentialKind::table) continue;
    double low = 0;
    for (const double score : graph_.numbers(id)) {
      if (score > -kInf) low = std::min(low, score - shift_[id]);
    }
    linear_low_[id] = low;
  }
  started_ = other.started_;
  updates_ = other.updates_;
}

template <class S>
void MessageEngine<S>::start_from(const BeliefMessages& before) {
  for (Variable v = 0; v < graph_.variables(); ++v) {
    const std::size_t own = layout_.block(v) + graph_.states(v);
    for (std::size_t k = own; k < layout_.block(v + 1); ++k) {
      double x = before.numbers[k];
      if (before.logarithms && kScaled<S>) x = std::exp(x);
      if (!before.logarithms && !kScaled<S>) x = std::log(x);
      if (kScaled<S>) x = x == 0 ? x : std::max(x, smallest_);
      messages_[k] = x == S::zero ? S::one : x;
    }
  }
}

// LogSum: a table sends scaled numbers, too, where no product can leave the doubles.  That is most
// of them: one message is enough to make all messages logarithms.  False where one might.
template <class S>
bool MessageEngine<S>::send_linear(Factor f, const double* in, double* out) const {
  if (linear_low_.empty()) return false;
  const Potential& potential = graph_.potential(graph_.potential_of(f));
  double spread = -linear_low_[graph_.potential_of(f)];
  const std::span<const std::uint32_t> states = layout_.states_of(f);
  std::size_t all = 0;
  for (const std::uint32_t count : states) {
    double low = 0;
    for (std::size_t end = all + count; all < end; ++all) {
      if (in[all] != S::zero) low = std::min(low, in[all]);
    }
    spread -= low;
  }
  if (!(spread < kLinearSpread)) return false;
  for (std::size_t k = 0; k < all; ++k) linear_in_[k] = std::exp(in[k]);
  dense_messages<ScaledSum>(linear_numbers_.data() + potential.first, states, linear_in_.data(),
                            out, scratch_.dense);
  for (std::size_t k = 0; k < all; ++k) out[k] = std::log(out[k]);
  return true;
}

template <class S>
double MessageEngine<S>::bethe() const {
  CompensatedSum sum(constant_);
  const auto total = [](const double* a, const double* b, std::size_t count) {
    double all = S::zero;
    for (std::size_t k = 0; k < count; ++k) all = S::plus(all, S::times(a[k], b[k]));
    return logarithm<S>(all);
  };
  for (Factor f = 0; f < graph_.factors(); ++f) {
    const std::size_t begin = layout_.edge_begin(f), end = layout_.edge_end(f);
    if (begin == end) continue;
    double* in = in_.data();
    for (std::size_t e = begin; e < end; ++e) {
      const std::size_t states = graph_.states(layout_.variable(e));
      gather(layout_.variable(e), layout_.slot(e), in);
      sum.add(-total(in, messages_.data() + layout_.place(e), states));
      in += states;
    }
    send(f, in_.data(), out_.data());
    sum.add(total(in_.data(), out_.data(), graph_.states(layout_.variable(begin))));
  }
  std::vector<double> all;
  for (Variable v = 0; v < graph_.variables(); ++v) {
    all.assign(graph_.states(v), S::one);
    double scale = 0;
    gather(v, kNothing, all.data(), &scale);
    const std::vector<double> ones(all.size(), S::one);
    sum.add(scale + total(all.data(), ones.data(), all.size()));
  }
  return sum.value();
}

template <class S>
std::vector<double> MessageEngine<S>::product(Variable v) const {
  std::vector<double> all(graph_.states(v));
  gather(v, kNothing, all.data());
  return all;
}

template <class S>
std::vector<double> MessageEngine<S>::product_without(std::size_t edge) const {
  std::vector<double> all(graph_.states(layout_.variable(edge)));
  gather(layout_.variable(edge), layout_.slot(edge), all.data());
  return all;
}

template <class S>
void MessageEngine<S>::send(Factor f, const double* in, double* out) const {
  if (std::is_same_v<S, LogSum> && send_linear(f, in, out)) return;
  factor_messages<S>(factor_[f], in, out, scratch_);
}

template class MessageEngine<ScaledSum>;
template class MessageEngine<LogSum>;
template class MessageEngine<LogMax>;

}  // namespace croft
