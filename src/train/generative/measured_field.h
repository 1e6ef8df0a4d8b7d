// A Markov random field p(y) beside densities of measurements p(x | y), where labels are hidden: EM
// of both.  docs/math/latent_and_generative_graphs.md section 3.
//
//   F(w, phi) = sum_n q_n [log Z_n(w) - log Z_n(w, phi | known)] + penalty(w)              (LG.9)
//
// The E step takes the expected counts of the field and gamma_i(y) = p(y_i = y | known, x); the M
// step lowers (LG.2) by some iterations of L-BFGS, and gives each label's mixture one step of EM
// with the rows weighted by gamma.  With exact sums F never rises.
#pragma once
#include <span>
#include <vector>

#include "train/generative/gaussian_mixture_fit.h"
#include "train/kinds/graph_training.h"

namespace croft {
class Json;

// Of variables of one domain, each in one row at most.
struct Measurements {
  std::vector<std::uint32_t> variable;  // [rows] numbers in the data
  std::vector<double> x;                // [rows][dimension]
  std::size_t dimension = 1;
  GaussianMixtureOptions options{};  // of each label
};

class MeasuredField {
 public:
  // Takes the data's cliques.  Keeps the data and the measurements by reference.
  //   features : [templates] names of features, by the numbers that the data has
  MeasuredField(CliqueData& data, std::vector<StringTable> features,
                std::span<const Measurements> measurements);

  // Once.  As GraphTraining::run() with options.em, which must be there: options.stop is of E
  // steps.  A label that no row is known to have starts from a mixture of the rows without one.
  // Throws UsageError for bad options, objectives other than likelihood, bethe and mean-field, and
  // methods other than lbfgs and owlqn.
  GraphTrainResult run(const GraphTrainOptions& options, const TrainingCallback& callback);

  std::size_t hidden() const;  // variables whose state is not known
  std::span<const GraphInstance> instances() const { return instances_; }
  std::span<const StringTable> features() const { return features_; }  // [templates]
  std::span<const double> weights() const { return weights_; }
  // After run(): [measurements].
  std::span<const LabelMixtures> densities() const { return densities_; }
  ContainerWriter model(const Json& source, const Json& training) const;

 private:
  friend class MeasuredDensities;
  // Where a row's log-densities are scores.
  struct Place {
    std::size_t instance;
    PotentialId potential;
  };

  void add_measurements();
  void start_densities(std::size_t start, ThreadPool& pool);
  std::vector<double> weights_of(const Measurements& rows) const;  // empty: all 1

  const CliqueData& data_;
  std::vector<StringTable> features_;
  std::span<const Measurements> measurements_;
  std::vector<GraphInstance> instances_;   // with a table for each row, behind those of cliques
  std::vector<FactorGraph> fields_;        // [instances] without
  std::vector<std::vector<Place>> place_;  // [measurements][rows]
  GraphLayout layout_;
  std::vector<double> weights_;
  std::vector<LabelMixtures> densities_;
};

}  // namespace croft
