#include "inference/graph/messages/binary_messages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace croft {
namespace {

// Products of this many powers of e, and one more message, are far from the smallest double.
constexpr double kMostSpread = 500;

double spread_of(double a, double b) { return std::abs(std::log(a / b)); }

}  // namespace

std::optional<BinaryMessages> BinaryMessages::make(const MessageLayout& layout,
                                                   std::span<const FactorView> factors,
                                                   std::span<const double> messages) {
  constexpr std::uint64_t kMostPlaces = std::numeric_limits<std::uint32_t>::max();
  if (layout.core().empty() || layout.numbers() > kMostPlaces) return std::nullopt;
  BinaryMessages made;
  std::map<const double*, const double*> tables;                     // of Potts
  std::vector<std::uint32_t> number(layout.graph().variables(), 0);  // from 1
  double spread = 0;                                                 // of a factor's scores
  std::size_t degree = 0;
  for (const Factor f : layout.core()) {
    const FactorView& view = factors[f];
    const bool potts = view.kind == PotentialKind::potts;
    if (view.states.size() != 2 || view.states[0] != 2 || view.states[1] != 2 ||
        (view.kind != PotentialKind::table && !potts)) {
      return std::nullopt;
    }
    const double* table = view.numbers;
    if (potts) {
      const double*& known = tables[view.numbers];
      if (known == nullptr) {
        const double equal = table[0], unequal = table[1];
        known = made.made_.emplace_back(std::array{equal, unequal, unequal, equal}).data();
      }
      table = known;
    }
    const auto [low, high] = std::minmax_element(table, table + 4);
    if (!(*low > 0)) return std::nullopt;
    spread = std::max(spread, spread_of(*low, *high));
    Pair& pair = made.pairs_.emplace_back();
    pair.table = table;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t edge = layout.edge_begin(f) + k;
      const Variable v = layout.variable(edge);
      if (number[v] == 0) {
        const std::size_t numbers = 1 + layout.factors_of(v).size();
        made.block_.push_back(
            {static_cast<std::uint32_t>(layout.block(v)), static_cast<std::uint32_t>(numbers)});
        number[v] = static_cast<std::uint32_t>(made.block_.size());
        degree = std::max(degree, numbers);
      }
      pair.variable[k] = number[v] - 1;
      pair.message[k] = static_cast<std::uint32_t>(layout.place(edge));
    }
  }
  // What comes from trees is there already, and stays; all others are within the factors' spread.
  double own = 0;
  for (const Block& block : made.block_) {
    double sum = 0;
    for (std::uint32_t k = 0; k < block.count; ++k) {
      const double* at = messages.data() + block.first + 2 * k;
      if (!(at[0] > 0 && at[1] > 0)) return std::nullopt;
      sum += spread_of(at[0], at[1]);
    }
    own = std::max(own, sum);
  }
  if (own + static_cast<double>(2 * degree + 2) * spread > kMostSpread) return std::nullopt;
  made.product_.resize(2 * made.block_.size());
  return made;
}

template <bool kInOrder>
double BinaryMessages::send(std::span<double> messages) {
  double* product = product_.data();
  for (const Block& block : block_) {
    const double* at = messages.data() + block.first;
    double zero = at[0], one = at[1];
    for (std::uint32_t k = 1; k < block.count; ++k) {
      zero *= at[2 * k];
      one *= at[2 * k + 1];
    }
    product[0] = zero;
    product[1] = one;
    product += 2;
  }
  double most = 0;
  const auto set = [&](double* message, double zero, double one) {
    const double scale = 1 / std::max(zero, one);
    zero *= scale;
    one *= scale;
    most = std::max(most, std::max(std::abs(zero - message[0]), std::abs(one - message[1])));
    message[0] = zero;
    message[1] = one;
  };
  for (const Pair& pair : pairs_) {
    double* a = product_.data() + 2 * std::size_t{pair.variable[0]};
    double* b = product_.data() + 2 * std::size_t{pair.variable[1]};
    double* to_a = messages.data() + pair.message[0];
    double* to_b = messages.data() + pair.message[1];
    const double a0 = a[0] * to_a[1], a1 = a[1] * to_a[0];
    const double b0 = b[0] * to_b[1], b1 = b[1] * to_b[0];
    const double* t = pair.table;
    set(to_b, t[0] * a0 + t[2] * a1, t[1] * a0 + t[3] * a1);
    set(to_a, t[0] * b0 + t[1] * b1, t[2] * b0 + t[3] * b1);
    if constexpr (kInOrder) {
      a[0] = a0 * to_a[0];
      a[1] = a1 * to_a[1];
      b[0] = b0 * to_b[0];
      b[1] = b1 * to_b[1];
    }
  }
  return most;
}

double BinaryMessages::sweep(std::span<double> messages) { return send<true>(messages); }
double BinaryMessages::send_all(std::span<double> messages) { return send<false>(messages); }

}  // namespace croft
