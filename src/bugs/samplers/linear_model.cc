// What a block's numbers are at a state: its Gaussian part, and what responses add to it.
#include "bugs/samplers/linear_model.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "bugs/distributions/dense.h"
#include "bugs/distributions/densities.h"
#include "bugs/samplers/response_kernels.h"

namespace croft::bugs {

using Id = DistributionId;

void LinearModel::read_precisions(const Members& m, const double* values) {
  for (const std::uint32_t r : m.rows) precisions_[r] = values[rows_[r].precision];
  for (ConstantRows& g : constant_rows_) g.tau = values[g.precision];
}

void LinearModel::read_response(std::size_t c, const double* values) {
  const Term& term = terms_[c];
  const double x = values[term.x];
  switch (term.id) {
    case Id::bernoulli:
      a_[c] = x, b_[c] = 1;
      return;
    case Id::binomial:
      a_[c] = x, b_[c] = values[term.second];
      return;
    case Id::logistic:
      a_[c] = x, b_[c] = values[term.second];
      return;
    case Id::student:
      a_[c] = x, b_[c] = values[term.second], c_[c] = values[term.third];
      return;
    case Id::ordered_logit:
    case Id::ordered_probit:
      a_[c] = term.second == kNothing ? kNever : values[term.second];
      b_[c] = term.third == kNothing ? -kNever : values[term.third];
      return;
    default:
      break;
  }
  double h = 1;
  for (std::uint32_t k = term.factors.first; k < term.factors.first + term.factors.count; ++k) {
    const double f = values[factors_[k].slot];
    h = factors_[k].divides ? h / f : h * f;
  }
  switch (term.id) {
    case Id::poisson:
      a_[c] = x;
      break;
    case Id::exponential:
      a_[c] = term.cut ? 0 : 1;
      h *= term.cut ? *term.cut : x;
      break;
    case Id::weibull:
      a_[c] = term.cut ? 0 : 1;
      h *= std::pow(term.cut ? *term.cut : x, values[term.second]);
      break;
    case Id::gamma:
      a_[c] = values[term.second], h *= x;
      break;
    default: {  // the precision of a normal law
      const double d = x - values[term.second];
      a_[c] = 0.5;
      h *= 0.5 * d * d;
      break;
    }
  }
  b_[c] = h;
  shifts_[c] = term.fixed || !(h > 0) ? 0 : std::log(h);
}

void LinearModel::begin(const double* values, std::vector<double>& x) {
  if (moving_) {
    forms_.refresh(values);
    for (std::size_t k = 0; k < entries_.size(); ++k)
      numbers_[k] = forms_.coefficient(entries_[k].coefficient);
  }
  x.resize(elements_.size());
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = values[elements_[k]];
  const auto along = [&](Range r) {
    double sum = 0;
    for (std::uint32_t k = r.first; k < r.first + r.count; ++k)
      sum += numbers_[k] * x[entries_[k].element];
    return sum;
  };
  for (const std::uint32_t r : moving_rows_) {
    const Row& row = rows_[r];
    const double value = row.of_logarithm ? std::log(values[row.value]) : values[row.value];
    residuals_[r] = value - values[row.mean] - along(row.entries);
    precisions_[r] = values[row.precision];
  }
  for (ConstantRows& g : constant_rows_) g.tau = values[g.precision];
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const std::size_t n = group.value.size();
    group_residuals_[g].resize(n);
    for (std::size_t k = 0; k < n; ++k)
      group_residuals_[g][k] =
          values[group.value[k]] - values[group.mean[k]] - along(group.entries[k]);
    group_matrices_[g].resize(n * n);
    for (std::size_t k = 0; k < n * n; ++k) group_matrices_[g][k] = values[group.matrix[k]];
    if (group.covariance) {
      std::vector<double> factor(n * n);
      dense_cholesky(n, group_matrices_[g], factor);
      invert_factor(n, factor, group_matrices_[g]);
    }
  }
  if (constant_responses_) return;
  for (std::size_t c = 0; c < terms_.size(); ++c) {
    if (!terms_[c].fixed) read_response(c, values);
    if (!terms_[c].fixed_predictor) offsets_[c] = values[terms_[c].eta] - along(terms_[c].entries);
  }
}

void LinearModel::gaussian_part(std::vector<double>& b) {
  const auto entries = cholesky_->entries();
  std::fill(entries.begin(), entries.end(), 0.0);
  b.assign(elements_.size(), 0.0);
  for (const ConstantRows& g : constant_rows_) {
    for (const auto& [position, product] : g.products) entries[position] += g.tau * product;
    for (const auto& [element, pull] : g.pulls) b[element] += g.tau * pull;
  }
  for (const std::uint32_t r : moving_rows_) {
    const Range range = rows_[r].entries;
    const double tau = precisions_[r], pull = tau * residuals_[r];
    const std::uint32_t* position = pairs_.data() + rows_[r].pairs;
    const double* const c = numbers_.data() + range.first;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      b[entries_[range.first + i].element] -= pull * c[i];
      const double scaled = tau * c[i];
      for (std::uint32_t j = 0; j <= i; ++j) entries[*position++] += scaled * c[j];
    }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const std::size_t n = group.value.size();
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t q = 0; q < n; ++q) {
        const double lambda = group_matrices_[g][r + q * n];
        const Range from = group.entries[r], to = group.entries[q];
        for (std::uint32_t i = from.first; i < from.first + from.count; ++i) {
          const std::uint32_t e = entries_[i].element;
          b[e] -= lambda * numbers_[i] * group_residuals_[g][q];
          for (std::uint32_t j = to.first; j < to.first + to.count; ++j) {
            if (entries_[j].element <= e)
              entries[cholesky_->position(e, entries_[j].element)] +=
                  lambda * numbers_[i] * numbers_[j];
          }
        }
      }
    }
  }
}

