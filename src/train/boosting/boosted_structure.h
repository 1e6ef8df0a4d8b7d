// What boosting asks of the structure whose potentials it learns: positions by themselves and
// chains (boosted_chain.h), segments (boosted_segments.h).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "croft/core/parallel.h"
#include "features/kit/binned_features.h"
#include "model/file/container.h"
#include "train/boosting/boosted_potentials.h"
#include "train/boosting/boosting.h"

namespace croft {

// The family of trees that a round fits after those of labels.
struct SecondTrees {
  const BinnedFeatures* features = nullptr;
  std::vector<std::uint32_t> outputs;            // as the model file numbers them; empty: none
  std::span<const std::uint32_t> rows;           // that trees are fitted to; none: no trees
  const std::vector<float>* gradient = nullptr;  // [outputs][gradient_rows][2]
  std::size_t gradient_rows = 0;
  std::vector<std::vector<float>>* sums = nullptr;  // [outputs][rows of the features]
};

class BoostedStructure {
 public:
  virtual ~BoostedStructure() = default;

  virtual void read_partial_labels(const PartialLabels& how) = 0;
  virtual void add(const TextSequence& sequence, std::string_view file) = 0;
  virtual std::size_t sequences() const = 0;
  virtual std::size_t positions() const = 0;
  virtual std::size_t labels() const = 0;  // of positions
  virtual std::size_t attributes() const = 0;
  virtual std::size_t partial_positions() const = 0;

  // After all have been added, once a run.  Hold-out sequences are kept by reference.
  virtual void lay_out(std::span<const TextSequence> holdout, const BoostingOptions& options) = 0;
  // After it: positions with their attributes and what is known of their labels; and the positions
  // that are held out.
  virtual const ChainData& data() const = 0;
  virtual const AttributeLists& held_out() const = 0;

  // Potentials of nothing yet, beside those of positions.
  //   features : of positions, and after them of those that are held out
  virtual void start(const BoostingOptions& options, const BinnedFeatures& features,
                     Potentials& potentials) = 0;
  virtual std::unique_ptr<PotentialObjective> objective(std::size_t width, ThreadPool& pool) = 0;
  // Sequences that the round is fitted to: before the objective is asked for the second family.
  virtual void draw(const std::vector<bool>& sequences) = 0;
  virtual SecondTrees second(Potentials& potentials, const PotentialGradient& gradient) = 0;

  virtual std::vector<std::vector<std::string_view>> label_holdout(const Potentials& potentials,
                                                                   ThreadPool& pool) const = 0;
  // Of all that the data is, hold-out and names.
  virtual void add_to(Fingerprint& fingerprint) const = 0;
  virtual ContainerWriter model(const BoostedRounds& rounds, const std::vector<double>& base,
                                const Potentials& potentials, const Json& training) const = 0;
  // Attributes that trees of either family could test.
  virtual std::size_t features() const = 0;
  // Both families together.
  virtual TreeArrays trees(const BoostedRounds& rounds) const = 0;
};

// Adds what hold-out sequences are.
void add_texts(std::span<const TextSequence> texts, Fingerprint& fingerprint);

}  // namespace croft
