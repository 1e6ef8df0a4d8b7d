// Exponentials and logarithms of many small softmaxes at once.  Internal to local_terms.h.
#pragma once
#include <cstddef>
#include <span>

namespace croft {

// Returns sum_t count_t log(1 + exp d_t), and puts count_t / (1 + exp(-d_t)) in the place of d_t.
//   d     : numbers or -inf
//   count : of each, or empty: all are 1
double logistic(std::span<double> d, std::span<const double> count);

// Returns lse s = log sum_o exp s_o, and puts scale exp(s_o - lse s) in the place of s_o.
//   s : [n] numbers or -inf, at least one of them a number
double softmax(double* s, std::size_t n, double scale);

}  // namespace croft