void LinearModel::predictors(const std::vector<double>& x, std::vector<double>& eta) const {
  eta.resize(terms_.size());
  for (std::size_t c = 0; c < terms_.size(); ++c) {
    const Range range = terms_[c].entries;
    double sum = offsets_[c];
    for (std::uint32_t k = range.first; k < range.first + range.count; ++k)
      sum += numbers_[k] * x[entries_[k].element];
    eta[c] = sum;
  }
}

void LinearModel::add_weighted(const std::vector<double>& weights, std::vector<double>& b) const {
  for (std::size_t c = 0; c < terms_.size(); ++c) {
    const Range range = terms_[c].entries;
    for (std::uint32_t k = range.first; k < range.first + range.count; ++k)
      b[entries_[k].element] += weights[c] * numbers_[k];
  }
}

void LinearModel::add_products(const std::vector<double>& w) {
  const auto entries = cholesky_->entries();
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const Range range = terms_[t].entries;
    const std::uint32_t* position = pairs_.data() + terms_[t].pairs;
    const double* const c = numbers_.data() + range.first;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const double scaled = w[t] * c[i];
      for (std::uint32_t j = 0; j <= i; ++j) entries[*position++] += scaled * c[j];
    }
  }
}

// visit(kind as a constant, first, last) for each run of responses of one kind.
template <class Visit>
void LinearModel::by_kind(const Visit& visit) const {
  for (const KindRange& k : kinds_) {
    const std::size_t first = k.terms.first, last = first + k.terms.count;
    switch (k.kind) {
      case Response::power:
        visit.template operator()<Response::power>(first, last);
        break;
      case Response::logit:
        visit.template operator()<Response::logit>(first, last);
        break;
      case Response::probit:
        visit.template operator()<Response::probit>(first, last);
        break;
      case Response::cloglog:
        visit.template operator()<Response::cloglog>(first, last);
        break;
      case Response::student:
        visit.template operator()<Response::student>(first, last);
        break;
      case Response::logistic:
        visit.template operator()<Response::logistic>(first, last);
        break;
      case Response::ordered_logit:
        visit.template operator()<Response::ordered_logit>(first, last);
        break;
      case Response::ordered_probit:
        visit.template operator()<Response::ordered_probit>(first, last);
        break;
    }
  }
}

double LinearModel::remainder(const std::vector<double>& eta, const std::vector<double>& w,
                              const std::vector<double>& beta, std::vector<double>& slope) const {
  double sum = 0;
  slope.resize(terms_.size());
  by_kind([&]<Response kind>(std::size_t first, std::size_t last) {
    std::size_t done = 0;
    const ResponseArrays arrays{&eta[first], &a_[first],   &b_[first],
                                &w[first],   &beta[first], &slope[first]};
    if constexpr (kind == Response::power) sum += power_remainders(arrays, last - first, &done);
    if constexpr (kind == Response::logit) sum += logit_remainders(arrays, last - first, &done);
    first += done;
    for (std::size_t c = first; c < last; ++c) {
      const ResponseSlope at = response<kind>(eta[c], a_[c], b_[c], c_[c]);
      sum += at.value + (0.5 * w[c] * eta[c] - beta[c]) * eta[c];
      slope[c] = at.first + w[c] * eta[c] - beta[c];
    }
  });
  return sum;
}

void LinearModel::remainder_slope(const std::vector<double>& eta, const std::vector<double>& w,
                                  const std::vector<double>& beta,
                                  std::vector<double>& slope) const {
  slope.resize(terms_.size());
  by_kind([&]<Response kind>(std::size_t first, std::size_t last) {
    std::size_t done = 0;
    const ResponseArrays arrays{&eta[first], &a_[first],   &b_[first],
                                &w[first],   &beta[first], &slope[first]};
    if constexpr (kind == Response::power) power_remainders(arrays, last - first, &done);
    if constexpr (kind == Response::logit) logit_slopes(arrays, last - first, &done);
    first += done;
    for (std::size_t c = first; c < last; ++c)
      slope[c] = response_first<kind>(eta[c], a_[c], b_[c], c_[c]) + w[c] * eta[c] - beta[c];
  });
}

