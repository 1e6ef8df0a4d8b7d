// Numbers as features: standardised, or as the number of a bin; what is learnt of training data.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace croft {

enum class Binning { width, quantile };

// Of one column of numbers.
struct NumberScaling {
  double mean = 0, deviation = 1;  // standardised: (x - mean) / deviation
  std::vector<double> cuts;        // ascending; bin k: so many of them are <= x

  double standardised(double x) const { return (x - mean) / deviation; }
  std::size_t bin(double x) const;
  bool operator==(const NumberScaling&) const = default;
};

// Of the training values, in any order; those that are missing left out.  Without any, nothing is
// scaled and there is one bin.
//   deviation : sqrt of the mean squared difference from the mean; 1 where all values are equal
//   width     : cuts at min + k (max - min) / bins, k = 1 .. bins - 1; none where all are equal
//   quantile  : cuts at the values of rank floor(k n / bins) (the smallest has rank 0), each once
//   and
//               without the smallest: bins of about equally many values, fewer where values repeat
//   bins      : 0 or 1: no cuts
NumberScaling fit_numbers(std::span<const double> values, Binning binning, std::size_t bins);

}  // namespace croft
