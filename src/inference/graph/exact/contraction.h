// Products of two tables, summed over what they share: the one step of eliminating a variable, and,
// with the roles changed, of its derivative.  Internal to inference/.
//
//   out[o] += sum over the other loops of  a[.] b[.]
//
// A loop is a variable, or several that lie together; its stride in a table is 0 where the table
// has not got it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace croft {

struct ContractionLoop {
  std::uint32_t extent = 1;
  std::uint32_t a = 0, b = 0, out = 0;  // strides
};

// What the last two loops are: the tables' numbers stand side by side in the last.
enum class ContractionKind : std::uint8_t {
  general,   // strides of any kind
  axpy,      // out[j] += a b[j]
  matrix,    // of the last three: out[i][j] += sum_k a[i][k] b[k][j]
  multiply,  // out[j] += a[j] b[j]
  dot        // out += sum_j a[j] b[j]
};

struct Contraction {
  std::uint64_t first = 0;  // of its loops, in a list of those of all
  std::uint32_t loops = 0;  // >= 2; of a matrix 3
  ContractionKind kind = ContractionKind::general;
  bool swapped = false;  // a and b, so that b has the side by side numbers of axpy
};

// Puts loops in the order that is quickest, and appends them to `list`.
Contraction arrange(std::vector<ContractionLoop> loops, std::vector<ContractionLoop>& list);

// Adds to out.
void contract(const Contraction& step, std::span<const ContractionLoop> list, const double* a,
              const double* b, double* out);

// Of n >= 1 numbers >= 0: the largest, and the smallest.
struct NumberRange {
  double high, low;
};
NumberRange range_of(const double* x, std::size_t n);
// x <- x factor.
void scale(double* x, std::size_t n, double factor);
// x <- exp(x - shift); all of them <= 0 then.
void exp_of_difference(double* x, std::size_t n, double shift);

}  // namespace croft
