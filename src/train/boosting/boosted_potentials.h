// The potentials of a boosted chain at every position of the data, and the objective's derivatives
// by them: what trees are fitted to.  docs/math/boosting.md (TB.1)-(TB.4).
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "croft/core/compensated_sum.h"
#include "croft/core/matrix.h"
#include "croft/core/parallel.h"
#include "croft/objective/likelihood.h"
#include "features/chain_data.h"
#include "train/functions/chain_batch_function.h"
#include "train/functions/waves.h"

namespace croft {

// F, A and P of (TB.1), or F, A and S of (TB.8).  Rows are the positions of the data, and after
// them others that are held out.
struct Potentials {
  Matrix<double> state;                  // [rows][L]
  Matrix<double> transition;             // [L][L]; 0 x 0 where positions stand by themselves
  std::vector<Edge> pairs;               // that have trees, increasing
  std::vector<std::vector<float>> pair;  // [pairs][rows]; of the edge into a position
  std::vector<Label> spans;              // labels of segments that have trees, increasing
  std::vector<std::vector<float>> span;  // [spans][inputs] of SpanInputs
};

// Copies what holds for one sequence, rows from `first` on, into scores whose transitions are
// `tied`.
template <class Real>
void copy_scores(const Potentials& potentials, std::size_t first, std::size_t length,
                 const TransitionScores<Real>& tied, ChainScores<Real>& out);

// g and h of each position of the data, as TreeGradient has them.
struct PotentialGradient {
  enum class Part { states, second, all };  // second: of pairs, or of spans
  std::size_t width = 1;                    // outputs of a state tree: 1, or L
  std::vector<float> state;        // width 1: [L][positions][2]; otherwise [positions][2 * stride]
  std::vector<float> pair;         // [pairs][positions][2]; 0 at first positions
  std::vector<float> span;         // [spans][inputs][2], sums over the segments with an input
  std::vector<double> transition;  // [L * L] G_ij
  std::vector<double> curvature;   // [L * L] H_ij of (TB.4)

  void reshape_states(std::size_t labels, std::size_t positions, std::size_t tree_width);
  // Of label y at position p; the curvature of that score alone.
  void set_state(std::size_t p, std::size_t y, double g, double h) {
    const std::size_t at = width == 1 ? (y * positions_ + p) * 2 : p * 2 * stride_ + y;
    state[at] = static_cast<float>(g);
    state[at + stride_] = static_cast<float>(factor_ * h);
  }

 private:
  std::size_t positions_ = 0, stride_ = 1;
  double factor_ = 1;  // of (TB.3)
};

// h of (TB.3): by g, of labels that are known; by what is expected, w mu, otherwise.
double known_curvature(double g, double weight);
double curvature(double expected, double weight);

// The objective as a function of the potentials.
class PotentialObjective {
 public:
  virtual ~PotentialObjective() = default;
  // The value: a sum over sequences.  The same bits for any number of threads.
  //   part : what of `out` is needed at least, beside transitions
  virtual double evaluate(const Potentials& potentials, PotentialGradient::Part part,
                          PotentialGradient& out) = 0;
  double evaluate(const Potentials& potentials, PotentialGradient& out) {
    return evaluate(potentials, PotentialGradient::Part::all, out);
  }
};

template <class Real>
class PotentialFunction final : public PotentialObjective {
 public:
  using PotentialObjective::evaluate;
  // Keeps references.  Labels of the data are below `labels`.
  //   width          : as above
  //   make_objective : called once for each thread, here
  PotentialFunction(const ChainData& data, std::size_t labels, std::size_t width, ThreadPool& pool,
                    const ObjectiveMaker<Real>& make_objective = make_likelihood<Real>);

  double evaluate(const Potentials& potentials, PotentialGradient::Part part,
                  PotentialGradient& out) override;

 private:
  struct Block {
    std::size_t first_sequence = 0;
    LengthGroups groups;
  };
  struct Worker {
    std::unique_ptr<ChainObjective<Real>> objective;
    std::vector<ChainScores<Real>> scores;     // [kChainLanes]
    std::vector<Matrix<Real>> state, overlay;  // [kChainLanes] dL/dtheta
    std::vector<double> transition, partial, partial_expected;
    CompensatedSum value;
    ForwardBackwardWorkspace<Real> sums;
    Matrix<Real> mu, mu_pairs;  // of a sequence whose labels are known in part
  };
  void make_blocks();
  void count_known_edges();
  void evaluate_group(const Block& block, std::span<const std::uint32_t> group,
                      const Potentials& potentials, Worker& worker, PotentialGradient& out);
  void write(std::size_t n, const Potentials& potentials, const Matrix<Real>& state,
             const Matrix<Real>& overlay, const Worker* partial, PotentialGradient& out) const;
  void expect_all(std::size_t n, const ChainScores<Real>& scores, Worker& worker) const;
  void set_transitions(PotentialGradient& out) const;

  const ChainData& data_;
  std::size_t labels_, width_;
  ThreadPool& pool_;
  std::vector<Block> blocks_;
  std::vector<bool> complete_;       // [sequences] all labels known
  std::vector<double> known_edges_;  // [L * L] weights of the edges of such sequences
  double edges_ = 0;                 // W: weight of all edges
  std::vector<double> transition_, partial_, partial_expected_;  // sums, in the tables' cells
  TransitionScores<Real> tied_;
  std::vector<Worker> workers_;
};

// The likelihood of labels that stand by themselves, and its derivatives by their scores: what
// PotentialFunction computes of sequences of one position, without the sequences.
// docs/math/boosting.md (TB.2), (TB.3).

// In double.  An exponential a position and label.
class LabelPotentialFunction final : public PotentialObjective {
 public:
  // Keeps references.  Labels of the data are below `labels`; sequences have one position each.
  //   width : as PotentialGradient has it
  LabelPotentialFunction(const ChainData& data, std::size_t labels, std::size_t width,
                         ThreadPool& pool);
  using PotentialObjective::evaluate;
  double evaluate(const Potentials& potentials, PotentialGradient::Part part,
                  PotentialGradient& out) override;

 private:
  struct Worker {
    std::vector<double> expected, known;  // [L] probabilities, and those given what is known
    double value = 0;
  };
  double evaluate_position(std::size_t p, std::span<const double> score, Worker& worker,
                           PotentialGradient& out) const;

  const ChainData& data_;
  std::size_t labels_, width_;
  ThreadPool& pool_;
  std::vector<Worker> workers_;
};

}  // namespace croft
