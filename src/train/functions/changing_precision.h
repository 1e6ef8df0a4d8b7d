// The objective of a chain in single precision, as long as that pays: until an optimizer has it
// refined, or many sums are slow.
//
// With many states and edges that do not exist the scaled recursion in float more and more often
// proves unsafe as weights grow (docs/math/chain.md section 3); the sequence is then summed again,
// alone and in double.  Where many are, it is faster to do all of them together in double.
#pragma once
#include <functional>
#include <memory>

#include "train/functions/chain_batch_function.h"

namespace croft {

// Above this many slow sums a sequence the next evaluations are in double.  Measured with order 2:
// double takes 1.8 times as long as float, a slow sum 11 times as long as one in float.  There are
// none on CoNLL-2000, at most 6 % on English-EWT.
inline constexpr double kMostSlow = 0.1;

class ChangingPrecision : public ChainFunction {
 public:
  // `wide` makes the same function in double; it is called at most once.
  ChangingPrecision(std::unique_ptr<ChainFunction> narrow,
                    std::function<std::unique_ptr<ChainFunction>()> wide)
      : now_(std::move(narrow)), wide_(std::move(wide)) {}

  std::size_t dimension() const override { return now_->dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override;
  double evaluate(std::span<const double> w, std::span<double> gradient, std::size_t first,
                  Matrix<float>& d_state) override;
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    now_->hessian_product(v, out);
  }
  double slow_share() const override { return now_->slow_share(); }
  bool refine() override;
  void archive(StateArchive& state) override;
  bool is_wide() const { return wide_ == nullptr; }

 private:
  void choose();
  void widen();

  std::unique_ptr<ChainFunction> now_;
  std::function<std::unique_ptr<ChainFunction>()> wide_;  // empty: now_ is wide
};

}  // namespace croft
