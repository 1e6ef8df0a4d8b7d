// An objective of labelled data, and what data without labels adds to it.
//
//   F(w) = f(w) + h H(w) + g G(w) + p P(w)
//
// All three need no more than A(w) = sum_n q_n log Z(x_n; w) of the data without labels, its
// gradient E(w), the expected counts of the features, and products with its second derivative.
//
//   entropy                   H = A - w.E                      dH = - A'' w                 (U.2)
//   expectations              G = sum_k n_k KL(t_k || m_k)     dG = - A'' v,  v_ky = t_ky n_k /
//   E_ky
//                             m_ky = E_ky / N_k                                             (U.4)
//   posterior regularisation  P = min KL(q || p) over q that keep the bounds
//                               = max_{lambda >= 0} A(w) - A(w - C' lambda) - lambda.b      (U.6)
//                             dP = E(w) - E(w - C' lambda)                                  (U.7)
//
// Grandvalet & Bengio (2005); Jiao et al. (2006); Mann & McCallum (2010); Ganchev et al. (2010).
// docs/math/unlabelled.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "croft/core/error.h"
#include "croft/optimize/function.h"

namespace croft {

// How often each label should be where an attribute is, in the data without labels.
struct LabelTarget {
  std::uint64_t weights = 0;  // where the attribute's weights stand in w, one for each label
  std::vector<double> share;  // [L] >= 0, sum 1
};

// At least, or at most, so often.
struct LabelBound {
  std::uint64_t weights = 0;  // likewise
  std::uint32_t labels = 0;   // of them
  std::uint32_t label = 0;
  bool at_least = false;
  double share = 0;  // 0 to 1
};

// An attribute that something is expected of.
struct ExpectedAttribute {
  std::uint32_t row = 0;  // of the layout
  std::string name;       // for messages
  Location where;         // of what is expected; no file: labelled data says it
};

struct UnlabelledTerms {
  double entropy = 0;  // h >= 0
  double targets =
      0;  // g > 0, where there are some; each counts by how often its attribute is there
  double bounds = 0;  // p > 0, likewise
  std::vector<LabelTarget> target{};
  std::vector<LabelBound> bound{};
  std::vector<ExpectedAttribute> attribute{};  // of targets and bounds

  bool any() const { return entropy > 0 || !target.empty() || !bound.empty(); }
};

// What data without labels adds to an objective: h H + g G + p P.  Not convex.  Cost: that of A and
// of one product with A''; with bounds some more of A, the fewer the less the weights have changed.
class UnlabelledPart {
 public:
  // Keeps references.
  //   log_partition : A, without restrictions by labels
  UnlabelledPart(CurvedFunction& log_partition, const UnlabelledTerms& terms)
      : a_(log_partition), terms_(terms) {}

  // Adds its value, infinite where no labelling is allowed, and its gradient.
  void add(std::span<const double> w, double& value, std::span<double> gradient);
  // Of bounds that the distribution of the last evaluation misses; empty: it keeps all.
  std::string warning() const;
  bool refine() { return a_.refine(); }
  void archive(StateArchive& state) {
    a_.archive(state);
    state(lambda_);
  }

 private:
  double add_entropy(std::span<const double> w, double log_z);
  double add_targets();
  double add_bounds(std::span<const double> w, double log_z, std::span<double> gradient);
  double occurrences(std::uint64_t weights, std::size_t labels) const;  // N_k
  class Dual;

  CurvedFunction& a_;
  const UnlabelledTerms& terms_;
  std::vector<double> expected_;              // E(w)
  std::vector<double> direction_, product_;   // v, A'' v
  std::vector<double> lambda_;                // [bounds] of the last evaluation
  std::size_t missed_ = 0;                    // bounds, in the last evaluation
  double most_missed_ = 0;                    // by what share
  std::vector<double> moved_, moved_counts_;  // w - C' lambda, and E there
};

// F.  Cost of an evaluation: that of f and of the part.
class UnlabelledFunction final : public CurvedFunction {
 public:
  // Keeps references.
  UnlabelledFunction(CurvedFunction& labelled, CurvedFunction& log_partition,
                     const UnlabelledTerms& terms)
      : f_(labelled), part_(log_partition, terms) {}

  std::size_t dimension() const override { return f_.dimension(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    double value = f_.evaluate(w, gradient);
    part_.add(w, value, gradient);
    return value;
  }
  std::string warning() const { return part_.warning(); }
  // Of f alone: the others would need third derivatives, and no method for functions that are not
  // convex asks.
  void hessian_product(std::span<const double> v, std::span<double> out) override {
    f_.hessian_product(v, out);
  }
  bool refine() override {
    const bool labelled = f_.refine();
    return part_.refine() || labelled;
  }
  void archive(StateArchive& state) override {
    f_.archive(state);
    part_.archive(state);
  }

 private:
  CurvedFunction& f_;
  UnlabelledPart part_;
};

}  // namespace croft
