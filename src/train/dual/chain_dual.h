// The training of a chain as a DualProblem.  docs/math/dual_optimisation.md section 6.
//
// Parts of an example: [T][L] labels at positions, then tables [L][L] of pairs of labels.
//   by_position : a table for each edge (t - 1, t), in order of t.  Marginals of the parts
//   determine
//                 the distribution of largest entropy, and which labellings have a share in it.
//   tied        : one table for all edges without edge attributes (expected counts), if there are
//                 any, then one for each of the others.  Less memory: enough for Frank-Wolfe and
//                 EG.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "croft/inference/chain_sum.h"
#include "croft/inference/chain_viterbi.h"
#include "features/chain_data.h"
#include "model/chain_layout.h"
#include "objective/label_cost.h"
#include "optimize/dual/dual_problem.h"

namespace croft {

enum class ChainParts { tied, by_position };

struct ChainDualOptions {
  double l2 = 1;  // > 0
  ChainParts parts = ChainParts::tied;
  DualLoss loss = DualLoss::hinge;
  const LabelCost* cost = nullptr;  // of the hinge, required; kept by reference
};

// What dual methods ask of the data.  Throws UsageError for gold that is not known at every
// position, or that the layout's constraint forbids.
void check_dual_data(const ChainData& data, const ChainLayout& layout);

// The occurrences of attributes with weights, sequence by sequence: A_n, for one kind of features.
class SequenceRows {
 public:
  // Attribute lists of positions; what an attribute adds to the scores goes to the `cells` numbers
  // of place_of[p].  rows is kept by reference.
  SequenceRows(const AttributeLists& lists, std::span<const std::uint64_t> sequence_begin,
               const RowLayout& rows, std::span<const std::uint32_t> place_of);

  // theta += A_n w.  theta: [places of sequence n][cells]
  void add_scores(std::size_t n, std::span<const double> w, std::span<double> theta) const;
  // Chooses v = A_n' delta; returns |v|^2.
  //   least : places where no |delta| is above it are taken to be 0
  double aim(std::size_t n, std::span<const double> delta, double least = 0);
  void move(double scale, std::span<double> w) const;  // w += scale v

 private:
  struct Row {             // an attribute in a sequence
    std::uint64_t weight;  // where its weights stand in w
    std::uint32_t first;   // occurrence, counted from those of the sequence
    std::uint32_t length;  // weights
  };
  struct Aimed {
    const Row* row;
    std::size_t first;  // in v_
  };
  std::span<const Row> rows_of(std::size_t n) const {
    return std::span(row_).subspan(row_begin_[n], row_begin_[n + 1] - row_begin_[n]);
  }
  template <class Visit>
  void for_each_row(std::size_t n, std::span<const double> w, const Visit& visit) const;
  // The cells of an attribute's weights; null: all of them.
  const std::uint32_t* cells_of(const Row& row) const {
    if (row.length == layout_.cells) return nullptr;
    return layout_.cell.data() + (row.weight - layout_.begin[0]);
  }

  const RowLayout& layout_;
  std::vector<std::uint64_t> row_begin_{0}, occurrence_begin_{0};  // [N + 1]
  std::vector<Row> row_;              // of each sequence: increasing in attribute
  std::vector<std::uint32_t> place_;  // of each occurrence
  std::vector<double> value_;         // parallel to place_; empty while all are 1
  std::vector<std::uint8_t> moved_;   // scratch: whether delta has anything at a place
  std::vector<Aimed> aimed_;          // attributes whose v is not 0
  std::vector<double> v_;
};

// All of the problem but what adds up the node scores.
class ChainDual : public DualProblem {
 public:
  DualLoss loss() const override { return options_.loss; }
  double l2() const override { return options_.l2; }
  std::size_t samples() const override { return data_.sequences(); }
  std::size_t parts(std::size_t n) const override {
    return (length(n) + tables(n) * labels()) * labels();
  }
  double weight(std::size_t n) const override { return data_.sequence_weight(n); }
  bool exact_parts() const override { return options_.parts == ChainParts::by_position; }
  void gold(std::size_t n, std::span<double> mu) override;
  void scores(std::size_t n, std::span<double> theta) override;
  double aim(std::size_t n, std::span<const double> delta) override;
  void move(double scale) override;
  void reset() override;
  double squared_norm() override;
  double sum_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) override;
  double max_oracle(std::size_t n, std::span<const double> theta, std::span<double> mu) override;
  EntropyPoint entropy(std::size_t n, std::span<const double> mu, std::span<const double> delta,
                       double g) override;
  LogLossView look(std::size_t n, std::span<const double> mu, std::span<double> delta) override;
  LogLossView look(std::size_t n, std::span<const float> mu, std::span<float> delta) override;
  double aim(std::size_t n, std::span<const float> delta) override;
  EntropyPoint entropy(std::size_t n, std::span<const float> mu, std::span<const float> delta,
                       double g) override;
  void archive(StateArchive& state) override { state(std::span(w_)); }

