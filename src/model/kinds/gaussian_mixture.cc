#include "model/kinds/gaussian_mixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "core/infinity.h"
#include "core/json.h"
#include "croft/core/error.h"

namespace croft {
namespace {

// L of S = L L' in the lower triangle, 1 / L_ii on the diagonal.  False where S is not positive
// definite.
bool factorise(std::span<double> s, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = s[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= s[i * n + k] * s[j * n + k];
      if (i > j) {
        s[i * n + j] = sum * s[j * n + j];
        continue;
      }
      if (!(sum > 0) || std::isinf(sum)) return false;
      s[j * n + j] = 1 / std::sqrt(sum);
    }
  }
  return true;
}

}  // namespace

Covariance covariance_named(std::string_view name) {
  for (const Covariance each : {Covariance::diagonal, Covariance::full}) {
    if (name_of(each) == name) return each;
  }
  throw UsageError("there is no covariance '" + std::string(name) + "'; there are diagonal, full");
}

std::string_view name_of(Covariance covariance) {
  return covariance == Covariance::diagonal ? "diagonal" : "full";
}

GaussianMixture::GaussianMixture(std::size_t dimension, Covariance kind, std::vector<double> weight,
                                 std::vector<double> mean, std::vector<double> covariance)
    : dimension_(dimension),
      kind_(kind),
      weight_(std::move(weight)),
      mean_(std::move(mean)),
      covariance_(std::move(covariance)),
      factor_(covariance_),
      constant_(weight_.size()) {
  const std::size_t n = dimension_, each = kind_ == Covariance::full ? n * n : n;
  if (n == 0 || weight_.empty() || mean_.size() != weight_.size() * n ||
      covariance_.size() != weight_.size() * each) {
    throw Error("a mixture whose weights, means and covariances do not fit each other");
  }
  const bool weights = std::ranges::all_of(weight_, [](double p) { return p > 0 && p <= 1; });
  if (!weights || !all_finite(mean_) || !all_finite(covariance_)) {
    throw Error("a mixture with a weight that is no probability, or a number that is not finite");
  }
  for (std::size_t k = 0; k < components(); ++k) {
    const std::span<double> s = std::span(factor_).subspan(k * each, each);
    bool good = true;
    if (kind_ == Covariance::full) {
      good = factorise(s, n);
    } else {
      for (double& variance : s) {
        good = good && variance > 0;
        variance = 1 / std::sqrt(variance);
      }
    }
    if (!good) throw Error("a covariance of a mixture is not positive definite");
    double log_root = 0;  // of the determinant, negated
    for (std::size_t i = 0; i < n; ++i) {
      log_root += std::log(kind_ == Covariance::full ? s[i * n + i] : s[i]);
    }
    constant_[k] = std::log(weight_[k]) + log_root -
                   0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
  }
}

double GaussianMixture::squared_distance(std::size_t k, std::span<const double> x) const {
  const std::size_t n = dimension_;
  const double* m = mean_.data() + k * n;
  double sum = 0;
  if (kind_ == Covariance::diagonal) {
    const double* inverse = factor_.data() + k * n;
    for (std::size_t i = 0; i < n; ++i) {
      const double z = (x[i] - m[i]) * inverse[i];
      sum += z * z;
    }
    return sum;
  }
  // z = L^-1 (x - m), forward; of few dimensions without an allocation.
  constexpr std::size_t kFew = 16;
  std::array<double, kFew> few;
  std::vector<double> many(n > kFew ? n : 0);
  double* z = n > kFew ? many.data() : few.data();
  const double* l = factor_.data() + k * n * n;
  for (std::size_t i = 0; i < n; ++i) {
    double rest = x[i] - m[i];
    for (std::size_t j = 0; j < i; ++j) rest -= l[i * n + j] * z[j];
    z[i] = rest * l[i * n + i];
    sum += z[i] * z[i];
  }
  return sum;
}

double GaussianMixture::log_joint(std::span<const double> x, std::span<double> out) const {
  double most = -INFINITY;
  for (std::size_t k = 0; k < components(); ++k) {
    out[k] = constant_[k] - 0.5 * squared_distance(k, x);
    most = std::max(most, out[k]);
  }
  if (most == -INFINITY) return most;
  double sum = 0;
  for (std::size_t k = 0; k < components(); ++k) sum += std::exp(out[k] - most);
  return most + std::log(sum);
}

double GaussianMixture::log_density(std::span<const double> x) const {
  if (components() == 1) return constant_[0] - 0.5 * squared_distance(0, x);
  std::vector<double> joint(components());
  return log_joint(x, joint);
}

void LabelMixtures::scores(std::span<const double> x, std::span<double> out) const {
  for (std::size_t y = 0; y < of_label.size(); ++y) out[y] = of_label[y].log_density(x);
}

Json to_json(const LabelMixtures& mixtures) {
  Json labels = Json::array();
  for (const GaussianMixture& each : mixtures.of_label) {
    labels.push_back(
        {{"weights", std::vector<double>(each.weight().begin(), each.weight().end())},
         {"means", std::vector<double>(each.mean().begin(), each.mean().end())},
         {"covariances", std::vector<double>(each.covariance().begin(), each.covariance().end())}});
  }
  const Covariance kind =
      mixtures.of_label.empty() ? Covariance::full : mixtures.of_label[0].kind();
  return {{"dimension", mixtures.dimension()},
          {"covariance", name_of(kind)},
          {"labels", std::move(labels)}};
}

LabelMixtures label_mixtures_of(const Json& record) {
  LabelMixtures mixtures;
  try {
    const Covariance kind = covariance_named(record.at("covariance").get<std::string>());
    const auto dimension = record.at("dimension").get<std::size_t>();
    for (const Json& each : record.at("labels")) {
      mixtures.of_label.emplace_back(dimension, kind, each.at("weights").get<std::vector<double>>(),
                                     each.at("means").get<std::vector<double>>(),
                                     each.at("covariances").get<std::vector<double>>());
    }
  } catch (const JsonError&) {
    throw Error("the record of a mixture is damaged");
  }
  return mixtures;
}

}  // namespace croft
