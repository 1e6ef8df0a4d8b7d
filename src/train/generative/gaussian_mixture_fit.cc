#include "train/generative/gaussian_mixture_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "croft/core/compensated_sum.h"
#include "croft/core/error.h"
#include "croft/core/random.h"

namespace croft {
namespace {

constexpr std::size_t kBlock = 2048;  // rows whose statistics are summed before they are added up

// Eigenvalues of a symmetric matrix below `least` become it.  Jacobi's rotations: A = V D V'.
void clip_eigenvalues(std::span<double> a, std::size_t n, double least) {
  std::vector<double> d(a.begin(), a.end()), v(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) v[i * n + i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) (i == j ? all : off) += d[i * n + j] * d[i * n + j];
    }
    if (off <= 1e-30 * all) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (d[p * n + q] == 0) continue;
        const double theta = (d[q * n + q] - d[p * n + p]) / (2 * d[p * n + q]);
        const double t = std::copysign(1, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0), s = t * c;
        const auto rotate = [&](double& x, double& y) {
          const double old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        };
        for (std::size_t k = 0; k < n; ++k) rotate(d[k * n + p], d[k * n + q]);
        for (std::size_t k = 0; k < n; ++k) rotate(d[p * n + k], d[q * n + k]);
        for (std::size_t k = 0; k < n; ++k) rotate(v[k * n + p], v[k * n + q]);
      }
    }
  }
  bool any = false;
  for (std::size_t k = 0; k < n; ++k) any = any || d[k * n + k] < least;
  if (!any) return;
  std::ranges::fill(a, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const double value = std::max(d[k * n + k], least);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] += value * v[i * n + k] * v[j * n + k];
    }
  }
}

// What the M step needs: of each component sum w r, sum w r (x - o), sum w r (x - o)(x - o)', o
// being its mean before.
struct Statistics {
  double log_likelihood = 0;
  std::vector<double> mass, first, second;

  void reset(std::size_t components, std::size_t first_size, std::size_t second_size) {
    log_likelihood = 0;
    mass.assign(components, 0);
    first.assign(components * first_size, 0);
    second.assign(components * second_size, 0);
  }
  void add(const Statistics& other) {
    log_likelihood += other.log_likelihood;
    const auto plus = [](std::vector<double>& to, const std::vector<double>& from) {
      for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k];
    };
    plus(mass, other.mass);
    plus(first, other.first);
    plus(second, other.second);
  }
};

class Fit {
 public:
  Fit(const WeightedRows& rows, double floor, const GaussianMixtureOptions& options,
      ThreadPool& pool)
      : rows_(rows),
        floor_(floor),
        options_(options),
        pool_(pool),
        n_(rows.dimension),
        each_(options.covariance == Covariance::full ? n_ * n_ : n_) {}

