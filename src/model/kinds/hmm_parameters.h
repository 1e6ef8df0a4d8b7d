// The probabilities of a hidden Markov model, as logarithms: what training estimates, what a model
// file is made from, and what a conversion reads.
//
//   p(x, y) = start(y_0) prod_t transition(y_{t-1}, y_t) prod_t prod_k p(x_tk | y_t)      (HM.1)
//
// The observations of a position are attributes.  Each belongs to a *track*: the part of its name
// before the first `=` or `:`, or the nameless track where there is none; tracks are independent
// given the label.  docs/math/hidden_markov.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "croft/core/matrix.h"

namespace croft {

// "U0" of "U0=the"; "word" of "word:the", as Python's dicts are spelt; "" of "the".
inline std::string_view track_of(std::string_view attribute) {
  const std::size_t end = attribute.find_first_of("=:");
  return end == std::string_view::npos ? std::string_view() : attribute.substr(0, end);
}
// "the" of all of them.
inline std::string_view value_of(std::string_view attribute) {
  const std::size_t end = attribute.find_first_of("=:");
  return end == std::string_view::npos ? attribute : attribute.substr(end + 1);
}

// Where the last 1, 2, … letters of a value begin, at most `most`: of an attribute, counted from
// the first byte of its name.  A letter is a UTF-8 character, or a byte of a value that is not
// UTF-8.
void suffix_begins(std::string_view attribute, std::size_t most, std::vector<std::size_t>& begins);

// All numbers are log-probabilities: at most 0, -inf where something cannot be.
struct HmmParameters {
  std::size_t labels = 0;
  std::vector<double> start;  // [L]
  std::vector<double> end;  // [L] that the sequence ends after this label; empty: lengths are given
  Matrix<double> transition;  // [L][L]

  std::vector<std::string> tracks;  // [K] names
  Matrix<double> unlisted;          // [K][L] of a known value that has no cell for the label
  Matrix<double> unknown;           // [K][L] of all unknown values together

  // Known values, as attributes with the name of their track; each has cells, increasing.
  std::vector<std::string> value;       // [V]
  std::vector<std::uint32_t> track;     // [V]
  std::vector<std::uint64_t> begin{0};  // [V + 1] into cell and log
  std::vector<std::uint32_t> cell;      // labels
  std::vector<double> log;              // parallel to cell

  // Of unknown values by their longest known suffix: classes of (HM.9).  Each is an attribute whose
  // value is the suffix; a track has all of its suffixes' suffixes, the empty one too, or none at
  // all.
  std::size_t suffix_letters = 0;   // of the longest
  std::vector<std::string> suffix;  // [S]
  Matrix<double> suffix_log;        // [S][L] an unknown value that is of this class

  std::size_t values() const { return value.size(); }
};

}  // namespace croft