  std::size_t labels() const { return layout_.labels; }
  std::size_t length(std::size_t n) const {
    return static_cast<std::size_t>(data_.sequence_begin[n + 1] - data_.sequence_begin[n]);
  }

 protected:
  // Keeps references.  Throws UsageError for order >= 2, l2 <= 0, a hinge without cost, and as
  // check_dual_data().
  ChainDual(const ChainData& data, const ChainLayout& layout, const ChainDualOptions& options);

  // The node part of the four; state: [T][L].
  virtual void add_node_scores(std::size_t n, std::span<double> state) = 0;
  virtual double aim_nodes(std::size_t n, std::span<const double> state, double least) = 0;
  virtual void move_nodes(double scale) = 0;
  virtual double extra_squared_norm() { return 0; }  // of what is not in w_

  const ChainData& data_;
  const ChainLayout& layout_;
  const ChainDualOptions options_;
  std::vector<double> w_;  // in the layout's order

 private:
  std::size_t tables(std::size_t n) const { return table_begin_[n + 1] - table_begin_[n]; }
  bool has_tied_table(std::size_t n) const;
  void lay_out_tables();
  std::uint32_t table_at(std::size_t n, std::size_t t) const {
    return table_of_[data_.sequence_begin[n] + t];
  }
  void add_tied_scores(std::span<double> table) const;  // [L][L]
  template <class Real>
  double aim_tied(std::span<const Real> tables);
  template <class Real>
  EntropyPoint entropy_in(std::size_t n, std::span<const Real> mu, std::span<const Real> delta,
                          double g) const;
  template <class Real>
  LogLossView look_in(std::size_t n, std::span<const Real> mu, std::span<Real> delta);
  void set_chain(std::size_t n, std::span<const double> theta);
  template <class Real>
  TransitionScores<Real> make_transitions(const double* table) const;

  // What look() needs where no edge has scores of its own.
  template <class Real>
  struct TiedChain {
    TransitionScores<Real> transitions;
    ChainScores<Real> scores;
    ForwardBackwardWorkspace<Real> work;
    Matrix<Real> d_state, mu_total;
    std::vector<double> expected;  // of transitions
  };
  template <class Real>
  TiedChain<Real>& tied_chain() {
    if constexpr (std::is_same_v<Real, float>) {
      return tied_float_;
    } else {
      return tied_double_;
    }
  }

  std::vector<std::uint32_t> table_of_;        // [P] of the edge (t - 1, t), within its sequence
  std::vector<std::uint64_t> table_begin_{0};  // [N + 1]
  std::unique_ptr<SequenceRows> edge_rows_;    // null: no edge attributes
  std::vector<double> tied_v_;                 // of the last aim: of each weight of a tied row
  std::vector<double> row_;                    // scratch

  // The oracles' chain.
  TransitionScores<double> free_;  // 0, or -inf where the layout's constraint says so
  TransitionScores<double> tied_;  // the same with the scores of a tied table
  ChainScores<double> chain_;
  ForwardBackwardWorkspace<double> sums_;
  ViterbiWorkspace<double> viterbi_;
  Matrix<double> d_state_, d_overlay_;
  std::vector<double> d_transition_;
  std::vector<Label> y_;
  TiedChain<float> tied_float_;
  TiedChain<double> tied_double_;
  std::vector<double> state_, table_;  // theta: [T][L], and the transitions'
};

// Linear in the features of the layout.
class ChainDualProblem final : public ChainDual {
 public:
  // data.node.id and data.edge.id are ids of the layout.  Memory: 12 bytes an occurrence of an
  // attribute (20 with values).
  ChainDualProblem(const ChainData& data, const ChainLayout& layout,
                   const ChainDualOptions& options);
  std::span<const double> weights() const override { return w_; }

 protected:
  void add_node_scores(std::size_t n, std::span<double> state) override {
    node_rows_.add_scores(n, w_, state);
  }
  double aim_nodes(std::size_t n, std::span<const double> state, double least) override {
    return node_rows_.aim(n, state, least);
  }
  void move_nodes(double scale) override { node_rows_.move(scale, w_); }

 private:
  SequenceRows node_rows_;
};

}  // namespace croft
