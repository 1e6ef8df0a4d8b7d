// The likelihood of a model whose positions are independent of each other, as a function of their
// scores: what L-BFGS in the span of the examples minimises.
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/core/parallel.h"
#include "model/chain_layout.h"
#include "optimize/batch/span_lbfgs.h"

namespace croft {

// phi(s) = sum_p q_p (log sum_y exp s_py - s_p,y_p),   s_p = sum_k v_k w[a_k]
// Scores are rows of padded(labels) numbers, one for each position.
template <class Real>
class MaxentSpan final : public SpanFunction<Real> {
 public:
  // Copies the data and keeps the layout by reference.  Requires a layout of node features alone.
  // Throws UsageError for labels that are not fully known.
  //   free : weights without a penalty, the row of one attribute; length 0: none
  // Memory: 16 bytes an occurrence of an attribute (24 in double), a Real for each attribute and
  // label; with ascend() a double for each position and label.
  MaxentSpan(const ChainData& data, const ChainLayout& layout, const Run& free, ThreadPool& pool);

  std::size_t scores() const override { return gold_.size() * stride_; }
  std::size_t free() const override { return free_cells_.size(); }
  std::size_t dimension() const override { return layout_.dimension(); }
  typename SpanFunction<Real>::Value along(std::span<const double> s, std::span<const Real> d,
                                           double step) override;
  double evaluate(std::span<const double> s, std::span<Real> gradient) override;
  void gram(std::span<const Real> a, std::span<Real> out) override;
  void add_free(std::span<const double> b, std::span<double> s) override;
  void free_gradient(std::span<const Real> d, std::span<double> out) override;
  void weights(std::span<const double> a, std::span<const double> b, std::span<double> w) override;
  void ascend(std::uint64_t seed, std::size_t pass, double l2, std::span<double> a,
              std::span<double> b) override;
  double conjugate(double l2, std::span<const double> a) override;

 private:
  // Rows of a sparse matrix.
  struct Rows {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> index;
    std::vector<Real> value;  // parallel to index; empty: 1 each
    void sum(std::size_t row, const Matrix<Real>& table, Real* out) const;
  };
  void number_attributes(const AttributeLists& lists);
  void fill_rows(const AttributeLists& lists);
  void transpose();
  void keep_features(std::size_t row, Real* weights) const;
  void set_attribute_rows(std::span<const Real> a);
  void set_attribute_rows(std::span<const double> a) requires(!std::is_same_v<Real, double>);
  void score_positions();
  double free_value_of(std::size_t p) const { return free_of_.empty() ? 0.0 : free_of_[p]; }

  struct Ascent;
  void set_squares();
  void set_distribution(std::size_t p, double scale, std::span<const double> a, double* mu) const;
  void see(Ascent& at, std::size_t p, const Real* score) const;
  double visit(Ascent& at, std::size_t p);
  std::pair<std::vector<std::uint32_t>, double> behind(Ascent& at);
  template <class Visit>
  typename SpanFunction<Real>::Value sum_positions(std::span<const double> s, const Real* d,
                                                   double step, const Visit& visit);

  const ChainLayout& layout_;
  const Run free_;
  ThreadPool& pool_;
  const std::size_t labels_, stride_;
  std::vector<Label> gold_;               // [positions]
  std::vector<double> weight_;            // [positions] q; empty: 1 each
  std::vector<std::uint32_t> attribute_;  // layout's row of each row of the table, frequent first
  bool all_full_ = true;                  // every attribute has all labels
  std::vector<std::uint32_t> number_;     // its inverse; kUnknown for the free one
  Rows by_position_, by_attribute_;
  std::vector<std::uint32_t> free_cells_;  // labels of the free weights
  std::vector<std::uint32_t> free_place_;  // positions with the free attribute
  std::vector<double> free_value_;         // parallel to it
  Matrix<Real> table_;                     // X'a, by number of attribute
  Matrix<Real> examples_;                  // a

  // Of ascend():
  Matrix<double> squares_;  // [positions][labels] |x_p|^2; none before it is first called
  double typical_square_ = 0;
  std::vector<double> free_of_;  // [positions] value of the free attribute; empty: there is none
};

}  // namespace croft