  // Of one component: the mean and covariance of all rows.
  GaussianMixture whole() {
    std::vector<double> mean(n_, 0), variance(each_, 0);
    double mass = 0;
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      mass += rows_.weight_of(i);
      for (std::size_t c = 0; c < n_; ++c) mean[c] += rows_.weight_of(i) * rows_.row(i)[c];
    }
    if (!(mass > 0)) throw Error("a mixture needs at least one row with a weight above 0");
    for (double& m : mean) m /= mass;
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      add_square(rows_.row(i), mean, rows_.weight_of(i) / mass, variance);
    }
    clip(variance);
    return {n_, options_.covariance, {1.0}, std::move(mean), std::move(variance)};
  }

  GaussianMixture start(const GaussianMixture& all, std::uint64_t seed) {
    const std::vector<double> centres = seeds(all, seed);
    const std::size_t components = centres.size() / n_;
    std::vector<double> covariance;
    for (std::size_t k = 0; k < components; ++k) {
      covariance.insert(covariance.end(), all.covariance().begin(), all.covariance().end());
    }
    return {n_, options_.covariance,
            std::vector<double>(components, 1.0 / static_cast<double>(components)), centres,
            std::move(covariance)};
  }

  double expectation_step(const GaussianMixture& mixture, Statistics& sums) {
    const std::size_t components = mixture.components();
    struct Worker {
      Statistics sums;
      std::vector<double> joint;
    };
    std::vector<Worker> workers(pool_.threads());
    sums.reset(components, n_, each_);
    pool_.run_ordered((rows_.rows() + kBlock - 1) / kBlock,
                      [&](std::size_t b, std::size_t w) {
                        Worker& own = workers[w];
                        own.sums.reset(components, n_, each_);
                        own.joint.resize(components);
                        const std::size_t end = std::min((b + 1) * kBlock, rows_.rows());
                        for (std::size_t i = b * kBlock; i < end; ++i)
                          add_row(mixture, i, own.joint, own.sums);
                      },
                      [&](std::size_t, std::size_t w) { sums.add(workers[w].sums); });
    return sums.log_likelihood;
  }

  GaussianMixture maximisation_step(const GaussianMixture& before, const Statistics& sums) {
    double total = 0;
    for (const double mass : sums.mass) total += mass;
    std::vector<double> weight, mean, covariance;
    for (std::size_t k = 0; k < before.components(); ++k) {
      const double mass = sums.mass[k];
      if (!(mass > 1e-12 * total)) continue;  // no row is left for it
      weight.push_back(mass / total);
      std::vector<double> shift(sums.first.begin() + static_cast<std::ptrdiff_t>(k * n_),
                                sums.first.begin() + static_cast<std::ptrdiff_t>((k + 1) * n_));
      for (double& s : shift) s /= mass;
      for (std::size_t c = 0; c < n_; ++c) mean.push_back(before.mean()[k * n_ + c] + shift[c]);
      std::vector<double> s(sums.second.begin() + static_cast<std::ptrdiff_t>(k * each_),
                            sums.second.begin() + static_cast<std::ptrdiff_t>((k + 1) * each_));
      for (double& x : s) x /= mass;
      add_square(shift, std::vector<double>(n_, 0.0), -1, s);
      clip(s);
      covariance.insert(covariance.end(), s.begin(), s.end());
    }
    double kept = 0;
    for (const double p : weight) kept += p;
    for (double& p : weight) p /= kept;
    return {n_, options_.covariance, std::move(weight), std::move(mean), std::move(covariance)};
  }

 private:
  // s += scale (x - m)(x - m)', or its diagonal.
  void add_square(std::span<const double> x, std::span<const double> m, double scale,
                  std::span<double> s) const {
    for (std::size_t i = 0; i < n_; ++i) {
      const double d = scale * (x[i] - m[i]);
      if (options_.covariance == Covariance::diagonal) {
        s[i] += d * (x[i] - m[i]);
        continue;
      }
      for (std::size_t j = 0; j < n_; ++j) s[i * n_ + j] += d * (x[j] - m[j]);
    }
  }

  void clip(std::span<double> s) const {
    if (options_.covariance == Covariance::full) {
      clip_eigenvalues(s, n_, floor_);
    } else {
      for (double& variance : s) variance = std::max(variance, floor_);
    }
  }

  void add_row(const GaussianMixture& mixture, std::size_t i, std::span<double> joint,
               Statistics& sums) const {
    const double w = rows_.weight_of(i);
    if (w == 0) return;
    const auto x = rows_.row(i);
    const double log_p = mixture.log_joint(x, joint);
    sums.log_likelihood += w * log_p;
    for (std::size_t k = 0; k < joint.size(); ++k) {
      const double r = w * std::exp(joint[k] - log_p);
      if (r == 0) continue;
      const auto m = mixture.mean().subspan(k * n_, n_);
      sums.mass[k] += r;
      for (std::size_t c = 0; c < n_; ++c) sums.first[k * n_ + c] += r * (x[c] - m[c]);
      add_square(x, m, r, std::span(sums.second).subspan(k * each_, each_));
    }
  }

  // k-means++: each next centre is a row drawn with its squared distance from those there are, in
  // units of the columns' deviations.
  std::vector<double> seeds(const GaussianMixture& all, std::uint64_t seed) const {
    Random random(seed);
    std::vector<double> distance(rows_.rows(), 1), centres;
    for (std::size_t k = 0; k < options_.components; ++k) {
      double total = 0;
      for (std::size_t i = 0; i < rows_.rows(); ++i) total += rows_.weight_of(i) * distance[i];
      if (!(total > 0)) break;  // no other row is different
      double at = random.uniform() * total;
      std::size_t chosen = rows_.rows();
      for (std::size_t i = 0; i < rows_.rows(); ++i) {
        const double share = rows_.weight_of(i) * distance[i];
        if (share == 0) continue;
        chosen = i;
        if ((at -= share) < 0) break;
      }
      const auto x = rows_.row(chosen);
      centres.insert(centres.end(), x.begin(), x.end());
      for (std::size_t i = 0; i < rows_.rows(); ++i) {
        double squared = 0;
        for (std::size_t c = 0; c < n_; ++c) {
          const std::size_t on = options_.covariance == Covariance::full ? c * n_ + c : c;
          const double d = rows_.row(i)[c] - x[c];
          squared += d * d / all.covariance()[on];
        }
        distance[i] = k == 0 ? squared : std::min(distance[i], squared);
      }
    }
    return centres;
  }

  const WeightedRows& rows_;
  double floor_;
  const GaussianMixtureOptions& options_;
  ThreadPool& pool_;
  std::size_t n_, each_;  // dimension, numbers of a covariance
};

}  // namespace

