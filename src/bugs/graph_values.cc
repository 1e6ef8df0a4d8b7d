// Numbers of a compiled model: operations run, and their derivatives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bugs/dense_matrix.h"
#include "bugs/distributions.h"
#include "bugs/graph.h"

namespace croft::bugs {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Memory for the arguments of the operations that take arrays; kept by each thread.
std::vector<double>& gathered(std::span<const Slot> slots, const double* values) {
  thread_local std::vector<double> scratch;
  scratch.resize(slots.size());
  for (std::size_t k = 0; k < slots.size(); ++k) scratch[k] = values[slots[k]];
  return scratch;
}

// The picked element of each output, of numbers or of their derivatives; false: none is picked.
bool copy_picked(const Operation& o, std::span<const Slot> arguments, const double* values,
                 const double* from, double* to) {
  const std::size_t place = picked_place(o, arguments, values);
  const std::size_t begin = std::size_t{2} * o.aux;
  const bool inside = place < (arguments.size() - begin) / o.outputs;
  for (std::uint32_t m = 0; m < o.outputs; ++m) {
    to[o.out + m] = inside ? from[arguments[begin + place * o.outputs + m]] : kNan;
  }
  return inside;
}

double interpolated(std::span<const double> x) {  // x, e_1..e_n, v_1..v_n
  const std::size_t n = (x.size() - 1) / 2;
  const auto e = x.subspan(1, n), v = x.subspan(1 + n, n);
  if (std::isnan(x[0])) return kNan;
  if (x[0] <= e[0]) return v[0];
  if (x[0] >= e[n - 1]) return v[n - 1];
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(e, x[0]) - e.begin());
  const double share = (x[0] - e[above - 1]) / (e[above] - e[above - 1]);
  return v[above - 1] + share * (v[above] - v[above - 1]);
}

double distribution_function(const Operation& o, std::span<const Slot> arguments,
                             const double* values) {
  const std::vector<double>& x = gathered(arguments, values);
  std::vector<Numbers> numbers;
  for (std::size_t k = 1; k < x.size(); ++k) numbers.emplace_back(&x[k], 1);
  const auto id = static_cast<DistributionId>(o.aux);
  if (!parameters_fit(id, numbers)) return kNan;
  switch (o.function) {
    case Function::density:
      return std::exp(bugs::log_density(id, Numbers(x.data(), 1), numbers));
    case Function::log_density:
      return bugs::log_density(id, Numbers(x.data(), 1), numbers);
    case Function::cumulative:
      return cdf(id, x[0], numbers);
    default:
      return bugs::quantile(id, x[0], numbers);
  }
}

// Places of the numbers from the smallest up; equal ones stay in order.
std::vector<std::size_t> sorted_places(std::span<const double> x) {
  std::vector<std::size_t> places(x.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  return places;
}

}  // namespace

std::size_t picked_place(const Operation& o, std::span<const Slot> arguments,
                         const double* values) {
  std::size_t place = 0, stride = 1;
  for (std::size_t d = 0; d < o.aux; ++d) {
    const double subscript = values[arguments[d]];
    const double extent = values[arguments[o.aux + d]];
    if (!(subscript >= 1 && subscript <= extent) || subscript != std::floor(subscript)) {
      return std::numeric_limits<std::size_t>::max();
    }
    place += (static_cast<std::size_t>(subscript) - 1) * stride;
    stride *= static_cast<std::size_t>(extent);
  }
  return place;
}

std::string subscript_fault(double subscript, double extent, std::string_view when) {
  const auto says = [&](const std::string& what) {
    return fmt::format("a subscript is {}{}{}, and has to be {}", subscript,
                       when.empty() ? "" : " ", when, what);
  };
  if (subscript != std::floor(subscript)) return says("a whole number");
  return subscript >= 1 && subscript <= extent ? "" : says(fmt::format("from 1 to {}", extent));
}

void ModelGraph::check_watched(OperationId pick, const double* values) const {
  const auto found = watched_.find(pick);
  if (found == watched_.end()) return;
  const Operation& o = operations_[pick];
  const auto args = arguments(o);
  for (std::size_t d = 0; d < o.aux; ++d) {
    const double subscript = values[args[d]];
    if (std::isnan(subscript)) return;  // what it is made of is no number
    const std::string fault = subscript_fault(subscript, values[args[o.aux + d]], "in a draw");
    if (!fault.empty()) {
      throw InputError(found->second.where, fault, found->second.array,
                       "keep it within the array, by min and max or by the distributions");
    }
  }
}

void ModelGraph::evaluate(std::span<const OperationId> which, double* values) const {
  for (const OperationId id : which) {
    const Operation& o = operations_[id];
    double& out = values[o.out];
    switch (o.function) {
      case Function::add:
        out = values[o.a] + values[o.b];
        break;
      case Function::subtract:
        out = values[o.a] - values[o.b];
        break;
      case Function::multiply:
        out = product_of(values[o.a], values[o.b]);
        break;
      case Function::divide:
        out = values[o.a] / values[o.b];
        break;
      case Function::exp:
        out = std::exp(values[o.a]);
        break;
      case Function::inner_product: {
        const Slot* const pairs = slots_.data() + o.first;
        double sum = 0;
        for (std::uint32_t k = 0; k < o.count; k += 2) {
          sum += values[pairs[k]] * values[pairs[k + 1]];
        }
        if (std::isnan(sum)) {  // seldom: a product may be 0 times an infinite number
          sum = 0;
          for (std::uint32_t k = 0; k < o.count; k += 2) {
            sum += product_of(values[pairs[k]], values[pairs[k + 1]]);
          }
        }
        out = sum;
        break;
      }
      case Function::sum: {
        double sum = 0;
        for (const Slot s : arguments(o)) sum += values[s];
        out = sum;
        break;
      }
      case Function::pick:
        if (!copy_picked(o, arguments(o), values, values, values)) check_watched(id, values);
        break;
      default:
        run_other(o, values);
    }
  }
}

