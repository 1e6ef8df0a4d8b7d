// The derivative of f by every candidate feature, to find those that ought to be trained, in memory
// that does not grow with their number.  docs/math/optimisation.md section 7.
//
// df/dw of attribute a with label j is the sum of v dL/dstate[p][j] over the places p where a
// occurs with value v (O.20).  dL/dstate of all positions is kept (rows of L floats, or of some of
// the labels at a time), and the attributes are gone through by their postings, some of them at a
// time: their sums over the waves are added exactly, and over the processes of the pool.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/exact_sum.h"
#include "train/functions/chain_batch_function.h"

namespace croft {

using ChainFunctionMaker =
    std::function<std::unique_ptr<ChainFunction>(const ChainData&, const ChainLayout&)>;

// Some of the candidates, and the data without the attributes that have none of them.
struct FeatureSubset {
  FeatureSelection selection;
  ChainData data;  // node.id, edge.id: of selection.layout
};

// From the ids of the candidates' layout to those of the selection.
void renumber(const FeatureSelection& selection, ChainData& data);

//   data     : its ids are those of the candidates' layout
//   features : places in the w of the candidates, increasing
FeatureSubset make_subset(const ChainData& data, const ChainLayout& candidates,
                          std::span<const std::uint64_t> features);

// A candidate whose weight is 0 and would not stay there.
struct Violator {
  std::uint64_t feature;  // its place in the w of the candidates
  double excess;          // |df/dw| - l1
};

struct ScreeningResult {
  std::vector<Violator> violators;  // those with the largest excess, increasing by feature
  std::size_t violating = 0;        // how many there are, listed or not
  double largest = 0;               // excess of any candidate outside the subset, or 0
  std::vector<double> gradient;     // df/dw of the subset's features
  std::size_t evaluations = 0;      // of f
};

class Screening {
 public:
  struct Options {
    double l1 = 1;            // > 0
    double tolerance = 1e-2;  // an excess up to l1 * tolerance is no violation
    // For dL/dstate of all positions, those of other processes included.
    std::size_t bytes = std::size_t{2} << 30;
  };

  // Keeps references to all but the options.  `make` makes an f with |dL/dstate| <= the sequence's
  // weight: an attribute whose values times these weights sum to no more than l1 is not looked at
  // (O.21).
  Screening(const ChainData& data, const ChainLayout& candidates, const ChainFunctionMaker& make,
            ThreadPool& pool, const Options& options);

  // At the weights w of the subset and 0 for all others.  Looks at transitions and node features.
  //   most : of the violators to list
  // Time: one evaluation of f with all candidate transitions, and L additions for each occurrence
  // of an attribute.
  ScreeningResult operator()(const FeatureSubset& subset, std::span<const double> w,
                             std::size_t most) const;

 private:
  struct Search;
  FeatureSelection add_transitions(const FeatureSubset& subset, std::span<const double> w,
                                   const Search& search, std::vector<double>& weights) const;
  void screen_transitions(const FeatureSelection& with_tied, std::span<const double> gradient,
                          Search& search) const;
  void screen_nodes(const Matrix<float>& d_state, std::size_t first, Search& search) const;
  void screen_block(std::span<const std::uint32_t> block, const Matrix<float>& d_state,
                    std::size_t first, Search& search) const;
  void add_sums(std::uint32_t attribute, const Matrix<float>& d_state, const ExactSum& exact,
                std::vector<double>& wave_sum, std::span<double> sums) const;

  const ChainData& data_;
  const ChainLayout& candidates_;
  const ChainFunctionMaker& make_;
  ThreadPool& pool_;
  Options options_;
  std::uint64_t all_positions_ = 0;  // of all processes
  WaveLimits limits_;
  std::vector<std::uint32_t> wave_end_;   // position where each wave ends
  Postings postings_;                     // of this process
  std::vector<std::uint32_t> attribute_;  // that may have a violator; the same for all processes
};

}  // namespace croft
