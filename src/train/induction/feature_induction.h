// Which conjunctions of attributes a model lacks most: one round of feature induction.
// docs/math/induction.md; McCallum (2003), Della Pietra, Della Pietra & Lafferty (1997).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/parallel.h"
#include "features/chain_data.h"
#include "features/conjunctions.h"
#include "train/induction/feature_gain.h"

namespace croft {

struct InductionOptions {
  std::size_t size = 2;         // attributes of a conjunction, 1 to kMostParts
  std::size_t batch = 1000;     // features that a round adds at most
  std::size_t rounds = 20;      // at most
  std::size_t iterations = 15;  // of training after each round
  double min_gain = 2;          // nats that a feature must gain
  std::size_t min_count = 3;    // places in error that a candidate must be at
  bool from_nothing = false;    // no attribute has a feature unless it is found, like conjunctions
  bool pairs = false;           // features of two labels, f(y_{t-1}, y_t, x), are found, too
  void validate() const;        // throws UsageError naming the option
};

// A feature that is not in the model: one attribute, or several together, with a label, or with the
// labels of two neighbours.
struct FeatureCandidate {
  std::array<std::uint32_t, kMostParts> part{};  // increasing
  std::uint32_t parts = 0;
  Label label = 0;
  Label from = kAnyLabel;  // of the position before; kAnyLabel: the feature is of one label
  FeatureGain gain;
  std::uint64_t places = 0;  // a hash of the places where it holds, with its values there

  std::span<const std::uint32_t> attributes() const { return {part.data(), parts}; }
  bool of_pair() const { return from != kAnyLabel; }
};
// One place of a set of them: their sum is the set's hash.
std::uint64_t hash_of_place(std::uint32_t position, double value);
// The larger gain first; of equal ones the shorter, then by numbers.
bool better(const FeatureCandidate& a, const FeatureCandidate& b);

// Some positions of data, and what a model says of them.
struct GainData {
  const AttributeLists& atoms;            // [P] the attributes that conjunctions are made of
  std::span<const Label> label;           // [P] each one label
  const Matrix<float>& probability;       // [P][L] p(y_t = j | x)
  std::span<const std::uint32_t> places;  // the positions to look at
  std::span<const double> weight;         // [places]
};

// The `most` best candidates, better ones first, of all conjunctions of up to `options.size` of the
// attributes a with is_test[a], in options.min_count places or more, that gain options.min_gain or
// more.  Of those that hold at the same places, with the same label, the first alone.
//   has : whether a feature is in the model already
// The result does not depend on the number of threads.  Time: L additions for each place that a
// conjunction is at, n (n - 1) / 2 of them for a place with n attributes and size 2; and
// best_gain() for each label whose gain_bound() is high enough.
std::vector<FeatureCandidate> find_candidates(
    const GainData& data, const std::vector<bool>& is_test,
    const std::function<bool(std::span<const std::uint32_t> parts, Label label)>& has,
    const Regulariser& regulariser, const InductionOptions& options, std::size_t most,
    ThreadPool& pool);

}  // namespace croft
