// The weights of a mixture, by EM on sequences that its components have not seen.
//
//   r_nk = lambda_k p_nk / sum_j lambda_j p_nj,     p_nk = p_k(y_n | x_n)              (MX.2)
//
//   lambda_k = sum_n q_n r_nk / sum_n q_n                                              (MX.3)
//
// The likelihood never falls; it is concave in lambda, so what EM comes to from equal weights is
// the maximum.  docs/math/pools.md section 4.
#pragma once
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/kinds/mixture_model.h"
#include "train/course/em.h"
#include "train/encoded_training.h"

namespace croft {

struct MixtureOptions {
  std::size_t em_iterations = 1000;  // >= 1
  double tolerance = 1e-9;           // stop where the likelihood gains less than this share
  CheckpointFolder* checkpoints = nullptr;
  void validate() const;  // throws UsageError
};

struct MixtureResult : EmResult {
  std::vector<double> weights;  // [K] lambda
  // What the mean log-likelihood can still gain, in nats a position: max_k of the mean over n of
  // p_nk / sum_j lambda_j p_nj, less 1                                                       (MX.5)
  double gap = 0;
};

// Feed sequences, then run.
class MixtureTraining final : public SequenceTraining, private EmSteps {
 public:
  explicit MixtureTraining(const MixtureComponents& components);  // kept by reference

  // Labelled.  Only the probabilities of the true labels are kept: K numbers a position.
  void add(const TextSequence& sequence, std::string_view file = {}) override;
  std::size_t sequences() const override { return sequences_; }
  std::size_t positions() const override { return weight_.size() + impossible_; }
  std::size_t labels() const override { return components_.labels().size(); }
  std::size_t attributes() const override { return 0; }
  // Positions whose label no component has, or gives a probability above 0: nothing is learnt of
  // them.
  std::size_t impossible() const { return impossible_; }

  // Throws UsageError for bad options, Error where no position is left.
  //   cost of an iteration: O(K) a position
  MixtureResult run(const MixtureOptions& options, const EmCallback& see);
  // For tests: log p_k of the true labels, [N][K].
  std::span<const double> log_probabilities() const { return log_p_; }

 private:
  void begin(std::size_t start) override;
  void maximise() override;
  EmValue expect() override;
  void archive(StateArchive& state) override { state(lambda_, expected_); }
  struct Scaled {
    double log_scale;  // log max_k p_nk
    double sum;        // sum_k lambda_k p_nk, over that scale
  };
  Scaled scaled(std::size_t n, std::span<double> p) const;  // p : [K] out, p_nk over the scale

  const MixtureComponents& components_;
  std::unordered_map<std::string_view, Label> label_;
  SequenceModel::Scratch scratch_;
  std::vector<Matrix<double>> of_sequence_;
  std::vector<double> log_p_;              // [N][K]
  std::vector<double> weight_;             // [N] q
  std::vector<double> lambda_, expected_;  // [K] (MX.1); sum_n q_n r_nk
  std::size_t sequences_ = 0, impossible_ = 0;
};

}  // namespace croft