void ModelGraph::run_other(const Operation& o, double* values) const {
  const FunctionRow& row = row_of(o.function);
  double* const out = values + o.out;
  if (row.one != nullptr) {
    *out = row.one(values[o.a]);
    return;
  }
  if (row.two != nullptr) {
    *out = row.two(values[o.a], values[o.b]);
    return;
  }
  const auto args = arguments(o);
  if (o.function == Function::if_else) {
    const double test = values[o.a];
    *out = std::isnan(test) ? kNan : test != 0 ? values[o.b] : values[args[2]];
    return;
  }
  if (o.function >= Function::density) {
    *out = distribution_function(o, args, values);
    return;
  }
  const std::vector<double>& x = gathered(args, values);
  if (row.all != nullptr) {
    *out = row.all(x);
    return;
  }
  switch (o.function) {
    case Function::sort:
      std::copy(x.begin(), x.end(), out);
      std::sort(out, out + x.size());
      break;
    case Function::rank:
    case Function::order: {
      const std::vector<std::size_t> places = sorted_places(x);
      for (std::size_t k = 0; k < places.size(); ++k) {
        if (o.function == Function::rank) {
          out[places[k]] = static_cast<double>(k + 1);
        } else {
          out[k] = static_cast<double>(places[k] + 1);
        }
      }
      break;
    }
    case Function::interpolate:
      *out = interpolated(x);
      break;
    case Function::matrix_product:
      multiply_matrices(x, o.rows, o.outputs / o.rows, std::span(out, o.outputs));
      break;
    case Function::inverse:
      invert_matrix(x, std::span(out, o.outputs));
      break;
    default:
      *out = log_determinant_of(x);
  }
}

double ModelGraph::slope(OperationId which, std::size_t argument, const double* values) const {
  const Operation& o = operations_[which];
  const FunctionRow& row = row_of(o.function);
  if (!row.smooth) return 0;
  const double a = values[o.a], b = values[o.b], f = values[o.out];
  if (row.one != nullptr) return row.slope == nullptr ? 0 : row.slope(a, f);
  const auto args = arguments(o);
  const double n = static_cast<double>(o.count);
  switch (o.function) {
    case Function::add:
      return 1;
    case Function::subtract:
      return argument == 0 ? 1 : -1;
    case Function::multiply:
      return argument == 0 ? b : a;
    case Function::divide:
      return argument == 0 ? 1 / b : -f / b;
    case Function::power:
      if (argument == 1) return f * std::log(a);
      return b == 0 ? 0 : b * std::pow(a, b - 1);
    case Function::if_else:
      return (argument == 1 && a != 0) || (argument == 2 && a == 0) ? 1 : 0;
    case Function::sum:
      return 1;
    case Function::mean:
      return 1 / n;
    case Function::prod: {
      double product = 1;
      for (std::size_t k = 0; k < args.size(); ++k) {
        if (k != argument) product *= values[args[k]];
      }
      return product;
    }
    case Function::max:
    case Function::min: {  // of equal ones the first
      for (std::size_t k = 0; k < args.size(); ++k) {
        if (values[args[k]] == f) return k == argument ? 1 : 0;
      }
      return kNan;
    }
    case Function::sd: {
      double mean = 0;
      for (const Slot s : args) mean += values[s] / n;
      return (values[args[argument]] - mean) / ((n - 1) * f);
    }
    case Function::inner_product:
      return values[args[argument ^ 1]];
    case Function::pick: {
      if (argument < std::size_t{2} * o.aux) return 0;
      return picked_place(o, args, values) == argument - std::size_t{2} * o.aux ? 1 : 0;
    }
    default:
      return kNan;
  }
}

void ModelGraph::tangents(std::span<const OperationId> which, const double* values,
                          double* tangents) const {
  for (const OperationId id : which) {
    const Operation& o = operations_[id];
    const auto args = arguments(o);
    if (o.function == Function::pick) {
      copy_picked(o, args, values, tangents, tangents);
      continue;
    }
    if (o.function == Function::matrix_product) {
      const std::uint32_t columns = o.outputs / o.rows, inner = o.count / (o.rows + columns);
      const std::size_t second = std::size_t{o.rows} * inner;
      for (std::uint32_t c = 0; c < columns; ++c) {
        for (std::uint32_t r = 0; r < o.rows; ++r) {
          double sum = 0;
          for (std::uint32_t k = 0; k < inner; ++k) {
            const Slot left = args[r + std::size_t{k} * o.rows];
            const Slot right = args[second + k + std::size_t{c} * inner];
            sum += tangents[left] * values[right] + values[left] * tangents[right];
          }
          tangents[o.out + r + c * o.rows] = sum;
        }
      }
      continue;
    }
    double sum = 0;
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (tangents[args[k]] != 0) sum += slope(id, k, values) * tangents[args[k]];
    }
    tangents[o.out] = sum;
    for (std::uint32_t m = 1; m < o.outputs; ++m) tangents[o.out + m] = o.outputs > 1 ? kNan : 0;
    if (o.outputs > 1) tangents[o.out] = kNan;
  }
}

}  // namespace croft::bugs