void GaussianMixtureOptions::validate() const {
  if (components == 0) throw UsageError("the components of a mixture must be at least 1");
  if (!(variance_floor > 0) || !(variance_floor <= 1)) {
    throw UsageError("the variance floor of a mixture is a share above 0, 1 at most");
  }
  if (max_iterations == 0) throw UsageError("the iterations of a mixture must be at least 1");
  if (!(tolerance >= 0)) throw UsageError("the tolerance of a mixture must be 0 or more");
  if (starts == 0) throw UsageError("the starts of a mixture must be at least 1");
}

double variance_floor(const WeightedRows& rows, double share) {
  double sum = 0;
  for (std::size_t c = 0; c < rows.dimension; ++c) {
    CompensatedSum mass, first, second;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      mass.add(rows.weight_of(i));
      first.add(rows.weight_of(i) * rows.row(i)[c]);
    }
    const double mean = first.value() / mass.value();
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const double d = rows.row(i)[c] - mean;
      second.add(rows.weight_of(i) * d * d);
    }
    sum += second.value() / mass.value();
  }
  if (!std::isfinite(sum)) throw Error("a measurement is not a finite number");
  if (!(sum > 0)) throw Error("all measurements are equal: a density of them has no width");
  return share * sum / static_cast<double>(rows.dimension);
}

GaussianMixtureFit fit_gaussian_mixture(
    const WeightedRows& rows, double floor, const GaussianMixtureOptions& options, ThreadPool& pool,
    const std::function<void(std::size_t start, double log_likelihood)>& iteration) {
  options.validate();
  Fit fit(rows, floor, options, pool);
  const GaussianMixture all = fit.whole();
  double mass = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) mass += rows.weight_of(i);
  std::optional<GaussianMixtureFit> best;
  Statistics sums;
  const std::size_t starts = options.components == 1 ? 1 : options.starts;
  for (std::size_t start = 0; start < starts; ++start) {
    GaussianMixtureFit now{
        options.components == 1 ? all : fit.start(all, Random(options.seed).next() + start), 0, 0,
        false};
    for (std::size_t k = 1;; ++k) {
      const double before = now.log_likelihood;
      now.log_likelihood = fit.expectation_step(now.mixture, sums);
      now.iterations = k;
      if (iteration) iteration(start, now.log_likelihood);
      now.converged = options.components == 1 ||
                      (k > 1 && now.log_likelihood - before <= options.tolerance * mass);
      if (now.converged || k > options.max_iterations) break;
      now.mixture = fit.maximisation_step(now.mixture, sums);
    }
    if (!best || now.log_likelihood > best->log_likelihood) best = std::move(now);
  }
  return *std::move(best);
}

