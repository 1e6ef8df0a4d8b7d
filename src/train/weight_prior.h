// A Gaussian prior with a mean and with a variance for each weight, by a change of variables.
//
//   (l2/2) sum_k (w_k - mean_k)^2 / variance_k  =  (l2/2) |u|^2,    w = mean + s u,  s =
//   sqrt(variance)
//
// So an optimiser that knows only the plain penalty minimises over u.  With l1 > 0 and a mean of 0
// the penalty is l1 sum |w_k| / s_k.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "croft/optimize/function.h"
#include "model/chain_layout.h"

namespace croft {

struct WeightPrior {
  std::vector<double> mean;   // [dimension]; empty: 0
  std::vector<double> scale;  // [dimension] s > 0; empty: 1

  bool trivial() const { return mean.empty() && scale.empty(); }
  double weight(std::size_t k, double u) const {
    const double scaled = scale.empty() ? u : scale[k] * u;
    return mean.empty() ? scaled : mean[k] + scaled;
  }
  double variable(std::size_t k, double w) const {
    const double moved = mean.empty() ? w : w - mean[k];
    return scale.empty() ? moved : moved / scale[k];
  }
};

// The scale of a prior, for each weight of a layout.
//   variance : [rows] > 0, of the rows of transitions, of node and of edge attributes, in this
//              order; grams have 1
inline std::vector<double> prior_scale(const ChainLayout& layout,
                                       std::span<const double> variance) {
  std::vector<double> scale(layout.dimension(), 1.0);
  std::size_t next = 0;
  for (const RowLayout* rows : {&layout.tied, &layout.node, &layout.edge}) {
    for (std::size_t row = 0; row < rows->rows(); ++row) {
      const auto first = scale.begin() + static_cast<std::ptrdiff_t>(rows->begin[row]);
      std::fill_n(first, rows->length(row), std::sqrt(variance[next++]));
    }
  }
  return scale;
}

// f(mean + s u) as a function of u.
class PriorFunction final : public CurvedFunction {
 public:
  // Keeps references.
  PriorFunction(CurvedFunction& f, const WeightPrior& prior) : f_(f), prior_(prior) {}
  std::size_t dimension() const override { return f_.dimension(); }
  double evaluate(std::span<const double> u, std::span<double> gradient) override {
    w_.resize(u.size());
    for (std::size_t k = 0; k < u.size(); ++k) w_[k] = prior_.weight(k, u[k]);
    const double value = f_.evaluate(w_, gradient);
    scale(gradient);
    return value;
  }
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    w_.assign(v.begin(), v.end());
    scale(w_);
    f_.hessian_product(w_, out);
    scale(out);
  }
  bool refine() override { return f_.refine(); }
  void archive(StateArchive& state) override { f_.archive(state); }

 private:
  void scale(std::span<double> v) const {
    for (std::size_t k = 0; k < prior_.scale.size(); ++k) v[k] *= prior_.scale[k];
  }
  CurvedFunction& f_;
  const WeightPrior& prior_;
  std::vector<double> w_;
};

}  // namespace croft