double LinearModel::log_likelihood(const std::vector<double>& eta) const {
  double sum = 0;
  by_kind([&]<Response kind>(std::size_t first, std::size_t last) {
    std::size_t done = 0;
    const ResponseArrays arrays{&eta[first], &a_[first], &b_[first], nullptr, nullptr, nullptr};
    if constexpr (kind == Response::power) sum += power_values(arrays, last - first, &done);
    if constexpr (kind == Response::logit) sum += logit_values(arrays, last - first, &done);
    first += done;
    for (std::size_t c = first; c < last; ++c)
      sum += response<kind>(eta[c], a_[c], b_[c], c_[c]).value;
  });
  return sum;
}

LinearModel::Members LinearModel::members(std::span<const Slot> precisions) const {
  Members m;
  m.precisions.assign(precisions.begin(), precisions.end());
  const std::unordered_set<Slot> wanted(precisions.begin(), precisions.end());
  std::unordered_map<Slot, std::uint32_t> places;
  for (std::uint32_t k = 0; k < elements_.size(); ++k) places.emplace(elements_[k], k);
  std::vector<std::uint8_t> is_member(elements_.size());
  for (std::uint32_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    if (!wanted.contains(row.precision)) continue;
    const auto at = places.find(row.value);
    if (at == places.end()) return {};
    m.rows.push_back(r);
    m.elements.push_back(at->second);
    is_member[m.elements.back()] = 1;
  }
  for (std::size_t k = 0; k < m.rows.size(); ++k) {
    const Range range = rows_[m.rows[k]].entries;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      const std::uint32_t e = entries_[i].element;
      if (e != m.elements[k] && is_member[e] != 0) return {};
    }
  }
  return m;
}

void LinearModel::deviations(const Members& m, const std::vector<double>& x,
                             std::vector<double>& d) const {
  d.assign(elements_.size(), 0.0);
  for (std::size_t k = 0; k < m.rows.size(); ++k) {
    const std::uint32_t r = m.rows[k];
    const Range range = rows_[r].entries;
    double sum = residuals_[r];
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i)
      sum += numbers_[i] * x[entries_[i].element];
    d[m.elements[k]] = sum;
  }
}

double LinearModel::squared_deviations(const Members& m, const std::vector<double>& d,
                                       const double* values) const {
  double sum = 0;
  for (std::size_t k = 0; k < m.rows.size(); ++k) {
    const Row& row = rows_[m.rows[k]];
    sum += values[row.precision] * d[m.elements[k]] * d[m.elements[k]];
  }
  return sum;
}

void LinearModel::line(const Members& m, const std::vector<double>& x, const std::vector<double>& d,
                       double* slope, double* curvature, std::vector<double>& along) const {
  *slope = *curvature = 0;
  for (const ConstantRows& g : constant_rows_) {
    if (std::find(m.precisions.begin(), m.precisions.end(), g.precision) != m.precisions.end())
      continue;
    double at = 0, moved = 0;
    if (by_rows_) {  // products of them have lost their digits
      add_line_of_rows(g.rows, x, d, &at, &moved);
      *slope += g.tau * at;
      *curvature += g.tau * moved;
      continue;
    }
    for (std::size_t k = 0; k < g.products.size(); ++k) {
      const auto [e, f] = g.places[k];
      const double product = g.products[k].second;
      if (e == f) {
        at += product * d[e] * x[e];
        moved += product * d[e] * d[e];
      } else {
        at += product * (d[e] * x[f] + d[f] * x[e]);
        moved += 2 * product * d[e] * d[f];
      }
    }
    for (const auto& [element, pull] : g.pulls) at -= pull * d[element];
    *slope += g.tau * at;
    *curvature += g.tau * moved;
  }
  for (const std::uint32_t r : moving_rows_) {
    if (std::binary_search(m.rows.begin(), m.rows.end(), r)) continue;
    const Range range = rows_[r].entries;
    double at = residuals_[r], moved = 0;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      at += numbers_[i] * x[entries_[i].element];
      moved += numbers_[i] * d[entries_[i].element];
    }
    *slope += precisions_[r] * at * moved;
    *curvature += precisions_[r] * moved * moved;
  }
  along.resize(terms_.size());
  for (std::size_t c = 0; c < terms_.size(); ++c) {
    const Range range = terms_[c].entries;
    double sum = 0;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i)
      sum += numbers_[i] * d[entries_[i].element];
    along[c] = sum;
  }
}

void LinearModel::own_estimates(std::vector<double>& eta) const {
  eta.resize(terms_.size());
  by_kind([&]<Response kind>(std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) {
      const double own = own_estimate<kind>(a_[c], b_[c]) + shifts_[c];
      eta[c] = std::isfinite(own) ? own : 0;
    }
  });
}

void LinearModel::stand_ins(const std::vector<double>& eta, std::vector<double>& w,
                            std::vector<double>& beta) const {
  w.resize(terms_.size());
  beta.resize(terms_.size());
  by_kind([&]<Response kind>(std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) {
      w[c] = response_weight<kind>(eta[c], a_[c], b_[c], c_[c]);
      beta[c] = response_first<kind>(eta[c], a_[c], b_[c], c_[c]) + w[c] * eta[c];
    }
  });
}

}  // namespace croft::bugs