GaussianMixture em_step(const WeightedRows& rows, double floor, const GaussianMixture& mixture,
                        ThreadPool& pool) {
  GaussianMixtureOptions options;
  options.covariance = mixture.kind();
  Fit fit(rows, floor, options, pool);
  Statistics sums;
  fit.expectation_step(mixture, sums);
  double mass = 0;
  for (const double each : sums.mass) mass += each;
  return mass > 0 ? fit.maximisation_step(mixture, sums) : mixture;
}

namespace {

// Of the rows that have the label; none where there is none.
std::optional<GaussianMixture> fit_label(const WeightedRows& rows, std::span<const State> label,
                                         State y, double floor,
                                         const GaussianMixtureOptions& options, ThreadPool& pool) {
  std::vector<double> own, weight;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] != y || !(rows.weight_of(i) > 0)) continue;
    own.insert(own.end(), rows.row(i).begin(), rows.row(i).end());
    if (!rows.weight.empty()) weight.push_back(rows.weight[i]);
  }
  if (own.empty()) return std::nullopt;
  return fit_gaussian_mixture({own, rows.dimension, weight}, floor, options, pool).mixture;
}

}  // namespace

LabelMixtures fit_label_mixtures(std::span<const double> x, std::size_t dimension,
                                 std::span<const State> label, std::span<const std::string> names,
                                 const GaussianMixtureOptions& options, ThreadPool& pool,
                                 std::span<const double> weight) {
  const WeightedRows rows{x, dimension, weight};
  const double floor = variance_floor(rows, options.variance_floor);
  LabelMixtures mixtures;
  for (State y = 0; y < names.size(); ++y) {
    auto fitted = fit_label(rows, label, y, floor, options, pool);
    if (!fitted) {
      throw Error("no variable is known to be " + in_quotes(names[y]) +
                  ": its density of measurements cannot be fitted");
    }
    mixtures.of_label.push_back(*std::move(fitted));
  }
  return mixtures;
}

LabelMixtures start_label_mixtures(std::span<const double> x, std::size_t dimension,
                                   std::span<const State> label, std::span<const std::string> names,
                                   const GaussianMixtureOptions& options, ThreadPool& pool,
                                   std::span<const double> weights) {
  const WeightedRows rows{x, dimension, weights};
  const double floor = variance_floor(rows, options.variance_floor);
  std::vector<std::optional<GaussianMixture>> of_label;
  std::vector<State> unseen;
  for (State y = 0; y < names.size(); ++y) {
    of_label.push_back(fit_label(rows, label, y, floor, options, pool));
    if (!of_label.back()) unseen.push_back(y);
  }
  if (!unseen.empty()) {
    std::vector<double> weight;
    for (std::size_t i = 0; i < label.size(); ++i) {
      weight.push_back(label[i] == kUnobserved ? rows.weight_of(i) : 0);
    }
    GaussianMixtureOptions one_each = options;
    one_each.components = unseen.size();
    const GaussianMixture all =
        fit_gaussian_mixture({x, dimension, weight}, floor, one_each, pool).mixture;
    if (all.components() < unseen.size()) {
      throw Error(
          "there are fewer different measurements without a label than labels that no "
          "variable is known to have");
    }
    std::vector<double> joint(unseen.size()), own(weight.size());
    for (std::size_t k = 0; k < unseen.size(); ++k) {
      for (std::size_t i = 0; i < weight.size(); ++i) {
        const double log_p = all.log_joint(x.subspan(i * dimension, dimension), joint);
        own[i] = weight[i] * std::exp(joint[k] - log_p);
      }
      of_label[unseen[k]] = fit_gaussian_mixture({x, dimension, own}, floor, options, pool).mixture;
    }
  }
  LabelMixtures mixtures;
  for (auto& each : of_label) mixtures.of_label.push_back(*std::move(each));
  return mixtures;
}

}  // namespace croft
