// Sums over the labellings of one chain of higher order, in vectors.  Internal.
//
// Histories that end in the same n - 1 labels are followed by the same histories.  So the edges are
// complete blocks, and a block is a table that is multiplied as a dense chain's is.  The lifted
// chain of history_chain.h has the same sums by lists of edges, and stays where a value might
// underflow.  docs/math/higher_order.md section 4.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "croft/core/matrix.h"
#include "croft/structure/chain.h"
#include "croft/structure/label_histories.h"

namespace croft {

// The states [first, last), each of which is followed by the same targets.
struct HistoryBlock {
  Label first = 0, last = 0;
  std::uint32_t target = 0, targets = 0;  // where HistoryBlocks::target lists them, and how many
  std::size_t forward = 0, backward = 0;  // where its tables begin
  std::size_t sums = 0;                   // where the sums of its targets begin
  std::size_t sources() const { return last - first; }
};

// Immutable once made: share it between threads.
struct HistoryBlocks {
  explicit HistoryBlocks(const LabelHistories& histories);  // kept by reference

  const LabelHistories& histories;
  std::vector<HistoryBlock> all;   // by their sources, increasing
  std::vector<Label> target;       // of all blocks, one after the other
  std::vector<std::size_t> place;  // [S] of a state among the sums; sums: nothing leads there
  std::size_t sums = 0;            // of all blocks
  std::size_t forward = 0, backward = 0;  // numbers in tables [sources][targets], and transposed
  // The states that end in a label, a vector of kLanePadding after the other.
  struct LabelRun {
    Label label;
    std::uint32_t first;
  };
  std::vector<LabelRun> label_runs;  // increasing
  // The edges that have a gram: it, and where they stand in the two.
  struct GramEdge {
    std::uint32_t gram;
    std::size_t forward, backward;
  };
  std::vector<GramEdge> gram_edges;
  // [.][S] row t: what can be at position t, and what can have t positions behind it; the last row
  // holds from there on.  Empty: none of the first rows does, and there are no sums by blocks.
  std::vector<std::vector<bool>> reached, completed;
  bool usable() const { return !reached.empty() && !completed.empty(); }
};

template <class Real>
class HistorySums {
 public:
  explicit HistorySums(std::shared_ptr<const HistoryBlocks> blocks);  // usable

  // Takes what is tied over positions.  Cost O(S + edges).
  //   pair : [histories.pairs] the scores of these pairs of labels
  //   gram : [G] weights, finite
  void assign(std::span<const double> pair, std::span<const double> gram);

  // log Z and the marginals, or nothing where a value might have underflowed.
  //   base    : the chain of labels, whose own transitions are not looked at; no overlays
  //   mu      : [T][padded(L)] the marginals of labels, overwritten
  //   d_state : [S] how often each history of two labels or more is expected is added
  //   d_gram  : [G] the same of grams of n + 1 labels; of the others by project_states()
  // Cost O(T (S + edges)), no allocation once warm.
  std::optional<double> marginals(const ChainScores<Real>& base, Real* mu,
                                  std::span<double> d_state, std::span<double> d_gram);

  // What the kernels read and write.
  using Index = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  struct Tables {
    AlignedVector<Index> place;             // [stride] HistoryBlocks::place
    AlignedVector<Real> target_score;       // [sums] tied of (H.3); padding -inf
    AlignedVector<Real> forward, backward;  // exp(score of an edge and its target - shift)
    AlignedVector<Real> pairs;              // as backward, summed over positions
    Matrix<Real> reached, completed;        // [.][stride] what a value must not fall below
    std::size_t stride = 0;                 // of rows of states: a vector's room behind the last
    double shift = 0;
    bool safe = false;                            // the scores are near enough to each other
    AlignedVector<Real> emission, alpha, suffix;  // [T][stride], as in ForwardBackwardWorkspace
    AlignedVector<Real> beta, marginal;           // [stride]
    AlignedVector<Real> sums, row;                // [sums + 1], the last 0; [padded(L)]
  };

 private:
  std::shared_ptr<const HistoryBlocks> blocks_;
  std::vector<Real> tied_;  // [S]
  Tables tables_;
};

}  // namespace croft
