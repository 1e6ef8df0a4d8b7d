// Densities of measurements given a label: mixtures of Gaussians.
//
//   log p(x | y) = log sum_k pi_yk N(x; m_yk, S_yk)                                        (LG.5)
//
// Beside a Markov random field p(y) they are scores that no weight is trained for: those of a
// template with CliqueTemplate::scores.  docs/math/latent_and_generative_graphs.md section 3.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace croft {
class Json;

enum class Covariance { diagonal, full };
Covariance covariance_named(std::string_view name);  // throws UsageError that lists the names
std::string_view name_of(Covariance covariance);

// Immutable; share it between threads.
class GaussianMixture {
 public:
  //   weight     : [K] > 0, of sum 1
  //   mean       : [K][dimension]
  //   covariance : [K][dimension] variances, or [K][dimension][dimension]
  // Throws Error for sizes that do not fit, and where a covariance is not positive definite.
  GaussianMixture(std::size_t dimension, Covariance kind, std::vector<double> weight,
                  std::vector<double> mean, std::vector<double> covariance);

  std::size_t dimension() const { return dimension_; }
  std::size_t components() const { return weight_.size(); }
  Covariance kind() const { return kind_; }
  std::span<const double> weight() const { return weight_; }
  std::span<const double> mean() const { return mean_; }
  std::span<const double> covariance() const { return covariance_; }

  // log p(x), in nats for each unit of volume.  O(K d), with full covariances O(K d^2).
  double log_density(std::span<const double> x) const;
  // The same, and log (pi_k N(x; m_k, S_k)) of each component into out [K].
  double log_joint(std::span<const double> x, std::span<double> out) const;

 private:
  double squared_distance(std::size_t k, std::span<const double> x) const;

  std::size_t dimension_;
  Covariance kind_;
  std::vector<double> weight_, mean_, covariance_;
  std::vector<double> factor_;    // 1 / standard deviation; or L of S = L L', its diagonal inverted
  std::vector<double> constant_;  // [K] log pi_k - log det(2 pi S_k) / 2
};

// A mixture for each label of a domain.
struct LabelMixtures {
  std::vector<GaussianMixture> of_label;

  std::size_t dimension() const { return of_label.empty() ? 0 : of_label[0].dimension(); }
  // log p(x | y) of each label into out [labels]: the features of a clique of scores are {y,
  // out[y]}.
  void scores(std::span<const double> x, std::span<double> out) const;
};

// {"dimension", "covariance", "labels": [{"weights", "means", "covariances"}]}; numbers keep all
// their digits.  The other way throws Error for what is no such record.
Json to_json(const LabelMixtures& mixtures);
LabelMixtures label_mixtures_of(const Json& record);

}  // namespace croft
