// A sum in double that keeps what each addition rounds away (Neumaier 1974).
//
// The sum of 1,000,000 offsets of size 1e5 keeps an absolute error near 1e-11 times its final
// value; a plain sum of log-scores that cancel (log Z minus the gold score) would have lost those
// digits.
#pragma once
#include <cmath>

namespace croft {

class CompensatedSum {
 public:
  CompensatedSum() = default;
  explicit CompensatedSum(double value) : sum_(value) {}

  void add(double value) {
    const double total = sum_ + value;
    if (std::isfinite(total)) {  // inf - inf would turn the correction, and so the sum, into NaN
      correction_ +=
          std::abs(sum_) >= std::abs(value) ? (sum_ - total) + value : (value - total) + sum_;
    }
    sum_ = total;
  }
  void add(const CompensatedSum& other) {
    add(other.sum_);
    correction_ += other.correction_;
  }
  double value() const { return std::isfinite(sum_) ? sum_ + correction_ : sum_; }

 private:
  double sum_ = 0, correction_ = 0;
};

// a - b with the digits that both keep beyond a double; both finite.
inline double difference(CompensatedSum a, CompensatedSum b) {
  const double high = b.value();
  a.add(-high);
  b.add(-high);
  a.add(-b.value());
  return a.value();
}

}  // namespace croft
