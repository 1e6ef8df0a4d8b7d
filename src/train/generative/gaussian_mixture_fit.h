// Mixtures of Gaussians by EM, one for each label.
// docs/math/latent_and_generative_graphs.md section 3.
//
//   r_ik = pi_k N(x_i; m_k, S_k) / sum,     N_k = sum_i w_i r_ik,     pi_k = N_k / N
//   m_k = sum_i w_i r_ik x_i / N_k,         S_k = clip_v(sum_i w_i r_ik (x_i - m_k)(x_i - m_k)' /
//   N_k)
//                                                                                          (LG.6)
// Dempster, Laird & Rubin (1977); Arthur & Vassilvitskii (2007).
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "croft/core/parallel.h"
#include "croft/structure/factor_graph.h"
#include "model/kinds/gaussian_mixture.h"

namespace croft {

struct GaussianMixtureOptions {
  std::size_t components = 1;  // >= 1
  Covariance covariance = Covariance::full;
  // Eigenvalues of covariances (entries of diagonal ones) are at least this share of the mean
  // variance of all rows, > 0.
  double variance_floor = 1e-3;
  std::size_t max_iterations = 200;  // >= 1
  double tolerance = 1e-6;           // nats a row: EM stops where it gains less
  std::size_t starts = 3;            // of more components than one, >= 1; the best is kept
  std::uint64_t seed = 1;

  void validate() const;  // throws UsageError naming the option
};

struct GaussianMixtureFit {
  GaussianMixture mixture;
  double log_likelihood = 0;  // sum of w_i log p(x_i), in nats
  std::size_t iterations = 0;
  bool converged = true;
};

// Rows of numbers, x [rows][dimension], with weights >= 0 (empty: all 1).
struct WeightedRows {
  std::span<const double> x;
  std::size_t dimension = 1;
  std::span<const double> weight{};

  std::size_t rows() const { return x.size() / dimension; }
  std::span<const double> row(std::size_t i) const { return x.subspan(i * dimension, dimension); }
  double weight_of(std::size_t i) const { return weight.empty() ? 1 : weight[i]; }
};

// v of (LG.6): the share times the mean over the columns of their variances.  Throws Error where
// all rows are equal or a number is not finite.
double variance_floor(const WeightedRows& rows, double share);

// (LG.6) from k-means++ starts, until a gain is below the tolerance.  There are fewer components
// than asked for where fewer rows are different.  Throws Error where no row has a weight.  The same
// bits for any number of threads.
//   floor     : v
//   iteration : called with the log-likelihood after each E step; may be empty
GaussianMixtureFit fit_gaussian_mixture(
    const WeightedRows& rows, double floor, const GaussianMixtureOptions& options, ThreadPool& pool,
    const std::function<void(std::size_t start, double log_likelihood)>& iteration = {});

// One step of (LG.6): the weighted log-likelihood never falls.  A mixture of rows without weight
// stays as it is.
//   floor : v, which the mixture's own covariances respect
GaussianMixture em_step(const WeightedRows& rows, double floor, const GaussianMixture& mixture,
                        ThreadPool& pool);

// One for each label, from the rows that have it.
//   label  : [rows]; kUnobserved: the row is not looked at
//   names  : [labels], for messages: Error where a label has no row
//   weight : [rows]; empty: all 1
LabelMixtures fit_label_mixtures(std::span<const double> x, std::size_t dimension,
                                 std::span<const State> label, std::span<const std::string> names,
                                 const GaussianMixtureOptions& options, ThreadPool& pool,
                                 std::span<const double> weight = {});

// The same to start EM from: labels that no row has start from a mixture of as many Gaussians,
// fitted to the rows without a label, each from one of them.  Error where there are fewer different
// rows than such labels.
LabelMixtures start_label_mixtures(std::span<const double> x, std::size_t dimension,
                                   std::span<const State> label, std::span<const std::string> names,
                                   const GaussianMixtureOptions& options, ThreadPool& pool,
                                   std::span<const double> weight = {});

}  // namespace croft
