// Attributes of positions, their values cut into bins: what regression trees are grown on.
// docs/math/boosting.md section 4.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/chain_data.h"

namespace croft {

// Numbers as features: standardised, or as the number of a bin; what is learnt of training data.
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

struct BinOptions {
  std::size_t bins = 255;         // of an attribute at most, 2 to 256
  std::size_t min_positions = 1;  // attributes on fewer positions than this are left out
  std::size_t parts = 1;          // >= 1: ranges of attributes to be worked on apart, at most
};

// Rows are the positions of some data, and after them those of other data that is only to be sent
// down the trees.  Attributes and bins are numbered anew: features, in the order of the attributes,
// and bins of all features end to end, the lowest values of a feature first.  An attribute that a
// position has several times counts once, with the sum of its values.
class BinnedFeatures {
 public:
  // data       : cut into bins by the values that it has
  // more       : the rows after those of `data`, with the same attributes
  // attributes : how many there are
  // Cuts are midpoints between values, so that bins have about as many occurrences each; where an
  // attribute has no more values than options.bins, each has a bin.  Time O(occurrences log bins).
  BinnedFeatures(const AttributeLists& data, const AttributeLists& more, std::size_t attributes,
                 const BinOptions& options);

  std::size_t rows() const { return rows_; }
  std::size_t features() const { return attribute_.size(); }
  std::size_t bins() const { return feature_of_.size(); }
  std::uint32_t attribute(std::uint32_t feature) const { return attribute_[feature]; }
  std::uint32_t feature_of(std::uint32_t bin) const { return feature_of_[bin]; }
  // [first_bin(f), first_bin(f + 1)) are the bins of feature f.
  std::uint32_t first_bin(std::uint32_t feature) const { return first_bin_[feature]; }
  // Values of the bin are <= this, and those of the next one above; of the last one inf.
  double upper(std::uint32_t bin) const { return upper_[bin]; }

  // The bins of a row that are of a part's features, increasing.
  std::size_t parts() const { return parts_.size(); }
  std::span<const std::uint32_t> row(std::size_t part, std::size_t row) const {
    const Part& own = parts_[part];
    return std::span(own.bin).subspan(own.begin[row], own.begin[row + 1] - own.begin[row]);
  }
  std::uint32_t part_begin(std::size_t part) const { return parts_[part].first_bin; }
  std::uint32_t part_end(std::size_t part) const {
    return part + 1 < parts_.size() ? parts_[part + 1].first_bin
                                    : static_cast<std::uint32_t>(bins());
  }
  // The bin of a feature at a row, or kAbsent.  Time O(log of the row's bins), O(1) where rows have
  // all features.
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;
  std::uint32_t bin_at(std::uint32_t feature, std::size_t row) const;

  // Whether rows have most of the features: then bin_at() is better than postings, which there are
  // none of.
  bool dense() const { return dense_; }
  // Where dense(), and no feature has more than 255 bins: which of its bins, from
  // first_bin(feature) on, each row has; kNoBin: none.
  static constexpr std::uint8_t kNoBin = 255;
  bool has_columns() const { return !column_.empty(); }
  std::span<const std::uint8_t> column(std::uint32_t feature) const {
    return std::span(column_).subspan(feature * rows_, rows_);
  }
  // The rows that have a feature, increasing, and which of its bins they have.  Not where dense().
  struct Postings {
    std::span<const std::uint32_t> row;
    std::span<const std::uint8_t> bin;  // from first_bin(feature) on
  };
  Postings postings(std::uint32_t feature) const {
    const std::size_t begin = posting_begin_[feature];
    const std::size_t size = posting_begin_[feature + 1] - begin;
    return {std::span(posting_row_).subspan(begin, size),
            std::span(posting_bin_).subspan(begin, size)};
  }

 private:
  struct Part {
    std::uint32_t first_feature = 0, first_bin = 0;
    std::vector<std::uint64_t> begin{0};  // [rows + 1] into bin
    std::vector<std::uint32_t> bin;
  };
  void choose_features(const AttributeLists& data, std::size_t attributes,
                       const BinOptions& options);
  void cut(const AttributeLists& data, const BinOptions& options);
  void set_parts(std::size_t parts, std::size_t positions);
  void append_rows(const AttributeLists& lists);
  void list_postings();
  void fill_columns();

  std::size_t rows_ = 0;
  bool dense_ = false;
  std::vector<std::uint32_t> feature_number_;  // [attributes], kAbsent: left out
  std::vector<std::uint32_t> attribute_;       // [features]
  std::vector<std::uint64_t> occurrences_;     // [features]
  std::vector<std::uint32_t> first_bin_;       // [features + 1]
  std::vector<std::uint32_t> feature_of_;      // [bins]
  std::vector<double> upper_;                  // [bins]
  std::vector<Part> parts_;
  std::vector<std::uint64_t> posting_begin_;  // [features + 1]
  std::vector<std::uint32_t> posting_row_;
  std::vector<std::uint8_t> posting_bin_;
  std::vector<std::uint8_t> column_;  // [features][rows], or empty
};

}  // namespace croft
