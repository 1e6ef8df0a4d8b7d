// Which features of two labels, f(y_{t-1}, y_t, x), a model lacks most.  docs/math/induction.md
// section 4.
//
// As feature_induction.h for one label, but of the edges (t-1, t): a candidate is a conjunction of
// the attributes of t with a pair of labels, and its gain is (IN.2) with p_t the probability of
// that pair.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "croft/inference/chain_sum.h"
#include "model/linear_scorer.h"
#include "train/induction/feature_induction.h"

namespace croft {

// Some edges, and what a model says of each: its likelier pairs of labels, and the true one.  A
// pair that is not listed counts as impossible.
struct EdgePlaces {
  std::vector<std::uint32_t> position;  // [E] t of the edge (t-1, t), increasing
  std::vector<double> weight;           // [E]
  std::vector<std::uint32_t> gold;      // [E] the true pair's cell, from * L + to
  std::vector<std::uint64_t> begin{0};  // [E + 1] into cell
  std::vector<std::uint32_t> cell;      // increasing at each edge
  std::vector<float> probability;       // parallel to cell: p(y_{t-1}, y_t | x)
};

// As find_candidates(), of pairs of labels.
//   has : whether a feature is in the model already
// Time: an addition for each pair that is listed at a place, for each conjunction that holds there.
std::vector<FeatureCandidate> find_pair_candidates(
    const AttributeLists& atoms, const EdgePlaces& edges, std::size_t labels,
    const std::vector<bool>& is_test, const std::function<bool(const FeatureCandidate&)>& has,
    const Regulariser& regulariser, const InductionOptions& options, std::size_t most,
    ThreadPool& pool);

// p(y_{t-1}, y_t | x) of the model of the moment, at the edges that are asked for.

class EdgeProbabilities {
 public:
  // Keeps references to the first two; data.node.id are ids of the layout.
  EdgeProbabilities(const ChainData& data, const ChainLayout& layout, std::span<const double> w,
                    ThreadPool& pool);

  struct Scratch {  // one a thread
    ChainScores<double> scores;
    ForwardBackwardWorkspace<double> work;
    Matrix<double> state, pairs;
  };
  // visit(k, p) with p[i][j] for positions[k], those of sequence n that are not its first.
  // Cost O(T L^2), and O(L^2) for each.  Thread-safe.
  using Visit = std::function<void(std::size_t k, const Matrix<double>& p)>;
  void visit(std::size_t n, std::span<const std::uint32_t> positions, Scratch& scratch,
             const Visit& visit) const;

 private:
  const ChainData& data_;
  LinearScorer<double> scorer_;
};

}  // namespace croft
