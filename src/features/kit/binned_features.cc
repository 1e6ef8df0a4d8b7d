#include "features/kit/binned_features.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "croft/core/compensated_sum.h"

namespace croft {

std::size_t NumberScaling::bin(double x) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(cuts, x) - cuts.begin());
}

NumberScaling fit_numbers(std::span<const double> values, Binning binning, std::size_t bins) {
  NumberScaling fitted;
  if (values.empty()) return fitted;
  const auto count = static_cast<double>(values.size());
  CompensatedSum sum, squares;
  for (const double x : values) sum.add(x / count);  // large numbers do not overflow
  fitted.mean = sum.value();
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double range = sorted.back() / 2 - sorted.front() / 2;
  if (range > 0) {
    for (const double x : values) {
      const double difference = (x / 2 - fitted.mean / 2) / range;
      squares.add(difference * difference);
    }
    const double deviation = 2 * range * std::sqrt(squares.value() / count);
    if (deviation > 0 && std::isfinite(deviation)) fitted.deviation = deviation;
  }
  for (std::size_t k = 1; k < bins; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(bins);
    double cut = 0;
    if (binning == Binning::width) {
      cut = sorted.front() + 2 * (range * part);
    } else {
      cut = sorted[k * sorted.size() / bins];
    }
    if (cut > (fitted.cuts.empty() ? sorted.front() : fitted.cuts.back())) {
      fitted.cuts.push_back(cut);
    }
  }
  return fitted;
}

namespace {

// The attributes of one position, each once, increasing, with the sums of their values.
using Distinct = std::vector<std::pair<std::uint32_t, double>>;
void distinct(const AttributeLists& lists, std::size_t p, Distinct& out) {
  out.clear();
  for (std::uint64_t k = lists.begin[p]; k < lists.begin[p + 1]; ++k) {
    out.emplace_back(lists.id[k], lists.value.empty() ? 1.0 : lists.value[k]);
  }
  const auto by_id = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::ranges::is_sorted(out, by_id)) std::ranges::stable_sort(out, by_id);
  std::size_t last = 0;
  for (std::size_t k = 1; k < out.size(); ++k) {
    if (out[k].first == out[last].first) {
      out[last].second += out[k].second;
    } else {
      out[++last] = out[k];
    }
  }
  if (!out.empty()) out.resize(last + 1);
}

// Cuts sorted values into at most `most` bins; appends the upper bound of each.
void append_bounds(std::span<const double> values, std::size_t most, std::vector<double>& upper) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, std::size_t>> counted;  // value, occurrences
  for (const double value : values) {
    if (counted.empty() || counted.back().first != value) counted.emplace_back(value, 0);
    ++counted.back().second;
  }
  std::size_t left = values.size(), bins = most, in_bin = 0;
  for (std::size_t k = 0; k + 1 < counted.size(); ++k) {
    in_bin += counted[k].second;
    // As many bins as values that are left, or a bin's fair share of what is left.
    const bool each = counted.size() - k <= bins;
    if (bins <= 1 || (!each && in_bin * bins < left)) continue;
    const double low = counted[k].first, high = counted[k + 1].first;
    const double middle = low + (high - low) / 2;
    upper.push_back(middle < high ? middle : low);
    left -= in_bin;
    in_bin = 0;
    --bins;
  }
  upper.push_back(kNone);
}

}  // namespace

BinnedFeatures::BinnedFeatures(const AttributeLists& data, const AttributeLists& more,
                               std::size_t attributes, const BinOptions& options) {
  assert(options.bins >= 2 && options.bins <= 256 && options.parts >= 1);
  choose_features(data, attributes, options);
  cut(data, options);
  set_parts(options.parts, data.positions());
  append_rows(data);
  append_rows(more);
  std::uint64_t total = 0;
  for (const Part& part : parts_) total += part.bin.size();
  dense_ = features() > 0 && total * 2 > std::uint64_t{rows_} * features();
  if (dense_) {
    fill_columns();
  } else {
    list_postings();
  }
}

void BinnedFeatures::choose_features(const AttributeLists& data, std::size_t attributes,
                                     const BinOptions& options) {
  std::vector<std::uint64_t> count(attributes);
  Distinct row;
  for (std::size_t p = 0; p < data.positions(); ++p) {
    distinct(data, p, row);
    for (const auto& [id, value] : row) ++count[id];
  }
  feature_number_.assign(attributes, kAbsent);
  for (std::uint32_t a = 0; a < attributes; ++a) {
    if (count[a] < std::max<std::size_t>(options.min_positions, 1)) continue;
    feature_number_[a] = static_cast<std::uint32_t>(attribute_.size());
    attribute_.push_back(a);
    occurrences_.push_back(count[a]);
  }
}

