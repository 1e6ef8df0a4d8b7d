// The children of a block of nodes, as rows of a Gaussian form and as responses of predictors.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "bugs/samplers/blanket.h"
#include "bugs/samplers/linear_forms.h"
#include "bugs/samplers/responses.h"
#include "bugs/samplers/sparse_cholesky.h"

namespace croft::bugs {

// Built once for a block; null where a child does not fit.
class LinearModel {
 public:
  static std::unique_ptr<LinearModel> make(const ModelGraph& graph, std::span<const NodeId> nodes);

  std::size_t size() const { return elements_.size(); }
  std::span<const Slot> elements() const { return elements_; }  // by place in the Cholesky factor
  std::size_t responses() const { return terms_.size(); }
  SparseCholesky& cholesky() { return *cholesky_; }

  // Reads everything that stands still in an update: coefficients, offsets, precisions.
  // x : the block's current values.  Afterwards eta_c = offset(c) + a_c' x.
  void begin(const double* values, std::vector<double>& x);
  // P and b of the normal rows, into the entries of the factor and `b`.
  void gaussian_part(std::vector<double>& b);
  // eta_c for all responses, of x.
  void predictors(const std::vector<double>& x, std::vector<double>& eta) const;
  // Whether nothing but x moves the responses.
  bool constant_responses() const { return constant_responses_; }
  // b += sum of weight_c' a_c; P += sum of w_c a_c a_c'.
  void add_weighted(const std::vector<double>& weights, std::vector<double>& b) const;
  void add_products(const std::vector<double>& w);
  // Factorises P, whose entries gaussian_part() and add_products(w) have made: b := L^-1 b.  Where
  // too few digits of P are left, the factor and b come from the rows of the form; w and pull are
  // those that add_products and add_weighted have had.  x : the block's values.  False: there is no
  // finite factor.
  bool factorise(std::vector<double>& b, const std::vector<double>& x,
                 const std::vector<double>* w = nullptr, const std::vector<double>* pull = nullptr);
  // Returns the elements that the last factorise() leaves at x: double precision does not tell
  // apart what they do and what the others do.
  std::span<const std::uint32_t> held() const { return held_; }
  // Follows the line x + v e_k, e_k the unit vector of an element: normal rows add
  // -slope v - curvature v^2 / 2,  and predictors are eta + v along.
  void along_axis(std::uint32_t k, const std::vector<double>& x, double* slope, double* curvature,
                  std::vector<double>& along) const;
  double offset(std::size_t c) const { return offsets_[c]; }
  // ln h of power responses whose h other nodes move, else 0: eta + shift is what stays in place.
  double shift(std::size_t c) const { return shifts_[c]; }

  // Of the responses at eta, minus their stand-ins  beta eta - w eta^2 / 2 .
  double remainder(const std::vector<double>& eta, const std::vector<double>& w,
                   const std::vector<double>& beta, std::vector<double>& slope) const;
  void remainder_slope(const std::vector<double>& eta, const std::vector<double>& w,
                       const std::vector<double>& beta, std::vector<double>& slope) const;
  // sum of l_c(eta_c)
  double log_likelihood(const std::vector<double>& eta) const;
  // Each response's own estimate of its predictor, kept from the ends; plus shift(c).
  void own_estimates(std::vector<double>& eta) const;
  // Stand-ins that touch the responses at eta.
  void stand_ins(const std::vector<double>& eta, std::vector<double>& w,
                 std::vector<double>& beta) const;

  // --- Moves along a direction d of x, docs/math/bugs_samplers.md section 5.
  // Rows of elements whose precision is at one of the slots: by element, how far it is from its
  // mean at x; 0 for other elements.
  struct Members {
    std::vector<std::uint32_t> rows, elements;
    std::vector<Slot> precisions;
  };
  // Empty where a mean has another member, or a member is truncated.
  Members members(std::span<const Slot> precisions) const;
  void deviations(const Members& m, const std::vector<double>& x, std::vector<double>& d) const;
  // sum of tau d^2 over the members
  double squared_deviations(const Members& m, const std::vector<double>& d,
                            const double* values) const;
  // Of x + v d, without the members' own rows:  -slope v - curvature v^2 / 2  is what normal rows
  // add; eta + v along what predictors are.
  void line(const Members& m, const std::vector<double>& x, const std::vector<double>& d,
            double* slope, double* curvature, std::vector<double>& along) const;
  void read_precisions(const Members& m, const double* values);
  bool has_groups() const { return !groups_.empty(); }