void BinnedFeatures::cut(const AttributeLists& data, const BinOptions& options) {
  // Values by feature, where they are not all 1.
  std::vector<std::uint64_t> end(features() + 1);
  for (std::size_t f = 0; f < features(); ++f) end[f + 1] = end[f] + occurrences_[f];
  std::vector<double> values;
  if (!data.value.empty()) {
    values.resize(end.back());
    std::vector<std::uint64_t> next(end.begin(), end.end() - 1);
    Distinct row;
    for (std::size_t p = 0; p < data.positions(); ++p) {
      distinct(data, p, row);
      for (const auto& [id, value] : row) {
        if (feature_number_[id] != kAbsent) values[next[feature_number_[id]]++] = value;
      }
    }
  }
  first_bin_.assign(1, 0);
  for (std::size_t f = 0; f < features(); ++f) {
    if (values.empty()) {
      upper_.push_back(std::numeric_limits<double>::infinity());
    } else {
      const auto own = std::span(values).subspan(end[f], occurrences_[f]);
      std::ranges::sort(own);
      append_bounds(own, options.bins, upper_);
    }
    feature_of_.resize(upper_.size(), static_cast<std::uint32_t>(f));
    first_bin_.push_back(static_cast<std::uint32_t>(upper_.size()));
  }
}

// Ranges of features with about equal numbers of occurrences; a few of these at each position.
void BinnedFeatures::set_parts(std::size_t parts, std::size_t positions) {
  constexpr std::size_t kLeastBins = 4;  // of a row in a part, on average
  std::uint64_t total = 0, before = 0;
  for (const std::uint64_t count : occurrences_) total += count;
  parts = std::min<std::size_t>(parts, 1 + total / (kLeastBins * (positions + 1)));
  parts_.assign(1, {});
  for (std::uint32_t f = 0; f < features(); ++f) {
    if (f > parts_.back().first_feature && before * parts >= total * parts_.size()) {
      parts_.push_back({f, first_bin_[f], {0}, {}});
    }
    before += occurrences_[f];
  }
}

void BinnedFeatures::append_rows(const AttributeLists& lists) {
  Distinct row;
  for (std::size_t p = 0; p < lists.positions(); ++p) {
    distinct(lists, p, row);
    std::size_t part = 0;
    for (const auto& [id, value] : row) {
      const std::uint32_t f = id < feature_number_.size() ? feature_number_[id] : kAbsent;
      if (f == kAbsent) continue;
      while (part + 1 < parts_.size() && f >= parts_[part + 1].first_feature) ++part;
      const auto begin = upper_.begin() + first_bin_[f], end = upper_.begin() + first_bin_[f + 1];
      const auto bin = std::lower_bound(begin, end - 1, value);
      parts_[part].bin.push_back(static_cast<std::uint32_t>(bin - upper_.begin()));
    }
    for (Part& each : parts_) each.begin.push_back(each.bin.size());
    ++rows_;
  }
}

void BinnedFeatures::list_postings() {
  posting_begin_.assign(features() + 1, 0);
  for (const Part& part : parts_) {
    for (const std::uint32_t bin : part.bin) ++posting_begin_[feature_of_[bin] + 1];
  }
  for (std::size_t f = 0; f < features(); ++f) posting_begin_[f + 1] += posting_begin_[f];
  posting_row_.resize(posting_begin_.back());
  posting_bin_.resize(posting_begin_.back());
  std::vector<std::uint64_t> next(posting_begin_.begin(), posting_begin_.end() - 1);
  for (const Part& part : parts_) {
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::uint64_t k = part.begin[r]; k < part.begin[r + 1]; ++k) {
        const std::uint32_t f = feature_of_[part.bin[k]];
        const std::uint64_t at = next[f]++;
        posting_row_[at] = static_cast<std::uint32_t>(r);
        posting_bin_[at] = static_cast<std::uint8_t>(part.bin[k] - first_bin_[f]);
      }
    }
  }
}

void BinnedFeatures::fill_columns() {
  for (std::uint32_t f = 0; f < features(); ++f) {
    if (first_bin_[f + 1] - first_bin_[f] > kNoBin) return;
  }
  column_.assign(features() * rows_, kNoBin);
  for (const Part& part : parts_) {
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::uint64_t k = part.begin[r]; k < part.begin[r + 1]; ++k) {
        const std::uint32_t f = feature_of_[part.bin[k]];
        column_[f * rows_ + r] = static_cast<std::uint8_t>(part.bin[k] - first_bin_[f]);
      }
    }
  }
}

std::uint32_t BinnedFeatures::bin_at(std::uint32_t feature, std::size_t row) const {
  if (has_columns()) {
    const std::uint8_t bin = column_[feature * rows_ + row];
    return bin == kNoBin ? kAbsent : first_bin_[feature] + bin;
  }
  std::size_t part = 0;
  while (part + 1 < parts_.size() && feature >= parts_[part + 1].first_feature) ++part;
  const Part& own = parts_[part];
  const std::uint32_t first = first_bin_[feature], last = first_bin_[feature + 1];
  const std::uint32_t* begin = own.bin.data() + own.begin[row];
  const std::uint32_t* end = own.bin.data() + own.begin[row + 1];
  const std::size_t guess = feature - own.first_feature;
  if (guess < static_cast<std::size_t>(end - begin) && begin[guess] >= first &&
      begin[guess] < last) {
    return begin[guess];
  }
  const std::uint32_t* at = std::lower_bound(begin, end, first);
  return at != end && *at < last ? *at : kAbsent;
}

}  // namespace croft