 private:
  struct Range {
    std::uint32_t first = 0, count = 0;
  };
  // At most one row for each element, with the sum of squares of many: docs/math/bugs_samplers.md
  // section 4.
  struct ReducedRows {
    std::vector<SparseCholesky::RowEntry> entries = {};
    std::vector<std::size_t> ends = {};
    std::vector<double> targets = {};
    void take(const SparseCholesky& factor);
    template <class Visit>
    void visit(const Visit& visit) const;
  };
  struct Row {  // residual of a normal law: value - mean = r_0 + sum of c_k x_k
    Range entries;
    std::uint32_t pairs;  // first of pairs_
    Slot value, mean, precision;
    bool of_logarithm;  // dlnorm
    bool constant;
  };
  // Rows of one precision whose residuals and coefficients are the same in all states, added up:
  // tau (x' P x / 2 - b' x).
  struct ConstantRows {
    Slot precision;
    std::vector<std::pair<std::uint32_t, double>> products;       // position in the factor
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  // element, element of products
    std::vector<std::pair<std::uint32_t, double>> pulls;          // element
    double tau = 0;                                               // at begin()
    ReducedRows rows = {};  // the same form without tau, made when it is first needed
  };
  struct Group {  // rows with a matrix between them
    std::vector<Range> entries;
    std::vector<Slot> value, mean, matrix;
    bool covariance;
  };
  struct Term {
    Response kind;
    Range entries;
    std::uint32_t pairs;
    Slot eta, x, second, third;  // second and third: of the law, as `id` needs them
    DistributionId id;
    std::optional<double> cut;  // of a censored time
    Range factors;
    bool fixed = true;            // all its numbers
    bool fixed_predictor = true;  // its offset and coefficients
  };
  struct Factor {
    Slot slot;
    bool divides;
  };
  struct KindRange {
    Response kind;
    Range terms;
  };

  LinearModel(const ModelGraph& graph, std::span<const NodeId> nodes)
      : graph_(graph), forms_(graph, nodes) {}
  bool add_normal(const Node& node);
  bool add_group(const Node& node);
  bool add_response(NodeId id);
  bool predictor_of(const Node& node, std::size_t parameter, Term& term);
  bool still(const Node& node, std::size_t parameter) const;
  bool exponential_of(Slot s, Slot* eta, std::vector<Factor>& factors) const;
  bool finish();
  void add_constants();
  Range add_entries(std::span<const LinearForms::Entry> entries, bool negative,
                    Slot own = kNothing);
  std::uint32_t add_pairs(Range entries);
  void read_response(std::size_t c, const double* values);
  template <class Visit>
  void by_kind(const Visit& visit) const;
  static void add_line_of_rows(const ReducedRows& rows, const std::vector<double>& x,
                               const std::vector<double>& d, double* slope, double* curvature);
  void reduce_constant_rows();
  bool factorise_rows(std::vector<double>& b, const std::vector<double>& x,
                      const std::vector<double>* w, const std::vector<double>* pull);
  void add_response_rows(const std::vector<double>& w, const std::vector<double>& pull,
                         std::vector<double>& slopes);
  void keep_response_rows(const std::vector<double>& w, const std::vector<double>& pull);
  template <class Visit>
  void visit_normal_rows(const Visit& visit) const;

  const ModelGraph& graph_;
  LinearForms forms_;
  std::vector<Slot> elements_;
  std::vector<LinearForms::Entry> entries_;
  std::vector<double> numbers_;  // of entries_
  bool moving_ = false;          // some of them are not fixed
  bool constant_responses_ = true;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> moving_rows_;  // that are not in constant_rows_
  std::vector<ConstantRows> constant_rows_;
  std::vector<Group> groups_;
  std::vector<Term> terms_;
  std::vector<KindRange> kinds_;
  std::vector<Factor> factors_;
  std::vector<std::uint32_t> pairs_;  // positions in the factor
  std::unique_ptr<SparseCholesky> cholesky_;
  bool by_rows_ = false, reduced_ = false;  // the last factor; the constant rows
  std::vector<std::uint32_t> held_;
  // Constant responses with the same w and pull are reduced once.
  std::vector<double> kept_w_, kept_pull_, kept_slopes_;
  ReducedRows response_rows_;
  std::vector<double> residuals_, precisions_;  // [rows], at begin()
  std::vector<std::vector<double>> group_residuals_, group_matrices_;
  std::vector<double> offsets_, shifts_, a_, b_, c_;  // [responses], at begin()
};

}  // namespace croft::bugs
